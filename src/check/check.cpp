// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "check/replay.h"
#include "driver/explain.h"
#include "ir/comments.h"
#include "ir/effect.h"
#include "support/limits.h"

namespace ptxopt::check {

namespace {

using interp::FindingKind;

std::optional<Kind> kindOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::DataRace:
      return Kind::Race;
    case FindingKind::BarrierDivergence:
      return Kind::DivergentBarrier;
    case FindingKind::BarrierMismatch:
      return Kind::BarrierCount;
    case FindingKind::Deadlock:
      return Kind::Deadlock;
    case FindingKind::Uninitialised:
      return Kind::Uninitialised;
    case FindingKind::InactiveLane:
      return Kind::InactiveLane;
    default:
      return std::nullopt;
  }
}

// The same finding in blocks of several shapes.
struct Merged {
  StaticFinding first;          // of the most usual shape in which it is found
  std::size_t exactShapes = 0;  // in which it is exact
};

// The kernel, and the functions of the module that it may call.
std::set<const ir::Function*> functionsOf(const ir::Function& kernel,
                                          const analysis::CallGraph& calls) {
  std::set<const ir::Function*> functions;
  const BitSet reached = calls.reachableFrom(calls.vertexOf(kernel));
  for (Vertex v = 0; v < calls.outside(); ++v) {
    const ir::Function* const function = reached.test(v) ? calls.function(v) : nullptr;
    if (function == nullptr) continue;
    // Code outside of the module calls everything that it may know, but no kernels.
    if (!function->isEntry() || function == &kernel) functions.insert(function);
  }
  return functions;
}

class KernelCheck {
 public:
  KernelCheck(StaticCheck& check, const ir::Module& module, const Options& options,
              const Unit& unit, const ir::Function& kernel)
      : check_(check),
        module_(module),
        options_(options),
        unit_(unit),
        kernel_(kernel),
        functions_(functionsOf(kernel, check.calls())) {
    if (options.replays) replays_.emplace(module, kernel, options.dynamicShared);
    hasStructures_ = std::ranges::any_of(kernel.parameters, [](const ir::Variable* parameter) {
      return !parameter->dimensions.empty();
    });
  }

  std::vector<Finding> run() {
    StaticCheck::Fitting fitting =
        check_.fitting(unit_, blocksFor(kernel_, functions_, options_.block));
    fitting_ = std::move(fitting.blocks);
    isKnownToFit_ = fitting.isKnown;
    // The largest one comes second: what only many threads show is in no other.
    std::vector<Block> order = fitting_;
    const auto largest = std::ranges::max_element(order, {}, threadsOf);
    if (largest - order.begin() > 1) std::rotate(order.begin() + 1, largest, largest + 1);
    for (const Block& block : order) {
      if (!isMoreToLearn()) break;
      blocks_.push_back(block);
      for (const StaticFinding& found : check_.run(unit_, block)) {
        if (functions_.contains(found.finding.kernel)) merge(found);
      }
    }
    std::vector<Finding> findings;
    for (Merged& merged : merged_) findings.push_back(judged(merged));
    addOnlySeen(findings);
    std::erase_if(findings, [&](const Finding& finding) { return isIgnored(finding); });
    return onePerLine(std::move(findings));
  }

 private:
  // A second shape may show more; all of them are for what may be certain.
  bool isMoreToLearn() const {
    constexpr std::size_t kShapesForAll = 2;
    return blocks_.size() < kShapesForAll ||
           std::ranges::any_of(merged_, [&](const Merged& merged) {
             const std::size_t blind = merged.first.areWarpsDifferent ? 1 : 0;
             return merged.exactShapes + blind >= blocks_.size();
           });
  }

  void merge(const StaticFinding& found) {
    const auto [at, isNew] = numbers_.try_emplace(
        {found.finding.kind, found.finding.place, found.finding.other}, merged_.size());
    Merged& merged = isNew ? merged_.emplace_back(Merged{found}) : merged_[at->second];
    merged.exactShapes += std::size_t{found.isExact};
    // An example that rests on less says more.
    if (found.isExact && !merged.first.isExact) merged.first = found;
  }

