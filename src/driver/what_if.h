// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What would happen to barriers under assumptions that nobody has made: the passes run again.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "driver/driver.h"

namespace ptxopt::driver {

// A barrier that is kept: where it is, and in which kernel; "" for one in a .func.
using KeptBarriers = std::map<Offset, std::string>;

// The options under which a barrier would not be kept.
struct RemovingOptions {
  std::string text;         // "--assume-1d", "--a with --b"; alternatives are separated by "or"
  bool isOfShape = false;   // the shape of the block would do
  bool isOfSource = false;  // --trust-source alone would do
};

class WhatIf {
 public:
  // `options` are those of the run that kept the barriers.
  WhatIf(std::shared_ptr<const SourceText> source, const OptimizeOptions& options,
         const ir::Module& module);

  // Cost: one run of the passes; if some barrier goes under all assumptions together, one run for
  // each assumption and one without it, over the kernels with such barriers.
  std::map<Offset, RemovingOptions> ways(const KeptBarriers& kept) const;
  // The barriers that pipelineThatWeakensBarriers() would weaken, and those that
  // pipelineThatGuardsBarriers() would guard.  One run each.
  std::set<Offset> weakened(const KeptBarriers& kept) const;
  std::set<Offset> guarded(const KeptBarriers& kept) const;

 private:
  std::set<Offset> removedUnder(const KeptBarriers& kept,
                                const std::vector<std::size_t>& assumptions) const;
  std::set<Offset> changedBy(const KeptBarriers& kept, OptimizeOptions options) const;
  std::set<Offset> changedByMore(const KeptBarriers& kept, const std::string& more) const;
  void addGroups(const KeptBarriers& open, std::map<Offset, RemovingOptions>& found) const;
  void addLeastGroups(const KeptBarriers& open, std::map<Offset, RemovingOptions>& found) const;

  std::shared_ptr<const SourceText> source_;
  OptimizeOptions options_;
  std::vector<std::string> kernels_;
};

}  // namespace ptxopt::driver
