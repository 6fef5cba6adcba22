// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "audit/collect.h"
#include "facts/claim_text.h"
#include "interp/compare.h"
#include "ir/verifier.h"
#include "parse/parser.h"
#include "passes/engine/pipeline.h"
#include "passes/registry.h"

namespace ptxopt::fuzz {

namespace {

struct Failure {
  std::string where;
  std::string detail;
  std::string output;
};

std::string allOf(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) text += format(diagnostic) + "\n";
  return text;
}

std::unique_ptr<ir::Module> parse(const std::string& name, const std::string& text,
                                  const std::string& where) {
  Diagnostics diagnostics;
  auto module = parse::parse(std::make_shared<const SourceText>(name, text), diagnostics);
  if (module == nullptr || !diagnostics.all().empty()) {
    throw Failure{where, allOf(diagnostics), text};
  }
  return module;
}

void verify(const ir::Module& module, const std::string& where, const std::string& text) {
  for (const ir::Function& function : module.functions()) {
    for (const ir::Problem& problem : ir::verify(function)) {
      const SourceRange place =
          problem.statement != nullptr ? problem.statement->source : function.item->source;
      throw Failure{
          where,
          fmt::format("line {}: {}", module.source().lineColumn(place.begin).line, problem.message),
          text};
    }
  }
}

interp::Survey survey(const ir::Module& module, const interp::Launch& launch,
                      const CheckOptions& options, const std::string& where,
                      const std::vector<facts::Claim>* claims = nullptr) {
  interp::MachineOptions machine;
  machine.stepLimit = options.stepLimit;
  machine.policy = options.firstPolicy;
  machine.claims = claims;
  std::string error;
  auto result = interp::survey(module, launch, machine, options.schedules, error);
  if (!result) throw Failure{where, error, std::string(module.source().text())};
  return std::move(*result);
}

interp::Launch launchOf(const std::string& text) {
  std::string error;
  const auto launch = interp::findLaunch(text, "", error);
  if (!launch) throw Failure{"launch", error.empty() ? "no launch description" : error, text};
  return *launch;
}

std::string findings(const ir::Module& module, const interp::Survey& survey) {
  std::string text;
  for (const interp::Finding& finding : survey.findings) {
    text += interp::format(module, finding) + "\n";
  }
  return text;
}

analysis::AssumptionTable tableOf(const CheckOptions& options) {
  analysis::AssumptionTable table;
  for (const auto& [kernel, word] : options.assumptions) {
    if (const auto problem = table.add(kernel, word)) throw std::invalid_argument(*problem);
  }
  return table;
}

constexpr std::uint32_t kManySchedules = 28;

// One original and the texts that are to do the same.
class Checker {
 public:
  Checker(const std::string& name, const std::string& text, const CheckOptions& options)
      : name_(name), text_(text), options_(options) {}

  CheckResult run() {
    try {
      const auto module = parse(name_, text_, "parse");
      verify(*module, "verify", text_);
      launch_ = launchOf(text_);
      survey_ = survey(*module, launch_, options_, "run");
      result_.steps = survey_.steps;
      compare("original", *module);
      if (options_.onlyClear && !isClear()) return std::move(result_);
      if (options_.reprints) reprint(*module);
      for (const std::string& pipeline : options_.pipelines) {
        if (mayRun(pipeline, *module)) optimize(pipeline);
      }
      if (options_.auditSchedules != 0) audit();
    } catch (const Failure& failure) {
      result_.outcome = Outcome::Failed;
      result_.where = failure.where;
      result_.detail = failure.detail;
      result_.output = failure.output;
    }
    return std::move(result_);
  }

 private:
  // With itself: is there anything to compare with at all?
  void compare(const std::string& where, const ir::Module& module) {
    const interp::Comparison comparison = interp::compare(survey_, survey_);
    if (comparison.verdict == interp::Verdict::Same) return;
    result_.outcome = Outcome::Inconclusive;
    result_.where = comparison.reason;
    result_.detail = where + "\n" + findings(module, survey_);
  }

