// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/driver.h"

#include <chrono>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "analysis/flow/cfg.h"
#include "analysis/flow/maybe_undefined.h"
#include "ir/verifier.h"
#include "parse/parser.h"
#include "passes/retarget/restate.h"
#include "passes/specialize/specialize.h"

namespace ptxopt::driver {

namespace {

// An error that must not happen for any input.
class InternalFault : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

ModuleCounts countCode(const ir::Module& module) {
  ModuleCounts counts;
  for (const ir::Function& function : module.functions()) {
    if (!function.hasBody()) continue;
    CodeCounts& own = counts.functions
                          .emplace_back(ModuleCounts::OfFunction{
                              std::string(function.nameText()), function.isEntry(), {}})
                          .counts;
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr) continue;
      ++own.instructions;
      own.ctaBarriers += std::uint64_t{instruction->desc->effect == isa::Effect::CtaBarrier};
    }
    counts += own;
  }
  return counts;
}

// Runs one phase and records its time.
template <class Work>
auto timed(OptimizeResult& result, const char* phase, Work&& work) {
  struct Watch {
    OptimizeResult& result;
    const char* phase;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Watch() {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      result.phases.push_back({phase, seconds.count()});
    }
  };
  const Watch watch{result, phase};
  return work();
}

std::string describe(const ir::Problem& problem) {
  const ir::Instruction* instruction =
      problem.statement != nullptr ? problem.statement->as<ir::Instruction>() : nullptr;
  if (instruction == nullptr) return problem.message;
  return "'" + std::string(instruction->desc->mnemonic) + "' " + problem.message;
}

void verifyInput(const ir::Module& module, Severity severity, Diagnostics& diagnostics) {
  for (const ir::Function& function : module.functions()) {
    for (const ir::Problem& problem : ir::verify(function)) {
      const SourceRange place =
          problem.statement != nullptr ? problem.statement->source : function.item->source;
      diagnostics.report(severity, module.source(), place.begin, describe(problem));
    }
  }
}

// --verify: only warnings, since compilers do print reads of undefined values that do not matter.
void warnOfUndefinedReads(ir::Module& module, Diagnostics& diagnostics) {
  for (ir::Function& function : module.functions()) {
    if (!function.hasBody()) continue;
    const analysis::Cfg cfg(function);
    const analysis::MaybeUndefined undefined(cfg);
    for (const analysis::UndefinedRead& read : undefined.reads()) {
      diagnostics.report(Severity::Warning, module.source(), read.instruction->source.begin,
                         "'" + function.registerName(read.id) +
                             "' is read here, and on some path nothing has written it");
    }
  }
}

void warnOfContradictions(const ir::Module& module, const analysis::AssumptionTable& assumptions,
                          Diagnostics& diagnostics) {
  const analysis::ModuleAssumptions resolved(module, assumptions);
  for (const auto& contradiction : resolved.contradictions()) {
    diagnostics.report(Severity::Warning, module.source(),
                       contradiction.function->item->source.begin, contradiction.message);
  }
}

void throwOfError(const Diagnostics& diagnostics, std::string_view what) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (diagnostic.severity != Severity::Error) continue;
    throw InternalFault(std::string(what) + ": " + format(diagnostic));
  }
}

// --verify-each: the text of the result must also be valid PTX.
std::unique_ptr<ir::Module> parseAgain(const OptimizeResult& result) {
  Diagnostics diagnostics;
  auto module = parse::parse(
      std::make_shared<const SourceText>(result.source->name(), result.output.text()), diagnostics);
  throwOfError(diagnostics, "the result does not parse");
  return module;
}

// What was lowered must be what the request takes.
std::unique_ptr<ir::Module> checkLowered(const OptimizeResult& result,
                                         const passes::RetargetRequest& request) {
  auto module = parseAgain(result);
  Diagnostics diagnostics;
  passes::restate(*module, request, diagnostics);
  throwOfError(diagnostics, "what was lowered needs more");
  return module;
}

