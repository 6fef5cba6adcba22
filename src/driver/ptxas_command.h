// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses a command line of ptxas, as far as a program that runs before ptxas needs it: which words
// are inputs, and whether the texts may be changed at all.
//
// Inputs are found by exclusion, like in ptxas: a word is an input unless it begins with '-' or is
// the value of the option before it.  An option that is not in our table may take the next word as
// its value.  This parser then reports that word as an input, so the caller must check the contents
// of the file (looksLikePtx).
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
    PassThrough,  // nothing to optimize: run ptxas with the original words
    Version,      // --version
    Help,         // --help
    Assemble,     // the texts named by `inputs` may be replaced by optimized ones
  };
  Kind kind = Kind::PassThrough;
  std::string reason;  // of PassThrough: the option that asks for it, "--device-debug"; or empty
  // The command line with every options file replaced by its words, which means the same to ptxas.
  std::vector<std::string> words;
  std::vector<std::size_t> inputs;  // indices in `words`; "-" is the standard input
};

// The text of a file; nothing if it cannot be read.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

// `arguments` is the command line without the name of the program.  O(length of all words).
PtxasCommand parsePtxasCommand(std::span<const std::string> arguments, const FileReader& readFile);

// The words of an options file, separated by white space. '"' quotes; '\' makes the next character
// literal, also between quotes; there are no comments.  Nothing if a quote is not closed.
std::optional<std::vector<std::string>> splitOptions(std::string_view text);

// The words of a variable, quoted as a POSIX shell quotes them; nothing is expanded.  Nothing if
// a quote is left open.
std::optional<std::vector<std::string>> splitShellWords(std::string_view text);

// Names, without dashes, of options with which every text must reach ptxas as it was written, or no
// text is read.
std::span<const std::string_view> optionsThatForbidChanges();

// ptxas would read the text as PTX: its first word, after white space and comments, is .version.
bool looksLikePtx(std::string_view text);

}  // namespace ptxopt::ptxas
