// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/value_forms.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "analysis/addresses/extensions.h"
#include "analysis/addresses/induction_variables.h"
#include "analysis/addresses/phi_alternatives.h"
#include "analysis/addresses/pure_instructions.h"
#include "analysis/threads/warp_numbers.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

// More terms make a leaf.
constexpr std::size_t kMostTerms = 16;
// Shared memory of a CTA is far smaller.
constexpr std::int64_t kSharedWindow = std::int64_t{1} << 24;

// The first instructions of an entry, as far as no thread can have ended before them.
std::uint32_t countBeforeAnyEnd(const Ssa& ssa) {
  const Cfg& cfg = ssa.cfg();
  if (!cfg.function().isEntry() || !cfg.inEdges(cfg.entry()).empty()) return 0;
  const auto [first, end] = ssa.instructions().of(cfg.entry());
  for (std::uint32_t n = first; n < end; ++n) {
    const isa::InstructionDesc& form = *ssa.instructions()[n].desc;
    if (!form.known() || form.control != isa::Control::None) return n;
  }
  return end;
}

bool isSymbolic(isa::Space space) {
  return space == isa::Space::Shared || space == isa::Space::Global || space == isa::Space::Const ||
         space == isa::Space::Local || space == isa::Space::Param;
}

class Evaluator {
 public:
  Evaluator(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops, bool runsOnce,
            LinearForms& forms, PointerSources& pointers)
      : ssa_(ssa),
        cfg_(ssa_.cfg()),
        function_(cfg_.function()),
        ranges_(ranges),
        loops_(loops),
        forms_(forms),
        pointers_(pointers),
        runsOnce_(runsOnce),
        beforeAnyEnd_(countBeforeAnyEnd(ssa)),
        needed_(ssa_.valueCount()),
        formOfValue_(ssa_.valueCount(), kNone),
        inductions_(ssa, ranges, loops, formOfValue_, forms),
        extensions_(ssa, ranges, forms, pointers) {}

  std::vector<FormId> run() {
    collect();
    needed_.forEach([&](std::size_t v) {
      formOfValue_[v] = evaluate(static_cast<ValueId>(v));
      extensions_.noteNumber(formOfValue_[v], static_cast<ValueId>(v));
    });
    PhiAlternatives alternatives(ssa_, loops_, formOfValue_, inductions_, forms_, pointers_);
    for (const ValueId phi : openPhis_) alternatives.find(phi);
    return std::move(formOfValue_);
  }

 private:
  // ---- which values -----------------------------------------------------------------------------

  void collect() {
    std::vector<ValueId> work;
    const auto need = [&](ValueId v) {
      if (v != kNone && ranges_.of(v).bits != 0 && needed_.set(v)) work.push_back(v);
    };
    for (BlockId b = 0; b < cfg_.blockCount(); ++b) {
      if (!cfg_.isReachable(b)) continue;
      for (const Instruction& instruction : cfg_.instructions(b)) {
        for (const Operand& operand : instruction.operands()) {
          if (operand.kind == OperandKind::Address && operand.base == ir::AddressBase::Register) {
            need(ssa_.use(instruction, operand));
          }
        }
        for (const Condition& condition : ranges_.conditions().ofGuard(instruction)) {
          need(condition.value);
        }
      }
      for (const BranchConditions::Placed& placed : ranges_.conditions().ofBlock(b)) {
        need(placed.condition.value);
      }
    }
    while (!work.empty()) {
      const ValueId v = work.back();
      work.pop_back();
      if (ssa_.isPhi(v)) {
        for (const ValueId operand : ssa_.phiOperands(v)) need(operand);
      } else if (ssa_.isDefinition(v)) {
        need(ssa_.old(v));
        const Instruction& instruction = ssa_.instruction(v);
        if (isPureInteger(instruction) || isBroadcast(instruction)) {
          ssa_.forEachUse(instruction, need);
        }
      }
    }
  }

  // ---- leaves -----------------------------------------------------------------------------------

  unsigned bitsOf(ValueId v) const { return ranges_.of(v).bits; }