  // How many shapes can show it.
  std::size_t shapesFor(const StaticFinding& found) const {
    if (!found.areWarpsDifferent) return fitting_.size();
    return static_cast<std::size_t>(std::ranges::count_if(
        fitting_, [](const Block& block) { return threadsOf(block) > isa::kWarpSize; }));
  }

  Finding judged(Merged& merged) {
    StaticFinding& found = merged.first;
    Finding finding = std::move(found.finding);
    const bool isInAll =
        isKnownToFit_ && merged.exactShapes != 0 && merged.exactShapes == shapesFor(found);
    const bool isOfFence =
        finding.kind == Kind::MissingFence || finding.kind == Kind::MissingProxyFence;
    const bool isSeen = replays_ && !isOfFence && replay(found, finding);
    finding.certainty = isInAll && isSeen ? Certainty::Certain : Certainty::Possible;
    return finding;
  }

  // True if a run has shown this pair of accesses.
  bool replay(const StaticFinding& found, Finding& finding) {
    using Amount = Replays::Amount;
    const auto isIn = [&](const Replays::Run* run, Sight sight) {
      return run != nullptr && run->isSupported && shows(*run, finding, sight);
    };
    const Block& usual = blocks_.front();
    std::vector<const Replays::Run*> runs;
    for (const Replays::Setting& setting : {Replays::Setting{usual},
                                            {usual, {1, 1, 1}, {}, Amount::Extent},
                                            {found.block, found.grid, found.arguments}}) {
      if (!runs.empty() && isIn(runs.back(), Sight::SamePair)) break;
      runs.push_back(replays_->run(setting));
    }
    for (const Sight sight : {Sight::SamePair, Sight::SameAccess}) {
      for (const Replays::Run* run : runs) {
        if (!isIn(run, sight)) continue;
        finding.replay = Replay::Seen;
        finding.command = replays_->commandOf(*run);
        return sight == Sight::SamePair;
      }
    }
    // A run that stopped early says nothing of what it did not come to.
    const bool areComplete = std::ranges::all_of(runs, [](const Replays::Run* run) {
      return run != nullptr && run->isSupported && run->isComplete;
    });
    if (areComplete && !hasStructures_) finding.replay = Replay::NotSeen;
    return false;
  }

  // What the analyses did not say.  In one block it may happen for want of the right one, so it
  // counts if it happens in several.
  void addOnlySeen(std::vector<Finding>& findings) {
    if (!replays_) return;
    constexpr std::size_t kBlocks = 4;
    std::vector<const Replays::Run*> runs;
    for (const Block& block : fitting_) {
      if (runs.size() == kBlocks) break;
      const Replays::Run* const run = replays_->run({block});
      if (run == nullptr || !run->isSupported) return;
      runs.push_back(run);
    }
    std::set<std::pair<Kind, const ir::Instruction*>> known;
    for (const Finding& finding : findings) {
      known.emplace(finding.kind, finding.place);
      known.emplace(finding.kind, finding.other);
    }
    for (const interp::Finding& seen : runs.front()->findings) {
      const auto kind = kindOf(seen.kind);
      if (!kind || seen.place == nullptr) continue;
      const bool isKnown = known.contains({*kind, seen.place}) ||
                           (seen.other != nullptr && known.contains({*kind, seen.other}));
      const bool isInAll = std::ranges::all_of(runs, [&](const Replays::Run* run) {
        return run->places.contains({seen.kind, seen.place});
      });
      if (isKnown || !isInAll) continue;
      Finding& added = findings.emplace_back();
      added.kind = *kind;
      added.replay = Replay::Seen;
      added.kernel = &kernel_;
      added.place = seen.place;
      added.other = seen.other == seen.place ? nullptr : seen.other;
      added.message = seen.message;
      added.details = {"seen in a run with arguments that were made up"};
      added.command = replays_->commandOf(*runs.front());
    }
  }

  bool isIgnored(const Finding& finding) const {
    return isMarked(finding.place) || isMarked(finding.other);
  }

