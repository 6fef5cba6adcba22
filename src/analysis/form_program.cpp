#include "analysis/form_program.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace ptxopt::analysis {

namespace {

// Mostly all of them.
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

namespace {

using isa::Opcode;

constexpr std::size_t kMostNodes = 256;
constexpr unsigned kMostNesting = 16;

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// Of two numbers of at most 64 bits.
std::uint64_t highHalf(std::uint64_t a, std::uint64_t b, unsigned bits, bool isSigned) {
  if (isSigned) {
    const auto product = static_cast<Wide>(signedResidue(a, bits)) * signedResidue(b, bits);
    return residue(static_cast<std::uint64_t>(product >> bits), bits);
  }
  const auto product = static_cast<UnsignedWide>(residue(a, bits)) * residue(b, bits);
  return residue(static_cast<std::uint64_t>(product >> bits), bits);
}

std::uint64_t extractedField(std::uint64_t a, std::uint64_t position, std::uint64_t length,
                             unsigned bits, bool isSigned) {
  const auto first = static_cast<unsigned>(residue(position, 8));
  const auto count = static_cast<unsigned>(residue(length, 8));
  if (count == 0) return 0;
  const std::uint64_t field =
      first >= bits ? 0 : residue(residue(a, bits) >> first, std::min(count, 64u));
  if (!isSigned) return field;
  const unsigned signBit = std::min(first + count - 1, bits - 1);
  if ((a >> signBit & 1) == 0) return field;
  const unsigned known = signBit < first ? 0 : std::min(count, signBit - first + 1);
  return residue(field | (known >= 64 ? 0 : ~std::uint64_t{0} << known), bits);
}

// Any other qualifier, `.relu` and `.sat` for example, may change what is computed.
bool isUnderstood(std::string_view qualifier) {
  return qualifier == ".lo" || qualifier == ".hi" || qualifier == ".wide" ||
         isa::parseType(qualifier).has_value();
}

std::uint64_t lookUp(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t table) {
  std::uint64_t result = 0;
  for (unsigned k = 0; k < 8; ++k) {
    if ((table >> k & 1) == 0) continue;
    result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  }
  return result;
}

}  // namespace

std::optional<IntegerOperation> IntegerOperation::of(const isa::Form& form) {
  const int width = isa::bitWidth(form.type);
  if (width <= 0 || width > 64 || isa::isFloat(form.type) || isa::isFloat(form.sourceType) ||
      !std::ranges::all_of(form.qualifiers, isUnderstood)) {
    return std::nullopt;
  }
  IntegerOperation made;
  made.opcode_ = form.opcode;
  made.isSigned_ = isa::isSigned(form.type);
  made.bits_ = static_cast<std::uint8_t>(width);
  switch (form.opcode) {
    case Opcode::Mov:
    case Opcode::Not:
    case Opcode::Neg:
    case Opcode::Abs:
    case Opcode::Popc:
    case Opcode::Clz:
      made.sourceCount_ = 1;
      break;
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Min:
    case Opcode::Max:
    case Opcode::Div:
    case Opcode::Rem:
      made.sourceCount_ = 2;
      break;
    case Opcode::Mul:
    case Opcode::Mad:
      made.sourceCount_ = form.opcode == Opcode::Mul ? 2 : 3;
      if (form.has(".hi")) {
        made.half_ = Half::High;
      } else if (form.has(".wide")) {
        made.half_ = Half::Wide;
      } else if (!form.has(".lo")) {
        return std::nullopt;
      }
      break;
    case Opcode::Bfe:
      made.sourceCount_ = 3;
      break;
    case Opcode::Bfi:
    case Opcode::Lop3:
      made.sourceCount_ = 4;
      break;
    default:
      return std::nullopt;
  }
  return made;
}

// `opcode` is that of the operation.  A caller that gives a constant is left with that one case.
[[gnu::always_inline]] inline std::optional<std::uint64_t> IntegerOperation::evaluateAs(
    Opcode opcode, std::span<const std::uint64_t> sources) const {
  const unsigned bits = bits_;
  const bool isSigned = isSigned_;
  const auto source = [&](std::size_t k) { return residue(sources[k], bits); };
  const auto number = [&](std::size_t k) { return signedResidue(sources[k], bits); };
  const std::uint64_t a = source(0);
  const std::uint64_t b = sourceCount_ > 1 ? source(1) : 0;

  std::uint64_t result = 0;
  unsigned resultBits = bits;
  switch (opcode) {
    case Opcode::Mov:
      result = a;
      break;
    case Opcode::Add:
      result = a + b;
      break;
    case Opcode::Sub:
      result = a - b;
      break;
    case Opcode::Neg:
      result = std::uint64_t{0} - a;
      break;
    case Opcode::And:
      result = a & b;
      break;
    case Opcode::Or:
      result = a | b;
      break;
    case Opcode::Xor:
      result = a ^ b;
      break;
    case Opcode::Not:
      result = ~a;
      break;
    case Opcode::Lop3:
      result = lookUp(a, b, source(2), sources[3]);
      break;
    case Opcode::Shl:
    case Opcode::Shr: {
      // Clamped, whatever is shifted (docs/soundness/ B17).
      const std::uint64_t amount = residue(sources[1], 32);
      if (opcode == Opcode::Shl) {
        result = amount >= bits ? 0 : a << amount;
      } else if (isSigned) {
        result = static_cast<std::uint64_t>(number(0) >> std::min<std::uint64_t>(amount, bits - 1));
      } else {
        result = amount >= bits ? 0 : a >> amount;
      }
      break;
    }
    case Opcode::Min:
      result = isSigned ? (number(0) < number(1) ? a : b) : std::min(a, b);
      break;
    case Opcode::Max:
      result = isSigned ? (number(0) > number(1) ? a : b) : std::max(a, b);
      break;
    case Opcode::Div:
    case Opcode::Rem: {
      if (b == 0 || (isSigned && number(1) == -1)) return std::nullopt;
      const bool isQuotient = opcode == Opcode::Div;
      if (isSigned) {
        result =
            static_cast<std::uint64_t>(isQuotient ? number(0) / number(1) : number(0) % number(1));
      } else {
        result = isQuotient ? a / b : a % b;
      }
      break;
    }
    case Opcode::Mul:
    case Opcode::Mad:
      switch (half_) {
        case Half::Low:
          result = a * b;
          break;
        case Half::High:
          result = highHalf(a, b, bits, isSigned);
          break;
        case Half::Wide:
          result = isSigned ? static_cast<std::uint64_t>(number(0) * number(1)) : a * b;
          resultBits = 2 * bits;
          break;
      }
      if (opcode == Opcode::Mad) result += sources[2];
      break;
    case Opcode::Abs:
      result = number(0) < 0 ? std::uint64_t{0} - a : a;
      break;
    case Opcode::Popc:
      return static_cast<std::uint64_t>(std::popcount(a));
    case Opcode::Clz:
      return static_cast<std::uint64_t>(std::countl_zero(a)) - (64 - bits);
    case Opcode::Bfe:
      result = extractedField(a, sources[1], sources[2], bits, isSigned);
      break;
    case Opcode::Bfi: {
      const auto first = static_cast<unsigned>(residue(sources[2], 8));
      const auto count = static_cast<unsigned>(residue(sources[3], 8));
      const std::uint64_t field = count == 0 ? 0 : residue(~std::uint64_t{0}, std::min(count, 64u));
      const std::uint64_t mask = first >= bits ? 0 : field << first;
      result = (b & ~mask) | ((first >= bits ? 0 : a << first) & mask);
      break;
    }
    default:
      return std::nullopt;
  }
  return residue(result, resultBits);
}

std::optional<std::uint64_t> IntegerOperation::evaluate(
    std::span<const std::uint64_t> sources) const {
  return evaluateAs(opcode_, sources);
}

LaneMask IntegerOperation::evaluate(const Sources& sources, OfLanes<std::uint64_t>& results) const {
  const auto forEachLane = [&](Opcode opcode) __attribute__((always_inline)) {
    LaneMask defined = 0;
    for (std::size_t lane = 0; lane < isa::kWarpSize; ++lane) {
      std::array<std::uint64_t, kMostSources> ofLane{};
      for (std::size_t k = 0; k < sourceCount_; ++k) ofLane[k] = (*sources[k])[lane];
      const std::optional<std::uint64_t> result = evaluateAs(opcode, ofLane);
      results[lane] = result.value_or(0);
      defined |= LaneMask{result.has_value()} << lane;
    }
    return defined;
  };
  // What addresses are shuffled with.
  switch (opcode_) {
    case Opcode::And:
      return forEachLane(Opcode::And);
    case Opcode::Or:
      return forEachLane(Opcode::Or);
    case Opcode::Xor:
      return forEachLane(Opcode::Xor);
    case Opcode::Shr:
      return forEachLane(Opcode::Shr);
    default:
      return forEachLane(opcode_);
  }
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

// Nothing is left of what could not be added.
void FormProgram::cutBack(const Mark& mark) {
  for (std::size_t k = mark.nodes; k < nodes_.size(); ++k) nodeOf_.erase(nodes_[k].leaf);
  nodes_.resize(mark.nodes);
  code_.resize(mark.sums);
  steps_.resize(mark.steps);
  unknowns_.resize(mark.unknowns);
}

std::optional<FormProgram::Expression> FormProgram::addSum(FormId id,
                                                           std::span<const LeafId> without) {
  if (id == kNone || nesting_ == kMostNesting) return std::nullopt;
  const Form form = addresses_->forms().form(id);
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
  // What its low bits are is not known.
  if (fixed != fixed_.end() && isInOperation_) return std::nullopt;
  if (const auto known = nodeOf_.find(id); known != nodeOf_.end()) return known->second;
  isFull_ |= nodes_.size() == kMostNodes;
  if (nodes_.size() == kMostNodes) return std::nullopt;
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
      // A register that nothing wrote may be another number at each look.
      return addresses_->ssa().kind(leaf.key.id) != Ssa::Kind::Entry && addUnknown();
    case LeafKind::Product: {
      made.kind = Node::Kind::Product;
      const std::span<const std::uint32_t> list = addresses_->forms().list(leaf);
      for (const LeafId factor : list) {
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
      const std::optional<Expression> of = addSum(leaf.key.id, {});
      if (of) made.inputs.push_back(*of);
      return of.has_value();
    }
    case LeafKind::Operation: {
      made.kind = Node::Kind::Operation;
      const LinearForms::Operation operation = addresses_->forms().operation(leaf);
      made.operation = IntegerOperation::of(*operation.form);
      if (operation.result != 0 || !made.operation ||
          made.operation->sourceCount() != operation.sources.size()) {
        return false;
      }
      made.bits = leaf.key.bits;
      made.resultBits = static_cast<std::uint8_t>(isa::bitWidth(operation.form->type));
      made.isSigned = made.resultBits < made.bits && isa::isSigned(operation.form->type) &&
                      operation.form->opcode != Opcode::Popc &&
                      operation.form->opcode != Opcode::Clz && !operation.form->has(".wide");
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

// False: it is an unknown, or of a kind about which nothing can be said.
bool FormProgram::setSpecial(Node& made, const Leaf& leaf) {
  const std::string_view name = isa::specialRegisters()[leaf.key.id / 4].name;
  made.index = leaf.key.id % 4;
  if (name == "%tid" && made.index < 3) {
    made.kind = Node::Kind::ThreadId;
  } else if (name == "%ntid" && made.index < 3) {
    made.kind = Node::Kind::Extent;
  } else if (name == "%laneid") {
    made.kind = Node::Kind::Lane;
  } else {
    // Others hang together in ways that are not modelled.
    made.kind = name == "%ctaid" || name == "%nctaid" ? Node::Kind::Unknown : Node::Kind::Operation;
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

// Returns the lanes for which the value is defined.
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