  Leaf valueLeaf(ValueId v) const {
    Leaf leaf;
    leaf.key = {LeafKind::Value, static_cast<std::uint8_t>(bitsOf(v)), v, 0};
    // docs/soundness/ C8(ii).1.  What nothing defines may be another number each time.
    leaf.stable =
        runsOnce_ && loops_.loopOf(ssa_.block(v)) == kNone && ssa_.kind(v) != Ssa::Kind::Entry;
    leaf.interval = ranges_.of(v).asUnsigned();
    return leaf;
  }

  // What the instruction of `v` gives: under a guard that is not the value.
  Leaf resultLeaf(ValueId v) const {
    Leaf leaf = valueLeaf(v);
    if (ssa_.old(v) != kNone) leaf.key.offset = LeafKey::kBeforeGuard;
    return leaf;
  }

  FormId opaque(ValueId v) { return forms_.ofLeaf(forms_.intern(valueLeaf(v)), bitsOf(v)); }

  // One of several: the address may be any of them (C3.3.9).
  FormId merged(const Leaf& leaf, std::vector<FormId> sources) {
    const LeafId id = forms_.intern(leaf);
    if (areFewAndStable(sources)) forms_.setAlternatives(id, {sources, kNone});
    pointers_.addUnion(id, std::move(sources), 0);
    return forms_.ofLeaf(id, leaf.key.bits);
  }

  bool areFewAndStable(const std::vector<FormId>& forms) const {
    return forms.size() <= LinearForms::kMostAlternatives &&
           std::ranges::all_of(forms, [&](FormId form) { return forms_.isStable(form); });
  }

  // ---- values -----------------------------------------------------------------------------------

  FormId evaluate(ValueId v) {
    const ValueRange& range = ranges_.of(v);
    if (range.isConstant()) return forms_.constant(range.lowest, range.bits);
    if (ssa_.kind(v) == Ssa::Kind::Entry) return opaque(v);
    if (ssa_.isPhi(v)) return ofPhi(v);

    const ValueId old = ssa_.old(v);
    const FormId result = ofInstruction(v);
    if (old == kNone) return result == kNone ? opaque(v) : result;
    // docs/soundness/ D6.4
    const FormId before = formOfValue_[old];
    if (result == kNone || before == kNone) return opaque(v);
    return result == before ? result : merged(valueLeaf(v), {result, before});
  }

  // kNone: nothing is known.
  FormId ofInstruction(ValueId v) {
    const Instruction& instruction = ssa_.instruction(v);
    const Operand* const target = ssa_.operand(v);
    if (target == nullptr || target->component != 0 || target->reads ||
        !instruction.desc->known()) {
      return kNone;
    }
    if (const FormId parameter = ofParameter(v, instruction, *target); parameter != kNone) {
      return parameter;
    }
    if (isConstantLoad(instruction)) {
      Leaf leaf = resultLeaf(v);
      leaf.stable = leaf.uniform = true;
      return forms_.ofLeaf(forms_.intern(leaf), bitsOf(v));
    }
    if (isBroadcast(instruction) && ssa_.instructions().of(instruction) < beforeAnyEnd_) {
      // Of a number that all threads of the warp have it is that number.
      const FormId form = ofSource(instruction, *instruction.operand(1), bitsOf(v));
      const bool isOfAll =
          form != kNone && (forms_.isUniform(form) ||
                            (rowsAreWholeWarps(ranges_.shape()) && isOfWarp(forms_, form)));
      return isOfAll ? form : kNone;
    }
    if (!isPureInteger(instruction)) return kNone;
    if (target == instruction.operand(0)) {
      const FormId linear = ofArithmetic(v, instruction);
      if (linear != kNone && forms_.form(linear).bits == bitsOf(v) &&
          forms_.form(linear).terms.size() <= kMostTerms) {
        return linear;
      }
    }
    return ofOperation(v, instruction, *target);
  }

