// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of an instruction, 16 bytes each.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/isa.h"
#include "support/interner.h"

namespace ptxopt::ir {

// Registers are numbered densely within a function, in the order of their declarations; a
// parametrised declaration takes a range of numbers (see RegisterRange).
enum class RegisterId : std::uint32_t { None = ~0u };

// An entry of the symbol table of the function (top bit set) or of the module.
enum class SymbolId : std::uint32_t { None = ~0u };

enum class OperandKind : std::uint8_t {
  Register,         // id: RegisterId; component: 0, or which element of a vector register
  SpecialRegister,  // id: NameId as spelled ("%tid.x"); immediate: its index in
                    // isa::specialRegisters(), or kUnknownSpecialRegister
  Integer,          // immediate: two's complement
  Float32,          // immediate: bits of 0fXXXXXXXX
  Float64,          // immediate: bits of a 0d or decimal literal
  Symbol,           // id: SymbolId; immediate: an offset added to it
  Address,          // [base + immediate]; `base` says what kind of base is in id
  Sink,             // _
  // Groups: id is the number of operands that follow and belong to the group, including nested
  // ones.
  Vector,       // { ... }
  List,         // ( ... ): arguments or results of a call
  AddressList,  // [ ... ] of any other form: tensor coordinates, pairs of offsets
  Pair,         // a|b
  Expression,   // anything else, as a sequence of terms and Punctuation
  Punctuation,  // only within Expression; id: the character (two packed for << and the like),
                //     kCast or kGeneric
};

// Other punctuation: `(.s64)`, whose type name is the NameId in `immediate`, and `generic(`, whose
// closing parenthesis is a ')'.
inline constexpr std::uint32_t kCast = 'c';
inline constexpr std::uint32_t kGeneric = 'g';

inline constexpr std::int64_t kUnknownSpecialRegister = -1;

// The kind of base of an Address.
enum class AddressBase : std::uint8_t { None, Register, Symbol };

struct Operand {
  OperandKind kind = OperandKind::Sink;
  AddressBase base = AddressBase::None;
  std::uint8_t component =
      0;                     // of a Register: 1..4 for .x .y .z .w, more for .b0 .. .h1 (see below)
  bool negated : 1 = false;  // !%p1 or -%r1
  bool reads : 1 = false;    // of Register and of the base of an Address
  bool writes : 1 = false;   // of Register; partial if the instruction is guarded or a component
  bool isUnsigned : 1 = false;  // of Integer: spelled with U, or too large for a signed number
  // For an Address with a register: an offset is spelled, even if it is +0.  When compiling for a
  // debugger, ptxas generates different code for [%r+0] than for [%r].
  bool hasOffset : 1 = false;
  std::uint32_t id = 0;
  std::int64_t immediate = 0;

  bool isGroup() const { return kind >= OperandKind::Vector && kind <= OperandKind::Expression; }
  // The number of operands in the array of the instruction that belong to this one, including
  // itself.
  std::uint32_t extent() const { return isGroup() ? id + 1 : 1; }

  // `%r`: neither a component nor negated.
  bool isWholeRegister() const {
    return kind == OperandKind::Register && component == 0 && !negated;
  }
  // The register that this operand, or the address in it, names; None if there is none.
  RegisterId reg() const {
    const bool holds = kind == OperandKind::Register ||
                       (kind == OperandKind::Address && base == AddressBase::Register);
    return holds ? RegisterId{id} : RegisterId::None;
  }
  SymbolId symbol() const {
    const bool holds = kind == OperandKind::Symbol ||
                       (kind == OperandKind::Address && base == AddressBase::Symbol);
    return holds ? SymbolId{id} : SymbolId::None;
  }
  static Operand ofRegister(RegisterId id);
  static Operand ofInteger(std::int64_t value);
  static Operand ofSymbol(SymbolId id, std::int64_t offset = 0);
  static Operand ofAddress(RegisterId base, std::int64_t offset);
  static Operand ofAddress(SymbolId base, std::int64_t offset);
};
static_assert(sizeof(Operand) == 16);

// The bits that `number`, an Integer, Float32 or Float64, gives to an operand of `type`: the lowest
// 64; the bits above are zero (docs/soundness/ A5.8).  For a predicate 0 or 1.  None if an operand
// of this type cannot be this number.
std::optional<std::uint64_t> bitsOf(const Operand& number, isa::Type type);

// Components of a register as spelled after it, from 1: ".x", ".y", ".z", ".w", ".r", ".g", ".b",
// ".a", then the selectors of video instructions ".b0" .. ".b3", ".h0", ".h1".  The parser
// represents combinations of these (".b10", ".h32", ...) as kOtherComponent, with the spelling in
// `immediate` as a NameId.
inline constexpr std::uint8_t kOtherComponent = 255;

}  // namespace ptxopt::ir
