// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which register each address of a function goes through, and what goes because nothing reads it
// any more: what all the ways to share bases (base_plan.h) have in common.
//
// It counts the readers of each value, accesses among them, and knows what an instruction would
// save and whether its members could go through another register.  A value goes when its last
// reader does; the budget of the pass is spent for each decision.
//
// Values are those of the function, and from valueCount() on those that the pass makes.
//
// Cost: O(operands + members) to make; O(members of the value) for a question or a move.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "passes/bases/address_groups.h"
#include "passes/bases/call_free_paths.h"
#include "passes/engine/pass.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

// The options cbe-enable, cbe-max-depth and so on, in this order.  The pass says what they are by
// default.
struct CommonBaseOptions {
  bool isEnabled = false;
  unsigned maxDepth = 0;       // instructions of an address that are looked at, and made
  unsigned maxIterations = 0;  // rounds of bringing addresses of a group together
  unsigned minUses = 0;        // accesses of a new base
  bool clonesAllocas = false;  // addresses of variables go to the entry block
};

// The numbers from which on names are free: %scevcgp_N, %scevcgptmp_N, %baseValue_N, %bitCastEnd_N.
struct BaseNumbers {
  std::uint32_t merged = 0;
  std::uint32_t temporary = 0;
  std::uint32_t atEntry = 0;
  std::uint32_t cast = 0;
};

// A register that the pass makes, and what computes it.
struct MadeBase {
  enum class Kind : std::uint8_t {
    Hoisted,  // `chain` is computed again at the end of `block`
    Joined,   // a copy of sources[k] at the end of the k-th predecessor of `block`
    AtEntry,  // the address of a variable, at the beginning of the function
    Cast,     // the lower half of sources[0], after its definition
  };
  Kind kind = Kind::Hoisted;
  analysis::BlockId block = analysis::BlockId::None;
  std::vector<analysis::ValueId> chain;  // the last one is the base; of the others that alone
  std::vector<analysis::ValueId> sources;
  std::string name;
};

class BaseAssignment {
 public:
  using ValueId = analysis::ValueId;
  using Member = AddressGroups::Member;
  // What a member's address is.
  struct Place {
    ValueId base = ValueId::None;
    std::int64_t offset = 0;
  };
  // Instructions that go where a register has to hold a base for longer.  Measured on the corpus
  // (tests/corpus/own_tables.py): for less, kernels lose a step of occupancy.
  static constexpr unsigned kFarSavings = 3;

  // All of them must outlive the object.
  BaseAssignment(const SsaRewrite& rewrite, const AddressGroups& groups,
                 const CommonBaseOptions& options, const BaseNumbers& numbers,
                 PassContext& context);

  const SsaRewrite& rewrite() const { return rewrite_; }
  const analysis::Ssa& ssa() const { return ssa_; }
  const AddressGroups& groups() const { return groups_; }
  const CommonBaseOptions& options() const { return options_; }
  const CallFreePaths& calls() const { return calls_; }
  PassContext& context() const { return context_; }

  // ---- what became of values and members --------------------------------------------------------

  bool isChanged() const { return isChanged_; }
  bool isDead(ValueId value) const { return isDead_.test(value); }
  bool hasLostReader(ValueId value) const { return lostReader_.test(value); }
  const Place& placeOf(std::uint32_t member) const { return places_[member]; }
  std::span<const MadeBase> made() const { return made_; }
  std::uint32_t readersOf(ValueId value) const { return readers_[value]; }
  // The accesses among the readers.
  std::uint32_t memberCount(ValueId value) const { return memberCount_[value]; }
  std::uint32_t firstMember(ValueId value) const { return firstMember_[value]; }
  // Of all members of a value; stops at the first one for which it is false.
  template <class Predicate>
  bool allMembers(ValueId value, Predicate&& holds) const {
    for (std::uint32_t m = firstMember_[value]; m != kNone; m = nextMember_[m]) {
      if (!holds(m)) return false;
    }
    return true;
  }
  // What to read in place of `value`, wherever it is read: itself, or another one.
  ValueId standIn(ValueId value) const { return standIns_[value]; }
  bool hasStandIns() const { return hasStandIns_; }
  // What a phi joins, or the instruction of a definition reads and leaves: all that it is among the
  // readers of.
  template <class Visitor>
  void forEachSource(ValueId value, Visitor&& visit) const;

