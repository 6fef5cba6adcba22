// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The statements of a function body and of a module: a list in the order of the text.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include "ir/operand.h"
#include "isa/isa.h"
#include "isa/wait_role.h"
#include "support/source.h"

namespace ptxopt::ir {

class Function;
struct Variable;

enum class StatementKind : std::uint8_t {
  Instruction,
  Label,                // L1:
  ScopeBegin,           // {
  ScopeEnd,             // }
  RegisterDeclaration,  // .reg .b32 %r<5>;
  VariableDeclaration,  // .shared .align 4 .b8 smem[64];
  Location,             // .loc 1 23 5
  Pragma,               // .pragma "nounroll";
  TargetList,           // L: .branchtargets L1, L2;  or .calltargets
  Prototype,            // P: .callprototype (.param .b32 _) _ (.param .b64 _);
  Alias,                // .alias f, g;
  FunctionItem,         // .entry or .func, with or without a body; only in a module
  Directive,            // any other directive: the IR keeps its text
};

// Statements are allocated in an Arena and never move.  A Statement* is valid until the module is
// destroyed, even after the statement was removed from its list.
struct Statement {
  Statement* previous = nullptr;
  Statement* next = nullptr;
  // The text from the first to the last token; not valid for a statement that a pass made.
  SourceRange source;
  StatementKind kind = StatementKind::Directive;
  bool changed = false;  // the statement differs from its source text
  std::uint16_t operandCount = 0;

  template <class T>
  T* as() {
    return kind == T::kKind ? static_cast<T*>(this) : nullptr;
  }
  template <class T>
  const T* as() const {
    return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
  }
};

// A register and a negation, in four bytes.  Functions with 2^31 or more registers are rejected.
class Guard {
 public:
  Guard() = default;
  Guard(RegisterId predicate, bool negated)
      : bits_(static_cast<std::uint32_t>(predicate) << 1 | std::uint32_t{negated}) {}
  explicit operator bool() const { return bits_ != kNone; }
  RegisterId predicate() const { return *this ? RegisterId{bits_ >> 1} : RegisterId::None; }
  bool negated() const { return (bits_ & 1) != 0; }
  friend bool operator==(Guard, Guard) = default;

 private:
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t bits_ = kNone;
};

// A block of the control-flow graph of a function (analysis/flow/cfg.h).
enum class BlockId : std::uint32_t { None = ~0u };

// The operands follow the object in memory, in the order of the text, with groups flattened.
struct Instruction : Statement {
  static constexpr StatementKind kKind = StatementKind::Instruction;
  Guard guard;
  BlockId block = BlockId::None;  // set by the analysis::Cfg that was made last
  std::uint32_t number = 0;       // set by the last analysis::InstructionNumbers
  const isa::InstructionDesc* desc = nullptr;

