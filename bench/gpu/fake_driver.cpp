// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stand-in for the CUDA driver, for the tests of gpu_compare: device memory is host memory, the
// kernels of gpu_compare_test.py are C++, and a launch takes 2 microseconds and 2 for each barrier
// in the text of the kernel.  A fault stays until the process ends, as that of a real kernel may.
#include <cuda.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct CUfunc_st {
  std::string name;
  std::string text;
};
struct CUmod_st {
  std::string text;
  std::map<std::string, CUfunc_st> functions;
};
struct CUgraph_st {
  std::vector<std::function<CUresult()>> launches;
};
struct CUgraphExec_st {
  CUgraph_st graph;
};
struct CUevent_st {
  double time = 0;
};

namespace {

CUresult lasting = CUDA_SUCCESS;
bool hangs = false;
double microseconds = 0;
CUgraph_st* captured = nullptr;

int barriersIn(const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find("bar.sync"); at != std::string::npos;
       at = text.find("bar.sync", at + 1)) {
    ++count;
  }
  return count;
}

// From the name of the kernel to its last statement.
std::string textOf(const std::string& module, const std::string& kernel) {
  const std::size_t start = module.find(".entry " + kernel + "(");
  return module.substr(start, module.find("ret;", start) - start);
}

CUresult execute(std::size_t threads, const CUfunc_st& kernel, CUdeviceptr address,
                 unsigned factor) {
  microseconds += 2 + 2 * barriersIn(kernel.text);
  auto* const words = reinterpret_cast<unsigned*>(address);
  if (kernel.name == "faults") lasting = CUDA_ERROR_ILLEGAL_ADDRESS;
  static int launches = 0;
  if (kernel.name == "wears" && ++launches > 20) lasting = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (kernel.name == "hangs" && barriersIn(kernel.text) < 2) hangs = true;
  for (std::size_t k = 0; k < threads; ++k) {
    if (kernel.name == "twice") {
      words[k] *= factor;
    } else if (kernel.name == "wrong") {
      words[k] += 1;
    } else if (kernel.name == "broken" && barriersIn(kernel.text) < 2) {
      words[k] ^= 1;  // an optimizer's mistake
    } else if (kernel.name == "sine") {
      float value = 0;
      std::memcpy(&value, words + k, sizeof value);
      value = std::sin(value) + 1e-6f;  // within the error that gpu_compare allows
      std::memcpy(words + k, &value, sizeof value);
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
CUresult cuCtxSetCurrent(CUcontext) {
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  while (hangs) ::pause();
  return lasting;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult status, const char** name) {
  *name = status == CUDA_ERROR_INVALID_PTX       ? "CUDA_ERROR_INVALID_PTX"
          : status == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                 : nullptr;
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
  if (lasting == CUDA_SUCCESS) std::memcpy(to, reinterpret_cast<const void*>(from), size);
  return lasting;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t size) {
  std::memcpy(reinterpret_cast<void*>(to), from, size);
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*,
                            void** values) {
  if (lasting != CUDA_SUCCESS) return lasting;
  const std::string text(static_cast<const char*>(image));
  if (text.find("refused") != std::string::npos) {
    std::strcpy(static_cast<char*>(values[0]), "ptxas fatal: no\nmore");
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = new CUmod_st{text, {}};
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  delete module;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  *function = &(module->functions[name] = {name, textOf(module->text, name)});
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr*, std::size_t*, CUmodule, const char*) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void**) {
  CUdeviceptr address = 0;
  unsigned factor = 0;
  std::memcpy(&address, parameters[0], sizeof address);
  std::memcpy(&factor, parameters[1], sizeof factor);
  const std::size_t threads = std::size_t{config->gridDimX} * config->blockDimX;
  const auto launch = [=] { return execute(threads, *function, address, factor); };
  if (captured == nullptr) return launch();
  captured->launches.push_back(launch);
  return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  static int any = 0;
  *stream = reinterpret_cast<CUstream>(&any);
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
  captured = new CUgraph_st;
  return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream, CUgraph* graph) {
  *graph = captured;
  captured = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  *executable = new CUgraphExec_st{*graph};
  return CUDA_SUCCESS;
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  for (const auto& launch : executable->graph.launches) launch();
  return lasting;
}
CUresult cuGraphExecDestroy(CUgraphExec executable) {
  delete executable;
  return CUDA_SUCCESS;
}
CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = new CUevent_st;
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream) {
  event->time = microseconds;
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent) {
  while (hangs) ::pause();
  return lasting;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  *milliseconds = static_cast<float>((end->time - start->time) / 1000);
  return CUDA_SUCCESS;
}
