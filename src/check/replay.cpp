// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/program.h"
#include "support/limits.h"

namespace ptxopt::check {

namespace {

using interp::FindingKind;

// Of one run, and of all runs of a kernel.
constexpr std::uint64_t kStepsOfRun = 1'000'000;
constexpr std::uint64_t kStepsOfKernel = 4'000'000;
constexpr std::uint64_t kDynamicShared = 48 * 1024;

// The first one without a fault is taken, if it does not take too long.
std::array<interp::GuessSize, 4> sizesFor(const Replays::Setting& setting) {
  const bool isTwice = setting.amount == Replays::Amount::TwiceExtent;
  const std::uint64_t extent = *std::ranges::max_element(setting.block);
  return {{{std::uint64_t{1} << 18, isTwice ? 2 * extent : extent, true},
           {std::uint64_t{1} << 20, 64, true},
           {std::uint64_t{1} << 16, 8, true},
           {std::uint64_t{1} << 16, 1, true}}};
}

bool isFaultOfGuess(FindingKind kind) {
  return kind == FindingKind::OutOfBounds || kind == FindingKind::Misaligned ||
         kind == FindingKind::AssertionFailed || kind == FindingKind::Trap;
}

std::string dimensions(const interp::Dim3& size) {
  return fmt::format("{},{},{}", size.x, size.y, size.z);
}

}  // namespace

Replays::Replays(const ir::Module& module, const ir::Function& kernel,
                 std::optional<std::uint64_t> dynamicShared)
    : module_(module), kernel_(kernel) {
  const interp::Image image(module);
  const interp::Program program(module, kernel, image);
  if (program.usesDynamicShared()) dynamicShared_ = dynamicShared.value_or(kDynamicShared);
}

Replays::Run Replays::make(const Setting& setting, const interp::GuessSize& size) {
  const auto& [block, grid, arguments, amount] = setting;
  Run run;
  run.launch.kernel = kernel_.nameText();
  run.launch.grid = {grid[0], grid[1], grid[2]};
  run.launch.block = interp::Dim3{block[0], block[1], block[2]};
  run.launch.dynamicShared = dynamicShared_;
  run.launch.arguments = interp::guessArguments(kernel_, size);
  for (const ChosenArgument& chosen : arguments) {
    if (chosen.parameter >= run.launch.arguments.size()) continue;
    const isa::Type type = kernel_.parameters[chosen.parameter]->type;
    const int width = isa::bitWidth(type);
    if (width == 0 || width > 64 || isa::isFloat(type)) continue;
    std::string error;
    auto argument = interp::parseArgument(fmt::format("s{}:{}", width, chosen.value), error);
    if (argument) run.launch.arguments[chosen.parameter] = std::move(*argument);
  }
  interp::MachineOptions machine;
  machine.stepLimit = std::min(kStepsOfRun, kStepsOfKernel - steps_);
  std::string error;
  auto outcome = interp::run(module_, run.launch, machine, error);
  if (!outcome) return run;
  run.isComplete = outcome->completed;
  // No guess makes a tensor map.
  run.isSupported =
      !outcome->has(FindingKind::Unsupported) && !outcome->has(FindingKind::TensorMap);
  run.findings = std::move(outcome->findings);
  steps_ += std::min(outcome->steps, kStepsOfKernel - steps_);
  for (const interp::Finding& finding : run.findings) {
    const auto* const other = finding.other != nullptr ? finding.other : finding.place;
    run.pairs.emplace(finding.kind, std::min(finding.place, other), std::max(finding.place, other));
    run.places.emplace(finding.kind, finding.place);
    run.places.emplace(finding.kind, other);
  }
  return run;
}

const Replays::Run* Replays::run(const Setting& setting) {
  const auto& [block, grid, arguments, amount] = setting;
  std::string key = fmt::format("{} {},{},{} {}", textOf(block), grid[0], grid[1], grid[2],
                                static_cast<unsigned>(amount));
  for (const ChosenArgument& chosen : arguments) {
    key += fmt::format(" {}={}", chosen.parameter, chosen.value);
  }
  if (const auto known = known_.find(key); known != known_.end()) return &runs_[known->second];
  if (steps_ == kStepsOfKernel || reaches(runs_.size(), Limit::Replays)) return nullptr;
  std::optional<Run> best;
  for (const interp::GuessSize& size : sizesFor(setting)) {
    Run run = make(setting, size);
    const bool isFault = std::ranges::any_of(
        run.findings, [](const interp::Finding& finding) { return isFaultOfGuess(finding.kind); });
    // It has found nothing, and had no time to.
    const bool isTooLong = run.findings.size() == 1 && interp::isLimit(run.findings[0].kind);
    if (!best || !isFault) best = std::move(run);
    if ((!isFault && !isTooLong) || steps_ == kStepsOfKernel) break;
  }
  known_.emplace(std::move(key), runs_.size());
  return &runs_.emplace_back(std::move(*best));
}

std::string Replays::commandOf(const Run& run) const {
  std::string text =
      fmt::format("ptxrun {} --kernel {} --grid {} --block {}", module_.source().name(),
                  run.launch.kernel, dimensions(run.launch.grid), dimensions(*run.launch.block));
  if (run.launch.dynamicShared != 0) text += fmt::format(" --shared {}", run.launch.dynamicShared);
  return text + interp::textOf(run.launch.arguments);
}

bool shows(const Replays::Run& run, const Finding& finding, Sight sight) {
  const ir::Instruction* const first = finding.place;
  const ir::Instruction* const second = finding.other != nullptr ? finding.other : first;
  const auto isAt = [&](FindingKind kind, const ir::Instruction* place) {
    return run.places.contains({kind, place});
  };
  switch (finding.kind) {
    case Kind::Race:
      return sight == Sight::SamePair
                 ? run.pairs.contains(
                       {FindingKind::DataRace, std::min(first, second), std::max(first, second)})
                 : isAt(FindingKind::DataRace, first) || isAt(FindingKind::DataRace, second);
    case Kind::DivergentBarrier:
      return isAt(FindingKind::BarrierDivergence, first) ||
             isAt(FindingKind::BarrierMismatch, first) || isAt(FindingKind::Deadlock, first);
    case Kind::BarrierCount:
    case Kind::Deadlock:
      return std::ranges::any_of(run.findings, [](const interp::Finding& seen) {
        return seen.kind == FindingKind::BarrierMismatch || seen.kind == FindingKind::Deadlock;
      });
    case Kind::MissingWait:
      return isAt(FindingKind::DataRace, first);
    case Kind::Uninitialised:
      return isAt(FindingKind::Uninitialised, first);
    case Kind::InactiveLane:
      return isAt(FindingKind::InactiveLane, first);
    case Kind::MissingFence:
    case Kind::MissingProxyFence:
      return false;
  }
  return false;
}

}  // namespace ptxopt::check
