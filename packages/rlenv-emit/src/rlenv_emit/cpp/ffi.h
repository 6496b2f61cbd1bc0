// What every function that XLA calls begins with, and how it fails.
#pragma once
#include <stdint.h>
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
