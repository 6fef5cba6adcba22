// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the CUDA device runtime that code calls by name without a body: the one table of
// docs/soundness/ A5.
#pragma once

#include <string_view>

namespace ptxopt::analysis {

// A call to a function of this table executes no CTA barrier and calls nothing of the module back.
// It is still T: it may read and write all memory that is not private.
struct DeviceRuntimeFunction {
  std::string_view name;
  bool returns;
};

// Null for a name without a row.  The name says what a function is only where the module gives it
// no body.
const DeviceRuntimeFunction* findDeviceRuntimeFunction(std::string_view name);

}  // namespace ptxopt::analysis
