// What XLA calls on a GPU: launches a kernel on XLA's stream.  Compiled by the system's compiler.
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>
#include "ffi.h"

// The part of the driver's interface (cuda.h of CUDA 12 and later) that is used; the library comes with the driver.
typedef int CUresult;
typedef struct CUlib_st* CUlibrary;
typedef struct CUkern_st* CUkernel;
typedef CUresult LoadFromFile(CUlibrary*, const char*, void*, void**, unsigned, void*, void**, unsigned);
typedef CUresult GetKernel(CUkernel*, CUlibrary, const char*);
typedef CUresult ContextOf(void*, void**);
typedef CUresult Push(void*);
typedef CUresult Pop(void**);
typedef CUresult Launch(
    CUkernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);

// The kernel of a file, loaded once for all devices.
static CUresult kernel_of(void* driver, const std::string& image, CUkernel* kernel) {
  static std::mutex guard;
  static std::map<std::string, CUkernel> loaded;
  std::lock_guard<std::mutex> locked(guard);
  const auto found = loaded.find(image);
  if (found != loaded.end()) return *kernel = found->second, 0;
  const auto load = (LoadFromFile*)dlsym(driver, "cuLibraryLoadFromFile");
  const auto get = (GetKernel*)dlsym(driver, "cuLibraryGetKernel");
  if (!load || !get) return -1;
  CUlibrary library;
  CUresult status = load(&library, image.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (!status) status = get(kernel, library, "rlenv_kernel");
  if (!status) loaded[image] = *kernel;
  return status;
}

// Attributes: `image`, the file of machine code, `steps`, `batch`, and `threads` of a block.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* rlenv_launch(XLA_FFI_CallFrame* frame) {
  if (tells_version(frame)) return nullptr;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto launch = driver ? (Launch*)dlsym(driver, "cuLaunchKernel") : nullptr;
  if (!launch) return fail(frame, "no CUDA driver: libcuda.so.1 does not load");
  const auto context_of = (ContextOf*)dlsym(driver, "cuStreamGetCtx");
  const auto push = (Push*)dlsym(driver, "cuCtxPushCurrent_v2");
  const auto pop = (Pop*)dlsym(driver, "cuCtxPopCurrent_v2");
  if (!context_of || !push || !pop) return fail(frame, "a CUDA driver of before version 12");
  const auto file = (const XLA_FFI_ByteSpan*)attribute(frame, "image");
  CUkernel kernel;
  CUresult status = kernel_of(driver, std::string(file->ptr, file->len), &kernel);
  if (status) return fail(frame, ("the kernel does not load: CUDA error " + std::to_string(status)).c_str());
  XLA_FFI_Stream_Get_Args stream = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, frame->ctx, nullptr};
  if (XLA_FFI_Error* error = frame->api->XLA_FFI_Stream_Get(&stream)) return error;
  std::vector<void*> pointers;  // as in the kernel's `call`: inputs, a place to spare, results, a place to spare
  for (long i = 0; i < frame->args.size; i++) pointers.push_back(((XLA_FFI_Buffer*)frame->args.args[i])->data);
  pointers.push_back(nullptr);
  for (long i = 0; i < frame->rets.size; i++) pointers.push_back(((XLA_FFI_Buffer*)frame->rets.rets[i])->data);
  pointers.push_back(nullptr);
  int steps = (int)number(frame, "steps");
  int64_t batch = number(frame, "batch");
  const unsigned threads = (unsigned)number(frame, "threads");
  void* arguments[] = {pointers.data(), &steps, &batch};
  void* context = nullptr;  // of the stream: nobody says that this thread has it, or another device's
  status = context_of(stream.stream, &context);
  if (!status) status = push(context);
  if (status) return fail(frame, ("the stream has no context: CUDA error " + std::to_string(status)).c_str());
  status = launch(
      kernel, (unsigned)((batch + threads - 1) / threads), 1, 1, threads, 1, 1, 0, stream.stream, arguments, nullptr);
  pop(&context);
  return status ? fail(frame, ("the kernel does not start: CUDA error " + std::to_string(status)).c_str()) : nullptr;
}
