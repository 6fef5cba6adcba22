// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drop-in replacement for ptxas: optimizes the texts that a compiler passes, then runs the real
// ptxas.
//
// A caller sees no difference except in the code.  Options, exit status and messages are those of
// ptxas.  Unchanged texts reach ptxas under their own names.  If ptxas rejects an optimized text,
// it runs again on the original texts.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/build_log.h"
#include "driver/ptxas_variables.h"

namespace ptxopt::ptxas {

// Options of its own, each alone on the command line.
inline constexpr std::array kOwnOptions = {
    Variable{"--doctor",
             "Say which ptxas is run, whether the flags are understood, which compilers come here, "
             "and whether a kernel loses its barrier. The status is 1 if something is wrong."},
    Variable{"--summary FILE", "Print a table of what PTXOPT_LOG=FILE has collected."}};

// The result for one text.
struct Rewritten {
  enum class Kind { Unchanged, Changed, Failed };
  Kind kind = Kind::Unchanged;
  std::string text;  // of Changed: the better one; of Failed: why, in one line
  // Before and after; of a text that could be read.
  std::optional<std::pair<CodeCounts, CodeCounts>> counts = {};
  std::vector<std::string> kernels = {};  // where there are counts: their symbols
};

// Runs in a separate process, which may crash.
using TextRewriter = std::function<Rewritten(const std::string& name, std::string text)>;

struct DropIn {
  TextRewriter rewrite;
  std::string versionLine;  // follows the answer to --version; caches of compilers go by that
  std::string help;         // follows the answer to --help
  std::string flags;        // for the log
  std::string flagsError;   // what is wrong with them; empty: nothing
  std::string calledAs;     // the first word of the command line
  std::string log;          // PTXOPT_LOG: a file; empty: none
  // PTXOPT_STRICT: wrong flags, misspelt variables, and whatever makes a text be assembled as it
  // was, are errors.
  bool isStrict = false;
  bool reportsOnly = false;  // PTXOPT_REPORT_ONLY: what is assembled is the text as it was
};

// `arguments` without the name of the program.  Does not return: it ends as ptxas did, or becomes
// it.  driver/ptxas_search.h says which ptxas.
[[noreturn]] void runPtxasDropIn(const DropIn& dropIn, std::vector<std::string> arguments);

}  // namespace ptxopt::ptxas
