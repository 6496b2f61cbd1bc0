// Carries out instructions (`Code`) for a group of environments at a time: a row of words for each value, in which
// every environment has its own.  The text before this file gives W, the word, and CASES, the operations.
#pragma once
#include <stdlib.h>
#include <algorithm>
#include "denormals.h"
#include "ffi.h"
#include "scalars.h"

static constexpr long FIELDS = 5;  // of an instruction: operation, row of the result, and rows of three operands
static constexpr long MOST_LANES = 128, FEWEST_LANES = 16;  // environments of a group: multiples of the fewest
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

template <class T> static void read(const Argument& a, W* rows, const uint32_t* order, long lanes) {
  for (long l = 0; l < lanes; l++) {
    const T* own = (const T*)a.data + order[l] * a.step;
    for (long i = 0; i < a.reads; i++) rows[a.places[2 * i] * lanes + l] = to<T>(own[a.places[2 * i + 1]]);
  }
}
template <class T> static void write(const Result& r, const W* rows, const uint32_t* order, long lanes, long here) {
  for (long l = 0; l < here; l++) {
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

// A batch, whose groups threads take one by one; lanes that are missing in the last group repeat its last environment.
struct Work : Shared {
  Program p;
  uint32_t* order;  // of the environments
  long count, lanes, groups;
  std::atomic<long> next{0}, done{0};  // groups

  Work(const Program& p, const int32_t* kinds, long batch, long threads) : p(p) {
    order = (uint32_t*)malloc((batch + 1) * sizeof(uint32_t));
    enough_memory = order;
    count = order ? sort(order, kinds, batch) : 0;
    const long share = (batch + threads - 1) / threads, fitting = (share + FEWEST_LANES - 1) & -FEWEST_LANES;
    lanes = fitting < MOST_LANES ? fitting : MOST_LANES;
    groups = (count + lanes - 1) / lanes;
  }
  ~Work() { free(order); }

  W* rows_with_constants() const {
    const long words = (p.rows + p.constants_count) * lanes;
    W* rows = (W*)aligned_alloc(64, (words * sizeof(W) + 63) & -64L);
    if (!rows) return rows;
    std::fill(rows, rows + words, (W)0);
    for (long i = 0; i < p.constants_count; i++) std::fill_n(rows + (p.rows + i) * lanes, lanes, p.constants[i]);
    return rows;
  }
  void run(long group, W* rows) const {
    const long begin = group * lanes, here = count - begin < lanes ? count - begin : lanes;
    uint32_t places[MOST_LANES];
    for (long l = 0; l < lanes; l++) places[l] = order[begin + (l < here ? l : here - 1)];
    for (long i = 0; i < p.arguments_count; i++) {
      const Argument& one = p.arguments[i];
      WITH_TYPE(one.dtype, read<T>(one, rows, places, lanes))
    }
    play(p, rows, lanes);
    for (long i = 0; i < p.results_count; i++) {
      const Result& one = p.results[i];
      WITH_TYPE(one.dtype, write<T>(one, rows, places, lanes, here))
    }
  }
  void take() {
    W* rows = nullptr;
    for (long group; (group = next++) < groups; done++) {
      if (!rows) rows = rows_with_constants();
      if (!rows) { enough_memory = false; continue; }
      Denormals flushed;
      run(group, rows);
    }
    free(rows);
  }
  bool is_done() const { return done == groups; }
};

// Operands: instructions, constants, places of the arguments, rows of the results, for each argument how many of its
// elements are read, and whether every environment has its own; kinds, if there are; tables; arguments.
enum { LINES, CONSTANTS, PLACES, RESULTS, READS, VARYING, KNOWN };
static long elements(const XLA_FFI_Buffer* b, long from) {
  long count = 1;
  for (long axis = from; axis < b->rank; axis++) count *= b->dims[axis];
  return count;
}
template <class T> static const T* data(const XLA_FFI_CallFrame* frame, long i) { return (const T*)argument(frame, i)->data; }

extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* rlenv_emitted(XLA_FFI_CallFrame* frame) {
  if (tells_version(frame)) return nullptr;
  const long ordered = number(frame, "ordered"), tables_count = number(frame, "tables");
  const long first_table = KNOWN + ordered, first = first_table + tables_count;
  Program p = {};
  p.lines = data<int32_t>(frame, LINES), p.end = p.lines + elements(argument(frame, LINES), 0);
  p.constants = data<W>(frame, CONSTANTS), p.constants_count = elements(argument(frame, CONSTANTS), 0);
  p.rows = number(frame, "rows");
  p.arguments_count = frame->args.size - first, p.results_count = frame->rets.size;
  Argument* arguments = new (std::nothrow) Argument[p.arguments_count + 1];
  Result* results = new (std::nothrow) Result[p.results_count + 1];
  const void** tables = new (std::nothrow) const void*[tables_count + p.arguments_count + 1];  // arguments may be tables
  XLA_FFI_Error* error = nullptr;
  if (arguments && results && tables) {
    const int32_t *places = data<int32_t>(frame, PLACES), *rows = data<int32_t>(frame, RESULTS);
    const int32_t *reads = data<int32_t>(frame, READS), *varying = data<int32_t>(frame, VARYING);
    for (long i = 0; i < tables_count; i++) tables[i] = argument(frame, first_table + i)->data;
    for (long i = 0; i < p.arguments_count; places += 2 * reads[i], i++) {
      const XLA_FFI_Buffer* b = argument(frame, first + i);
      arguments[i] = {b->data, b->dtype, varying[i] ? elements(b, 1) : 0, places, reads[i]};
      tables[tables_count + i] = b->data;
    }
    for (long i = 0; i < p.results_count; rows += results[i].size, i++) {
      const XLA_FFI_Buffer* b = result(frame, i);
      results[i] = {b->data, b->dtype, elements(b, 1), rows};
    }
    p.arguments = arguments, p.results = results, p.tables = tables;
    const int32_t* kinds = ordered ? data<int32_t>(frame, KNOWN) : nullptr;
    const long batch = result(frame, 0)->dims[0], threads = number(frame, "threads", 1);
    Work* work = new (std::nothrow) Work(p, kinds, batch, threads);
    error = work ? finish(frame, work, threads < work->groups ? threads : work->groups) : fail(frame, "out of memory");
  } else {
    error = fail(frame, "out of memory");
  }
  delete[] arguments, delete[] results, delete[] tables;
  return error;
}
