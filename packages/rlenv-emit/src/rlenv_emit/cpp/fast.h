// Operations for which a processor has an instruction; everything else goes lane by lane.
#pragma once
#define LANE_BY_LANE(T)                                                               \
  static inline v_##T v_table_##T(const void* from, v_i32 index) { return lanes_table_##T(from, index); }
LANE_BY_LANE(i8) LANE_BY_LANE(u8) LANE_BY_LANE(i16) LANE_BY_LANE(u16) LANE_BY_LANE(i64) LANE_BY_LANE(u64)
LANE_BY_LANE(f64) LANE_BY_LANE(b1)
#define PLAIN(NAME, T) static inline v_##T v_##NAME##_##T(v_##T a) { return lanes_##NAME##_##T(a); }
#define PLAIN_TWO(NAME, T) static inline v_##T v_##NAME##_##T(v_##T a, v_##T b) { return lanes_##NAME##_##T(a, b); }
#define PLAIN_CONVERT(R, T) static inline v_##R v_convert_##R##_##T(v_##T a) { return lanes_convert_##R##_##T(a); }
#define PLAIN_COUNTS(T) PLAIN(clz, T) PLAIN(popcount, T) PLAIN_TWO(mulhi, T)
PLAIN_COUNTS(i8) PLAIN_COUNTS(u8) PLAIN_COUNTS(i16) PLAIN_COUNTS(u16) PLAIN_COUNTS(i64) PLAIN_COUNTS(u64)
PLAIN_TWO(mulhi, i32)
#define PLAIN_FLOATS(T) PLAIN(round, T) PLAIN(sin, T) PLAIN(cos, T) PLAIN_TWO(pow, T)
PLAIN_FLOATS(f32) PLAIN_FLOATS(f64)
PLAIN(log, f64)
PLAIN(sqrt, f64) PLAIN(floor, f64) PLAIN(ceil, f64) PLAIN(rint, f64)
#define PLAIN_FROM(R) PLAIN_CONVERT(R, f64)
INTEGERS(PLAIN_FROM)
PLAIN_CONVERT(i8, f32) PLAIN_CONVERT(u8, f32) PLAIN_CONVERT(i16, f32) PLAIN_CONVERT(u16, f32) PLAIN_CONVERT(u32, f32)
PLAIN_CONVERT(i64, f32) PLAIN_CONVERT(u64, f32)

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && LANES == 16
static inline v_i32 v_table_i32(const void* from, v_i32 i) { return (v_i32)_mm512_i32gather_epi32((__m512i)i, from, 4); }
static inline v_u32 v_table_u32(const void* from, v_i32 i) { return (v_u32)_mm512_i32gather_epi32((__m512i)i, from, 4); }
static inline v_f32 v_table_f32(const void* from, v_i32 i) { return (v_f32)_mm512_i32gather_ps((__m512i)i, from, 4); }
// A table of few entries is permuted in registers, which is faster than a gather; low bits of the index count.
template <int N> static inline __m512i few_entries(const int32_t* from, __m512i i) {
  if constexpr (N <= 16) {
    return _mm512_permutexvar_epi32(i, _mm512_maskz_loadu_epi32((__mmask16)((1u << N) - 1), from));
  } else if constexpr (N <= 32) {
    const __m512i rest = _mm512_maskz_loadu_epi32((__mmask16)((1u << (N - 16)) - 1), from + 16);
    return _mm512_permutex2var_epi32(_mm512_loadu_si512(from), i, rest);
  } else {
    constexpr int HALF = N <= 64 ? 32 : 64;
    const __mmask16 above = _mm512_test_epi32_mask(i, _mm512_set1_epi32(HALF));
    return _mm512_mask_blend_epi32(above, few_entries<HALF>(from, i), few_entries<N - HALF>(from + HALF, i));
  }
}
#define FEW(T)                                                                  \
  template <int N> static inline v_##T v_few_##T(const void* from, v_i32 i) {   \
    return (v_##T)few_entries<N>((const int32_t*)from, (__m512i)i);             \
  }