  bool isClear() {
    if (result_.outcome == Outcome::Same && survey_.readsUndefined) {
      result_.outcome = Outcome::Inconclusive;
      result_.where = "the first reads what is undefined";
    }
    return result_.outcome == Outcome::Same;
  }

  void sameAs(const std::string& where, const std::string& text, const interp::Launch& launch,
              const interp::Survey& expected, const CheckOptions& options) {
    const auto module = parse(name_, text, where);
    verify(*module, where, text);
    const interp::Survey other = survey(*module, launch, options, where);
    result_.steps += other.steps;
    const interp::Comparison comparison = interp::compare(expected, other);
    if (comparison.verdict != interp::Verdict::Different || isUnclear(launch, options)) return;
    throw Failure{where, comparison.reason + "\n" + findings(*module, other), text};
  }

  // A few schedules may not show that the original has several outcomes by itself: strong accesses
  // that no barrier orders are no race.
  bool isUnclear(const interp::Launch& launch, CheckOptions options) {
    options.schedules = std::max(options.schedules, kManySchedules);
    const auto original = parse(name_, text_, "parse");
    const interp::Survey many = survey(*original, launch, options, "run");
    result_.steps += many.steps;
    const interp::Comparison comparison = interp::compare(many, many);
    if (comparison.verdict == interp::Verdict::Same) return false;
    result_.outcome = Outcome::Inconclusive;
    result_.where = comparison.reason;
    return true;
  }

  void reprint(const ir::Module& module) {
    CheckOptions few = options_;
    few.schedules = std::min(few.schedules, 2u);
    sameAs("reprint", print::reprint(module), launch_, survey_, few);
  }

  void optimize(const std::string& pipeline) {
    const driver::OptimizeResult made =
        fuzz::optimize(name_, text_, withHostSymbols(pipeline), options_);
    if (!made.ok) throw Failure{pipeline, allOf(made.diagnostics), text_};
    addClaims(made.run.claims);
    result_.barriersBefore = made.before.ctaBarriers;
    result_.barriersAfter = made.after.ctaBarriers;
    const std::string text = made.output.text();
    if (text == text_) return;
    result_.changedBy.insert(pipeline);
    for (const auto& [other, known] : result_.changed) {
      if (known == text) return;
    }
    result_.changed.emplace_back(pipeline, text);
    // Nobody sees the variables of a whole program.
    if (pipeline.find(kWholeProgram) == std::string::npos) {
      return sameAs(pipeline, text, launch_, survey_, options_);
    }
    interp::Launch own = launch_;
    own.ownsVariables = true;
    const auto original = parse(name_, text_, pipeline);
    sameAs(pipeline, text, own, survey(*original, own, options_, pipeline), options_);
  }

  static constexpr std::string_view kWholeProgram = "whole-program";

  // What the host names: variables that it writes, and what it takes the address of.
  std::vector<std::string> hostSymbols() const {
    std::vector<std::string> names;
    const auto add = [&](const interp::Argument& argument) {
      for (const auto& address : argument.addresses) names.push_back(address.name);
    };
    for (const interp::Argument& argument : launch_.arguments) add(argument);
    for (const auto& [name, content] : launch_.globals) {
      names.push_back(name);
      add(content);
    }
    return names;
  }

  // Only a variable of a whole program can be named to it: no host has the address of a function
  // but from one.
  bool mayRun(const std::string& pipeline, const ir::Module& module) const {
    if (pipeline.find(kWholeProgram) == std::string::npos) return true;
    const std::vector<std::string> names = hostSymbols();
    return std::ranges::none_of(module.functions(), [&](const ir::Function& function) {
      return std::ranges::count(names, function.nameText()) != 0;
    });
  }

  std::string withHostSymbols(const std::string& pipeline) const {
    const std::size_t at = pipeline.find(kWholeProgram);
    const std::vector<std::string> names = hostSymbols();
    if (at == std::string::npos || names.empty()) return pipeline;
    return std::string(pipeline).insert(at + kWholeProgram.size(),
                                        fmt::format("={};", fmt::join(names, ";")));
  }