  // By a comment at the instruction, or at one above it: a compiler computes the address between
  // the comment and the access that it is meant for.
  bool isMarked(const ir::Instruction* place) const {
    if (place == nullptr) return false;
    const auto function = std::ranges::find_if(unit_, [&](const ir::Function* of) {
      const Offset at = place->source.begin;
      return at >= of->bodySource.begin && at < of->bodySource.end;
    });
    if (function == unit_.end()) return false;
    for (const ir::Statement* at = place; at != nullptr; at = at->previous) {
      const auto* instruction = at->as<ir::Instruction>();
      if (instruction == nullptr) continue;
      if (instruction != place && !ir::isUnordered(ir::effectOf(*instruction))) return false;
      if (instruction->desc->control != isa::Control::None) return false;
      if (ir::hasComment(**function, *instruction, "ptxcheck: ignore")) return true;
    }
    return false;
  }

  // Of findings of one kind at one pair of source lines, the one that says most.
  std::vector<Finding> onePerLine(std::vector<Finding> findings) const {
    const auto rank = [](const Finding& finding) {
      return std::tuple(finding.certainty == Certainty::Certain, finding.replay == Replay::Seen);
    };
    std::ranges::stable_sort(findings, [&](const Finding& a, const Finding& b) {
      return rank(a) != rank(b) ? rank(a) > rank(b) : a.place->source.begin < b.place->source.begin;
    });
    std::vector<Finding> result;
    std::set<std::tuple<Kind, std::string, std::string>> seen;
    for (Finding& finding : findings) {
      if (!isWorthTelling(finding)) continue;
      std::string one = lineOf(finding.place);
      std::string other = lineOf(finding.other != nullptr ? finding.other : finding.place);
      if (other < one) std::swap(one, other);
      if (seen.emplace(finding.kind, one, other).second) result.push_back(std::move(finding));
    }
    return result;
  }

  // What has no example, or rests on chosen numbers, and did not happen in a run to the end, is
  // rarely a mistake of the kernel.
  bool isWorthTelling(const Finding& finding) const {
    if (finding.certainty == Certainty::Certain) return true;
    if (options_.tells == Tells::Certain) return false;
    return options_.tells == Tells::All ||
           (finding.kind != Kind::Race && finding.kind != Kind::MissingWait) ||
           finding.replay != Replay::NotSeen;
  }

  // Of the source, where that is known.
  std::string lineOf(const ir::Instruction* instruction) const {
    const Offset at = instruction->source.begin;
    const auto written = check_.lines().written(at);
    if (!written) return fmt::format("{}", module_.source().lineColumn(at).line);
    return fmt::format("{}:{}", written->file, written->line);
  }

  StaticCheck& check_;
  const ir::Module& module_;
  const Options& options_;
  const Unit& unit_;
  const ir::Function& kernel_;
  const std::set<const ir::Function*> functions_;
  std::vector<Block> fitting_;
  bool isKnownToFit_ = true;
  std::vector<Block> blocks_;  // that were looked at, the most usual first
  std::optional<Replays> replays_;
  std::vector<Merged> merged_;
  std::map<std::tuple<Kind, const ir::Instruction*, const ir::Instruction*>, std::size_t>
      numbers_;                 // in merged_
  bool hasStructures_ = false;  // among the parameters: runs pass zeros
};

// A device may have such a block.
bool isLaunchable(const ir::Function& kernel) {
  const auto block = analysis::LaunchShape::of(kernel).block;
  if (!block) return true;
  std::uint64_t threads = 1;
  for (const std::uint32_t extent : *block) {
    if (extent == 0 || extent > isa::kMostThreads) return false;
    threads *= extent;
  }
  return threads <= isa::kMostThreads;
}

bool isWanted(const ir::Function& kernel, const Options& options) {
  return options.kernels.empty() ||
         std::ranges::any_of(options.kernels, [&](const std::string& name) {
           return driver::isCalled(kernel, name);
         });
}

}  // namespace

Report check(ir::Module& module, const Options& options) {
  Report report;
  StaticCheck statics(module);
  for (const Unit& unit : statics.units()) {
    for (const ir::Function* function : unit) {
      if (!function->isEntry() || function->isOpaque || !isWanted(*function, options)) continue;
      KernelReport& of = report.kernels.emplace_back(KernelReport{function, {}});
      if (!isLaunchable(*function)) continue;
      of.findings = KernelCheck(statics, module, options, unit, *function).run();
    }
  }
  std::ranges::sort(report.kernels, {},
                    [](const KernelReport& of) { return of.kernel->bodySource.begin; });
  report.isLimitMet = statics.isLimitMet();
  return report;
}

}  // namespace ptxopt::check
