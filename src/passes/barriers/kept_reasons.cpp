// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/kept_reasons.h"

#include <algorithm>
#include <vector>

#include "analysis/barriers/divergence_cause.h"
#include "analysis/barriers/participation.h"
#include "ir/module.h"
#include "support/limits.h"

namespace ptxopt::passes {

using analysis::BarrierIds;
using analysis::DivergenceCause;
using analysis::Standing;
using ir::Instruction;
using Why = KeptReason::Why;

namespace {

// The k-th operand of a barrier, as written.
std::string operandText(const Instruction& instruction, std::size_t k,
                        const ir::Function& function) {
  const ir::Operand* operand = instruction.operand(k);
  if (operand == nullptr) return "?";
  if (operand->kind == ir::OperandKind::Integer) return std::to_string(operand->immediate);
  return operand->kind == ir::OperandKind::Register ? function.registerName(operand->reg()) : "?";
}

}  // namespace

KeptReasons::~KeptReasons() = default;

const analysis::Participation& KeptReasons::participation() {
  if (participation_ == nullptr) {
    std::vector<analysis::Participation::Body> members;
    for (const analysis::BarrierBody& body : bodies_) members.push_back({body.cfg, body.liveness});
    participation_ = std::make_unique<analysis::Participation>(members, facts_.uses, *facts_.graph,
                                                               facts_.withKnownCallers);
  }
  return *participation_;
}

KeptReason KeptReasons::notACandidate(const Barrier& barrier) {
  switch (barrier.standing) {
    case Standing::Partial:
      return {Why::Partial, partial(barrier)};
    case Standing::NotUniform: {
      KeptReason reason{Why::NotUniform};
      if (auto found = divergence(barrier.body, *barrier.instruction, 0)) reason.details = *found;
      return reason;
    }
    case Standing::Tainted:
      return tainted(barrier);
    case Standing::Candidate:
    case Standing::Guarded:
      break;
  }
  return {Why::Unreachable};
}

// ---- who takes part ----------------------------------------------------------------------------

KeptReason::TakesPart KeptReasons::partial(const Barrier& barrier) const {
  using enum KeptReason::TakesPart::Why;
  const bool isReduction = barrier.barrier.kind == ir::CtaBarrier::Kind::Reduce;
  const auto operand = [&](std::size_t k) {
    return operandText(*barrier.instruction, isReduction ? k + 1 : k, functionOf(barrier.body));
  };
  if (barrier.barrier.kind == ir::CtaBarrier::Kind::Arrive) return {OnlyArrives};
  if (barrier.barrier.hasCount) return {Count, operand(1)};
  return {IdInRegister, operand(0)};
}

KeptReason::Divergence KeptReasons::describe(const DivergenceCause& cause,
                                             const ir::Function& function,
                                             const Instruction& instruction) const {
  KeptReason::Divergence result;
  result.kind = cause.kind;
  if (cause.kind == DivergenceCause::Kind::Special) {
    result.name = function.module().text(NameId{cause.special->id});
  } else if (cause.reg != ir::RegisterId::None) {
    result.name = function.registerName(cause.reg);
  }
  if (cause.source != nullptr && cause.source != cause.branch) {
    result.source = remarks_.named(*cause.source);
  }
  if (cause.branch != &instruction) result.control = remarks_.named(*cause.branch);
  return result;
}

std::optional<KeptReason::Divergence> KeptReasons::divergence(std::uint32_t body,
                                                              const Instruction& instruction,
                                                              unsigned nesting) {
  const analysis::Uniformity* uniformity = participation().uniformity(body);
  const ir::Function& function = functionOf(body);
  if (uniformity != nullptr) {
    std::unique_ptr<analysis::DivergenceCauses>& causes = causes_[body];
    if (causes == nullptr) {
      causes = std::make_unique<analysis::DivergenceCauses>(*bodies_[body].cfg, *uniformity);
    }
    if (const auto cause = causes->of(instruction)) return describe(*cause, function, instruction);
  }
  // The function is not called by all threads equally often.
  if (function.isEntry() || reaches(nesting, Limit::CauseCalls)) return std::nullopt;
  const Vertex callee = facts_.graph->vertexOf(function);
  for (std::uint32_t caller = 0; caller < bodies_.size(); ++caller) {
    const Vertex v = facts_.graph->vertexOf(functionOf(caller));
    for (const analysis::CallSite& site : facts_.graph->sites(v)) {
      if (std::ranges::find(facts_.graph->targets(site), callee) ==
          facts_.graph->targets(site).end()) {
        continue;
      }
      auto found = divergence(caller, *site.instruction, nesting + 1);
      if (!found) continue;
      found->calls.insert(found->calls.begin(),
                          {std::string(function.nameText()), remarks_.named(*site.instruction)});
      return found;
    }
  }
  return std::nullopt;
}

const KeptReason& KeptReasons::tainted(const Barrier& barrier) {
  const BarrierIds ids = barrier.barrier.ids;
  const auto [at, isNew] = taints_.try_emplace(ids, KeptReason{Why::Tainted});
  if (!isNew) return at->second;
  if (auto other = sharedId(ids)) at->second.details = *other;
  return at->second;
}

// Which barrier or call uses one of these ids, and where.
std::optional<KeptReason::SharedId> KeptReasons::sharedId(BarrierIds mine) const {
  using Of = KeptReason::SharedId::Why;
  for (const Barrier& other : graph_.barriers()) {
    const bool cannotSeparate =
        other.standing == Standing::Partial || other.standing == Standing::NotUniform;
    if (cannotSeparate && (other.barrier.ids & mine) != 0) {
      return KeptReason::SharedId{Of::Barrier, remarks_.named(*other.instruction), {}};
    }
  }
  for (const analysis::BarrierBody& body : bodies_) {
    for (const ir::Statement& statement : body.cfg->function().body()) {
      const auto* instruction = statement.as<Instruction>();
      if (instruction == nullptr) continue;
      if (auto found = sharedId(mine, body.cfg->function(), *instruction)) return found;
    }
  }
  return std::nullopt;
}

std::optional<KeptReason::SharedId> KeptReasons::sharedId(BarrierIds mine,
                                                          const ir::Function& function,
                                                          const Instruction& instruction) const {
  using enum KeptReason::SharedId::Why;
  if (ir::mayBeAnyBarrier(instruction)) {
    return KeptReason::SharedId{NotUnderstood, remarks_.named(instruction), {}};
  }
  const bool mayCall =
      instruction.desc->control == isa::Control::Call || !instruction.desc->known();
  if (!mayCall || ir::ctaBarrier(instruction)) return std::nullopt;
  for (const Vertex v : facts_.graph->targets(function, instruction)) {
    if (facts_.withKnownCallers.test(v)) continue;
    const analysis::BarrierUse use = facts_.uses.ofCall(function, instruction);
    if (!use.mayBeAny && (use.ids & mine) == 0) continue;
    const ir::Function* callee = facts_.graph->function(v);
    const NamedInstruction at = remarks_.named(instruction);
    if (callee == nullptr || !callee->hasBody()) return KeptReason::SharedId{Outside, at, {}};
    return KeptReason::SharedId{CallersUnknown, at, unknownCallers(*callee, facts_)};
  }
  return std::nullopt;
}

UnknownCallers unknownCallers(const ir::Function& function, const analysis::BarrierFacts& facts) {
  using enum UnknownCallers::Why;
  const analysis::CallGraph& graph = *facts.graph;
  const Vertex v = graph.vertexOf(function);
  const std::string name(function.nameText());
  if (graph.isAddressTaken(v)) return {{name}, AddressTaken};
  if (!graph.callersAreKnown(v)) return {{name}, Visible};
  if (graph.isRecursive(v)) return {{name}, Recursive};
  for (const Vertex caller : graph.graph().predecessors(v)) {
    const ir::Function* of = graph.function(caller);
    if (of == nullptr) return {{name}, Unknown};
    if (of->isEntry() || facts.withKnownCallers.test(caller)) continue;
    UnknownCallers result = unknownCallers(*of, facts);
    result.functions.insert(result.functions.begin(), name);
    return result;
  }
  return {{name}, NeverCalled};
}

// ---- the rest ----------------------------------------------------------------------------------

KeptReason KeptReasons::result(const Barrier& barrier) const {
  KeptReason reason{Why::ResultIsData};
  ir::RegisterId result = ir::RegisterId::None;
  for (const ir::Operand& operand : barrier.instruction->operands()) {
    if (operand.writes) result = operand.reg();
  }
  if (result == ir::RegisterId::None) return reason;
  const ir::Function& function = functionOf(barrier.body);
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    bool isRead = instruction->guard && instruction->guard.predicate() == result;
    ir::forEachRegister(*instruction, [&](const ir::Operand& operand) {
      isRead |= operand.reads && operand.reg() == result;
    });
    if (!isRead) continue;
    reason.details =
        KeptReason::Reader{function.registerName(result), remarks_.named(*instruction)};
    break;
  }
  return reason;
}

KeptReason KeptReasons::polling(
    const Barrier& barrier,
    const std::function<const analysis::PollingLoops&(std::uint32_t)>& loops) const {
  KeptReason reason{Why::Polling};
  const auto describe = [&](std::uint32_t body, analysis::BlockId block) {
    const auto obstacle = loops(body).obstacle(block);
    if (!obstacle) return false;
    KeptReason::Loop found;
    const analysis::Cfg& cfg = *bodies_[body].cfg;
    for (const Instruction& head : cfg.instructions(bodies_[body].loops->header(obstacle->loop))) {
      found.head = remarks_.named(head);
      break;
    }
    if (obstacle->load != nullptr) found.load = remarks_.named(*obstacle->load);
    reason.details = found;
    return true;
  };
  if (describe(barrier.body, barrier.instruction->block)) return reason;
  for (const analysis::BarrierGraph::Call& call : graph_.calls()) {
    if (describe(call.caller, call.block)) break;
  }
  return reason;
}

}  // namespace ptxopt::passes
