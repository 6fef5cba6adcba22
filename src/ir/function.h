// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function: its parameters, registers, symbols and statements.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/statement.h"
#include "support/arena.h"
#include "support/interner.h"

namespace ptxopt::ir {

class Module;

enum class Linkage : std::uint8_t { None, Visible, Extern, Weak, Common };

// One declared name: `%r<100>` has the stem "%r" and count 100 and is parametrised; `%p1` has count
// 1.
struct RegisterRange {
  NameId name = NameId::None;  // the stem of a parametrised range, else the whole name
  std::uint32_t first = 0;     // RegisterId of its first register
  std::uint32_t count = 1;
  isa::Type type = isa::Type::None;
  std::uint8_t vectorWidth = 1;  // .v2, .v4
  bool parametrised = false;
  bool isParameter = false;        // a .reg parameter or result of a .func
  NameId typeName = NameId::None;  // as spelled, if `type` is Other
};

// The value of an initialised variable: the bytes of its memory image, and the offsets in it that
// hold addresses.
struct Relocation {
  std::uint64_t offset = 0;  // in bytes from the start of the variable
  std::uint8_t size = 8;     // bytes it takes
  bool generic = false;      // generic(symbol)
  std::uint64_t mask = 0;    // 0xFF00(symbol): selects bits of the address; 0: all bits
  SymbolId symbol = SymbolId::None;
  std::int64_t addend = 0;
};
struct Initializer {
  std::span<const std::uint8_t> bytes;  // may be shorter than the variable: the rest is zero
  std::span<const Relocation> relocations;
  // The text of an initialiser whose value the IR cannot represent (an unknown type, an operator
  // that the manual does not have).  Then `bytes` and `relocations` are empty, and every symbol in
  // it escapes.
  std::string_view opaque;
  std::span<const SymbolId> opaqueSymbols;
};

// What is known of a number in a parameter of a kernel, as LLVM's attribute `range` says it of an
// argument: --launch gives it.
struct ParameterRange {
  std::uint32_t offset = 0;  // in bytes from the start of the parameter
  std::uint8_t bits = 0;     // of the number
  bool isSigned = false;     // the bounds are numbers of 64 bits with a sign
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::uint64_t zeros = 0;  // low bits that are 0

  // The bounds of all numbers of the width.
  std::uint64_t leastOfAll() const { return isSigned ? ~(mask() >> 1) : 0; }
  std::uint64_t mostOfAll() const { return isSigned ? mask() >> 1 : mask(); }
  bool isAll() const { return lowest == leastOfAll() && highest == mostOfAll() && zeros == 0; }
  friend bool operator==(const ParameterRange&, const ParameterRange&) = default;

 private:
  std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - bits); }
};

// How much memory the kernel accesses through a pointer in a parameter, from the byte on to which
// it points: --launch gives it.
struct PointedBytes {
  std::uint32_t offset = 0;  // of the pointer, in bytes from the start of the parameter
  std::uint64_t bytes = 0;
};

struct Variable {
  NameId name = NameId::None;
  SymbolId symbol = SymbolId::None;
  isa::Space space = isa::Space::None;
  std::uint8_t constantBank = 0;  // .const[3] of PTX 1.x and 2.x
  isa::Type type = isa::Type::None;
  NameId typeName = NameId::None;  // as spelled, if `type` is Other
  std::uint8_t vectorWidth = 1;
  Linkage linkage = Linkage::None;
  std::uint32_t alignment = 0;               // bytes; 0: natural alignment
  std::span<const std::int64_t> dimensions;  // -1: `[]`
  std::string_view attributes;  // ".attribute(.managed) .ptr .global .align 8", as spelled
  bool isParametrised = false;  // .shared .b32 v<4>: `dimensions` empty, `count` names
  std::uint32_t count = 1;
  const Initializer* initializer = nullptr;
  Function* function = nullptr;            // for a parameter or local variable
  std::span<const ParameterRange> ranges;  // of a parameter of a kernel
  std::span<const PointedBytes> pointed;   // of pointers in a parameter of a kernel
  // Bytes; 0 if unknown (`[]` without initialiser, an unknown type).
  std::uint64_t size = 0;
};

enum class SymbolKind : std::uint8_t {
  Unresolved,  // not declared: docs/soundness/ A7
  Variable,
  Parameter,  // of the function, in the .param space
  Function,
  Label,
  TargetList,
  Prototype,
  Alias,
};

