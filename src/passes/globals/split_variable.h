// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits variables into fields: docs/soundness/ D5.14, E.10.4.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/globals/made_names.h"
#include "passes/globals/module_objects.h"

namespace ptxopt::passes {

// Bytes of a variable that some access covers, and that no access covers together with other bytes.
struct Field {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct FieldPlan {
  std::vector<Field> fields;
  // Null, or why the variable is not split although all accesses have constant offsets.
  const char* obstacle = nullptr;
};

// No fields and no obstacle if a split gains nothing: some access has a run-time address, or one
// field is the whole variable.  O(accesses log accesses).
FieldPlan planFields(const ModuleObject& object, std::size_t maxFields);

// Declares a variable for each field after the declaration of the whole, and makes all accesses go
// to these.  The whole is not accessed after that, but the computations of its addresses remain.
// Returns the fields.
std::vector<ir::Variable*> splitVariable(ModuleObject& object, const FieldPlan& plan,
                                         ir::Module& module, MadeNames& names);

}  // namespace ptxopt::passes
