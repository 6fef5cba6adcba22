// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates the linear forms of analyses into those of claims.
//
// The ids of leaves have no meaning outside of an analysis.  In a claim a value is named by its
// definition, and an operation on forms by a value that equals it.
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
  // All arguments must outlive the object.
  Forms(const analysis::Addresses& addresses, const analysis::Loops& loops,
        const analysis::TextPlaces& places);

  // None if some leaf is an operation without an equal value that is known at the point, or a value
  // without a position in the text.
  std::optional<facts::Form> at(analysis::Point point, analysis::FormId form) const;
  // The leaf alone, as an integer.
  std::optional<facts::Form> ofLeafAt(analysis::Point point, analysis::LeafId leaf) const;
  // The values that equal the leaf, in the order of their definitions.
  std::vector<analysis::ValueId> valuesOf(analysis::LeafId leaf) const;
  // The form consists of the value itself, about which nothing else is known.
  bool isItself(analysis::ValueId value) const;

 private:
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
