// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_compilers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "driver/ptxas_process.h"
#include "driver/ptxas_search.h"
#include "driver/ptxas_triton.h"

namespace ptxopt::ptxas {

namespace {

namespace fs = std::filesystem;

// What a program says if it is run as if the user had called it.  `path` replaces PATH if it is not
// empty.
struct Answer : ProgramAnswer {
  bool isOurs() const {
    return out.starts_with("ptxopt ") || out.find("\nptxopt ") != std::string::npos;
  }
  std::string firstComplaint() const { return err.substr(0, err.find('\n')); }
};

Answer ask(const std::string& program, const std::vector<std::string>& arguments,
           const std::string& path = {}) {
  const auto body = [&] {
    forgetVisited();
    if (!path.empty()) setenv("PATH", path.c_str(), 1);
    becomeProgram(program, arguments);
    return 127;
  };
  return {answerOf([&](const Streams& streams) { return runInChild(body, streams); })};
}

// The file that a compiler would run for this name.
std::optional<std::string> resolved(const std::string& name) {
  if (name.find('/') == std::string::npos) return findOnPath(name);
  std::error_code ignored;
  return fs::exists(name, ignored) ? std::optional(name) : std::nullopt;
}

// ---- nvcc --------------------------------------------------------------------------------------

// How nvcc would call ptxas: a piece of a command for a shell, and the PATH that it sets.
struct PtxasCall {
  std::string command;
  std::string path;
};

// `plan` is what nvcc --dryrun prints.
std::optional<PtxasCall> ptxasCallIn(const std::string& plan) {
  constexpr std::string_view kLine = "#$ ";
  constexpr std::string_view kPath = "PATH=";
  PtxasCall call;
  std::istringstream lines(plan);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kLine)) continue;
    line.erase(0, kLine.size());
    if (line.starts_with(kPath)) call.path = line.substr(kPath.size());
    const std::string command = line.substr(0, line.find(" -arch="));
    if (command.size() == line.size()) continue;
    if (!command.ends_with("ptxas") && !command.ends_with("ptxas\"")) continue;
    call.command = command;
    return call;
  }
  return std::nullopt;
}

