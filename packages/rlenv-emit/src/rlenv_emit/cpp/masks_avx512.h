// Flags of sixteen lanes as the bits of a mask register.
#pragma once
#include <immintrin.h>
typedef uint16_t v_b1;

#define LOW(a) __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7)
#define HIGH(a) __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15)
#define COMPARE(T, NAME, CALL) \
  static inline v_b1 v_##NAME##_##T(v_##T a, v_##T b) { return CALL; }
#define COMPARE_INTEGERS(T, REGISTER, CALL)                                   \
  COMPARE(T, eq, (CALL((REGISTER)a, (REGISTER)b, _MM_CMPINT_EQ)))              \
  COMPARE(T, ne, (CALL((REGISTER)a, (REGISTER)b, _MM_CMPINT_NE)))              \
  COMPARE(T, lt, (CALL((REGISTER)a, (REGISTER)b, _MM_CMPINT_LT)))              \
  COMPARE(T, le, (CALL((REGISTER)a, (REGISTER)b, _MM_CMPINT_LE)))              \
  COMPARE(T, gt, (CALL((REGISTER)a, (REGISTER)b, _MM_CMPINT_NLE)))             \
  COMPARE(T, ge, (CALL((REGISTER)a, (REGISTER)b, _MM_CMPINT_NLT)))
#define HALVES_INTEGERS(T, CALL)                                              \
  COMPARE(T, eq, HALVES(__m512i, CALL, _MM_CMPINT_EQ))                        \
  COMPARE(T, ne, HALVES(__m512i, CALL, _MM_CMPINT_NE))                        \
  COMPARE(T, lt, HALVES(__m512i, CALL, _MM_CMPINT_LT))                        \
  COMPARE(T, le, HALVES(__m512i, CALL, _MM_CMPINT_LE))                        \
  COMPARE(T, gt, HALVES(__m512i, CALL, _MM_CMPINT_NLE))                       \
  COMPARE(T, ge, HALVES(__m512i, CALL, _MM_CMPINT_NLT))
// One instruction that reads eight flags of each: of eight that GCC 12 has put on the stack and widens to sixteen with
// `|`, it reads sixteen, so that the upper ones are whatever lay there.
#define HALVES(REGISTER, CALL, HOW) \
  _mm512_kunpackb(CALL((REGISTER)HIGH(a), (REGISTER)HIGH(b), HOW), CALL((REGISTER)LOW(a), (REGISTER)LOW(b), HOW))

COMPARE_INTEGERS(i8, __m128i, _mm_cmp_epi8_mask)
COMPARE_INTEGERS(u8, __m128i, _mm_cmp_epu8_mask)
COMPARE_INTEGERS(i16, __m256i, _mm256_cmp_epi16_mask)
COMPARE_INTEGERS(u16, __m256i, _mm256_cmp_epu16_mask)
COMPARE_INTEGERS(i32, __m512i, _mm512_cmp_epi32_mask)
COMPARE_INTEGERS(u32, __m512i, _mm512_cmp_epu32_mask)
HALVES_INTEGERS(i64, _mm512_cmp_epi64_mask)
HALVES_INTEGERS(u64, _mm512_cmp_epu64_mask)
#define COMPARE_FLOATS(NAME, HOW)                                                     \
  COMPARE(f32, NAME, (_mm512_cmp_ps_mask((__m512)a, (__m512)b, HOW)))                  \
  COMPARE(f64, NAME, HALVES(__m512d, _mm512_cmp_pd_mask, HOW))
COMPARE_FLOATS(eq, _CMP_EQ_OQ)
COMPARE_FLOATS(ne, _CMP_NEQ_UQ)
COMPARE_FLOATS(lt, _CMP_LT_OQ)
COMPARE_FLOATS(le, _CMP_LE_OQ)
COMPARE_FLOATS(gt, _CMP_GT_OQ)
COMPARE_FLOATS(ge, _CMP_GE_OQ)

#define SELECT(T, EXPRESSION) static inline v_##T v_select_##T(v_b1 m, v_##T a, v_##T b) { return (v_##T)(EXPRESSION); }
SELECT(i8, _mm_mask_blend_epi8(m, (__m128i)b, (__m128i)a))
SELECT(u8, _mm_mask_blend_epi8(m, (__m128i)b, (__m128i)a))
SELECT(i16, _mm256_mask_blend_epi16(m, (__m256i)b, (__m256i)a))
SELECT(u16, _mm256_mask_blend_epi16(m, (__m256i)b, (__m256i)a))
SELECT(i32, _mm512_mask_blend_epi32(m, (__m512i)b, (__m512i)a))
SELECT(u32, _mm512_mask_blend_epi32(m, (__m512i)b, (__m512i)a))
SELECT(f32, _mm512_mask_blend_ps(m, (__m512)b, (__m512)a))
#define SELECT_HALVES(T)                                                              \
  static inline v_##T v_select_##T(v_b1 m, v_##T a, v_##T b) {                         \
    union { __m512i half[2]; v_##T whole; } x = {.whole = a}, y = {.whole = b};        \
    x.half[0] = _mm512_mask_blend_epi64((__mmask8)m, y.half[0], x.half[0]);            \
    x.half[1] = _mm512_mask_blend_epi64((__mmask8)(m >> 8), y.half[1], x.half[1]);     \
    return x.whole;                                                                    \
  }
SELECT_HALVES(i64) SELECT_HALVES(u64) SELECT_HALVES(f64)
static inline v_b1 v_select_b1(v_b1 m, v_b1 a, v_b1 b) { return (v_b1)((m & a) | (~m & b)); }
static inline v_b1 v_splat_b1(bool a) { return (v_b1)-(int)a; }
static inline bool v_any(v_b1 m) { return m != 0; }
