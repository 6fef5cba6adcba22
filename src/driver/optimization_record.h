// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remarks as LLVM writes its optimization records, for opt-viewer and Compiler Explorer:
// --opt-record.
#pragma once

#include <span>
#include <string>

#include "passes/engine/pass.h"

namespace ptxopt::driver {

// A document of YAML for each remark:
//   --- !Passed
//   Pass:            "basic-dbe"
//   Name:            "removed"
//   DebugLoc:        { File: "k.ptx", Line: 12, Column: 2 }
//   Function:        "_Z1kPi"
//   Args:
//     - String:          "Removed dead synch: ..."
//     - Source:          " (k.cu:5:3)"
//   ...
// The name is the outcome of a barrier, or the kind of the remark.  DebugLoc is the line of the
// PTX, which those programs show beside it.  Source is the line that the user wrote, where a .loc
// says it.  Readers join the Args.
std::string optimizationRecord(const ir::Module& module, std::span<const passes::Remark> remarks);

}  // namespace ptxopt::driver
