// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/program.h"
#include "support/limits.h"

namespace ptxopt::check {

namespace {

using interp::FindingKind;

// Of one run.
constexpr std::uint64_t kSteps = 2'000'000;
constexpr std::uint64_t kDynamicShared = 48 * 1024;

// The first one without a fault is taken.
std::array<interp::GuessSize, 4> sizesFor(const Replays::Setting& setting) {
  const bool areTwo = setting.amount == Replays::Amount::TwoForEachThread;
  const std::uint64_t threads = threadsOf(setting.block);
  return {{{std::uint64_t{1} << 18, areTwo ? 2 * threads : threads, true},
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

Replays::Run Replays::make(const Setting& setting, const interp::GuessSize& size) const {
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
  machine.stepLimit = kSteps;
  std::string error;
  auto outcome = interp::run(module_, run.launch, machine, error);
  if (!outcome) return run;
  run.isComplete = outcome->completed;
  run.isSupported = !outcome->has(FindingKind::Unsupported);
  run.findings = std::move(outcome->findings);
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
  if (reaches(runs_.size(), Limit::Replays)) return nullptr;
  std::optional<Run> best;
  for (const interp::GuessSize& size : sizesFor(setting)) {
    Run run = make(setting, size);
    const bool isFault = std::ranges::any_of(
        run.findings, [](const interp::Finding& finding) { return isFaultOfGuess(finding.kind); });
    if (!best || !isFault) best = std::move(run);
    if (!isFault) break;
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
  const auto isAt = [&](const interp::Finding& seen) {
    const auto* second = finding.other != nullptr ? finding.other : finding.place;
    const auto* other = seen.other != nullptr ? seen.other : seen.place;
    if (sight == Sight::SameAccess) {
      return seen.place == finding.place || other == finding.place || seen.place == second ||
             other == second;
    }
    return (seen.place == finding.place && other == second) ||
           (seen.place == second && other == finding.place);
  };
  return std::ranges::any_of(run.findings, [&](const interp::Finding& seen) {
    switch (finding.kind) {
      case Kind::Race:
        return seen.kind == FindingKind::DataRace && isAt(seen);
      case Kind::DivergentBarrier:
        return (seen.kind == FindingKind::BarrierDivergence ||
                seen.kind == FindingKind::BarrierMismatch || seen.kind == FindingKind::Deadlock) &&
               (seen.place == finding.place || seen.other == finding.place);
      case Kind::BarrierCount:
      case Kind::Deadlock:
        return seen.kind == FindingKind::BarrierMismatch || seen.kind == FindingKind::Deadlock;
      case Kind::Uninitialised:
        return seen.kind == FindingKind::Uninitialised && seen.place == finding.place;
      case Kind::InactiveLane:
        return seen.kind == FindingKind::InactiveLane && seen.place == finding.place;
      case Kind::MissingWait:
        return seen.kind == FindingKind::DataRace &&
               (seen.place == finding.place || seen.other == finding.place);
      case Kind::MissingFence:
      case Kind::MissingProxyFence:
        return false;
    }
    return false;
  });
}

}  // namespace ptxopt::check
