// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tests at the entry of a kernel (C10.15).
#include <fmt/format.h>

#include <initializer_list>

#include "ir/make.h"
#include "passes/specialize/specialize.h"

namespace ptxopt::passes {

namespace {

using isa::Type;

// Statements in front of the body, in the order in which they are added.
class Front {
 public:
  explicit Front(ir::Function& kernel) : kernel_(&kernel) {}

  ir::Operand makeRegister(std::string_view name, Type type) {
    const ir::MadeRegister made = ir::makeRegister(*kernel_, name, type);
    add(made.declaration);
    return ir::Operand::ofRegister(made.id);
  }
  ir::Instruction* make(std::string_view mnemonic, std::initializer_list<ir::Operand> operands) {
    ir::Instruction* const made = ir::makeInstruction(*kernel_, mnemonic, operands);
    add(made);
    return made;
  }

 private:
  void add(ir::Statement* statement) {
    kernel_->insertAfter(last_, statement);
    last_ = statement;
  }

  ir::Function* kernel_;
  ir::Statement* last_ = nullptr;
};

}  // namespace

void Specialization::addTests() {
  if (!isEnforced_) return;
  for (const auto& [kernel, number] : tested_) {
    Front front(*kernel);
    const auto width = static_cast<unsigned>(isa::bitWidth(number.type));
    const unsigned held = width < 16 ? 16 : width;  // there are no registers of 8 bits
    const Type type = held == 16 ? Type::B16 : held == 32 ? Type::B32 : Type::B64;
    const ir::Operand value = front.makeRegister("%launched", type);
    const ir::Operand differs = front.makeRegister("%differs", Type::Pred);
    if (number.parameter != nullptr) {
      front.make(fmt::format("ld.param.{}{}", width < 16 ? 'u' : 'b', width),
                 {value, ir::Operand::ofAddress(number.parameter->symbol, 0)});
    } else {
      front.make("mov.b32", {value, ir::specialRegister(*module_, number.special)});
    }
    front.make(fmt::format("setp.ne.b{}", held),
               {differs, value, ir::Operand::ofInteger(static_cast<std::int64_t>(number.bits))});
    front.make("trap", {})->guard = ir::Guard(differs.reg(), false);
  }
}

}  // namespace ptxopt::passes
