// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/expression.h"

#include <bit>
#include <optional>

namespace ptxopt::parse {

using ir::Operand;
using ir::OperandKind;

namespace {

struct Value {
  std::uint64_t bits = 0;
  bool isUnsigned = false;
  std::uint32_t symbol = kNone;  // added to `bits`
  static constexpr std::uint32_t kNone = ~0u;

  bool isInteger() const { return symbol == kNone; }
  std::int64_t asSigned() const { return static_cast<std::int64_t>(bits); }
};

// The precedence of an operator, like in C; 0 if it is not a binary operator.
int precedence(std::uint32_t op) {
  switch (op) {
    case punctuation("||"):
      return 1;
    case punctuation("&&"):
      return 2;
    case punctuation("|"):
      return 3;
    case punctuation("^"):
      return 4;
    case punctuation("&"):
      return 5;
    case punctuation("=="):
    case punctuation("!="):
      return 6;
    case punctuation("<"):
    case punctuation(">"):
    case punctuation("<="):
    case punctuation(">="):
      return 7;
    case punctuation("<<"):
    case punctuation(">>"):
      return 8;
    case punctuation("+"):
    case punctuation("-"):
      return 9;
    case punctuation("*"):
    case punctuation("/"):
    case punctuation("%"):
      return 10;
    default:
      return 0;
  }
}

std::optional<Value> combine(std::uint32_t op, const Value& a, const Value& b) {
  if (!a.isInteger() || !b.isInteger()) {
    if (op == punctuation("+") && (a.isInteger() || b.isInteger())) {
      return Value{a.bits + b.bits, false, a.isInteger() ? b.symbol : a.symbol};
    }
    if (op == punctuation("-") && b.isInteger()) return Value{a.bits - b.bits, false, a.symbol};
    return std::nullopt;
  }
  const bool isUnsigned = a.isUnsigned || b.isUnsigned;
  const auto less = [isUnsigned](const Value& x, const Value& y) {
    return isUnsigned ? x.bits < y.bits : x.asSigned() < y.asSigned();
  };
  const auto truth = [](bool value) { return Value{value ? 1u : 0u}; };
  switch (op) {
    case punctuation("||"):
      return truth(a.bits != 0 || b.bits != 0);
    case punctuation("&&"):
      return truth(a.bits != 0 && b.bits != 0);
    case punctuation("|"):
      return Value{a.bits | b.bits, isUnsigned};
    case punctuation("^"):
      return Value{a.bits ^ b.bits, isUnsigned};
    case punctuation("&"):
      return Value{a.bits & b.bits, isUnsigned};
    case punctuation("=="):
      return truth(a.bits == b.bits);
    case punctuation("!="):
      return truth(a.bits != b.bits);
    case punctuation("<"):
      return truth(less(a, b));
    case punctuation(">"):
      return truth(less(b, a));
    case punctuation("<="):
      return truth(!less(b, a));
    case punctuation(">="):
      return truth(!less(a, b));
    case punctuation("<<"):
      return Value{a.bits << (b.bits & 63), a.isUnsigned};
    case punctuation(">>"): {
      const std::uint64_t count = b.bits & 63;
      return Value{
          a.isUnsigned ? a.bits >> count : static_cast<std::uint64_t>(a.asSigned() >> count),
          a.isUnsigned};
    }
    case punctuation("+"):
      return Value{a.bits + b.bits, isUnsigned};
    case punctuation("-"):
      return Value{a.bits - b.bits, isUnsigned};
    case punctuation("*"):
      return Value{a.bits * b.bits, isUnsigned};
    case punctuation("/"):
      if (b.bits == 0) return std::nullopt;
      if (isUnsigned) return Value{a.bits / b.bits, true};
      if (b.asSigned() == -1) return Value{0 - a.bits};  // no overflow trap
      return Value{static_cast<std::uint64_t>(a.asSigned() / b.asSigned())};
    case punctuation("%"):  // of unsigned numbers (docs/soundness/ A5.9)
      if (b.bits == 0) return std::nullopt;
      return Value{a.bits % b.bits, true};
    default:
      return std::nullopt;
  }
}

// Precedence climbing over the flat sequence.
class Folder {
 public:
  Folder(const OperandStack& stack, std::size_t mark) : stack_(stack), at_(mark) {}

