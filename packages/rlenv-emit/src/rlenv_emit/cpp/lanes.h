// LANES lanes side by side.  What has no form of its own here goes lane by lane through scalars.h.
#pragma once
#include "scalars.h"

#define SLOW __attribute__((noinline)) // once in an object, however often it is used
#define EACH for (int l = 0; l < LANES; l++)
#define TYPES(F) F(i8) F(u8) F(i16) F(u16) F(i32) F(u32) F(i64) F(u64) F(f32) F(f64)
#define INTEGERS(F) F(i8) F(u8) F(i16) F(u16) F(i32) F(u32) F(i64) F(u64)
#define SIGNED(F) F(i8) F(i16) F(i32) F(i64) F(f32) F(f64)
#define FLOATS(F) F(f32) F(f64)
#define PAIRS(F, T) F(T, i8) F(T, u8) F(T, i16) F(T, u16) F(T, i32) F(T, u32) F(T, i64) F(T, u64) F(T, f32) F(T, f64)

#define VECTOR(T)                                                                     \
  typedef s_##T v_##T __attribute__((vector_size(sizeof(s_##T) * LANES)));             \
  typedef v_##T u_##T __attribute__((aligned(sizeof(s_##T)), may_alias));
TYPES(VECTOR)

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && LANES == 16
#include "masks_avx512.h"
#else
#include "masks_plain.h"
#endif

#if LANES == 16
#define ALL(a) {a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a}
#elif LANES == 8
#define ALL(a) {a, a, a, a, a, a, a, a}
#else
#define ALL(a) {a, a, a, a}
#endif
#define SPLAT(T) static inline v_##T v_splat_##T(s_##T a) { return (v_##T)ALL(a); }
TYPES(SPLAT)

// --- lane by lane ----------------------------------------------------------------------------------------------------

#define ONE(NAME, T)                                                                 \
  static SLOW v_##T lanes_##NAME##_##T(v_##T a) {                                   \
    v_##T r;                                                                          \
    EACH r[l] = s_##NAME<s_##T>(a[l]);                                                \
    return r;                                                                         \
  }
#define TWO(NAME, T)                                                                 \
  static SLOW v_##T lanes_##NAME##_##T(v_##T a, v_##T b) {                          \
    v_##T r;                                                                          \
    EACH r[l] = s_##NAME<s_##T>(a[l], b[l]);                                          \
    return r;                                                                         \
  }
#define ON_INTEGERS(T) TWO(div, T) TWO(rem, T) TWO(mulhi, T) ONE(clz, T) ONE(popcount, T)
INTEGERS(ON_INTEGERS)
#define ON_FLOATS(T) TWO(rem, T) ONE(sqrt, T) ONE(floor, T) ONE(ceil, T) ONE(round, T) ONE(rint, T) \
  ONE(sin, T) ONE(cos, T) TWO(pow, T)
FLOATS(ON_FLOATS)
ONE(log, f64)
static SLOW v_f32 lanes_fma_f32(v_f32 a, v_f32 b, v_f32 c) {
  v_f32 r;
  EACH r[l] = s_fma<s_f32>(a[l], b[l], c[l]);
  return r;
}
#define CONVERT_LANES(R, T)                                                          \
  static SLOW v_##R lanes_convert_##R##_##T(v_##T a) {                              \
    v_##R r;                                                                          \
    EACH r[l] = s_convert<s_##R, s_##T>(a[l]);                                        \
    return r;                                                                         \
  }
#define TO_INTEGERS(T) PAIRS_OF_FLOATS(T)
#define PAIRS_OF_FLOATS(R) CONVERT_LANES(R, f32) CONVERT_LANES(R, f64)
INTEGERS(TO_INTEGERS)

// --- as vectors ------------------------------------------------------------------------------------------------------

#define BITCAST(R, T) static inline v_##R v_bitcast_##R##_##T(v_##T a) { return (v_##R)a; }
BITCAST(f32, i32) BITCAST(f32, u32) BITCAST(i32, f32) BITCAST(u32, f32)
BITCAST(f64, i64) BITCAST(f64, u64) BITCAST(i64, f64) BITCAST(u64, f64)
BITCAST(i8, u8) BITCAST(u8, i8) BITCAST(i16, u16) BITCAST(u16, i16) BITCAST(i32, u32) BITCAST(u32, i32)
BITCAST(i64, u64) BITCAST(u64, i64)
#define BITS(R, T, U) typedef v_##U w_##T;
BITS(, i8, u8) BITS(, u8, u8) BITS(, i16, u16) BITS(, u16, u16) BITS(, i32, u32) BITS(, u32, u32)
BITS(, i64, u64) BITS(, u64, u64) BITS(, f32, u32) BITS(, f64, u64)
#define SIGNS(T, U) typedef v_##U z_##T;
SIGNS(i8, i8) SIGNS(u8, i8) SIGNS(i16, i16) SIGNS(u16, i16) SIGNS(i32, i32) SIGNS(u32, i32) SIGNS(i64, i64) SIGNS(u64, i64)

