// What XLA calls: cuts a batch into groups of LANES, pads the last one, and shares the groups among threads.
#pragma once
#include <stdlib.h>
#include <atomic>
#include <new>
#include "xla/ffi/api/c_api.h"
#include "denormals.h"

struct array { bool varying; long size; long bytes; };  // elements of a lane, bytes of an element
struct call { const void* in[INPUTS + 1]; void* out[OUTPUTS + 1]; };

static void run_group(const call* c, long group);
extern const array inputs[INPUTS + 1], outputs[OUTPUTS + 1];

static inline void copy_row(char* to, const char* from, long bytes) {
  if (bytes == 4) *(uint32_t*)to = *(const uint32_t*)from;
  else memcpy(to, from, bytes);
}

// Groups of environments that do not lie beside one another: in the order of a list, or the last group where the batch
// is no multiple of LANES, whose missing lanes repeat the last environment.  They are copied, run, and copied back.
static bool run_apart(const call* c, const int32_t* order, long first, long end, long batch) {
  long need = 0;
  for (int i = 0; i < INPUTS; i++) need += inputs[i].varying ? inputs[i].size * inputs[i].bytes * LANES + 64 : 0;
  for (int i = 0; i < OUTPUTS; i++) need += outputs[i].size * outputs[i].bytes * LANES + 64;
  char* memory = (char*)malloc(need + 64);
  if (!memory) return false;
  char* next = (char*)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
  call padded = *c;
  for (int i = 0; i < INPUTS; i++) {
    if (!inputs[i].varying) continue;
    padded.in[i] = next;
    next += (inputs[i].size * inputs[i].bytes * LANES + 63) & ~63L;
  }
  for (int i = 0; i < OUTPUTS; i++) {
    padded.out[i] = next;
    next += (outputs[i].size * outputs[i].bytes * LANES + 63) & ~63L;
  }
  for (long g = first; g < end; g++) {
    const long count = batch - g * LANES < LANES ? batch - g * LANES : LANES;
    long where[LANES];
    for (long l = 0; l < LANES; l++) {
      where[l] = g * LANES + (l < count ? l : count - 1);
      if (order) where[l] = order[where[l]];
    }
    for (int i = 0; i < INPUTS; i++) {
      const long row = inputs[i].size * inputs[i].bytes;
      if (inputs[i].varying)
        EACH copy_row((char*)padded.in[i] + l * row, (const char*)c->in[i] + where[l] * row, row);
    }
    run_group(&padded, 0);
    for (int i = 0; i < OUTPUTS; i++) {
      const long row = outputs[i].size * outputs[i].bytes;
      for (long l = 0; l < count; l++) copy_row((char*)c->out[i] + where[l] * row, (char*)padded.out[i] + l * row, row);
    }
  }
  free(memory);
  return true;
}

// Every environment of a batch, on this thread.
static bool run_batch(const call* c, long batch) {
  Denormals flushed;
  const long groups = batch / LANES;
  for (long g = 0; g < groups; g++) run_group(c, g);
  return groups * LANES == batch || run_apart(c, nullptr, groups, groups + 1, batch);
}

// For callers without JAX: arrays in the order of the arguments and results; whether there was enough memory.
extern "C" __attribute__((visibility("default"))) int rlenv_run(const void* const* in, void* const* out, long batch) {
  call c;
  for (int i = 0; i < INPUTS; i++) c.in[i] = in[i];
  for (int i = 0; i < OUTPUTS; i++) c.out[i] = out[i];
  return run_batch(&c, batch);
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
    Denormals flushed;
    for (long first; (first = next.fetch_add(piece)) < groups;) {
      const long end = first + piece < groups ? first + piece : groups;
      if (order) {
        if (!run_apart(&c, order, first, end, batch)) enough_memory = false;
      } else {
        for (long g = first; g < end; g++) run_group(&c, g);
      }
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
  const long groups = batch / LANES;
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
  bool enough_memory = true;
  if (groups * LANES < batch) {
    Denormals flushed;
    enough_memory = run_apart(&c, order, groups, groups + 1, batch);
  }
  while (work->done.load(std::memory_order_acquire) < groups)
#if defined(__SSE2__)
    _mm_pause();
#else
    ;
#endif
  enough_memory = enough_memory && work->enough_memory;
  work->drop();
  return enough_memory ? nullptr : fail(frame, "out of memory");
}
