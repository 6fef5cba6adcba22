// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/address.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "analysis/addresses/access_conditions.h"
#include "analysis/addresses/operand_forms.h"
#include "analysis/addresses/pointers.h"
#include "analysis/addresses/value_forms.h"
#include "analysis/memory/memory_effects.h"
#include "ir/effect.h"
#include "ir/module.h"
#include "isa/async_role.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

struct Shape {
  isa::Space space = isa::Space::None;  // None: generic
  std::uint32_t size = 0;
};

constexpr std::uint32_t kMbarrierBytes = 8;
constexpr std::uint32_t kTensorMapBytes = 128;
// Swizzles of one address, one in the other.
constexpr unsigned kBitOperations = 4;

// State space and size of the k-th address operand.
Shape shapeOf(const Instruction& instruction, std::size_t k) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const int bits = isa::bitWidth(desc.type);
  Shape shape;
  shape.space = desc.space;
  if (desc.isAccess() && k == 0 && bits > 0) {
    shape.size = static_cast<std::uint32_t>(bits) / 8 * desc.vectorWidth;
  }
  // A row of eight 16-bit elements.
  if (desc.is(isa::kCollective) && desc.has(".m8n8")) shape.size = 16;
  if (desc.is(isa::kCopy) || desc.has(".cp_fenceproxy")) {
    std::size_t seen = 0;
    shape.space = isa::Space::Shared;  // of an mbarrier after the two
    for (const std::string_view word : desc.qualifiers) {
      const std::optional<isa::Space> space = isa::parseSpace(word);
      // The place in global memory is a list, a tensor map and coordinates.
      if (desc.has(".tensor") && space == isa::Space::Global) continue;
      if (space && seen++ == k) shape.space = *space;
    }
    // The third operand is the size, but that of a tensor copy is in the tensor map, and what is
    // out of bounds may be ignored on both sides of it.
    const Operand* const size = instruction.operand(2);
    const bool isSized = !desc.has(".tensor") && !desc.has(".ignore_oob") && size != nullptr &&
                         size->kind == OperandKind::Integer;
    if (k < 2 && isSized) shape.size = static_cast<std::uint32_t>(size->immediate);
    const std::size_t mbarrier = desc.has(".tensor") ? 1 : 2;
    if (desc.has(".mbarrier::complete_tx::bytes") && k == mbarrier) shape.size = kMbarrierBytes;
  }
  const isa::AsyncRole role = isa::asyncRoleOf(desc);
  const bool isMbarrier = role == isa::AsyncRole::Init || isa::isOnMbarrier(role);
  if (isMbarrier && role != isa::AsyncRole::CopyIn) shape.size = kMbarrierBytes;
  if (role == isa::AsyncRole::TensorAlloc) shape.size = 4;
  if (desc.has(".b1024")) shape.size = kTensorMapBytes;
  return shape;
}

}  // namespace

class Addresses::AccessBuilder {
 public:
  AccessBuilder(Addresses& out, const ValueRanges& ranges, const Pointers& pointers, bool runsOnce)
      : out_(out),
        ssa_(*out.ssa_),
        forms_(out.forms_),
        pointers_(pointers),
        conditions_(ssa_, ranges, forms_, out.formOfValue_),
        runsOnce_(runsOnce) {}

  void run() {
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
    const isa::InstructionDesc& desc = *instruction.desc;
    return desc.known() && (desc.is(isa::kMemoryRead) || desc.is(isa::kMemoryWrite)) &&
           ssa_.cfg().isReachable(instruction.block);
  }

  // T, or a wait for copies, of one thread and not of its warp.
  bool maySynchroniseAlone(const Instruction& instruction) const {
    if (instruction.desc->known() && ir::isUnordered(instruction.desc->effect)) return false;
    const MemoryEffect effect = memoryEffectOf(instruction);
    return (effect.marks == kOpaqueSync || effect.poll != MemoryEffect::Poll::None ||
            effect.completesCopies) &&
           !instruction.desc->is(isa::kConvergent) && ssa_.cfg().isReachable(instruction.block);
  }

