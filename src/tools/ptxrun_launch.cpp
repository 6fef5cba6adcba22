// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptxrun_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "driver/files.h"

namespace ptxopt::ptxrun {

namespace {

interp::Dim3 dimensions(const std::string& text) {
  const auto parsed = interp::parseDim3(text);
  if (!parsed) throw BadInput{"'" + text + "' is no size: X, X,Y or X,Y,Z"};
  return *parsed;
}

interp::Argument argumentOf(const std::string& text) {
  std::string error;
  auto argument = interp::parseArgument(text, error);
  if (argument) return std::move(*argument);
  if (!error.ends_with("is no argument")) throw BadInput{error};
  throw BadInput{error + "; it is one of these:\n" + std::string(interp::argumentForms())};
}

// NAME=VALUE.
std::vector<std::pair<std::string, interp::Argument>> named(const std::vector<std::string>& texts,
                                                            const std::string& option) {
  std::vector<std::pair<std::string, interp::Argument>> result;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw BadInput{fmt::format("{} {}: it is NAME=VALUE", option, text)};
    }
    result.emplace_back(text.substr(0, equals), argumentOf(text.substr(equals + 1)));
  }
  return result;
}

const ir::Function& kernelOf(const ir::Module& module, const std::string& name) {
  std::string error;
  const ir::Function* kernel = interp::findKernel(module, name, error);
  if (kernel == nullptr) throw BadInput{module.source().name() + ": " + error};
  return *kernel;
}

// A fault that other arguments may avoid.
const interp::Finding* faultOfGuess(const interp::Outcome& outcome) {
  using Kind = interp::FindingKind;
  for (const interp::Finding& finding : outcome.findings) {
    for (const Kind kind : {Kind::OutOfBounds, Kind::Misaligned, Kind::AssertionFailed}) {
      if (finding.kind == kind) return &finding;
    }
  }
  return nullptr;
}

std::string textOf(const interp::Dim3& size) {
  return std::to_string(size.x) + "," + std::to_string(size.y) + "," + std::to_string(size.z);
}

std::string textOf(const interp::Launch& launch) {
  std::string text = "--kernel " + launch.kernel + " --grid " + textOf(launch.grid);
  if (launch.block) text += " --block " + textOf(*launch.block);
  if (launch.dynamicShared != 0) text += " --shared " + std::to_string(launch.dynamicShared);
  return text + interp::textOf(launch.arguments);
}

// A tensor map or a texture describes a tensor or an image that only the caller knows.
void refuseUnguessed(const ir::Module& module, const interp::Outcome& outcome) {
  for (const interp::Finding& finding : outcome.findings) {
    const bool isMap = finding.kind == interp::FindingKind::TensorMap;
    if (!isMap && finding.kind != interp::FindingKind::Texture) continue;
    throw BadInput{module.source().name() + ": the kernel takes a " +
                   (isMap ? "tensor map" : "texture or surface") + ", which no guess describes: " +
                   finding.message + "\ndescribe it, as in --buffer in=buffer:4K:iota:" +
                   (isMap ? "f16 --arg 'tensormap:&in:f16:64,32:box=64,8'"
                          : "f32 --arg 'texture:&in:f32:32,32:filter=linear'")};
  }
}

// Tries larger buffers and smaller numbers until the kernel runs without a fault.
void guess(const ir::Module& module, interp::Launch& launch, const Options& options) {
  const ir::Function& kernel = kernelOf(module, launch.kernel);
  launch.kernel = kernel.nameText();
  launch.block = interp::blockOf(kernel, launch);
  constexpr std::uint64_t kShared = 16384;
  constexpr std::uint64_t kTrialSteps = 20'000'000;
  constexpr interp::GuessSize kSizes[] = {{1u << 16, 64, true}, {1u << 20, 64, true},
                                          {1u << 24, 64, true}, {1u << 16, 8, true},
                                          {1u << 16, 1, true},  {1u << 16, 0, true}};
  const interp::Image image(module);
  const interp::Program program(module, kernel, image);
  if (launch.dynamicShared == 0 && program.usesDynamicShared()) launch.dynamicShared = kShared;
  interp::MachineOptions trial = options.machine;
  trial.detectsRaces = false;
  trial.claims = nullptr;
  trial.stepLimit = std::min(trial.stepLimit, kTrialSteps);
  std::string fault;
  for (const interp::GuessSize& size : kSizes) {
    launch.arguments = interp::guessArguments(kernel, size);
    std::string error;
    const auto outcome = interp::run(module, launch, trial, error);
    if (!outcome) throw BadInput{module.source().name() + ": " + error};
    refuseUnguessed(module, *outcome);
    const interp::Finding* found = faultOfGuess(*outcome);
    if (found == nullptr) {
      std::cerr << "guessed: " << textOf(launch) << '\n'
                << "note: arguments are guessed; they may not be what the kernel expects\n";
      return;
    }
    fault = found->message;
  }
  throw BadInput{"no guess of the arguments fits this kernel; with " + textOf(launch) +
                 " there is a " + fault + "\ngive each parameter its --arg:\n" +
                 std::string(interp::argumentForms())};
}

