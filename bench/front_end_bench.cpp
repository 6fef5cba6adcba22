// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast text becomes tokens and IR, and IR text again.
//
// Usage: front_end_bench FILE... [--benchmark_...]; make_inputs.py makes files of several sizes.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "parse/parser.h"
#include "parse/scanner.h"
#include "print/printer.h"

namespace ptxopt {
namespace {

using Source = std::shared_ptr<const SourceText>;

void countBytes(benchmark::State& state, const SourceText& source) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(source.text().size()));
}

// Tokens with their names interned, nothing kept.
void scan(benchmark::State& state, const Source& source) {
  for (auto _ : state) {
    Interner names;
    parse::Scanner scanner(source->text(), names);
    parse::TokenBuffer buffer;
    do {
      scanner.fill(buffer);
    } while (buffer.type()[buffer.size] == parse::Token::Refill);
    benchmark::DoNotOptimize(names.size());
  }
  countBytes(state, *source);
}

// Text to full IR: operands resolved, opcodes looked up.
void parseText(benchmark::State& state, const Source& source) {
  for (auto _ : state) {
    Diagnostics diagnostics;
    benchmark::DoNotOptimize(parse::parse(source, diagnostics));
  }
  countBytes(state, *source);
}

void reprintText(benchmark::State& state, const Source& source) {
  Diagnostics diagnostics;
  const auto module = parse::parse(source, diagnostics);
  for (auto _ : state) benchmark::DoNotOptimize(print::reprint(*module));
  countBytes(state, *source);
}

Source load(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return nullptr;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return std::make_shared<SourceText>(path, text);
}

}  // namespace
}  // namespace ptxopt

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int k = 1; k < argc; ++k) {
    const ptxopt::Source source = ptxopt::load(argv[k]);
    if (!source) {
      std::fprintf(stderr, "%s: error: cannot be read\n", argv[k]);
      return 1;
    }
    const std::string name = argv[k];
    const auto add = [&](const char* what, auto function) {
      benchmark::RegisterBenchmark((what + (' ' + name)).c_str(), function, source)
          ->Unit(benchmark::kMillisecond);
    };
    add("scan", ptxopt::scan);
    add("parse", ptxopt::parseText);
    add("reprint", ptxopt::reprintText);
  }
  benchmark::RunSpecifiedBenchmarks();
}
