// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/condition_program.h"

#include "ir/function.h"

namespace ptxopt::analysis {

std::optional<ConditionProgram> ConditionProgram::of(const Condition& condition,
                                                     const Addresses& addresses,
                                                     FormProgram& program) {
  const auto add = [&](ValueId value) -> std::optional<FormProgram::Expression> {
    const FormId form = addresses.formOf(value);
    if (form == FormId::None || addresses.forms().form(form).bits < condition.bits) {
      return std::nullopt;
    }
    return program.add(form);
  };
  const auto left = add(condition.value);
  if (!left) return std::nullopt;
  ConditionProgram result{condition.comparison, condition.bits, *left, 0};
  if (condition.otherValue != ValueId::None) {
    const auto right = add(condition.otherValue);
    if (!right) return std::nullopt;
    result.right = *right;
  } else if (condition.other->kind == ir::OperandKind::Integer) {
    result.right = program.addConstant(static_cast<std::uint64_t>(condition.other->immediate));
  } else {
    return std::nullopt;
  }
  return result;
}

}  // namespace ptxopt::analysis
