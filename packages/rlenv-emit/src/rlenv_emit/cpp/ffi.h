// What XLA's calls have in common: their version, attributes and errors, and threads that share the work.
#pragma once
#include <stdint.h>
#include <string.h>
#include <atomic>
#include <new>
#include "xla/ffi/api/c_api.h"

// Whether XLA only asks for the version, which is told.
static bool tells_version(const XLA_FFI_CallFrame* frame) {
  for (auto e = frame->extension_start; e; e = e->next)  // a type whose name JAX 0.11 changed
    if (e->type == XLA_FFI_Extension_Metadata) {
      XLA_FFI_Metadata* m = ((XLA_FFI_Metadata_Extension*)e)->metadata;
      m->api_version.major_version = XLA_FFI_API_MAJOR;
      m->api_version.minor_version = XLA_FFI_API_MINOR;
      m->traits = 0;
      return true;
    }
  return false;
}

static XLA_FFI_Error* fail(const XLA_FFI_CallFrame* frame, const char* message) {
  XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, nullptr, message, XLA_FFI_Error_Code_INTERNAL};
  return frame->api->XLA_FFI_Error_Create(&args);
}

static const XLA_FFI_Buffer* argument(const XLA_FFI_CallFrame* frame, long i) {
  return (const XLA_FFI_Buffer*)frame->args.args[i];
}
static const XLA_FFI_Buffer* result(const XLA_FFI_CallFrame* frame, long i) {
  return (const XLA_FFI_Buffer*)frame->rets.rets[i];
}
static const void* attribute(const XLA_FFI_CallFrame* frame, const char* name) {
  for (long i = 0; i < frame->attrs.size; i++) {
    const XLA_FFI_ByteSpan* own = frame->attrs.names[i];
    if (own->len == strlen(name) && !memcmp(own->ptr, name, own->len)) return frame->attrs.attrs[i];
  }
  return nullptr;
}
static int64_t number(const XLA_FFI_CallFrame* frame, const char* name, int64_t otherwise = 0) {
  const XLA_FFI_Scalar* found = (const XLA_FFI_Scalar*)attribute(frame, name);
  return found ? *(const int64_t*)found->value : otherwise;
}

// Work that several threads take parts of.  Tasks that start too late find nothing left, so nobody waits for them; the
// memory goes with the last one.
struct Shared {
  std::atomic<long> holders{1};
  std::atomic<bool> enough_memory{true};
};
template <class Work> static void drop(Work* work) {
  if (work->holders.fetch_sub(1) == 1) delete work;
}
template <class Work> static void task(void* work) {
  ((Work*)work)->take();
  drop((Work*)work);
}
// Does the work, which it then drops; what it returns is XLA's.
template <class Work> static XLA_FFI_Error* finish(const XLA_FFI_CallFrame* frame, Work* work, long threads) {
  for (long t = 1; t < threads; t++) {
    XLA_FFI_ThreadPool_Schedule_Args args = {XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE, nullptr, frame->ctx, task<Work>, work};
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
  while (!work->is_done())
#if defined(__SSE2__)
    __builtin_ia32_pause();
#else
    ;
#endif
  const bool enough_memory = work->enough_memory;
  drop(work);
  return enough_memory ? nullptr : fail(frame, "out of memory");
}
