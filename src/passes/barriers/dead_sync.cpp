// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/dead_sync.h"

#include <array>
#include <charconv>

#include "ir/make.h"
#include "passes/barriers/barrier_groups.h"
#include "passes/engine/claim_sink.h"

namespace ptxopt::passes {

namespace {

using analysis::Precision;
using ir::Instruction;

// The predicate that the block has more than one row of threads, computed once at the start of the
// kernel (docs/soundness/ C8(ii).5).
class RowGuard {
 public:
  explicit RowGuard(ir::Function& function) : function_(function) {}

  void putOn(Instruction& barrier) {
    if (!hasManyRows_) make();
    barrier.guard = hasManyRows_;
    function_.markChanged(&barrier);
  }

 private:
  void make() {
    using ir::Operand;
    const auto predicate = declare("%p_many_rows", isa::Type::Pred);
    const auto y = declare("%r_ntid_y", isa::Type::B32);
    const auto z = declare("%r_ntid_z", isa::Type::B32);
    const auto yz = declare("%r_ntid_yz", isa::Type::B32);
    const auto reg = [](ir::RegisterId id) { return Operand::ofRegister(id); };
    append("mov.u32", {reg(y), ir::specialRegister(function_.module(), "%ntid.y")});
    append("mov.u32", {reg(z), ir::specialRegister(function_.module(), "%ntid.z")});
    append("or.b32", {reg(yz), reg(y), reg(z)});
    append("setp.ne.u32", {reg(predicate), reg(yz), Operand::ofInteger(1)});
    hasManyRows_ = ir::Guard(predicate, false);
  }

  ir::RegisterId declare(std::string_view name, isa::Type type) {
    const ir::MadeRegister made = ir::makeRegister(function_, name, type);
    append(made.declaration);
    return made.id;
  }
  void append(std::string_view mnemonic, std::initializer_list<ir::Operand> operands) {
    append(ir::makeInstruction(function_, mnemonic, operands));
  }
  void append(ir::Statement* statement) {
    function_.insertAfter(last_, statement);
    last_ = statement;
  }

  // After the initial declarations of the body: no branch leads there, so it is executed once, even
  // if a loop starts right after it.
  static ir::Statement* endOfDeclarations(const ir::Function& function) {
    ir::Statement* last = nullptr;
    for (ir::Statement* at = function.body().front(); at != nullptr; at = at->next) {
      const bool isDeclaration = at->kind == ir::StatementKind::RegisterDeclaration ||
                                 at->kind == ir::StatementKind::VariableDeclaration;
      if (!isDeclaration && at->kind != ir::StatementKind::Location) break;
      last = at;
    }
    return last;
  }

  ir::Function& function_;
  ir::Statement* last_ = endOfDeclarations(function_);
  ir::Guard hasManyRows_;
};

class DeadSync : public Pass {
 public:
  explicit DeadSync(BarrierQuestion question) : groups_(std::move(question)) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses) override {
    groups_.prepare(module, analyses, wantRemarks());
  }

  bool isAboutBarriers() const override { return true; }

  bool run(ir::Function& function, PassContext& context) const override {
    bool changed = false;
    RowGuard guard(function);
    context.erasedOnlyBarriers = true;
    ClaimSink claims(kDeadSync.name, function, context.claims);
    for (BarrierDecision& decision :
         groups_.decide(function, context.analyses, context.wantRemarks)) {
      const bool isKept = decision.outcome == BarrierOutcome::Kept;
      const bool isUndone = !isKept && !context.budget.spend();
      claims.barrier(*decision.instruction, decision.isSeparator,
                     decision.outcome == BarrierOutcome::Removed && !isUndone);
      if (isUndone) continue;
      changed |= !isKept;
      if (isKept) {
        ++context.found["barriers-kept"];
      } else if (decision.outcome == BarrierOutcome::Removed) {
        erase(function, *decision.instruction, context);
        ++context.statistics["barriers-removed"];
      } else {
        guard.putOn(*decision.instruction);
        context.erasedOnlyBarriers = false;
        ++context.statistics["barriers-guarded"];
      }
      context.remark(std::move(decision.remark));
    }
    return changed;
  }

 private:
  static void erase(ir::Function& function, ir::Instruction& barrier, PassContext& context) {
    bool namesRegister = static_cast<bool>(barrier.guard);
    ir::forEachRegister(barrier, [&](const ir::Operand&) { namesRegister = true; });
    context.erasedOnlyBarriers = context.erasedOnlyBarriers && !namesRegister;
    context.analyses.get<analysis::Cfg>().willErase(barrier);
    function.erase(&barrier);
  }

  BarrierGroups groups_;
};

constexpr std::array kPrecisions = {Precision::Flags, Precision::Objects, Precision::Affine};
constexpr BarrierLimits kUsual;  // also those of warp-sync
constexpr PassOption kOptions[] = {
    {.name = "precision",
     .kind = PassOption::Kind::Choice,
     .values = "flags|objects|affine",
     .preset = kPrecisions.size() - 1},
    {"guard"},
    {"guard-in-loops"},
    kKeepOption,
    {.name = "max-candidates", .kind = PassOption::Kind::Number, .preset = kUsual.candidates},
    {.name = "max-classes", .kind = PassOption::Kind::Number, .preset = kUsual.classes},
    {.name = "max-work", .kind = PassOption::Kind::Number, .preset = kUsual.work},
};

std::unique_ptr<Pass> makeDeadSync(const OptionValues& options, std::string& error) {
  std::optional<KeptBarriers> kept = KeptBarriers::parse(options.text(kKeepOption.name), error);
  if (!kept) return nullptr;
  BarrierQuestion question;
  question.pass = kDeadSync.name;
  question.kept = std::move(*kept);
  if (options.has("guard") || options.has("guard-in-loops")) {
    question.aim = BarrierAim::RemoveOrGuard;
    question.leastGuardDepth = options.has("guard") ? 0 : 1;
  }
  question.precision = kPrecisions[options.choice("precision")];
  BarrierLimits& limits = question.limits;
  limits.candidates = options.number("max-candidates");
  limits.classes = options.number("max-classes");
  limits.work = options.number("max-work");
  return std::make_unique<DeadSync>(std::move(question));
}

}  // namespace

const PassInfo kDeadSync = {
    "dead-sync",
    "Removes CTA barriers that order nothing, across blocks, loops and functions.",
    kOptions,
    makeDeadSync,
};

}  // namespace ptxopt::passes
