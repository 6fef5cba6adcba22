// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register liveness: a register is live if some path reads it before writing it in full.
//
// A definition under a guard, a definition of one component, and one by an instruction that is not
// understood do not kill a register.  A guard is a use.  The results of a .func that are registers
// are live where it returns.  The carry flag is not a register.
//
// Only registers that some block reads before it writes them take part in the dataflow; the others
// are never live at the border of a block.  States are bits or shared sets (see dataflow.h).  Cost:
// O(operands) and the solver; 12 bytes a register during construction, then 4 to 8.  Not
// thread-safe, since a query may add to the pool of shared sets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "analysis/flow/cfg.h"
#include "analysis/flow/dataflow.h"
#include "support/bit_set.h"
#include "support/shared_set.h"
#include "support/sparse_set.h"

namespace ptxopt::analysis {

// A list of numbers for each block, in one array.
struct BlockLists {
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint32_t> elements;
  void endBlock() { offsets.push_back(elements.size()); }
  void sortEach();  // sets that are not BitSets need this
  std::span<const std::uint32_t> of(BlockId block) const {
    const std::size_t first = offsets[indexOf(block)];
    return std::span(elements).subspan(first, offsets[indexOf(block) + 1] - first);
  }
};

template <class Set>
struct LivenessProblem {
  using State = Set;
  static constexpr Direction kDirection = Direction::Backward;
  State initial() const { return none; }
  State boundary() const {
    Set live = none;
    live.unite(std::span<const std::uint32_t>(liveAtExit));
    return live;
  }
  void meet(State& into, const State& from) const { into.unite(from); }
  void transfer(BlockId block, State& live) const {
    live.subtract(killed.of(block));
    live.unite(exposed.of(block));
  }

  Set none;
  std::vector<std::uint32_t> liveAtExit;
  BlockLists exposed;  // read before they are written in full
  BlockLists killed;   // written in full
};

class Liveness {
 public:
  // Which definitions end the live range of a register, looking backwards.
  enum class Kill : std::uint8_t {
    FullDefinition,
    // Partial definitions too.  An operand that an instruction which is not understood may read or
    // write counts as written, not as read.  Then "live at the entry" means "read before anything
    // wrote it".
    AnyDefinition,
  };

  // The Cfg must outlive the object.
  explicit Liveness(const Cfg& cfg, Kill kill = Kill::FullDefinition);

  const Cfg& cfg() const { return *cfg_; }
  // The registers that are live at the border of some block, ascending, and their places in that
  // list; kNone for any other register.
  std::span<const ir::RegisterId> crossing() const { return registers_; }
  std::uint32_t crossingNumber(ir::RegisterId id) const {
    return numbers_[static_cast<std::uint32_t>(id)];
  }
  // O(1) for bits, O(log registers) for shared sets.  isLiveOut costs this for each successor.
  bool isLiveIn(BlockId block, ir::RegisterId id) const;
  bool isLiveOut(BlockId block, ir::RegisterId id) const;
  // In ascending order.
  std::vector<ir::RegisterId> liveIn(BlockId block) const;
  std::vector<ir::RegisterId> liveOut(BlockId block) const;

 private:
  template <class Set>
  using Solution = Dataflow<LivenessProblem<Set>>;
  using AnySolution = std::variant<Solution<BitSet>, Solution<SharedSet>>;
  AnySolution solve(Kill kill);

  const Cfg* cfg_;
  std::vector<std::uint32_t> numbers_;     // by register: in the universe, or kNone
  std::vector<ir::RegisterId> registers_;  // by number
  std::unique_ptr<SharedSetPool> pool_;    // where the sets are not bits
  AnySolution solution_;
};

// Walks a block backwards with the set of live registers:
//
//   LivenessCursor cursor(liveness);
//   cursor.startAtEnd(block);
//   for each instruction of the block, the last first:
//     ... cursor.isLive(r): live after the instruction ...
//     cursor.stepOver(instruction);
//
// Making a cursor costs 4 bytes a register; starting costs O(live registers), stepping O(operands).
class LivenessCursor {
 public:
  explicit LivenessCursor(const Liveness& liveness)
      : liveness_(&liveness), live_(liveness.cfg().function().registerCount()) {}

  void startAtEnd(BlockId block);
  void stepOver(const ir::Instruction& instruction);
  bool isLive(ir::RegisterId id) const { return live_.test(static_cast<std::uint32_t>(id)); }
  // RegisterIds as numbers, in no particular order.
  const SparseSet& live() const { return live_; }

 private:
  const Liveness* liveness_;
  SparseSet live_;
};

}  // namespace ptxopt::analysis
