// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/form_program.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

// Tests first for the usual case: all lanes.
template <class Number, class Predicate>
LaneMask lanesWhere(const OfLanes<Number>& numbers, const Predicate& holds) {
  if (std::ranges::all_of(numbers, holds)) return ~LaneMask{0};
  LaneMask lanes = 0;
  for (std::size_t lane = 0; lane < isa::kWarpSize; ++lane) {
    lanes |= LaneMask{holds(numbers[lane])} << lane;
  }
  return lanes;
}

}  // namespace

WarpOfThreads::WarpOfThreads(const std::array<std::uint32_t, 3>& extents, std::uint32_t number)
    : block(extents), firstThread(number * isa::kWarpSize), lanes(~LaneMask{0}) {
  const std::uint32_t threads = block[0] * block[1] * block[2];
  if (threads - firstThread < isa::kWarpSize) lanes = (LaneMask{1} << (threads - firstThread)) - 1;
  std::uint32_t x = firstThread % block[0];
  std::uint32_t y = firstThread / block[0] % block[1];
  std::uint32_t z = firstThread / block[0] / block[1];
  for (std::size_t lane = 0; lane < isa::kWarpSize; ++lane) {
    id[0][lane] = x;
    id[1][lane] = y;
    id[2][lane] = z;
    if (++x < block[0]) continue;
    x = 0;
    if (++y < block[1]) continue;
    y = 0;
    ++z;
  }
}

std::vector<WarpOfThreads> warpsOf(const std::array<std::uint32_t, 3>& block) {
  const std::uint32_t threads = block[0] * block[1] * block[2];
  std::vector<WarpOfThreads> warps;
  for (std::uint32_t first = 0; first < threads; first += isa::kWarpSize) {
    warps.emplace_back(block, first / isa::kWarpSize);
  }
  return warps;
}

LaneMask lanesInside(const WarpOfThreads& warp, const std::array<Interval, 3>& ids) {
  LaneMask lanes = warp.lanes;
  for (std::size_t k = 0; k < 3; ++k) {
    if (ids[k].contains(0) && ids[k].contains(warp.block[k] - 1)) continue;
    lanes &= lanesWhere(warp.id[k], [&](std::uint32_t id) { return ids[k].contains(id); });
  }
  return lanes;
}

LaneMask lanesOfZeros(const OfLanes<std::uint64_t>& numbers) {
  return lanesWhere(numbers, [](std::uint64_t number) { return number == 0; });
}

LaneMask lanesWhereHolds(Comparison comparison, unsigned bits, const OfLanes<std::uint64_t>& left,
                         const OfLanes<std::uint64_t>& right) {
  LaneMask lanes = 0;
  for (std::size_t lane = 0; lane < isa::kWarpSize; ++lane) {
    lanes |= LaneMask{holds(comparison, left[lane], right[lane], bits)} << lane;
  }
  return lanes;
}

// ---- building ----------------------------------------------------------------------------------

std::optional<FormProgram::Expression> FormProgram::add(FormId id,
                                                        std::span<const LeafId> without) {
  const Mark before = mark();
  const std::optional<Expression> added = addSum(id, without);
  if (!added) cutBack(before);
  return added;
}

std::optional<FormProgram::Expression> FormProgram::addKnown(FormId id,
                                                             std::span<const LeafId> without) {
  const Mark before = mark();
  const std::optional<Expression> added = addSum(id, without);
  const auto isOfLane = [](const Node& node) { return node.kind == Node::Kind::Lane; };
  const bool isKnown = added && unknowns_.size() == before.unknowns &&
                       std::none_of(nodes_.begin() + static_cast<std::ptrdiff_t>(before.nodes),
                                    nodes_.end(), isOfLane);
  if (isKnown) return added;
  cutBack(before);
  return std::nullopt;
}

