// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a command line of ptxas asks for, as far as a program that stands before ptxas must
// know: which words are inputs, and whether the texts may be touched at all.
//
// Inputs are found by exclusion, as ptxas does: a word is one unless it begins with '-' or is the
// value of the option before it.  An option that is not in our table may take the next word as its
// value; that word is then named as an input here, so the caller must look into the file before it
// believes it (looksLikePtx).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt::ptxas {

struct PtxasCommand {
  enum class Kind {
    PassThrough,  // nothing here for an optimizer: run ptxas with the words as they came
    Version,      // --version
    Assemble,     // the texts named by `inputs` may be replaced by better ones
  };
  Kind kind = Kind::PassThrough;
  // The command line with every options file replaced by its words, which means the same to ptxas.
  std::vector<std::string> words;
  std::vector<std::size_t> inputs;  // places in `words`; "-" is the standard input
};

// The text of a file; nothing where it cannot be read.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

// `arguments` without the name of the program.  O(length of all words).
PtxasCommand parsePtxasCommand(std::span<const std::string> arguments, const FileReader& readFile);

// The words of an options file: separated by white space; '"' quotes; '\' takes the next character
// as it is, also between quotes; no comments.  Nothing where a quote is left open.
std::optional<std::vector<std::string>> splitOptions(std::string_view text);

// A text that ptxas would read as PTX: its first word, after white space and comments, is .version.
bool looksLikePtx(std::string_view text);

}  // namespace ptxopt::ptxas
