// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The findings that `ptxrun --json` prints, as far as ptxreduce has to tell them apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace ptxopt::ptxreduce {

// One kind of mistake, at one or two instructions.
struct PlacedFinding {
  std::string kind;
  LineColumn place;
  LineColumn other;  // line 0: there is none
};

// Those of all launches, in their order.  Nothing if the text is not what `ptxrun --json` prints.
std::optional<std::vector<PlacedFinding>> readFindings(std::string_view json);

// The two have the same kind and places.  Which of two accesses comes first depends on the
// schedule.
bool isSame(const PlacedFinding& one, const PlacedFinding& other);

}  // namespace ptxopt::ptxreduce
