// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/loop_numbers.h"

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/addresses/form_program.h"
#include "analysis/barriers/condition_program.h"
#include "support/limits.h"
#include "support/residue.h"

namespace ptxopt::analysis {

namespace {

// Computes forms in which the loop variable is the only unknown, for the first warp of the block.
class OfVariable {
 public:
  OfVariable(const Addresses& addresses, LeafId variable, const std::array<std::uint32_t, 3>& block)
      : addresses_(addresses), program_(addresses), variable_(variable), warp_(block, 0) {}

  std::optional<FormProgram::Expression> add(FormId form) { return program_.add(form); }
  std::optional<ConditionProgram> add(const Condition& condition) {
    return ConditionProgram::of(condition, addresses_, program_);
  }
  bool isComplete() const {
    return std::ranges::all_of(program_.unknowns(), [&](LeafId leaf) { return leaf == variable_; });
  }
  void run(std::int64_t number) {
    const std::vector<std::int64_t> numbers(program_.unknowns().size(), number);
    program_.run(std::span(&warp_, 1), numbers);
  }
  // The number that all threads of the warp have.
  std::optional<std::uint64_t> result(FormProgram::Expression expression) const {
    if ((warp_.lanes & ~program_.outcomeOf(expression, 0).done) != 0) return std::nullopt;
    const OfLanes<std::uint64_t>& residues = program_.residuesOf(expression, 0);
    for (std::size_t lane = 1; lane < isa::kWarpSize; ++lane) {
      const bool exists = (warp_.lanes >> lane & 1) != 0;
      if (exists && residues[lane] != residues[0]) return std::nullopt;
    }
    return residues[0];
  }
  // No thread of the warp for which it holds.
  bool isFalse(const ConditionProgram& condition) const {
    return result(condition.left) && result(condition.right) &&
           (condition.lanesWhereItHolds(program_, 0) & warp_.lanes) == 0;
  }

 private:
  const Addresses& addresses_;
  FormProgram program_;
  LeafId variable_;
  WarpOfThreads warp_;
};

struct Ways {
  FormId first = FormId::None;  // on every way into the loop
  FormId next = FormId::None;   // on every way around it
};

Ways waysOf(const Addresses& addresses, const Loops& loops, LoopId loop, ValueId phi) {
  const Ssa& ssa = addresses.ssa();
  const Cfg& cfg = ssa.cfg();
  const std::span<const EdgeId> edges = cfg.inEdges(ssa.block(phi));
  const std::span<const ValueId> operands = ssa.phiOperands(phi);
  Ways ways;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == ValueId::None) continue;
    if (k >= edges.size()) return {};
    FormId& way = loops.contains(loop, cfg.source(edges[k])) ? ways.next : ways.first;
    const FormId form = addresses.formOf(operands[k]);
    if (form == FormId::None || (way != FormId::None && way != form)) return {};
    way = form;
  }
  return ways;
}

// What holds where the loop goes on to its next round.  None is left out but those that are not
// known: then the loop may end earlier than is found.
std::vector<Condition> conditionsOfNextRound(const Addresses& addresses, const Loops& loops,
                                             LoopId loop) {
  std::vector<Condition> found;
  const Ssa& ssa = addresses.ssa();
  const std::vector<EdgeId> backEdges = loops.backEdges(loop);
  if (backEdges.size() != 1) return found;
  const BranchConditions& conditions = addresses.ranges().conditions();
  const std::span<const Condition> ofEdge = conditions.ofEdge(backEdges[0]);
  found.assign(ofEdge.begin(), ofEdge.end());
  for (BlockId b = ssa.cfg().source(backEdges[0]); b != loops.header(loop) && b != BlockId::None;
       b = ssa.dominators().parent(b)) {
    for (const BranchConditions::Placed& placed : conditions.ofBlock(b)) {
      found.push_back(placed.condition);
    }
  }
  return found;
}

