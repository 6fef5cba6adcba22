// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cssa: into SSA form and out of it again.
//
// A function without rewrites is unchanged, with its own names and without copies: every value
// keeps its register unless that interferes.  With `fold-copies`, uses of register copies in the
// input are replaced by their sources, also in phis.  Then the translation out of SSA form must
// handle swaps, cycles and lost copies (Briggs et al., "Practical Improvements to the Construction
// and Destruction of Static Single Assignment Form", 1998).  `coalesce=0` gives every value a
// register of its own and every operand of a phi a copy: for tests.
//
// docs/soundness/ D3.4, D6, E.8.  Cost: that of Ssa and of outOfSsa().
#include "passes/ssa/cssa.h"

#include <memory>
#include <string>
#include <string_view>

#include "analysis/flow/manager.h"
#include "analysis/values/ssa.h"
#include "passes/ssa/out_of_ssa.h"
#include "passes/ssa/register_copy.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

namespace {

using analysis::Ssa;
using analysis::ValueId;

class Cssa : public Pass {
 public:
  Cssa(const OutOfSsaOptions& options, bool foldCopies, int verbosity)
      : options_(options), foldCopies_(foldCopies), verbosity_(verbosity) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses&) override {
    names_ = FreshNames::of(module);
  }

  bool run(ir::Function& function, PassContext& context) const override {
    const Ssa& ssa = context.analyses.get<Ssa>();
    SsaRewrite rewrite(function, ssa);
    if (foldCopies_) foldCopies(rewrite, context);
    const bool isNaive = options_.coalescing == Coalescing::None;
    OutOfSsaOptions options = options_;
    if (isNaive && !context.budget.spend()) options.coalescing = Coalescing::All;
    OutOfSsaCounts counts;
    const bool isChanged = outOfSsa(rewrite, options, names_, counts);
    report(function, counts, context);
    return isChanged;
  }

 private:
  static void foldCopies(SsaRewrite& rewrite, PassContext& context) {
    const Ssa& ssa = rewrite.ssa();
    for (const analysis::BlockId b : ssa.dominators().preorder()) {
      for (const ir::Instruction& instruction : ssa.cfg().instructions(b)) {
        if (!isWholeCopy(rewrite.function(), instruction)) continue;
        const auto operands = instruction.operands();
        const ValueId source = rewrite.resolve(ssa.use(instruction, operands[1]));
        if (!rewrite.canStandFor(ssa.reg(source), operands[0].reg())) continue;
        if (!context.budget.spend()) return;
        rewrite.replace(ssa.definition(instruction, operands[0]), source);
        rewrite.erase(instruction);
        ++context.statistics["copies-folded"];
      }
    }
  }

  void report(const ir::Function& function, const OutOfSsaCounts& counts,
              PassContext& context) const {
    const auto count = [&](std::string_view counter, std::uint64_t value) {
      if (value != 0) context.statistics[counter] += value;
    };
    count("copies", counts.copies);
    count("temporaries", counts.temporaries);
    count("edges-split", counts.blocks);
    count("new-registers", counts.newRegisters);
    if (verbosity_ == 0 || (verbosity_ == 1 && counts.newRegisters == 0)) return;
    Remark remark;
    remark.pass = kCssa.name;
    remark.function = &function;
    remark.isReport = true;
    remark.content =
        LeftSsaForm{counts.copies, counts.temporaries, counts.blocks, counts.newRegisters};
    context.remark(std::move(remark));
  }

  OutOfSsaOptions options_;
  bool foldCopies_;
  int verbosity_;
  FreshNames names_;
};

using Kind = PassOption::Kind;
// As other passes leave SSA form.
constexpr OutOfSsaOptions kUsual;
constexpr PassOption kOptions[] = {
    {.name = "coalesce",
     .kind = Kind::Number,
     .most = 2,
     .preset = static_cast<std::uint64_t>(kUsual.coalescing),
     .flag = "cssa-coalesce",
     .help = "0: a copy for each operand of a phi; 1: values get their registers\n"
             "back; 2: also avoid copies"},
    {.name = "across-blocks",
     .kind = Kind::Number,
     .most = 1,
     .preset = kUsual.acrossBlocks ? 1 : 0,
     .flag = "cssa-coalesce-across-blocks",
     .help = "1: also coalesce values of blocks that are not adjacent"},
    {.name = "split-edges",
     .kind = Kind::Number,
     .most = 1,
     .preset = kUsual.splitEdges ? 1 : 0,
     .flag = "cssa-coalesce-split-edges",
     .help = "1: copies on an edge out of a branch get a new block"},
    {.name = "verbosity",
     .kind = Kind::Number,
     .most = 2,
     .flag = "cssa-verbosity",
     .help = "1: report functions that get new registers to standard error;\n"
             "2: report every function",
     .printsReports = true},
    {"fold-copies"},
};

std::unique_ptr<Pass> makeCssa(const OptionValues& given, std::string&) {
  OutOfSsaOptions ways;
  ways.coalescing = static_cast<Coalescing>(given.number("coalesce"));
  ways.acrossBlocks = given.number("across-blocks") != 0;
  ways.splitEdges = given.number("split-edges") != 0;
  return std::make_unique<Cssa>(ways, given.has("fold-copies"),
                                static_cast<int>(given.number("verbosity")));
}

}  // namespace

const PassInfo kCssa = {
    "cssa",
    "Translates into SSA form and back; changes nothing by itself.",
    kOptions,
    makeCssa,
    {},
    "do-cssa",
    "dump-before-cssa",
};

}  // namespace ptxopt::passes
