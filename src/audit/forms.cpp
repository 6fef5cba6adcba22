// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "audit/forms.h"

#include <utility>

#include "support/limits.h"

namespace ptxopt::audit {

using analysis::FormId;
using analysis::LeafId;
using analysis::LeafKind;
using analysis::ValueId;

namespace {

// The leaf, if the form consists of a single leaf.
std::optional<LeafId> onlyLeaf(const analysis::LinearForms& forms, FormId id) {
  const analysis::LinearForm form = forms.form(id);
  if (form.constant != 0 || form.terms.size() != 1 || form.terms[0].coefficient != 1) {
    return std::nullopt;
  }
  const LeafId leaf = form.terms[0].leaf;
  if (forms.leaf(leaf).key.bits != form.bits) return std::nullopt;
  return leaf;
}

}  // namespace

Forms::Forms(const analysis::Addresses& addresses, const analysis::Loops& loops,
             const analysis::TextPlaces& places)
    : addresses_(addresses), forms_(addresses.forms()), loops_(loops), places_(places) {
  for (const ValueId value : places.ssa().values()) {
    const FormId form = addresses.formOf(value);
    const std::optional<LeafId> leaf = form == FormId::None ? std::nullopt : onlyLeaf(forms_, form);
    if (!leaf || forms_.leaf(*leaf).key.kind != LeafKind::Operation) continue;
    if (places.of(value)) values_[*leaf].push_back(value);
  }
}

std::optional<facts::Form> Forms::at(analysis::Point point, FormId form) const {
  return at(point, form, 0);
}

std::optional<facts::Form> Forms::ofLeafAt(analysis::Point point, LeafId leaf) const {
  std::optional<facts::Leaf> found = leafAt(point, leaf, 0);
  if (!found) return std::nullopt;
  return facts::Form{64, 0, {{1, std::move(*found)}}};
}

std::vector<ValueId> Forms::valuesOf(LeafId id) const {
  const analysis::Leaf& leaf = forms_.leaf(id);
  if (leaf.key.kind == LeafKind::Value) return {ValueId{leaf.key.id}};
  const auto found = values_.find(id);
  return found == values_.end() ? std::vector<ValueId>() : found->second;
}

bool Forms::isItself(ValueId value) const {
  const std::optional<LeafId> leaf = onlyLeaf(forms_, addresses_.formOf(value));
  if (!leaf) return false;
  const analysis::LeafKey& key = forms_.leaf(*leaf).key;
  return key.kind == LeafKind::Value && key.id == indexOf(value);
}

std::optional<facts::Form> Forms::at(analysis::Point point, FormId id, unsigned nesting) const {
  if (exceeds(nesting, Limit::ClaimNesting)) return std::nullopt;
  const analysis::LinearForm form = forms_.form(id);
  facts::Form result{form.bits, form.constant, {}};
  for (const analysis::Term& term : form.terms) {
    std::optional<facts::Leaf> leaf = leafAt(point, term.leaf, nesting);
    if (!leaf) return std::nullopt;
    result.terms.push_back({term.coefficient, std::move(*leaf)});
  }
  return result;
}

std::optional<facts::Leaf> Forms::leafAt(analysis::Point point, LeafId id, unsigned nesting) const {
  const analysis::Leaf& leaf = forms_.leaf(id);
  facts::Leaf result;
  switch (leaf.key.kind) {
    case LeafKind::Symbol:
      result.kind = facts::Leaf::Kind::Symbol;
      result.symbol = ir::SymbolId{leaf.key.id};
      return result;
    case LeafKind::GenericBase:
      result.kind = facts::Leaf::Kind::Window;
      result.space = isa::Space{static_cast<std::uint8_t>(leaf.key.id)};
      return result;
    case LeafKind::Special:
      result.kind = facts::Leaf::Kind::Special;
      result.special = leaf.key.id / 4;
      result.component = static_cast<std::uint8_t>(leaf.key.id % 4);
      return result;
    case LeafKind::Parameter:
      result.kind = facts::Leaf::Kind::Parameter;
      result.bits = leaf.key.bits;
      result.symbol = ir::SymbolId{leaf.key.id};
      result.offset = leaf.key.offset;
      return result;
    case LeafKind::Iteration:
      return rounds(analysis::LoopId{leaf.key.id});
    case LeafKind::Product:
      result.kind = facts::Leaf::Kind::Product;
      for (const LeafId factor : forms_.factors(leaf)) {
        std::optional<facts::Leaf> part = leafAt(point, factor, nesting + 1);
        if (!part) return std::nullopt;
        result.factors.push_back({64, 0, {{1, std::move(*part)}}});
      }
      return result;
    case LeafKind::ZeroExtended:
    case LeafKind::SignExtended: {
      result.kind = leaf.key.kind == LeafKind::ZeroExtended ? facts::Leaf::Kind::ZeroExtended
                                                            : facts::Leaf::Kind::SignExtended;
      std::optional<facts::Form> form = at(point, leaf.key.extended(), nesting + 1);
      if (!form) return std::nullopt;
      result.factors.push_back(std::move(*form));
      return result;
    }
    case LeafKind::Operation: {
      const auto found = values_.find(id);
      if (found == values_.end()) return std::nullopt;
      for (const ValueId value : found->second) {
        if (places_.isKnownAt(value, point)) return valueLeaf(value);
      }
      return std::nullopt;
    }
    case LeafKind::Value:
      return valueLeaf(ValueId{leaf.key.id});
  }
  return std::nullopt;
}

std::optional<facts::Leaf> Forms::valueLeaf(ValueId value) const {
  const std::optional<facts::Value> place = places_.of(value);
  if (!place) return std::nullopt;
  facts::Leaf leaf;
  leaf.kind = facts::Leaf::Kind::Value;
  leaf.value = *place;
  return leaf;
}

std::optional<facts::Leaf> Forms::rounds(analysis::LoopId loop) const {
  const ir::Instruction* header = places_.firstOf(loops_.header(loop));
  if (header == nullptr) return std::nullopt;
  facts::Leaf leaf;
  leaf.kind = facts::Leaf::Kind::Rounds;
  leaf.header = header->source.begin;
  for (const EdgeId edge : loops_.backEdges(loop)) {
    const std::vector<facts::Edge> edges = places_.edges(edge);
    if (edges.empty()) return std::nullopt;
    leaf.backEdges.insert(leaf.backEdges.end(), edges.begin(), edges.end());
  }
  return leaf;
}

}  // namespace ptxopt::audit
