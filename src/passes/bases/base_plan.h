// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers addresses of a function go through: the decisions of common-base.
//
// A value that only accesses need goes if a base serves all of these:
//   - one that a register holds there (AddressGroups): the first that was computed.  Where that
//     register is not needed anyway, it has to be worth it: kFarSavings instructions go;
//   - a new one at the end of the nearest common dominator of several such values, which computes
//     what all of them compute, but for a number that is added.  The text of the computations must
//     agree: what the forms of two values prove may hold in their own blocks only;
//   - a new one where paths meet, a copy of what each of them has.
// What only computed the value goes with it.
//
// What only goes around a loop, or comes from several paths, to be accessed goes as a whole: phis,
// and the steps between them, where a register holds a value of the group for each access.
//
// An address of 32 bits may go through the lower half of one of 64 bits, which is one `cvt`.
//
// Copies of the address of a variable that several blocks make become one, in the entry block.
//
// No base lives through a call that did not before (docs/soundness/ D4.6).
//
// Cost: O(operands + members), kMostInWeb values for each phi; for each group of addresses
// maxIterations rounds over its values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/flow/loops.h"
#include "passes/bases/address_groups.h"
#include "passes/bases/call_free_paths.h"
#include "passes/engine/pass.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

// The knobs, by their names in the field: cbe-enable, cbe-max-depth and so on.
struct CommonBaseOptions {
  unsigned isEnabled = 1;
  unsigned maxDepth = 8;        // instructions of an address that are looked at, and made
  unsigned maxIterations = 16;  // rounds of bringing addresses of a group together
  unsigned minUses = 2;         // accesses of a new base
  unsigned clonesAllocas = 1;   // addresses of variables go to the entry block
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
  analysis::BlockId block = kNone;
  std::vector<analysis::ValueId> chain;  // the last one is the base; of the others that alone
  std::vector<analysis::ValueId> sources;
  std::string name;
};

class BasePlan {
 public:
  using ValueId = analysis::ValueId;
  using Member = AddressGroups::Member;
  // What a member's address is: a value, or valueCount() and more for a made one.
  struct Place {
    ValueId base = kNone;
    std::int64_t offset = 0;
  };

  // All of them must outlive the object.
  BasePlan(const SsaRewrite& rewrite, const AddressGroups& groups, const CommonBaseOptions& options,
           const BaseNumbers& numbers, PassContext& context);
  void run();

  bool isChanged() const { return isChanged_; }
  bool isDead(ValueId value) const { return isDead_.test(value); }
  const Place& placeOf(std::uint32_t member) const { return places_[member]; }
  std::span<const MadeBase> made() const { return made_; }
  bool isUsed(std::size_t made) const {
    return readers_[readers_.size() - made_.size() + made] != 0;
  }
  // What to read in place of `value`, wherever it is read: itself, or a base at the entry.
  ValueId standIn(ValueId value) const { return standIns_[value]; }
  bool hasStandIns() const { return hasStandIns_; }

 private:
  struct Cluster {
    analysis::BlockId block = kNone;  // that dominates them
    std::vector<ValueId> values;
  };
  // What a value is at the end of a block, but for a number that is added: the same words, the same
  // number.
  struct Recipe {
    std::vector<ValueId> chain;
    std::vector<std::uint64_t> words;
    std::uint64_t added = 0;
  };

  void countReaders();
  void addMember(ValueId value, std::uint32_t member);
  bool spend();
  bool mayGo(ValueId value) const;
  bool isOnlyAddress(ValueId value) const;
  void sweep();
  void process(ValueId value);
  ValueId baseFor(ValueId value) const;
  bool servesAll(ValueId base, ValueId value, bool mayBeFar) const;
  bool allFit(ValueId value, std::int64_t distance) const;
  bool isCallFree(const CallFreePaths::Point& from, ValueId value) const;
  unsigned savedBy(ValueId value) const;
  ValueId addMade(MadeBase made);
  void move(ValueId value, ValueId base, std::int64_t distance);
  void kill(ValueId value);

  struct Web {
    std::vector<ValueId> values;
    std::vector<std::pair<std::uint32_t, Place>> members;  // and what each of them goes through
  };
  void mergePhis();
  bool findWeb(ValueId phi, Web& web) const;
  bool findPlaces(Web& web) const;
  void remove(const Web& web);
  template <class Visitor>
  void forEachSource(ValueId value, Visitor&& visit) const;

  void hoist();
  void hoistGroup(std::span<const ValueId> values);
  bool mergeNeighbours(std::vector<Cluster>& clusters);
  analysis::BlockId commonDominator(analysis::BlockId a, analysis::BlockId b) const;
  bool isWorthHoisting(const Cluster& cluster);
  bool describe(ValueId value, analysis::BlockId block, Recipe& recipe);
  bool describeChain(ValueId value, analysis::BlockId block, unsigned depth, Recipe& recipe);
  bool isAvailable(ValueId value, analysis::BlockId block) const;
  void makeHoisted(const Cluster& cluster);

  std::vector<std::pair<GroupId, ValueId>> keptBases() const;
  void join();
  bool makeJoined(ValueId value, std::span<const ValueId> candidates);
  bool isPlainBlock(analysis::BlockId block) const;

  void cast();
  ValueId wideBaseFor(ValueId value, std::span<const ValueId> candidates) const;

  bool isDeclaredAhead(ir::SymbolId variable) const;
  void materialiseVariables();

  std::string nameOf(ValueId base) const;
  void note(ValueId value, ValueId base, std::int64_t distance, std::uint32_t accesses,
            const ir::Instruction& place);
  void noteCaps();
  void countApart();

  const SsaRewrite& rewrite_;
  const analysis::Ssa& ssa_;
  const AddressGroups& groups_;
  const CommonBaseOptions& options_;
  BaseNumbers numbers_;
  PassContext& context_;
  const analysis::Loops& loops_;
  const CallFreePaths calls_;
  std::vector<std::uint32_t> readers_;      // by value; accesses are among them
  std::vector<std::uint32_t> firstMember_;  // by value
  std::vector<std::uint32_t> memberCount_;  // by value
  std::vector<std::uint32_t> nextMember_;   // by member
  std::vector<Place> places_;               // by member
  std::vector<ValueId> standIns_;           // by value
  std::vector<MadeBase> made_;
  std::vector<ir::SymbolId> declaredAhead_;  // variables, sorted: of the function, above its code
  BitSet isDead_;
  BitSet lostReader_;
  bool hasStandIns_ = false;
  bool isChanged_ = false;
  bool isStopped_ = false;  // the budget is spent
  bool isDepthMet_ = false;
  bool areIterationsMet_ = false;
};

}  // namespace ptxopt::passes