// The launch that the file describes, modified by the command line.
interp::Launch launchOf(const ir::Module& module, const std::optional<interp::Launch>& described,
                        const Options& options, const ir::Module& like) {
  interp::Launch launch = described.value_or(interp::Launch{});
  if (!options.kernel.empty()) launch.kernel = options.kernel;
  if (!options.grid.empty()) launch.grid = dimensions(options.grid);
  if (!options.block.empty()) launch.block = dimensions(options.block);
  if (!options.cluster.empty()) launch.cluster = dimensions(options.cluster);
  if (options.shared != 0) launch.dynamicShared = options.shared;
  launch.ownsVariables = options.ownsVariables;
  for (auto& buffer : named(options.buffers, "--buffer")) {
    if (!buffer.second.isBuffer && !buffer.second.texture && !buffer.second.multicast) {
      throw BadInput{"--buffer " + buffer.first + ": '" + buffer.second.text +
                     "' is no buffer, such as buffer:4K"};
    }
    launch.buffers.push_back(std::move(buffer));
  }
  for (auto& variable : named(options.variables, "--set")) {
    launch.globals.push_back(std::move(variable));
  }
  if (!options.arguments.empty()) {
    launch.arguments.clear();
    for (const std::string& text : options.arguments) {
      launch.arguments.push_back(argumentOf(text));
    }
  } else if (options.guesses && !described) {
    if (options.compares) {
      launch.arguments = interp::guessArguments(kernelOf(like, launch.kernel));
    } else {
      guess(module, launch, options);
    }
  }
  return launch;
}

Job jobOf(const interp::Launch& launch) {
  return {launch.kernel, interp::scenarioOf(launch)};
}

// Options that a scenario would have to ignore are errors.
void checkScenario(const Options& options) {
  const std::pair<bool, const char*> ofOneLaunch[] = {
      {!options.kernel.empty(), "--kernel"},  {!options.grid.empty(), "--grid"},
      {!options.block.empty(), "--block"},    {!options.cluster.empty(), "--cluster"},
      {options.shared != 0, "--shared"},      {!options.arguments.empty(), "--arg"},
      {!options.buffers.empty(), "--buffer"}, {options.guesses, "--guess"}};
  for (const auto& [isGiven, name] : ofOneLaunch) {
    if (!isGiven) continue;
    throw BadInput{std::string(name) + " has no meaning with --scenario: the file says it"};
  }
}

Job readScenario(const ir::Module& module, const Options& options) {
  checkScenario(options);
  std::string error;
  try {
    auto scenario = interp::parseScenario(driver::readSource(options.scenario)->text(), error);
    if (!scenario) throw BadInput{options.scenario + ":" + error, ""};
    scenario->ownsVariables = options.ownsVariables;
    for (auto& variable : named(options.variables, "--set")) {
      scenario->globals.push_back(std::move(variable));
    }
    for (const interp::Launch& launch : scenario->launches) kernelOf(module, launch.kernel);
    return {"", std::move(*scenario)};
  } catch (const driver::FileError& problem) {
    throw BadInput{options.scenario + ": " + problem.what()};
  }
}

}  // namespace

std::vector<Job> jobsOf(const ir::Module& module, const Options& options, const ir::Module* like) {
  if (like == nullptr) like = &module;
  if (!options.scenario.empty()) return {readScenario(module, options)};
  Options own = options;
  // Descriptions name kernels by their symbols.
  if (!own.kernel.empty()) own.kernel = kernelOf(module, own.kernel).nameText();
  std::string error;
  std::vector<interp::Launch> launches;
  if (own.kernel.empty() && !own.compares) {
    launches = interp::findLaunches(module.source().text(), error);
    if (!error.empty()) throw BadInput{module.source().name() + ":" + error, ""};
  }
  if (launches.size() <= 1) {
    const auto described = interp::findLaunch(module.source().text(), own.kernel, error);
    if (!error.empty()) throw BadInput{module.source().name() + ":" + error, ""};
    return {jobOf(launchOf(module, described, own, *like))};
  }
  std::vector<Job> jobs;
  for (const interp::Launch& described : launches) {
    interp::Launch launch = launchOf(module, described, own, *like);
    if (launch.kernel.empty()) launch.kernel = kernelOf(module, "").nameText();
    jobs.push_back(jobOf(launch));
  }
  return jobs;
}

}  // namespace ptxopt::ptxrun
