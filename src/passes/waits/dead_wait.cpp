// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/dead_wait.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analysis/async/outstanding_groups.h"
#include "passes/barriers/kept_barriers.h"
#include "passes/waits/cluster_barriers.h"
#include "passes/waits/kept_waits.h"
#include "passes/waits/phase_waits.h"
#include "passes/waits/proxy_fences.h"
#include "passes/waits/repeated_fences.h"
#include "passes/waits/repeated_waits.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using ir::Instruction;
using isa::WaitRole;

bool isWaitOrCommit(WaitRole role) {
  return isa::isCommit(role) || isa::isGroupWait(role) || isa::isTensorWait(role);
}

bool isMemoryOrTensorFence(WaitRole role) {
  return role == WaitRole::MemoryFence || role == WaitRole::TensorBefore ||
         role == WaitRole::TensorAfter;
}

class Remover {
 public:
  Remover(ir::Function& function, const KeptBarriers& kept, PassContext& context)
      : function_(function),
        kept_(kept),
        context_(context),
        cfg_(&context.analyses.get<analysis::Cfg>()),
        executed_(*cfg_, context.analyses) {
    context_.erasedOnlyBarriers = true;
  }

  // In the order of docs/soundness/ H: each kind in the program that is left (H0.1).
  bool run() {
    using enum WaitRole;
    const isa::WaitRoles roles = function_.body().waitRoles();
    if (roles.hasAny(isWaitOrCommit)) remove(groupWaits());
    if (roles.contains(ProductFence)) remove(repeatedProductFences(*cfg_));
    if (roles.contains(ProxyFence)) {
      remove(proxyFencesForNobody(*cfg_));
      remove(proxyFencesBehindOthers(*cfg_, executed_));
      remove(proxyFencesBeforeOthers(*cfg_, executed_));
    }
    if (roles.contains(InitFence)) remove(initFencesBeforeBarriers(*cfg_));
    if (roles.hasAny(isMemoryOrTensorFence)) {
      remove(repeatedFences(*cfg_, Direction::Forward));
      remove(repeatedFences(*cfg_, Direction::Backward));
      remove(fencesBehindNothing(*cfg_));
      remove(fencesBeforeNothing(*cfg_, executed_));
    }
    if (roles.contains(WarpBarrier)) remove(warpBarriersBesideOthers(*cfg_, executed_));
    if (roles.contains(GridWait)) remove(repeatedGridWaits(*cfg_));
    if (roles.contains(PhaseWait)) remove(repeatedPhaseWaits(context_.analyses, executed_));
    if (roles.contains(ClusterArrive)) remove(clusterBarriersBesideOthers(context_.analyses));
    remarkKept();
    return changed_;
  }

 private:
  // Those that wait for nothing, and only then the reads in front of full waits, which are judged
  // in what is left.
  DeadWaits groupWaits() {
    const analysis::OutstandingGroups groups(*cfg_);
    DeadWaits dead;
    DeadWaits repeated;
    for (const BlockId b : cfg_->blocks()) {
      for (Instruction& instruction : cfg_->instructions(b)) {
        if (!isWaitOrCommit(isa::waitRoleOf(*instruction.desc))) continue;
        if (groups.isWaitOfNothing(instruction)) {
          dead.push_back({&instruction, RemovedWait::Why::Nothing});
        } else if (groups.isNeedlessCommit(instruction)) {
          dead.push_back({&instruction, RemovedWait::Why::EmptyGroup});
        } else if (groups.isRepeatedBehind(instruction) && !instruction.guard) {
          repeated.push_back({&instruction, RemovedWait::Why::FullWaitAhead});
        }
      }
    }
    dead.insert(dead.end(), repeated.begin(), repeated.end());
    return dead;
  }

  bool mustStay(const Instruction& instruction) const {
    return ir::isBelowDirective(instruction) || kept_.whyKept(function_, instruction).has_value();
  }

