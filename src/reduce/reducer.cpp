// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce/reducer.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "ir/verifier.h"
#include "parse/parser.h"
#include "reduce/edits.h"

namespace ptxopt::reduce {

namespace {

struct Parsed {
  std::unique_ptr<ir::Module> module;
  std::size_t complaints = 0;
};

// Null if the text is not valid PTX.
std::optional<Parsed> parse(const std::string& text) {
  Diagnostics diagnostics;
  Parsed result;
  result.module =
      parse::parse(std::make_shared<const SourceText>("reduced.ptx", text), diagnostics);
  if (result.module == nullptr) return std::nullopt;
  result.complaints = diagnostics.all().size();
  const auto count = [&](const ir::Symbol& symbol) {
    if (symbol.kind == ir::SymbolKind::Unresolved) ++result.complaints;
  };
  for (std::uint32_t k = 0; k < result.module->symbolCount(); ++k) {
    count(result.module->symbolAt(ir::SymbolId{k}));
  }
  for (const ir::Function& function : result.module->functions()) {
    result.complaints += ir::verify(function).size();
    result.complaints += function.isOpaque ? 1 : 0;
    for (const ir::Symbol& symbol : function.localSymbols()) count(symbol);
  }
  return result;
}

class Search {
 public:
  Search(Reducer& reducer, MarkedText text)
      : reducer_(reducer), best_(std::move(text)), complaints_(parse(best_.text)->complaints) {}

  std::string run() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (const Simplification& simplification : simplifications()) {
        progress = exhaust(simplification) || progress;
      }
    }
    return std::move(best_.text);
  }

 private:
  // Makes as many of the edits as possible.
  bool exhaust(const Simplification& simplification) {
    const auto parsed = parse(best_.text);
    const MarkedText base = best_;
    const std::vector<Edit> edits = simplification.find(*parsed->module, reducer_.keep);
    std::vector<bool> isMade(edits.size());
    bool progress = false;
    for (std::size_t chunk = edits.size(); chunk > 0; chunk /= 2) {
      // Starts at the end: uses are removed before definitions.
      for (std::size_t end = edits.size(); end > 0; end -= std::min(chunk, end)) {
        const std::size_t begin = end - std::min(chunk, end);
        std::vector<bool> tried = isMade;
        std::fill(tried.begin() + static_cast<std::ptrdiff_t>(begin),
                  tried.begin() + static_cast<std::ptrdiff_t>(end), true);
        if (tried == isMade) continue;
        std::vector<const Edit*> chosen;
        for (std::size_t k = 0; k < edits.size(); ++k) {
          if (tried[k]) chosen.push_back(&edits[k]);
        }
        MarkedText candidate = applyEdits(base, chosen);
        if (!attempt(candidate)) continue;
        isMade = std::move(tried);
        best_ = std::move(candidate);
        progress = true;
        if (reducer_.onProgress) reducer_.onProgress(best_.text, simplification.name);
      }
    }
    return progress;
  }

  bool attempt(const MarkedText& candidate) {
    const std::vector<Offset>& marks = candidate.marks;
    if (std::find(marks.begin(), marks.end(), kNoOffset) != marks.end()) return false;
    const std::hash<std::string> hash;
    if (candidate.text == best_.text || !tried_.insert(hash(candidate.text)).second) return false;
    const auto parsed = parse(candidate.text);
    if (!parsed || parsed->complaints > complaints_) return false;
    ++reducer_.attempts;
    return reducer_.isInteresting(candidate);
  }

  Reducer& reducer_;
  MarkedText best_;
  std::size_t complaints_;
  std::unordered_set<std::size_t> tried_;  // hashes of the texts tried
};

}  // namespace

std::string Reducer::run(MarkedText text) {
  return Search(*this, std::move(text)).run();
}

}  // namespace ptxopt::reduce
