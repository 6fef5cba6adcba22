// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/device_runtime.h"

#include <algorithm>

namespace ptxopt::analysis {

namespace {

constexpr DeviceRuntimeFunction kFunctions[] = {
    {"__assertfail", false},
    {"__cudaCDP2GetParameterBuffer", true},
    {"__cudaCDP2GetParameterBufferV2", true},
    {"__cudaCDP2LaunchDevice", true},
    {"__cudaCDP2LaunchDeviceV2", true},
    {"cudaGetParameterBuffer", true},
    {"cudaGetParameterBufferV2", true},
    {"cudaLaunchDevice", true},
    {"cudaLaunchDeviceV2", true},
    {"free", true},
    {"malloc", true},
    {"vprintf", true},
};
static_assert(std::ranges::is_sorted(kFunctions, {}, &DeviceRuntimeFunction::name));

}  // namespace

const DeviceRuntimeFunction* findDeviceRuntimeFunction(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFunctions, name, {}, &DeviceRuntimeFunction::name);
  return found != std::end(kFunctions) && found->name == name ? found : nullptr;
}

}  // namespace ptxopt::analysis
