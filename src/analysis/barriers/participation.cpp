// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/participation.h"

#include <algorithm>
#include <array>

#include "analysis/barriers/participation_builder.h"
#include "analysis/launch/launch_shape.h"
#include "ir/effect.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

BarrierUse useOf(const ir::Function& function) {
  BarrierUse use;
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr) continue;
    if (const auto barrier = ir::ctaBarrier(*instruction)) {
      use.ids |= barrier->ids;
      use.hasPartial |= !barrier->isFull();
    } else if (ir::mayBeAnyBarrier(*instruction)) {
      use.mayBeAny = true;
    } else if (ir::effectOf(*instruction) == isa::Effect::Pin) {
      use.hasPin = true;
    }
  }
  return use;
}

// Code outside of this module, or that a linker may replace (docs/soundness/ A5.2).
constexpr BarrierUse kUnknownUse = {kAllBarrierIds, true, true, true};

}  // namespace

std::optional<ir::CtaBarrier> ctaBarrierWith(const ValueRanges* ranges,
                                             const ir::Instruction& instruction) {
  std::optional<ir::CtaBarrier> barrier = ir::ctaBarrier(instruction);
  if (!barrier || ranges == nullptr) return barrier;
  const std::size_t idAt = barrier->kind == ir::CtaBarrier::Kind::Reduce ? 1 : 0;
  const auto rangeAt = [&](std::size_t k) {
    return ranges->ofOperand(instruction, *instruction.operand(k), 32);
  };
  if (!barrier->id) {
    const ValueRange range = rangeAt(idAt);
    if (range.bits != 0 && range.highest < ir::kCtaBarriers) {
      barrier->ids = (BarrierIds{2} << range.highest) - (BarrierIds{1} << range.lowest);
      if (range.isConstant()) barrier->id = static_cast<std::uint32_t>(range.lowest);
    }
  }
  if (barrier->hasCount && !barrier->count) {
    const ValueRange range = rangeAt(idAt + 1);
    if (range.isConstant()) barrier->count = static_cast<std::uint32_t>(range.lowest);
  }
  return barrier;
}

bool countsWholeBlock(const ir::Function& entry, const Assumptions& assumptions,
                      const ir::CtaBarrier& barrier) {
  if (!entry.isEntry()) return false;
  const auto block = LaunchShape::of(entry, assumptions).block;
  if (!block || !barrier.count || !barrier.id || barrier.kind == ir::CtaBarrier::Kind::Arrive) {
    return false;
  }
  return std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2] == *barrier.count;
}

void BarrierUse::merge(const BarrierUse& other) {
  ids |= other.ids;
  mayBeAny |= other.mayBeAny;
  hasPartial |= other.hasPartial;
  hasPin |= other.hasPin;
}

BarrierUses::BarrierUses(const ir::Module& module, const CallGraph& graph)
    : graph_(&graph), own_(graph.graph().vertexCount()), total_(graph.components().count) {
  own_[graph.outside()] = kUnknownUse;
  for (const ir::Function& function : module.functions()) {
    if (function.hasBody()) own_[graph.vertexOf(function)] = useOf(function);
  }
  // The totals of callees are complete when they are needed.
  for (const Vertex v : graph.bottomUp()) {
    BarrierUse& sum = total_[graph.components().component[v]];
    sum.merge(own_[v]);
    for (const Vertex callee : graph.graph().successors(v)) sum.merge(total(callee));
  }
}

BarrierUse BarrierUses::ofCall(const ir::Function& caller, const ir::Instruction& call) const {
  BarrierUse use;
  for (const Vertex v : graph_->targets(caller, call)) use.merge(total(v));
  return use;
}

BitSet functionsWithKnownCallers(const BarrierUses& uses, const CallGraph& graph) {
  BitSet found(graph.graph().vertexCount());
  const std::vector<Vertex> order = graph.bottomUp();
  // Callers come first, so their results are already known.
  for (std::size_t k = order.size(); k-- > 0;) {
    const Vertex v = order[k];
    const ir::Function* function = graph.function(v);
    if (function == nullptr || !function->hasBody() || function->isEntry()) continue;
    if (!graph.callersAreKnown(v) || graph.isRecursive(v)) continue;
    if (!uses.withCallees(*function).any()) continue;
    const auto callers = graph.graph().predecessors(v);
    const bool areKnown = std::all_of(callers.begin(), callers.end(), [&](Vertex caller) {
      const ir::Function* of = graph.function(caller);
      return found.test(caller) || (of != nullptr && of->isEntry());
    });
    if (areKnown) found.set(v);
  }
  return found;
}

std::vector<std::vector<const ir::Function*>> functionsThatShareBarriers(
    const CallGraph& graph, const BitSet& withKnownCallers) {
  if (withKnownCallers.empty()) return {};
  // Disjoint sets of vertices.
  std::vector<Vertex> leader(graph.graph().vertexCount());
  for (Vertex v = 0; v < leader.size(); ++v) leader[v] = v;
  const auto find = [&](Vertex v) {
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
  };
  for (Vertex v = 0; v < leader.size(); ++v) {
    if (!withKnownCallers.test(v)) continue;
    for (const Vertex caller : graph.graph().predecessors(v)) leader[find(v)] = find(caller);
  }
  std::vector<std::vector<const ir::Function*>> byLeader(leader.size());
  const std::vector<Vertex> order = graph.bottomUp();
  for (std::size_t k = order.size(); k-- > 0;) {
    const ir::Function* function = graph.function(order[k]);
    if (function == nullptr || !function->hasBody() || function->isOpaque) continue;
    byLeader[find(order[k])].push_back(function);
  }
  std::erase_if(byLeader, [](const auto& group) { return group.size() < 2; });
  return byLeader;
}

Participation::Participation(const Cfg& cfg, const Liveness& liveness, const BarrierUses& uses)
    : Participation(std::array{Body{&cfg, &liveness}}, uses, nullptr, nullptr, {}) {}

Participation::Participation(std::span<const Body> bodies, const BarrierUses& uses,
                             const CallGraph& graph, const BitSet& withKnownCallers,
                             const Uniformity::InstructionSet& broadcasts)
    : Participation(bodies, uses, &graph, &withKnownCallers, broadcasts) {}

Participation::Participation(std::span<const Body> bodies, const BarrierUses& uses,
                             const CallGraph* graph, const BitSet* withKnownCallers,
                             const Uniformity::InstructionSet& broadcasts) {
  Builder(*this, bodies, uses, graph, withKnownCallers, broadcasts).build();
}

std::size_t Participation::countCandidates() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      barriers_, [](const Member& member) { return isCandidate(member.standing); }));
}

}  // namespace ptxopt::analysis
