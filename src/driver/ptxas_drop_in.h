// The drop-in for ptxas: optimizes the texts that a compiler hands over, then runs the real ptxas.
//
// A caller sees no difference but in the code.  ptxas's options, exit status and messages are its
// own; texts that nothing changed in reach it by their own names, and where it refuses what we
// made, it is run once more on the texts as they were.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
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

struct PtxasDropIn {
  std::string realPtxas;  // from findRealPtxas()
  TextRewriter rewrite;
  std::string versionLine;  // follows the answer to --version; caches of compilers go by it
};

// `arguments` without the name of the program.  Does not return: ends as ptxas ended, or becomes it.
[[noreturn]] void runPtxasDropIn(const PtxasDropIn& dropIn,
                                 const std::vector<std::string>& arguments);

// The ptxas to run: `chosen` (the value of PTXOPT_PTXAS; empty if not set), else the first on
// `searchPath` (the value of PATH) that is not this program.  Files are compared, not names; and
// those that led here before, in this process or in the one that started it, count as this program
// too, so that scripts which call this program do not make a circle.  Nothing and a message where
// there is none.  Notes its answer in the environment for that purpose.
std::optional<std::string> findRealPtxas(const std::string& chosen, const std::string& searchPath,
                                         std::string& error);

}  // namespace ptxopt::ptxas
