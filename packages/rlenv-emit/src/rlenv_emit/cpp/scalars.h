// One lane: the meaning of every operation whose C form would differ from XLA's.  The vector forms must agree.
#pragma once
#if !defined(__CUDACC_RTC__) // which has no such files; gpu/device.h gives it what they have
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS // C's functions alone: C++'s of all types take a fifth of a second to read
#include <math.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <stdint.h>
#include <string.h>
#include <limits>
#include <type_traits>
#endif

typedef bool s_b1;
typedef int8_t s_i8;
typedef uint8_t s_u8;
typedef int16_t s_i16;
typedef uint16_t s_u16;
typedef int32_t s_i32;
typedef uint32_t s_u32;
typedef int64_t s_i64;
typedef uint64_t s_u64;
typedef float s_f32;
typedef double s_f64;

template <class T> struct bits_of { typedef std::make_unsigned_t<T> type; };
template <> struct bits_of<float> { typedef uint32_t type; };
template <> struct bits_of<double> { typedef uint64_t type; };
template <class T> using bits_t = typename bits_of<T>::type;
template <class T> constexpr bool is_float = std::is_floating_point_v<T>;
template <class T> constexpr int width = 8 * sizeof(T);
template <class T> struct twice_of;
template <> struct twice_of<int8_t> { typedef int16_t type; };
template <> struct twice_of<uint8_t> { typedef uint16_t type; };
template <> struct twice_of<int16_t> { typedef int32_t type; };
template <> struct twice_of<uint16_t> { typedef uint32_t type; };
template <> struct twice_of<int32_t> { typedef int64_t type; };
template <> struct twice_of<uint32_t> { typedef uint64_t type; };
template <> struct twice_of<int64_t> { typedef __int128 type; };
template <> struct twice_of<uint64_t> { typedef unsigned __int128 type; };

template <class To, class From> static inline To s_bitcast(From a) {
  static_assert(sizeof(To) == sizeof(From), "one width");
  To r;
  memcpy(&r, &a, sizeof r);
  return r;
}

// By bits: of two floats that are compared and chosen from, GCC makes the processor's minimum or maximum, which flushes.
// Without a choice between the bits, at which GCC 12 fails where one of the floats is kept in a loop.
template <class T> static inline T s_select(bool flag, T a, T b) {
  if constexpr (is_float<T>) {
    const bits_t<T> all = (bits_t<T>)(0 - (bits_t<T>)flag);
    return s_bitcast<T>((bits_t<T>)((s_bitcast<bits_t<T>>(a) & all) | (s_bitcast<bits_t<T>>(b) & ~all)));
  } else {
    return flag ? a : b;
  }
}

template <class T> static inline T s_table(const void* from, s_i32 index) { return ((const T*)from)[index]; }

// Without its sign; that of the smallest number is one more than that of the largest.
template <class T> static inline bits_t<T> s_size(T a) { return a < 0 ? (bits_t<T>)(0 - (bits_t<T>)a) : (bits_t<T>)a; }

