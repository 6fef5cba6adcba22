// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/maybe_undefined.h"

#include <algorithm>
#include <span>

#include "analysis/flow/dataflow.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/register_effects.h"
#include "support/bit_set.h"
#include "support/shared_set.h"
#include "support/sparse_set.h"

namespace ptxopt::analysis {

namespace {

using ir::RegisterId;

// The registers that some path reads before it writes them, by their index in a list.
class Suspects {
 public:
  explicit Suspects(const Cfg& cfg) {
    const Liveness liveness(cfg, Liveness::Kill::AnyDefinition);
    for (const RegisterId id : liveness.liveIn(cfg.entry())) {
      if (!isParameter(cfg.function(), id)) registers_.push_back(id);
    }
  }

  std::size_t count() const { return registers_.size(); }
  // kNone if the register is not a suspect.
  std::uint32_t find(RegisterId id) const {
    const auto at = std::ranges::lower_bound(registers_, id);
    if (at == registers_.end() || *at != id) return kNone;
    return static_cast<std::uint32_t>(at - registers_.begin());
  }

 private:
  static bool isParameter(const ir::Function& function, RegisterId id) {
    const ir::RegisterRange& range = function.rangeOf(id);
    return range.isParameter && std::ranges::none_of(function.results, [&](const auto* result) {
             return result->name == range.name;
           });
  }

  std::vector<RegisterId> registers_;  // ascending
};

// Forward problem: the suspects that may be unwritten.
template <class Set>
struct UnwrittenProblem {
  using State = Set;
  static constexpr Direction kDirection = Direction::Forward;
  State initial() const { return none; }
  State boundary() const { return all; }
  void meet(State& into, const State& from) const { into.unite(from); }
  void transfer(BlockId block, State& unwritten) const { unwritten.subtract(written->of(block)); }

  Set none;
  Set all;
  const BlockLists* written;
};

template <class Set>
std::vector<UndefinedRead> findReads(const Cfg& cfg, const Suspects& suspects, Set none, Set all) {
  BlockLists written;
  for (const BlockId b : cfg.blocksAndExit()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      forEachDefinition(instruction, [&](RegisterId id, bool) {
        const std::uint32_t suspect = suspects.find(id);
        if (suspect != kNone) written.elements.push_back(suspect);
      });
    }
    written.endBlock();
  }
  written.sortEach();
  const Dataflow<UnwrittenProblem<Set>> solution(cfg, {std::move(none), std::move(all), &written});

  std::vector<UndefinedRead> reads;
  SparseSet writtenHere(suspects.count());
  for (const BlockId b : cfg.blocks()) {
    const Set unwritten = solution.before(b);  // empty in an unreachable block
    writtenHere.clear();
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      const std::size_t first = reads.size();
      forEachCertainUse(instruction, [&](RegisterId id) {
        const std::uint32_t suspect = suspects.find(id);
        if (suspect == kNone || writtenHere.test(suspect) || !unwritten.test(suspect)) return;
        const std::span<const UndefinedRead> here = std::span(reads).subspan(first);
        const auto isSame = [&](const UndefinedRead& other) { return other.id == id; };
        if (std::ranges::none_of(here, isSame)) reads.push_back({&instruction, id});
      });
      forEachDefinition(instruction, [&](RegisterId id, bool) {
        const std::uint32_t suspect = suspects.find(id);
        if (suspect != kNone) writtenHere.set(suspect);
      });
    }
  }
  return reads;
}

}  // namespace

MaybeUndefined::MaybeUndefined(const Cfg& cfg) {
  const Suspects suspects(cfg);
  if (suspects.count() == 0) return;
  const std::size_t count = suspects.count();
  if (denseFits(cfg.vertexCount(), count)) {
    reads_ = findReads<BitSet>(cfg, suspects, BitSet(count), BitSet(count, true));
  } else {
    SharedSetPool pool(count);
    reads_ = findReads<SharedSet>(cfg, suspects, SharedSet(pool), SharedSet(pool, true));
  }
}

}  // namespace ptxopt::analysis
