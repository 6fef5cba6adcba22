// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of each statement of a function that synchronises, and why: the rows of
// --explain-barriers, --explain-sync and --html.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/driver.h"
#include "driver/what_if.h"
#include "ir/source_lines.h"

namespace ptxopt::driver {

struct SyncRow {
  Offset offset = 0;
  std::uint32_t line = 0;
  std::string source;          // "k.cu:31"
  std::string_view statement;  // its mnemonic
  bool isBarrier = true;       // of a CTA
  std::uint32_t depth = 0;     // of loops
  passes::BarrierOutcome outcome = passes::BarrierOutcome::Kept;
  std::string why;                // in a few words, where that is possible
  std::vector<std::string> more;  // lines below that
};

class SyncRows {
 public:
  // `module` is the input before the passes; `remarks` are those of a run over it.  All must
  // outlive the object.
  SyncRows(ir::Module& module, std::span<const passes::Remark> remarks);

  // The barriers that are kept, in such functions.
  KeptBarriers kept(const std::function<bool(const ir::Function&)>& isWanted) const;
  // What WhatIf::ways() found: the rows name the options.
  void setWays(const std::map<Offset, RemovingOptions>& ways) { ways_ = &ways; }
  // --inline-chains
  void showChains() { showsChains_ = true; }

  // In the order of the text.  With `allSync`, of waits, commits of groups, fences and
  // bar.warp.sync too.
  std::vector<SyncRow> of(ir::Function& function, bool allSync);

  // Of the rows so far: whether a line of the source was not known, and the kernels for which the
  // shape of the block matters, and is not known.
  bool isSourceMissing() const { return isSourceMissing_; }
  const std::set<std::string>& kernelsOfAnyShape() const { return kernelsOfAnyShape_; }

 private:
  // By the position of a statement, the remark that says what became of it.
  using Verdicts = std::map<Offset, const passes::Remark*>;

  void explainBarrier(SyncRow& row, const ir::Function& function);
  void explainWait(SyncRow& row, const ir::Function& function) const;
  void addChain(SyncRow& row) const;

  ir::Module& module_;
  std::span<const passes::Remark> remarks_;
  ir::SourceLines sources_;
  Verdicts barriers_;
  Verdicts waits_;
  const std::map<Offset, RemovingOptions>* ways_ = nullptr;
  bool showsChains_ = false;
  bool isSourceMissing_ = false;
  std::set<std::string> kernelsOfAnyShape_;
};

}  // namespace ptxopt::driver
