// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/basic_dbe.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <unordered_map>

#include "analysis/barriers/participation.h"
#include "analysis/flow/call_graph.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/manager.h"
#include "ir/effect.h"
#include "passes/barriers/kept_barriers.h"
#include "passes/engine/claim_sink.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Participation;
using analysis::Standing;
using ir::Instruction;
using Rule = BarrierRule::Kind;

// The code between two kept barriers.
struct Region {
  bool isEmpty = true;  // nothing that a barrier could order: docs/soundness/ E.5
  bool mayHavePin = false;
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;

  AccessCounts counts() const { return {reads, writes}; }
  void add(const Instruction& instruction) {
    const isa::Effect effect = ir::effectOf(instruction);
    if (ir::isUnordered(effect)) return;
    isEmpty = false;
    if (effect == isa::Effect::Pin) {
      mayHavePin = true;
      return;
    }
    // An access that is not known to be only a read or only a write counts as both.
    const bool reads_ = instruction.desc->is(isa::kMemoryRead);
    const bool writes_ = instruction.desc->is(isa::kMemoryWrite);
    reads += std::uint32_t{reads_ || !writes_};
    writes += std::uint32_t{writes_ || !reads_};
  }
  void merge(const Region& other) {
    isEmpty &= other.isEmpty;
    mayHavePin |= other.mayHavePin;
    reads += other.reads;
    writes += other.writes;
  }
};

struct Separator {
  const Participation::Member* member = nullptr;
  bool isErased = false;
  std::optional<KeptReason::Why> obstacle;  // why it is not erased although one side is empty
};

// A block as a list of barriers in which all threads take part, and the regions around them:
// regions[k] is above separators[k], the last region below the last separator.  Any other barrier
// is part of a region.
struct BlockShape {
  std::vector<Separator> separators;
  std::vector<Region> regions;
};

KeptReason::Why reasonOf(Standing standing) {
  switch (standing) {
    case Standing::Candidate:
      break;
    case Standing::Guarded:
      return KeptReason::Why::Guarded;
    case Standing::Partial:
      return KeptReason::Why::Partial;
    case Standing::NotUniform:
      return KeptReason::Why::NotUniform;
    case Standing::Tainted:
      return KeptReason::Why::Tainted;
  }
  return {};
}

class Cleaner {
 public:
  Cleaner(ir::Function& function, analysis::Cfg& cfg, const Participation& participation,
          const analysis::BarrierUse& use, const KeptBarriers& kept, PassContext& context)
      : function_(function),
        cfg_(cfg),
        use_(use),
        kept_(kept),
        context_(context),
        claims_(kBasicDbe.name, function, context.claims) {
    for (const Participation::Member& member : participation.barriers()) {
      members_.emplace(member.instruction, &member);
    }
  }

  bool run() {
    for (const BlockId b : cfg_.blocks()) {
      BlockShape shape = shapeOf(b);
      if (cfg_.isReachable(b) && !shape.separators.empty()) clean(b, shape);
      for (const Separator& separator : shape.separators) {
        if (!separator.isErased) claims_.barrier(*separator.member->instruction, true, false);
      }
    }
    return changed_;
  }

 private:
  BlockShape shapeOf(BlockId b) {
    BlockShape shape;
    shape.regions.emplace_back();
    for (const ir::Statement& statement : cfg_.statements(b)) {
      const auto* instruction = statement.as<Instruction>();
      if (instruction == nullptr) continue;
      const auto found = members_.find(instruction);
      if (found != members_.end() && found->second->standing == Standing::Candidate) {
        shape.separators.push_back({found->second});
        shape.regions.emplace_back();
        continue;
      }
      if (found != members_.end()) {
        ++context_.found["barriers-not-judged"];
        claims_.barrier(*instruction, false, false);
        remarkKept(*instruction, reasonOf(found->second->standing));
      }
      shape.regions.back().add(*instruction);
      // The callee may contain the PIN.
      const bool mayCall =
          instruction->desc->control == isa::Control::Call || !instruction->desc->known();
      shape.regions.back().mayHavePin |= mayCall && use_.hasPin;
    }
    return shape;
  }

  // Nothing of the kernel comes before this block (docs/soundness/ C2.3).
  bool isKernelStart(BlockId b) const { return b == cfg_.entry() && cfg_.predecessors(b).empty(); }

  // The kernel ends after this block for every thread that reaches its end.
  bool isKernelEnd(BlockId b) const {
    const auto next = cfg_.successors(b);
    if (next.size() != 1 || next[0] != cfg_.exit()) return false;
    const analysis::EdgeKind kind = cfg_.kind(cfg_.firstOutEdge(b));
    return kind == analysis::EdgeKind::Return || kind == analysis::EdgeKind::Exit;
  }

  // The first and the last region continue outside of the block, unless the kernel starts or ends
  // there.
  Region unbounded(Region region) const {
    region.isEmpty = false;
    region.mayHavePin |= use_.hasPin;
    return region;
  }