  std::span<Operand> operands() { return {reinterpret_cast<Operand*>(this + 1), operandCount}; }
  std::span<const Operand> operands() const {
    return {reinterpret_cast<const Operand*>(this + 1), operandCount};
  }
  bool is(isa::Opcode opcode) const { return desc->opcode == opcode; }
  // The k-th top-level operand, where a group counts as one; null if there are fewer.  O(operands).
  const Operand* operand(std::size_t k) const {
    const std::span<const Operand> all = operands();
    for (std::size_t at = 0; at < all.size(); at += all[at].extent()) {
      if (k-- == 0) return &all[at];
    }
    return nullptr;
  }
  Operand* operand(std::size_t k) {
    return const_cast<Operand*>(static_cast<const Instruction*>(this)->operand(k));
  }
};
static_assert(sizeof(Instruction) == 48);
static_assert(alignof(Operand) <= alignof(Instruction));

// The operands of the group that starts at `group`, which must be a group of an instruction.
inline std::span<const Operand> members(const Operand& group) {
  return {&group + 1, group.id};
}

struct Label : Statement {
  static constexpr StatementKind kKind = StatementKind::Label;
  SymbolId symbol = SymbolId::None;
};

struct ScopeBegin : Statement {
  static constexpr StatementKind kKind = StatementKind::ScopeBegin;
};
struct ScopeEnd : Statement {
  static constexpr StatementKind kKind = StatementKind::ScopeEnd;
};

// `ranges` are consecutive entries of Function::registers().
struct RegisterDeclaration : Statement {
  static constexpr StatementKind kKind = StatementKind::RegisterDeclaration;
  std::uint32_t firstRange = 0;
  std::uint32_t rangeCount = 0;
};

struct VariableDeclaration : Statement {
  static constexpr StatementKind kKind = StatementKind::VariableDeclaration;
  std::span<Variable*> variables;  // .global .u32 a, b[3];
};

struct Location : Statement {
  static constexpr StatementKind kKind = StatementKind::Location;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string_view rest;  // ", function_name $L__info_string0, inlined_at 1 5 3", or empty
};

struct Pragma : Statement {
  static constexpr StatementKind kKind = StatementKind::Pragma;
  std::string_view text;  // the strings with their quotes: "\"nounroll\""
};

struct TargetList : Statement {
  static constexpr StatementKind kKind = StatementKind::TargetList;
  bool areCalls = false;             // .calltargets
  SymbolId symbol = SymbolId::None;  // of its label
  std::span<SymbolId> targets;
};

struct Prototype : Statement {
  static constexpr StatementKind kKind = StatementKind::Prototype;
  SymbolId symbol = SymbolId::None;  // of its label
  bool noReturn = false;
  std::string_view text;  // the whole statement, from .callprototype to the semicolon
};

struct Alias : Statement {
  static constexpr StatementKind kKind = StatementKind::Alias;
  SymbolId alias = SymbolId::None;
  SymbolId aliasee = SymbolId::None;
};

struct FunctionItem : Statement {
  static constexpr StatementKind kKind = StatementKind::FunctionItem;
  Function* function = nullptr;
};

enum class DirectiveKind : std::uint8_t {
  Version,
  Target,
  AddressSize,
  File,
  Section,
  LocationIntermediate,
  SourceSection,
  Lowered,  // statements that take the place of one (passes/retarget/lowering.h); only printed
  Unknown,  // docs/soundness/ A7.5
};

struct Directive : Statement {
  static constexpr StatementKind kKind = StatementKind::Directive;
  DirectiveKind which = DirectiveKind::Unknown;
  std::string_view text;  // the whole directive
};

// A doubly linked list through the statements themselves.  Every operation is O(1).
class StatementList {
 public:
  template <class S>
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = S;
    using difference_type = std::ptrdiff_t;
    using pointer = S*;
    using reference = S&;
    Iterator() = default;
    explicit Iterator(S* at) : at_(at) {}
    S& operator*() const { return *at_; }
    S* operator->() const { return at_; }
    Iterator& operator++() {
      at_ = at_->next;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      at_ = at_->next;
      return old;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    S* at_ = nullptr;
  };

  Statement* front() const { return first_; }
  Statement* back() const { return last_; }
  bool empty() const { return first_ == nullptr; }
  Iterator<Statement> begin() { return Iterator<Statement>(first_); }
  Iterator<Statement> end() { return Iterator<Statement>(nullptr); }
  Iterator<const Statement> begin() const { return Iterator<const Statement>(first_); }
  Iterator<const Statement> end() const { return Iterator<const Statement>(nullptr); }

  void append(Statement* statement) { insertAfter(last_, statement); }
  // `position` null: insert at the front.
  void insertAfter(Statement* position, Statement* statement) {
    Statement* after = position != nullptr ? position->next : first_;
    statement->previous = position;
    statement->next = after;
    (position != nullptr ? position->next : first_) = statement;
    (after != nullptr ? after->previous : last_) = statement;
    noteRole(*statement);
  }
  // Does not change the pointers of `statement`, so that a loop over the list can continue.
  void remove(Statement* statement) {
    (statement->previous != nullptr ? statement->previous->next : first_) = statement->next;
    (statement->next != nullptr ? statement->next->previous : last_) = statement->previous;
  }

  // The roles of all instructions that were ever in the list, so that a pass that looks
  // for one of them need not visit each statement.
  isa::WaitRoles waitRoles() const { return waitRoles_; }
  // An instruction of the list has another `desc` now.
  void noteRole(const Statement& statement) {
    if (const auto* instruction = statement.as<Instruction>()) {
      waitRoles_.add(isa::waitRoleOf(*instruction->desc));
    }
  }

 private:
  Statement* first_ = nullptr;
  Statement* last_ = nullptr;
  isa::WaitRoles waitRoles_;
};

// Calls visit(const Operand&) for every operand that names a register: each is a definition, a use,
// or both (`writes`, `reads`).  The guard is not visited.
template <class Visitor>
void forEachRegister(const Instruction& instruction, Visitor&& visit) {
  for (const Operand& operand : instruction.operands()) {
    if (operand.reg() != RegisterId::None) visit(operand);
  }
}

// True if `definition` may leave old bits in its register: the instruction is guarded, or the
// operand is one element of a vector register, or is also read.
inline bool isPartial(const Instruction& instruction, const Operand& definition) {
  return static_cast<bool>(instruction.guard) || definition.component != 0 || definition.reads;
}

// A pragma or an unknown directive applies to the instruction, so the instruction must stay
// (docs/soundness/ A5.5, A7.5): it comes right before the instruction, or it is "used_bytes_mask"
// and this is the next instruction that reads memory.  O(statements since the previous one that
// reads memory).
bool isBelowDirective(const Instruction& instruction);

}  // namespace ptxopt::ir
