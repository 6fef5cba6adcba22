// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizes one text and returns the new text with everything that happened.  The command line, the
// ptxas drop-in and the public API all call this.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "passes/engine/pipeline.h"
#include "passes/retarget/request.h"
#include "passes/specialize/launch_facts.h"
#include "print/printer.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace ptxopt::driver {

// What to do if the verifier reports problems in the input.
enum class InputCheck : std::uint8_t {
  None,     // the input is not verified
  Warn,     // -O0: a warning for each problem
  Require,  // --verify: an error for each problem, and no output
};

struct OptimizeOptions {
  passes::RunOptions run;
  passes::LaunchFacts launches;      // --launch; applies to what the passes get
  passes::RetargetRequest retarget;  // --for; applies to what the passes leave
  InputCheck verifyInput = InputCheck::None;
  bool reprint = false;   // --reprint
  bool countCode = true;  // false: `before` and `after` of the result remain zero
};

struct CodeCounts {
  std::uint64_t instructions = 0;
  std::uint64_t ctaBarriers = 0;  // with arrive and red

  CodeCounts& operator+=(const CodeCounts& other);
};

// Of a module as a whole, and of each of its functions with a body, in the order of the text.
struct ModuleCounts : CodeCounts {
  struct OfFunction {
    std::string name;
    bool isKernel = false;
    CodeCounts counts;
  };
  std::vector<OfFunction> functions;
};

struct OptimizeResult {
  // False: `diagnostics` has an error, and there is no output.
  bool ok = false;
  // `ok` is false because of an error in the tool, not in the input.
  bool internalFault = false;
  Diagnostics diagnostics;
  std::shared_ptr<const SourceText> source;  // `output` points into it
  // Null if the text could not be parsed.  There may still be an output, equal to the input: if the
  // text contains a character that belongs to no token of PTX (docs/soundness/ A7).
  std::unique_ptr<ir::Module> module;
  print::Output output;
  passes::RunResult run;
  bool isRestated = false;  // --for changed something
  bool isLaunched = true;   // false: it has no kernel that OptimizeOptions::launches names
  ModuleCounts before;
  ModuleCounts after;
  // Wall-clock time of "parse", "verify", "passes", "retarget" and "print", those that ran.  The
  // times of single passes are in `run`.
  std::vector<passes::PassTime> phases;
};

// Never throws because of the input: exceptions become an internal fault in the result.  Peak
// memory: about 5 times the text.
OptimizeResult optimize(std::shared_ptr<const SourceText> source, const OptimizeOptions& options);

// True if the concatenation of the pieces equals `text`.  O(size); O(pieces) if they are slices of
// `text` at their original offsets.
bool equals(const print::Output& output, std::string_view text);

}  // namespace ptxopt::driver
