// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_api.h"

#include <dlfcn.h>

namespace ptxopt::gpu {

// Takes the text of a name after its expansion, since cuda.h has macros such as cuMemAlloc for
// cuMemAlloc_v2.
#define PTXOPT_TEXT_OF(name) #name

std::unique_ptr<DriverApi> DriverApi::load(std::string& problem) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    problem = dlerror();
    return nullptr;
  }
  auto api = std::make_unique<DriverApi>();
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) problem = std::string("the driver has no ") + name;
  };
#define PTXOPT_FIND(name) find(api->name, PTXOPT_TEXT_OF(name));
  PTXOPT_DRIVER_FUNCTIONS(PTXOPT_FIND)
#undef PTXOPT_FIND
  if (!problem.empty()) return nullptr;
  return api;
}

std::string DriverApi::nameOf(CUresult status) const {
  const char* name = nullptr;
  cuGetErrorName(status, &name);
  return name != nullptr ? name : "error " + std::to_string(static_cast<int>(status));
}

}  // namespace ptxopt::gpu
