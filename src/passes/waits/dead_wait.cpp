// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/dead_wait.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analysis/async/outstanding_groups.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/manager.h"
#include "passes/barriers/kept_barriers.h"
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

// What kinds of statements a function has.
struct Candidates {
  bool groups = false;
  bool productFences = false;
  bool proxyFences = false;
  bool initFences = false;
  bool fences = false;
  bool warpBarriers = false;
  bool gridWaits = false;

  bool any() const {
    return groups || productFences || proxyFences || initFences || fences || warpBarriers ||
           gridWaits;
  }
  void add(WaitRole role) {
    groups |= isWaitOrCommit(role);
    productFences |= role == WaitRole::ProductFence;
    proxyFences |= role == WaitRole::ProxyFence;
    initFences |= role == WaitRole::InitFence;
    fences |= role == WaitRole::MemoryFence || role == WaitRole::TensorBefore ||
              role == WaitRole::TensorAfter;
    warpBarriers |= role == WaitRole::WarpBarrier;
    gridWaits |= role == WaitRole::GridWait;
  }
};

// Looks at effects first, which most instructions need no role for.  O(statements).
Candidates candidatesIn(const ir::Function& function) {
  Candidates found;
  for (const ir::Statement& statement : function.body()) {
    const auto* const instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    switch (instruction->desc->effect) {
      case isa::Effect::Sync:
      case isa::Effect::CtaFence:
      case isa::Effect::AsyncWait:
      case isa::Effect::WarpBarrier:
        found.add(isa::waitRoleOf(*instruction->desc));
        break;
      default:
        break;
    }
  }
  return found;
}

class Remover {
 public:
  Remover(ir::Function& function, const KeptBarriers& kept, PassContext& context)
      : function_(function),
        kept_(kept),
        context_(context),
        cfg_(context.analyses.get<analysis::Cfg>()) {
    context_.erasedOnlyBarriers = true;
  }

  // In the order of docs/soundness/ H: each kind in the program that is left (H0.1).
  bool run(const Candidates& candidates) {
    if (candidates.groups) remove(groupWaits());
    if (candidates.productFences) remove(repeatedProductFences(cfg_));
    if (candidates.proxyFences) {
      remove(proxyFencesBehindOthers(cfg_, liveness()));
      remove(proxyFencesBeforeOthers(cfg_, liveness()));
    }
    if (candidates.initFences) remove(initFencesBeforeBarriers(cfg_));
    if (candidates.fences) {
      remove(repeatedFences(cfg_, Direction::Forward));
      remove(repeatedFences(cfg_, Direction::Backward));
    }
    if (candidates.warpBarriers) remove(warpBarriersBesideOthers(cfg_, liveness()));
    if (candidates.gridWaits) remove(repeatedGridWaits(cfg_));
    remarkKept();
    return changed_;
  }

 private:
  const analysis::Liveness& liveness() { return context_.analyses.get<analysis::Liveness>(); }

  // Those that wait for nothing, and only then the reads in front of full waits, which are judged
  // in what is left.
  DeadWaits groupWaits() {
    const analysis::OutstandingGroups groups(cfg_);
    DeadWaits dead;
    DeadWaits repeated;
    for (const BlockId b : cfg_.blocks()) {
      for (Instruction& instruction : cfg_.instructions(b)) {
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
    for (const DeadWait& wait : dead) {
      Instruction& instruction = *wait.instruction;
      if (mustStay(instruction) || !context_.budget.spend()) continue;
      bool namesRegister = static_cast<bool>(instruction.guard);
      ir::forEachRegister(instruction, [&](const ir::Operand&) { namesRegister = true; });
      context_.erasedOnlyBarriers = context_.erasedOnlyBarriers && !namesRegister;
      remark(instruction, RemarkKind::Passed, RemovedWait{instruction.desc->mnemonic, wait.why});
      ++context_.statistics[isa::isCommit(isa::waitRoleOf(*instruction.desc)) ? "commits-removed"
                            : isFence(instruction)                            ? "fences-removed"
                                                                              : "waits-removed"];
      cfg_.willErase(instruction);
      function_.erase(&instruction);
      changed_ = true;
    }
  }

  static bool isFence(const Instruction& instruction) {
    return instruction.desc->is(isa::kFence) ||
           isa::waitRoleOf(*instruction.desc) == WaitRole::ProductFence ||
           isa::waitRoleOf(*instruction.desc) == WaitRole::TensorBefore ||
           isa::waitRoleOf(*instruction.desc) == WaitRole::TensorAfter;
  }

  void remarkKept() {
    for (const BlockId b : cfg_.blocks()) {
      for (const Instruction& instruction : cfg_.instructions(b)) {
        const WaitRole role = isa::waitRoleOf(*instruction.desc);
        if (!isa::isOnlySynchronization(role)) continue;
        ++context_.found["waits-kept"];
        remark(instruction, RemarkKind::Missed,
               KeptWait{instruction.desc->mnemonic, whyKept(instruction, role)});
      }
    }
  }

  KeptWait::Why whyKept(const Instruction& instruction, WaitRole role) const {
    if (mustStay(instruction)) return KeptWait::Why::AskedFor;
    if (isa::isCommit(role)) return KeptWait::Why::InGroup;
    if (isWaitOrCommit(role)) return KeptWait::Why::Outstanding;
    return instruction.guard ? KeptWait::Why::Guarded : KeptWait::Why::Orders;
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
  analysis::Cfg& cfg_;
  bool changed_ = false;
};

class DeadWaitPass : public Pass {
 public:
  explicit DeadWaitPass(KeptBarriers kept) : kept_(std::move(kept)) {}

  bool isLocal(const ir::Function&) const override { return true; }
  bool isAboutBarriers() const override { return true; }

  bool run(ir::Function& function, PassContext& context) const override {
    const Candidates candidates = candidatesIn(function);
    return candidates.any() && Remover(function, kept_, context).run(candidates);
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
