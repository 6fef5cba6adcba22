// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a variable can be split into fields: docs/soundness/ D5.14, E.10.4.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/globals/module_objects.h"

namespace ptxopt::passes {

// Bytes of a variable that some access touches, and none touches together with others.
struct Field {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct FieldPlan {
  std::vector<Field> fields;
  // Null, or why the variable stays whole although it is only accessed at constant offsets.
  const char* obstacle = nullptr;
};

// No fields and no obstacle where there is nothing to gain: an access at a run-time address, or one
// field that is the whole variable.  O(accesses log accesses).
FieldPlan planFields(const ModuleObject& object, std::size_t maxFields);

// The type in which a field is declared: of the elements of the variable where the field is made of
// whole ones, else .b8.  None if the field holds part of an address.
isa::Type fieldType(const ir::Variable& variable, const Field& field);

// The form of a generic access, `generic`, that names `space`; null where there is none.
const isa::InstructionDesc* formInSpace(const isa::InstructionDesc& generic, isa::Space space,
                                        isa::InstructionTable& forms);

// A variable that is `field` of `variable`, `name` its name.  Made in `arena`.
ir::Variable* makeField(const ir::Variable& variable, const Field& field, NameId name,
                        Arena& arena);

}  // namespace ptxopt::passes