  // ld.param of the entry: the same bytes are the same number, everywhere and always.
  FormId ofParameter(ValueId v, const Instruction& instruction, const Operand& target) {
    const isa::InstructionDesc& form = *instruction.desc;
    const Operand* address = instruction.operand(1);
    if (form.opcode != Opcode::Ld || !function_.isEntry() || address == nullptr ||
        address->kind != OperandKind::Address || address->base != ir::AddressBase::Symbol ||
        function_.symbolAt(address->symbol()).kind != ir::SymbolKind::Parameter ||
        address->immediate < 0 || address->immediate > INT32_MAX) {
      return kNone;
    }
    const unsigned bits = static_cast<unsigned>(isa::bitWidth(form.type));
    if (bits == 0 || bits > bitsOf(v) || (bits < bitsOf(v) && isa::isSigned(form.type))) {
      return kNone;
    }
    const Operand* const first = instruction.operand(0);
    const auto element = first->isGroup() ? &target - (first + 1) : 0;
    Leaf leaf;
    leaf.key = {LeafKind::Parameter, static_cast<std::uint8_t>(bits),
                static_cast<std::uint32_t>(address->symbol()),
                static_cast<std::uint32_t>(address->immediate + element * (bits / 8))};
    leaf.stable = leaf.uniform = true;
    leaf.interval = ValueRange::all(bits).asUnsigned();
    return forms_.ofLeaf(forms_.intern(leaf), bitsOf(v));
  }

  // ld.const at an address that is the same for all threads, always.
  bool isConstantLoad(const Instruction& instruction) {
    const Operand* address = instruction.operand(1);
    if (instruction.desc->opcode != Opcode::Ld || instruction.desc->space != isa::Space::Const ||
        address == nullptr || address->kind != OperandKind::Address) {
      return false;
    }
    if (address->base == ir::AddressBase::Symbol) return true;
    if (address->base != ir::AddressBase::Register) return false;
    const FormId form = formOfValue_[ssa_.use(instruction, *address)];
    return form != kNone && forms_.isUniform(form);
  }

  // ---- sources ----------------------------------------------------------------------------------

  FormId ofSource(const Instruction& instruction, const Operand& operand, unsigned bits) {
    switch (operand.kind) {
      case OperandKind::Register: {
        if (operand.component != 0 || operand.negated) return kNone;
        const ValueId v = ssa_.use(instruction, operand);
        const FormId form = v == kNone ? kNone : formOfValue_[v];
        if (form == kNone || forms_.form(form).bits < bits) return kNone;
        return forms_.truncate(form, bits);
      }
      case OperandKind::Integer:
        return forms_.constant(static_cast<std::uint64_t>(operand.immediate), bits);
      case OperandKind::Symbol:
        return formOfSymbol(function_, operand, bits, runsOnce_, forms_);
      case OperandKind::SpecialRegister:
        return ofSpecial(operand, bits);
      default:
        return kNone;
    }
  }

  FormId ofSpecial(const Operand& operand, unsigned bits) {
    const std::optional<SpecialName> name = specialName(function_, operand);
    if (!name) return kNone;
    const isa::SpecialRegister& row = isa::specialRegisters()[name->index];
    if (row.variation == isa::Variation::Volatile) return kNone;
    const auto rowBits = static_cast<unsigned>(isa::bitWidth(row.type));
    if (rowBits == 0) return kNone;
    const ValueRange range = ranges_.ofSpecial(*name, rowBits);
    if (range.isConstant()) return forms_.constant(range.lowest, bits);
    Leaf leaf;
    leaf.key = {LeafKind::Special, static_cast<std::uint8_t>(rowBits),
                name->index * 4 + name->component, 0};
    leaf.stable = true;
    leaf.uniform = row.variation == isa::Variation::Uniform;
    leaf.interval = range.asUnsigned();
    return forms_.ofLeaf(forms_.intern(leaf), bits);
  }

  // ---- arithmetic -------------------------------------------------------------------------------

  FormId add(FormId a, FormId b) { return a == kNone || b == kNone ? kNone : forms_.add(a, b); }
  FormId multiply(FormId a, FormId b) {
    return a == kNone || b == kNone ? kNone : forms_.multiply(a, b);
  }

