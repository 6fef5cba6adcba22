// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptxas_oracle.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "isa/rows.h"

namespace ptxopt::isa {

const std::vector<KnownTarget> kKnownTargets = {
    {{10, 0}, {1, 0}},    {{11, 0}, {1, 0}},    {{12, 0}, {1, 2}},    {{13, 0}, {1, 2}},
    {{20, 0}, {2, 0}},    {{21, 0}, {2, 0}},    {{30, 0}, {3, 0}},    {{32, 0}, {4, 0}},
    {{35, 0}, {3, 1}},    {{37, 0}, {4, 1}},    {{50, 0}, {4, 0}},    {{52, 0}, {4, 1}},
    {{53, 0}, {4, 2}},    {{60, 0}, {5, 0}},    {{61, 0}, {5, 0}},    {{62, 0}, {5, 0}},
    {{70, 0}, {5, 1}},    {{72, 0}, {6, 1}},    {{75, 0}, {6, 3}},    {{80, 0}, {7, 0}},
    {{86, 0}, {7, 1}},    {{87, 0}, {7, 4}},    {{88, 0}, {9, 0}},    {{89, 0}, {7, 8}},
    {{90, 0}, {7, 8}},    {{90, 'a'}, {8, 0}},  {{100, 0}, {8, 6}},   {{100, 'a'}, {8, 6}},
    {{100, 'f'}, {8, 8}}, {{103, 0}, {8, 8}},   {{103, 'a'}, {8, 8}}, {{103, 'f'}, {8, 8}},
    {{107, 0}, {9, 4}},   {{107, 'a'}, {9, 4}}, {{107, 'f'}, {9, 4}}, {{110, 0}, {9, 0}},
    {{110, 'a'}, {9, 0}}, {{110, 'f'}, {9, 0}}, {{120, 0}, {8, 7}},   {{120, 'a'}, {8, 7}},
    {{120, 'f'}, {8, 8}}, {{121, 0}, {8, 8}},   {{121, 'a'}, {8, 8}}, {{121, 'f'}, {8, 8}},
};

const std::vector<Version> kKnownVersions = {
    {1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}, {2, 0}, {2, 1}, {2, 2}, {2, 3},
    {3, 0}, {3, 1}, {3, 2}, {4, 0}, {4, 1}, {4, 2}, {4, 3}, {5, 0}, {5, 1}, {6, 0},
    {6, 1}, {6, 2}, {6, 3}, {6, 4}, {6, 5}, {7, 0}, {7, 1}, {7, 2}, {7, 3}, {7, 4},
    {7, 5}, {7, 6}, {7, 7}, {7, 8}, {8, 0}, {8, 1}, {8, 2}, {8, 3}, {8, 4}, {8, 5},
    {8, 6}, {8, 7}, {8, 8}, {9, 0}, {9, 1}, {9, 2}, {9, 3}, {9, 4}, {9, 5},
};

std::string toString(Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

std::string toString(Target target) {
  std::string text = "sm_" + std::to_string(target.sm);
  if (target.suffix != 0) text += target.suffix;
  return text;
}

namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$';
}

// True if `statement` uses `name`: as a whole word, or for "%r" as %r and a number.
bool names(std::string_view statement, std::string_view name) {
  for (std::size_t at = statement.find(name); at != std::string_view::npos;
       at = statement.find(name, at + 1)) {
    if (at != 0 && isWordCharacter(statement[at - 1])) continue;
    std::size_t end = at + name.size();
    if (name.front() == '%') {
      const std::size_t digits = end;
      while (end < statement.size() &&
             std::isdigit(static_cast<unsigned char>(statement[end])) != 0) {
        ++end;
      }
      if (end == digits) continue;
    }
    if (end == statement.size() || !isWordCharacter(statement[end])) return true;
  }
  return false;
}

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

// Writes a module in which every statement has its own entry, and tells on which lines each one
// stands.
class ModuleWriter {
 public:
  ModuleWriter(Version version, Target target) : hasParameterList_(version >= Version{1, 4}) {
    text_ = ".version " + toString(version) + "\n.target " + toString(target) + "\n";
    if (version >= Version{2, 3} && target.sm >= 20) text_ += ".address_size 64\n";
    line_ = static_cast<int>(std::count(text_.begin(), text_.end(), '\n')) + 1;
  }

  void add(std::size_t index, std::string_view statement) {
    // Lines of the declarations for the module belong to the first statement that needs them.
    std::string parameters;
    std::string locals;
    std::string after;
    for (const PreludeName& entry : kPrelude) {
      if (!names(statement, entry.name)) continue;
      const std::string declaration(entry.declaration);
      switch (entry.place) {
        case PreludeName::Place::Module:
          if (declared_.insert({declaration, true}).second) addLine(declaration, index);
          break;
        case PreludeName::Place::Function:
          // Parameters stand in the body before PTX 1.4, and in a list from then on.
          if (declaration.back() != ';') {
            if (hasParameterList_) {
              parameters += declaration;
            } else {
              locals += declaration + "; ";
            }
          } else {
            locals += declaration + " ";
          }
          break;
        case PreludeName::Place::AfterExample:
          after += declaration + " ";
          break;
      }
    }
    // Lists that name labels.
    if (names(statement, "blist")) after += "L0: L1: ";
    if (names(statement, "clist")) addModuleName("fn", index);
    const std::string list = hasParameterList_ ? "(" + parameters + ")" : "";
    addLine(".entry k" + std::to_string(index) + list + " {", index);
    if (!locals.empty()) addLine(locals, index);
    addLine(std::string(statement), index);
    addLine(after + "ret; }", index);
  }

  const std::string& text() const { return text_; }
  const std::map<int, std::size_t>& owners() const { return owners_; }

 private:
  void addModuleName(std::string_view name, std::size_t index) {
    for (const PreludeName& entry : kPrelude) {
      if (entry.name != name) continue;
      const std::string declaration(entry.declaration);
      if (declared_.insert({declaration, true}).second) addLine(declaration, index);
    }
  }

  void addLine(const std::string& text, std::size_t index) {
    text_ += text + "\n";
    owners_[line_++] = index;
  }

  bool hasParameterList_;
  std::string text_;
  int line_ = 1;
  std::map<int, std::size_t> owners_;
  std::map<std::string, bool> declared_;
};

}  // namespace

std::optional<PtxasOracle> PtxasOracle::find() {
  const char* named = std::getenv("PTXOPT_TEST_PTXAS");
  PtxasOracle oracle(named != nullptr && *named != 0 ? named : "ptxas");
  const std::vector<std::string> answer =
      oracle.ask(kKnownVersions.back(), {75, 0}, {"add.u32 %r0, %r1, %r2;"});
  if (!answer.front().empty()) return std::nullopt;
  return oracle;
}

PtxasOracle::Answer PtxasOracle::run(Target target, const std::string& ptx) const {
  ++runs_;
  const std::string input = (scratch() / "in.ptx").string();
  std::ofstream(input, std::ios::binary) << ptx;
  // ptxas takes older targets in the text, but not as an option.
  const std::string arch = target.sm < 75 ? "" : " -arch=" + toString(target);
  const auto [status, output] = capture("'" + path_ + "'" + arch + " -O1 " + input + " -o " +
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

}  // namespace ptxopt::isa
