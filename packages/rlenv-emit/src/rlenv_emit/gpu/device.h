// The text of a kernel on a GPU, compiled by NVRTC with functions of the device by default.  libcu++ has the part of the
// standard library that scalars.h needs.
#pragma once
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
using namespace cuda::std;
namespace std { using namespace cuda::std; }
#define __builtin_clzll __clzll
#define __builtin_popcountll __popcll
#include "scalars.h"

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, 1)
#define TOGETHER __syncthreads()
#define CALL const __grid_constant__ call
#define TABLE static __device__ const
#define BLOCK(number)

static inline s_i64 thread_number() { return (s_i64)blockIdx.x * THREADS + threadIdx.x; }
static inline bool any_lane(bool flag) { return __any_sync(0xffffffffu, flag); }
static inline bool any_of_block(bool flag) { return __syncthreads_or(flag); }
