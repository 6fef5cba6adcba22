// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/address.h"

#include <algorithm>
#include <optional>

#include "analysis/addresses/operand_forms.h"
#include "analysis/addresses/pointers.h"
#include "analysis/addresses/thread_functions.h"
#include "analysis/addresses/value_forms.h"
#include "analysis/memory/memory_effects.h"
#include "analysis/threads/elected_leaders.h"
#include "analysis/threads/warp_numbers.h"
#include "ir/effect.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

struct Shape {
  isa::Space space = isa::Space::None;  // None: generic
  std::uint32_t size = 0;
};

// State space and size of the k-th address operand.
Shape shapeOf(const Instruction& instruction, std::size_t k) {
  const isa::InstructionDesc& form = *instruction.desc;
  const int bits = isa::bitWidth(form.type);
  Shape shape;
  shape.space = form.space;
  switch (form.opcode) {
    case Opcode::Ld:
    case Opcode::Ldu:
    case Opcode::St:
    case Opcode::Atom:
    case Opcode::Red:
      if (k == 0 && bits > 0) {
        shape.size = static_cast<std::uint32_t>(bits) / 8 * form.vectorWidth;
      }
      break;
    case Opcode::Ldmatrix:
    case Opcode::Stmatrix:
      // A row of eight 16-bit elements.
      if (form.has(".m8n8")) shape.size = 16;
      break;
    case Opcode::Cp: {
      std::size_t seen = 0;
      shape.space = isa::Space::Shared;  // of an mbarrier after the two
      for (const std::string_view word : form.qualifiers) {
        const std::optional<isa::Space> space = isa::parseSpace(word);
        if (space && seen++ == k) shape.space = *space;
      }
      const Operand* size = instruction.operand(2);
      const bool isCopy = form.effect == isa::Effect::AsyncCopy && size != nullptr;
      if (isCopy && size->kind == OperandKind::Integer) {
        shape.size = static_cast<std::uint32_t>(size->immediate);
      }
      break;
    }
    default:
      break;
  }
  return shape;
}

}  // namespace

class Addresses::AccessBuilder {
 public:
  AccessBuilder(Addresses& out, const ValueRanges& ranges, const Pointers& pointers, bool runsOnce)
      : out_(out),
        ssa_(*out.ssa_),
        ranges_(ranges),
        forms_(out.forms_),
        functions_(out.forms_),
        pointers_(pointers),
        leaders_(ssa_, ranges, forms_, out.formOfValue_),
        runsOnce_(runsOnce) {}

  void run() {
    collectFactsOfBlocks();
    const InstructionNumbers& numbers = ssa_.instructions();
    std::size_t accesses = 0;  // but for second ones of one instruction
    for (std::uint32_t n = 0; n < numbers.count(); ++n) {
      accesses += std::size_t{touchesMemory(numbers[n])};
    }
    out_.accesses_.reserve(accesses);
    out_.firstAccess_.reserve(numbers.count() + std::size_t{1});
    for (std::uint32_t n = 0; n < numbers.count(); ++n) {
      out_.firstAccess_.push_back(static_cast<std::uint32_t>(out_.accesses_.size()));
      const Instruction& instruction = numbers[n];
      if (touchesMemory(instruction)) visit(instruction);
      if (maySynchroniseAlone(instruction)) noteExecutor(n, instruction);
    }
    out_.firstAccess_.push_back(static_cast<std::uint32_t>(out_.accesses_.size()));
  }

 private:
  bool touchesMemory(const Instruction& instruction) const {
    const isa::InstructionDesc& form = *instruction.desc;
    return form.known() && (form.is(isa::kMemoryRead) || form.is(isa::kMemoryWrite)) &&
           ssa_.cfg().isReachable(instruction.block);
  }

  // T of one thread, not of its warp.
  bool maySynchroniseAlone(const Instruction& instruction) const {
    if (instruction.desc->known() && ir::isUnordered(instruction.desc->effect)) return false;
    const MemoryEffect effect = memoryEffectOf(instruction);
    return (effect.marks == kOpaqueSync || effect.poll != MemoryEffect::Poll::None) &&
           !instruction.desc->is(isa::kConvergent) && ssa_.cfg().isReachable(instruction.block);
  }