  void remove(const DeadWaits& dead) {
    bool areBlocksChanged = false;
    for (const DeadWait& wait : dead) {
      Instruction& instruction = *wait.instruction;
      const bool staysWhole = std::ranges::any_of(wait.with, [&](const Instruction* other) {
        return other != nullptr && mustStay(*other);
      });
      if (mustStay(instruction) || staysWhole || !context_.budget.spend()) continue;
      ++context_.statistics[isa::isCommit(isa::waitRoleOf(*instruction.desc)) ? "commits-removed"
                            : isFence(instruction)                            ? "fences-removed"
                                                                              : "waits-removed"];
      erase(instruction, wait.why);
      for (Instruction* const other : wait.with) {
        if (other == nullptr) continue;
        areBlocksChanged |= cfg_->block(other->block).terminator == other;
        erase(*other, wait.why);
      }
      changed_ = true;
    }
    if (!areBlocksChanged) return;
    context_.analyses.invalidateAll();
    cfg_ = &context_.analyses.get<analysis::Cfg>();
    executed_ = ExecutedByAll(*cfg_, context_.analyses);
  }

  void erase(Instruction& instruction, RemovedWait::Why why) {
    bool namesRegister = static_cast<bool>(instruction.guard);
    ir::forEachRegister(instruction, [&](const ir::Operand&) { namesRegister = true; });
    context_.erasedOnlyBarriers = context_.erasedOnlyBarriers && !namesRegister;
    if (isa::isOnlySynchronization(isa::waitRoleOf(*instruction.desc))) {
      remark(instruction, RemarkKind::Passed, RemovedWait{instruction.desc->mnemonic, why});
    }
    if (cfg_->block(instruction.block).terminator != &instruction) cfg_->willErase(instruction);
    function_.erase(&instruction);
  }

  static bool isFence(const Instruction& instruction) {
    return instruction.desc->is(isa::kFence) ||
           isa::waitRoleOf(*instruction.desc) == WaitRole::ProductFence ||
           isa::waitRoleOf(*instruction.desc) == WaitRole::TensorBefore ||
           isa::waitRoleOf(*instruction.desc) == WaitRole::TensorAfter;
  }

  void remarkKept() {
    for (const BlockId b : cfg_->blocks()) {
      for (const Instruction& instruction : cfg_->instructions(b)) {
        if (!isa::isOnlySynchronization(isa::waitRoleOf(*instruction.desc))) continue;
        ++context_.found["waits-kept"];
        if (!context_.wantRemarks) continue;
        remark(instruction, RemarkKind::Missed,
               keptWait(*cfg_, instruction, mustStay(instruction)));
      }
    }
  }

  void remark(const Instruction& instruction, RemarkKind kind, RemarkContent content) {
    if (!context_.wantRemarks) return;
    Remark remark;
    remark.pass = kDeadWait.name;
    remark.kind = kind;
    remark.function = &function_;
    remark.place = instruction.source;
    remark.content = std::move(content);
    context_.remark(std::move(remark));
  }

  ir::Function& function_;
  const KeptBarriers& kept_;
  PassContext& context_;
  analysis::Cfg* cfg_;
  ExecutedByAll executed_;
  bool changed_ = false;
};

class DeadWaitPass : public Pass {
 public:
  explicit DeadWaitPass(KeptBarriers kept) : kept_(std::move(kept)) {}

  bool isLocal(const ir::Function&) const override { return true; }
  bool isAboutBarriers() const override { return true; }

  bool run(ir::Function& function, PassContext& context) const override {
    return function.body().waitRoles().hasAny(isa::isOnlySynchronization) &&
           Remover(function, kept_, context).run();
  }

 private:
  KeptBarriers kept_;
};

}  // namespace

const PassInfo kDeadWait = {
    "dead-wait",
    "Removes waits, fences and commits of groups that order nothing.",
    {&kKeepOption, 1},
    [](const OptionValues& options, std::string& error) -> std::unique_ptr<Pass> {
      std::optional<KeptBarriers> kept = KeptBarriers::parse(options.text(kKeepOption.name), error);
      return kept ? std::make_unique<DeadWaitPass>(std::move(*kept)) : nullptr;
    },
};

}  // namespace ptxopt::passes
