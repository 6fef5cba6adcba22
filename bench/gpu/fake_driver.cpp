// A stand-in for the CUDA driver, for the tests of gpu_compare: device memory is host memory, and
// the kernels `twice`, `sine` and `wrong` of dry_run_test.py are C++.
#include <cuda.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

struct CUmod_st {
  std::string text;
};
struct CUfunc_st {
  std::string name;
};

namespace {

CUresult launch(const CUlaunchConfig& config, const std::string& kernel, void** parameters) {
  CUdeviceptr address = 0;
  unsigned factor = 0;
  std::memcpy(&address, parameters[0], sizeof address);
  std::memcpy(&factor, parameters[1], sizeof factor);
  auto* const words = reinterpret_cast<unsigned*>(address);
  const std::size_t threads = std::size_t{config.gridDimX} * config.blockDimX;
  for (std::size_t k = 0; k < threads; ++k) {
    if (kernel == "twice") {
      words[k] *= factor;
    } else if (kernel == "wrong") {
      words[k] += 1;
    } else if (kernel == "sine") {
      float value = 0;
      std::memcpy(&value, words + k, sizeof value);
      value = std::sin(value) + 1e-6f;  // within the error that gpu_compare allows
      std::memcpy(words + k, &value, sizeof value);
    } else {
      return CUDA_ERROR_LAUNCH_FAILED;
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuInit(unsigned) {
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = std::getenv("FAKE_DRIVER_DEVICES") == nullptr ? 1 : 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset(CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) {
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult status, const char** name) {
  *name = status == CUDA_ERROR_INVALID_PTX ? "CUDA_ERROR_INVALID_PTX" : nullptr;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* address, std::size_t size) {
  *address = reinterpret_cast<CUdeviceptr>(std::malloc(size));
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  std::free(reinterpret_cast<void*>(address));
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t size) {
  std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t size) {
  std::memcpy(reinterpret_cast<void*>(to), from, size);
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*,
                            void** values) {
  const std::string text(static_cast<const char*>(image));
  if (text.find("refused") != std::string::npos) {
    std::strcpy(static_cast<char*>(values[0]), "ptxas fatal: no\nmore");
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = new CUmod_st{text};
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  delete module;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  static CUfunc_st last;
  last.name = name;
  *function = &last;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr*, std::size_t*, CUmodule, const char*) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void**) {
  return launch(*config, function->name, parameters);
}