  void noteExecutor(std::uint32_t number, const Instruction& instruction) {
    Access access;
    access.origin = &out_;
    access.instruction = &instruction;
    collectConditions(access);
    const auto isPinned = [](const Interval& id) { return id.isSingle(); };
    if (access.electionMask != 0 || !access.zeros.empty() ||
        std::ranges::all_of(access.thread, isPinned)) {
      out_.executors_.emplace(number, std::move(access));
    }
  }

  static bool isParameterSpace(isa::Space space) {
    return space == isa::Space::Param || space == isa::Space::ParamEntry ||
           space == isa::Space::ParamFunc;
  }

  void visit(const Instruction& instruction) {
    std::size_t k = 0;
    const Operand* listEnd = nullptr;
    for (const Operand& operand : instruction.operands()) {
      if (operand.kind == OperandKind::AddressList) listEnd = &operand + operand.extent();
      if (operand.kind != OperandKind::Address || (listEnd != nullptr && &operand < listEnd)) {
        continue;
      }
      const Shape shape = shapeOf(instruction, k++);
      if (isParameterSpace(shape.space)) continue;
      Access& access = out_.accesses_.emplace_back();
      access.origin = &out_;
      access.instruction = &instruction;
      access.operand = &operand;
      access.size = shape.size;
      access.isCollective = instruction.desc->is(isa::kCollective);
      access.address = formOf(instruction, operand, shape.space);
      if (access.address != kNone) access.address = forms_.opened(access.address);
      access.window = shape.space == isa::Space::Global ? isa::Space::None : shape.space;
      setBases(access, shape.space);
      const bool isGeneric = shape.space == isa::Space::None;
      const bool isInWindow = isGeneric && access.spaces.isOnly(isa::Space::Shared) &&
                              enterWindow(access, isa::Space::Shared);
      collectConditions(access);
      setBytes(access);
      addVariants(access, isInWindow ? isa::Space::Shared : shape.space);
    }
  }

  FormId formOf(const Instruction& instruction, const Operand& operand, isa::Space space) {
    // The width of its window.  Wider addresses are truncated.
    const bool isNarrow =
        space == isa::Space::Shared || ssa_.cfg().function().module().addressSize == 32;
    const unsigned bits = isNarrow ? 32 : 64;
    const auto offset = static_cast<std::uint64_t>(operand.immediate);
    // Offsets are 32 bits (A4); how a larger one is extended is not known.
    const bool isFar = operand.immediate < INT32_MIN || operand.immediate > INT32_MAX;
    switch (operand.base) {
      case ir::AddressBase::None:
        return forms_.constant(offset, bits);
      case ir::AddressBase::Symbol:
        return isFar ? kNone
                     : formOfSymbol(ssa_.cfg().function(), operand, bits, runsOnce_, forms_);
      case ir::AddressBase::Register: {
        const ValueId value = ssa_.use(instruction, operand);
        FormId base = out_.formOfValue_[value];
        if (base == kNone || (isFar && forms_.form(base).bits > 32)) return kNone;
        if (forms_.form(base).bits > bits) base = narrow(value, bits);
        return forms_.plus(base, offset);
      }
    }
    return kNone;
  }

  // Several addresses are made of one value, as a rule.
  FormId narrow(ValueId value, unsigned bits) {
    if (narrow_.empty()) narrow_.assign(out_.formOfValue_.size(), kNone);
    FormId& known = narrow_[value];
    if (known == kNone) known = forms_.truncate(out_.formOfValue_[value], bits);
    return known;
  }

  // A generic address of which the space is known, and so its form, as an address in the space:
  // equal ones stay equal (C3.2).
  bool enterWindow(Access& access, isa::Space space) {
    const LinearForm form = forms_.form(access.address);
    const std::vector<Term> terms(form.terms.begin(), form.terms.end());
    const unsigned bits = std::min<unsigned>(form.bits, 32);
    FormId inside = forms_.constant(residue(form.constant, bits), bits);
    bool isFound = false;
    for (const Term& term : terms) {
      const LeafKey key = forms_.leaf(term.leaf).key;
      if (key.kind == LeafKind::GenericBase) {
        if (term.coefficient != 1 || key.id != static_cast<std::uint32_t>(space)) return false;
        isFound = true;
        continue;
      }
      const bool isExtended =
          key.kind == LeafKind::ZeroExtended || key.kind == LeafKind::SignExtended;
      const FormId number = isExtended && key.bits == bits ? forms_.truncate(key.id, bits)
                                                           : forms_.ofLeaf(term.leaf, bits);
      inside = forms_.add(inside, forms_.scale(number, term.coefficient));
    }
    if (!isFound) return false;
    access.address = inside;
    access.window = space;
    return true;
  }

