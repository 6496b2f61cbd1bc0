// What the text of a kernel is written in, whoever compiles it: an environment a thread, 32 threads a warp.
#pragma once
#if defined(__CUDACC_RTC__)
#include "device.h"
#else
#include "warp.h"
#endif

struct call { const void* in[INPUTS + 1]; void* out[OUTPUTS + 1]; };

// An array of an environment has `size` elements; those of one environment lie together.
template <class T> static inline T load(const void* from, s_i64 row, s_i64 size, s_i64 element) {
  return ((const T*)from)[row * size + element];
}
template <class T> static inline void store(void* to, s_i64 row, s_i64 size, s_i64 element, T value, bool own) {
  if (own) ((T*)to)[row * size + element] = value;
}
