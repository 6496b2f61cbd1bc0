// Carries out instructions (`Code`) for a group of environments at a time: a row of words for each value, in which
// every environment has its own.  The text before this file gives W, the word, and CASES, the operations.
#pragma once
#include <stdlib.h>
#include <algorithm>
#include "denormals.h"
#include "ffi.h"
#include "scalars.h"

static constexpr long FIELDS = 5;  // of an instruction: operation, row of the result, and rows of three operands
static constexpr long MOST_LANES = 64, FEWEST_LANES = 16;  // environments of a group: multiples of the fewest
enum { JUMP, BRANCH };
#define EACH _Pragma("GCC ivdep") for (long l = 0; l < lanes; l++)

// Integers and flags are words by their values, floats by their bits.
template <class T> static inline T from(W word) {
  if constexpr (std::is_same_v<T, bool>) return word != 0;
  else if constexpr (is_float<T>) return s_bitcast<T>((bits_t<T>)word);
  else return (T)word;
}
template <class T> static inline W to(T number) {
  if constexpr (is_float<T>) return (W)s_bitcast<bits_t<T>>(number);
  else return (W)number;
}

struct Argument {
  const void* data;
  XLA_FFI_DataType dtype;
  long step;  // elements from one environment to the next; 0 where they share it
  const int32_t* places;  // pairs: a row, and the element that lies there
  long reads;
};
struct Result {
  void* data;
  XLA_FFI_DataType dtype;
  long size;  // elements of an environment
  const int32_t* rows;
};
struct Program {
  const int32_t *lines, *end;
  const W* constants;  // lie in the last rows
  long rows, constants_count, arguments_count, results_count;
  const Argument* arguments;
  const Result* results;
  const void* const* tables;
};

template <class T> static void take(const Argument& a, W* rows, const uint32_t* order, long lanes) {
  for (long l = 0; l < lanes; l++) {
    const T* own = (const T*)a.data + order[l] * a.step;
    for (long i = 0; i < a.reads; i++) rows[a.places[2 * i] * lanes + l] = to<T>(own[a.places[2 * i + 1]]);
  }
}
template <class T> static void give(const Result& r, const W* rows, const uint32_t* order, long lanes, long first) {
  for (long l = 0; l < first; l++) {
    T* own = (T*)r.data + order[l] * r.size;
    for (long i = 0; i < r.size; i++) own[i] = from<T>(rows[r.rows[i] * lanes + l]);
  }
}
#define WITH_TYPE(DTYPE, CALL)                             \
  switch (DTYPE) {                                         \
    case XLA_FFI_DataType_PRED: { typedef bool T; CALL; } break;      \
    case XLA_FFI_DataType_S8: { typedef int8_t T; CALL; } break;      \
    case XLA_FFI_DataType_U8: { typedef uint8_t T; CALL; } break;     \
    case XLA_FFI_DataType_S16: { typedef int16_t T; CALL; } break;    \
    case XLA_FFI_DataType_U16: { typedef uint16_t T; CALL; } break;   \
    case XLA_FFI_DataType_S32: { typedef int32_t T; CALL; } break;    \
    case XLA_FFI_DataType_U32: { typedef uint32_t T; CALL; } break;   \
    case XLA_FFI_DataType_S64: { typedef int64_t T; CALL; } break;    \
    case XLA_FFI_DataType_U64: { typedef uint64_t T; CALL; } break;   \
    case XLA_FFI_DataType_F32: { typedef float T; CALL; } break;      \
    case XLA_FFI_DataType_F64: { typedef double T; CALL; } break;     \
    default: break;                                        \
  }

// All instructions, for one group.
static void play(const Program& p, W* rows, const long all) {
  const long lanes = all & -FEWEST_LANES;  // so that no loop has a rest
  for (const int32_t* line = p.lines; line < p.end; line += FIELDS) {
    W* r = rows + line[1] * lanes;
    const W *a = rows + line[2] * lanes, *b = rows + line[3] * lanes, *c = rows + line[4] * lanes;
    switch (line[0]) {
      case BRANCH:
        if (a[0]) break;
        [[fallthrough]];
      case JUMP:
        line = p.lines + (line[3] - 1) * FIELDS;
        break;
      CASES
    }
  }
}

// Environments in the order of their kinds, those of a negative kind left out; how many are left.
static long sort(uint32_t* order, const int32_t* kinds, long batch) {
  long count = 0;
  for (long e = 0; e < batch; e++)
    if (!kinds || kinds[e] >= 0) order[count++] = (uint32_t)e;
  if (kinds) std::stable_sort(order, order + count, [=](uint32_t a, uint32_t b) { return kinds[a] < kinds[b]; });
  return count;
}

