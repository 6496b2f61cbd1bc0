// Flags of lanes as vectors of int32, 0 or -1.
#pragma once
typedef v_i32 v_b1;
typedef u_i32 u_b1;

#define COMPARE(T)                                                                                      \
  static inline v_b1 v_eq_##T(v_##T a, v_##T b) { return __builtin_convertvector(a == b, v_b1); }        \
  static inline v_b1 v_ne_##T(v_##T a, v_##T b) { return __builtin_convertvector(a != b, v_b1); }        \
  static inline v_b1 v_lt_##T(v_##T a, v_##T b) { return __builtin_convertvector(a < b, v_b1); }         \
  static inline v_b1 v_le_##T(v_##T a, v_##T b) { return __builtin_convertvector(a <= b, v_b1); }        \
  static inline v_b1 v_gt_##T(v_##T a, v_##T b) { return __builtin_convertvector(a > b, v_b1); }         \
  static inline v_b1 v_ge_##T(v_##T a, v_##T b) { return __builtin_convertvector(a >= b, v_b1); }
TYPES(COMPARE)

#define SELECT(T, M)                                                                                    \
  static inline v_##T v_select_##T(v_b1 m, v_##T a, v_##T b) { return __builtin_convertvector(m, v_##M) ? a : b; }
SELECT(i8, i8) SELECT(u8, i8) SELECT(i16, i16) SELECT(u16, i16) SELECT(i32, i32) SELECT(u32, i32)
SELECT(i64, i64) SELECT(u64, i64)
// By bits, as in scalars.h.
#define SELECT_BITS(T, M)                                               \
  static inline v_##T v_select_##T(v_b1 m, v_##T a, v_##T b) {          \
    const v_##M all = __builtin_convertvector(m, v_##M);                \
    return (v_##T)(((v_##M)a & all) | ((v_##M)b & ~all));               \
  }
SELECT_BITS(f32, i32) SELECT_BITS(f64, i64)
static inline v_b1 v_select_b1(v_b1 m, v_b1 a, v_b1 b) { return (m & a) | (~m & b); }
static inline v_b1 v_splat_b1(bool a) { return v_b1{} - (int)a; }

static inline bool v_any(v_b1 m) {
  int r = 0;
  EACH r |= m[l];
  return r != 0;
}
