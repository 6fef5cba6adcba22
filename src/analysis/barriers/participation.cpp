// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/participation.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "analysis/launch/launch_shape.h"
#include "ir/effect.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

// The number of barrier ids of the hardware.
constexpr std::uint32_t kBarrierCount = 16;

BarrierUse useOf(const ir::Function& function) {
  BarrierUse use;
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr) continue;
    if (const auto barrier = ir::ctaBarrier(*instruction)) {
      use.ids |= barrierIds(*barrier);
      use.hasPartial |= !barrier->isFull();
    } else if (ir::mayBeAnyBarrier(*instruction)) {
      use.mayBeAny = true;
    } else if (ir::effectOf(*instruction) == isa::Effect::Pin) {
      use.hasPin = true;
    }
  }
  return use;
}

// docs/soundness/ A1.9, C10.1: only for a barrier without a count; the control flow around it may
// vary.
bool isAligned(const Participation::Member& member) {
  const isa::InstructionDesc& desc = *member.instruction->desc;
  return member.barrier.isFull() && (desc.opcode == isa::Opcode::Bar || desc.has(".aligned"));
}

// A generic address may point to memory of the thread itself.
bool mayBeOwn(const Cfg& cfg) {
  if (!cfg.function().isEntry()) return true;
  for (const BlockId b : cfg.blocks()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      const isa::InstructionDesc& desc = *instruction.desc;
      if (!desc.known()) return true;
      if (desc.opcode == isa::Opcode::Cvta && desc.space == isa::Space::Local) return true;
    }
  }
  return false;
}

// True for loads from memory that other threads or the host can write.  The contents of a thread's
// private memory are treated like registers.
bool loadsData(const ir::Instruction& instruction, bool genericMayBeOwn) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.opcode != isa::Opcode::Ld || !desc.known()) return false;
  switch (desc.effect) {
    case isa::Effect::ImmutableRead:
    case isa::Effect::InvariantRead:
      return true;
    case isa::Effect::Weak:
    case isa::Effect::Strong:
    case isa::Effect::Sync:
      break;
    default:
      return false;
  }
  return desc.space != isa::Space::None || !genericMayBeOwn;
}

void insertDataLoads(const Cfg& cfg, Uniformity::InstructionSet& agree) {
  const bool genericMayBeOwn = mayBeOwn(cfg);
  for (const BlockId b : cfg.blocks()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      if (loadsData(instruction, genericMayBeOwn)) agree.insert(&instruction);
    }
  }
}

// Code outside of this module, or that a linker may replace (docs/soundness/ A5.2).
constexpr BarrierUse kUnknownUse = {kAllBarrierIds, true, true, true};

}  // namespace

BarrierIds barrierIds(const ir::CtaBarrier& barrier) {
  if (!barrier.id || *barrier.id >= kBarrierCount) return kAllBarrierIds;
  return BarrierIds{1} << *barrier.id;
}

