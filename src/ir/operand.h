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
  SpecialRegister,  // id: NameId as spelled ("%tid.x"); immediate: index in
                    // isa::specialRegisters(),
                    //     or kUnknownSpecialRegister
  Integer,          // immediate: two's complement
  Float32,          // immediate: bits of 0fXXXXXXXX
  Float64,          // immediate: bits of a 0d or decimal literal
  Symbol,           // id: SymbolId; immediate: offset added to it
  Address,          // [base + immediate]; base: what `base` says, in id
  Sink,             // _
  // Groups: id is the number of operands that follow and belong to it, nested ones included.
  Vector,       // { ... }
  List,         // ( ... ): arguments or results of a call
  AddressList,  // [ ... ] of any other form: tensor coordinates, pairs of offsets
  Pair,         // a|b
  Expression,   // anything else, as a sequence of terms and Punctuation
  Punctuation,  // only within Expression; id: the character (two packed for << and the like),
                //     kCast or kGeneric
};

// Punctuation in words: `(.s64)`, whose name is the NameId in `immediate`, and `generic(`, whose
// closing parenthesis is a ')'.
inline constexpr std::uint32_t kCast = 'c';
inline constexpr std::uint32_t kGeneric = 'g';

inline constexpr std::int64_t kUnknownSpecialRegister = -1;

// What the base of an Address is.
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
  // Of an Address with a register: an offset is spelled, be it +0.  ptxas makes other code of
  // [%r+0] than of [%r] where it compiles for a debugger.
  bool hasOffset : 1 = false;
  std::uint32_t id = 0;
  std::int64_t immediate = 0;

  bool isGroup() const { return kind >= OperandKind::Vector && kind <= OperandKind::Expression; }
  // Operands that this one takes in the array of its instruction, itself included.
  std::uint32_t extent() const { return isGroup() ? id + 1 : 1; }

  // A register that is named by this operand itself or by the address in it; None if there is none.
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

// The bits that `number`, an Integer, Float32 or Float64, gives a place of `type`, the lowest 64 of
// them; those above are zero (docs/soundness/ A5.8).  Of a predicate 0 or 1.  None for a number
// that no such place takes.
std::optional<std::uint64_t> bitsOf(const Operand& number, isa::Type type);

// Components of a register as they are spelled after it, from 1: ".x", ".y", ".z", ".w", ".r",
// ".g", ".b", ".a", then the selectors of video instructions ".b0" .. ".b3", ".h0", ".h1" and
// their combinations (".b10", ".h32", ...), which the parser keeps as kOtherComponent with the
// spelling in `immediate` as a NameId.
inline constexpr std::uint8_t kOtherComponent = 255;

}  // namespace ptxopt::ir
