// The text of a kernel on this machine: the lanes of a block's warps as fibers that wait for each other at every vote.
#pragma once
#include <stdlib.h>
#include <ucontext.h>
#include <new>
#include "denormals.h"
#include "scalars.h"

#define KERNEL static void
#define CALL const call
#define TABLE static const
#define BLOCK(number) threads.ran(number)
#define any_lane(flag) threads.vote(flag, __COUNTER__, false)
#define any_of_block(flag) threads.vote(flag, __COUNTER__, true)
#define TOGETHER (void)any_of_block(false)

struct Threads {
  static constexpr int WARP = 32, SIZE = THREADS, WARPS = SIZE / WARP;
  static constexpr size_t STACK = 4u << 20;
  s_i64 first = 0, batch = 0;
  s_i64* runs = nullptr;  // how often warps ran each block of the text, if somebody asks
  bool apart = false;     // whether lanes that vote together ever waited at different votes
  ucontext_t outside, lanes[SIZE];
  bool flags[SIZE], ended[SIZE], of_block[SIZE];
  int sites[SIZE];
  bool results[WARPS];
  int lane = 0;
  char* stacks = nullptr;

  void ran(int block) { if (runs && lane % WARP == 0 && first + lane < batch) runs[block]++; }
  bool vote(bool flag, int site, bool whole) {
    flags[lane] = flag, sites[lane] = site, of_block[lane] = whole;
    swapcontext(&lanes[lane], &outside);
    return results[lane / WARP];
  }
  // Whether any of some lanes voted for it; notes if not all are at the same vote, or have ended.
  bool agreed(int from, int until) {
    bool any = false;
    for (int l = from; l < until; l++) {
      apart |= ended[l] != ended[from] || (!ended[l] && sites[l] != sites[from]);
      any |= flags[l];
    }
    return any;
  }
  // Plays a warp up to its next vote of the whole block, or to its end.
  void advance(int warp) {
    const int from = warp * WARP;
    do {
      for (lane = from; lane < from + WARP; lane++) swapcontext(&outside, &lanes[lane]);
      results[warp] = agreed(from, from + WARP);
    } while (!ended[from] && !of_block[from] && !apart);
  }
  // Plays one block of threads.
  void play(void (*body)()) {
    for (lane = 0; lane < SIZE; lane++) {
      ended[lane] = false;
      getcontext(&lanes[lane]);
      lanes[lane].uc_stack.ss_sp = stacks + lane * STACK;
      lanes[lane].uc_stack.ss_size = STACK;
      lanes[lane].uc_link = &outside;
      makecontext(&lanes[lane], body, 0);
    }
    do {
      for (int warp = 0; warp < WARPS && !apart; warp++) advance(warp);
      const bool any = agreed(0, SIZE);
      for (int warp = 0; warp < WARPS; warp++) results[warp] = any;
    } while (!ended[0] && !apart);
  }
};
static Threads threads;
static inline s_i64 thread_number() { return threads.first + threads.lane; }
