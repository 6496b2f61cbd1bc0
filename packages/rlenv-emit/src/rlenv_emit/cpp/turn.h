// Large arrays are worked on turned: all lanes of an element together, where a batch has all elements of a lane.
// Squares of words are turned in registers.
#pragma once
#include <string.h>
#include <utility>
#include "lanes.h"

#if defined(__clang__)
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, indices{__VA_ARGS__})
#endif

template <class T> struct Square {
  static constexpr int SIDE = 4 * LANES / sizeof(T);  // a row fills a register
  typedef T row __attribute__((vector_size(4 * LANES)));
  typedef T indices __attribute__((vector_size(4 * LANES)));
  template <int... I> using numbers = std::integer_sequence<int, I...>;
  using all = std::make_integer_sequence<int, SIDE>;
  row rows[SIDE];

  // Squares of STEP by STEP change places across the diagonal of one that is twice as large.
  template <int STEP, int... J> static inline void cross(row& upper, row& lower, numbers<J...>) {
    const row left = PICK(upper, lower, (T)(J & STEP ? SIDE + J - STEP : J)...);
    lower = PICK(upper, lower, (T)(J & STEP ? SIDE + J : J + STEP)...);
    upper = left;
  }
  template <int STEP, int... I> inline void pass(numbers<I...>) {
    ((I & STEP ? (void)0 : cross<STEP>(rows[I], rows[I & STEP ? I : I + STEP], all{})), ...);
  }
  template <int STEP> inline void turn_from() {
    if constexpr (STEP < SIDE) {
      pass<STEP>(all{});
      turn_from<2 * STEP>();
    }
  }
  template <int... I> inline void read(const T* const* from, long element, numbers<I...>) {
    (memcpy(&rows[I], from[I] + element, sizeof(row)), ...);
  }
  template <int... I> inline void write(T* const* to, long element, numbers<I...>) {
    (memcpy(to[I] + element, &rows[I], sizeof(row)), ...);
  }
  template <int... I> inline void read_turned(const T* from, numbers<I...>) {
    (memcpy(&rows[I], from + I * LANES, sizeof(row)), ...);
  }
  template <int... I> inline void write_turned(T* to, numbers<I...>) {
    (memcpy(to + I * LANES, &rows[I], sizeof(row)), ...);
  }
};

// The last squares overlap where the size is no multiple of their side.
template <class T> static SLOW void turn_in(T* to, const T* const* from, long size) {
  typedef Square<T> S;
  for (int l = 0; l < LANES; l += S::SIDE)
    for (long e = 0; e < size; e += S::SIDE) {
      const long element = e + S::SIDE <= size ? e : size - S::SIDE;
      S square;
      square.read(from + l, element, typename S::all{});
      square.template turn_from<1>();
      square.write_turned(to + element * LANES + l, typename S::all{});
    }
}
template <class T> static SLOW void turn_out(T* const* to, const T* from, long size) {
  typedef Square<T> S;
  for (int l = 0; l < LANES; l += S::SIDE)
    for (long e = 0; e < size; e += S::SIDE) {
      const long element = e + S::SIDE <= size ? e : size - S::SIDE;
      S square;
      square.read_turned(from + element * LANES + l, typename S::all{});
      square.template turn_from<1>();
      square.write(to + l, element, typename S::all{});
    }
}
