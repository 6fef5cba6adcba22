// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/launch_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ir/make.h"

namespace ptxopt::passes {

namespace {

using isa::Type;

// Of the register that holds a number: there are none of 8 bits.
unsigned heldBits(const ir::ParameterRange& range) {
  return std::max<unsigned>(range.bits, 16);
}

// "arg2_8", "nctaid_x".
std::string nameOf(const ir::Function& kernel, const KernelNumber& number) {
  std::string name;
  if (number.parameter == nullptr) {
    name = number.special.substr(1);
    std::ranges::replace(name, '.', '_');
    return name;
  }
  const auto at = std::ranges::find(kernel.parameters, number.parameter);
  name = fmt::format("arg{}", at - kernel.parameters.begin());
  if (number.range.offset != 0) name += fmt::format("_{}", number.range.offset);
  return name;
}

}  // namespace

ir::RegisterId LaunchTests::add(const KernelNumber& number) {
  const ir::ParameterRange& range = number.range;
  const unsigned held = heldBits(range);
  const ir::Operand value = load(number);
  if (number.isExact()) {
    leaveIf(fmt::format("ne.b{}", held), value, range.lowest);
    return value.reg();
  }
  const char sign = range.isSigned ? 's' : 'u';
  if (range.lowest != range.leastOfAll()) {
    leaveIf(fmt::format("lt.{}{}", sign, held), value, range.lowest);
  }
  if (range.highest != range.mostOfAll()) {
    leaveIf(fmt::format("gt.{}{}", sign, held), value, range.highest);
  }
  if (range.zeros != 0) {
    const ir::Operand rest =
        makeRegister("%rest_" + nameOf(*kernel_, number), kernel_->rangeOf(value.reg()).type);
    make(fmt::format("and.b{}", held),
         {rest, value, ir::Operand::ofInteger(static_cast<std::int64_t>(range.zeros))});
    leaveIf(fmt::format("ne.b{}", held), rest, 0);
  }
  return value.reg();
}

ir::Operand LaunchTests::load(const KernelNumber& number) {
  const ir::ParameterRange& range = number.range;
  const unsigned held = heldBits(range);
  const Type type = held == 16 ? Type::B16 : held == 32 ? Type::B32 : Type::B64;
  const ir::Operand value = makeRegister("%launched_" + nameOf(*kernel_, number), type);
  if (number.parameter == nullptr) {
    make("mov.b32", {value, ir::specialRegister(kernel_->module(), number.special)});
    return value;
  }
  const char narrow = range.isSigned ? 's' : 'u';
  make(fmt::format("ld.param.{}{}", range.bits < held ? narrow : 'b', range.bits),
       {value, ir::Operand::ofAddress(number.parameter->symbol, range.offset)});
  return value;
}

// Leaves the code that follows if the comparison holds.
void LaunchTests::leaveIf(std::string_view comparison, const ir::Operand& value,
                          std::uint64_t number) {
  if (!differs_) differs_ = makeRegister("%differs", Type::Pred);
  ir::Operand right = ir::Operand::ofInteger(static_cast<std::int64_t>(number));
  right.isUnsigned = comparison.find(".u") != std::string_view::npos;
  make(fmt::format("setp.{}", comparison), {*differs_, value, right});
  ir::Instruction* const leave = other_ == ir::SymbolId::None
                                     ? make("trap", {})
                                     : make("bra", {ir::Operand::ofSymbol(other_)});
  leave->guard = ir::Guard(differs_->reg(), false);
}

ir::Operand LaunchTests::makeRegister(std::string_view name, Type type) {
  const ir::MadeRegister made = ir::makeRegister(*kernel_, name, type);
  insert(made.declaration);
  return ir::Operand::ofRegister(made.id);
}

ir::Instruction* LaunchTests::make(std::string_view mnemonic,
                                   std::initializer_list<ir::Operand> operands) {
  ir::Instruction* const made = ir::makeInstruction(*kernel_, mnemonic, operands);
  insert(made);
  return made;
}

void LaunchTests::insert(ir::Statement* statement) {
  kernel_->insertAfter(last_, statement);
  last_ = statement;
}

}  // namespace ptxopt::passes
