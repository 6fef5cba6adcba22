// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/participation_builder.h"

#include "ir/effect.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

// docs/soundness/ A1.9, C10.1: only for a barrier without a count; the control flow around it may
// vary.
bool isAligned(const Participation::Member& member) {
  const isa::InstructionDesc& desc = *member.instruction->desc;
  return member.barrier.isFull() && desc.is(isa::kAligned);
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
  if (!desc.isLoad() || desc.is(isa::kUniformAddress)) return false;
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

bool isReduction(const ir::CtaBarrier& barrier) {
  return barrier.isFull() && barrier.kind == ir::CtaBarrier::Kind::Reduce;
}

}  // namespace

Participation::Builder::Builder(Participation& result, std::span<const Body> bodies,
                                const BarrierUses& uses, const CallGraph* graph,
                                const BitSet* withKnownCallers,
                                const Uniformity::InstructionSet& broadcasts)
    : result_(&result),
      bodies_(bodies),
      uses_(&uses),
      graph_(graph),
      withKnownCallers_(withKnownCallers),
      broadcasts_(broadcasts),
      blocksWithBarriers_(bodies.size()),
      inlineAssembly_(bodies.size()),
      ofEqualData_(bodies.size()) {
  for (std::uint32_t k = 0; k < bodies.size(); ++k) bodyOf_[&bodies[k].cfg->function()] = k;
}

void Participation::Builder::build() {
  result_->uniformity_.resize(bodies_.size());
  for (std::uint32_t k = 0; k < bodies_.size(); ++k) collect(k);
  findFixpoint();
  applyTaint();
}

// ---- collect ------------------------------------------------------------------------------------

// The blocks that lead to no barrier do not decide who executes one (C1.2.7, C1.5).
void Participation::Builder::collect(std::uint32_t body) {
  const Cfg& cfg = *bodies_[body].cfg;
  BitSet meetsBarrier(cfg.vertexCount());
  bool meetsAny = false;
  for (const BlockId b : cfg.blocks()) {
    for (ir::Instruction& instruction : cfg.instructions(b)) {
      if (collect(body, instruction)) meetsBarrier.set(b);
    }
    meetsAny |= meetsBarrier.test(b);
  }
  if (!meetsAny) return;
  const ir::Function& function = cfg.function();
  if (bodies_[body].assumptions.has(Assumption::TrustSource) &&
      ir::isGeneratedByNvvm(function.module())) {
    inlineAssembly_[body].emplace(function);
  }
  // A thread that returns continues in a caller, and may meet the caller's barriers.
  if (!function.isEntry()) meetsBarrier.set(cfg.exit());
  blocksWithBarriers_[body] = std::move(meetsBarrier);
}

// True if the instruction is or may execute a barrier.
bool Participation::Builder::collect(std::uint32_t body, ir::Instruction& instruction) {
  const Body& of = bodies_[body];
  const ValueRanges* const ranges = of.cfg->isReachable(instruction.block) ? of.ranges : nullptr;
  if (const auto barrier = ctaBarrierWith(ranges, instruction)) {
    result_->barriers_.push_back({&instruction, *barrier, Standing::Partial, body});
    return true;
  }
  if (ir::mayBeAnyBarrier(instruction)) {
    tainted_ = kAllBarrierIds;  // A7.2.1
    return true;
  }
  const bool mayCall =
      instruction.desc->control == isa::Control::Call || !instruction.desc->known();
  return mayCall && collectCall(body, instruction);
}

// The barriers of a callee whose callers are all known count where they stand.  All others may pair
// with every barrier of their ids (C1.4, C1.6).
bool Participation::Builder::collectCall(std::uint32_t body, const ir::Instruction& instruction) {
  const ir::Function& caller = bodies_[body].cfg->function();
  if (const std::uint32_t callee = calleeAmongBodies(caller, instruction); callee != kNone) {
    calls_.push_back({body, &instruction, callee});
    return true;
  }
  // An instruction that is not understood may call every function that it names (A7.2).
  const BarrierUse use = uses_->ofCall(caller, instruction);
  tainted_ |= use.mayBeAny ? kAllBarrierIds : use.ids;
  return use.any();
}

std::uint32_t Participation::Builder::calleeAmongBodies(const ir::Function& caller,
                                                        const ir::Instruction& call) const {
  if (graph_ == nullptr || !call.desc->known()) return kNone;
  const std::vector<Vertex> targets = graph_->targets(caller, call);
  if (targets.size() != 1 || !withKnownCallers_->test(targets[0])) return kNone;
  const auto found = bodyOf_.find(graph_->function(targets[0]));
  return found == bodyOf_.end() ? kNone : found->second;
}

// ---- classify -----------------------------------------------------------------------------------

// The block is uniform (C1.2.7), and so is the guard (C1.2.8).
bool Participation::Builder::allExecute(const Uniformity& uniformity,
                                        const ir::Instruction& instruction) {
  return uniformity.isUniform(instruction.block) &&
         (!instruction.guard || uniformity.isUniform(instruction.guard.predicate()));
}