// Removes everything that a failed add() has added.
void FormProgram::cutBack(const Mark& mark) {
  for (std::size_t k = mark.nodes; k < nodes_.size(); ++k) nodeOf_.erase(nodes_[k].leaf);
  nodes_.resize(mark.nodes);
  code_.resize(mark.sums);
  steps_.resize(mark.steps);
  unknowns_.resize(mark.unknowns);
}

std::optional<FormProgram::Expression> FormProgram::addSum(FormId id,
                                                           std::span<const LeafId> without) {
  if (id == FormId::None || reaches(nesting_, Limit::ProgramNesting)) return std::nullopt;
  const LinearForm form = addresses_->forms().form(id);
  Sum sum{form.bits, form.constant, {}};
  for (const Term& term : form.terms) {
    if (std::ranges::find(without, term.leaf) != without.end()) continue;
    const std::optional<std::uint32_t> of = node(term.leaf);
    if (!of) return std::nullopt;
    sum.terms.emplace_back(*of, term.coefficient);
  }
  const auto added = static_cast<Expression>(code_.size());
  code_.push_back(std::move(sum));
  steps_.push_back({true, added});
  return added;
}

FormProgram::Expression FormProgram::addConstant(std::uint64_t number) {
  const auto added = static_cast<Expression>(code_.size());
  code_.push_back({64, number, {}});
  steps_.push_back({true, added});
  return added;
}

std::optional<std::uint32_t> FormProgram::node(LeafId id) {
  const auto fixed = fixed_.find(id);
  // The low bits of a fixed leaf are not known.
  if (fixed != fixed_.end() && isInOperation_) return std::nullopt;
  if (const auto known = nodeOf_.find(id); known != nodeOf_.end()) return known->second;
  if (reaches(nodes_.size(), Limit::ProgramNodes)) {
    isFull_ = true;
    return std::nullopt;
  }
  Node made;
  made.leaf = id;
  if (fixed != fixed_.end()) {
    made.kind = Node::Kind::Fixed;
    made.number = fixed->second;
  } else {
    const Leaf& leaf = addresses_->forms().leaf(id);
    made.interval = leaf.interval;
    ++nesting_;
    const bool isComplete = complete(made, leaf);
    --nesting_;
    if (!isComplete) return std::nullopt;
  }
  const auto added = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(std::move(made));
  steps_.push_back({false, added});
  nodeOf_.emplace(id, added);
  return added;
}

bool FormProgram::complete(Node& made, const Leaf& leaf) {
  const auto addUnknown = [&] {
    made.kind = Node::Kind::Unknown;
    made.index = static_cast<std::uint32_t>(unknowns_.size());
    unknowns_.push_back(made.leaf);
    return true;
  };
  switch (leaf.key.kind) {
    case LeafKind::Symbol:
    case LeafKind::GenericBase:
      return false;
    case LeafKind::Special:
      return setSpecial(made, leaf) || (made.kind == Node::Kind::Unknown && addUnknown());
    case LeafKind::Parameter:
    case LeafKind::Iteration:
      return addUnknown();
    case LeafKind::Value:
      // An unwritten register may have another value at each read.
      return addresses_->ssa().kind(ValueId{leaf.key.id}) != Ssa::Kind::Entry && addUnknown();
    case LeafKind::Product: {
      made.kind = Node::Kind::Product;
      for (const LeafId factor : addresses_->forms().factors(leaf)) {
        const std::optional<std::uint32_t> of = node(factor);
        if (!of) return false;
        made.inputs.push_back(*of);
      }
      return true;
    }
    case LeafKind::ZeroExtended:
    case LeafKind::SignExtended: {
      made.kind = Node::Kind::Extension;
      made.isSigned = leaf.key.kind == LeafKind::SignExtended;
      made.bits = leaf.key.bits;
      const std::optional<Expression> of = addSum(leaf.key.extended(), {});
      if (of) made.inputs.push_back(*of);
      return of.has_value();
    }
    case LeafKind::Operation: {
      made.kind = Node::Kind::Operation;
      const LinearForms::Operation operation = addresses_->forms().operation(leaf);
      made.operation = IntegerOperation::of(*operation.desc);
      if (operation.result != 0 || !made.operation ||
          made.operation->sourceCount() != operation.sources.size()) {
        return false;
      }
      made.bits = leaf.key.bits;
      made.resultBits = static_cast<std::uint8_t>(isa::bitWidth(operation.desc->type));
      made.isSigned = made.resultBits < made.bits && isa::isSigned(operation.desc->type) &&
                      operation.desc->hasResultOfType();
      const bool wasInOperation = std::exchange(isInOperation_, true);
      for (const FormId source : operation.sources) {
        const std::optional<Expression> of = addSum(source, {});
        if (of) made.inputs.push_back(*of);
      }
      isInOperation_ = wasInOperation;
      return made.inputs.size() == operation.sources.size();
    }
  }
  return false;
}