  void noteExecutor(std::uint32_t number, const Instruction& instruction) {
    Access access;
    access.origin = &out_;
    access.instruction = &instruction;
    conditions_.collect(access);
    const auto isPinned = [](const Interval& id) { return id.isSingle(); };
    if (access.electionMask != 0 || !access.zeros.empty() ||
        std::ranges::all_of(access.thread, isPinned)) {
      out_.executors_.emplace(number, std::move(access));
    }
  }

  // Of an asynchronous operation, which names .shared::cluster for its own shared memory too: a
  // variable there is that of the CTA itself, and mapa makes addresses that are of no variable.
  static bool isOfOneCta(const Instruction& instruction, isa::Space named) {
    return named == isa::Space::SharedCluster &&
           isa::isOnMbarrier(isa::asyncRoleOf(*instruction.desc));
  }

  // In shared memory.
  bool isOfVariable(const Instruction& instruction, const Operand& operand) {
    const FormId form = formOf(instruction, operand, isa::Space::Shared);
    if (form == FormId::None) return false;
    const PointerSet pointer = pointers_.of(forms_.opened(form));
    return pointer.state == PointerSet::State::Some &&
           std::ranges::all_of(pointer.bases, [](const PointerBase& one) {
             return one.window == isa::Space::None && one.base.kind != MemoryBase::Kind::Unknown &&
                    one.base.spaces.isOnly(isa::Space::Shared);
           });
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
      Shape shape = shapeOf(instruction, k++);
      if (isOfOneCta(instruction, shape.space) && isOfVariable(instruction, operand)) {
        shape.space = isa::Space::Shared;
      }
      if (isParameterSpace(shape.space)) continue;
      Access& access = out_.accesses_.emplace_back();
      access.origin = &out_;
      access.instruction = &instruction;
      access.operand = &operand;
      access.size = shape.size;
      access.isCollective = instruction.desc->is(isa::kCollective);
      access.address = formOf(instruction, operand, shape.space);
      if (access.address != FormId::None) access.address = forms_.opened(access.address);
      access.window = shape.space == isa::Space::Global ? isa::Space::None : shape.space;
      setBases(access, shape.space);
      const bool isGeneric = shape.space == isa::Space::None;
      const bool isInWindow = isGeneric && access.spaces.isOnly(isa::Space::Shared) &&
                              enterWindow(access, isa::Space::Shared);
      conditions_.collect(access);
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
        return isFar ? FormId::None
                     : formOfSymbol(ssa_.cfg().function(), operand, bits, runsOnce_, forms_);
      case ir::AddressBase::Register: {
        const ValueId value = ssa_.use(instruction, operand);
        FormId base = out_.formOfValue_[value];
        if (base == FormId::None || (isFar && forms_.form(base).bits > 32)) return FormId::None;
        if (forms_.form(base).bits > bits) base = narrow(value, bits);
        return forms_.plus(base, offset);
      }
    }
    return FormId::None;
  }

  // Several addresses are made of one value, as a rule.
  FormId narrow(ValueId value, unsigned bits) {
    if (narrow_.empty()) narrow_.assign(out_.formOfValue_.size(), FormId::None);
    FormId& known = narrow_[value];
    if (known == FormId::None) known = forms_.truncate(out_.formOfValue_[value], bits);
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
      const FormId number = isExtended && key.bits == bits ? forms_.truncate(key.extended(), bits)
                                                           : forms_.ofLeaf(term.leaf, bits);
      inside = forms_.add(inside, forms_.scale(number, term.coefficient));
    }
    if (!isFound) return false;
    access.address = inside;
    access.window = space;
    return true;
  }

  void addVariants(Access& access, isa::Space named) {
    if (access.address == FormId::None || access.isCollective) return;
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
      if (exceeds(addresses.size(), Limit::Alternatives)) return;
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
    if (alternatives.round == LeafId::None) return true;
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
        access.address == FormId::None ? PointerSet::none() : pointers_.of(access.address);
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

  // ---- bytes ------------------------------------------------------------------------------------

  void setBytes(Access& access) const {
    if (access.address == FormId::None || access.size == 0 || access.bases.size() != 1 ||
        access.bases[0].kind == MemoryBase::Kind::Unknown) {
      return;
    }
    const std::optional<Offset> offset = offsetOf(access.address, access, kBitOperations);
    if (offset) access.bytes = offset->bounds + Interval{0, std::int64_t{access.size} - 1};
  }

  // Of an address relative to a base.
  struct Offset {
    Interval bounds;
    unsigned zeros = 0;  // so many low bits are 0
  };

  // Relative to the only base of the access; `nesting`: of operations on bits.
  std::optional<Offset> offsetOf(FormId address, const Access& access, unsigned nesting) const {
    const LinearForm form = forms_.form(address);
    Interval bounds = Interval::of(signedResidue(form.constant, form.bits));
    std::uint64_t multiples = form.constant;  // of the lowest bit that is set in it
    bool hasBase = false;
    for (const Term& term : form.terms) {
      const LeafKind kind = forms_.leaf(term.leaf).key.kind;
      if (kind == LeafKind::GenericBase) continue;
      if (term.coefficient == 1 && isBase(term.leaf, access.bases[0])) {
        hasBase = true;
        continue;
      }
      if (term.coefficient == 1 && !hasBase) {
        if (const auto block = offsetInBlock(term.leaf, access, nesting)) {
          bounds = bounds + block->bounds;
          multiples |= std::uint64_t{1} << block->zeros;
          hasBase = true;
          continue;
        }
      }
      bounds = bounds + intervalOf(access, term.leaf) * signedResidue(term.coefficient, form.bits);
      multiples |= term.coefficient;
    }
    // So small that two of them that differ by a multiple of the ring cannot be.
    const Interval half{-(std::int64_t{1} << (form.bits - 2)), std::int64_t{1} << (form.bits - 2)};
    const bool isKnown = hasBase && bounds.isBounded() && !bounds.isEmpty() &&
                         bounds.lowest >= half.lowest && bounds.highest <= half.highest;
    if (!isKnown) return std::nullopt;
    return Offset{bounds,
                  std::min(static_cast<unsigned>(std::countr_zero(multiples)), form.bits - 1u)};
  }

  // Of an address of which an operation has changed only low bits, by which it stays in its block
  // of that size: the variable begins with such a block (docs/soundness/ C3.3.5).
  std::optional<Offset> offsetInBlock(LeafId leaf, const Access& access, unsigned nesting) const {
    const PointerSources::Entry* const made = pointers_.sourceOf(leaf);
    const bool isOperation = nesting != 0 && access.bases[0].kind == MemoryBase::Kind::Variable &&
                             made != nullptr && !made->loses && made->lowBits != 0 &&
                             made->forms.size() == 1 && made->values.empty();
    if (!isOperation) return std::nullopt;
    const std::optional<Offset> offset = offsetOf(made->forms[0], access, nesting - 1);
    if (!offset) return std::nullopt;
    const std::int64_t block = (std::int64_t{1} << made->lowBits) - 1;
    const unsigned zeros = std::min(offset->zeros, made->firstBit);
    const std::int64_t unit = (std::int64_t{1} << zeros) - 1;
    return Offset{{offset->bounds.lowest & ~block, (offset->bounds.highest | block) & ~unit},
                  zeros};
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

  Addresses& out_;
  const Ssa& ssa_;
  LinearForms& forms_;
  const Pointers& pointers_;
  AccessConditions conditions_;
  const bool runsOnce_;
  IdVector<ValueId, FormId> narrow_;  // its form in a narrow window, once asked for
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

}  // namespace ptxopt::analysis
