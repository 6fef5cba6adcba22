// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text in, optimized text out, and everything that happened on the way: what the command line, the
// ptxas drop-in and the public API all call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "passes/engine/pipeline.h"
#include "print/printer.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace ptxopt::driver {

// What to do about input that the verifier finds fault with.
enum class InputCheck : std::uint8_t {
  None,     // the verifier does not look at the input
  Warn,     // -O0: a warning for each problem
  Require,  // --verify: an error for each problem, and no output
};

struct OptimizeOptions {
  passes::RunOptions run;
  InputCheck verifyInput = InputCheck::None;
  bool reprint = false;   // --reprint
  bool countCode = true;  // false: `before` and `after` of the result stay zero
};

// Counted over the whole module.
struct CodeCounts {
  std::uint64_t instructions = 0;
  std::uint64_t ctaBarriers = 0;  // bar and barrier, arrive and red included, not .warp or .cluster
};

struct OptimizeResult {
  // False: `diagnostics` has an error, and there is no output.
  bool ok = false;
  // `ok` is false because of a fault in the tool, not in the input.
  bool internalFault = false;
  Diagnostics diagnostics;
  std::shared_ptr<const SourceText> source;  // what `output` points into
  // Null where the text could not be parsed.  Then there may be an output all the same, equal to
  // the input: of a text that holds what is no token of PTX (docs/soundness/ A7).
  std::unique_ptr<ir::Module> module;
  print::Output output;
  passes::RunResult run;
  CodeCounts before;
  CodeCounts after;
  // Wall clock of "parse", "verify", "passes" and "print", those that ran.  The passes by name are
  // in `run`.
  std::vector<passes::PassTime> phases;
};

// Never throws on account of the input: what goes wrong inside is an internal fault of the result.
// Peak memory: about 5 times the text.
OptimizeResult optimize(std::shared_ptr<const SourceText> source, const OptimizeOptions& options);

// True if the pieces, one after the other, are the bytes of `text`.  O(size), and O(pieces) where
// they are slices of `text` in place.
bool equals(const print::Output& output, std::string_view text);

}  // namespace ptxopt::driver
