// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver: nothing is linked, the library is looked for when the program runs, so that the
// program can be built, and can say what is missing, on a machine without a GPU.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

namespace ptxopt::gpu {

// Every function that is called, by its name in cuda.h (where many names are macros for the
// version of the function that the header means).
#define PTXOPT_DRIVER_FUNCTIONS(apply)                                                             \
  apply(cuInit) apply(cuDeviceGet) apply(cuDeviceGetCount) apply(cuDeviceGetName)                  \
      apply(cuDeviceGetAttribute) apply(cuDevicePrimaryCtxRetain) apply(cuCtxSetCurrent)           \
          apply(cuCtxSynchronize) apply(cuDriverGetVersion) apply(cuFuncSetAttribute)              \
              apply(cuGetErrorName) apply(cuLaunchKernelEx) apply(cuMemAlloc) apply(cuMemFree)     \
                  apply(cuMemcpyDtoH) apply(cuMemcpyHtoD) apply(cuModuleGetFunction)               \
                      apply(cuModuleGetGlobal) apply(cuModuleLoadDataEx) apply(cuModuleUnload)     \
                          apply(cuStreamCreate) apply(cuStreamDestroy) apply(cuStreamBeginCapture) \
                              apply(cuStreamEndCapture) apply(cuGraphInstantiate)                  \
                                  apply(cuGraphLaunch) apply(cuGraphExecDestroy)                   \
                                      apply(cuGraphDestroy) apply(cuEventCreate)                   \
                                          apply(cuEventDestroy) apply(cuEventRecord)               \
                                              apply(cuEventSynchronize) apply(cuEventElapsedTime)

struct DriverApi {
#define PTXOPT_MEMBER(name) decltype(&::name) name = nullptr;
  PTXOPT_DRIVER_FUNCTIONS(PTXOPT_MEMBER)
#undef PTXOPT_MEMBER

  // Null with `problem` set where there is no driver, or one that lacks a function.
  static std::unique_ptr<DriverApi> load(std::string& problem);

  std::string nameOf(CUresult status) const;  // "CUDA_ERROR_INVALID_PTX"
};

}  // namespace ptxopt::gpu
