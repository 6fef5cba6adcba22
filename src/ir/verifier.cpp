// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/verifier.h"

#include <fmt/format.h>

#include <vector>

#include "ir/module.h"

namespace ptxopt::ir {

namespace {

class Verifier {
 public:
  explicit Verifier(const Function& function) : function_(function) {}

  std::vector<Problem> run() {
    int depth = 0;
    for (const Statement& statement : function_.body()) {
      at_ = &statement;
      switch (statement.kind) {
        case StatementKind::Instruction:
          check(*statement.as<Instruction>());
          break;
        case StatementKind::Label:
          check(*statement.as<Label>());
          break;
        case StatementKind::TargetList:
          check(*statement.as<TargetList>());
          break;
        case StatementKind::ScopeBegin:
          ++depth;
          break;
        case StatementKind::ScopeEnd:
          if (--depth < 0) report("closes a scope that was not opened");
          break;
        default:
          break;
      }
    }
    at_ = nullptr;
    if (depth > 0) report("a scope is not closed");
    return std::move(problems_);
  }

 private:
  void report(std::string message) { problems_.push_back({at_, std::move(message)}); }

  std::string_view nameOf(SymbolId id) const {
    return function_.module().text(function_.symbolAt(id).name);
  }

  // ---- instructions ----------------------------------------------------------------------------

  void check(const Instruction& instruction) {
    if (instruction.guard) checkGuard(instruction.guard);
    for (const Operand& operand : instruction.operands()) checkReferences(instruction, operand);
    if (!instruction.desc->known()) return;

    std::size_t place = 0;
    const std::span<const Operand> all = instruction.operands();
    for (std::size_t k = 0; k < all.size(); k += all[k].extent()) {
      checkOperand(instruction, all[k], instruction.desc->role(place++));
    }
    if (place != instruction.desc->shape.size()) {
      report(fmt::format("has {} operands, but its syntax requires {}", place,
                         instruction.desc->shape.size()));
    }
    checkControl(instruction);
  }

  void checkGuard(Guard guard) {
    if (!isRegister(guard.predicate())) return;
    if (function_.rangeOf(guard.predicate()).type != isa::Type::Pred) {
      report("is guarded by a register that is not a predicate");
    }
  }

  bool isRegister(RegisterId id) {
    if (static_cast<std::uint32_t>(id) < function_.registerCount()) return true;
    report("names a register that the function does not declare");
    return false;
  }

  void checkReferences(const Instruction& instruction, const Operand& operand) {
    if (operand.kind == OperandKind::Register) {
      isRegister(operand.reg());
      return;
    }
    if (operand.reg() != RegisterId::None) isRegister(operand.reg());
    const SymbolId symbol = operand.symbol();
    if (symbol != SymbolId::None && function_.symbolAt(symbol).kind == SymbolKind::Unresolved) {
      report(fmt::format("names '{}', which is not declared", nameOf(symbol)));
    }
    if (operand.kind == OperandKind::Address && operand.base == AddressBase::Symbol) {
      checkSpace(instruction, operand);
    }
  }

  // The space of an address of the instruction.  A bulk copy names two, that of the destination
  // first; its mbarrier, which comes last, is in shared memory.
  static isa::Space spaceOf(const Instruction& instruction, const Operand& address) {
    const isa::InstructionDesc& desc = *instruction.desc;
    std::vector<isa::Space> spaces;
    for (const std::string_view word : desc.qualifiers) {
      if (const auto space = isa::parseSpace(word)) spaces.push_back(*space);
    }
    if (spaces.size() < 2) return desc.space;
    if (desc.has(".tensor")) return isa::Space::None;  // a tensor map may lie in several spaces
    std::size_t number = 0;
    for (const Operand& operand : instruction.operands()) {
      if (&operand == &address) break;
      if (operand.kind == OperandKind::Address) ++number;
    }
    return number < spaces.size() ? spaces[number] : isa::Space::Shared;
  }