bool countsWholeBlock(const ir::Function& function, const ir::CtaBarrier& barrier) {
  const auto block = LaunchShape::of(function).block;
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
    : Participation(std::array{Body{&cfg, &liveness}}, uses, nullptr, nullptr) {}

Participation::Participation(std::span<const Body> bodies, const BarrierUses& uses,
                             const CallGraph& graph, const BitSet& withKnownCallers)
    : Participation(bodies, uses, &graph, &withKnownCallers) {}

Participation::Participation(std::span<const Body> bodies, const BarrierUses& uses,
                             const CallGraph* graph, const BitSet* withKnownCallers)
    : uniformity_(bodies.size()) {
  struct Call {
    std::uint32_t caller;
    const ir::Instruction* instruction;
    std::uint32_t callee;
  };
  std::vector<Call> calls;  // of bodies
  std::unordered_map<const ir::Function*, std::uint32_t> bodyOf;
  for (std::uint32_t k = 0; k < bodies.size(); ++k) bodyOf[&bodies[k].cfg->function()] = k;
  const auto calleeAmongBodies = [&](const ir::Function& caller, const ir::Instruction& call) {
    if (graph == nullptr || !call.desc->known()) return kNone;
    const std::vector<Vertex> targets = graph->targets(caller, call);
    if (targets.size() != 1 || !withKnownCallers->test(targets[0])) return kNone;
    const auto found = bodyOf.find(graph->function(targets[0]));
    return found == bodyOf.end() ? kNone : found->second;
  };

  // Ids that an instruction other than a full barrier of all threads uses (C1.4).
  BarrierIds tainted = 0;
  std::vector<std::optional<BitSet>> blocksWithBarriers(bodies.size());
  for (std::uint32_t k = 0; k < bodies.size(); ++k) {
    const Cfg& cfg = *bodies[k].cfg;
    BitSet meetsBarrier(cfg.vertexCount());
    bool meetsAny = false;
    for (const BlockId b : cfg.blocks()) {
      for (ir::Instruction& instruction : cfg.instructions(b)) {
        if (const auto barrier = ir::ctaBarrier(instruction)) {
          barriers_.push_back({&instruction, *barrier, Standing::Partial, k});
          meetsBarrier.set(b);
        } else if (ir::mayBeAnyBarrier(instruction)) {
          tainted = kAllBarrierIds;
          meetsBarrier.set(b);
        } else if (instruction.desc->control == isa::Control::Call || !instruction.desc->known()) {
          const std::uint32_t callee = calleeAmongBodies(cfg.function(), instruction);
          if (callee != kNone) {
            calls.push_back({k, &instruction, callee});
            meetsBarrier.set(b);
            continue;
          }
          // An instruction that is not understood may call every function that it names (A7.2).
          const BarrierUse use = uses.ofCall(cfg.function(), instruction);
          tainted |= use.mayBeAny ? kAllBarrierIds : use.ids;
          if (use.any()) meetsBarrier.set(b);
        }
      }
      meetsAny |= meetsBarrier.test(b);
    }
    if (!meetsAny) continue;
    // A thread that returns continues in a caller, and may meet the caller's barriers.
    if (!cfg.function().isEntry()) meetsBarrier.set(cfg.exit());
    blocksWithBarriers[k] = std::move(meetsBarrier);
  }

  // The uniform values if all threads load the same data: used for aligned barriers that are
  // trusted (C10.1).
  std::vector<std::optional<Uniformity>> ofEqualData(bodies.size());
  const auto allGetTo = [](const Uniformity& uniformity, const ir::Instruction& instruction) {
    return uniformity.isUniform(instruction.block) &&
           (!instruction.guard || uniformity.isUniform(instruction.guard.predicate()));
  };
  // Callers come before callees.
  const auto enteredByAll = [&](const std::vector<std::optional<Uniformity>>& uniformity) {
    std::vector<bool> isEntered(bodies.size(), true);
    for (const Call& call : calls) {
      if (!isEntered[call.caller] || !uniformity[call.caller] ||
          !allGetTo(*uniformity[call.caller], *call.instruction)) {
        isEntered[call.callee] = false;
      }
    }
    return isEntered;
  };
  // Computes the standing of each barrier, and the ids of those in which not all threads take part.
  const auto takeStandings = [&] {
    isEnteredByAll_ = enteredByAll(uniformity_);
    const std::vector<bool> isTrustedToBe = enteredByAll(ofEqualData);
    const auto isUniform = [&](const Member& member) {
      return isEnteredByAll_[member.body] &&
             allGetTo(*uniformity_[member.body], *member.instruction);
    };
    const auto isTrusted = [&](const Member& member) {
      return ofEqualData[member.body] && isAligned(member) && isTrustedToBe[member.body] &&
             allGetTo(*ofEqualData[member.body], *member.instruction);
    };
    BarrierIds taintedIds = 0;
    for (Member& member : barriers_) {
      const Cfg& cfg = *bodies[member.body].cfg;
      const NonExitedThreads* nonExitedThreads = bodies[member.body].nonExitedThreads;
      const bool countsAll = countsWholeBlock(cfg.function(), member.barrier) &&
                             nonExitedThreads != nullptr &&
                             nonExitedThreads->allExecute(member.instruction->block);
      if (!member.barrier.isFull() && !countsAll) {
        member.standing = Standing::Partial;
      } else if (!isUniform(member) && !isTrusted(member)) {
        member.standing = Standing::NotUniform;
      } else {
        member.standing = member.instruction->guard ? Standing::Guarded : Standing::Candidate;
        continue;
      }
      if (cfg.isReachable(member.instruction->block)) taintedIds |= barrierIds(member.barrier);
    }
    return taintedIds;
  };
  // A reduction over the CTA gives the same result to all threads, if all take part and nothing
  // else can use its barrier (C1.2.2).  This is an optimistic fixpoint: it is assumed until it is
  // refuted, because the reduction and the control flow around it depend on each other.  An
  // assumption for one iteration of a loop holds for the next, so the assumptions that remain are
  // true.
  for (;;) {
    BarrierIds reducing = 0;
    Uniformity::InstructionSet agree;
    for (const Member& member : barriers_) {
      const bool isReduction =
          member.barrier.isFull() && member.barrier.kind == ir::CtaBarrier::Kind::Reduce;
      if (!isReduction || (barrierIds(member.barrier) & tainted) != 0) continue;
      agree.insert(member.instruction);
      reducing |= barrierIds(member.barrier);
    }
    for (std::uint32_t k = 0; k < bodies.size(); ++k) {
      if (!blocksWithBarriers[k]) continue;
      uniformity_[k].emplace(*bodies[k].cfg, *bodies[k].liveness, *blocksWithBarriers[k], agree,
                             bodies[k].assumptions);
      if (!bodies[k].assumptions.has(Assumption::TrustAligned)) continue;
      Uniformity::InstructionSet withData = agree;
      insertDataLoads(*bodies[k].cfg, withData);
      ofEqualData[k].emplace(*bodies[k].cfg, *bodies[k].liveness, *blocksWithBarriers[k], withData,
                             bodies[k].assumptions);
    }
    tainted |= takeStandings();
    if ((reducing & tainted) == 0) break;
  }
  for (Member& member : barriers_) {
    const bool isTainted = (barrierIds(member.barrier) & tainted) != 0;
    const bool isSound =
        member.standing == Standing::Candidate || member.standing == Standing::Guarded;
    if (isSound && isTainted) member.standing = Standing::Tainted;
  }
}

bool Participation::hasCandidates() const {
  return std::ranges::any_of(barriers_, [](const Member& member) {
    return member.standing == Standing::Candidate || member.standing == Standing::Guarded;
  });
}

}  // namespace ptxopt::analysis