#define VECTOR_CONVERT(R, T) static inline v_##R v_convert_##R##_##T(v_##T a) { return __builtin_convertvector(a, v_##R); }
#define FROM_INTEGERS(R)                                                             \
  VECTOR_CONVERT(R, i8) VECTOR_CONVERT(R, u8) VECTOR_CONVERT(R, i16) VECTOR_CONVERT(R, u16) VECTOR_CONVERT(R, i32) \
  VECTOR_CONVERT(R, u32) VECTOR_CONVERT(R, i64) VECTOR_CONVERT(R, u64)                \
  static inline v_##R v_convert_##R##_b1(v_b1 a) { return v_select_##R(a, v_splat_##R(1), v_splat_##R(0)); }
TYPES(FROM_INTEGERS)
VECTOR_CONVERT(f32, f64)

#define SHIFTS(T)                                                                    \
  static inline v_##T v_shl_##T(v_##T a, v_##T b) {                                   \
    const w_##T d = (w_##T)b;                                                         \
    return v_select_##T(v_lt_bits_##T(d, width<s_##T>), (v_##T)((w_##T)a << (d & (width<s_##T> - 1))), v_##T{}); \
  }                                                                                   \
  static inline v_##T v_shr_##T(v_##T a, v_##T b) {                                   \
    const w_##T d = (w_##T)b;                                                         \
    return v_select_##T(v_lt_bits_##T(d, width<s_##T>), (v_##T)((w_##T)a >> (d & (width<s_##T> - 1))), v_##T{}); \
  }                                                                                   \
  static inline v_##T v_sar_##T(v_##T a, v_##T b) {                                   \
    const w_##T d = (w_##T)b, most = w_##T{} + (width<s_##T> - 1);                    \
    return (v_##T)((z_##T)a >> (z_##T)(d < most ? d : most));                         \
  }
#define LESS_BITS(T, U) \
  static inline v_b1 v_lt_bits_##T(w_##T d, int most) { return v_lt_##U(d, w_##T{} + (s_##U)most); }
LESS_BITS(i8, u8) LESS_BITS(u8, u8) LESS_BITS(i16, u16) LESS_BITS(u16, u16) LESS_BITS(i32, u32) LESS_BITS(u32, u32)
LESS_BITS(i64, u64) LESS_BITS(u64, u64)
INTEGERS(SHIFTS)

#define INTEGER_ORDER(T)                                                             \
  static inline v_##T v_max_##T(v_##T a, v_##T b) { return a > b ? a : b; }           \
  static inline v_##T v_min_##T(v_##T a, v_##T b) { return a < b ? a : b; }           \
  static inline v_##T v_sign_##T(v_##T a) {                                           \
    return v_select_##T(v_gt_##T(a, v_##T{}), v_splat_##T(1), v_select_##T(v_lt_##T(a, v_##T{}), v_splat_##T(-1), v_##T{})); \
  }
INTEGERS(INTEGER_ORDER)
#define INTEGER_ABS(T) static inline v_##T v_abs_##T(v_##T a) { return a < 0 ? -a : a; }
INTEGER_ABS(i8) INTEGER_ABS(i16) INTEGER_ABS(i32) INTEGER_ABS(i64)
#define FLOAT_ORDER(T)                                                               \
  static inline v_##T v_abs_##T(v_##T a) { return (v_##T)((w_##T)a << 1 >> 1); }      \
  static inline v_##T v_flush_##T(v_##T a) {                                          \
    const v_##T zero = (v_##T)((w_##T)a >> (width<s_##T> - 1) << (width<s_##T> - 1)); \
    return v_select_##T(v_lt_##T(v_abs_##T(a), v_splat_##T(std::numeric_limits<s_##T>::min())), zero, a); \
  }                                                                                   \
  static inline v_##T v_max_##T(v_##T a, v_##T b) {                                   \
    a = v_flush_##T(a), b = v_flush_##T(b);                                           \
    const v_##T both = (v_##T)((w_##T)a & (w_##T)b);                                  \
    v_##T r = v_select_##T(v_gt_##T(a, b), a, v_select_##T(v_eq_##T(a, b), both, b)); \
    return v_select_##T(v_ne_##T(a, a), a, r);                                        \
  }                                                                                   \
  static inline v_##T v_min_##T(v_##T a, v_##T b) {                                   \
    a = v_flush_##T(a), b = v_flush_##T(b);                                           \
    const v_##T both = (v_##T)((w_##T)a | (w_##T)b);                                  \
    v_##T r = v_select_##T(v_lt_##T(a, b), a, v_select_##T(v_eq_##T(a, b), both, b)); \
    return v_select_##T(v_ne_##T(a, a), a, r);                                        \
  }                                                                                   \
  static inline v_b1 v_finite_##T(v_##T a) {                                          \
    return v_le_##T(v_abs_##T(a), v_splat_##T(std::numeric_limits<s_##T>::max()));    \
  }                                                                                   \
  static inline v_##T v_sign_##T(v_##T a) {                                           \
    const v_##T one = v_splat_##T(1), r = v_select_##T(v_lt_##T(a, v_##T{}), -one, v_flush_##T(a)); \
    return v_select_##T(v_gt_##T(a, v_##T{}), one, r);                                \
  }