  std::optional<Value> all() {
    const std::optional<Value> value = conditional();
    return at_ == stack_.size() ? value : std::nullopt;
  }

 private:
  std::optional<Value> conditional() {
    const std::optional<Value> condition = binary(1);
    if (!condition || !take(punctuation("?"))) return condition;
    const std::optional<Value> yes = conditional();
    if (!take(punctuation(":"))) return std::nullopt;
    const std::optional<Value> no = conditional();
    if (!condition->isInteger()) return std::nullopt;
    return condition->bits != 0 ? yes : no;
  }

  std::optional<Value> binary(int lowest) {
    std::optional<Value> left = operand();
    while (left && at_ < stack_.size() && stack_[at_].kind == OperandKind::Punctuation) {
      const std::uint32_t op = stack_[at_].id;
      const int level = precedence(op);
      if (level == 0 || level < lowest) break;
      ++at_;
      const std::optional<Value> right = binary(level + 1);
      if (!right) return std::nullopt;
      left = combine(op, *left, *right);
    }
    return left;
  }

  std::optional<Value> operand() {
    if (at_ == stack_.size()) return std::nullopt;
    const Operand& first = stack_[at_];
    at_ += first.extent();
    // (x) is a list of one element.
    const bool isParenthesised = first.kind == OperandKind::List && first.id == 1;
    const Operand& term = isParenthesised ? *(&first + 1) : first;
    const std::uint64_t bits = static_cast<std::uint64_t>(term.immediate);
    if (term.kind == OperandKind::Integer) return Value{bits, term.isUnsigned};
    // An unresolved operand is marked by its component, which must not be lost.
    if (term.kind == OperandKind::Symbol && !term.negated && term.component == 0) {
      return Value{bits, false, term.id};
    }
    return std::nullopt;
  }

  bool take(std::uint32_t op) {
    if (at_ == stack_.size() || stack_[at_].kind != OperandKind::Punctuation ||
        stack_[at_].id != op) {
      return false;
    }
    ++at_;
    return true;
  }

  const OperandStack& stack_;
  std::size_t at_;
};

// The constant of [a] + [constant], where a is a register or an unresolved name.
std::optional<std::int64_t> constantOffset(const OperandStack& stack, std::size_t mark) {
  std::int64_t offset = 0;
  std::size_t at = mark + 1;
  while (at + 1 < stack.size()) {
    const Operand& op = stack[at];
    const Operand& value = stack[at + 1];
    const bool minus = isPunctuation(op, punctuation("-"));
    if (!minus && !isPunctuation(op, punctuation("+"))) return std::nullopt;
    if (value.kind != OperandKind::Integer) return std::nullopt;
    const std::uint64_t sum = static_cast<std::uint64_t>(offset);
    const std::uint64_t bits = static_cast<std::uint64_t>(value.immediate);
    offset = static_cast<std::int64_t>(minus ? sum - bits : sum + bits);
    at += 2;
  }
  return at == stack.size() ? std::optional(offset) : std::nullopt;
}

// `%rd1 + 4*2`: folds the part after the first operator.
void foldTail(OperandStack& stack, std::size_t mark) {
  if (stack.size() < mark + 5 || !isPunctuation(stack[mark + 1], punctuation("+"))) return;
  const std::optional<Value> tail = Folder(stack, mark + 2).all();
  if (!tail || !tail->isInteger()) return;
  stack.resize(mark + 2);
  stack.push_back(Operand::ofInteger(tail->asSigned()));
}

}  // namespace

Operand punctuationOperand(std::uint32_t packed) {
  Operand operand;
  operand.kind = OperandKind::Punctuation;
  operand.id = packed;
  return operand;
}

void wrap(OperandStack& stack, std::size_t mark, OperandKind kind) {
  Operand group;
  group.kind = kind;
  group.id = static_cast<std::uint32_t>(stack.size() - mark);
  stack.insert(stack.begin() + static_cast<std::ptrdiff_t>(mark), group);
}

bool unwrapParentheses(OperandStack& stack, std::size_t mark) {
  if (stack[mark].kind != OperandKind::List || stack[mark].id != 1) return false;
  stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(mark));
  return true;
}

