// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the CUDA device runtime that code calls by name without defining them.  This is
// the only copy of the table of docs/soundness/ A5.
#pragma once

#include <string_view>

namespace ptxopt::analysis {

// A function of this table executes no CTA barrier and does not call back into the module.  A call
// to it is still T: it may read and write all memory that is not private.
struct DeviceRuntimeFunction {
  std::string_view name;
  bool returns;
};

// Null for a name without a row.  The name is meaningful only if the module gives the function no
// body.
const DeviceRuntimeFunction* findDeviceRuntimeFunction(std::string_view name);

}  // namespace ptxopt::analysis
