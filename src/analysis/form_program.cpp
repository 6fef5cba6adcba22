#include "analysis/form_program.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ptxopt::analysis {

namespace {

using isa::Opcode;

constexpr std::size_t kMostNodes = 256;
constexpr unsigned kMostNesting = 16;
constexpr std::uint32_t kLanes = 32;

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

std::optional<std::uint64_t> evaluate(const isa::Form& form,
                                      std::span<const std::uint64_t> sources) {
  const int width = isa::bitWidth(form.type);
  if (width <= 0 || width > 64 || isa::isFloat(form.type) || isa::isFloat(form.sourceType) ||
      sources.empty() || !std::ranges::all_of(form.qualifiers, isUnderstood)) {
    return std::nullopt;
  }
  const auto bits = static_cast<unsigned>(width);
  const bool isSigned = isa::isSigned(form.type);
  const auto source = [&](std::size_t k) {
    return k < sources.size() ? residue(sources[k], bits) : 0;
  };
  const auto number = [&](std::size_t k) { return signedResidue(source(k), bits); };
  const std::uint64_t a = source(0);
  const std::uint64_t b = source(1);
  const std::size_t wanted = [&]() -> std::size_t {
    switch (form.opcode) {
      case Opcode::Mov:
      case Opcode::Not:
      case Opcode::Neg:
      case Opcode::Abs:
      case Opcode::Popc:
      case Opcode::Clz:
        return 1;
      case Opcode::Mad:
      case Opcode::Bfe:
        return 3;
      case Opcode::Bfi:
      case Opcode::Lop3:
        return 4;
      default:
        return 2;
    }
  }();
  if (sources.size() != wanted) return std::nullopt;

  std::uint64_t result = 0;
  unsigned resultBits = bits;
  switch (form.opcode) {
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
      // Clamped, whatever is shifted (docs/soundness.md, part B).
      const std::uint64_t amount = residue(sources[1], 32);
      if (form.opcode == Opcode::Shl) {
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
      const bool isQuotient = form.opcode == Opcode::Div;
      if (isSigned) {
        result =
            static_cast<std::uint64_t>(isQuotient ? number(0) / number(1) : number(0) % number(1));
      } else {
        result = isQuotient ? a / b : a % b;
      }
      break;
    }
    case Opcode::Mul:
    case Opcode::Mad: {
      if (form.has(".hi")) {
        result = highHalf(a, b, bits, isSigned);
      } else if (form.has(".wide")) {
        result = isSigned ? static_cast<std::uint64_t>(number(0) * number(1)) : a * b;
        resultBits = 2 * bits;
      } else if (form.has(".lo")) {
        result = a * b;
      } else {
        return std::nullopt;
      }
      if (form.opcode == Opcode::Mad) result += sources[2];
      break;
    }
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

// ---- building ----------------------------------------------------------------------------------

std::optional<FormProgram::Expression> FormProgram::add(FormId id,
                                                        std::span<const LeafId> without) {
  const std::size_t nodes = nodes_.size();
  const std::size_t sums = code_.size();
  const std::size_t steps = steps_.size();
  const std::size_t unknowns = unknowns_.size();
  const std::optional<Expression> added = addSum(id, without);
  if (added) return added;
  // Nothing is left of what could not be added.
  for (std::size_t k = nodes; k < nodes_.size(); ++k) nodeOf_.erase(nodes_[k].leaf);
  nodes_.resize(nodes);
  values_.resize(nodes);
  code_.resize(sums);
  sums_.resize(sums);
  steps_.resize(steps);
  unknowns_.resize(unknowns);
  return std::nullopt;
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
  sums_.push_back(0);
  steps_.push_back({true, added});
  return added;
}

FormProgram::Expression FormProgram::addConstant(std::uint64_t number) {
  code_.push_back({64, number, {}});
  sums_.push_back(number);
  return static_cast<Expression>(code_.size() - 1);
}

std::optional<std::uint32_t> FormProgram::node(LeafId id) {
  if (const auto known = nodeOf_.find(id); known != nodeOf_.end()) return known->second;
  if (nodes_.size() == kMostNodes) return std::nullopt;
  Node made;
  made.leaf = id;
  if (const auto fixed = fixed_.find(id); fixed != fixed_.end()) {
    // What its low bits are is not known.
    if (isInOperation_) return std::nullopt;
    made.kind = Node::Kind::Fixed;
    made.number = fixed->second;
  } else {
    ++nesting_;
    const bool isComplete = complete(made, addresses_->forms().leaf(id));
    --nesting_;
    if (!isComplete) return std::nullopt;
  }
  const auto added = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(std::move(made));
  values_.push_back(0);
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
      const std::optional<Expression> of = addSum(leaf.key.id, {});
      if (of) made.inputs.push_back(*of);
      return of.has_value();
    }
    case LeafKind::Operation: {
      made.kind = Node::Kind::Operation;
      const LinearForms::Operation operation = addresses_->forms().operation(leaf);
      if (operation.result != 0) return false;
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

bool FormProgram::run(const Thread& thread, std::span<const std::int64_t> numbers) {
  for (const Step& step : steps_) {
    if (step.isSum) {
      const Sum& sum = code_[step.index];
      std::uint64_t total = sum.constant;
      for (const auto& [node, coefficient] : sum.terms) {
        total += coefficient * static_cast<std::uint64_t>(values_[node]);
      }
      sums_[step.index] = residue(total, sum.bits);
      continue;
    }
    const Node& node = nodes_[step.index];
    const std::optional<std::int64_t> value = compute(node, thread, numbers);
    if (!value) return false;
    const bool isGiven = node.kind == Node::Kind::Fixed;
    if (!isGiven && !addresses_->forms().leaf(node.leaf).interval.contains(*value)) return false;
    values_[step.index] = *value;
  }
  return true;
}

std::optional<std::int64_t> FormProgram::compute(const Node& node, const Thread& thread,
                                                 std::span<const std::int64_t> numbers) const {
  switch (node.kind) {
    case Node::Kind::Unknown:
      return numbers[node.index];
    case Node::Kind::Fixed:
      return node.number;
    case Node::Kind::ThreadId:
      return thread.id[node.index];
    case Node::Kind::Extent:
      return thread.block[node.index];
    case Node::Kind::Lane:
      return (thread.id[0] + thread.block[0] * (thread.id[1] + thread.block[1] * thread.id[2])) %
             kLanes;
    case Node::Kind::Product: {
      std::int64_t product = 1;
      for (const std::uint32_t factor : node.inputs) {
        if (__builtin_mul_overflow(product, values_[factor], &product)) return std::nullopt;
      }
      return product;
    }
    case Node::Kind::Extension: {
      const LeafKey& key = addresses_->forms().leaf(node.leaf).key;
      const std::uint64_t inner = residue(sums_[node.inputs[0]], key.bits);
      return key.kind == LeafKind::SignExtended ? signedResidue(inner, key.bits)
                                                : static_cast<std::int64_t>(inner);
    }
    case Node::Kind::Operation: {
      const Leaf& leaf = addresses_->forms().leaf(node.leaf);
      const isa::Form& form = *addresses_->forms().operation(leaf).form;
      std::array<std::uint64_t, 4> sources{};
      if (node.inputs.size() > sources.size()) return std::nullopt;
      for (std::size_t k = 0; k < node.inputs.size(); ++k) sources[k] = sums_[node.inputs[k]];
      const auto result = evaluate(form, std::span(sources).first(node.inputs.size()));
      if (!result) return std::nullopt;
      const auto bits = static_cast<unsigned>(isa::bitWidth(form.type));
      const bool isExtended = bits < leaf.key.bits && isa::isSigned(form.type) &&
                              form.opcode != Opcode::Popc && form.opcode != Opcode::Clz &&
                              !form.has(".wide");
      const std::uint64_t number =
          isExtended
              ? residue(static_cast<std::uint64_t>(signedResidue(*result, bits)), leaf.key.bits)
              : *result;
      // Leaves are unsigned numbers with bounds of 63 bits.
      if (number > static_cast<std::uint64_t>(Interval::kNoHighest)) return std::nullopt;
      return static_cast<std::int64_t>(number);
    }
  }
  return std::nullopt;
}

bool FormProgram::dependsOnLane() const {
  return std::ranges::any_of(nodes_,
                             [](const Node& node) { return node.kind == Node::Kind::Lane; });
}

std::optional<std::int64_t> FormProgram::numberOf(LeafId leaf) const {
  const auto found = nodeOf_.find(leaf);
  if (found == nodeOf_.end()) return std::nullopt;
  return values_[found->second];
}

}  // namespace ptxopt::analysis