// Division by zero gives all ones, the smallest number divided by -1 itself; the remainders follow.
template <class T> static inline T s_div(T a, T b) {
  if constexpr (is_float<T>) return a / b;
  else {
    if (b == 0) return (T)-1;
#ifndef __CUDACC__
    if constexpr (std::is_signed_v<T>) {  // GCC takes (-a) / b for -(a / b) where it has met a / b, also of the smallest a
      const bits_t<T> quotient = (bits_t<T>)(s_size(a) / s_size(b));
      return (T)((a < 0) == (b < 0) ? quotient : 0 - quotient);
    }
#endif
    if (std::is_signed_v<T> && b == (T)-1) return (T)(0 - (bits_t<T>)a);
    return (T)(a / b);
  }
}
template <class T> static inline T s_rem(T a, T b) {
  if constexpr (is_float<T>) {
    // A denormal number compares equal to zero; some versions of the C library look at its bits instead.
    if (b == 0) return std::numeric_limits<T>::quiet_NaN();
    return sizeof(T) == 4 ? (T)fmodf((float)a, (float)b) : (T)fmod((double)a, (double)b);
  } else {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == (T)-1) return 0;
    return (T)(a % b);
  }
}
template <class T> static inline T s_neg(T a) {
  if constexpr (is_float<T>) return s_bitcast<T>((bits_t<T>)(s_bitcast<bits_t<T>>(a) ^ (bits_t<T>)1 << (width<T> - 1)));
  else return (T)(0 - (bits_t<T>)a);
}
template <class T> static inline T s_abs(T a) {
  if constexpr (is_float<T>) return s_bitcast<T>((bits_t<T>)(s_bitcast<bits_t<T>>(a) << 1 >> 1));
  else return a < 0 ? (T)(0 - (bits_t<T>)a) : a;
}
// Denormal numbers count as zeros of their sign; what only chooses must see to that itself.
template <class T> static inline T s_flush(T a) {
  if constexpr (is_float<T>) {
    const bits_t<T> sign = (bits_t<T>)1 << (width<T> - 1);
    return s_abs(a) < std::numeric_limits<T>::min() ? s_bitcast<T>((bits_t<T>)(s_bitcast<bits_t<T>>(a) & sign)) : a;
  }
  return a;
}
// A NaN wins; -0 is less than +0.
template <class T> static inline T s_max(T a, T b) {
  a = s_flush(a), b = s_flush(b);
  if constexpr (is_float<T>) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return s_bitcast<T>((bits_t<T>)(s_bitcast<bits_t<T>>(a) & s_bitcast<bits_t<T>>(b)));
  }
  return a > b ? a : b;
}
template <class T> static inline T s_min(T a, T b) {
  a = s_flush(a), b = s_flush(b);
  if constexpr (is_float<T>) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return s_bitcast<T>((bits_t<T>)(s_bitcast<bits_t<T>>(a) | s_bitcast<bits_t<T>>(b)));
  }
  return a < b ? a : b;
}
// A distance of the width or more, or a negative one, leaves nothing of the number but its sign.
template <class T> static inline T s_shl(T a, T b) {
  return (bits_t<T>)b < width<T> ? (T)((bits_t<T>)a << (bits_t<T>)b) : (T)0;
}
template <class T> static inline T s_shr(T a, T b) {
  return (bits_t<T>)b < width<T> ? (T)((bits_t<T>)a >> (bits_t<T>)b) : (T)0;
}
template <class T> static inline T s_sar(T a, T b) {
  typedef std::make_signed_t<T> S;
  return (T)((S)a >> ((bits_t<T>)b < width<T> ? (bits_t<T>)b : width<T> - 1));
}
template <class T> static inline T s_sign(T a) {
  if constexpr (is_float<T>) return a != a || a == 0 ? s_flush(a) : a < 0 ? (T)-1 : (T)1;
  else return (T)((a > 0) - (a < 0));
}
template <class T> static inline T s_clz(T a) {
  bits_t<T> u = (bits_t<T>)a;
  return (T)(u == 0 ? width<T> : __builtin_clzll((unsigned long long)u) - (64 - width<T>));
}
template <class T> static inline T s_popcount(T a) { return (T)__builtin_popcountll((unsigned long long)(bits_t<T>)a); }
template <class T> static inline T s_mulhi(T a, T b) {
  typedef typename twice_of<T>::type W;
  return (T)(((W)a * (W)b) >> width<T>);
}
template <class T> static inline T s_sqrt(T a) { return sizeof(T) == 4 ? (T)sqrtf((float)a) : (T)sqrt((double)a); }
template <class T> static inline T s_floor(T a) { return a = s_flush(a), sizeof(T) == 4 ? (T)floorf((float)a) : (T)floor((double)a); }
template <class T> static inline T s_ceil(T a) { return a = s_flush(a), sizeof(T) == 4 ? (T)ceilf((float)a) : (T)ceil((double)a); }
template <class T> static inline T s_round(T a) { return sizeof(T) == 4 ? (T)roundf((float)a) : (T)round((double)a); }
template <class T> static inline T s_rint(T a) { return sizeof(T) == 4 ? (T)rintf((float)a) : (T)rint((double)a); }
// What XLA calls too.
template <class T> static inline T s_sin(T a) { return sizeof(T) == 4 ? (T)sinf((float)a) : (T)sin((double)a); }
template <class T> static inline T s_cos(T a) { return sizeof(T) == 4 ? (T)cosf((float)a) : (T)cos((double)a); }
// A denormal number compares equal to zero, as in the check that XLA's older symbol of the C library begins with.
template <class T> static inline T s_log(T a) { return a == 0 ? -std::numeric_limits<T>::infinity() : (T)log((double)a); }
template <class T> static inline T s_pow(T a, T b) {
  return sizeof(T) == 4 ? (T)powf((float)a, (float)b) : (T)pow((double)a, (double)b);
}
template <class T> static inline T s_fma(T a, T b, T c) {
  return sizeof(T) == 4 ? (T)fmaf((float)a, (float)b, (float)c) : (T)fma((double)a, (double)b, (double)c);
}
template <class T> static inline bool s_finite(T a) { return s_abs(a) <= std::numeric_limits<T>::max(); }

// From float to integer: towards zero, the nearest number that there is where it does not fit, 0 for NaN.
template <class To, class From> static inline To s_convert(From a) {
  if constexpr (is_float<From> && !is_float<To> && !std::is_same_v<To, bool>) {
    typedef std::numeric_limits<To> L;
    const From above = (From)2 * (From)(To)((bits_t<To>)1 << (width<To> - 1 - std::is_signed_v<To>)); // max + 1
    if (a != a) return 0;
    if (a >= above) return L::max();
    if (a < (From)L::min()) return L::min();
    return (To)a;
  }
  // Flushed by itself: GCC takes a float that is made wider and narrow again for what it was.
  if constexpr (is_float<From> && is_float<To>) return (To)(sizeof(To) > sizeof(From) ? s_flush(a) : a);
  return (To)a;
}
