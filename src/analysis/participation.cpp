#include "analysis/participation.h"

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

// Code that is not in this module, or may be replaced when it is linked (docs/soundness.md A5.2).
constexpr BarrierUse kUnknownUse = {kAllBarrierIds, true, true, true};

}  // namespace

BarrierIds barrierIds(const ir::CtaBarrier& barrier) {
  if (!barrier.id || *barrier.id >= kBarrierCount) return kAllBarrierIds;
  return BarrierIds{1} << *barrier.id;
}

void BarrierUse::merge(const BarrierUse& other) {
  ids |= other.ids;
  mayBeAny |= other.mayBeAny;
  hasPartial |= other.hasPartial;
  hasPin |= other.hasPin;
}

BarrierUses::BarrierUses(const ir::Module& module, const CallGraph& graph)
    : graph_(&graph),
      own_(graph.graph().vertexCount()),
      total_(graph.components().count) {
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

Participation::Participation(const Cfg& cfg, const Liveness& liveness, const BarrierUses& uses) {
  // Ids on which something happens that is not a full barrier of all threads (C1.4).
  BarrierIds tainted = 0;
  BitSet meetsBarrier(cfg.vertexCount());
  for (BlockId b = 0; b < cfg.blockCount(); ++b) {
    for (ir::Instruction& instruction : cfg.instructions(b)) {
      if (const auto barrier = ir::ctaBarrier(instruction)) {
        barriers_.push_back({&instruction, *barrier});
        meetsBarrier.set(b);
      } else if (ir::mayBeAnyBarrier(instruction)) {
        tainted = kAllBarrierIds;
        meetsBarrier.set(b);
      } else if (instruction.form->control == isa::Control::Call || !instruction.form->known()) {
        // An unknown form may call every function that it names (A7.2).
        const BarrierUse use = uses.ofCall(cfg.function(), instruction);
        tainted |= use.mayBeAny ? kAllBarrierIds : use.ids;
        if (use.any()) meetsBarrier.set(b);
      }
    }
  }
  if (barriers_.empty()) return;

  const Uniformity uniformity(cfg, liveness, meetsBarrier);
  for (Member& member : barriers_) {
    const ir::Guard guard = member.instruction->guard;
    if (!member.barrier.isFull()) {
      member.standing = Standing::Partial;
    } else if (!uniformity.isUniform(member.instruction->block) ||
               (guard && !uniformity.isUniform(guard.predicate()))) {
      member.standing = Standing::NotUniform;
    } else {
      member.standing = guard ? Standing::Guarded : Standing::Judged;
      continue;
    }
    if (cfg.isReachable(member.instruction->block)) tainted |= barrierIds(member.barrier);
  }
  for (Member& member : barriers_) {
    const bool isSpoiled = (barrierIds(member.barrier) & tainted) != 0;
    const bool isSound =
        member.standing == Standing::Judged || member.standing == Standing::Guarded;
    if (isSound && isSpoiled) member.standing = Standing::Tainted;
  }
}

}  // namespace ptxopt::analysis
