// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear forms over leaves, in the ring in which an instruction computes.
//
// A form of `bits` bits denotes the residue of constant + sum of coefficient * leaf modulo 2^bits.
// A leaf is an *integer*; if it is wider than the form, only its residue counts.  So addition,
// subtraction, multiplication by a constant and truncation are exact.  Widening needs a proof that
// the sum does not wrap.  Without one, the extension of the whole form is a new leaf, which is
// still equal for equal forms.  Products of leaves are leaves.
//
// When equal forms are equal numbers: if their leaves are the same *instance*.
//   - A leaf is stable if one thread never sees two values of it while the kernel runs: constants,
//     parameters, invariant special registers, and values defined outside of every cycle of a
//     function that runs once (docs/soundness/ C8(ii).1).
//   - A leaf is uniform if it is stable and has the same value in all threads of the CTA.
// Forms taken at two points by one thread may be compared as numbers if their leaves are stable;
// forms taken by two threads, if they are uniform.  Any other leaf is some number of its interval,
// a different one each time.
//
// Forms and leaves are interned: equal ones have equal ids.  The facts about a leaf are part of it:
// two leaves with the same key but different facts are different leaves, and are not known to be
// equal.  Cost: O(terms) an operation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/launch/special_name.h"
#include "isa/isa.h"
#include "support/hash_index.h"
#include "support/ids.h"
#include "support/interval.h"
#include "support/number_table.h"
#include "support/residue.h"

namespace ptxopt::analysis {

enum class LeafId : std::uint32_t { None = ~0u };
enum class FormId : std::uint32_t { None = ~0u };

enum class LeafKind : std::uint8_t {
  Symbol,        // the address of a variable, in its space
  GenericBase,   // what cvta adds to an address of the space
  Special,       // an invariant special register
  Parameter,     // bytes of a parameter of the entry
  Iteration,     // how many times the back edges of a loop were taken since it was entered
  Product,       // of leaves
  ZeroExtended,  // the residue of a form, as an unsigned number
  SignExtended,  // the same, as a signed number
  Operation,     // a pure instruction on forms
  Value,         // an SSA value about which nothing else is known
};

// Identifies what a leaf represents.
struct LeafKey {
  LeafKind kind = LeafKind::Value;
  std::uint8_t bits = 64;  // the width of the number, except for Product and Iteration
  // Symbol, Parameter: SymbolId.  GenericBase: the space.  Special: what specialOf() reads.
  // Iteration: LoopId.  Extensions: FormId.
  // Value: ValueId.  Product, Operation: which list of ids.
  std::uint32_t id = 0;
  // Parameter: the offset of its first byte.  Value: 0, or kBeforeGuard.
  std::uint32_t offset = 0;
  // Not the value itself, but the result of its instruction when its guard holds: the value is that
  // result or the previous value (docs/soundness/ D6.4).
  static constexpr std::uint32_t kBeforeGuard = 1;

  static LeafKey of(const SpecialName& special, std::uint8_t bits) {
    return {LeafKind::Special, bits, special.index * 4 + special.component, 0};
  }
  // Of an extension.
  FormId extended() const { return FormId{id}; }
  friend bool operator==(const LeafKey&, const LeafKey&) = default;
};

// The special register that a leaf is; none for a leaf of another kind.
std::optional<SpecialName> specialOf(const LeafKey& key);
// 0, 1 or 2 for %tid.x, .y or .z; none for any other leaf.
std::optional<unsigned> threadDimension(const LeafKey& key);

struct Leaf {
  LeafKey key;
  bool stable = false;
  bool uniform = false;  // implies stable
  Interval interval;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

struct Term {
  LeafId leaf = LeafId::None;
  std::uint64_t coefficient = 0;  // below 2^bits of the form, and never 0
  friend bool operator==(const Term&, const Term&) = default;
};

struct LinearForm {
  std::uint8_t bits = 64;
  std::uint64_t constant = 0;   // below 2^bits
  std::span<const Term> terms;  // ascending by leaf

  bool isConstant() const { return terms.empty(); }
};

class LinearForms {
 public:
  // Makes room for about that many forms.
  void reserve(std::size_t forms);

