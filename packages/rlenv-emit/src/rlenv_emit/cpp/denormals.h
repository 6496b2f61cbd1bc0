// XLA flushes denormal numbers; so must every thread that works here.
#pragma once
#include <stdint.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

struct Denormals {
#if defined(__SSE2__)
  unsigned before;
  Denormals() : before(_mm_getcsr()) { _mm_setcsr((before & ~0x6000u) | 0x8040u); }
  ~Denormals() { _mm_setcsr(before); }
#elif defined(__aarch64__)
  uint64_t before;
  Denormals() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | 1u << 24));
  }
  ~Denormals() { __asm__ volatile("msr fpcr, %0" : : "r"(before)); }
#endif
};
