// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CTA barriers of a file, one after the other: --explain-barriers.  With --explain-sync also
// its waits, commits of groups, fences and bar.warp.sync.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/driver.h"

namespace ptxopt::driver {

struct ExplainOptions {
  // --kernel: names as isCalled() takes them.  Empty: all kernels and functions.
  std::vector<std::string> kernels;
  bool inlineChains = false;  // --inline-chains
  bool allSync = false;       // --explain-sync
};

struct BarrierTotals {
  std::size_t functions = 0;  // that have barriers, or other statements of which there are rows
  std::map<passes::BarrierOutcome, std::size_t> barriers;
  std::map<passes::BarrierOutcome, std::size_t> others;  // with --explain-sync
  std::size_t goWithAssumption = 0;                      // of those that are kept
  std::size_t goWithSource = 0;                          // of these, with --trust-source alone

  void add(bool isBarrier, passes::BarrierOutcome outcome);
  void add(const BarrierTotals& other);
  // "14 barriers in 5 functions: 12 kept, 2 removed; 3 would go with options, 1 of them with
  // --trust-source; 7 waits and fences: 6 kept, 1 removed"
  std::string text() const;
};

struct Explanation {
  std::string text;
  BarrierTotals totals;
};

// What became of each barrier of the input, where and why: by function, barriers in the innermost
// loops first, then in the order of the text.  After a kept barrier follow the options with which
// it would be removed, and after all of them hints.
//
// `options` and `result` belong to a run with remarks.  If any barrier is kept, the passes run
// again: what_if.h.
Explanation explainBarriers(const std::shared_ptr<const SourceText>& source,
                            const OptimizeOptions& options, const OptimizeResult& result,
                            const ExplainOptions& explain);

// Whether a user may mean this function by the name: as PTX has it, with the signature of C++, or
// as functionName() has it.
bool isCalled(const ir::Function& function, const std::string& name);

}  // namespace ptxopt::driver
