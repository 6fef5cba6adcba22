// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/kept_reasons.h"

#include <fmt/format.h>

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

std::string KeptReasons::notACandidate(const Barrier& barrier) {
  switch (barrier.standing) {
    case Standing::Partial:
      return partial(barrier);
    case Standing::NotUniform:
      return notUniform(barrier);
    case Standing::Tainted:
      return tainted(barrier);
    case Standing::Candidate:
    case Standing::Guarded:
      break;
  }
  return "no path leads to it";
}

// ---- who takes part ----------------------------------------------------------------------------

std::string KeptReasons::partial(const Barrier& barrier) const {
  const ir::Function& function = functionOf(barrier.body);
  std::string why;
  if (barrier.barrier.kind == ir::CtaBarrier::Kind::Arrive) {
    why = "its threads only arrive, and others wait for them";
  } else if (barrier.barrier.hasCount) {
    why = fmt::format(
        "it waits for {} threads, and the block may have others",
        operandText(*barrier.instruction,
                    barrier.barrier.kind == ir::CtaBarrier::Kind::Reduce ? 2 : 1, function));
  } else {
    why = fmt::format(
        "its barrier id is in a register, {}",
        operandText(*barrier.instruction,
                    barrier.barrier.kind == ir::CtaBarrier::Kind::Reduce ? 1 : 0, function));
  }
  return "not all threads of the CTA take part in it: " + why;
}

std::string KeptReasons::notUniform(const Barrier& barrier) {
  std::string text = "it is not proved that all threads of the CTA reach it equally often";
  const std::string why = divergence(barrier.body, *barrier.instruction, 0);
  return why.empty() ? text : text + ": " + why;
}

std::string KeptReasons::causeText(const DivergenceCause& cause, const ir::Function& function,
                                   const Instruction& instruction) const {
  using Kind = DivergenceCause::Kind;
  const auto value = [&]() -> std::string {
    switch (cause.kind) {
      case Kind::Special:
        return std::string(function.module().text(NameId{cause.special->id}));
      case Kind::Load:
        return "a loaded value";
      case Kind::Atomic:
        return "the result of an atomic operation";
      case Kind::Parameter:
        return "a parameter of the function";
      case Kind::Exchange:
        return "a value that threads exchange";
      case Kind::Call:
        return "the result of a call";
      case Kind::Local:
        return "the address of local memory";
      case Kind::Undefined:
        return cause.reg == ir::RegisterId::None
                   ? "an unknown value"
                   : function.registerName(cause.reg) + ", which is not written on every path";
      case Kind::Unknown:
        break;
    }
    return "a value that may differ between threads";
  };
  std::string text = cause.branch == &instruction ? "its guard" : "control";
  text += " depends on " + value();
  if (cause.source != nullptr && cause.source != cause.branch) {
    text += cause.kind == Kind::Special ? " (" + remarks_.textOfPlace(*cause.source) + ")"
                                        : " (" + remarks_.textOf(*cause.source) + ")";
  }
  if (cause.branch != &instruction) text += " at " + remarks_.textOf(*cause.branch);
  return text;
}

std::string KeptReasons::divergence(std::uint32_t body, const Instruction& instruction,
                                    unsigned nesting) {
  const analysis::Uniformity* uniformity = participation().uniformity(body);
  const ir::Function& function = functionOf(body);
  if (uniformity != nullptr) {
    std::unique_ptr<analysis::DivergenceCauses>& causes = causes_[body];
    if (causes == nullptr) {
      causes = std::make_unique<analysis::DivergenceCauses>(*bodies_[body].cfg, *uniformity);
    }
    if (const auto cause = causes->of(instruction)) return causeText(*cause, function, instruction);
  }
  // The function is not called by all threads equally often.
  if (function.isEntry() || reaches(nesting, Limit::CauseCalls)) return {};
  const Vertex callee = facts_.graph->vertexOf(function);
  for (std::uint32_t caller = 0; caller < bodies_.size(); ++caller) {
    const Vertex v = facts_.graph->vertexOf(functionOf(caller));
    for (const analysis::CallSite& site : facts_.graph->sites(v)) {
      if (std::ranges::find(facts_.graph->targets(site), callee) ==
          facts_.graph->targets(site).end()) {
        continue;
      }
      const std::string why = divergence(caller, *site.instruction, nesting + 1);
      if (!why.empty()) {
        return fmt::format("{} is called at {}, where {}", function.nameText(),
                           remarks_.textOfPlace(*site.instruction), why);
      }
    }
  }
  return {};
}

const std::string& KeptReasons::tainted(const Barrier& barrier) {
  const BarrierIds ids = analysis::barrierIds(barrier.barrier);
  const auto [at, isNew] = taints_.try_emplace(ids);
  if (isNew) {
    at->second =
        "its id is, or may be, used by a barrier that not all threads provably take part in" +
        taintOf(ids);
  }
  return at->second;
}

