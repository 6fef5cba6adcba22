// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arbitrary bytes through the whole tool: parse, verify, every pass, print, reprint.
//
// What must hold for any input: no crash, no hang, no sanitizer report, no internal fault; a text
// that is taken comes out byte for byte where no pass changed it; what is printed, changed or
// reprinted, reads again.  Built by -DPTXOPT_FUZZ=ON with Clang as a libFuzzer target; with
// replay.cpp instead of libFuzzer it runs over the seeds as a test.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "driver/driver.h"
#include "parse/parser.h"
#include "passes/registry.h"

namespace {

using ptxopt::SourceText;
using ptxopt::driver::OptimizeOptions;
using ptxopt::driver::OptimizeResult;

[[noreturn]] void fail(const char* what, const ptxopt::Diagnostics& diagnostics) {
  std::fprintf(stderr, "property broken: %s\n", what);
  for (const ptxopt::Diagnostic& d : diagnostics.all()) {
    std::fprintf(stderr, "%s\n", ptxopt::format(d).c_str());
  }
  std::abort();
}

void expectReadable(const std::string& text, const char* what) {
  ptxopt::Diagnostics diagnostics;
  ptxopt::parse::parse(std::make_shared<SourceText>("again.ptx", text), diagnostics);
  if (diagnostics.hasErrors()) {
    std::fprintf(stderr, "%s\n", text.c_str());
    fail(what, diagnostics);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto source = std::make_shared<SourceText>("input.ptx", bytes);

  OptimizeOptions options;
  options.run.pipeline = ptxopt::passes::parsePipeline(ptxopt::passes::pipelineOfLevel(3));
  options.run.remarks = true;
  options.run.verifyEach = true;
  const OptimizeResult result = ptxopt::driver::optimize(source, options);
  if (result.internalFault) fail("no internal fault", result.diagnostics);
  if (!result.ok) {
    if (!result.diagnostics.hasErrors()) fail("a refusal says why", result.diagnostics);
    return 0;
  }
  const std::string printed = result.output.text();
  if (!result.run.changed && printed != bytes) fail("unchanged is untouched", result.diagnostics);
  if (result.module == nullptr) return 0;
  if (result.run.changed) expectReadable(printed, "what is printed reads again");
  expectReadable(ptxopt::print::reprint(*result.module), "what is reprinted reads again");
  return 0;
}
