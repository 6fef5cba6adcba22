// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/initializer_builder.h"

#include <optional>
#include <string_view>

#include "parse/expression.h"

namespace ptxopt::parse {

using ir::Operand;
using ir::OperandKind;

namespace {
constexpr std::uint64_t kMaxBytes = 1ull << 32;    // of a variable
constexpr std::uint64_t kMaxPadding = 1ull << 26;  // bytes of zeros that an initialiser may add
}  // namespace

void InitializerBuilder::begin(isa::Type type, std::uint8_t vectorWidth,
                               std::span<const std::int64_t> dimensions) {
  type_ = type;
  elementSize_ = static_cast<unsigned>(isa::bitWidth(type)) / 8;
  isOpaque_ = elementSize_ == 0;
  bytes_.clear();
  relocations_.clear();
  symbols_.clear();
  rows_ = 0;
  depth_ = 0;
  isOpenEnded_ = !dimensions.empty() && dimensions.front() < 0;
  rowSize_ = std::uint64_t{elementSize_} * vectorWidth;
  for (std::size_t k = 1; k < dimensions.size(); ++k) {
    const auto extent = static_cast<std::uint64_t>(dimensions[k]);
    const bool isKnown = dimensions[k] > 0 && rowSize_ <= kMaxBytes && extent <= kMaxBytes;
    rowSize_ = isKnown ? rowSize_ * extent : 0;
  }
}

void InitializerBuilder::openBrace() {
  if (++depth_ == 2) ++rows_;
}

std::uint64_t InitializerBuilder::size() const {
  if (isOpaque_) return 0;
  return rows_ != 0 ? rows_ * rowSize_ : bytes_.size();
}

void InitializerBuilder::put(std::uint64_t bits, unsigned size) {
  for (unsigned k = 0; k < size; ++k) {
    bytes_.push_back(k < 8 ? static_cast<std::uint8_t>(bits >> (8 * k)) : std::uint8_t{0});
  }
}

void InitializerBuilder::relocate(const Operand& symbol, bool generic, std::uint64_t mask) {
  relocations_.push_back({.offset = bytes_.size(),
                          .size = static_cast<std::uint8_t>(elementSize_),
                          .generic = generic,
                          .mask = mask,
                          .symbol = ir::SymbolId{symbol.id},
                          .addend = symbol.immediate});
  put(0, elementSize_);
}

bool InitializerBuilder::putNumber(const Operand& number) {
  const std::optional<std::uint64_t> bits = ir::bitsOf(number, type_);
  if (bits) put(*bits, elementSize_);
  return bits.has_value();
}

void InitializerBuilder::element(std::span<const Operand> operand) {
  for (const Operand& part : operand) {
    if (part.kind == OperandKind::Symbol) symbols_.push_back(ir::SymbolId{part.id});
  }
  if (isOpaque_) return;

  const Operand& first = operand.front();
  if (operand.size() == 1 && putNumber(first)) return;
  if (operand.size() == 1 && first.kind == OperandKind::Symbol && !first.negated) {
    relocate(first, false, 0);
    return;
  }
  if (first.kind == OperandKind::Expression) {
    // generic(symbol), generic(symbol)+4, 0xff00(symbol), 0xff00(generic(symbol)+4)
    std::span<const Operand> rest = operand.subspan(1);
    std::uint64_t mask = 0;
    bool generic = false;
    const Operand* symbol = nullptr;
    std::uint64_t addend = 0;  // wraps, like addresses
    std::size_t open = 0;
    bool isKnown = true;
    for (std::size_t at = 0; at < rest.size() && isKnown; ++at) {
      const Operand& part = rest[at];
      if (part.kind == OperandKind::Expression) continue;  // groups nest like the text
      if (part.kind == OperandKind::Integer && at + 1 < rest.size() &&
          isPunctuation(rest[at + 1], punctuation("(")) && mask == 0) {
        mask = static_cast<std::uint64_t>(part.immediate);
        ++open;
        ++at;
      } else if (isPunctuation(part, ir::kGeneric) && symbol == nullptr) {
        generic = true;
        ++open;
      } else if (part.kind == OperandKind::Symbol && symbol == nullptr && !part.negated) {
        symbol = &part;
      } else if (isPunctuation(part, punctuation(")")) && open > 0) {
        --open;
      } else if (symbol != nullptr && isPunctuation(part, punctuation("+")) &&
                 at + 1 < rest.size() && rest[at + 1].kind == OperandKind::Integer) {
        addend += static_cast<std::uint64_t>(rest[++at].immediate);
      } else {
        isKnown = false;
      }
    }
    if (isKnown && open == 0 && symbol != nullptr && !symbols_.empty()) {
      Operand whole = *symbol;
      whole.immediate =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(whole.immediate) + addend);
      relocate(whole, generic, mask);
      return;
    }
  }
  isOpaque_ = true;
  bytes_ = {};
  relocations_ = {};
}

const ir::Initializer* InitializerBuilder::finish(Arena& arena, std::string_view text) {
  ir::Initializer value;
  // The declaration does not give the first dimension: only the bytes determine it.
  if (isOpenEnded_ && size() > bytes_.size()) {
    isOpaque_ = size() - bytes_.size() > kMaxPadding;
    if (!isOpaque_) bytes_.resize(size());
  }
  if (isOpaque_) {
    value.opaque = text;
    value.opaqueSymbols = arena.copy(std::span<const ir::SymbolId>(symbols_));
  } else {
    value.bytes = arena.copy(std::span<const std::uint8_t>(bytes_));
    value.relocations = arena.copy(std::span<const ir::Relocation>(relocations_));
  }
  bytes_ = {};
  relocations_ = {};
  symbols_ = {};
  return arena.create<ir::Initializer>(0, value);
}

}  // namespace ptxopt::parse
