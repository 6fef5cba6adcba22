// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear forms of analyses as forms of claims.
//
// What identifies a leaf inside of the analysis says nothing to a run.  A value is named by where
// it is defined; an operation on forms by a value that is exactly it.
//
// Cost: O(values) once, O(terms) for each form.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/addresses/address.h"
#include "analysis/flow/loops.h"
#include "analysis/values/text_places.h"

namespace ptxopt::audit {

class Forms {
 public:
  // All of them must outlive the object.
  Forms(const analysis::Addresses& addresses, const analysis::Loops& loops,
        const analysis::TextPlaces& places);

  // None where some leaf is an operation that no value is which is known at the point, or a value
  // that no place has.
  std::optional<facts::Form> at(analysis::Point point, analysis::FormId form) const;
  // The leaf alone, as the integer that it is.
  std::optional<facts::Form> ofLeafAt(analysis::Point point, analysis::LeafId leaf) const;
  // The values that are the leaf, in the order in which they are defined.
  std::vector<analysis::ValueId> valuesOf(analysis::LeafId leaf) const;
  // The form is the value itself, of which nothing else is known.
  bool isItself(analysis::ValueId value) const;

 private:
  static constexpr unsigned kMostNesting = 4;

  std::optional<facts::Form> at(analysis::Point point, analysis::FormId form,
                                unsigned nesting) const;
  std::optional<facts::Leaf> leafAt(analysis::Point point, analysis::LeafId leaf,
                                    unsigned nesting) const;
  std::optional<facts::Leaf> valueLeaf(analysis::ValueId value) const;
  std::optional<facts::Leaf> rounds(analysis::LoopId loop) const;

  const analysis::Addresses& addresses_;
  const analysis::LinearForms& forms_;
  const analysis::Loops& loops_;
  const analysis::TextPlaces& places_;
  std::unordered_map<analysis::LeafId, std::vector<analysis::ValueId>> values_;  // of operations
};

}  // namespace ptxopt::audit
