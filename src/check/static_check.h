// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the analyses find in kernels, without a run.
//
// The analyses may assume what the optimizer must not: distinct pointer parameters point to
// distinct memory, no pointer points into a variable of the module, and a barrier under a condition
// on data is reached by all threads or by none.  Else most kernels would have findings that nobody
// wants.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/barriers/barrier_context.h"
#include "analysis/launch/assumptions.h"
#include "analysis/races/race_search.h"
#include "check/block_shapes.h"
#include "check/finding.h"
#include "ir/source_lines.h"

namespace ptxopt::check {

// A number that a kernel is passed, and compares, chosen to show a finding.
struct ChosenArgument {
  std::size_t parameter = 0;  // from 0
  std::int64_t value = 0;
};

// A finding in a block of one shape, and what a run of it takes.
struct StaticFinding {
  Finding finding;
  Block block{};
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::vector<ChosenArgument> arguments;
  // Threads and bytes are known, and nothing was chosen that the kernel may rely on.
  bool isExact = false;
  // No two threads of one warp: a block of one warp cannot show it.
  bool areWarpsDifferent = false;
};

// A kernel, or kernels and the functions that share barriers.
using Unit = std::vector<ir::Function*>;

class StaticCheck {
 public:
  // The module must outlive the object, which changes nothing in it.  O(statements).
  explicit StaticCheck(ir::Module& module);

  const std::vector<Unit>& units() const { return units_; }
  const analysis::CallGraph& calls() const { return calls_; }
  const ir::SourceLines& lines() const { return lines_; }
  // "line 31 (k.cu:7)"
  std::string lineOf(const ir::Instruction& instruction) const;
  // For kernels with this block, unless they state another one.  Valid as long as the object.
  const std::vector<StaticFinding>& run(const Unit& unit, const Block& block);
  struct Fitting {
    std::vector<Block> blocks;
    bool isKnown = true;  // false: none of them fits, and these are all
  };
  // Those of the blocks in which no thread leaves an array of shared memory: a kernel is written
  // for one of them.  In their order.
  Fitting fitting(const Unit& unit, std::vector<Block> blocks);
  // Not all pairs of accesses were looked at.
  bool isLimitMet() const { return isLimitMet_; }

 private:
  class OfUnit;
  // Whether threads leave an array: surely, or if some branch lets them, or never.
  enum class Fit : std::uint8_t { None, Maybe, Good };
  using UnitAndBlock = std::pair<const Unit*, Block>;

  Fit fitOf(const Unit& unit, const Block& block);

  ir::Module& module_;
  analysis::CallGraph calls_;
  analysis::BarrierFacts facts_;
  ir::SourceLines lines_;
  std::vector<Unit> units_;
  std::map<UnitAndBlock, std::vector<StaticFinding>> found_;
  std::map<UnitAndBlock, Fit> fits_;
  bool isLimitMet_ = false;
};

}  // namespace ptxopt::check