  const Leaf& leaf(LeafId id) const { return leaves_[id]; }
  IdRange<LeafId> leaves() const { return leaves_.ids(); }
  std::uint32_t formCount() const { return forms_.size(); }
  // The terms of a form and the lists of ids are valid until the next form or leaf is made.
  LinearForm form(FormId id) const {
    const Stored& stored = forms_[id];
    return {stored.bits, stored.constant,
            std::span(terms_).subspan(stored.firstTerm, stored.termCount)};
  }
  IdSpan<LeafId> factors(const Leaf& product) const { return IdSpan<LeafId>(list(product.key.id)); }

  // The instruction of an Operation.
  struct Operation {
    const isa::InstructionDesc* desc = nullptr;
    IdSpan<FormId> sources;    // in the order of the text
    std::uint32_t result = 0;  // which operand is the result, counted with the parts of groups
  };
  Operation operation(const Leaf& leaf) const;

  LeafId intern(const Leaf& leaf);
  // `leaf`: the properties and bits of an Operation.  The InstructionDesc must outlive this object.
  LeafId internOperation(Leaf leaf, const isa::InstructionDesc* desc,
                         std::span<const FormId> sources, std::uint32_t result);

  // The stable forms, of the width of the leaf, one of which the leaf equals.  May be set once for
  // a leaf.
  struct Alternatives {
    std::vector<FormId> forms;
    // In iteration n of a loop, the leaf equals the form with index n modulo their count.  This is
    // the leaf of the iteration.
    LeafId round = LeafId::None;
  };
  void setAlternatives(LeafId leaf, Alternatives alternatives) {
    alternativesOf_.set(leaf, static_cast<std::uint32_t>(alternatives_.size()));
    alternatives_.push_back(std::move(alternatives));
  }
  // Null if the leaf may be anything.  Valid until the next ones are set.
  const Alternatives* alternatives(LeafId leaf) const {
    const std::uint32_t number = alternativesOf_.of(leaf);
    return number == NumberTable<LeafId>::kNone ? nullptr : &alternatives_[number];
  }

  // Sets a form of 64 bits that is the same integer as the leaf, which is an extension; some of its
  // terms cannot wrap.
  void setParts(LeafId leaf, FormId parts) { parts_.set(leaf, parts); }
  FormId parts(LeafId leaf) const { return parts_.of(leaf); }
  // The same number with all leaves that have parts replaced by them.
  FormId opened(FormId a);

  FormId constant(std::uint64_t value, unsigned bits);
  FormId ofLeaf(LeafId leaf, unsigned bits);
  // Terms may be in any order, and a leaf may occur several times.  The call overwrites `terms`.
  FormId make(unsigned bits, std::uint64_t constant, std::span<Term> terms);

  FormId add(FormId a, FormId b);
  FormId plus(FormId a, std::uint64_t number);
  FormId subtract(FormId a, FormId b);
  FormId scale(FormId a, std::uint64_t factor);
  // None if the product would have too many terms.
  FormId multiply(FormId a, FormId b);
  FormId truncate(FormId a, unsigned bits);  // not above the bits of `a`

  // The interval of the sum as an integer, with coefficients and the constant as signed residues.
  Interval sum(FormId a) const;
  bool isStable(FormId a) const;
  bool isUniform(FormId a) const;

 private:
  struct Stored {
    std::uint8_t bits = 64;
    std::uint32_t firstTerm = 0;
    std::uint32_t termCount = 0;
    std::uint64_t constant = 0;
  };
  // Terms must be sorted, with each leaf once and coefficients below 2^bits.
  FormId intern(unsigned bits, std::uint64_t constant, std::span<const Term> terms);
  LeafId product(LeafId a, LeafId b);
  // A Product or an Operation.
  LeafId internList(const Leaf& leaf, std::span<const std::uint32_t> words);
  std::span<const std::uint32_t> list(std::uint32_t number) const;

  IdVector<LeafId, Leaf> leaves_;
  IdVector<FormId, Stored> forms_;
  std::vector<Term> terms_;
  std::vector<Term> scratch_;            // of the form that is being made
  std::vector<std::uint32_t> listEnds_;  // by list
  std::vector<std::uint32_t> listWords_;
  std::vector<const isa::InstructionDesc*> operations_;
  std::vector<Alternatives> alternatives_;
  NumberTable<LeafId> alternativesOf_;  // in alternatives_
  NumberTable<LeafId, FormId> parts_;
  std::unordered_map<const isa::InstructionDesc*, std::uint32_t> operationNumbers_;
  HashIndex leafIndex_;
  HashIndex formIndex_;
  HashIndex listIndex_;
};

}  // namespace ptxopt::analysis
