// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of a function that differ by a constant, and which registers hold them where.
//
// A value belongs to a group if its linear form is known (analysis/addresses/address.h), or rather
// what analysis/addresses/offset_classes.h makes of it; two of one group differ by the difference
// of their constants, in the ring of their form, wherever both are defined (docs/soundness/ D4.1,
// D4.2): their leaves are values, loop counters and the like that dominate both, so that the two
// see the same instance of each.
//
// A member is an address operand whose register can be replaced by that of another value of the
// group.  Its candidates are the values of the group that registers hold where it stands, those
// that were computed first before others.
//
// Cost: one walk down the dominator tree, O(operands + terms of forms); at most kMostLooks values
// are looked at for a member.
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

using GroupId = std::uint32_t;

class AddressGroups {
 public:
  using ValueId = analysis::ValueId;

  struct Candidate {
    ValueId value = kNone;
    // Of the same block with no call in between, or needed in the block of the member anyway.
    bool isNear = false;
  };
  struct Member {
    const ir::Instruction* instruction = nullptr;
    const ir::Operand* operand = nullptr;
    ValueId value = kNone;  // that it reads
    std::uint32_t firstCandidate = 0;
    std::uint32_t candidateCount = 0;
  };

  // All of them must outlive the object.  `progress(block, blocks)` is called now and then.
  AddressGroups(const SsaRewrite& rewrite, const analysis::Addresses& addresses,
                const analysis::Liveness& liveness,
                const std::function<void(std::size_t, std::size_t)>& progress);

  // In the order of a walk down the dominator tree.
  std::span<const Member> members() const { return members_; }
  // In ascending order.  Those after the value that it reads are near.
  std::span<const Candidate> candidates(const Member& member) const {
    return std::span(candidates_).subspan(member.firstCandidate, member.candidateCount);
  }
  // kNone for a value that belongs to none.
  GroupId groupOf(ValueId value) const { return groups_[value]; }
  std::uint32_t groupCount() const { return groupCount_; }
  // value - base, both of one group, or `base` of its wide group.
  std::int64_t distance(ValueId base, ValueId value) const;
  // How many values belong to it.
  std::uint32_t sizeOf(GroupId group) const { return sizes_[group]; }
  // Its register holds it wherever its block dominates, after its definition, and can be named
  // there.
  bool isKeptForGood(ValueId value) const {
    return mayBeBase(value) && definitions_[static_cast<std::size_t>(ssa_.reg(value))] <= 1;
  }
  // Phis that are a constant apart were not found (analysis/addresses/offset_classes.h).
  bool areRoundsMet() const { return areRoundsMet_; }
  // Of addresses of 32 bits, the group of 64 bits whose lower half has the same terms; kNone if
  // there is none.
  GroupId wideGroupOf(GroupId narrow) const { return wideGroups_[narrow]; }

 private:
  class Walk;
  void findGroups();
  void countDefinitions();
  bool mayBeBase(ValueId value) const;

  const SsaRewrite& rewrite_;
  const analysis::Ssa& ssa_;
  const analysis::Addresses& addresses_;
  std::vector<GroupId> groups_;           // by value
  std::vector<std::uint64_t> constants_;  // by value, of those that belong to a group
  std::uint32_t groupCount_ = 0;
  std::vector<std::uint32_t> sizes_;       // by group
  std::vector<GroupId> wideGroups_;        // by group
  std::vector<std::uint8_t> definitions_;  // by register: 2 for more
  bool areRoundsMet_ = false;
  std::vector<Member> members_;
  std::vector<Candidate> candidates_;
};

}  // namespace ptxopt::passes
