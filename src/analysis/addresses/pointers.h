// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which objects the leaves of linear forms point into (docs/soundness/ C3.2, C3.3).
//
// A symbol points into its variable.  A form points to the object of its only pointer, if that has
// the coefficient +1 (C3.3.2).  A leaf that equals one of several forms points into the objects of
// all of them (C3.3.9).  A leaf that is computed in any other way from a pointer is lost: it may be
// an address of anything.
//
// A 64-bit value that was loaded, received or passed may be a number or an address.  Added to a
// symbol, it is an index.  If a form contains several such values, none is known to be the pointer,
// except a parameter of the entry that is certainly a pointer (C10.13).
//
// Cost: a fixpoint from below over the leaves that are made of forms, with at most
// Limit::MemoryBases bases each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "analysis/memory/memory_base.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "support/limits.h"
#include "support/number_table.h"

namespace ptxopt::analysis {

struct PointerBase {
  MemoryBase base;
  // The window through which the address is generic; None for an address in its own space.
  isa::Space window = isa::Space::None;
  // False: a Parameter that may be a number instead.
  bool isCertain = true;
  friend bool operator==(const PointerBase&, const PointerBase&) = default;
};

struct PointerSet {
  enum class State : std::uint8_t {
    Unset,    // during the fixpoint: no source has been seen yet
    None,     // a number
    Unknown,  // a number, or an address of anything
    Some,
    Lost,  // computed from the address of a variable, and perhaps not an address in that variable
  };
  State state = State::None;
  ShortList<PointerBase, most(Limit::MemoryBases)> bases;  // of Some
  friend bool operator==(const PointerSet&, const PointerSet&) = default;

  static PointerSet none() { return {State::None, {}}; }
  static PointerSet unknown() { return {State::Unknown, {}}; }
  static PointerSet lost() { return {State::Lost, {}}; }
};

// How leaves are computed, as far as pointers are concerned.  A leaf may come from two
// instructions.  Then the facts that hold for both are weaker than those for each: what is known
// about the sources of one, in its block, need not hold at the other.
class PointerSources {
 public:
  struct Entry {
    LeafId leaf = LeafId::None;
    std::vector<FormId> forms;
    std::vector<ValueId> values;  // values whose forms were not known yet
    unsigned lowBits = 0;         // the bits below this one may differ
    unsigned firstBit = 0;        // but not those below this one
    bool loses = false;
  };

  // `leaf` equals one of these.
  void addUnion(LeafId leaf, std::vector<FormId> forms, unsigned lowBits,
                std::vector<ValueId> values = {}) {
    add({leaf, std::move(forms), std::move(values), lowBits, 0, false});
  }
  // `leaf` is computed from these.
  void addLoss(LeafId leaf, std::vector<FormId> forms) {
    add({leaf, std::move(forms), {}, 0, 0, true});
  }
  // `leaf`, of `bits` bits, is computed of these; from bit `low` on, and below `first`, it is the
  // first one.
  void addOperation(LeafId leaf, std::vector<FormId> forms, unsigned low, unsigned bits,
                    unsigned first = 0) {
    if (low < bits) {
      add({leaf, {forms[0]}, {}, low, std::min(first, low), false});
    } else {
      addLoss(leaf, std::move(forms));
    }
  }
  std::span<const Entry> entries() const { return entries_; }
  // The number of the entry of a leaf; kNone for a leaf without one.
  std::uint32_t entryOf(LeafId leaf) const { return index_.of(leaf); }

  // Some instruction converts the 64 bits of this Parameter from a generic to a global address.
  void notePointer(LeafId parameter) { pointers_.insert(parameter); }
  bool isPointer(LeafId parameter) const { return pointers_.contains(parameter); }

 private:
  void add(Entry entry);
  std::vector<Entry> entries_;
  NumberTable<LeafId> index_;  // in entries_
  std::unordered_set<LeafId> pointers_;
};

class Pointers {
 public:
  // All arguments must outlive the object.
  Pointers(const ir::Function& function, const LinearForms& forms,
           const IdVector<ValueId, FormId>& formOfValue, const PointerSources& sources);

  PointerSet of(FormId form) const;
  // How the leaf is computed; null for one of which that is not kept.
  const PointerSources::Entry* sourceOf(LeafId leaf) const;

 private:
  PointerSet ofLeaf(LeafId leaf) const;
  PointerSet ofParameter(LeafId leaf) const;
  PointerSet made(const PointerSources::Entry& entry) const;

  const ir::Function* function_;
  const LinearForms* forms_;
  const IdVector<ValueId, FormId>& formOfValue_;
  const PointerSources* sources_;
  std::vector<PointerSet> made_;  // by entry
};

}  // namespace ptxopt::analysis
