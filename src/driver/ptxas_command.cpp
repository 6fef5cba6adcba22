// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_command.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ptxopt::ptxas {
namespace {

using namespace std::string_view_literals;

// Options whose value is the next word unless given with "=": those of ptxas 13.0 and 13.5, with
// long and short names, and undocumented ones that compilers are known to pass. -O is not included:
// its number is part of the word.
// clang-format off
constexpr std::array kOptionsWithValue = {
    "Ofast-compile"sv, "Ofc"sv,
    "abi"sv,
    "allow-expensive-optimizations"sv,
    "apply-controls"sv,
    "def-load-cache"sv, "dlcm"sv,
    "def-store-cache"sv, "dscm"sv,
    "device-function-maxrregcount"sv, "func-maxrregcount"sv,
    "device-stack-protector"sv,
    "enable-extended-smem"sv,
    "enable-func-clone-sc"sv,
    "entry"sv, "e"sv,
    "fmad"sv,
    "force-load-cache"sv, "flcm"sv,
    "force-store-cache"sv, "fscm"sv,
    "gpu-name"sv, "arch"sv,
    "machine"sv, "m"sv,
    "maxntid"sv,
    "maxrregcount"sv,
    "minnctapersm"sv,
    "nv-host"sv,
    "opt-level"sv,
    "output-file"sv, "o"sv,
    "position-independent-code"sv, "pic"sv,
    "regAllocOptLevel"sv,
    "register-usage-level"sv, "regUsageLevel"sv,
    "split-compile"sv,
};
// clang-format on

constexpr std::array kOptionsFile = {"options-file"sv, "optf"sv};
constexpr std::array kVersion = {"version"sv, "V"sv};
constexpr std::array kHelp = {"help"sv, "h"sv};

// With these options ptxas reads no file, or must receive the original text.
// clang-format off
constexpr std::array kHandsOff = {
    "list-version"sv, "version-ls"sv,
    "list-arch"sv, "arch-ls"sv,
    "input-as-string"sv, "ias"sv,
    // A debugger shows the text and steps through it.
    "device-debug"sv, "g"sv,
    // The tool reports about the original program.
    "sanitize"sv,
    // Code that is inserted into other kernels, which are not available here.
    "compile-as-tools-patch"sv, "astoolspatch"sv,
    // This changes the meaning of barriers.
    "legacy-bar-warp-wide-behavior"sv,
    // The .maxntid in the text is overridden.
    "override-directive-values"sv,
};
// clang-format on

// Options files may name options files; this stops one that includes itself.
constexpr int kMaxNesting = 16;

template <class Names>
bool isOneOf(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::vector<std::string> splitList(std::string_view list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class Parser {
 public:
  explicit Parser(const FileReader& readFile) : readFile_(readFile) {}

  PtxasCommand parse(std::span<const std::string> arguments) {
    const bool understood = take(arguments, 0);
    if (help_) {
      command_.kind = PtxasCommand::Kind::Help;
    } else if (!understood || !command_.reason.empty()) {
      command_.kind = PtxasCommand::Kind::PassThrough;
    } else if (version_) {
      command_.kind = PtxasCommand::Kind::Version;
    } else if (!command_.inputs.empty()) {
      command_.kind = PtxasCommand::Kind::Assemble;
    }
    return std::move(command_);
  }

 private:
  // False if ptxas will report an error about an options file.
  bool take(std::span<const std::string> words, int depth) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word == "-" || !word.starts_with('-')) {
        command_.inputs.push_back(command_.words.size());
        command_.words.push_back(word);
        continue;
      }
      const std::size_t equals = word.find('=');
      std::string_view name = std::string_view(word).substr(1, equals - 1);
      if (name.starts_with('-')) name.remove_prefix(1);
      if (isOneOf(name, kHandsOff) && command_.reason.empty()) {
        command_.reason = word.substr(0, equals);
      }
      if (isOneOf(name, kHelp)) help_ = true;
      if (isOneOf(name, kVersion)) version_ = true;

      const bool isOptionsFile = isOneOf(name, kOptionsFile);
      const bool takesNext =
          equals == std::string::npos && (isOptionsFile || isOneOf(name, kOptionsWithValue));
      if (takesNext && i + 1 == words.size()) return false;
      if (isOptionsFile) {
        const std::string list = takesNext ? words[++i] : word.substr(equals + 1);
        if (!takeFiles(list, depth + 1)) return false;
        continue;
      }
      command_.words.push_back(word);
      if (takesNext) command_.words.push_back(words[++i]);
    }
    return true;
  }

  bool takeFiles(std::string_view list, int depth) {
    if (depth > kMaxNesting) return false;
    for (const std::string& path : splitList(list)) {
      const std::optional<std::string> text = readFile_(path);
      if (!text) return false;
      const std::optional<std::vector<std::string>> words = splitOptions(*text);
      if (!words || !take(*words, depth)) return false;
    }
    return true;
  }

  const FileReader& readFile_;
  PtxasCommand command_;
  bool help_ = false;
  bool version_ = false;
};

}  // namespace

PtxasCommand parsePtxasCommand(std::span<const std::string> arguments, const FileReader& readFile) {
  return Parser(readFile).parse(arguments);
}

std::span<const std::string_view> optionsThatForbidChanges() {
  return kHandsOff;
}

std::optional<std::vector<std::string>> splitOptions(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  bool inQuotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!inQuotes && isBlank(c)) {
      if (inWord) words.push_back(std::exchange(word, {}));
      inWord = false;
      continue;
    }
    inWord = true;
    if (c == '"') {
      inQuotes = !inQuotes;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
    } else {
      word += c;
    }
  }
  if (inQuotes) return std::nullopt;
  if (inWord) words.push_back(std::move(word));
  return words;
}

std::optional<std::vector<std::string>> splitShellWords(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && isBlank(c)) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (!word) word.emplace();
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool isEscape = c == '\\' && next != '\0' &&
                          (quote == 0 || (quote == '"' && std::string_view("\\\"$`").find(next) !=
                                                              std::string::npos));
    if (isEscape) {
      *word += text[++i];
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else {
      *word += c;
    }
  }
  if (quote != 0) return std::nullopt;
  if (word) words.push_back(std::move(*word));
  return words;
}

bool looksLikePtx(std::string_view text) {
  while (!text.empty()) {
    if (isBlank(text.front())) {
      text.remove_prefix(1);
    } else if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      if (end == std::string_view::npos) return false;
      text.remove_prefix(end + 2);
    } else {
      return text.starts_with(".version");
    }
  }
  return false;
}

}  // namespace ptxopt::ptxas
