// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "driver/ptxas_compilers.h"
#include "driver/ptxas_process.h"
#include "driver/ptxas_search.h"

namespace ptxopt::ptxas {

namespace {

namespace fs = std::filesystem;

// Two barriers where one does.  Any level but -O0 takes one.
constexpr const char* kProbe = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry probe(.param .u64 out)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<3>;
	.shared .align 4 .b8 tile[4096];
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [out];
	st.shared.u32 [tile], %r1;
	bar.sync 0;
	bar.sync 0;
	ld.shared.u32 %r2, [tile];
	st.global.u32 [%rd1], %r2;
	ret;
}
)";

// What a program prints; nothing where it fails.
std::optional<std::string> outputOf(const std::string& program,
                                    const std::vector<std::string>& arguments) {
  ProgramAnswer answer =
      answerOf([&](const Streams& streams) { return runProgram(program, arguments, streams); });
  return answer.status.success() ? std::optional(std::move(answer.out)) : std::nullopt;
}

// Where the python3 on PATH looks for packages.
std::vector<std::string> packageFolders() {
  const auto python = findOnPath("python3");
  if (!python) return {};
  const auto answer = outputOf(*python, {"-c", "import sys; print('\\n'.join(sys.path))"});
  std::istringstream lines(answer.value_or(""));
  std::vector<std::string> folders;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("-packages")) folders.push_back(line);
  }
  return folders;
}

class Doctor {
 public:
  explicit Doctor(const DropIn& dropIn) : dropIn_(dropIn), packages_(packageFolders()) {}

  Diagnosis run() {
    say("program", fmt::format("{} ({})", self_, dropIn_.versionLine));
    lookForPtxas();
    if (dropIn_.flagsError.empty()) {
      say("flags", dropIn_.flags.empty()
                       ? "the default, -O2; under nvcc --assume=source does more: "
                         "it trusts __syncthreads()"
                       : dropIn_.flags);
    } else {
      complain("flags", dropIn_.flagsError);
    }
    lookAtVariables();
    lookAtLog();
    probe();
    surveyCompilers({dropIn_, lines_, self_, packages_, fault_});
    return std::move(diagnosis_);
  }

 private:
  void say(std::string_view what, std::string_view text) {
    diagnosis_.text += fmt::format("{:<9} {}\n", what, text);
  }
  void complain(std::string_view what, std::string_view text) {
    say(what, fmt::format("WRONG: {}", text));
    diagnosis_.isHealthy = false;
  }

  static std::string described(const FoundPtxas& ptxas) {
    const auto version = versionOf(ptxas.path);
    return fmt::format("{}, {}, from {}{}", ptxas.path,
                       version ? "release " + text(*version) : "which does not say its version",
                       ptxas.from,
                       leadsHere(ptxas.path) ? "; it calls this, and then the real one" : "");
  }

  void lookForPtxas() {
    const std::vector<FoundPtxas> all = allPtxas(packages_);
    try {
      ptxas_ = findPtxas("", "");
    } catch (const std::runtime_error& error) {
      fault_ = error.what();
      complain("ptxas", fault_);
    }
    if (ptxas_) {
      version_ = versionOf(ptxas_->path);
      version_ ? say("ptxas", described(*ptxas_)) : complain("ptxas", described(*ptxas_));
    }
    for (const FoundPtxas& other : all) {
      if (!ptxas_ || !isSameProgram(other.path, ptxas_->path)) sayOfOther(other);
    }
  }

  void sayOfOther(const FoundPtxas& other) {
    if (other.from == kWheelOfTriton) return say("", "for Triton alone: " + described(other));
    const auto version = versionOf(other.path);
    const bool isNewer = version && version_ && *version_ < *version;
    say("",
        fmt::format("{}: {}", isNewer ? "not taken, though newer" : "not taken", described(other)));
  }

  void lookAtVariables() {
    for (const UnknownVariable& unknown : unknownVariables()) {
      unknown.meant.empty() ? say("variable", text(unknown)) : complain("variable", text(unknown));
    }
  }

  void lookAtLog() {
    if (dropIn_.log.empty()) return;
    const fs::path folder = fs::absolute(dropIn_.log).parent_path();
    const bool isThere = access(dropIn_.log.c_str(), F_OK) == 0;
    const bool isWritable = access(isThere ? dropIn_.log.c_str() : folder.c_str(), W_OK) == 0;
    isWritable ? say("log", dropIn_.log)
               : complain("log", fmt::format("PTXOPT_LOG={} cannot be written", dropIn_.log));
  }

  void probe() {
    if (!dropIn_.flagsError.empty()) return say("probe", "not tried: the flags are wrong");
    const Rewritten result = dropIn_.rewrite("probe.ptx", kProbe);
    switch (result.kind) {
      case Rewritten::Kind::Failed:
        return complain("probe", result.text);
      case Rewritten::Kind::Unchanged:
        return complain("probe", "a kernel with two barriers, one after the other, keeps both");
      case Rewritten::Kind::Changed:
        break;
    }
    if (!ptxas_) return say("probe", "loses its barrier");
    const TemporaryFolder folder;
    const std::string name = (folder.path() / "probe.ptx").string();
    appendAtomically(name, result.text);
    const auto answer = outputOf(
        ptxas_->path, {"-arch=sm_90", name, "-o", (folder.path() / "probe.cubin").string()});
    answer ? say("probe", "loses its barrier, and ptxas takes it")
           : complain("probe", "loses its barrier, but ptxas refuses it for sm_90");
  }

  static std::string selfPath() {
    std::error_code ignored;
    const fs::path path = fs::read_symlink("/proc/self/exe", ignored);
    return path.empty() ? "ptxopt-ptxas" : path.string();
  }

  const DropIn& dropIn_;
  const std::string self_ = selfPath();
  std::vector<std::string> packages_;
  std::optional<FoundPtxas> ptxas_;
  std::optional<PtxasVersion> version_;
  std::string fault_;  // why there is no ptxas
  Diagnosis diagnosis_;
  const DoctorLines lines_ = {
      [this](std::string_view what, std::string_view text) { say(what, text); },
      [this](std::string_view what, std::string_view text) { complain(what, text); }};
};

}  // namespace

Diagnosis diagnose(const DropIn& dropIn) {
  return Doctor(dropIn).run();
}

}  // namespace ptxopt::ptxas