FEW(i32) FEW(u32) FEW(f32)
static inline v_i32 v_clz_i32(v_i32 a) { return (v_i32)_mm512_lzcnt_epi32((__m512i)a); }
static inline v_u32 v_clz_u32(v_u32 a) { return (v_u32)_mm512_lzcnt_epi32((__m512i)a); }
static inline v_u32 v_popcount_u32(v_u32 a) {  // of half bytes by a table; then the four bytes of a lane are added
  const __m512i table = _mm512_set4_epi32(0x04030302, 0x03020201, 0x03020201, 0x02010100), half = _mm512_set1_epi8(15);
  const __m512i low = _mm512_and_si512((__m512i)a, half), high = _mm512_and_si512(_mm512_srli_epi16((__m512i)a, 4), half);
  const __m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(table, low), _mm512_shuffle_epi8(table, high));
  return (v_u32)_mm512_madd_epi16(_mm512_maddubs_epi16(bytes, _mm512_set1_epi8(1)), _mm512_set1_epi16(1));
}
static inline v_i32 v_popcount_i32(v_i32 a) { return (v_i32)v_popcount_u32((v_u32)a); }
static inline v_f32 v_fma_f32(v_f32 a, v_f32 b, v_f32 c) { return (v_f32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
static inline v_f32 v_sqrt_f32(v_f32 a) { return (v_f32)_mm512_sqrt_ps((__m512)a); }
static inline v_f32 v_floor_f32(v_f32 a) { return (v_f32)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
static inline v_f32 v_ceil_f32(v_f32 a) { return (v_f32)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
static inline v_f32 v_rint_f32(v_f32 a) { return (v_f32)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline v_u32 v_mulhi_u32(v_u32 a, v_u32 b) {
  const __m512i x = (__m512i)a, y = (__m512i)b;
  const __m512i even = _mm512_mul_epu32(x, y);
  const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(y, 32));
  return (v_u32)_mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 32), odd);
}
static inline v_i32 v_convert_i32_f32(v_f32 a) {
  const v_i32 r = (v_i32)_mm512_cvttps_epi32((__m512)a); // the smallest number where it does not fit
  const v_i32 high = v_select_i32(v_ge_f32(a, v_splat_f32(2147483648.0f)), v_splat_i32(2147483647), r);
  return v_select_i32(v_ne_f32(a, a), v_i32{}, high);
}
#else
LANE_BY_LANE(i32) LANE_BY_LANE(u32) LANE_BY_LANE(f32)
#define FEW(T) \
  template <int N> static inline v_##T v_few_##T(const void* from, v_i32 i) { return v_table_##T(from, i); }
FEW(i32) FEW(u32) FEW(f32)
PLAIN(clz, i32) PLAIN(clz, u32) PLAIN(popcount, i32) PLAIN(popcount, u32)
PLAIN(sqrt, f32) PLAIN(floor, f32) PLAIN(ceil, f32) PLAIN(rint, f32)
PLAIN_TWO(mulhi, u32)
PLAIN_CONVERT(i32, f32)
#if defined(__FMA__) && LANES == 8
#if !defined(__has_builtin)
#define __has_builtin(NAME) 0
#endif
#if __has_builtin(__builtin_elementwise_fma)
static inline v_f32 v_fma_f32(v_f32 a, v_f32 b, v_f32 c) { return __builtin_elementwise_fma(a, b, c); }
#else // GCC's; immintrin.h, which has a name for it, takes a second to read
static inline v_f32 v_fma_f32(v_f32 a, v_f32 b, v_f32 c) { return __builtin_ia32_vfmaddps256(a, b, c); }
#endif
#else
static inline v_f32 v_fma_f32(v_f32 a, v_f32 b, v_f32 c) { return lanes_fma_f32(a, b, c); }
#endif
#endif
