// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/claim_sink.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/values/value_range.h"
#include "support/residue.h"

namespace ptxopt::passes {

using analysis::ValueRange;
using ir::Instruction;
using ir::RegisterId;

// 0 if the register is not a number of up to 64 bits.
std::uint8_t ValueClaims::bitsOf(RegisterId reg) const {
  const ir::RegisterRange& range = ssa_.cfg().function().rangeOf(reg);
  if (range.vectorWidth != 1) return 0;
  if (range.type == isa::Type::Pred) return 1;
  const int bits = isa::bitWidth(range.type);
  return bits <= 64 ? static_cast<std::uint8_t>(bits) : std::uint8_t{0};
}

void ValueClaims::add(const std::optional<facts::Value>& value,
                      const std::optional<facts::Value>& other, std::int64_t plus) {
  if (!value || !other) return;
  const std::uint8_t bits = std::min(bitsOf(value->reg), bitsOf(other->reg));
  if (bits == 0) return;
  sink_.add(
      facts::EqualsValue{*value, *other, residue(static_cast<std::uint64_t>(plus), bits), bits});
}

// What a mask of used bytes leaves out of a load may be anything, and nothing is claimed of it.
bool ValueClaims::isMasked(ValueId value) const {
  if (!ssa_.isDefinition(value)) return false;
  const Instruction& instruction = ssa_.instruction(value);
  return instruction.desc->is(isa::kMemoryRead) && ir::isBelowDirective(instruction);
}

void ValueClaims::equal(ValueId value, ValueId other, std::int64_t plus) {
  if (places_ && value != other && !isMasked(value))
    add(places_->of(value), places_->of(other), plus);
}

void ValueClaims::equalBefore(const Instruction& instruction, RegisterId reg, ValueId other,
                              std::int64_t plus) {
  if (!places_ || !analysis::TextPlaces::isOfInput(instruction)) return;
  add(analysis::TextPlaces::before(instruction, reg), places_->of(other), plus);
}

void ValueClaims::number(ValueId value, std::uint64_t number) {
  if (!places_ || isMasked(value)) return;
  const std::optional<facts::Value> place = places_->of(value);
  const unsigned bits = bitsOf(ssa_.reg(value));
  if (place && bits >= 8) sink_.add(numberClaim(*place, number, bits));
}

void ValueClaims::dead(std::vector<const Instruction*> instructions) {
  // A removed barrier may have read its guard.
  if (!places_ || ssa_.cfg().function().changed()) return;
  // The value when a guard is false is unknown, so it is left out.
  std::erase_if(instructions, [&](const Instruction* instruction) {
    bool isSaid = true;
    ssa_.forEachDefinition(*instruction,
                           [&](ValueId value) { isSaid &= places_->of(value).has_value(); });
    return !isSaid;
  });
  std::unordered_set<const Instruction*> dead(instructions.begin(), instructions.end());
  // Finds the instructions that read the results.  Results that a phi or a partial definition uses
  // are left out.
  BitSet isRead(ssa_.valueCount());
  const auto leaveOut = [&](ValueId value) {
    if (value != analysis::ValueId::None) isRead.set(value);
  };
  for (const ValueId value : ssa_.values()) {
    if (ssa_.isPhi(value)) {
      for (const ValueId operand : ssa_.phiOperands(value)) leaveOut(operand);
    } else {
      leaveOut(ssa_.old(value));
    }
  }
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (std::uint32_t n = 0; n < ssa_.instructions().count(); ++n) {
      const Instruction& instruction = ssa_.instructions()[n];
      if (!ssa_.cfg().isReachable(instruction.block) || dead.contains(&instruction)) continue;
      ssa_.forEachUse(instruction, leaveOut);
    }
    std::erase_if(instructions, [&](const Instruction* instruction) {
      bool stays = true;
      ssa_.forEachDefinition(*instruction, [&](ValueId value) { stays &= !isRead.test(value); });
      if (!stays) isChanged |= dead.erase(instruction) != 0;
      return !stays;
    });
  }
  for (const Instruction* instruction : instructions) {
    ssa_.forEachDefinition(*instruction, [&](ValueId value) {
      if (const auto place = places_->of(value)) sink_.add(facts::DeadValue{*place});
    });
  }
}

facts::InRange numberClaim(const facts::Value& value, std::uint64_t number, unsigned bits) {
  const ValueRange range = ValueRange::of(residue(number, bits), bits);
  return {value,
          {range.bits, range.lowest, range.highest, range.signedLowest, range.signedHighest,
           range.zeros, range.ones}};
}

}  // namespace ptxopt::passes
