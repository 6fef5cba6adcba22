// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of equal content that only loads use: docs/soundness/ D5.12.
#pragma once

#include <vector>

#include "passes/globals/module_objects.h"

namespace ptxopt::passes {

struct EqualConstants {
  ModuleObject* object = nullptr;
  const ModuleObject* into = nullptr;  // may stand for it
};

// The first one stands for all that need no more alignment, so that few are kept of each content.
// In the order of `objects`; no `into` is the `object` of another pair.  Linear in the bytes, and
// for objects of equal content in the names of the functions that use them.
std::vector<EqualConstants> findEqualConstants(const ir::Module& module,
                                               std::vector<ModuleObject>& objects);

// All that names the object names `into` instead.
void redirectUses(const ModuleObject& object, const ModuleObject& into);

}  // namespace ptxopt::passes