  void clean(BlockId b, BlockShape& shape) {
    const bool ends = isKernelEnd(b);
    if (!isKernelStart(b)) shape.regions.front() = unbounded(shape.regions.front());
    if (!ends) shape.regions.back() = unbounded(shape.regions.back());

    // Top down: barriers with nothing above them, back to the start of the kernel or another
    // barrier.
    Region above = shape.regions.front();
    bool isFirst = true;
    for (std::size_t k = 0; k < shape.separators.size(); ++k) {
      const Region& below = shape.regions[k + 1];
      const Rule rule = isFirst ? Rule::Leading : Rule::FollowsAnother;
      if (above.isEmpty && tryErase(shape.separators[k], rule, above, below)) {
        above.merge(below);
      } else {
        above = below;
        isFirst = false;
      }
      shape.regions[k + 1] = above;  // since the last kept barrier
    }

    // Bottom up: barriers with nothing below them, down to the end of the kernel or another
    // barrier.  A barrier of a run that the first walk kept has a PIN after it, or is not a
    // candidate.
    Region below = shape.regions.back();
    bool isLast = true;
    for (std::size_t k = shape.separators.size(); k-- > 0;) {
      Separator& separator = shape.separators[k];
      if (separator.isErased) continue;
      const Region& higher = shape.regions[k];
      // With a trailing barrier no thread ends before all have executed their partial barriers
      // (F9).
      const bool mayErase = below.isEmpty && !(isLast && use_.hasPartial);
      const Rule rule = isLast ? Rule::Trailing : Rule::PrecedesAnother;
      if (mayErase && tryErase(separator, rule, higher, below)) {
        below.merge(higher);
      } else {
        remarkKept(separator, higher, below);
        below = higher;
        isLast = false;
      }
    }
  }

  // One side is empty, but a PIN on the other side still keeps the barrier (C7).
  bool tryErase(Separator& separator, Rule rule, const Region& above, const Region& below) {
    Instruction& instruction = *separator.member->instruction;
    if (separator.member->barrier.kind != ir::CtaBarrier::Kind::Sync) return false;
    if (above.mayHavePin || below.mayHavePin) {
      separator.obstacle = KeptReason::Why::Pin;
      return false;
    }
    separator.obstacle = kept_.whyKept(function_, instruction);
    if (separator.obstacle) return false;
    if (!context_.budget.spend()) return false;

    if (context_.wantRemarks) {
      Remark remark = remarkAt(instruction, RemarkKind::Passed);
      remark.barrier->outcome = BarrierOutcome::Removed;
      remark.barrier->rule = BarrierRule{rule};
      remark.barrier->counts = {above.counts(), below.counts()};
      context_.remark(std::move(remark));
    }
    ++context_.statistics["barriers-removed"];
    claims_.barrier(instruction, true, true);
    cfg_.willErase(instruction);
    function_.erase(&instruction);
    separator.isErased = true;
    changed_ = true;
    return true;
  }

  // ---- remarks ---------------------------------------------------------------------------------

  Remark remarkAt(const Instruction& instruction, RemarkKind kind) {
    Remark remark;
    remark.pass = kBasicDbe.name;
    remark.kind = kind;
    remark.function = &function_;
    remark.place = instruction.source;
    remark.barrier = verdictOn(instruction);
    return remark;
  }

  void remarkKept(const Instruction& instruction, KeptReason::Why why) {
    if (!context_.wantRemarks) return;
    Remark remark = remarkAt(instruction, RemarkKind::Missed);
    remark.barrier->reason = KeptReason{why};
    context_.remark(std::move(remark));
  }

  void remarkKept(const Separator& separator, const Region& above, const Region& below) {
    const Instruction& instruction = *separator.member->instruction;
    if (separator.member->barrier.kind != ir::CtaBarrier::Kind::Sync) {
      remarkKept(instruction, KeptReason::Why::ResultIsData);
    } else if (separator.obstacle) {
      remarkKept(instruction, *separator.obstacle);
    } else if (below.isEmpty) {
      remarkKept(instruction, KeptReason::Why::EndsAfterPartial);
    } else if (context_.wantRemarks) {
      Remark remark = remarkAt(instruction, RemarkKind::Missed);
      remark.barrier->reason = KeptReason{KeptReason::Why::CodeOnBothSides};
      remark.barrier->counts = {above.counts(), below.counts()};
      context_.remark(std::move(remark));
    }
  }

  ir::Function& function_;
  analysis::Cfg& cfg_;
  const analysis::BarrierUse& use_;  // of the kernel and everything that it calls
  const KeptBarriers& kept_;
  PassContext& context_;
  ClaimSink claims_;
  std::unordered_map<const Instruction*, const Participation::Member*> members_;
  bool changed_ = false;
};

class BasicDbe : public Pass {
 public:
  explicit BasicDbe(KeptBarriers kept) : kept_(std::move(kept)) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses) override {
    uses_.emplace(module, analyses.get<analysis::CallGraph>());
  }

  bool isAboutBarriers() const override { return true; }

  bool run(ir::Function& function, PassContext& context) const override {
    // How often a barrier in a .func is executed depends on its callers (C1.6): that needs
    // dead-sync.
    if (!function.isEntry() || uses_->own(function).ids == 0) return false;
    auto& cfg = context.analyses.get<analysis::Cfg>();
    const Participation participation(cfg, context.analyses.get<analysis::Liveness>(), *uses_);
    return Cleaner(function, cfg, participation, uses_->withCallees(function), kept_, context)
        .run();
  }

 private:
  KeptBarriers kept_;
  std::optional<analysis::BarrierUses> uses_;
};

}  // namespace

const PassInfo kBasicDbe = {
    "basic-dbe",
    "Removes CTA barriers next to another one, and at the start or end of a kernel.",
    {&kKeepOption, 1},
    [](const OptionValues& options, std::string& error) -> std::unique_ptr<Pass> {
      std::optional<KeptBarriers> kept = KeptBarriers::parse(options.text(kKeepOption.name), error);
      return kept ? std::make_unique<BasicDbe>(std::move(*kept)) : nullptr;
    },
};

}  // namespace ptxopt::passes
