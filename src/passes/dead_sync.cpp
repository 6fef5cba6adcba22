#include "passes/dead_sync.h"

#include "passes/barrier_groups.h"

namespace ptxopt::passes {

namespace {

using analysis::Precision;

class DeadSync : public Pass {
 public:
  explicit DeadSync(BarrierQuestion question) : groups_(std::move(question)) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses) override {
    groups_.prepare(module, analyses);
  }

  bool run(ir::Function& function, PassContext& context) const override {
    bool changed = false;
    for (BarrierDecision& decision :
         groups_.decide(function, context.analyses, context.wantRemarks)) {
      if (decision.removes) {
        if (!context.budget.spend()) continue;
        function.erase(decision.instruction);
        ++context.statistics["barriers-removed"];
        changed = true;
      } else {
        ++context.statistics["barriers-kept"];
      }
      context.remark(std::move(decision.remark));
    }
    return changed;
  }

 private:
  BarrierGroups groups_;
};

std::unique_ptr<Pass> create(const PassOptions& given, std::string& error) {
  BarrierQuestion question;
  question.pass = kDeadSync.name;
  for (const auto& [name, value] : given) {
    if (name == "keep") {
      std::optional<KeptBarriers> kept = KeptBarriers::parse(value, error);
      if (!kept) return nullptr;
      question.kept = std::move(*kept);
    } else if (name != "precision") {
      error = "there is no option '" + name + "'";
      return nullptr;
    } else if (value == spelling(Precision::Flags)) {
      question.precision = Precision::Flags;
    } else if (value == spelling(Precision::Objects)) {
      question.precision = Precision::Objects;
    } else if (value == spelling(Precision::Affine)) {
      question.precision = Precision::Affine;
    } else {
      error = "precision must be flags, objects or affine, not '" + value + "'";
      return nullptr;
    }
  }
  return std::make_unique<DeadSync>(std::move(question));
}

}  // namespace

const PassInfo kDeadSync = {
    "dead-sync",
    "Removes CTA barriers that order nothing, across blocks, loops and functions.",
    "precision=flags|objects|affine, keep=KERNEL[:LINE];...",
    create,
};

}  // namespace ptxopt::passes
