// Text in, optimized text out, and everything that happened on the way: what the command line, the
// ptxas drop-in and the public API all call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "passes/pipeline.h"
#include "print/printer.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace ptxopt::driver {

struct OptimizeOptions {
  passes::RunOptions run;
  bool verifyInput = false;  // --verify
  bool reprint = false;      // --reprint
};

// Counted over the whole module.
struct CodeCounts {
  std::uint64_t instructions = 0;
  std::uint64_t ctaBarriers = 0;  // bar and barrier, arrive and red included, not .warp or .cluster
};

struct OptimizeResult {
  // False: `diagnostics` has an error, and there is no output.
  bool ok = false;
  Diagnostics diagnostics;
  // Of a module that was parsed.  Owns the source that `output` points into.
  std::unique_ptr<ir::Module> module;
  print::Output output;
  passes::RunResult run;
  CodeCounts before;
  CodeCounts after;
};

// Never throws on account of the input.  Peak memory: about 5 times the text.
OptimizeResult optimize(std::shared_ptr<const SourceText> source, const OptimizeOptions& options);

}  // namespace ptxopt::driver
