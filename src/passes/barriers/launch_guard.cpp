// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/launch_guard.h"

#include <fmt/format.h>

#include "ir/make.h"

namespace ptxopt::passes {

namespace {

using ir::Operand;
using isa::Type;

// After the initial declarations of the body: no branch leads there, so it is executed once, even
// if a loop starts right after it.
ir::Statement* endOfDeclarations(const ir::Function& function) {
  ir::Statement* last = nullptr;
  for (ir::Statement* at = function.body().front(); at != nullptr; at = at->next) {
    const bool isDeclaration = at->kind == ir::StatementKind::RegisterDeclaration ||
                               at->kind == ir::StatementKind::VariableDeclaration;
    if (!isDeclaration && at->kind != ir::StatementKind::Location) break;
    last = at;
  }
  return last;
}

}  // namespace

LaunchGuards::LaunchGuards(ir::Function& function)
    : function_(function), lastDeclaration_(endOfDeclarations(function)), last_(lastDeclaration_) {}

void LaunchGuards::putOn(ir::Instruction& barrier, BarrierGuard guard, const LaunchTest& test) {
  barrier.guard = guard == BarrierGuard::Shape         ? shape(test)
                  : guard == BarrierGuard::FarPointers ? distances(test)
                                                       : either(test);
  function_.markChanged(&barrier);
}

const ir::Guard& LaunchGuards::shape(const LaunchTest& test) {
  if (isOtherShape_) return isOtherShape_;
  constexpr std::string_view kNames[] = {"x", "y", "z"};
  const bool isOneRow = test.shape == LaunchCase::OneRow;
  const auto block = isOneRow ? std::array<std::uint32_t, 3>{0, 1, 1} : *function_.largestBlock();
  for (std::size_t k = isOneRow ? 1 : 0; k < 3; ++k) {
    const std::string special = fmt::format("%ntid.{}", kNames[k]);
    const Operand extent = declare(fmt::format("%r_ntid_{}", kNames[k]), Type::B32);
    append("mov.u32", {extent, ir::specialRegister(function_.module(), special)});
    orCompare(isOtherShape_, isOneRow ? "%p_many_rows" : "%p_other_block", "ne", "u32", extent,
              block[k]);
  }
  return isOtherShape_;
}

const ir::Guard& LaunchGuards::distances(const LaunchTest& test) {
  if (mayMeet_) return mayMeet_;
  const Operand apart = declare("%rd_apart", Type::B64);
  for (const analysis::PointerDistance& distance : test.distances) {
    if (distance.kernel != &function_) continue;
    const Operand first = pointer(distance.first);
    const Operand second = pointer(distance.second);
    append("sub.s64", {apart, first, second});
    append("sub.s64", {apart, apart, Operand::ofInteger(distance.meeting.lowest)});
    if (distance.bits < 64) {
      append("and.b64", {apart, apart, Operand::ofInteger((std::int64_t{1} << distance.bits) - 1)});
    }
    orCompare(mayMeet_, "%p_may_meet", "le", "u64", apart,
              distance.meeting.highest - distance.meeting.lowest);
  }
  return mayMeet_;
}

const ir::Guard& LaunchGuards::either(const LaunchTest& test) {
  if (isEither_) return isEither_;
  const Operand left = Operand::ofRegister(shape(test).predicate());
  const Operand right = Operand::ofRegister(distances(test).predicate());
  const Operand result = declare("%p_either", Type::Pred);
  append("or.pred", {result, left, right});
  isEither_ = ir::Guard(result.reg(), false);
  return isEither_;
}

Operand LaunchGuards::pointer(const analysis::LaunchPointer& of) {
  const auto [at, isNew] = pointers_.try_emplace(of);
  if (isNew) {
    at->second = declare("%rd_pointer", Type::B64);
    append("ld.param.b64", {at->second, Operand::ofAddress(of.symbol, of.offset)});
  }
  return at->second;
}

void LaunchGuards::orCompare(ir::Guard& any, std::string_view name, std::string_view operation,
                             std::string_view type, const Operand& left, std::int64_t right) {
  const Operand number = Operand::ofInteger(right);
  if (any) {
    const Operand result = Operand::ofRegister(any.predicate());
    append(fmt::format("setp.{}.or.{}", operation, type), {result, left, number, result});
    return;
  }
  const Operand result = declare(name, Type::Pred);
  append(fmt::format("setp.{}.{}", operation, type), {result, left, number});
  any = ir::Guard(result.reg(), false);
}

// Declarations stand in front of the code.
Operand LaunchGuards::declare(std::string_view name, Type type) {
  const ir::MadeRegister made = ir::makeRegister(function_, name, type);
  function_.insertAfter(lastDeclaration_, made.declaration);
  if (last_ == lastDeclaration_) last_ = made.declaration;
  lastDeclaration_ = made.declaration;
  return Operand::ofRegister(made.id);
}

void LaunchGuards::append(std::string_view mnemonic, std::initializer_list<Operand> operands) {
  ir::Instruction* const made = ir::makeInstruction(function_, mnemonic, operands);
  function_.insertAfter(last_, made);
  last_ = made;
}

}  // namespace ptxopt::passes
