// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of addresses that differ by a constant, and the registers that hold them.
//
// A value belongs to a group if its linear form is known (analysis/addresses/address.h), after
// analysis/addresses/offset_classes.h has merged leaves.  Two values of one group differ by the
// difference of their constants, in the ring of their form, wherever both are defined
// (docs/soundness/ D4.1, D4.2).  This is so because the leaves (values, loop counters and the like)
// dominate both, so both see the same instance of each leaf.
//
// A member is an address operand whose register can be replaced by that of another value of the
// group.  Its candidates are the values of the group that a register holds at that point, those
// computed first coming first.
//
// Cost: one walk down the dominator tree, O(operands + terms of forms); for each member at most
// Limit::GroupLooks values are examined.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/addresses/address.h"
#include "analysis/addresses/offset_classes.h"
#include "analysis/flow/liveness.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

enum class GroupId : std::uint32_t { None = ~0u };

class AddressGroups {
 public:
  using ValueId = analysis::ValueId;

  struct Candidate {
    ValueId value = ValueId::None;
    // The candidate is in the same block with no call in between, or is needed in the block of the
    // member anyway.
    bool isNear = false;
  };
  struct Member {
    const ir::Instruction* instruction = nullptr;
    const ir::Operand* operand = nullptr;
    ValueId value = ValueId::None;  // the value that it reads
    std::uint32_t firstCandidate = 0;
    std::uint32_t candidateCount = 0;
  };

  // All arguments must outlive the object.  `progress(block, blocks)` is called from time to time.
  AddressGroups(const SsaRewrite& rewrite, const analysis::Addresses& addresses,
                const analysis::Liveness& liveness,
                const std::function<void(std::size_t, std::size_t)>& progress);

  // In the order of a walk down the dominator tree.
  std::span<const Member> members() const { return members_; }
  // In ascending order.  Candidates computed after the value that the member reads are near.
  std::span<const Candidate> candidates(const Member& member) const {
    return std::span(candidates_).subspan(member.firstCandidate, member.candidateCount);
  }
  // None for a value that belongs to no group.
  GroupId groupOf(ValueId value) const { return groups_[value]; }
  std::uint32_t groupCount() const { return sizes_.size(); }
  // value - base, both of one group, or with `base` in the wide group of the group of `value`.
  std::int64_t distance(ValueId base, ValueId value) const;
  // Each value is alone in its group.
  bool areAllAlone() const;
  // The number of values in the group.
  std::uint32_t sizeOf(GroupId group) const { return sizes_[group]; }
  // The register of the value holds it in all blocks that its block dominates, from its definition
  // on, and can be named there.
  bool isKeptForGood(ValueId value) const {
    return mayBeBase(value) && definitions_[ssa_.reg(value)] <= 1;
  }
  // The limit on iterations was reached, so phis at a constant distance were not found
  // (analysis/addresses/offset_classes.h).
  bool areRoundsMet() const { return areRoundsMet_; }
  // For a group of 32-bit addresses: the group of 64-bit addresses whose lower half has the same
  // terms; None if there is none.
  GroupId wideGroupOf(GroupId narrow) const { return wideGroups_[narrow]; }

 private:
  class Walk;
  void findGroups();
  void countDefinitions();
  bool mayBeBase(ValueId value) const;

  const SsaRewrite& rewrite_;
  const analysis::Ssa& ssa_;
  const analysis::Addresses& addresses_;
  IdVector<ValueId, GroupId> groups_;
  IdVector<ValueId, std::uint64_t> constants_;  // of those in a group
  IdVector<GroupId, std::uint32_t> sizes_;
  IdVector<GroupId, GroupId> wideGroups_;
  IdVector<ir::RegisterId, std::uint8_t> definitions_;  // 2 means more than one
  bool areRoundsMet_ = false;
  std::vector<Member> members_;
  std::vector<Candidate> candidates_;
};

}  // namespace ptxopt::passes