FLOATS(FLOAT_ORDER)
// Flushed by itself: GCC takes a float that is made wider and narrow again for what it was.
static inline v_f64 v_convert_f64_f32(v_f32 a) { return __builtin_convertvector(v_flush_f32(a), v_f64); }

// By a known number that is neither 0 nor -1; of the sizes, because of GCC (see `s_div`).
#define QUOTIENT(T)                                                                  \
  static inline v_##T v_quotient_##T(v_##T a, s_##T b) {                              \
    const w_##T sign = (w_##T)(a < 0);                                                \
    const w_##T quotient = (((w_##T)a ^ sign) - sign) / s_size(b);                    \
    const w_##T other = b < 0 ? ~sign : sign;                                         \
    return (v_##T)((quotient ^ other) - other);                                       \
  }
QUOTIENT(i8) QUOTIENT(i16) QUOTIENT(i32) QUOTIENT(i64)

// Quotients of 32 bits by double precision, which is exact for them.
#define DIVIDE(T, LIMIT)                                                             \
  static inline v_##T v_div_##T(v_##T a, v_##T b) {                                   \
    const v_b1 none = v_eq_##T(b, v_##T{});                                           \
    const v_##T by = v_select_##T(none, v_splat_##T(1), b);                           \
    const v_##T q = __builtin_convertvector(                                          \
        __builtin_convertvector(__builtin_convertvector(a, v_f64) / __builtin_convertvector(by, v_f64), v_i64), v_##T); \
    return v_select_##T(none, v_splat_##T(-1), q);                                    \
  }                                                                                   \
  static inline v_##T v_rem_##T(v_##T a, v_##T b) {                                   \
    return v_select_##T(v_eq_##T(b, v_##T{}), a, a - v_div_##T(a, b) * b);            \
  }
#ifdef __AVX512DQ__
DIVIDE(i32, ) DIVIDE(u32, )
#else
#define v_div_i32 lanes_div_i32
#define v_div_u32 lanes_div_u32
#define v_rem_i32 lanes_rem_i32
#define v_rem_u32 lanes_rem_u32
#endif
#define v_div_i8 lanes_div_i8
#define v_div_u8 lanes_div_u8
#define v_div_i16 lanes_div_i16
#define v_div_u16 lanes_div_u16
#define v_div_i64 lanes_div_i64
#define v_div_u64 lanes_div_u64
#define v_rem_i8 lanes_rem_i8
#define v_rem_u8 lanes_rem_u8
#define v_rem_i16 lanes_rem_i16
#define v_rem_u16 lanes_rem_u16
#define v_rem_i64 lanes_rem_i64
#define v_rem_u64 lanes_rem_u64
#define v_rem_f32 lanes_rem_f32
#define v_rem_f64 lanes_rem_f64

// --- memory ----------------------------------------------------------------------------------------------------------
// An array of a lane has `size` elements; those of one lane lie together, but for large arrays, which `entry.h` turns
// first: all lanes of an element lie together.

#define TURNED(size, bytes) ((size) >= LANES && (bytes) >= 4)
#define MEMORY(T)                                                                    \
  static inline v_##T v_load_##T(const void* from, long group, long size, long element) { \
    if (TURNED(size, sizeof(s_##T))) return ((const v_##T*)from)[element];            \
    const s_##T* p = (const s_##T*)from + group * LANES * size + element;             \
    if (size == 1) return *(const u_##T*)p;                                           \
    v_##T r;                                                                          \
    EACH r[l] = p[l * size];                                                          \
    return r;                                                                         \
  }                                                                                   \
  static inline void v_store_##T(void* to, long group, long size, long element, v_##T a) { \
    s_##T* p = (s_##T*)to + group * LANES * size + element;                           \
    if (TURNED(size, sizeof(s_##T))) ((v_##T*)to)[element] = a;                       \
    else if (size == 1) *(u_##T*)p = a;                                               \
    else EACH p[l * size] = a[l];                                                     \
  }                                                                                   \
  static SLOW v_##T lanes_table_##T(const void* from, v_i32 index) {                \
    v_##T r;                                                                          \
    EACH r[l] = ((const s_##T*)from)[index[l]];                                       \
    return r;                                                                         \
  }
TYPES(MEMORY)
static inline v_b1 v_load_b1(const void* from, long group, long size, long element) {
  return v_ne_u8(v_load_u8(from, group, size, element), v_u8{});
}
static inline void v_store_b1(void* to, long group, long size, long element, v_b1 a) {
  v_store_u8(to, group, size, element, v_convert_u8_b1(a));
}
static SLOW v_b1 lanes_table_b1(const void* from, v_i32 index) {
  return v_ne_u8(lanes_table_u8(from, index), v_u8{});
}
#include "fast.h"