// False: the leaf is an unknown, or nothing is known about it.
bool FormProgram::setSpecial(Node& made, const Leaf& leaf) {
  using Which = SpecialName::Which;
  const SpecialName special = *specialOf(leaf.key);
  made.index = special.component;
  if (special.which == Which::Tid && made.index < 3) {
    made.kind = Node::Kind::ThreadId;
  } else if (special.which == Which::Ntid && made.index < 3) {
    made.kind = Node::Kind::Extent;
  } else if (special.which == Which::LaneId) {
    made.kind = Node::Kind::Lane;
  } else {
    // The other special registers depend on each other in ways that are not modelled.
    const bool isCta = special.which == Which::Ctaid || special.which == Which::Nctaid;
    made.kind = isCta ? Node::Kind::Unknown : Node::Kind::Operation;
    return false;
  }
  return true;
}

// ---- running -----------------------------------------------------------------------------------

void FormProgram::run(std::span<const WarpOfThreads> warps, std::span<const std::int64_t> numbers) {
  executed_ = summed_ = 0;
  runSteps(warps, numbers);
}

void FormProgram::runRest(std::span<const WarpOfThreads> warps) {
  runSteps(warps, {});
}

void FormProgram::runSteps(std::span<const WarpOfThreads> warps,
                           std::span<const std::int64_t> numbers) {
  warps_ = warps.size();
  firstSum_ = std::exchange(summed_, code_.size());
  values_.resize(nodes_.size() * warps_);
  nodeOutcomes_.resize(values_.size());
  sums_.resize((code_.size() - firstSum_) * warps_);
  sumOutcomes_.resize(sums_.size());
  for (; executed_ < steps_.size(); ++executed_) {
    const auto [isSum, index] = steps_[executed_];
    for (std::size_t w = 0; w < warps_; ++w) {
      if (isSum) {
        computeSum(code_[index], index, warps[w], w);
      } else {
        computeNode(nodes_[index], index, warps[w], w, numbers);
      }
    }
  }
}

void FormProgram::computeSum(const Sum& sum, std::uint32_t index, const WarpOfThreads& warp,
                             std::size_t number) {
  const std::size_t at = (index - firstSum_) * warps_ + number;
  Outcome& outcome = sumOutcomes_[at];
  outcome = {warp.lanes, 0};
  OfLanes<std::uint64_t>& totals = sums_[at];
  totals.fill(sum.constant);
  for (const auto& [node, coefficient] : sum.terms) {
    outcome.meet(nodeOutcomes_[node * warps_ + number]);
    const OfLanes<std::int64_t>& values = values_[node * warps_ + number];
    for (std::size_t lane = 0; lane < isa::kWarpSize; ++lane) {
      totals[lane] += coefficient * static_cast<std::uint64_t>(values[lane]);
    }
  }
  for (std::uint64_t& total : totals) total = residue(total, sum.bits);
}