// A whole batch; lanes that are missing in the last group repeat its last environment.  Whether there was enough memory.
static bool run(const Program& p, const int32_t* kinds, long batch) {
  const long fitting = (batch + FEWEST_LANES - 1) & -FEWEST_LANES, lanes = fitting < MOST_LANES ? fitting : MOST_LANES;
  const long words = (p.rows + p.constants_count) * lanes;
  uint32_t* order = (uint32_t*)malloc((batch + 1) * sizeof(uint32_t));
  W* rows = (W*)aligned_alloc(64, (words * sizeof(W) + 64) & -64L);
  const bool enough = order && rows;
  if (enough) {
    Denormals flushed;
    std::fill(rows, rows + words, (W)0);
    for (long i = 0; i < p.constants_count; i++) std::fill_n(rows + (p.rows + i) * lanes, lanes, p.constants[i]);
    const long count = sort(order, kinds, batch);
    for (long begin = 0; begin < count; begin += lanes) {
      const long here = count - begin < lanes ? count - begin : lanes;
      uint32_t places[MOST_LANES];
      for (long l = 0; l < lanes; l++) places[l] = order[begin + (l < here ? l : here - 1)];
      for (long i = 0; i < p.arguments_count; i++) {
        const Argument& one = p.arguments[i];
        WITH_TYPE(one.dtype, take<T>(one, rows, places, lanes))
      }
      play(p, rows, lanes);
      for (long i = 0; i < p.results_count; i++) {
        const Result& one = p.results[i];
        WITH_TYPE(one.dtype, give<T>(one, rows, places, lanes, here))
      }
    }
  }
  free(order), free(rows);
  return enough;
}

// Operands: instructions, constants, places of the arguments, rows of the results, for each argument how many of its
// elements are read, and whether every environment has its own; kinds, if there are; tables; arguments.
enum { LINES, CONSTANTS, PLACES, RESULTS, READS, VARYING, KNOWN };
static const XLA_FFI_Buffer* buffer(const XLA_FFI_CallFrame* frame, long i) { return (const XLA_FFI_Buffer*)frame->args.args[i]; }
static long elements(const XLA_FFI_Buffer* b, long from) {
  long count = 1;
  for (long axis = from; axis < b->rank; axis++) count *= b->dims[axis];
  return count;
}
static long attribute(const XLA_FFI_CallFrame* frame, const char* name) {
  for (long i = 0; i < frame->attrs.size; i++) {
    const XLA_FFI_ByteSpan* own = frame->attrs.names[i];
    if (own->len == strlen(name) && !memcmp(own->ptr, name, own->len))
      return (long)*(const int64_t*)((const XLA_FFI_Scalar*)frame->attrs.attrs[i])->value;
  }
  return 0;
}

extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* rlenv_emitted(XLA_FFI_CallFrame* frame) {
  if (tells_version(frame)) return nullptr;
  const long ordered = attribute(frame, "ordered"), tables_count = attribute(frame, "tables");
  const long first_table = KNOWN + ordered, first_argument = first_table + tables_count;
  Program p = {};
  p.arguments_count = frame->args.size - first_argument;
  p.results_count = frame->rets.size;
  p.rows = attribute(frame, "rows");
  p.lines = (const int32_t*)buffer(frame, LINES)->data;
  p.end = p.lines + elements(buffer(frame, LINES), 0);
  p.constants = (const W*)buffer(frame, CONSTANTS)->data;
  p.constants_count = elements(buffer(frame, CONSTANTS), 0);
  Argument* arguments = new (std::nothrow) Argument[p.arguments_count + 1];
  Result* results = new (std::nothrow) Result[p.results_count + 1];
  const void** tables = new (std::nothrow) const void*[tables_count + p.arguments_count + 1];  // arguments may be tables
  bool enough = arguments && results && tables;
  if (enough) {
    const int32_t *places = (const int32_t*)buffer(frame, PLACES)->data, *rows = (const int32_t*)buffer(frame, RESULTS)->data;
    const int32_t *reads = (const int32_t*)buffer(frame, READS)->data, *varying = (const int32_t*)buffer(frame, VARYING)->data;
    for (long i = 0; i < tables_count; i++) tables[i] = buffer(frame, first_table + i)->data;
    for (long i = 0; i < p.arguments_count; i++) {
      const XLA_FFI_Buffer* b = buffer(frame, first_argument + i);
      arguments[i] = {b->data, b->dtype, varying[i] ? elements(b, 1) : 0, places, reads[i]};
      tables[tables_count + i] = b->data;
      places += 2 * reads[i];
    }
    long batch = 0;
    for (long i = 0; i < p.results_count; i++) {
      const XLA_FFI_Buffer* b = (const XLA_FFI_Buffer*)frame->rets.rets[i];
      results[i] = {b->data, b->dtype, elements(b, 1), rows};
      rows += results[i].size;
      batch = b->dims[0];
    }
    p.arguments = arguments, p.results = results, p.tables = tables;
    enough = run(p, ordered ? (const int32_t*)buffer(frame, first_table - 1)->data : nullptr, batch);
  }
  delete[] arguments, delete[] results, delete[] tables;
  return enough ? nullptr : fail(frame, "out of memory");
}