void applyPrefix(OperandStack& stack, std::size_t mark, const Prefix& prefix) {
  unwrapParentheses(stack, mark);
  Operand& operand = stack[mark];
  if (operand.kind == OperandKind::Integer) {
    const std::uint64_t bits = static_cast<std::uint64_t>(operand.immediate);
    switch (prefix.token) {
      case Token::MINUS:
        operand.immediate = static_cast<std::int64_t>(0 - bits);
        return;
      case Token::TILDE:
        operand.immediate = ~operand.immediate;
        operand.isUnsigned = true;
        return;
      case Token::BANG:
        operand.immediate = bits == 0 ? 1 : 0;
        operand.isUnsigned = false;
        return;
      case Token::DOTWORD:
        if (!prefix.isInteger) break;
        operand.isUnsigned = prefix.isUnsigned;
        return;
      default:
        return;
    }
  }
  switch (prefix.token) {
    case Token::PLUS:
      return;
    case Token::MINUS:
      if (operand.kind == OperandKind::Float64 || operand.kind == OperandKind::Float32) {
        const std::uint64_t sign = operand.kind == OperandKind::Float64 ? 1ull << 63 : 1ull << 31;
        operand.immediate =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.immediate) ^ sign);
        return;
      }
      [[fallthrough]];
    case Token::BANG:
      if (!operand.isGroup()) {
        operand.negated = !operand.negated;
        return;
      }
      break;
    default:
      break;
  }
  const bool isCast = prefix.token == Token::DOTWORD;
  Operand op = punctuationOperand(isCast ? ir::kCast
                                         : punctuation(prefix.token == Token::MINUS   ? "-"
                                                       : prefix.token == Token::TILDE ? "~"
                                                                                      : "!"));
  if (isCast) op.immediate = static_cast<std::int64_t>(prefix.type);
  stack.insert(stack.begin() + static_cast<std::ptrdiff_t>(mark), op);
  wrap(stack, mark, OperandKind::Expression);
}

void foldExpression(OperandStack& stack, std::size_t mark, bool inAddress) {
  const std::size_t count = stack.size() - mark;
  Operand& first = stack[mark];
  const bool isPlain = !first.isGroup() && !first.negated;
  if (count == 3 && isPunctuation(stack[mark + 1], punctuation("|")) &&
      (first.kind == OperandKind::Register || first.kind == OperandKind::Sink)) {
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(mark) + 1);
    wrap(stack, mark, OperandKind::Pair);
    return;
  }
  const bool isRegister = first.kind == OperandKind::Register && first.component == 0;
  const bool isSymbol = first.kind == OperandKind::Symbol;
  if (isPlain && ((isRegister && inAddress) || isSymbol)) {
    foldTail(stack, mark);
    if (const std::optional<std::int64_t> offset = constantOffset(stack, mark)) {
      stack.resize(mark + 1);
      Operand& base = stack[mark];
      const std::uint64_t sum =
          static_cast<std::uint64_t>(base.immediate) + static_cast<std::uint64_t>(*offset);
      base.immediate = static_cast<std::int64_t>(sum);
      if (isRegister) {
        base.kind = OperandKind::Address;
        base.base = ir::AddressBase::Register;
        base.hasOffset = true;
      }
      return;
    }
  }
  if (const std::optional<Value> value = Folder(stack, mark).all()) {
    stack.resize(mark + 1);
    if (value->isInteger()) {
      stack[mark] = Operand::ofInteger(value->asSigned());
      stack[mark].isUnsigned = value->isUnsigned;
    } else {
      stack[mark] = Operand::ofSymbol(ir::SymbolId{value->symbol}, value->asSigned());
    }
    return;
  }
  wrap(stack, mark, OperandKind::Expression);
}

void unfoldAddresses(OperandStack& stack, std::size_t mark) {
  for (std::size_t at = mark; at < stack.size(); at += stack[at].extent()) {
    if (stack[at].kind != OperandKind::Address) continue;
    const std::int64_t offset = stack[at].immediate;
    stack[at] = Operand::ofRegister(stack[at].reg());
    const Operand tail[] = {punctuationOperand(punctuation("+")), Operand::ofInteger(offset)};
    stack.insert(stack.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::begin(tail),
                 std::end(tail));
    Operand group;
    group.kind = OperandKind::Expression;
    group.id = 3;
    stack.insert(stack.begin() + static_cast<std::ptrdiff_t>(at), group);
  }
}

}  // namespace ptxopt::parse
