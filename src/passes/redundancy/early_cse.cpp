// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// early-cse: what was computed or loaded before is not computed or loaded again.
//
// One walk down the dominator tree (early_cse_walk.h).  An instruction whose value is known in
// another register goes, and what read it reads that register (value_replacer.h); the pass works on
// SSA form (ssa_rewrite.h), so that a register that was written in between gets another name there
// (out_of_ssa.h).  Copies are propagated, integer constants folded, and what nobody needs then
// goes.
//
// At the end, equal instructions with which both arms of a branch begin are merged in front of the
// branch (equal_heads.h).
//
// No copy is made on an edge: a value that a phi takes, and one whose register phis share, stay
// where they are; a load that only such a value could stand for becomes a copy of it where its
// register still holds it.
//
// What is computed again in another block is often cheaper than a register that holds it all the
// way: on the corpus, merging across blocks cost kernels a step of occupancy.  So beyond a block
// expressions are merged where the value is in its register anyway (`across-blocks=1`; 0 is
// nowhere, 2 everywhere); special registers, parameters and addresses of symbols, which compilers
// compute again on purpose, only with `merge-cheap`.  In a function with calls nothing is kept
// across one, or across a place where paths meet, to save its being computed again: what lives
// through a call must be saved there (D4.6).
//
// docs/soundness/ D1, D2.1, D3, D6, E.9.  Cost: O(operands), and that of Ssa and of outOfSsa().
#include "passes/redundancy/early_cse.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/flow/manager.h"
#include "analysis/values/branch_conditions.h"
#include "analysis/values/ssa.h"
#include "passes/engine/claim_sink.h"
#include "passes/redundancy/dead_values.h"
#include "passes/redundancy/early_cse_walk.h"
#include "passes/redundancy/equal_heads.h"
#include "passes/redundancy/memory_walk.h"
#include "passes/redundancy/module_facts.h"
#include "passes/ssa/out_of_ssa.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

namespace {

using analysis::Ssa;

// What the memory SSA of a function stands on, made without assumptions: no remark would name them.
struct SharperMemory {
  SharperMemory(const ir::Function& function, analysis::FunctionAnalyses& analyses,
                const ModuleFacts& facts, const EarlyCseOptions& options)
      : ranges(analyses.get<Ssa>(), analyses.get<analysis::BranchConditions>(),
               analysis::LaunchShape::of(function)),
        addresses(analyses.get<Ssa>(), ranges, analyses.get<analysis::Loops>()),
        walk(function,
             {analyses.get<Ssa>(), analyses.get<analysis::MemorySsa>(), addresses,
              analyses.get<analysis::Loops>(), facts.callees ? &*facts.callees->memories : nullptr,
              analyses.get<analysis::Assumptions>().flatShared},
             options.memorySsaCap) {}
  analysis::ValueRanges ranges;
  analysis::Addresses addresses;
  MemoryWalk walk;
};

void eraseScope(ir::Function& function, const ir::Statement& begin) {
  ir::Statement* at = begin.next->previous;
  while (at->kind != ir::StatementKind::ScopeEnd) {
    ir::Statement* next = at->next;
    function.erase(at);
    at = next;
  }
  function.erase(at);
}

class EarlyCse : public Pass {
 public:
  explicit EarlyCse(const EarlyCseOptions& options) : options_(options) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses&) override {
    facts_ = ModuleFacts::of(module, options_.memorySsa);
  }

  // From other functions it needs only what calls do, which variables asynchronous copies write,
  // which names are taken, and whether griddepcontrol occurs.  While passes run on functions, none
  // changes the second or adds the last, and new names are new in the whole module.
  bool isLocal(const ir::Function& function) const override { return !hasCalls(function); }

  bool run(ir::Function& function, PassContext& context) const override {
    const bool hasHeads = mayHaveEqualHeads(context.analyses.get<analysis::Cfg>());
    const bool isChanged = merge(function, context);
    return (hasHeads && hoistEqualHeads(function, context)) || isChanged;
  }

 private:
  bool merge(ir::Function& function, PassContext& context) const {
    SsaRewrite rewrite(function, context.analyses.get<Ssa>());
    std::optional<SharperMemory> sharper;
    if (options_.memorySsa) sharper.emplace(function, context.analyses, facts_, options_);
    EarlyCseWalk::Inputs inputs{options_, facts_};
    if (sharper) {
      inputs.ranges = &sharper->ranges;
      inputs.memoryWalk = &sharper->walk;
    }
    ValueClaims claims(rewrite.ssa(), ClaimSink(kEarlyCse.name, function, context.claims));
    EarlyCseWalk walk(rewrite, inputs, claims, context);
    walk.run();
    const std::uint64_t dead = eraseDeadValues(rewrite, context.budget, claims);
    if (dead != 0) context.statistics["dead-instructions"] += dead;
    if (!rewrite.isChanged()) return false;
    const std::vector<ir::Statement*> masks = walk.masksWithoutLoad();
    OutOfSsaCounts counts;
    const bool isChanged = outOfSsa(rewrite, {}, facts_.names, counts);
    for (const ir::Statement* begin : walk.emptyScopes()) eraseScope(function, *begin);
    for (ir::Statement* mask : masks) function.erase(mask);
    if (counts.copies != 0) context.statistics["copies-made"] += counts.copies;
    if (counts.newRegisters != 0) context.statistics["new-registers"] += counts.newRegisters;
    return isChanged;
  }

  EarlyCseOptions options_;
  ModuleFacts facts_;
};

using Kind = PassOption::Kind;
constexpr PassOption kOptions[] = {
    {"memssa"},
    {.name = "mssa-optimization-cap",
     .kind = Kind::Number,
     .preset = 500,
     .flag = "earlycse-mssa-optimization-cap",
     .help = "Questions of early-cse<memssa> to memory SSA in one block"},
    {.name = "across-blocks",
     .kind = Kind::Number,
     .most = 2,
     .preset = static_cast<std::uint64_t>(AcrossBlocks::WhereLive)},
    {"merge-cheap"},
    {.name = "max-phi-operands", .kind = Kind::Number, .preset = 5},
    {.name = "debug-hash",
     .flag = "earlycse-debug-hash",
     .help = "Check every look-up of early-cse by comparing all keys; print\n"
             "statistics of the tables to standard error",
     .printsReports = true},
};

std::unique_ptr<Pass> makeEarlyCse(const OptionValues& given, std::string&) {
  EarlyCseOptions ways;
  ways.memorySsa = given.has("memssa");
  ways.memorySsaCap = given.number("mssa-optimization-cap");
  ways.acrossBlocks = static_cast<AcrossBlocks>(given.number("across-blocks"));
  ways.mergeCheap = given.has("merge-cheap");
  ways.phiOperands = given.number("max-phi-operands");
  ways.debugHash = given.has("debug-hash");
  return std::make_unique<EarlyCse>(ways);
}

}  // namespace

const PassInfo kEarlyCse = {
    "early-cse",
    "Removes redundant computations, loads and stores.",
    kOptions,
    makeEarlyCse,
};

}  // namespace ptxopt::passes