  void addVariants(Access& access, isa::Space named) {
    if (access.address == kNone || access.isCollective) return;
    const auto hasAlternatives = [&](const Term& term) {
      return forms_.alternatives(term.leaf) != nullptr;
    };
    if (std::ranges::none_of(forms_.form(access.address).terms, hasAlternatives)) return;
    std::vector<FormId> addresses{access.address};
    for (std::size_t k = 0; k < addresses.size();) {
      const std::vector<FormId> alternatives = alternativesOf(addresses[k], access);
      if (alternatives.empty()) {
        ++k;
        continue;
      }
      addresses.erase(addresses.begin() + static_cast<std::ptrdiff_t>(k));
      addresses.insert(addresses.end(), alternatives.begin(), alternatives.end());
      if (addresses.size() > LinearForms::kMostAlternatives) return;
    }
    std::ranges::sort(addresses);
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    if (addresses.front() == access.address) return;
    for (const FormId address : addresses) {
      Access variant = access;
      variant.variants.clear();
      variant.address = address;
      variant.bases.clear();
      variant.spaces = {};
      variant.bytes = {};
      setBases(variant, named);
      setBytes(variant);
      access.variants.push_back(std::move(variant));
    }
  }

  // With each alternative of one of its leaves in the place of the leaf.
  std::vector<FormId> alternativesOf(FormId id, const Access& access) {
    const LinearForm form = forms_.form(id);
    for (const Term& term : form.terms) {
      const LinearForms::Alternatives* alternatives = forms_.alternatives(term.leaf);
      // A narrower leaf is an integer, and the form that it is one of a residue.
      if (alternatives == nullptr || forms_.leaf(term.leaf).key.bits < form.bits) continue;
      const std::uint64_t coefficient = term.coefficient;
      const unsigned bits = form.bits;
      const FormId rest =
          forms_.subtract(id, forms_.scale(forms_.ofLeaf(term.leaf, bits), coefficient));
      std::vector<FormId> result;
      for (std::size_t k = 0; k < alternatives->forms.size(); ++k) {
        if (!mayBe(k, *alternatives, access)) continue;
        const FormId number = forms_.truncate(alternatives->forms[k], bits);
        result.push_back(forms_.add(rest, forms_.scale(number, coefficient)));
      }
      return result;
    }
    return {};
  }

  bool mayBe(std::size_t k, const LinearForms::Alternatives& alternatives, const Access& access) {
    if (alternatives.round == kNone) return true;
    const Interval rounds = intervalOf(access, alternatives.round);
    const auto count = static_cast<std::int64_t>(alternatives.forms.size());
    if (!rounds.isBounded() || rounds.highest - rounds.lowest >= count - 1) return true;
    for (std::int64_t n = rounds.lowest; n <= rounds.highest; ++n) {
      if (n % count == static_cast<std::int64_t>(k)) return true;
    }
    return false;
  }

  void setBases(Access& access, isa::Space named) const {
    PointerSet pointer =
        access.address == kNone ? PointerSet::none() : pointers_.of(access.address);
    // An access to .shared::cluster may go to the same place in any CTA (C3.6).
    if (named == isa::Space::SharedCluster) pointer = PointerSet::lost();
    const MemoryBase unknown{MemoryBase::Kind::Unknown, unknownSpaces(named), nullptr, 0};
    if (pointer.state != PointerSet::State::Some) {
      access.bases = {unknown};
    } else {
      for (const PointerBase& base : pointer.bases) {
        const MemoryBase resolved = resolve(base, named, unknown);
        if (std::ranges::find(access.bases, resolved) == access.bases.end()) {
          access.bases.push_back(resolved);
        }
      }
    }
    for (const MemoryBase& base : access.bases) access.spaces = access.spaces | base.spaces;
  }

  static Spaces unknownSpaces(isa::Space named) {
    return named == isa::Space::None ? Spaces::generic() : Spaces(named);
  }