// By body: all calls on the way are uniform (C1.2.7, C1.6).
std::vector<bool> Participation::Builder::enteredByAll(const Uniformities& uniformities) const {
  std::vector<bool> isEntered(bodies_.size(), true);
  // Callers come before callees.
  for (const Call& call : calls_) {
    if (!isEntered[call.caller] || !uniformities[call.caller] ||
        !allExecute(*uniformities[call.caller], *call.instruction)) {
      isEntered[call.callee] = false;
    }
  }
  return isEntered;
}

// A2.1: the barrier has no count, or it counts all threads of the block, none of which has ended.
bool Participation::Builder::isFull(const Member& member) const {
  if (member.barrier.isFull()) return true;
  const Body& body = bodies_[member.body];
  return countsWholeBlock(body.cfg->function(), body.assumptions, member.barrier) &&
         body.nonExitedThreads != nullptr &&
         body.nonExitedThreads->allExecute(member.instruction->block);
}

// C1.2.7, C1.2.8.
bool Participation::Builder::isUniform(const Member& member) const {
  return result_->isEnteredByAll_[member.body] &&
         allExecute(*result_->uniformity_[member.body], *member.instruction);
}

// C10.14: the compiler wrote it for __syncthreads().
bool Participation::Builder::isOfSource(const Member& member) const {
  const ir::CtaBarrier& barrier = member.barrier;
  return member.instruction->desc->mnemonic.starts_with("bar.") &&
         barrier.kind == ir::CtaBarrier::Kind::Sync && barrier.id == 0u &&
         inlineAssembly_[member.body] &&
         !inlineAssembly_[member.body]->contains(*member.instruction);
}

// C10.1: aligned, and uniform if all threads load the same data.
bool Participation::Builder::isTrusted(const Member& member) const {
  if (!ofEqualData_[member.body] || !isAligned(member)) return false;
  const Assumptions& assumptions = bodies_[member.body].assumptions;
  if (!assumptions.has(Assumption::TrustAligned) && !isOfSource(member)) return false;
  return isEnteredByAllOfEqualData_[member.body] &&
         allExecute(*ofEqualData_[member.body], *member.instruction);
}

// As far as the barrier itself decides: a candidate of table A2, or not (C1.1).
Standing Participation::Builder::standingOf(const Member& member) const {
  if (!isFull(member)) return Standing::Partial;
  if (!isUniform(member) && !isTrusted(member)) return Standing::NotUniform;
  return member.instruction->guard ? Standing::Guarded : Standing::Candidate;
}

void Participation::Builder::classify() {
  result_->isEnteredByAll_ = enteredByAll(result_->uniformity_);
  isEnteredByAllOfEqualData_ = enteredByAll(ofEqualData_);
  for (Member& member : result_->barriers_) {
    member.standing = standingOf(member);
    if (!isCandidate(member.standing)) taint(member);
  }
}

// ---- fixpoint -----------------------------------------------------------------------------------

// A reduction over the CTA gives the same result to all threads, if all take part and nothing else
// can use its barrier (C1.2.2).  This is an optimistic fixpoint (C1.2.6): it is assumed until it is
// refuted, because the reduction and the control flow around it depend on each other.  An
// assumption for one iteration of a loop holds for the next, so the assumptions that remain are
// true.  Taint only grows, so this ends.
void Participation::Builder::findFixpoint() {
  BarrierIds assumed = 0;
  do {
    assumed = assumeReductions();
    for (std::uint32_t k = 0; k < bodies_.size(); ++k) findUniform(k);
    classify();
  } while ((assumed & tainted_) != 0);
}

// Those that nothing has refuted; returns their ids.
BarrierIds Participation::Builder::assumeReductions() {
  BarrierIds ids = 0;
  reductions_.clear();
  for (const Member& member : result_->barriers_) {
    if (!isReduction(member.barrier) || isTainted(member)) continue;
    reductions_.insert(member.instruction);
    ids |= member.barrier.ids;
  }
  return ids;
}

// C1.2, under these assumptions.
void Participation::Builder::findUniform(std::uint32_t k) {
  if (!blocksWithBarriers_[k]) return;
  const Body& body = bodies_[k];
  result_->uniformity_[k].emplace(*body.cfg, *body.liveness, *blocksWithBarriers_[k], reductions_,
                                  body.assumptions, broadcasts_);
  const Assumptions& assumptions = body.assumptions;
  const bool trusts = assumptions.has(Assumption::TrustAligned) || inlineAssembly_[k].has_value();
  if (!trusts) return;
  Uniformity::InstructionSet withData = reductions_;
  insertDataLoads(*body.cfg, withData);
  ofEqualData_[k].emplace(*body.cfg, *body.liveness, *blocksWithBarriers_[k], withData,
                          body.assumptions, broadcasts_);
}

// ---- taint --------------------------------------------------------------------------------------

// C1.4: the barrier may pair with every barrier of its id, if a thread can get to it.
void Participation::Builder::taint(const Member& member) {
  if (!bodies_[member.body].cfg->isReachable(member.instruction->block)) return;
  tainted_ |= member.barrier.ids;
}

bool Participation::Builder::isTainted(const Member& member) const {
  return (member.barrier.ids & tainted_) != 0;
}

// C1.4: no barrier of a tainted id is a candidate.
void Participation::Builder::applyTaint() {
  for (Member& member : result_->barriers_) {
    if (isCandidate(member.standing) && isTainted(member)) member.standing = Standing::Tainted;
  }
}

}  // namespace ptxopt::analysis
