// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims: facts about a module on which analyses and passes rely, and which a run can check.
//
// A claim is about the text that was read.  It identifies instructions by their offsets in the
// text, and registers and variables by their numbers, which are the same whenever that text is
// parsed. docs/facts.md defines the exact meaning of each kind and its format.  `ptxopt --facts`
// collects claims (src/audit), and `ptxrun --check-facts` checks them while the original runs
// (interp/auditor.h).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ir/function.h"
#include "support/source.h"

namespace ptxopt::facts {

// The offset of an instruction in the text.
using Place = Offset;

enum class Moment : std::uint8_t { Before, After };

// The contents of a register of a thread right before or right after an instruction.
struct Value {
  Place at = kNoOffset;
  Moment moment = Moment::After;
  ir::RegisterId reg = ir::RegisterId::None;
  std::uint8_t component = 0;  // of a vector register, like in ir::Operand
  friend bool operator==(const Value&, const Value&) = default;
};

// The edge from one block to another, leaving the instruction that ends the first one.
struct Edge {
  static constexpr std::uint32_t kThrough = ~0u;  // to the next instruction of the text
  Place at = kNoOffset;
  std::uint32_t target = kThrough;  // 0: the target of bra; for brx.idx, the index in its list
  friend bool operator==(const Edge&, const Edge&) = default;
};

struct Form;

// A term of a linear form.
struct Leaf {
  enum class Kind : std::uint8_t {
    Value,         // the last value of `value` in this thread
    Special,       // a special register
    Parameter,     // bytes of a parameter of the entry
    Symbol,        // the address of a variable in its own space
    Window,        // what cvta adds to an address in `space`
    Rounds,        // how many times `backEdges` were taken since the loop was entered at `header`
    Product,       // of `factors`
    ZeroExtended,  // the residue of `factors[0]`, a single form, as an unsigned number
    SignExtended,  // the same as a signed number
  };
  Kind kind = Kind::Value;
  std::uint8_t bits = 64;  // Parameter: the width of the bytes read
  Value value;
  std::uint32_t special = 0;                 // index in isa::specialRegisters()
  std::uint8_t component = 0;                // of a special register: 0 .. 3 for .x .y .z .w
  ir::SymbolId symbol = ir::SymbolId::None;  // Parameter, Symbol
  std::uint32_t offset = 0;                  // Parameter: of the first byte
  isa::Space space = isa::Space::None;       // Window
  Place header = kNoOffset;                  // Rounds: the first instruction of the loop header
  std::vector<Edge> backEdges;
  std::vector<Form> factors;  // Product: forms of one leaf each
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

struct Term {
  std::uint64_t coefficient = 1;
  Leaf leaf;
  friend bool operator==(const Term&, const Term&) = default;
};

// constant + sum of coefficient * leaf, modulo 2^bits.
struct Form {
  std::uint8_t bits = 64;
  std::uint64_t constant = 0;
  std::vector<Term> terms;
  friend bool operator==(const Form&, const Form&) = default;
};

// The address operand with this number, counting the address operands of the instruction from 0.
struct AddressOperand {
  Place at = kNoOffset;
  std::uint32_t number = 0;
  friend bool operator==(const AddressOperand&, const AddressOperand&) = default;
};

// The object that an address points into.
struct Base {
  enum class Kind : std::uint8_t { Unknown, Variable, DynamicShared, Parameter };
  Kind kind = Kind::Unknown;
  std::vector<isa::Space> spaces;            // Unknown: one of these
  ir::SymbolId symbol = ir::SymbolId::None;  // of the variable; of the parameter of the entry
  std::uint32_t offset = 0;                  // Parameter: offset of the pointer in it
  friend bool operator==(const Base&, const Base&) = default;
};

enum class Threads : std::uint8_t { Same, Different, DifferentWarps, Any };

// A comparison of two residues of the same width.
enum class Comparison : std::uint8_t {
  Equal,
  NotEqual,
  Less,  // as signed numbers
  LessEqual,
  Greater,
  GreaterEqual,
  UnsignedLess,
  UnsignedLessEqual,
  UnsignedGreater,
  UnsignedGreaterEqual,
};

// All parts hold together.
struct Range {
  std::uint8_t bits = 64;
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  std::int64_t signedLowest = 0;
  std::int64_t signedHighest = 0;
  std::uint64_t zeros = 0;  // bits that are 0
  std::uint64_t ones = 0;   // bits that are 1
  friend bool operator==(const Range&, const Range&) = default;
};

// Inclusive; the smallest and the largest number mean "no bound".
struct Bounds {
  std::int64_t lowest = INT64_MIN;
  std::int64_t highest = INT64_MAX;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// ---- the kinds of claims, each with its word in a file -----------------------------------------

struct Uniform {  // "uniform"
  Value value;
};
struct WarpUniform {  // "warp-uniform"
  Value value;
};
struct Stable {  // "stable"
  Value value;
};
struct OneNumber {  // "one-number"
  Value value;
};
struct InRange {  // "range"
  Value value;
  Range range;
};
struct EqualsForm {  // "form"
  Value value;
  Form form;
};
struct EqualsValue {  // "equal": equals `other` plus `plus`, modulo 2^bits
  Value value;
  Value other;
  std::uint64_t plus = 0;
  std::uint8_t bits = 64;
};
struct DeadValue {  // "dead-value"
  Value value;
};

struct PointsTo {  // "points-to"
  AddressOperand address;
  std::vector<Base> bases;
  Bounds bytes;  // the accessed bytes, relative to the only base
};
struct Disjoint {  // "disjoint"
  AddressOperand address;
  AddressOperand other;
  Threads threads = Threads::Different;
};
struct DeadStore {  // "dead-store"
  Place at = kNoOffset;
};
struct Unread {  // "unread"
  ir::SymbolId symbol = ir::SymbolId::None;
};
struct OwnBytes {  // "own-bytes"
  ir::SymbolId symbol = ir::SymbolId::None;
};

struct NeverTaken {  // "never-taken"
  Edge edge;
};
struct NeverFollows {  // "never-follows"
  Edge edge;
  Edge next;
};
struct Together {  // "together"
  Place at = kNoOffset;
};
struct AllExecute {  // "all-execute"
  Place at = kNoOffset;
};
struct FormInBounds {  // "bounds"
  Place at = kNoOffset;
  Form form;
  Bounds bounds;
};
struct FormsCompare {  // "compare"
  Place at = kNoOffset;
  Form left;
  Form right;
  Comparison comparison = Comparison::Equal;
};
struct Leader {  // "leader"
  Place at = kNoOffset;
  std::uint32_t mask = 0;
};

struct PureFunction {};  // "pure"
struct Barrier {         // "barrier"
  Place at = kNoOffset;
  bool isSeparator = false;  // passes may rely on it to order the accesses around it
  bool isGone = false;       // it was removed
};

struct Claim {
  std::string function;  // the name of the entry or function
  std::string by;        // the analysis or pass that made it: "value-forms", "early-cse"
  std::variant<Uniform, WarpUniform, Stable, OneNumber, InRange, EqualsForm, EqualsValue, DeadValue,
               PointsTo, Disjoint, DeadStore, Unread, OwnBytes, NeverTaken, NeverFollows, Together,
               AllExecute, FormInBounds, FormsCompare, Leader, PureFunction, Barrier>
      what;
};

}  // namespace ptxopt::facts
