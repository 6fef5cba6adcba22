// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of variables: copies that several blocks make become one, the first one where it is
// above all of them, else a new one in the entry block.
//
// Cost: O(values log copies).
#pragma once

#include <optional>
#include <vector>

#include "analysis/flow/loops.h"
#include "ir/declared_names.h"
#include "passes/bases/base_assignment.h"

namespace ptxopt::passes {

// Variables that can be named wherever there are instructions: those of the module, and those of
// the function that are declared above its code.
class DeclaredAhead {
 public:
  // `rewrite` must outlive the object.
  explicit DeclaredAhead(const SsaRewrite& rewrite);
  bool contains(ir::SymbolId variable) const;

 private:
  const SsaRewrite& rewrite_;
  std::vector<ir::SymbolId> ofFunction_;             // sorted
  mutable std::optional<ir::DeclaredNames> hiding_;  // made when first asked for
};

void shareVariables(BaseAssignment& bases, const analysis::Loops& loops,
                    const DeclaredAhead& declared);

}  // namespace ptxopt::passes
