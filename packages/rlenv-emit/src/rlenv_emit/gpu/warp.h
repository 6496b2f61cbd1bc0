// The text of a kernel on this machine: the 32 lanes of a warp as fibers that wait for each other at every vote.
#pragma once
#include <stdlib.h>
#include <ucontext.h>
#include <new>
#include "denormals.h"
#include "scalars.h"

#define KERNEL static void
#define CALL const call
#define TABLE static const
#define BLOCK(number) warp.ran(number)
#define any_lane(flag) warp.vote(flag, __COUNTER__)

struct Warp {
  static constexpr int SIZE = 32;
  static constexpr size_t STACK = 4u << 20;
  s_i64 first = 0;
  s_i64* runs = nullptr;  // how often warps ran each block, if somebody asks
  bool apart = false;     // whether lanes of a warp ever waited at different votes
  ucontext_t outside, lanes[SIZE];
  bool flags[SIZE], ended[SIZE];
  int sites[SIZE];
  int lane = 0;
  bool result = false;
  char* stacks = nullptr;

  void ran(int block) { if (runs && lane == 0) runs[block]++; }
  bool vote(bool flag, int site) {
    flags[lane] = flag, sites[lane] = site;
    swapcontext(&lanes[lane], &outside);
    return result;
  }
  // Plays one warp: every lane up to its next vote, then the vote, until all have ended.
  void play(void (*body)()) {
    for (lane = 0; lane < SIZE; lane++) {
      ended[lane] = false;
      getcontext(&lanes[lane]);
      lanes[lane].uc_stack.ss_sp = stacks + lane * STACK;
      lanes[lane].uc_stack.ss_size = STACK;
      lanes[lane].uc_link = &outside;
      makecontext(&lanes[lane], body, 0);
    }
    for (;;) {
      for (lane = 0; lane < SIZE; lane++) swapcontext(&outside, &lanes[lane]);
      result = false;
      for (int l = 0; l < SIZE; l++) {
        apart |= ended[l] != ended[0] || (!ended[0] && sites[l] != sites[0]);
        result |= flags[l];
      }
      if (ended[0] || apart) return;
    }
  }
};
static Warp warp;
static inline s_i64 thread_number() { return warp.first + warp.lane; }
