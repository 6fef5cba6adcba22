// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which asynchronous operations of a thread may be outstanding, counted as the waits for groups
// count them, and so which of these waits wait for nothing: docs/soundness/ H1, H2.
//
// cp.async, bulk operations with .bulk_group, and wgmma.mma_async are waited for by groups of one
// thread (of wgmma: of one warp, which executes all of it together).  A forward data flow keeps,
// for each of these families, which of the newest committed groups may hold operations that are not
// known to be complete, and whether operations may have been issued since the last commit.  Of
// tcgen05 it keeps whether a load, and whether a store, may not have been waited for.
//
// It never says less than there may be.  A guarded wait or commit counts as one that may not have
// been executed, a guarded operation as one that may.  Behind a call, behind an instruction that is
// not understood, and at the entry of a function that is no kernel, everything may be outstanding.
//
// Cost: a data flow, O(instructions) transfers for each loop around them, and a second one for
// waits with .read and for commits of nothing behind which groups are open; nothing where the
// function has no such wait.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "analysis/flow/cfg.h"
#include "isa/wait_role.h"

namespace ptxopt::analysis {

enum class GroupFamily : std::uint8_t { Copies, Bulk, Products };  // cp.async, bulk, wgmma
inline constexpr std::size_t kGroupFamilies = 3;
// Of what is issued into groups, and of commits and waits of groups; none for all else.
std::optional<GroupFamily> groupFamilyOf(isa::WaitRole role);

// What may be outstanding of one family.
struct OpenGroups {
  // Bit k: the k-th newest committed group (0: the newest) may hold operations that are not
  // complete.  The last bit stands for all groups from there on.
  std::uint32_t incomplete = 0;
  std::uint32_t unread = 0;  // the same, but for bulk groups: not all sources have been read
  bool uncommitted = false;  // operations may have been issued since the last commit

  friend bool operator==(const OpenGroups&, const OpenGroups&) = default;
};

struct OutstandingState {
  std::array<OpenGroups, kGroupFamilies> groups;
  bool tensorLoads = false;  // of tcgen05, without a wait::ld since
  bool tensorStores = false;

  const OpenGroups& of(GroupFamily family) const {
    return groups[static_cast<std::size_t>(family)];
  }
  OpenGroups& of(GroupFamily family) { return groups[static_cast<std::size_t>(family)]; }
  friend bool operator==(const OutstandingState&, const OutstandingState&) = default;

  static OutstandingState unknown();           // everything may be outstanding
  void join(const OutstandingState& other);    // what may be outstanding in either
  void pass(const ir::Instruction& executed);  // from before the instruction to behind it
  // All that the wait waits for is complete, and nothing is uncommitted that it might be meant to
  // wait for.  Only for waits of these families.
  bool isWaitOfNothing(const ir::Instruction& wait) const;
  // The same, whatever is uncommitted: cp.async.wait_all alone waits for that.
  bool completesNothing(const ir::Instruction& wait) const;
};

class OutstandingGroups {
 public:
  explicit OutstandingGroups(const Cfg& cfg);

  // Whenever the wait is executed, all that it waits for is complete already.
  bool isWaitOfNothing(const ir::Instruction& wait) const { return ofNothing_.contains(&wait); }
  // Nobody learns by the wait that something is complete: it is no observation (G1.4).
  bool completesNothing(const ir::Instruction& wait) const {
    return completingNothing_.contains(&wait);
  }
  // The commit ends a group without operations, and every wait waits for the same operations
  // without it.
  bool isNeedlessCommit(const ir::Instruction& commit) const { return needless_.contains(&commit); }
  // A cp.async.bulk.wait_group.read, behind which the thread waits for the same groups to be
  // complete on every path, before anything overwrites a source or another thread can know that
  // they were read.
  bool isRepeatedBehind(const ir::Instruction& wait) const { return repeated_.contains(&wait); }

 private:
  using InstructionSet = std::unordered_set<const ir::Instruction*>;

  void findOutstanding(const Cfg& cfg);
  void findLaterWaits(const Cfg& cfg);

  InstructionSet ofNothing_;
  InstructionSet completingNothing_;  // includes these
  InstructionSet needless_;
  InstructionSet empty_;  // commits of groups without operations, of which older ones may be open
  InstructionSet repeated_;
};

// The number of groups that a wait leaves outstanding; none if it is not a constant or not a wait
// for groups.  0 for cp.async.wait_all.
std::optional<std::uint32_t> groupsLeft(const ir::Instruction& wait);

}  // namespace ptxopt::analysis
