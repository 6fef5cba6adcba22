// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxcheck: races and wrong barriers in the kernels of a module, without a launch.
//
// Each kernel is looked at in blocks of several shapes (block_shapes.h).  What the analyses find
// (static_check.h) is run in the interpreter (replay.h); what only a run shows is added.  A finding
// is certain if it is found in every shape, rests on no number that the kernel may rely on, and
// was seen in a run, if there could be one.  docs/ptxcheck.md says it for users.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/finding.h"
#include "check/static_check.h"

namespace ptxopt::check {

enum class Tells : std::uint8_t {
  Certain,
  Usual,  // also what is possible, unless a run to the end of the kernel did not show it
  All,
};

struct Options {
  std::vector<std::string> kernels;  // names as in --kernel; empty: all
  std::optional<Block> block;        // of all kernels that state none
  std::optional<std::uint64_t> dynamicShared;
  bool replays = true;
  Tells tells = Tells::Usual;
};

struct KernelReport {
  const ir::Function* kernel = nullptr;
  std::vector<Finding> findings;  // certain ones first, then in the order of the text
};

struct Report {
  std::vector<KernelReport> kernels;  // those that were looked at
  bool isLimitMet = false;            // not all pairs of accesses were looked at
};

// The module is not changed.
Report check(ir::Module& module, const Options& options);

}  // namespace ptxopt::check
