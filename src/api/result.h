// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the C API share: results.
#pragma once

#include <ptxopt/ptxopt.h>

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "passes/engine/pipeline.h"
#include "support/diagnostics.h"
#include "support/source.h"

struct ptxopt_result {
  bool ok = false;
  bool changed = false;
  std::string text;
  std::vector<ptxopt::Diagnostic> diagnostics;
  ptxopt_counts before = {};
  ptxopt_counts after = {};
  decltype(ptxopt::passes::RunResult::statistics) counters;
  std::vector<ptxopt_statistic> statistics;  // the names point into `counters`
  std::string remarks;
};

namespace ptxopt::api {

// Throws std::invalid_argument if the text is too long.
inline std::shared_ptr<const SourceText> sourceOf(const char* name, std::string_view text) {
  if (text.size() >= kNoOffset) throw std::invalid_argument("the text has 4 GiB or more");
  return std::make_shared<const SourceText>(name, text);
}

// What `work` makes of a new one.  What it throws becomes one of its `diagnostics`; null if there
// is no memory.
template <class Made, class Work>
Made* make(const char* name, Work work) {
  try {
    auto made = std::make_unique<Made>();
    try {
      work(*made);
    } catch (const std::bad_alloc&) {
      return nullptr;
    } catch (const std::exception& error) {
      *made = {};
      made->diagnostics.push_back(
          {.severity = Severity::Error, .file = name, .place = {}, .message = error.what()});
    }
    return made.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

template <class Work>
ptxopt_result* resultOf(const char* name, Work work) {
  return make<ptxopt_result>(name, work);
}

}  // namespace ptxopt::api
