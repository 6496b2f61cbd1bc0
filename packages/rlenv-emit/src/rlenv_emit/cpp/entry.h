// What XLA calls: cuts a batch into groups of LANES, pads the last one, and shares the groups among threads.
#pragma once
#include <stdlib.h>
#include "denormals.h"
#include "ffi.h"
#include "turn.h"

// Several compilers may share a file: each has the parts of its unit, and the first one what follows here.
#ifndef UNITS
#define UNITS 1
#define UNIT 0
#endif
#define OF_UNIT(part) ((part) % UNITS == UNIT)

struct array { bool varying; long size; long bytes; };  // elements of a lane, bytes of an element
struct call { const void* in[INPUTS + 1]; void* out[OUTPUTS + 1]; };

#if OF_UNIT(0)
static void run_group(const call* c, long group);
extern const array inputs[INPUTS + 1], outputs[OUTPUTS + 1];

static inline bool is_turned(const array& a) { return a.varying && TURNED(a.size, a.bytes); }

// Places for the arrays of one group.
class Group {
  char* memory = nullptr;
  static long room(const array& a) { return (a.size * a.bytes * LANES + 63) & ~63L; }
  static void copy(char* to, const char* from, long bytes) {
    if (bytes == 4) *(uint32_t*)to = *(const uint32_t*)from;
    else memcpy(to, from, bytes);
  }

 public:
  call places;
  explicit Group(const call* c) : places(*c) {
    long need = 64;
    for (int i = 0; i < INPUTS; i++) need += inputs[i].varying ? room(inputs[i]) : 0;
    for (int i = 0; i < OUTPUTS; i++) need += room(outputs[i]);
    memory = (char*)malloc(need);
    if (!memory) return;
    char* next = (char*)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    for (int i = 0; i < INPUTS; i++)
      if (inputs[i].varying) places.in[i] = next, next += room(inputs[i]);
    for (int i = 0; i < OUTPUTS; i++) places.out[i] = next, next += room(outputs[i]);
  }
  ~Group() { free(memory); }
  Group(const Group&) = delete;
  bool has_memory() const { return memory; }

  // An argument's rows of these environments.
  void take(const call* c, int i, const long* where) {
    const long row = inputs[i].size * inputs[i].bytes;
    char* to = (char*)places.in[i];
    const char* rows[LANES];
    EACH rows[l] = (const char*)c->in[i] + where[l] * row;
    if (!is_turned(inputs[i])) EACH copy(to + l * row, rows[l], row);
    else if (inputs[i].bytes == 4) turn_in((uint32_t*)to, (const uint32_t* const*)rows, inputs[i].size);
    else turn_in((uint64_t*)to, (const uint64_t* const*)rows, inputs[i].size);
  }
  // A result's rows of these environments.
  void give(const call* c, int i, const long* where) {
    const long row = outputs[i].size * outputs[i].bytes;
    const char* from = (const char*)places.out[i];
    char* rows[LANES];
    EACH rows[l] = (char*)c->out[i] + where[l] * row;
    if (!is_turned(outputs[i])) EACH copy(rows[l], from + l * row, row);
    else if (outputs[i].bytes == 4) turn_out((uint32_t* const*)rows, (const uint32_t*)from, outputs[i].size);
    else turn_out((uint64_t* const*)rows, (const uint64_t*)from, outputs[i].size);
  }
};

// Whole groups whose environments lie beside one another: what is not turned stays in its place.
static void run_beside(const call* c, Group& group, long first, long end) {
  int in[INPUTS + 1], out[OUTPUTS + 1], ins = 0, outs = 0;  // what is turned
  call used = group.places;
  for (int i = 0; i < INPUTS; i++) {
    if (is_turned(inputs[i])) in[ins++] = i;
    else used.in[i] = c->in[i];
  }
  for (int i = 0; i < OUTPUTS; i++) {
    if (is_turned(outputs[i])) out[outs++] = i;
    else used.out[i] = c->out[i];
  }
  for (long g = first; g < end; g++) {
    long where[LANES];
    EACH where[l] = g * LANES + l;
    for (int i = 0; i < ins; i++) group.take(c, in[i], where);
    run_group(&used, g);
    for (int i = 0; i < outs; i++) group.give(c, out[i], where);
  }
}

// Groups of a list of environments, or of all (null).  Where they are no multiple of LANES, missing lanes of the last
// group repeat the last environment, whose results are then written several times.
static void run_apart(const call* c, Group& group, const uint32_t* list, long first, long end, long count) {
  for (long g = first; g < end; g++) {
    long where[LANES];
    EACH {
      where[l] = g * LANES + l < count ? g * LANES + l : count - 1;
      if (list) where[l] = list[where[l]];
    }
    for (int i = 0; i < INPUTS; i++)
      if (inputs[i].varying) group.take(c, i, where);
    run_group(&group.places, 0);
    for (int i = 0; i < OUTPUTS; i++) group.give(c, i, where);
  }
}

// Some groups of a list, or of all environments; whether there was enough memory.
static bool run_groups(const call* c, const uint32_t* list, long first, long end, long count) {
  Group group(c);
  if (!group.has_memory()) return false;
  Denormals flushed;
  const long whole = list ? first : end * LANES <= count ? end : count / LANES;
  run_beside(c, group, first, whole);
  run_apart(c, group, list, whole, end, count);
  return true;
}