  static MemoryBase resolve(const PointerBase& pointer, isa::Space named,
                            const MemoryBase& unknown) {
    const MemoryBase& base = pointer.base;
    const bool isGlobal = base.spaces.isOnly(isa::Space::Global);
    if (base.kind == MemoryBase::Kind::Parameter) {
      // A generic address that was passed may be one of anything.
      return named == isa::Space::Global ? base : unknown;
    }
    // A generic access needs a generic address, an access to a space one of its own.
    const bool isGeneric = pointer.window != isa::Space::None;
    if (!isGlobal && isGeneric != (named == isa::Space::None)) return unknown;
    if (named != isa::Space::None && !base.spaces.isOnly(named)) return unknown;
    return base;
  }

  // ---- what holds where it is executed ----------------------------------------------------------

  // What a condition says, whatever is accessed.
  struct Fact {
    LeafId leaf = kNone;  // which is one of `known`
    Interval known;
    std::array<Interval, 3> thread;  // what follows for the thread id
    FormId zero = kNone;             // is 0
    Access::Test test;               // if its left side is a form
    ShortList<LeafId, 2 * ThreadFunction::kMostUnknowns> unknowns;  // of the test

    bool saysAnything() const { return leaf != kNone || zero != kNone || test.left != kNone; }
  };

  void collectFactsOfBlocks() {
    const Cfg& cfg = ssa_.cfg();
    firstFact_.reserve(cfg.vertexCount() + std::size_t{1});
    for (BlockId b = 0; b < cfg.vertexCount(); ++b) {
      firstFact_.push_back(static_cast<std::uint32_t>(facts_.size()));
      for (const BranchConditions::Placed& placed : ranges_.conditions().ofBlock(b)) {
        if (Fact fact = factOf(placed.condition); fact.saysAnything()) {
          facts_.push_back(std::move(fact));
        }
      }
    }
    firstFact_.push_back(static_cast<std::uint32_t>(facts_.size()));

    aboveWithFacts_.assign(cfg.vertexCount(), kNone);
    for (const BlockId b : ssa_.dominators().preorder()) {
      const BlockId above = ssa_.dominators().parent(b);
      if (above == kNone) continue;
      aboveWithFacts_[b] = hasFacts(above) ? above : aboveWithFacts_[above];
    }
  }

  bool hasFacts(BlockId b) const { return firstFact_[b] != firstFact_[b + 1]; }

  void collectConditions(Access& access) {
    for (std::size_t k = 0; k < access.thread.size(); ++k) {
      access.thread[k] = {0, std::int64_t{out_.shape_.most[k]} - 1};
    }
    const Instruction& instruction = *access.instruction;
    for (const Condition& condition : ranges_.conditions().ofGuard(instruction)) {
      apply(factOf(condition), access);
    }
    const Dominators& dominators = ssa_.dominators();
    const std::uint32_t depth = dominators.depth(instruction.block);
    for (BlockId b = instruction.block; b != kNone && depth - dominators.depth(b) < kMostLevels;
         b = aboveWithFacts_[b]) {
      for (std::uint32_t k = firstFact_[b]; k < firstFact_[b + 1]; ++k) apply(facts_[k], access);
    }
    access.electionMask = leaders_.maskOf(instruction);
  }

  void apply(const Fact& fact, Access& access) {
    if (fact.leaf != kNone) restrict(fact, access);
    if (fact.test.left != kNone) addTest(fact, access);
    if (fact.zero != kNone && !access.zeros.isFull() &&
        std::ranges::find(access.zeros, fact.zero) == access.zeros.end()) {
      access.zeros.push_back(fact.zero);
    }
  }

  void restrict(const Fact& fact, Access& access) const {
    for (std::size_t k = 0; k < access.thread.size(); ++k) {
      access.thread[k] = intersection(access.thread[k], fact.thread[k]);
    }
    if (access.address == kNone) return;
    const auto isLeaf = [&](const Term& term) {
      const LinearForms::Alternatives* alternatives = forms_.alternatives(term.leaf);
      return term.leaf == fact.leaf ||
             (alternatives != nullptr && alternatives->round == fact.leaf);
    };
    if (std::ranges::none_of(forms_.form(access.address).terms, isLeaf)) return;
    for (auto& [other, interval] : access.restrictions) {
      if (other == fact.leaf) {
        interval = intersection(interval, fact.known);
        return;
      }
    }
    access.restrictions.emplace_back(fact.leaf, fact.known);
  }