std::optional<std::int64_t> numberOf(const Leaf& leaf, std::uint64_t residue, unsigned bits) {
  for (const std::int64_t number :
       {static_cast<std::int64_t>(residue), signedResidue(residue, bits)}) {
    if (leaf.interval.contains(number)) return number;
  }
  return std::nullopt;
}

std::optional<std::int64_t> firstNumber(const Addresses& addresses, const Leaf& leaf, FormId form,
                                        const std::array<std::uint32_t, 3>& block) {
  OfVariable first(addresses, LeafId::None, block);
  const auto expression = first.add(form);
  if (!expression || !first.isComplete()) return std::nullopt;
  first.run(0);
  const auto residue = first.result(*expression);
  return residue ? numberOf(leaf, *residue, addresses.forms().form(form).bits) : std::nullopt;
}

}  // namespace

LoopId loopOfVariable(const Addresses& addresses, const Loops& loops, LeafId id) {
  const LeafKey& key = addresses.forms().leaf(id).key;
  const Ssa& ssa = addresses.ssa();
  if (key.kind != LeafKind::Value || !ssa.isPhi(ValueId{key.id})) return LoopId::None;
  const BlockId block = ssa.block(ValueId{key.id});
  const LoopId loop = loops.loopOf(block);
  const bool isHeader = loop != LoopId::None && loops.header(loop) == block;
  return isHeader && loops.isReducible(loop) ? loop : LoopId::None;
}

std::optional<LoopNumbers> loopNumbers(const Addresses& addresses, const Loops& loops, LeafId id,
                                       const std::array<std::uint32_t, 3>& block) {
  const Leaf& leaf = addresses.forms().leaf(id);
  const LoopId loop = loopOfVariable(addresses, loops, id);
  const Ways ways = waysOf(addresses, loops, loop, ValueId{leaf.key.id});
  if (ways.first == FormId::None || ways.next == FormId::None) return std::nullopt;
  const std::optional<std::int64_t> first = firstNumber(addresses, leaf, ways.first, block);
  if (!first) return std::nullopt;

  OfVariable variable(addresses, id, block);
  const auto next = variable.add(ways.next);
  if (!next || !variable.isComplete()) return std::nullopt;
  std::vector<std::pair<OfVariable, ConditionProgram>> conditions;
  for (const Condition& condition : conditionsOfNextRound(addresses, loops, loop)) {
    OfVariable of(addresses, id, block);
    const auto added = of.add(condition);
    if (added && of.isComplete()) conditions.emplace_back(std::move(of), *added);
  }
  LoopNumbers found{{*first}, false};
  while (!reaches(found.ofRound.size(), Limit::LoopNumbers)) {
    const std::int64_t now = found.ofRound.back();
    for (auto& [of, condition] : conditions) {
      of.run(now);
      found.isComplete |= of.isFalse(condition);
    }
    if (found.isComplete) return found;
    variable.run(now);
    const auto residue = variable.result(*next);
    const auto number =
        residue ? numberOf(leaf, *residue, addresses.forms().form(ways.next).bits) : std::nullopt;
    if (!number) return found;
    found.ofRound.push_back(*number);
  }
  return found;
}

bool startsAnywhere(const Addresses& addresses, const Loops& loops, LeafId id) {
  const LoopId loop = loopOfVariable(addresses, loops, id);
  const Ways ways = waysOf(addresses, loops, loop, ValueId{addresses.forms().leaf(id).key.id});
  if (ways.first == FormId::None) return false;
  const LinearForm form = addresses.forms().form(ways.first);
  if (form.terms.size() != 1) return false;
  const LeafKey& key = addresses.forms().leaf(form.terms[0].leaf).key;
  const Ssa& ssa = addresses.ssa();
  if (key.kind == LeafKind::Parameter) return true;
  const ValueId value = key.kind == LeafKind::Value ? ValueId{key.id} : ValueId::None;
  return value != ValueId::None && ssa.isDefinition(value) &&
         ssa.instruction(value).desc->is(isa::kMemoryRead);
}

}  // namespace ptxopt::analysis
