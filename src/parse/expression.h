// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant expressions and other operands of several terms.
//
// The grammar passes the terms and operators of an expression as a flat sequence.  This code makes
// one operand of it.  Integers are folded by the rules of PTX ISA 4.6: 64 bits, signed unless an
// operand is unsigned.  An operation without a value (a division by zero) is not folded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/operand.h"
#include "parse/token.h"

namespace ptxopt::parse {

using OperandStack = std::vector<ir::Operand>;

// The id of a Punctuation operand: its characters, two packed for "<<" and the like.
constexpr std::uint32_t punctuation(std::string_view text) {
  std::uint32_t packed = static_cast<unsigned char>(text[0]);
  if (text.size() > 1)
    packed |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[1])) << 8;
  return packed;
}
ir::Operand punctuationOperand(std::uint32_t packed);
inline bool isPunctuation(const ir::Operand& operand, std::uint32_t packed) {
  return operand.kind == ir::OperandKind::Punctuation && operand.id == packed;
}

// A prefix operator: PLUS, MINUS, BANG, TILDE, or DOTWORD for a cast to `type`.
struct Prefix {
  Token token;
  NameId type;
  bool isUnsigned;  // of a cast: to .u64
  bool isInteger;   // of a cast: to .u64 or .s64
};

// Makes a group of the operands from `mark` to the top.
void wrap(OperandStack& stack, std::size_t mark, ir::OperandKind kind);

// Replaces `(x)` at `mark` by `x` and returns true; leaves anything else unchanged.
bool unwrapParentheses(OperandStack& stack, std::size_t mark);

// Applies a prefix operator to the single operand at `mark`.
void applyPrefix(OperandStack& stack, std::size_t mark, const Prefix& prefix);

// Makes one operand of the sequence from `mark` to the top: an Integer, a Symbol with an offset, an
// Address (a register with an offset, if `inAddress`), a Pair, or an Expression.
void foldExpression(OperandStack& stack, std::size_t mark, bool inAddress);

// A member of a bracket with several members that foldExpression took for an address of its own
// becomes an Expression.
void unfoldAddresses(OperandStack& stack, std::size_t mark);

}  // namespace ptxopt::parse