  Fact factOf(const Condition& condition) {
    Fact fact;
    const FormId id = out_.formOfValue_[condition.value];
    if (id == kNone || forms_.form(id).bits != condition.bits) return fact;
    learnLeaf(condition, id, fact);
    if (condition.comparison == Comparison::Equal) {
      fact.zero = zeroOf(condition, id);
    } else if (out_.shape_.block) {
      learnTest(condition, id, fact);
    }
    return fact;
  }

  // A condition on leaf + constant is one on the leaf, if the sum does not wrap.
  void learnLeaf(const Condition& condition, FormId id, Fact& fact) const {
    const LinearForm form = forms_.form(id);
    if (form.terms.size() != 1 || form.terms[0].coefficient != 1) return;
    const LeafId leaf = form.terms[0].leaf;
    const std::int64_t constant = signedResidue(form.constant, form.bits);
    const ValueRange all = ValueRange::all(form.bits);
    const Interval sum = forms_.sum(id);
    // The number that was tested must be the sum itself: as an unsigned one, and if something is
    // added to the leaf, as a signed one as well.
    const Interval fits =
        constant == 0 ? all.asUnsigned() : intersection(all.asSigned(), all.asUnsigned());
    if (!sum.isBounded() || sum.lowest < fits.lowest || sum.highest > fits.highest) return;
    const ValueRange before = ValueRange::between(
        static_cast<std::uint64_t>(sum.lowest), static_cast<std::uint64_t>(sum.highest), form.bits);
    const ValueRange after = ranges_.refined(before, condition);
    fact.leaf = leaf;
    fact.known = after.asUnsigned() + Interval::of(-constant);
    for (std::size_t k = 0; k < fact.thread.size(); ++k) {
      if (isThreadId(leaf, k)) fact.thread[k] = fact.known;
    }
    learnRow(fact);
  }

  // What is known of tid.x / 32 says something about tid.x.
  void learnRow(Fact& fact) const {
    const std::optional<RowNumber> number = rowNumber(forms_, fact.leaf);
    if (!number) return;
    constexpr std::int64_t kWarpSize = isa::kWarpSize;
    constexpr Interval kRow{0, 1023};
    const Interval warps = intersection(fact.known, kRow) - number->rest;  // times the unit
    const auto unit = static_cast<std::int64_t>(number->unit);
    const Interval ids{(std::max<std::int64_t>(warps.lowest, 0) + unit - 1) / unit * kWarpSize,
                       std::max<std::int64_t>(warps.highest, 0) / unit * kWarpSize + kWarpSize - 1};
    fact.thread[0] = intersection(fact.thread[0], ids);
  }

  bool isThreadId(LeafId id, std::size_t dimension) const {
    const LeafKey& key = forms_.leaf(id).key;
    return key.kind == LeafKind::Special && key.id % 4 == dimension &&
           isa::specialRegisters()[key.id / 4].name == "%tid";
  }

  FormId rightSide(const Condition& condition) {
    if (condition.otherValue != kNone) {
      const FormId other = out_.formOfValue_[condition.otherValue];
      return other != kNone && forms_.form(other).bits == condition.bits ? other : kNone;
    }
    if (condition.other->kind != OperandKind::Integer) return kNone;
    return forms_.constant(static_cast<std::uint64_t>(condition.other->immediate), condition.bits);
  }

  void learnTest(const Condition& condition, FormId id, Fact& fact) {
    // Of two registers it comes both ways round.
    if (condition.otherValue != kNone && condition.otherValue < condition.value) return;
    const FormId other = rightSide(condition);
    if (other == kNone) return;
    // As an interval of the thread id it is known already.
    const LinearForm form = forms_.form(id);
    const bool isThread = form.constant == 0 && form.terms.size() == 1 &&
                          form.terms[0].coefficient == 1 &&
                          threadDimension(forms_.leaf(form.terms[0].leaf)).has_value();
    if (isThread && forms_.form(other).isConstant() &&
        condition.comparison != Comparison::NotEqual) {
      return;
    }
    const std::array sides{functions_.of(id), functions_.of(other)};
    for (const ThreadFunction& side : sides) {
      if (!side.isKnown) return;
      for (const LeafId unknown : side.unknowns) fact.unknowns.push_back(unknown);
    }
    fact.test = {condition.comparison, condition.bits, id, other};
  }

