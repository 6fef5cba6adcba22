// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipeline texts: "a,b<x=1,y>,c".
#include <fmt/format.h>

#include <stdexcept>

#include "passes/registry.h"

namespace ptxopt::passes {

namespace {

// Splits at commas outside of angle brackets.
std::vector<std::string_view> splitSteps(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && --depth < 0) break;
    if (text[at] == ',' && depth == 0) {
      parts.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  if (depth != 0) {
    throw std::invalid_argument("unbalanced '<' and '>' in pipeline '" + std::string(text) + "'");
  }
  parts.push_back(text.substr(begin));
  return parts;
}

PassOptions parseOptions(std::string_view text) {
  PassOptions options;
  for (const std::string_view part : splitSteps(text)) {
    const std::size_t equals = part.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
    options.emplace(part.substr(0, equals), value);
  }
  return options;
}

}  // namespace

std::vector<PipelineStep> parsePipeline(std::string_view text) {
  std::vector<PipelineStep> steps;
  if (text.empty()) return steps;
  for (const std::string_view part : splitSteps(text)) {
    const std::size_t bracket = part.find('<');
    const std::string name(part.substr(0, bracket));
    PipelineStep step{findPass(name), {}};
    if (bracket != std::string_view::npos) {
      if (part.back() != '>') {
        throw std::invalid_argument(fmt::format("text after '>' in pipeline step '{}'", part));
      }
      step.options = parseOptions(part.substr(bracket + 1, part.size() - bracket - 2));
    }
    if (step.pass == nullptr) {
      throw std::invalid_argument(
          fmt::format("there is no pass '{}' (--list-passes shows all of them)", name));
    }
    std::string error;
    if (step.pass->create(step.options, error) == nullptr) {
      throw std::invalid_argument(fmt::format("pass '{}': {}", name, error));
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

std::string pipelineAboutBarriers() {
  return "dead-sync";
}

std::string pipelineAboutSynchronization() {
  return pipelineAboutBarriers() + ",dead-wait";
}

std::string pipelineThatWeakensBarriers() {
  return "warp-sync";
}

std::string pipelineThatGuardsBarriers() {
  return "dead-sync<guard>";
}

std::string pipelineOfLevel(int level) {
  switch (level) {
    case 0:
      return "";
    case 1:
      return "basic-dbe";
    case 2:
      // Leaves out what costs registers in code that nvcc -O3 optimized (docs/results.md).
      return "global-opt,dead-sync,dead-wait,early-cse,common-base<cbe-clone-allocas=0>";
    default:
      // The second round runs on what changed in the first one (RunOptions::pipeline).
      return "global-opt,dead-sync<guard-in-loops>,dead-wait,early-cse<memssa>,"
             "global-opt,dead-sync<guard-in-loops>,dead-wait,early-cse<memssa>,common-base";
  }
}

}  // namespace ptxopt::passes