  // ---- facts ------------------------------------------------------------------------------------

  // All that passes claim in some pipeline, each claim once.  What one says of barriers holds
  // together only, and is a list of its own.
  void addClaims(const std::vector<facts::Claim>& claims) {
    std::vector<facts::Claim> barriers;
    std::vector<std::string> key;
    std::vector<std::string> lines = linesOf(claims);
    for (std::size_t k = 0; k < claims.size(); ++k) {
      if (std::holds_alternative<facts::Barrier>(claims[k].what)) {
        key.push_back(std::move(lines[k]));
        barriers.push_back(claims[k]);
      } else if (claimsSeen_.insert(std::move(lines[k])).second) {
        claims_.push_back(claims[k]);
      }
    }
    const bool areAnyGone = std::any_of(barriers.begin(), barriers.end(), [](const auto& claim) {
      return std::get<facts::Barrier>(claim.what).isGone;
    });
    std::sort(key.begin(), key.end());
    if (areAnyGone && barriersSeen_.insert(std::move(key)).second) {
      barriers_.push_back(std::move(barriers));
    }
  }

  // A line for each, whoever says it.
  std::vector<std::string> linesOf(std::vector<facts::Claim> claims) {
    std::vector<std::string> lines;
    if (claims.empty()) return lines;
    for (facts::Claim& claim : claims) claim.by.clear();
    if (claimed_ == nullptr) claimed_ = parse(name_, text_, "facts");
    std::stringstream text;
    facts::write(text, *claimed_, claims);
    std::string line;
    std::getline(text, line);  // about the text
    while (std::getline(text, line)) lines.push_back(line);
    return lines;
  }

  // Of the kernel as it is.
  void audit() {
    const auto module = parse(name_, text_, "facts");
    const bool isRight = result_.outcome == Outcome::Same;
    std::vector<facts::Claim> claims = audit::collect(*module, tableOf(options_));
    // Where threads race, no load is equal to another one.
    if (isRight) claims.insert(claims.end(), claims_.begin(), claims_.end());
    audit(*module, claims);
    if (!isRight) return;
    for (const std::vector<facts::Claim>& barriers : barriers_) audit(*module, barriers);
  }

  void audit(const ir::Module& module, const std::vector<facts::Claim>& claims) {
    CheckOptions few = options_;
    few.schedules = std::min(few.schedules, options_.auditSchedules);
    interp::Survey run = survey(module, launch_, few, "facts", &claims);
    result_.steps += run.steps;
    result_.claims += claims.size();
    std::erase_if(run.findings, [](const interp::Finding& finding) {
      return finding.kind != interp::FindingKind::FalseFact;
    });
    if (!run.findings.empty()) throw Failure{"facts", findings(module, run), text_};
  }

  const std::string& name_;
  const std::string& text_;
  const CheckOptions& options_;
  interp::Launch launch_;
  interp::Survey survey_;
  std::unique_ptr<ir::Module> claimed_;  // the text that claims are about
  std::vector<facts::Claim> claims_;
  std::set<std::string> claimsSeen_;
  std::vector<std::vector<facts::Claim>> barriers_;
  std::set<std::vector<std::string>> barriersSeen_;
  CheckResult result_;
};

void addVariants(const passes::PassInfo& pass, std::vector<std::string>& pipelines) {
  using Kind = passes::PassOption::Kind;
  for (const passes::PassOption& option : pass.options) {
    if (option.kind == Kind::Flag || option.kind == Kind::OptionalText) {
      pipelines.push_back(fmt::format("{}<{}>", pass.name, option.name));
    }
    for (const std::string& value : passes::valuesOf(option)) {
      pipelines.push_back(fmt::format("{}<{}={}>", pass.name, option.name, value));
    }
  }
}

}  // namespace

