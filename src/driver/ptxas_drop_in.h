// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drop-in for ptxas: optimizes the texts that a compiler hands over, then runs the real ptxas.
//
// A caller sees no difference but in the code.  ptxas's options, exit status and messages are its
// own; texts that nothing changed in reach it by their own names, and where it refuses what we
// made, it is run once more on the texts as they were.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ptxopt::ptxas {

// What became of one text.
struct Rewritten {
  enum class Kind { Unchanged, Changed, Failed };
  Kind kind = Kind::Unchanged;
  std::string text;  // of Changed: the better one; of Failed: why, in one line
};

// Is called in a process of its own, which may crash.
using TextRewriter = std::function<Rewritten(const std::string& name, std::string text)>;

// `arguments` without the name of the program.  Does not return: it ends as ptxas did, or becomes
// it.  `versionLine` follows the answer to --version; caches of compilers go by that.
//
// Which ptxas: the value of PTXOPT_PTXAS; else the first argument where it is called ptxas, as
// `nvcc --ptxas-prefix` puts it; else the next on PATH that is not this program.  Files are
// compared, not names; and those that led here before, in this process or in one that started it,
// count as this program too, so that scripts which call it do not make a circle.
[[noreturn]] void runPtxasDropIn(const TextRewriter& rewrite, const std::string& versionLine,
                                 std::vector<std::string> arguments);

}  // namespace ptxopt::ptxas
