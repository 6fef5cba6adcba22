// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests at the entry of a kernel (C10.15).
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "passes/specialize/kernel_numbers.h"

namespace ptxopt::passes {

// Writes tests in front of all code of a kernel.
class LaunchTests {
 public:
  // A launch in which a number differs goes on at the label `other`; None: it traps.
  LaunchTests(ir::Function& kernel, ir::SymbolId other) : kernel_(&kernel), other_(other) {}
  // Returns the register that holds what was launched, below the test.
  ir::RegisterId add(const KernelNumber& number);

 private:
  ir::Operand load(const KernelNumber& number);
  void leaveIf(std::string_view comparison, const ir::Operand& value, std::uint64_t number);
  ir::Operand makeRegister(std::string_view name, isa::Type type);
  ir::Instruction* make(std::string_view mnemonic, std::initializer_list<ir::Operand> operands);
  void insert(ir::Statement* statement);

  ir::Function* kernel_;
  ir::SymbolId other_;
  ir::Statement* last_ = nullptr;
  std::optional<ir::Operand> differs_;  // the predicate
};

}  // namespace ptxopt::passes
