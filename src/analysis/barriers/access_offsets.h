// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes each thread of a block accesses with one instruction, if it executes it: for given
// values of what is not known.
//
// Cost: O(size of the address and of the conditions above the access) for each warp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/addresses/form_program.h"
#include "analysis/barriers/condition_program.h"
#include "analysis/flow/dominators.h"
#include "support/residue.h"

namespace ptxopt::analysis {

class AccessOffsets {
 public:
  explicit AccessOffsets(const Access& access);

  // Before anything below is asked.  `otherBase` is the base of the other access of a pair, or
  // None.  isGood() is false if the address cannot be computed.
  void build(LeafId otherBase, const PostDominators* postDominators);

  bool isGood() const { return isGood_; }
  // All branches and guards above the access are taken into account.
  bool isComplete() const { return isComplete_; }
  const Access& access() const { return *access_; }
  // The warp of a thread accesses the bytes that the thread names: a row of a matrix.
  bool isOfWarp() const { return lanesOfRows_ != 0; }
  // The symbol, parameter or value from which the address starts; None: an absolute address.
  LeafId base() const { return base_; }
  // The leaves whose values forEachOffset() wants, in this order.
  std::span<const LeafId> unknowns() const { return program_.unknowns(); }
  bool isOfAddress(LeafId unknown) const {
    const auto all = program_.unknowns().first(addressUnknowns_);
    return std::ranges::find(all, unknown) != all.end();
  }
  // Whether some thread of the warps accesses bytes outside of the variable; Maybe: if branches
  // that depend on an unknown let it.  Never, if the address itself depends on an unknown.
  enum class Leaves : std::uint8_t { Never, Maybe, Surely };
  Leaves leavesObject(std::span<const WarpOfThreads> warps);
  std::size_t work() const { return program_.size() + conditions_.size() + 1; }

  // Calls visit(thread, offset) for the first byte that each thread of the warps accesses, relative
  // to the base, if it executes the access.
  template <class Visit>
  void forEachOffset(std::span<const WarpOfThreads> warps, std::span<const std::int64_t> numbers,
                     Visit&& visit) {
    const unsigned bits = forms_->form(access_->address).bits;
    program_.run(warps, numbers);
    for (std::size_t w = 0; w < warps.size(); ++w) {
      for (LaneMask left = arrivingLanes(warps[w], w); left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        const std::int64_t offset = signedResidue(program_.residuesOf(offset_, w)[lane], bits);
        if (isInObject(offset)) visit(warps[w].firstThread + lane, offset);
      }
    }
  }

 private:
  // The lanes that execute the access, as far as is known, in the last run; of a matrix, those
  // that name rows.
  LaneMask arrivingLanes(const WarpOfThreads& warp, std::size_t number) const;

  bool isInObject(std::int64_t offset) const;

  const ir::Symbol& symbol(LeafId leaf) const;

  // The only term of the address that identifies an object.  The term that cvta adds belongs to
  // it.
  bool findBase();

  bool isPointer(const LeafKey& key) const;

  void addConditions(const PostDominators* postDominators);

  // The predicate is a single comparison of integers.
  bool isPlain(ValueId predicate) const;
  bool isPlainBranch(EdgeId edge) const;

  bool addCondition(const Condition& condition);

  const Access* access_;
  const LinearForms* forms_;
  FormProgram program_;
  LaneMask lanesOfRows_ = 0;  // 0: each thread accesses bytes of its own
  bool isGood_ = false;
  bool isComplete_ = false;
  LeafId base_ = LeafId::None;
  std::vector<LeafId> skipped_;
  FormProgram::Expression offset_ = 0;
  std::size_t addressUnknowns_ = 0;
  std::vector<FormProgram::Expression> zeros_;
  std::vector<ConditionProgram> conditions_;
};

}  // namespace ptxopt::analysis
