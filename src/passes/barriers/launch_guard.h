// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guards of barriers that some launches do not need: predicates that are the same for all threads
// of the grid, computed once at the start of the kernel (docs/soundness/ C8(ii).5, C8(vi)).
#pragma once

#include <initializer_list>
#include <map>
#include <string_view>

#include "ir/function.h"
#include "passes/barriers/launch_case.h"

namespace ptxopt::passes {

class LaunchGuards {
 public:
  // `function` must outlive the object.
  explicit LaunchGuards(ir::Function& function);

  // `test` is the same each time.
  void putOn(ir::Instruction& barrier, BarrierGuard guard, const LaunchTest& test);

 private:
  const ir::Guard& shape(const LaunchTest& test);
  const ir::Guard& distances(const LaunchTest& test);
  const ir::Guard& either(const LaunchTest& test);
  ir::Operand pointer(const analysis::LaunchPointer& of);
  // Adds a comparison to those of which one must hold.
  void orCompare(ir::Guard& any, std::string_view name, std::string_view operation,
                 std::string_view type, const ir::Operand& left, std::int64_t right);
  ir::Operand declare(std::string_view name, isa::Type type);
  void append(std::string_view mnemonic, std::initializer_list<ir::Operand> operands);

  ir::Function& function_;
  ir::Statement* lastDeclaration_;
  ir::Statement* last_;
  std::map<analysis::LaunchPointer, ir::Operand> pointers_;  // in registers
  // Predicates, where they are made.
  ir::Guard isOtherShape_;
  ir::Guard mayMeet_;
  ir::Guard isEither_;
};

}  // namespace ptxopt::passes