// Which barrier or call uses one of these ids, and where.
std::string KeptReasons::taintOf(BarrierIds mine) const {
  for (const Barrier& other : graph_.barriers()) {
    const bool cannotSeparate =
        other.standing == Standing::Partial || other.standing == Standing::NotUniform;
    if (cannotSeparate && (analysis::barrierIds(other.barrier) & mine) != 0) {
      return "\nthe other: " + remarks_.textOf(*other.instruction);
    }
  }
  for (const analysis::BarrierBody& body : bodies_) {
    const ir::Function& function = body.cfg->function();
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<Instruction>();
      if (instruction == nullptr) continue;
      if (ir::mayBeAnyBarrier(*instruction)) {
        return "\nnot understood: " + remarks_.textOf(*instruction);
      }
      const bool mayCall =
          instruction->desc->control == isa::Control::Call || !instruction->desc->known();
      if (!mayCall || ir::ctaBarrier(*instruction)) continue;
      for (const Vertex v : facts_.graph->targets(function, *instruction)) {
        if (facts_.withKnownCallers.test(v)) continue;
        const ir::Function* callee = facts_.graph->function(v);
        const analysis::BarrierUse use = facts_.uses.ofCall(function, *instruction);
        if (!use.mayBeAny && (use.ids & mine) == 0) continue;
        const std::string where = "\nthe call: " + remarks_.textOf(*instruction);
        if (callee == nullptr || !callee->hasBody()) {
          return where + "\nits code is not in this module";
        }
        return where + '\n' + unknownCallers(*callee, facts_);
      }
    }
  }
  return {};
}

std::string unknownCallers(const ir::Function& function, const analysis::BarrierFacts& facts) {
  const analysis::CallGraph& graph = *facts.graph;
  const Vertex v = graph.vertexOf(function);
  const std::string name(function.nameText());
  if (graph.isAddressTaken(v)) {
    return "not all callers of " + name + " are known: its address is taken";
  }
  if (!graph.callersAreKnown(v)) {
    return "not all callers of " + name + " are known: code outside of this module may call it";
  }
  if (graph.isRecursive(v)) return name + " may call itself";
  for (const Vertex caller : graph.graph().predecessors(v)) {
    const ir::Function* of = graph.function(caller);
    if (of == nullptr) return "not all callers of " + name + " are known";
    if (of->isEntry() || facts.withKnownCallers.test(caller)) continue;
    return fmt::format("{} is called by {}, and {}", name, of->nameText(),
                       unknownCallers(*of, facts));
  }
  return "nothing in this module calls " + name;
}

// ---- the rest ----------------------------------------------------------------------------------

std::string KeptReasons::result(const Barrier& barrier) const {
  ir::RegisterId result = ir::RegisterId::None;
  for (const ir::Operand& operand : barrier.instruction->operands()) {
    if (operand.writes) result = operand.reg();
  }
  const std::string text = "its result is data";
  if (result == ir::RegisterId::None) return text;
  for (const ir::Statement& statement : functionOf(barrier.body).body()) {
    const auto* instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    bool isRead = instruction->guard && instruction->guard.predicate() == result;
    ir::forEachRegister(*instruction, [&](const ir::Operand& operand) {
      isRead |= operand.reads && operand.reg() == result;
    });
    if (isRead) {
      return fmt::format("{}: {} is read at {}", text,
                         functionOf(barrier.body).registerName(result),
                         remarks_.textOf(*instruction));
    }
  }
  return text;
}

std::string KeptReasons::polling(
    const Barrier& barrier,
    const std::function<const analysis::PollingLoops&(std::uint32_t)>& loops) const {
  const std::string text =
      "a loop around it loads from the same address in each round, and would be left with nothing "
      "that holds the load in it";
  const auto describe = [&](std::uint32_t body, analysis::BlockId block) -> std::string {
    const auto obstacle = loops(body).obstacle(block);
    if (!obstacle) return {};
    std::string found;
    const analysis::Cfg& cfg = *bodies_[body].cfg;
    for (const Instruction& head : cfg.instructions(bodies_[body].loops->header(obstacle->loop))) {
      found = "\nthe loop: from " + remarks_.textOfPlace(head) + " on";
      break;
    }
    if (obstacle->load != nullptr) found += "\nthe load: " + remarks_.textOf(*obstacle->load);
    return found;
  };
  if (const std::string own = describe(barrier.body, barrier.instruction->block); !own.empty()) {
    return text + own;
  }
  for (const analysis::BarrierGraph::Call& call : graph_.calls()) {
    if (const std::string around = describe(call.caller, call.block); !around.empty()) {
      return text + around;
    }
  }
  return text;
}

}  // namespace ptxopt::passes
