// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drop-in replacement for ptxas: optimizes the texts that a compiler passes, then runs the real
// ptxas.
//
// A caller sees no difference except in the code.  Options, exit status and messages are those of
// ptxas.  Unchanged texts reach ptxas under their own names.  If ptxas rejects an optimized text,
// it runs again on the original texts.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ptxopt::ptxas {

// The result for one text.
struct Rewritten {
  enum class Kind { Unchanged, Changed, Failed };
  Kind kind = Kind::Unchanged;
  std::string text;  // Changed: the optimized text; Failed: the reason, in one line
};

// Runs in a separate process, which may crash.
using TextRewriter = std::function<Rewritten(const std::string& name, std::string text)>;

// `arguments` is the command line without the name of the program.  Does not return: this process
// ends like ptxas did, or becomes ptxas.  `versionLine` is printed after the answer to --version,
// because compiler caches use it as a key.
//
// The real ptxas is the value of PTXOPT_PTXAS; else the first argument if its file name is ptxas,
// as `nvcc --ptxas-prefix` passes it; else the next one on PATH that is not this program.  Files
// are compared, not names.  Programs that led here before, in this process or in one that started
// it, count as this program too, so that scripts which call it do not cause an endless loop.
[[noreturn]] void runPtxasDropIn(const TextRewriter& rewrite, const std::string& versionLine,
                                 std::vector<std::string> arguments);

}  // namespace ptxopt::ptxas