  FormId ofArithmetic(ValueId v, const Instruction& instruction) {
    const isa::InstructionDesc& form = *instruction.desc;
    const auto bits = static_cast<unsigned>(isa::bitWidth(form.type));
    if (form.has(".sat")) return kNone;
    const auto source = [&](std::size_t k, unsigned width) {
      const Operand* operand = instruction.operand(k);
      return operand == nullptr ? kNone : ofSource(instruction, *operand, width);
    };
    const auto range = [&](std::size_t k, unsigned width) {
      return ranges_.ofOperand(instruction, *instruction.operand(k), width);
    };
    switch (form.opcode) {
      case Opcode::Mov:
        if (instruction.operand(1)->kind == OperandKind::Vector) {
          return ofPair(instruction, *instruction.operand(1));
        }
        return source(1, bits);
      case Opcode::Add:
        return add(source(1, bits), source(2, bits));
      case Opcode::Sub: {
        const FormId b = source(2, bits);
        return b == kNone ? kNone : add(source(1, bits), forms_.scale(b, ~std::uint64_t{0}));
      }
      case Opcode::Neg: {
        const FormId a = source(1, bits);
        return a == kNone ? kNone : forms_.scale(a, ~std::uint64_t{0});
      }
      case Opcode::Not: {
        // -a - 1
        const FormId a = source(1, bits);
        return a == kNone ? kNone
                          : add(forms_.scale(a, ~std::uint64_t{0}),
                                forms_.constant(~std::uint64_t{0}, bits));
      }
      case Opcode::Mul:
        return product(instruction, bits);
      case Opcode::Mul24: {
        // Of numbers of 23 bits it is the product.
        const auto isShort = [&](std::size_t k) {
          const ValueRange known = range(k, bits);
          return known.bits != 0 && known.highest < std::uint64_t{1} << 23;
        };
        if (!form.has(".lo") || !isShort(1) || !isShort(2)) return kNone;
        return multiply(source(1, bits), source(2, bits));
      }
      case Opcode::Mad: {
        const FormId factor = product(instruction, bits);
        return factor == kNone ? kNone : add(factor, source(3, forms_.form(factor).bits));
      }
      case Opcode::Shl: {
        // Clamped: docs/soundness/ B17.
        const ValueRange amount = range(2, 32);
        const FormId a = source(1, bits);
        if (a == kNone || !amount.isConstant()) return kNone;
        return amount.lowest >= bits ? forms_.constant(0, bits)
                                     : forms_.scale(a, std::uint64_t{1} << amount.lowest);
      }
      case Opcode::And: {
        // A mask that clears nothing.
        for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
          const ValueRange mask = range(3 - k, bits);
          const ValueRange masked = range(k, bits);
          const std::uint64_t mayBeOne = residue(~masked.zeros, bits);
          if (mask.bits != 0 && (mayBeOne & ~mask.ones) == 0) return source(k, bits);
          if (!mask.isConstant()) continue;
          const FormId low = extensions_.lowPart(source(k, bits), mask.lowest, instruction.block);
          if (low != kNone) return low;
        }
        return kNone;
      }
      case Opcode::Or:
      case Opcode::Xor: {
        // A sum where no bit can be set on both sides.
        const ValueRange a = range(1, bits);
        const ValueRange b = range(2, bits);
        if (residue(~a.zeros & ~b.zeros, bits) != 0) return kNone;
        return add(source(1, bits), source(2, bits));
      }
      case Opcode::Cvt: {
        const auto from = static_cast<unsigned>(isa::bitWidth(form.sourceType));
        const FormId a = source(1, from);
        if (a == kNone) return kNone;
        const FormId result = bits <= from
                                  ? forms_.truncate(a, bits)
                                  : extensions_.widened(a, bits, isa::isSigned(form.sourceType),
                                                        range(1, from), instruction.block);
        // A narrow result is extended to its register.
        if (bits == bitsOf(v)) return result;
        return extensions_.widened(
            result, bitsOf(v), isa::isSigned(form.type),
            resizedRange(range(1, from), bits, isa::isSigned(form.sourceType)), instruction.block);
      }
      case Opcode::Cvta:
        return ofCvta(instruction, bits);
      case Opcode::Selp: {
        const FormId a = source(1, bits);
        const FormId b = source(2, bits);
        if (a == kNone || b == kNone) return kNone;
        return a == b ? a : merged(resultLeaf(v), {a, b});
      }
      default:
        return kNone;
    }
  }

  static ValueRange resizedRange(const ValueRange& range, unsigned bits, bool isSigned) {
    const Interval known = isSigned ? range.asSigned() : range.asUnsigned();
    const ValueRange all = ValueRange::all(bits);
    const Interval fits = all.asUnsigned();
    if (known.isBounded() && fits.contains(known.lowest) && fits.contains(known.highest)) {
      return ValueRange::between(static_cast<std::uint64_t>(known.lowest),
                                 static_cast<std::uint64_t>(known.highest), bits);
    }
    return all;
  }

  // mov.b64 d, {low, high} with a high part of 0.
  FormId ofPair(const Instruction& instruction, const Operand& group) {
    const std::span<const Operand> parts = ir::members(group);
    const auto bits = static_cast<unsigned>(isa::bitWidth(instruction.desc->type));
    if (parts.size() != 2) return kNone;
    const ValueRange high = ranges_.ofOperand(instruction, parts[1], bits / 2);
    const FormId low = ofSource(instruction, parts[0], bits / 2);
    if (low == kNone || !high.isConstant() || high.lowest != 0) return kNone;
    return extensions_.widened(low, bits, false, ranges_.ofOperand(instruction, parts[0], bits / 2),
                               instruction.block);
  }

  // Of the first two sources of mul and mad.
  FormId product(const Instruction& instruction, unsigned bits) {
    const isa::InstructionDesc& form = *instruction.desc;
    const Operand& left = *instruction.operand(1);
    const Operand& right = *instruction.operand(2);
    const FormId a = ofSource(instruction, left, bits);
    const FormId b = ofSource(instruction, right, bits);
    if (a == kNone || b == kNone) return kNone;
    if (form.has(".lo")) return forms_.multiply(a, b);
    if (!form.has(".wide")) return kNone;
    const bool isSigned = isa::isSigned(form.type);
    return forms_.multiply(
        extensions_.widened(a, 2 * bits, isSigned, ranges_.ofOperand(instruction, left, bits),
                            instruction.block),
        extensions_.widened(b, 2 * bits, isSigned, ranges_.ofOperand(instruction, right, bits),
                            instruction.block));
  }

  FormId ofCvta(const Instruction& instruction, unsigned bits) {
    const isa::InstructionDesc& form = *instruction.desc;
    const FormId a = ofSource(instruction, *instruction.operand(1), bits);
    if (a == kNone || form.space == isa::Space::None) return kNone;
    if (form.has(".to") && form.space == isa::Space::Global) notePointer(a);
    Leaf leaf;
    leaf.key = {LeafKind::GenericBase, 64, static_cast<std::uint32_t>(form.space), 0};
    leaf.stable = leaf.uniform = true;
    leaf.interval.lowest = 0;
    const FormId base = forms_.ofLeaf(forms_.intern(leaf), bits);
    return form.has(".to") ? forms_.subtract(a, base) : forms_.add(a, base);
  }

  // A parameter, and a number at most, that is a generic address (C10.13).
  void notePointer(FormId id) {
    const LinearForm form = forms_.form(id);
    if (form.bits != 64 || form.terms.size() != 1 || form.terms[0].coefficient != 1) return;
    const LeafId leaf = form.terms[0].leaf;
    if (forms_.leaf(leaf).key.kind == LeafKind::Parameter) pointers_.notePointer(leaf);
  }

  // A pure instruction that is not linear: equal sources, equal results.
  FormId ofOperation(ValueId v, const Instruction& instruction, const Operand& target) {
    const isa::InstructionDesc& form = *instruction.desc;
    std::vector<FormId> sources;
    for (const Operand& operand : instruction.operands()) {
      if (operand.writes || operand.kind == OperandKind::Vector) continue;
      // A number may be of another width than the type: an amount of a shift, the addend of
      // mad.wide.  So it keeps all of its bits.
      unsigned bits = static_cast<unsigned>(isa::bitWidth(form.type));
      if (operand.kind == OperandKind::Register) bits = registerBits(operand);
      if (operand.kind == OperandKind::Integer) bits = 64;
      const FormId source = bits == 0 ? kNone : ofSource(instruction, operand, bits);
      if (source == kNone) return kNone;
      sources.push_back(source);
    }
    Leaf leaf = valueLeaf(v);
    const auto isStable = [&](FormId source) { return forms_.isStable(source); };
    const auto isUniform = [&](FormId source) { return forms_.isUniform(source); };
    leaf.stable = std::ranges::all_of(sources, isStable);
    leaf.uniform = std::ranges::all_of(sources, isUniform);
    const auto result = static_cast<std::uint32_t>(&target - instruction.operands().data());
    const LeafId id = forms_.internOperation(leaf, {&form, sources, result});
    const std::optional<unsigned> low = changesOnlyBitsBelow(instruction, bitsOf(v));
    pointers_.addOperation(id, std::move(sources), low.value_or(bitsOf(v)), bitsOf(v));
    return forms_.ofLeaf(id, bitsOf(v));
  }

  unsigned registerBits(const Operand& operand) const {
    const ir::RegisterRange& range = function_.rangeOf(operand.reg());
    const int bits = isa::bitWidth(range.type);
    return range.vectorWidth == 1 && bits <= 64 ? static_cast<unsigned>(bits) : 0;
  }

  // and, or, xor of an address, first, with something that leaves all bits from k on as they are
  // (C3.3.5).
  std::optional<unsigned> changesOnlyBitsBelow(const Instruction& instruction,
                                               unsigned bits) const {
    const Opcode opcode = instruction.desc->opcode;
    if (opcode != Opcode::And && opcode != Opcode::Or && opcode != Opcode::Xor) {
      return std::nullopt;
    }
    const ValueRange mask = ranges_.ofOperand(instruction, *instruction.operand(2), bits);
    const std::uint64_t kept = opcode == Opcode::And ? mask.ones : mask.zeros;
    return static_cast<unsigned>(std::bit_width(residue(~kept, bits)));
  }

  // ---- phis -------------------------------------------------------------------------------------

  FormId ofPhi(ValueId phi) {
    const FormId induction = inductions_.of(phi);
    if (induction != kNone && forms_.form(induction).terms.size() <= kMostTerms) return induction;
    // Equal on every way in.  An operand that is not evaluated yet comes around a loop.
    std::vector<FormId> sources;
    std::vector<ValueId> later;
    for (const ValueId operand : ssa_.phiOperands(phi)) {
      if (operand == kNone || operand == phi) continue;
      const FormId form = formOfValue_[operand];
      if (form == kNone) {
        later.push_back(operand);
      } else if (std::ranges::find(sources, form) == sources.end()) {
        sources.push_back(form);
      }
    }
    if (later.empty() && sources.size() == 1) return sources.front();
    const LeafId leaf = forms_.intern(valueLeaf(phi));
    if (later.empty() && areFewAndStable(sources)) {
      forms_.setAlternatives(leaf, {sources, kNone});
    } else if (areFewAndStable(sources)) {
      openPhis_.push_back(phi);
    }
    pointers_.addUnion(leaf, std::move(sources), 0, std::move(later));
    return forms_.ofLeaf(leaf, bitsOf(phi));
  }

  const Ssa& ssa_;
  const Cfg& cfg_;
  const ir::Function& function_;
  const ValueRanges& ranges_;
  const Loops& loops_;
  LinearForms& forms_;
  PointerSources& pointers_;
  const bool runsOnce_;
  const std::uint32_t beforeAnyEnd_;
  BitSet needed_;
  std::vector<ValueId> openPhis_;
  std::vector<FormId> formOfValue_;
  InductionVariables inductions_;
  Extensions extensions_;
};

}  // namespace