  // What it says is of use only with numbers that are part of the address.
  void addTest(const Fact& fact, Access& access) {
    if (access.tests.isFull() || access.address == kNone) return;
    if (!fact.unknowns.empty()) {
      const ThreadFunction address = functions_.of(access.address);
      const auto isOfAddress = [&](LeafId unknown) {
        return std::ranges::find(address.unknowns, unknown) != address.unknowns.end();
      };
      if (!std::ranges::all_of(fact.unknowns, isOfAddress)) return;
    }
    if (std::ranges::find(access.tests, fact.test) == access.tests.end()) {
      access.tests.push_back(fact.test);
    }
  }

  // The difference of the two sides that are equal; kNone where it is not known.
  FormId zeroOf(const Condition& condition, FormId id) {
    const FormId other = rightSide(condition);
    if (other == kNone) return kNone;
    const FormId difference = forms_.subtract(id, other);
    // Of x - y and y - x the same one.
    return std::min(difference, forms_.scale(difference, ~std::uint64_t{0}));
  }

  // ---- bytes
  // --------------------------------------------------------------------------------------

  void setBytes(Access& access) const {
    if (access.address == kNone || access.size == 0 || access.bases.size() != 1 ||
        access.bases[0].kind == MemoryBase::Kind::Unknown) {
      return;
    }
    const LinearForm form = forms_.form(access.address);
    Interval offset = Interval::of(signedResidue(form.constant, form.bits));
    bool hasBase = false;
    for (const Term& term : form.terms) {
      const Leaf& leaf = forms_.leaf(term.leaf);
      const LeafKind kind = leaf.key.kind;
      if (kind == LeafKind::GenericBase) continue;
      if (term.coefficient == 1 && isBase(term.leaf, access.bases[0])) {
        hasBase = true;
        continue;
      }
      offset = offset + intervalOf(access, term.leaf) * signedResidue(term.coefficient, form.bits);
    }
    // So small that two of them that differ by a multiple of the ring cannot be.
    const Interval half{-(std::int64_t{1} << (form.bits - 2)), std::int64_t{1} << (form.bits - 2)};
    if (!hasBase || !offset.isBounded() || offset.isEmpty() || offset.lowest < half.lowest ||
        offset.highest > half.highest) {
      return;
    }
    access.bytes = offset + Interval{0, std::int64_t{access.size} - 1};
  }

  bool isBase(LeafId id, const MemoryBase& base) const {
    const LeafKey& key = forms_.leaf(id).key;
    if (key.kind == LeafKind::Symbol) return base.kind != MemoryBase::Kind::Parameter;
    return key.kind == LeafKind::Parameter && base.kind == MemoryBase::Kind::Parameter &&
           key.bits == 64 && key.offset == base.offset &&
           ssa_.cfg().function().symbolAt(ir::SymbolId{key.id}).variable == base.variable;
  }

  Interval intervalOf(const Access& access, LeafId id) const {
    Interval interval = forms_.leaf(id).interval;
    for (const auto& [leaf, known] : access.restrictions) {
      if (leaf == id) interval = intersection(interval, known);
    }
    return interval;
  }

  static constexpr std::uint32_t kMostLevels = 64;  // of dominators

  Addresses& out_;
  const Ssa& ssa_;
  const ValueRanges& ranges_;
  LinearForms& forms_;
  ThreadFunctions functions_;
  const Pointers& pointers_;
  ElectedLeaders leaders_;
  const bool runsOnce_;
  std::vector<Fact> facts_;               // of what begins to hold in a block, block by block
  std::vector<std::uint32_t> firstFact_;  // by block, and one more
  std::vector<BlockId> aboveWithFacts_;   // the nearest dominator that has some, by block
  std::vector<FormId> narrow_;            // by value: its form in a narrow window, once asked for
};

Addresses::Addresses(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops, bool runsOnce)
    : ssa_(&ssa), ranges_(&ranges), shape_(ranges.shape()) {
  PointerSources sources;
  formOfValue_ = formsOfValues(ssa, ranges, loops, runsOnce, forms_, sources);
  const Pointers pointers(ssa.cfg().function(), forms_, formOfValue_, sources);
  AccessBuilder(*this, ranges, pointers, runsOnce).run();
}

