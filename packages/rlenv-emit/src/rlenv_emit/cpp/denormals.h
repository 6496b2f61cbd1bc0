// XLA flushes denormal numbers; so must every thread that works here.
#pragma once
#include <stdint.h>

struct Denormals {
#if defined(__SSE2__)
  unsigned before;
  Denormals() : before(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr((before & ~0x6000u) | 0x8040u); }
  ~Denormals() { __builtin_ia32_ldmxcsr(before); }
#elif defined(__aarch64__)
  uint64_t before;
  Denormals() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | 1u << 24));
  }
  ~Denormals() { __asm__ volatile("msr fpcr, %0" : : "r"(before)); }
#endif
};
