// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/threads/warp_numbers.h"

#include <algorithm>
#include <bit>

#include "isa/block.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

constexpr unsigned kWarpBits = std::countr_zero(isa::kWarpSize);
constexpr std::uint64_t kLaneMask = isa::kWarpSize - 1;
constexpr std::int64_t kMostThreadId = isa::kMostThreads - 1;

// The result of `opcode`, with a constant right operand, on a number of a row that is a thread id,
// or differs from one in lane bits; only the bits of `mask` can be set.
std::optional<RowNumber> shiftedOrMasked(isa::Opcode opcode, std::uint64_t operand,
                                         std::uint64_t mask) {
  const RowNumber row{isa::kWarpSize, {0, isa::kWarpSize - 1}};
  const bool isOfLane = operand <= kLaneMask;
  switch (opcode) {
    case isa::Opcode::Xor:
    case isa::Opcode::Or:
      return isOfLane ? std::optional(row) : std::nullopt;
    case isa::Opcode::And: {
      if ((mask & ~(operand | kLaneMask)) != 0) return std::nullopt;
      return RowNumber{isa::kWarpSize, {0, static_cast<std::int64_t>(operand & kLaneMask)}};
    }
    case isa::Opcode::Shr:
      if (operand > kWarpBits) return std::nullopt;
      return RowNumber{std::uint64_t{isa::kWarpSize} >> operand,
                       {0, (isa::kWarpSize - 1) >> operand}};
    case isa::Opcode::Div:
      if (!isOfLane && operand != isa::kWarpSize) return std::nullopt;
      if (!std::has_single_bit(operand)) return std::nullopt;
      return shiftedOrMasked(isa::Opcode::Shr,
                             static_cast<std::uint64_t>(std::countr_zero(operand)), mask);
    default:
      return std::nullopt;
  }
}

std::optional<RowNumber> rowNumber(const LinearForms& forms, LeafId id, unsigned nesting) {
  const LeafKey& key = forms.leaf(id).key;
  if (threadDimension(key) == 0) return RowNumber{isa::kWarpSize, {0, isa::kWarpSize - 1}};
  if (key.kind != LeafKind::Operation || reaches(nesting, Limit::RowNesting)) return std::nullopt;
  const LinearForms::Operation operation = forms.operation(forms.leaf(id));
  if (operation.sources.size() != 2) return std::nullopt;
  const LinearForm source = forms.form(operation.sources[0]);
  const LinearForm operand = forms.form(operation.sources[1]);
  const bool isOneLeaf = source.constant == 0 && source.terms.size() == 1 &&
                         source.terms[0].coefficient == 1 && source.bits >= 16;
  if (!isOneLeaf || !operand.isConstant()) return std::nullopt;
  const LeafId inner = source.terms[0].leaf;
  const Interval range = forms.leaf(inner).interval;
  const auto of = rowNumber(forms, inner, nesting + 1);
  if (!of || of->unit != isa::kWarpSize || range.lowest < 0 || range.highest > kMostThreadId) {
    return std::nullopt;
  }
  const std::uint64_t mask = std::bit_ceil(static_cast<std::uint64_t>(range.highest) + 1) - 1;
  return shiftedOrMasked(operation.desc->opcode, operand.constant, mask);
}

bool isLeafOfWarp(const LinearForms& forms, LeafId id, unsigned nesting);

bool isOfWarp(const LinearForms& forms, FormId id, unsigned nesting) {
  return std::ranges::all_of(forms.form(id).terms, [&](const Term& term) {
    return isLeafOfWarp(forms, term.leaf, nesting);
  });
}

bool isLeafOfWarp(const LinearForms& forms, LeafId id, unsigned nesting) {
  const Leaf& leaf = forms.leaf(id);
  if (leaf.uniform) return true;
  if (const auto k = threadDimension(leaf.key)) return *k == 1 || *k == 2;
  if (const auto number = rowNumber(forms, id, 0); number && number->rest == Interval::of(0)) {
    return true;
  }
  if (reaches(nesting, Limit::RowNesting)) return false;
  switch (leaf.key.kind) {
    case LeafKind::ZeroExtended:
    case LeafKind::SignExtended:
      return isOfWarp(forms, leaf.key.extended(), nesting + 1);
    case LeafKind::Product:
      return std::ranges::all_of(forms.factors(leaf), [&](LeafId factor) {
        return isLeafOfWarp(forms, factor, nesting + 1);
      });
    case LeafKind::Operation:
      return std::ranges::all_of(forms.operation(leaf).sources, [&](FormId source) {
        return isOfWarp(forms, source, nesting + 1);
      });
    default:
      return false;
  }
}

}  // namespace

bool rowsAreWholeWarps(const LaunchShape& shape) {
  if (shape.isOneRow()) return true;
  return shape.block && (*shape.block)[0] % isa::kWarpSize == 0;
}

std::optional<RowNumber> rowNumber(const LinearForms& forms, LeafId leaf) {
  return rowNumber(forms, leaf, 0);
}

bool isOfWarp(const LinearForms& forms, FormId form) {
  return isOfWarp(forms, form, 0);
}

bool isOfWarpBeyondLane(const LinearForms& forms, FormId id) {
  const LinearForm form = forms.form(id);
  if (form.constant != 0 || form.terms.size() != 1 || form.terms[0].coefficient != 1) return false;
  const LeafId leaf = form.terms[0].leaf;
  const auto number = rowNumber(forms, leaf);
  return number && number->unit == isa::kWarpSize && forms.leaf(leaf).interval.lowest >= 0;
}

}  // namespace ptxopt::analysis