void runPasses(OptimizeResult& result, const OptimizeOptions& options) {
  ir::Module& module = *result.module;
  passes::RunOptions run = options.run;
  passes::Specialization specialization(module, options.launches, run.keptKernels, run.assumptions,
                                        result.diagnostics);
  result.isLaunched = specialization.isAboutModule();
  warnOfContradictions(module, run.assumptions, result.diagnostics);
  timed(result, "passes", [&] { result.run = passes::runPipeline(module, run); });
  if (!result.run.verifierProblems.empty()) {
    throw InternalFault(result.run.verifierProblems.front());
  }
  if (run.remarks) {
    const std::vector<passes::Remark>& own = specialization.remarks();
    result.run.remarks.insert(result.run.remarks.begin(), own.begin(), own.end());
  }
  specialization.addTests();
  result.run.changed |= specialization.changed();
  if (options.countCode && result.run.changed) result.after = countCode(module);
}

void optimizeInto(OptimizeResult& result, std::shared_ptr<const SourceText> source,
                  const OptimizeOptions& options) {
  Diagnostics& diagnostics = result.diagnostics;
  result.module = timed(result, "parse", [&] { return parse::parse(source, diagnostics); });
  if (diagnostics.hasErrors()) return;
  if (result.module == nullptr) {
    if (!options.retarget.isEmpty()) {
      diagnostics.report(Severity::Error, source->name(),
                         "it contains a character that is not part of any token, so it cannot be "
                         "restated for " +
                             options.retarget.text);
      return;
    }
    result.output = print::Output(std::string(source->text()));
    result.ok = true;
    return;
  }
  ir::Module& module = *result.module;

  if (options.verifyInput != InputCheck::None) {
    const Severity severity =
        options.verifyInput == InputCheck::Require ? Severity::Error : Severity::Warning;
    timed(result, "verify", [&] {
      verifyInput(module, severity, diagnostics);
      if (severity == Severity::Error) warnOfUndefinedReads(module, diagnostics);
    });
    if (diagnostics.hasErrors()) return;
  }

  if (options.countCode) result.before = result.after = countCode(module);
  if (module.isFrozen()) {
    if (!options.run.pipeline.empty()) {
      diagnostics.report(
          Severity::Note, source->name(),
          "compiled for a debugger, with directives that are not understood: left unchanged");
    }
  } else if (!options.run.pipeline.empty() || !options.retarget.isEmpty() ||
             !options.launches.empty()) {
    // Without passes too: it marks the functions that must not change.
    runPasses(result, options);
  }

  passes::Restated restated;
  if (!options.retarget.isEmpty()) {
    restated =
        timed(result, "retarget", [&] { return restate(module, options.retarget, diagnostics); });
    if (!restated.isDone) return;
    result.isRestated = module.changed() || restated.lowered != 0;
  }

  timed(result, "print", [&] {
    result.output = options.reprint ? print::Output(print::reprint(module)) : print::print(module);
  });
  if (restated.lowered != 0) {
    timed(result, "retarget", [&] {
      const auto lowered = checkLowered(result, options.retarget);
      if (options.countCode) result.after = countCode(*lowered);
    });
  } else if (options.run.verifyEach) {
    parseAgain(result);
  }
  result.ok = true;
}

}  // namespace

CodeCounts& CodeCounts::operator+=(const CodeCounts& other) {
  instructions += other.instructions;
  ctaBarriers += other.ctaBarriers;
  return *this;
}

OptimizeResult optimize(std::shared_ptr<const SourceText> source, const OptimizeOptions& options) {
  OptimizeResult result;
  result.source = source;
  const auto fail = [&](std::string message) {
    result.ok = false;
    result.output = {};
    result.diagnostics.report(Severity::Error, source->name(), std::move(message));
  };
  const auto fault = [&](const std::string& what) {
    result.internalFault = true;
    fail("internal fault: " + what +
         "; please report this with the input at the project's issue tracker; input untouched");
  };
  try {
    optimizeInto(result, source, options);
  } catch (const std::bad_alloc&) {
    fail("not enough memory");
  } catch (const std::exception& exception) {
    fault(exception.what());
  } catch (...) {
    fault("unknown exception");
  }
  return result;
}

bool equals(const print::Output& output, std::string_view text) {
  if (output.size() != text.size()) return false;
  const char* at = text.data();
  for (const std::string_view piece : output.pieces()) {
    const bool inPlace = piece.data() == at;
    if (!inPlace && std::memcmp(piece.data(), at, piece.size()) != 0) return false;
    at += piece.size();
  }
  return true;
}

}  // namespace ptxopt::driver
