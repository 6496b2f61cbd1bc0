// What XLA calls: cuts a batch into groups of LANES, pads the last one, and shares the groups among threads.
#pragma once
#include <stdlib.h>
#include <atomic>
#include <new>
#include "xla/ffi/api/c_api.h"
#include "denormals.h"
#include "turn.h"

struct array { bool varying; long size; long bytes; };  // elements of a lane, bytes of an element
struct call { const void* in[INPUTS + 1]; void* out[OUTPUTS + 1]; };

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

// Groups in the order of a list, or the last one where the batch is no multiple of LANES: missing lanes repeat the last
// environment, whose results are then written several times.
static void run_apart(const call* c, Group& group, const int32_t* order, long first, long end, long batch) {
  for (long g = first; g < end; g++) {
    long where[LANES];
    EACH {
      where[l] = g * LANES + l < batch ? g * LANES + l : batch - 1;
      if (order) where[l] = order[where[l]];
    }
    for (int i = 0; i < INPUTS; i++)
      if (inputs[i].varying) group.take(c, i, where);
    run_group(&group.places, 0);
    for (int i = 0; i < OUTPUTS; i++) group.give(c, i, where);
  }
}

// Some groups of a batch; whether there was enough memory.
static bool run_groups(const call* c, const int32_t* order, long first, long end, long batch) {
  Group group(c);
  if (!group.has_memory()) return false;
  Denormals flushed;
  const long whole = order ? first : end * LANES <= batch ? end : batch / LANES;
  run_beside(c, group, first, whole);
  run_apart(c, group, order, whole, end, batch);
  return true;
}

// For callers without JAX: arrays in the order of the arguments and results; whether there was enough memory.
extern "C" __attribute__((visibility("default"))) int rlenv_run(const void* const* in, void* const* out, long batch) {
  call c;
  for (int i = 0; i < INPUTS; i++) c.in[i] = in[i];
  for (int i = 0; i < OUTPUTS; i++) c.out[i] = out[i];
  return run_groups(&c, nullptr, 0, (batch + LANES - 1) / LANES, batch);
}

// Threads take pieces until none is left.  Tasks that start too late find none, so nobody waits for them; the memory
// goes with the last one.
struct Work {
  call c;
  const int32_t* order;
  long groups, batch, piece;
  std::atomic<long> next, done, holders;
  std::atomic<bool> enough_memory;
  void take() {
    for (long first; (first = next.fetch_add(piece)) < groups;) {
      const long end = first + piece < groups ? first + piece : groups;
      if (!run_groups(&c, order, first, end, batch)) enough_memory = false;
      done.fetch_add(end - first, std::memory_order_release);
    }
  }
  void drop() { if (holders.fetch_sub(1) == 1) delete this; }
};
static void task(void* data) {
  ((Work*)data)->take();
  ((Work*)data)->drop();
}

static XLA_FFI_Error* fail(const XLA_FFI_CallFrame* frame, const char* message) {
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, message, XLA_FFI_Error_Code_INTERNAL};
  return frame->api->XLA_FFI_Error_Create(&args);
}

extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* rlenv_emitted(XLA_FFI_CallFrame* frame) {
  for (XLA_FFI_Extension_Base* e = frame->extension_start; e; e = e->next)
    if (e->type == XLA_FFI_Extension_Metadata) {
      XLA_FFI_Metadata* m = ((XLA_FFI_Metadata_Extension*)e)->metadata;
      m->api_version.major_version = XLA_FFI_API_MAJOR;
      m->api_version.minor_version = XLA_FFI_API_MINOR;
      m->traits = 0;
      return nullptr;
    }
  const bool ordered = frame->args.size == INPUTS + 1;  // with a list of the environments, those alike beside one another
  if ((frame->args.size != INPUTS && !ordered) || frame->rets.size != OUTPUTS) return fail(frame, "another number of arrays than compiled for");
  long batch = -1;
  call c;
  for (int i = 0; i < INPUTS; i++) {
    const XLA_FFI_Buffer* b = (const XLA_FFI_Buffer*)frame->args.args[i];
    c.in[i] = b->data;
    if (inputs[i].varying) batch = b->dims[0];
  }
  for (int i = 0; i < OUTPUTS; i++) {
    const XLA_FFI_Buffer* b = (const XLA_FFI_Buffer*)frame->rets.rets[i];
    c.out[i] = b->data;
    batch = b->dims[0];
  }
  const int32_t* order = ordered ? (const int32_t*)((const XLA_FFI_Buffer*)frame->args.args[INPUTS])->data : nullptr;
  long threads = 1;
  for (long i = 0; i < frame->attrs.size; i++)
    if (frame->attrs.names[i]->len == 7 && !memcmp(frame->attrs.names[i]->ptr, "threads", 7))
      threads = (long)*(const int64_t*)((const XLA_FFI_Scalar*)frame->attrs.attrs[i])->value;
  const long groups = (batch + LANES - 1) / LANES;
  if (threads > groups) threads = groups;
  Work* work = new (std::nothrow) Work{
      c, order, groups, batch, threads > 1 ? (groups + 4 * threads - 1) / (4 * threads) : groups, {0}, {0}, {1}, {true}};
  if (!work) return fail(frame, "out of memory");
  if (work->piece < 1) work->piece = 1;
  for (long t = 1; t < threads; t++) {
    XLA_FFI_ThreadPool_Schedule_Args args = {XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE, nullptr, frame->ctx, task, work};
    work->holders.fetch_add(1);
    XLA_FFI_Error* error = frame->api->XLA_FFI_ThreadPool_Schedule(&args);
    if (error) {  // there is no pool: this thread does it all
      XLA_FFI_Error_Destroy_Args destroy = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
      frame->api->XLA_FFI_Error_Destroy(&destroy);
      work->holders.fetch_sub(1);
      break;
    }
  }
  work->take();
  while (work->done.load(std::memory_order_acquire) < groups)
#if defined(__SSE2__)
    _mm_pause();
#else
    ;
#endif
  const bool enough_memory = work->enough_memory;
  work->drop();
  return enough_memory ? nullptr : fail(frame, "out of memory");
}