std::vector<std::string> allPipelines() {
  std::vector<std::string> pipelines;
  for (const passes::PassInfo* pass : passes::allPasses()) {
    pipelines.emplace_back(pass->name);
    addVariants(*pass, pipelines);
  }
  for (int level = 1; level <= 3; ++level) {
    const std::string pipeline = passes::pipelineOfLevel(level);
    if (std::find(pipelines.begin(), pipelines.end(), pipeline) == pipelines.end()) {
      pipelines.push_back(pipeline);
    }
  }
  return pipelines;
}

driver::OptimizeResult optimize(const std::string& name, const std::string& text,
                                const std::string& pipeline, const CheckOptions& options) {
  driver::OptimizeOptions optimize;
  optimize.run.pipeline = passes::parsePipeline(pipeline);
  optimize.run.verifyEach = true;
  optimize.run.remarks = true;
  optimize.run.claims = options.auditSchedules != 0;
  optimize.run.assumptions = tableOf(options);
  optimize.run.changeLimit = options.changeLimit;
  return driver::optimize(std::make_shared<const SourceText>(name, text), optimize);
}

CheckResult check(const std::string& name, const std::string& text, const CheckOptions& options) {
  return Checker(name, text, options).run();
}

std::vector<bool> tellsApart(const std::string& name, const std::string& first,
                             const std::vector<std::string>& others, const CheckOptions& options) {
  std::vector<bool> result(others.size());
  std::string error;
  const std::vector<interp::Launch> launches = interp::findLaunches(first, error);
  if (!error.empty()) throw std::runtime_error(name + ": " + error);
  try {
    const auto module = parse(name, first, "parse");
    std::vector<std::unique_ptr<ir::Module>> modules;
    for (const std::string& text : others) modules.push_back(parse(name, text, "parse"));
    for (const interp::Launch& launch : launches) {
      const interp::Survey before = survey(*module, launch, options, "run");
      for (std::size_t k = 0; k < others.size(); ++k) {
        if (result[k]) continue;
        const interp::Survey after = survey(*modules[k], launch, options, "run");
        result[k] = interp::compare(before, after).verdict == interp::Verdict::Different;
      }
    }
  } catch (const Failure& failure) {
    throw std::runtime_error(name + ": " + failure.where + ": " + failure.detail);
  }
  return result;
}

// More than random kernels take, unless a bound of theirs is out of all proportion.
constexpr std::uint64_t kFewSteps = 500'000;

std::vector<bool> tellsApartUnder(const interp::Launch& launch, const std::string& name,
                                  const std::string& first, const std::vector<std::string>& others,
                                  const std::vector<bool>& isOpen, const CheckOptions& options) {
  std::vector<bool> result(others.size());
  CheckOptions once = options;
  once.schedules = 1;
  once.stepLimit = std::min(options.stepLimit, kFewSteps);
  CheckOptions few = options;
  few.schedules = std::min(few.schedules, 2u);
  const auto isRight = [](const interp::Survey& survey) {
    return interp::compare(survey, survey).verdict == interp::Verdict::Same;
  };
  try {
    const auto module = parse(name, first, "parse");
    // Most launches that do not suit the kernel show it at once.
    if (!isRight(survey(*module, launch, once, "run"))) return result;
    std::optional<interp::Survey> before;
    for (std::size_t k = 0; k < others.size(); ++k) {
      if (!isOpen[k]) continue;
      if (!before) before = survey(*module, launch, few, "run");
      const auto other = parse(name, others[k], "parse");
      const auto differs = [&](const CheckOptions& of) {
        const interp::Survey after = survey(*other, launch, of, "run");
        return interp::compare(*before, after).verdict == interp::Verdict::Different;
      };
      if (!isRight(*before)) return std::vector<bool>(others.size());
      if (!differs(few)) continue;
      if (before->runs != options.schedules) {
        before = survey(*module, launch, options, "run");
        if (!isRight(*before)) return std::vector<bool>(others.size());
      }
      result[k] = differs(options);
    }
  } catch (const Failure&) {
    // The launch does not fit the kernel.
    return std::vector<bool>(others.size());
  }
  return result;
}

}  // namespace ptxopt::fuzz