  // A named variable must be in the space that the access names.
  void checkSpace(const Instruction& instruction, const Operand& address) {
    const isa::InstructionDesc& desc = *instruction.desc;
    const Symbol& symbol = function_.symbolAt(address.symbol());
    const bool isMemory = desc.is(isa::kMemoryRead) || desc.is(isa::kMemoryWrite);
    // A copy has two addresses in two spaces.
    if (!isMemory || desc.effect == isa::Effect::AsyncCopy || symbol.kind != SymbolKind::Variable)
      return;
    const isa::Space named = spaceOf(instruction, address);
    const isa::Space held = symbol.variable->space;
    const auto isOneOf = [&](isa::Space space) { return named == space && held != space; };
    if (isOneOf(isa::Space::Shared) || isOneOf(isa::Space::Global) || isOneOf(isa::Space::Local) ||
        isOneOf(isa::Space::Const)) {
      report(fmt::format("accesses '{}' in {}, which lies in {}", nameOf(address.symbol()),
                         isa::spelling(named), isa::spelling(held)));
    }
  }

  void checkOperand(const Instruction& instruction, const Operand& head,
                    const isa::OperandRole& role) {
    switch (head.kind) {
      case OperandKind::Register:
        checkRegister(head, role);
        break;
      case OperandKind::Vector:
        checkVector(instruction, head);
        break;
      case OperandKind::Integer:
      case OperandKind::Float32:
      case OperandKind::Float64:
      case OperandKind::SpecialRegister:
        if (role.writes && !role.reads) report("writes to something that is no register");
        break;
      default:
        break;
    }
  }

  // Sizes must agree.  The distinction between integer and float is ignored, since all compilers
  // keep floats in .b32 registers at times.
  void checkRegister(const Operand& operand, const isa::OperandRole& role) {
    if (operand.component != 0 || !isRegister(operand.reg())) return;
    const RegisterRange& range = function_.rangeOf(operand.reg());
    if (range.vectorWidth > 1 || role.type == isa::Type::None || role.type == range.type) return;
    if ((role.type == isa::Type::Pred) != (range.type == isa::Type::Pred)) {
      report(fmt::format("'{}' is {}, but the operand requires {}",
                         function_.registerName(operand.reg()), isa::spelling(range.type),
                         isa::spelling(role.type)));
      return;
    }
    const int held = isa::bitWidth(range.type);
    const int wanted = isa::bitWidth(role.type);
    if (held == 0 || wanted == 0) return;
    if (role.allowsWider ? held < wanted : held != wanted) {
      report(fmt::format("'{}' has {} bits, but the operand requires {}",
                         function_.registerName(operand.reg()), held, wanted));
    }
  }

  void checkVector(const Instruction& instruction, const Operand& head) {
    // The coordinates of a texture access are a vector too.
    const isa::InstructionDesc& desc = *instruction.desc;
    const std::size_t elements = head.id;
    if ((desc.isLoad() || desc.isStore()) && elements != desc.vectorWidth) {
      report(fmt::format("moves {} elements through a vector of {}", desc.vectorWidth, elements));
    }
  }

  void checkControl(const Instruction& instruction) {
    if (instruction.desc->control != isa::Control::Branch) return;
    const Operand* target = instruction.operand(0);
    if (target == nullptr || target->symbol() == SymbolId::None ||
        function_.symbolAt(target->symbol()).kind != SymbolKind::Label) {
      report("branches to something that is no label");
    }
  }

  // ---- labels and lists ------------------------------------------------------------------------

  void check(const Label& label) {
    const Symbol& symbol = function_.symbolAt(label.symbol);
    if (symbol.kind != SymbolKind::Label || symbol.label != &label) {
      report("does not match its symbol");
    }
  }

  void check(const TargetList& list) {
    for (const SymbolId target : list.targets) {
      const SymbolKind kind = function_.symbolAt(target).kind;
      const bool isCallee = kind == SymbolKind::Function || kind == SymbolKind::Alias;
      if (list.areCalls ? !isCallee : kind != SymbolKind::Label) {
        report(fmt::format("lists '{}', which is no {}", nameOf(target),
                           list.areCalls ? "function" : "label"));
      }
    }
  }

  const Function& function_;
  const Statement* at_ = nullptr;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> verify(const Function& function) {
  return Verifier(function).run();
}

}  // namespace ptxopt::ir
