// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptxas_oracle.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "example_module.h"

namespace ptxopt::isa {

namespace {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "ptxopt-isa-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

const std::filesystem::path& scratch() {
  static const TemporaryDirectory directory;
  return directory.path();
}

int exitStatus(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Runs `command` and gives what it prints.
std::pair<int, std::string> capture(const std::string& command) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, {}};
  std::array<char, 4096> buffer;
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), count);
  }
  return {exitStatus(pclose(pipe)), output};
}

}  // namespace

std::optional<PtxasOracle> PtxasOracle::find() {
  const char* named = std::getenv("PTXOPT_TEST_PTXAS");
  PtxasOracle oracle(named != nullptr && *named != 0 ? named : "ptxas");
  const std::vector<std::string> answer =
      oracle.ask(kNewestVersion, {75, 0}, {"add.u32 %r0, %r1, %r2;"});
  if (!answer.front().empty()) return std::nullopt;
  return oracle;
}

PtxasOracle::Answer PtxasOracle::run(Target target, const std::string& ptx,
                                     const char* flag) const {
  ++runs_;
  const std::string input = (scratch() / "in.ptx").string();
  std::ofstream(input, std::ios::binary) << ptx;
  // ptxas takes older targets in the text, but not as an option.
  const Target option = target.sm == 101 ? Target{110, target.suffix} : target;  // its new name
  const std::string arch = option.sm < 75 ? "" : " -arch=" + toString(option);
  const auto [status, output] = capture("'" + path_ + "'" + arch + " -O1 " + flag + input + " -o " +
                                        (scratch() / "out.cubin").string());

  Answer answer{status == 0, {}, output};
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::string line = output.substr(at, end - at);
    at = end + 1;
    const std::size_t number = line.find(", line ");
    if (number == std::string::npos) continue;
    if (line.find("; error") == std::string::npos && line.find("; fatal") == std::string::npos)
      continue;
    const std::size_t text = line.find(": ");
    answer.messages.emplace_back(std::atoi(line.c_str() + number + 7),
                                 text == std::string::npos ? line : line.substr(text + 2));
  }
  return answer;
}

void PtxasOracle::askSome(Version version, Target target,
                          const std::vector<std::string_view>& statements,
                          std::vector<std::size_t> indices,
                          std::vector<std::string>& result) const {
  // A syntax error ends a run, so what is left is asked again until nothing more is refused.
  while (!indices.empty()) {
    ModuleWriter writer(version, target);
    for (const std::size_t index : indices) writer.add(index, statements[index]);
    const Answer answer = run(target, writer.text());
    if (answer.accepted) return;
    bool isAttributed = false;
    for (const auto& [line, message] : answer.messages) {
      const auto owner = writer.owners().find(line);
      if (owner == writer.owners().end()) continue;
      isAttributed = true;
      if (result[owner->second].empty()) result[owner->second] = message;
    }
    if (isAttributed) {
      std::erase_if(indices, [&](std::size_t index) { return !result[index].empty(); });
      continue;
    }
    // An error of a later phase has no line: halve.
    if (indices.size() == 1) {
      result[indices.front()] = answer.output.empty() ? "no message" : answer.output;
      return;
    }
    const auto middle = indices.begin() + static_cast<std::ptrdiff_t>(indices.size() / 2);
    askSome(version, target, statements, {indices.begin(), middle}, result);
    indices.erase(indices.begin(), middle);
  }
}

std::vector<std::string> PtxasOracle::ask(Version version, Target target,
                                          const std::vector<std::string_view>& statements) const {
  std::vector<std::string> result(statements.size());
  std::vector<std::size_t> indices(statements.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  askSome(version, target, statements, indices, result);
  return result;
}

std::string PtxasOracle::askModule(Version version, Target target, std::string_view body) const {
  const std::string text = headerOf(version, target) + std::string(body) + "\n";
  Answer answer = run(target, text);
  if (answer.output.find("requires command line option '--compile-only'") != std::string::npos) {
    answer = run(target, text, "-c ");
  }
  if (answer.accepted) return {};
  return answer.messages.empty() ? answer.output : answer.messages.front().second;
}

}  // namespace ptxopt::isa
