// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides where a variable can be split into fields: docs/soundness/ D5.14, E.10.4.
#pragma once

#include <cstdint>
#include <vector>

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

// The type of the declaration of a field: that of the elements of the variable if the field
// consists of whole elements, else .b8.  None if the field contains part of an address.
isa::Type fieldType(const ir::Variable& variable, const Field& field);

// The InstructionDesc of `generic`, a generic access, with `space` added; null if there is none.
const isa::InstructionDesc* formInSpace(const isa::InstructionDesc& generic, isa::Space space,
                                        isa::InstructionTable& forms);

// Makes a variable `name` for `field` of `variable`, in `arena`.
ir::Variable* makeField(const ir::Variable& variable, const Field& field, NameId name,
                        Arena& arena);

}  // namespace ptxopt::passes
