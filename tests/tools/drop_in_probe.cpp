// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drop-in for ptxas around an optimizer that does as its text says, so that the tests can have
// every outcome: a line "//! drop" and the one after it go; "//! crash", "//! fail", "//! hang" and
// "//! spoil" (a text that ptxas refuses) speak for themselves.
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "driver/ptxas_drop_in.h"

namespace {

using ptxopt::ptxas::Rewritten;

Rewritten rewrite(const std::string&, std::string text) {
  if (text.find("//! crash") != std::string::npos) std::abort();
  if (text.find("//! fail") != std::string::npos) {
    return {.kind = Rewritten::Kind::Failed, .text = "1:1: error: told to fail"};
  }
  if (text.find("//! hang") != std::string::npos) {
    while (true) pause();
  }
  const auto eraseLine = [&](std::size_t at) { text.erase(at, text.find('\n', at) + 1 - at); };
  bool changed = false;
  for (std::size_t at; (at = text.find("//! drop\n")) != std::string::npos; changed = true) {
    eraseLine(at);
    eraseLine(at);
  }
  if (text.find("//! spoil") != std::string::npos) {
    text += "spoiled\n";
    changed = true;
  }
  if (!changed) return {};
  return {
      .kind = Rewritten::Kind::Changed,
      .text = std::move(text),
      .counts = std::pair(ptxopt::ptxas::CodeCounts{1, 2, 9}, ptxopt::ptxas::CodeCounts{1, 1, 8})};
}

}  // namespace

int main(int argc, char** argv) {
  const char* const log = std::getenv("PTXOPT_LOG");
  const ptxopt::ptxas::DropIn dropIn = {.rewrite = rewrite,
                                        .versionLine = "probe 1.0",
                                        .help = "help of the probe\n",
                                        .flags = "as the text says",
                                        .calledAs = argv[0],
                                        .log = log != nullptr ? log : "",
                                        .isStrict = std::getenv("PTXOPT_STRICT") != nullptr};
  ptxopt::ptxas::runPtxasDropIn(dropIn, {argv + 1, argv + argc});
}