// What makes nvcc take another ptxas.
std::string sourceOfPrefix() {
  for (const char* const name : {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"}) {
    if (environment(name).find("--ptxas-prefix") != std::string::npos) return name;
  }
  return {};
}

// One word for NVCC_APPEND_FLAGS.  nvcc takes the quotes as a part of the prefix, and the shell
// that it starts removes them.
std::string prefixFor(const std::string& program) {
  const std::string_view quote = program.find(' ') == std::string::npos ? "" : "\"";
  return fmt::format("--ptxas-prefix={}{}{}", quote, program, quote);
}

void surveyNvcc(const CompilerSurvey& survey) {
  const auto nvcc = findOnPath("nvcc");
  if (!nvcc) return;
  const auto say = [&](const std::string& text) { survey.lines.say("nvcc", *nvcc + ": " + text); };
  const auto complain = [&](const std::string& text) {
    survey.lines.complain("nvcc", *nvcc + ": " + text);
  };
  const std::string source = sourceOfPrefix();
  const Answer plan = ask(*nvcc, {"--dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"});
  const auto call = ptxasCallIn(plan.err);
  if (!call) {
    const std::string text =
        fmt::format("does not say what it runs (--dryrun): {}", plan.firstComplaint());
    return source.empty() ? say(text) : complain(fmt::format("with {}, it {}", source, text));
  }
  const std::string through =
      source.empty() ? fs::path(*nvcc).parent_path().string() + "/ptxas" : source;
  const Answer answer = ask("/bin/sh", {"-c", call->command + " --version"}, call->path);
  if (!answer.status.success()) {
    return complain(fmt::format("{} makes it run `{}`, which fails: {}", through, call->command,
                                answer.firstComplaint()));
  }
  if (answer.isOurs()) return say(fmt::format("calls this through {}", through));
  if (!source.empty()) {
    return complain(
        fmt::format("{} makes it run `{}`, which does not call this", source, call->command));
  }
  say(fmt::format("does not call this; set NVCC_APPEND_FLAGS='{}'", prefixFor(survey.self)));
}

void surveyCcache(const CompilerSurvey& survey) {
  const auto ccache = findOnPath("ccache");
  if (!ccache) return;
  const std::string key = environment("CCACHE_NAMESPACE");
  const std::string& version = survey.dropIn.versionLine;
  if (key.find(version) != std::string::npos) {
    survey.lines.say("ccache", *ccache + ": CCACHE_NAMESPACE keeps these flags apart from others");
  } else if (key.find("ptxopt ") != std::string::npos) {
    survey.lines.complain("ccache", fmt::format("{}: CCACHE_NAMESPACE='{}' is not '{}': a build "
                                                "would take objects of other flags",
                                                *ccache, key, version));
  } else {
    survey.lines.say("ccache",
                     fmt::format("{}: if it is used, a build may take objects made without this, "
                                 "or with other flags; export "
                                 "CCACHE_NAMESPACE=\"$(ptxopt-ptxas --version | tail -n 1)\"",
                                 *ccache));
  }
}

// ---- Triton ------------------------------------------------------------------------------------

// Looks at one variable of Triton, for one folder of packages.
class TritonSurvey {
 public:
  TritonSurvey(const CompilerSurvey& survey, const std::string& folder, const TritonTool& tool)
      : survey_(survey), folder_(folder), tool_(tool), value_(environment(tool.variable)) {}

  void run() const {
    const auto own = programOfTriton(folder_, tool_);
    if (!own) return;  // this release has one program
    const std::string release = described(*own);
    if (value_.empty()) {
      return say(fmt::format("runs its own {}; {}={} would make it call this", release,
                             tool_.variable, nameFor()));
    }
    const auto program = resolved(value_);
    if (!program) {
      return complain(fmt::format("{}={} does not exist, so Triton runs its own {}", tool_.variable,
                                  value_, release));
    }
    const bool isThis = isSameProgram(*program, survey_.self);
    if (isThis && !survey_.fault.empty()) {
      return complain(
          fmt::format("calls this through {}, and then fails: {}", tool_.variable, survey_.fault));
    }
    const Answer answer = ask(*program, {"--version"});
    if (!answer.status.success() || !parseVersion(answer.out)) {
      return complain(fmt::format("{}={} does not say its version, so Triton runs its own {}",
                                  tool_.variable, value_, release));
    }
    if (!answer.isOurs()) {
      return say(fmt::format("{}={} is another program, which does not call this", tool_.variable,
                             value_));
    }
    judge(*own);
  }

 private:
  void say(const std::string& text) const {
    survey_.lines.say("Triton", folder_ + "/triton: " + text);
  }
  void complain(const std::string& text) const {
    survey_.lines.complain("Triton", folder_ + "/triton: " + text);
  }

  static std::string described(const std::string& program) {
    const auto version = versionOf(program);
    return fmt::format("{}, release {}", program, version ? text(*version) : "unknown");
  }

  // The name of this program for the variable.
  std::string nameFor() const {
    const std::string name =
        (fs::path(survey_.self).parent_path() / fmt::format("ptxopt-{}", tool_.program)).string();
    return isSameProgram(name, survey_.self) ? name : survey_.self;
  }

  // The variable leads to this program.  Says which ptxas that then runs.
  void judge(const std::string& own) const {
    const std::string calls = fmt::format("calls this through {}", tool_.variable);
    if (const std::string named = environment(kPtxasVariable.name); !named.empty()) {
      const auto difference = otherRelease(named, own);
      if (!difference) return say(fmt::format("{}, which runs {}", calls, described(named)));
      const std::string text = fmt::format("{}, which runs {}={}: it {}", calls,
                                           kPtxasVariable.name, named, difference->text);
      return difference->isOlder ? complain(text + ", and may not know what Triton asks of it")
                                 : say(text);
    }
    const auto taken = programsOfTriton(folder_, choiceOfTriton(value_).tool).front();
    const auto problem = taken == own ? std::nullopt : ambiguityFor(value_, taken);
    if (problem) return complain(*problem);
    say(fmt::format("{}, which runs {}", calls, described(taken)));
  }

  const CompilerSurvey& survey_;
  const std::string& folder_;
  TritonTool tool_;
  std::string value_;
};

void surveyJax(const CompilerSurvey& survey, const std::string& folder) {
  if (!fs::is_directory(folder + "/jaxlib")) return;
  for (const std::string& path : programsOfJax(folder)) {
    if (access(path.c_str(), X_OK) != 0) continue;
    survey.lines.say("JAX", isSameProgram(path, survey.self)
                                ? fmt::format("{}: is this program", path)
                                : fmt::format("{}: XLA runs this one, whatever XLA_FLAGS says; "
                                              "see docs/drop-in.md",
                                              path));
  }
}

}  // namespace

bool leadsHere(const std::string& program) {
  return ask(program, {"--version"}).isOurs();
}

void surveyCompilers(const CompilerSurvey& survey) {
  surveyNvcc(survey);
  surveyCcache(survey);
  if (const auto clang = findOnPath("clang++")) {
    survey.lines.say("clang",
                     fmt::format("{}: calls this with --ptxas-path={}", *clang, survey.self));
  }
  for (const std::string& folder : survey.packages) {
    for (const TritonTool& tool : {kTritonPtxas, kTritonBlackwell}) {
      TritonSurvey(survey, folder, tool).run();
    }
    surveyJax(survey, folder);
  }
}

}  // namespace ptxopt::ptxas
