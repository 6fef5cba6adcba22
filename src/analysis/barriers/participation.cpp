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

// Ids that an instruction set with 16 barriers can name.
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

// docs/soundness/ A1.9, C10.1: of a barrier without a count alone; what stands around it may
// vary.
bool isAligned(const Participation::Member& member) {
  const isa::InstructionDesc& desc = *member.instruction->desc;
  return member.barrier.isFull() && (desc.opcode == isa::Opcode::Bar || desc.has(".aligned"));
}

// A generic address may be that of memory of the thread itself.
bool mayBeOwn(const Cfg& cfg) {
  if (!cfg.function().isEntry()) return true;
  for (BlockId b = 0; b < cfg.blockCount(); ++b) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      const isa::InstructionDesc& desc = *instruction.desc;
      if (!desc.known()) return true;
      if (desc.opcode == isa::Opcode::Cvta && desc.space == isa::Space::Local) return true;
    }
  }
  return false;
}

// Data: what a load finds in memory that other threads can write, or that the host has written.
// What a thread keeps in memory of its own is computed like what it keeps in registers.
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
  for (BlockId b = 0; b < cfg.blockCount(); ++b) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      if (loadsData(instruction, genericMayBeOwn)) agree.insert(&instruction);
    }
  }
}

// Code that is not in this module, or may be replaced when it is linked (docs/soundness/ A5.2).
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
  // Callees have the smaller component numbers, so that theirs are complete when they are needed.
  std::vector<std::vector<Vertex>> members(total_.size());
  for (Vertex v = 0; v < own_.size(); ++v) members[graph.components().component[v]].push_back(v);
  for (std::size_t c = 0; c < total_.size(); ++c) {
    for (const Vertex v : members[c]) {
      total_[c].merge(own_[v]);
      for (const Vertex callee : graph.graph().successors(v)) total_[c].merge(total(callee));
    }
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
  // Callers come first, so that theirs are known.
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

  // Ids on which something happens that is not a full barrier of all threads (C1.4).
  BarrierIds tainted = 0;
  std::vector<std::optional<BitSet>> blocksWithBarriers(bodies.size());
  for (std::uint32_t k = 0; k < bodies.size(); ++k) {
    const Cfg& cfg = *bodies[k].cfg;
    BitSet meetsBarrier(cfg.vertexCount());
    bool meetsAny = false;
    for (BlockId b = 0; b < cfg.blockCount(); ++b) {
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
          // An unknown form may call every function that it names (A7.2).
          const BarrierUse use = uses.ofCall(cfg.function(), instruction);
          tainted |= use.mayBeAny ? kAllBarrierIds : use.ids;
          if (use.any()) meetsBarrier.set(b);
        }
      }
      meetsAny |= meetsBarrier.test(b);
    }
    if (!meetsAny) continue;
    // Who returns from a function goes on, and may meet the barriers of the caller.
    if (!cfg.function().isEntry()) meetsBarrier.set(cfg.exit());
    blocksWithBarriers[k] = std::move(meetsBarrier);
  }

  // What would be uniform if all threads loaded the same data: where an aligned barrier is trusted
  // (C10.1).
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
  // The standing of each, and the ids on which not all take part.
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
  // What a reduction over the CTA computes is the same for all, if all take part and nothing else
  // can meet it (C1.2.2).  That is assumed until it is refuted: control that depends on it is
  // uniform only if it is, and the other way round.  Who makes the assumption for one round of a
  // loop has it for the next, so that what is left over is true.
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