FormId formOfSymbol(const ir::Function& function, const Operand& operand, unsigned bits,
                    bool runsOnce, LinearForms& forms) {
  const ir::Symbol& symbol = function.symbolAt(operand.symbol());
  if (symbol.kind != ir::SymbolKind::Variable && symbol.kind != ir::SymbolKind::Parameter) {
    return kNone;
  }
  const isa::Space space = symbol.variable->space;
  if (!isSymbolic(space)) return kNone;
  Leaf leaf;
  leaf.key = {LeafKind::Symbol, 64, static_cast<std::uint32_t>(operand.symbol()), 0};
  // Every thread has its own .local; its address need not be the same number everywhere.
  const bool isLocal = space == isa::Space::Local;
  leaf.stable = !isLocal || runsOnce;
  leaf.uniform = !isLocal && symbol.kind == ir::SymbolKind::Variable;
  leaf.interval.lowest = 0;
  if (space == isa::Space::Shared) leaf.interval.highest = kSharedWindow - 1;
  Term term{forms.intern(leaf), 1};
  return forms.make(bits, static_cast<std::uint64_t>(operand.immediate), std::span(&term, 1));
}

std::vector<FormId> formsOfValues(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops,
                                  bool runsOnce, LinearForms& forms, PointerSources& pointers) {
  return Evaluator(ssa, ranges, loops, runsOnce, forms, pointers).run();
}

}  // namespace ptxopt::analysis