  // ---- what could go, and how -------------------------------------------------------------------

  // Nothing reads it any more, or accesses alone, and its instruction can go with it.
  bool mayGo(ValueId value) const;
  // Accesses read it, and nothing else.
  bool isOnlyAddress(ValueId value) const;
  // Of a definition: its instruction computes it and nothing else, and can go without it.
  bool isAlone(ValueId value) const;
  // Instructions that go with the value, its own among them; maxDepth for that many and more.
  unsigned savedBy(ValueId value) const;
  // distance + offset, where an immediate of SASS holds it (docs/soundness/ D4.3).
  static std::optional<std::int64_t> offsetFrom(std::int64_t distance, std::int64_t offset);
  // All its members could have their addresses that far from another base.
  bool allFit(ValueId value, std::int64_t distance) const;
  // Nothing is called on the way to its members: what lives through a call must be saved there
  // (docs/soundness/ D4.6).
  bool isCallFree(const CallFreePaths::Point& from, ValueId value) const;
  // Its register holds it at the end of the block.
  bool isAvailable(ValueId value, analysis::BlockId block) const;

  // ---- decisions --------------------------------------------------------------------------------

  // Of the budget, ahead of a decision.
  bool spend();
  bool isStopped() const { return isStopped_; }
  ValueId addMade(MadeBase made);
  // Something that the pass makes reads it.
  void addReader(ValueId value) { ++readers_[value]; }
  // All members of `value` go through `base`, that far away; it goes if nothing else reads it.
  void move(ValueId value, ValueId base, std::int64_t distance);
  // The members of some values go to these places.
  void redirect(std::span<const ValueId> values,
                std::span<const std::pair<std::uint32_t, Place>> members);
  // `base` is read wherever `value` is, which goes.
  void replace(ValueId value, ValueId base);
  // Its readers are gone.
  void kill(ValueId value);
  // A remark: that many accesses of `value` go through `base`.
  void note(ValueId value, ValueId base, std::int64_t distance, std::uint32_t accesses,
            const ir::Instruction& place);

 private:
  void countReaders();
  void addMember(ValueId value, std::uint32_t member);
  std::string nameOf(ValueId base) const;

  const SsaRewrite& rewrite_;
  const analysis::Ssa& ssa_;
  const AddressGroups& groups_;
  const CommonBaseOptions& options_;
  BaseNumbers numbers_;
  PassContext& context_;
  const CallFreePaths calls_;
  IdVector<ValueId, std::uint32_t> readers_;  // accesses are among them
  IdVector<ValueId, std::uint32_t> firstMember_;
  IdVector<ValueId, std::uint32_t> memberCount_;
  std::vector<std::uint32_t> nextMember_;  // by member
  std::vector<Place> places_;              // by member
  IdVector<ValueId, ValueId> standIns_;
  std::vector<MadeBase> made_;
  BitSet isDead_;
  BitSet lostReader_;
  bool hasStandIns_ = false;
  bool isChanged_ = false;
  bool isStopped_ = false;  // the budget is spent
};

template <class Visitor>
void BaseAssignment::forEachSource(ValueId v, Visitor&& visit) const {
  const auto see = [&](ValueId value) {
    if (value != ValueId::None) visit(standIns_[value]);
  };
  if (ssa_.isPhi(v)) {
    for (const ValueId operand : ssa_.phiOperands(v)) see(operand);
  } else {
    ssa_.forEachUse(ssa_.instruction(v), see);
    see(ssa_.old(v));
  }
}

// New instructions can stand at its end, ahead of its branch.
bool isPlainBlock(const analysis::Cfg& cfg, analysis::BlockId block);

}  // namespace ptxopt::passes