struct Symbol {
  NameId name = NameId::None;
  SymbolKind kind = SymbolKind::Unresolved;
  union {
    void* none = nullptr;
    ir::Variable* variable;
    ir::Function* function;
    ir::Label* label;
    ir::TargetList* targets;
    ir::Prototype* prototype;
    ir::Alias* alias;
  };
};

// `.maxntid 128, 1, 1`, `.noreturn`, `.pragma "..."`: an attribute between the parameters and the
// body.
struct Attribute {
  NameId name = NameId::None;  // ".maxntid"
  bool known = false;          // the meaning of the attribute is known
  // The attribute is the first token of its line.  An unknown attribute on a new line counts as a
  // statement of its own (docs/soundness/ A7.5).
  bool startsLine = false;
  std::span<const std::int64_t> values;
  std::string_view text;  // the whole attribute, as spelled
};

class Function {
 public:
  Function(Module& module, NameId name, bool isEntry);

  Module& module() const { return *module_; }
  NameId name() const { return name_; }
  std::string_view nameText() const;
  bool isEntry() const { return isEntry_; }
  bool hasBody() const { return hasBody_; }

  // ---- declarations: set by the parser or a builder -----------------------------------------
  Linkage linkage = Linkage::None;
  std::vector<Variable*> results;     // .func (.reg .b32 r)
  std::vector<Variable*> parameters;  // space Reg or Param
  std::vector<Attribute> attributes;
  SymbolId symbol = SymbolId::None;  // in the module's table
  FunctionItem* item = nullptr;
  SourceRange bodySource;  // from { to }

  // The values of an attribute such as ".reqntid"; missing dimensions are 1.
  const Attribute* attribute(std::string_view name) const;
  std::optional<std::array<std::uint32_t, 3>> requiredBlock() const;  // .reqntid
  std::optional<std::array<std::uint32_t, 3>> largestBlock() const;   // .maxntid
  bool noReturn() const { return attribute(".noreturn") != nullptr; }

  // ---- registers ----------------------------------------------------------------------------
  std::span<const RegisterRange> registers() const { return ranges_; }
  std::uint32_t registerCount() const { return registerCount_; }
  // The range that contains a register.  O(log ranges).
  const RegisterRange& rangeOf(RegisterId id) const;
  std::string registerName(RegisterId id) const;
  // Returns the first new register.
  RegisterId addRegisters(RegisterRange range);

  // ---- symbols ------------------------------------------------------------------------------
  static constexpr std::uint32_t kLocalBit = 1u << 31;
  const Symbol& symbolAt(SymbolId id) const;  // of this function or of its module
  SymbolId addSymbol(const Symbol& added);    // local
  Symbol& localSymbol(SymbolId id) { return symbols_[static_cast<std::uint32_t>(id) & ~kLocalBit]; }
  std::span<const Symbol> localSymbols() const { return symbols_; }

  // ---- statements ---------------------------------------------------------------------------
  const StatementList& body() const { return body_; }
  StatementList& body() { return body_; }
  void setHasBody() { hasBody_ = true; }
  // Called by Module::remove().
  void removeBody();

  // ---- edits: these record what the printer needs to know -------------------------------------
  // Removes the statement together with its text, and its line if nothing else is on it.
  void erase(Statement* statement);
  // Records that the operands, guard or InstructionDesc of `statement` were edited in place.
  void markChanged(Statement* statement);
  void insertAfter(Statement* position, Statement* statement);  // position null: at the front
  void insertBefore(Statement* position, Statement* statement);
  bool changed() const { return changed_; }
  std::span<const SourceRange> erased() const { return erased_; }

  // Allocates new statements of this function.  Only one thread at a time may work on a function.
  Arena& arena() { return arena_; }

  // Something in the body was not understood, and no InstructionDesc can express it (a guard or a
  // branch target that names nothing, an unknown directive): passes must not change the function.
  bool isOpaque = false;
  // The user asked to keep the function unchanged: it must not be edited.
  bool isKept = false;

 private:
  std::optional<std::array<std::uint32_t, 3>> extentsIn(std::string_view name) const;

  Module* module_;
  NameId name_;
  bool isEntry_;
  bool hasBody_ = false;
  bool changed_ = false;
  std::vector<RegisterRange> ranges_;
  std::uint32_t registerCount_ = 0;
  std::vector<Symbol> symbols_;
  StatementList body_;
  std::vector<SourceRange> erased_;
  Arena arena_;
};

}  // namespace ptxopt::ir
