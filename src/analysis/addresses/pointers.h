// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which objects the leaves of linear forms point into (docs/soundness/ C3.2, C3.3).
//
// A symbol points into its variable, and a form to what its only pointer does, if that has the
// coefficient +1 (C3.3.2).  Leaves that stand for one of several forms point into all of them
// (C3.3.9).  A leaf that something else was computed of which held a pointer is lost: it may be an
// address of anything.
//
// 64 bits that were loaded, received or passed may be a number or an address.  Added to a symbol
// they are an index.  Of several such in a form none is known to be the pointer, but for a
// parameter of the entry that is a pointer for certain (C10.13).
//
// Cost: a fixpoint from below over the leaves that are made of forms; kMostBases bases each.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/memory/memory_base.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"

namespace ptxopt::analysis {

struct PointerBase {
  MemoryBase base;
  // The window through which it is a generic address; None for an address in its own space.
  isa::Space window = isa::Space::None;
  // Else it is a Parameter that may be a number.
  bool isCertain = true;
  friend bool operator==(const PointerBase&, const PointerBase&) = default;
};

struct PointerSet {
  enum class State : std::uint8_t {
    Unset,    // while the fixpoint is on its way: nothing has come in yet
    None,     // a number
    Unknown,  // a number, or an address of anything
    Some,
    Lost,  // made of the address of a variable, and perhaps no address in it
  };
  State state = State::None;
  ShortList<PointerBase, kMostBases> bases;  // of Some
  friend bool operator==(const PointerSet&, const PointerSet&) = default;

  static PointerSet none() { return {State::None, {}}; }
  static PointerSet unknown() { return {State::Unknown, {}}; }
  static PointerSet lost() { return {State::Lost, {}}; }
};

// What leaves are made of, as far as pointers go.  Of a leaf to which two instructions come, what
// is said for both is weaker than what is said for each: what one of them knows of its sources, in
// the block where it stands, need not hold at the other.
class PointerSources {
 public:
  struct Entry {
    LeafId leaf = 0;
    std::vector<FormId> forms;
    std::vector<ValueId> values;  // whose forms were not known yet
    unsigned lowBits = 0;         // the bits below this one may be others
    bool loses = false;
  };

  // `leaf` is one of these.
  void addUnion(LeafId leaf, std::vector<FormId> forms, unsigned lowBits,
                std::vector<ValueId> values = {}) {
    add({leaf, std::move(forms), std::move(values), lowBits, false});
  }
  // `leaf` is computed of these.
  void addLoss(LeafId leaf, std::vector<FormId> forms) {
    add({leaf, std::move(forms), {}, 0, true});
  }
  std::span<const Entry> entries() const { return entries_; }

  // Something converts the 64 bits of this Parameter from a generic address to a global one.
  void notePointer(LeafId parameter) { pointers_.insert(parameter); }
  bool isPointer(LeafId parameter) const { return pointers_.contains(parameter); }

 private:
  void add(Entry entry);
  std::vector<Entry> entries_;
  std::unordered_map<LeafId, std::size_t> index_;
  std::unordered_set<LeafId> pointers_;
};

class Pointers {
 public:
  // All of them must outlive the object.
  Pointers(const ir::Function& function, const LinearForms& forms,
           std::span<const FormId> formOfValue, const PointerSources& sources);

  PointerSet of(FormId form) const;

 private:
  PointerSet ofLeaf(LeafId leaf) const;
  PointerSet ofParameter(LeafId leaf) const;
  PointerSet made(const PointerSources::Entry& entry) const;

  const ir::Function* function_;
  const LinearForms* forms_;
  std::span<const FormId> formOfValue_;
  const PointerSources* sources_;
  std::unordered_map<LeafId, PointerSet> made_;
};

}  // namespace ptxopt::analysis
