// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which names the declarations of a function may give another meaning: a pass that names something
// in a new place must know (docs/soundness/ D6.10).
#pragma once

#include <string_view>
#include <unordered_set>

#include "ir/function.h"

namespace ptxopt::ir {

// Names are compared without the digits at their end, so that "%r5" is one of "%r<10>": two names
// whose stems differ are different.
class DeclaredNames {
 public:
  enum class Where : std::uint8_t {
    Anywhere,      // in the body, and the parameters
    NestedScopes,  // in scopes inside the body only
  };

  // Registers, variables, parameters and labels.  The function must outlive the object.
  // O(statements).
  DeclaredNames(const Function& function, Where where);

  bool isEmpty() const { return stems_.empty(); }
  // False: nothing of them is called so.
  bool mayHave(std::string_view name) const {
    return !stems_.empty() && stems_.contains(stemOf(name));
  }

 private:
  static std::string_view stemOf(std::string_view name);

  std::unordered_set<std::string_view> stems_;
};

}  // namespace ptxopt::ir