void FormProgram::computeNode(const Node& node, std::uint32_t index, const WarpOfThreads& warp,
                              std::size_t number, std::span<const std::int64_t> numbers) {
  Outcome& outcome = nodeOutcomes_[index * warps_ + number];
  outcome = {warp.lanes, 0};
  const bool isOfNodes = node.kind == Node::Kind::Product;
  for (const std::uint32_t input : node.inputs) {
    outcome.meet(isOfNodes ? nodeOutcomes_[input * warps_ + number] : outcomeOf(input, number));
  }
  OfLanes<std::int64_t>& values = values_[index * warps_ + number];
  const LaneMask defined = evaluate(node, warp, number, numbers, values);
  const LaneMask possible =
      lanesWhere(values, [&](std::int64_t value) { return node.interval.contains(value); });
  outcome.meet({defined & possible, ~defined});
}

// Returns the lanes with a defined value.
LaneMask FormProgram::evaluate(const Node& node, const WarpOfThreads& warp, std::size_t number,
                               std::span<const std::int64_t> numbers,
                               OfLanes<std::int64_t>& values) const {
  constexpr LaneMask kAll = ~LaneMask{0};
  switch (node.kind) {
    case Node::Kind::Unknown:
      values.fill(numbers[node.index]);
      return kAll;
    case Node::Kind::Fixed:
      values.fill(node.number);
      return kAll;
    case Node::Kind::ThreadId:
      std::ranges::copy(warp.id[node.index], values.begin());
      return kAll;
    case Node::Kind::Extent:
      values.fill(warp.block[node.index]);
      return kAll;
    case Node::Kind::Lane:
      std::iota(values.begin(), values.end(), 0);
      return kAll;
    case Node::Kind::Product: {
      LaneMask defined = kAll;
      values.fill(1);
      for (const std::uint32_t input : node.inputs) {
        const OfLanes<std::int64_t>& factors = values_[input * warps_ + number];
        for (std::size_t lane = 0; lane < isa::kWarpSize; ++lane) {
          if (__builtin_mul_overflow(values[lane], factors[lane], &values[lane])) {
            defined &= ~(LaneMask{1} << lane);
          }
        }
      }
      return defined;
    }
    case Node::Kind::Extension: {
      const OfLanes<std::uint64_t>& inner = residuesOf(node.inputs[0], number);
      std::ranges::transform(inner, values.begin(), [&](std::uint64_t sum) {
        return node.isSigned ? signedResidue(sum, node.bits)
                             : static_cast<std::int64_t>(residue(sum, node.bits));
      });
      return kAll;
    }
    case Node::Kind::Operation: {
      IntegerOperation::Sources sources{};
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        sources[k] = &residuesOf(node.inputs[k], number);
      }
      OfLanes<std::uint64_t> results;
      const LaneMask defined = node.operation->evaluate(sources, results);
      if (node.isSigned) {
        for (std::uint64_t& result : results) {
          const std::int64_t extended = signedResidue(result, node.resultBits);
          result = residue(static_cast<std::uint64_t>(extended), node.bits);
        }
      }
      std::ranges::transform(results, values.begin(), [](std::uint64_t result) {
        return static_cast<std::int64_t>(result);
      });
      // Leaves are unsigned numbers with bounds of 63 bits.
      return defined & lanesWhere(values, [](std::int64_t value) { return value >= 0; });
    }
  }
  return 0;
}

bool FormProgram::dependsOnLane() const {
  return std::ranges::any_of(nodes_,
                             [](const Node& node) { return node.kind == Node::Kind::Lane; });
}

FormProgram::Outcome FormProgram::outcomeOfRun(std::size_t warp) const {
  Outcome outcome{~LaneMask{0}, 0};
  for (std::size_t k = warp; k < sumOutcomes_.size(); k += warps_) outcome.meet(sumOutcomes_[k]);
  return outcome;
}

LaneMask FormProgram::lanesOutside(LeafId leaf, const Interval& numbers, std::size_t warp) const {
  const auto found = nodeOf_.find(leaf);
  if (found == nodeOf_.end()) return 0;
  const std::size_t at = found->second * warps_ + warp;
  return nodeOutcomes_[at].done &
         ~lanesWhere(values_[at], [&](std::int64_t value) { return numbers.contains(value); });
}

}  // namespace ptxopt::analysis
