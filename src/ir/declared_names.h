// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names to which declarations of a function may give another meaning.  A pass that uses a name
// at a new position must check them (docs/soundness/ D6.10).
#pragma once

#include <string_view>
#include <unordered_set>

#include "ir/function.h"

namespace ptxopt::ir {

// Names are compared without their final digits, so that "%r5" matches "%r<10>": names with
// different stems are different.
class DeclaredNames {
 public:
  enum class Where : std::uint8_t {
    Anywhere,      // in the body, and the parameters
    NestedScopes,  // in scopes inside the body only
  };

  // The names of registers, variables, parameters and labels.  The function must outlive the
  // object.  O(statements).
  DeclaredNames(const Function& function, Where where);

  bool isEmpty() const { return stems_.empty(); }
  // False: none of the declarations has this name.
  bool mayHave(std::string_view name) const {
    return !stems_.empty() && stems_.contains(stemOf(name));
  }

 private:
  static std::string_view stemOf(std::string_view name);

  std::unordered_set<std::string_view> stems_;
};

}  // namespace ptxopt::ir