Addresses::Addresses(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops)
    : Addresses(ssa, ranges, loops, ssa.cfg().function().isEntry()) {}

std::span<const Access> Addresses::of(const ir::Instruction& instruction) const {
  const std::uint32_t n = ssa_->instructions().of(instruction);
  if (n == kNone) return {};
  return std::span(accesses_).subspan(firstAccess_[n], firstAccess_[n + 1] - firstAccess_[n]);
}

const Access* Addresses::executorOf(const ir::Instruction& instruction) const {
  const auto found = executors_.find(ssa_->instructions().of(instruction));
  return found == executors_.end() ? nullptr : &found->second;
}

// ---- text --------------------------------------------------------------------------------------

namespace {

constexpr unsigned kMostNesting = 2;  // of operations in a text

}  // namespace

std::string Addresses::text(FormId id) const {
  return text(id, 0);
}

std::string Addresses::leafText(LeafId id) const {
  return leafText(id, 0);
}

std::string Addresses::leafText(LeafId id, unsigned nesting) const {
  const Leaf& leaf = forms_.leaf(id);
  const ir::Function& function = ssa_->cfg().function();
  const auto symbolName = [&] {
    const ir::Symbol& symbol = function.symbolAt(ir::SymbolId{leaf.key.id});
    return std::string(function.module().text(symbol.name));
  };
  switch (leaf.key.kind) {
    case LeafKind::Symbol:
      return symbolName();
    case LeafKind::Parameter:
      return "[" + symbolName() +
             (leaf.key.offset == 0 ? "" : "+" + std::to_string(leaf.key.offset)) + "]";
    case LeafKind::GenericBase:
      return "generic" +
             std::string(isa::spelling(isa::Space{static_cast<std::uint8_t>(leaf.key.id)}));
    case LeafKind::Special: {
      const isa::SpecialRegister& row = isa::specialRegisters()[leaf.key.id / 4];
      const std::string name(row.name.substr(1));
      return row.isVector ? name + '.' + "xyzw"[leaf.key.id % 4] : name;
    }
    case LeafKind::Iteration:
      return "round" + std::to_string(leaf.key.id);
    case LeafKind::Product: {
      std::string product;
      for (const LeafId factor : forms_.list(leaf)) {
        product += (product.empty() ? "" : "*") + leafText(factor, nesting);
      }
      return product;
    }
    case LeafKind::ZeroExtended:
      return "zext(" + text(leaf.key.id, nesting + 1) + ")";
    case LeafKind::SignExtended:
      return "sext(" + text(leaf.key.id, nesting + 1) + ")";
    case LeafKind::Operation: {
      if (nesting >= kMostNesting) return "f" + std::to_string(leaf.key.id);
      const LinearForms::Operation operation = forms_.operation(leaf);
      std::string sources;
      for (const FormId source : operation.sources) {
        sources += (sources.empty() ? "" : ",") + text(source, nesting + 1);
      }
      const std::string_view mnemonic = operation.desc->mnemonic;
      return std::string(mnemonic.substr(0, mnemonic.rfind('.'))) + '(' + sources + ')';
    }
    case LeafKind::Value: {
      const ir::RegisterId reg = ssa_->reg(leaf.key.id);
      return reg == ir::RegisterId::None ? "carry" : function.registerName(reg);
    }
  }
  return {};
}

std::string Addresses::text(FormId id, unsigned nesting) const {
  if (id == kNone) return "?";
  const LinearForm form = forms_.form(id);
  std::string text;
  for (const Term& term : form.terms) {
    const std::int64_t coefficient = signedResidue(term.coefficient, form.bits);
    if (coefficient < 0) {
      text += '-';
    } else if (!text.empty()) {
      text += '+';
    }
    const std::uint64_t size = coefficient < 0
                                   ? std::uint64_t{0} - static_cast<std::uint64_t>(coefficient)
                                   : static_cast<std::uint64_t>(coefficient);
    if (size != 1) text += std::to_string(size) + '*';
    text += leafText(term.leaf, nesting);
  }
  const std::int64_t constant = signedResidue(form.constant, form.bits);
  if (constant != 0 || text.empty()) {
    if (constant >= 0 && !text.empty()) text += '+';
    text += std::to_string(constant);
  }
  return text;
}

}  // namespace ptxopt::analysis
