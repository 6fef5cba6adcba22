// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program as its table of options describes it, for those who write manuals and completions.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ptxopt::manuals {

// What can stand in the place of a value, for a shell to offer.
enum class Offer : std::uint8_t {
  Nothing,  // free text
  Words,    // one of `words`
  List,     // several of `words`, with commas between them
  Ptx,      // files *.ptx
  File,
  Folder,
  Program,  // a command and its arguments
};

struct Option {
  std::vector<std::string> names;  // "-j", "--jobs"; of a positional one "file"
  bool isPositional = false;
  bool isRequired = false;
  bool isRepeatable = false;
  std::string value;             // "N"; empty: takes none
  bool isValueOptional = false;  // only as "--stats=json"
  Offer offer = Offer::Nothing;
  std::vector<std::string> words;
  std::string group;
  std::string help;  // without line ends
};

// "-O" may be followed by its value directly, "--passes" by = and its value.
inline bool isShort(const std::string& name) {
  return name.size() == 2;
}

struct Command {
  std::string name;
  std::string summary;          // one line
  std::vector<Option> options;  // those without a name first, then by groups
  std::string footer;           // as --help has it
};

// The words that a name for values stands for, where that is not plain from the name itself, as it
// is from "0|1" and "0..3".
using NamedWords = std::map<std::string, std::vector<std::string>>;

// The value of a flag, which may be left out, is the name of what checks it: there --help shows no
// name for a value.  `app` is not changed.
Command describe(CLI::App& app, const NamedWords& named);

}  // namespace ptxopt::manuals