// For callers without JAX: arrays in the order of the arguments and results; whether there was enough memory.
extern "C" __attribute__((visibility("default"))) int rlenv_run(const void* const* in, void* const* out, long batch) {
  call c;
  for (int i = 0; i < INPUTS; i++) c.in[i] = in[i];
  for (int i = 0; i < OUTPUTS; i++) c.out[i] = out[i];
  return run_groups(&c, nullptr, 0, (batch + LANES - 1) / LANES, batch);
}

// A stretch of the batch, with the list of its environments if they have kinds.
struct Share {
  long begin = 0, end = 0, count = 0, groups = 0;
  const uint32_t* list = nullptr;
  std::atomic<long> next{0};  // group that nobody has taken yet
  std::atomic<bool> ready{false};

  // Those of one kind beside one another, those of a negative kind left out; `spare` is as long as `places`.
  void sort(const int32_t* kinds, uint32_t* places, uint32_t* spare) {
    uint32_t any = 0, all = ~0u;
    for (long e = begin; e < end; e++)
      if (kinds[e] >= 0) places[count++] = (uint32_t)e, any |= kinds[e], all &= kinds[e];
    for (int shift = 0; shift < 32; shift += 8) {  // by bytes, the lowest first
      if (!((any ^ all) >> shift & 255)) continue;  // all have the same
      long starts[257] = {0};
      for (long k = 0; k < count; k++) starts[(kinds[places[k]] >> shift & 255) + 1]++;
      for (int value = 0; value < 255; value++) starts[value + 1] += starts[value];
      for (long k = 0; k < count; k++) spare[starts[kinds[places[k]] >> shift & 255]++] = places[k];
      uint32_t* sorted = spare;
      spare = places, places = sorted;
    }
    list = places;
  }
};

// Threads sort a share each and work on it, piece by piece, then help with the others'.
struct Work : Shared {
  static constexpr long MOST_SHARES = 64;
  call c;
  const int32_t* kinds;  // of the environments; null if there are none
  long batch, shares, piece;
  Share share[MOST_SHARES];
  uint32_t* lists;  // of all shares, and as much again to sort them
  std::atomic<long> begun{0}, sorted{0};  // shares
  std::atomic<long> wanted{0}, done{0};   // groups, of the shares that are sorted

  Work(const call& c, const int32_t* kinds, long batch, long threads)
      : c(c), kinds(kinds), batch(batch), shares(!kinds ? 1 : threads < MOST_SHARES ? threads : MOST_SHARES) {
    const long groups = (batch + LANES - 1) / LANES;
    piece = threads > 1 ? (groups + 4 * threads - 1) / (4 * threads) : groups;
    lists = kinds ? (uint32_t*)malloc(2 * batch * sizeof(uint32_t)) : nullptr;
    if (kinds && !lists) enough_memory = false, begun = sorted = shares;
    if (!kinds) begin(begun++);
  }
  ~Work() { free(lists); }

  void begin(long s) {
    Share& own = share[s];
    if (!kinds) {
      own.count = batch;
    } else {
      own.begin = batch * s / shares, own.end = batch * (s + 1) / shares;
      own.sort(kinds, lists + own.begin, lists + batch + own.begin);
    }
    own.groups = (own.count + LANES - 1) / LANES;
    wanted += own.groups;
    own.ready = true;
    sorted++;
  }
  void run(Share& own) {
    for (long first; (first = own.next.fetch_add(piece)) < own.groups;) {
      const long end = first + piece < own.groups ? first + piece : own.groups;
      if (!run_groups(&c, own.list, first, end, own.count)) enough_memory = false;
      done += end - first;
    }
  }
  void take() {
    for (long s; (s = begun++) < shares;) begin(s), run(share[s]);
    for (Share& other : share)
      if (other.ready) run(other);
  }
  bool is_done() const { return sorted == shares && done == wanted; }
};

extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* rlenv_emitted(XLA_FFI_CallFrame* frame) {
  if (tells_version(frame)) return nullptr;
  const bool ordered = frame->args.size == INPUTS + 1;  // with a kind of each environment
  if ((frame->args.size != INPUTS && !ordered) || frame->rets.size != OUTPUTS) return fail(frame, "another number of arrays than compiled for");
  long batch = -1;
  call c;
  for (int i = 0; i < INPUTS; i++) {
    const XLA_FFI_Buffer* b = argument(frame, i);
    c.in[i] = b->data;
    if (inputs[i].varying) batch = b->dims[0];
  }
  for (int i = 0; i < OUTPUTS; i++) {
    const XLA_FFI_Buffer* b = result(frame, i);
    c.out[i] = b->data;
    batch = b->dims[0];
  }
  const int32_t* kinds = ordered ? (const int32_t*)argument(frame, INPUTS)->data : nullptr;
  long threads = number(frame, "threads", 1);
  const long groups = (batch + LANES - 1) / LANES;
  if (threads > groups) threads = groups;
  Work* work = new (std::nothrow) Work(c, kinds, batch, threads);
  return work ? finish(frame, work, threads) : fail(frame, "out of memory");
}
#endif
