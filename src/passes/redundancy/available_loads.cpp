// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/available_loads.h"

#include <algorithm>
#include <utility>

#include "ir/effect.h"
#include "support/limits.h"
#include "support/residue.h"

namespace ptxopt::passes {

using ir::Operand;
using ir::OperandKind;

namespace {

// Larger offsets may wrap around, so their differences are not distances in bytes (D4.1).
bool isFar(std::int64_t offset) {
  constexpr std::int64_t kFar = std::int64_t{1} << 29;
  return offset < -kFar || offset > kFar;
}

}  // namespace

AvailableLoads::AvailableLoads(const SsaRewrite& rewrite, const ExpressionKeys& keys,
                               AsyncWrites copies, bool ncIsInvariant, MemoryWalk* walk,
                               const analysis::ValueRanges* ranges)
    : rewrite_(rewrite),
      keys_(keys),
      copies_(std::move(copies)),
      ncIsInvariant_(ncIsInvariant),
      walk_(walk),
      ranges_(ranges),
      bases_(rewrite.ssa().valueCount()) {
  for (const ValueId value : bases_.ids()) bases_[value].id = indexOf(value);
}

// ---- addresses ---------------------------------------------------------------------------------

void AvailableLoads::noteAddress(const ir::Instruction& instruction) {
  const analysis::Ssa& ssa = rewrite_.ssa();
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto operands = instruction.operands();
  if (instruction.guard || operands.empty() || !operands[0].isWholeRegister()) return;
  const int bits = isa::bitWidth(desc.type);
  const isa::Type registerType = rewrite_.function().rangeOf(operands[0].reg()).type;
  if ((bits != 32 && bits != 64) || isa::bitWidth(registerType) != bits) return;
  const ValueId defined = ssa.definition(instruction, operands[0]);
  Base& base = bases_[defined];
  if (desc.opcode == isa::Opcode::Mov && operands.size() == 2 &&
      operands[1].kind == OperandKind::Symbol) {
    base = {BaseKind::Symbol, operands[1].id, operands[1].immediate};
    return;
  }
  const bool adds = desc.opcode == isa::Opcode::Add && desc.qualifiers.size() == 1 &&
                    !isa::isFloat(desc.type) && operands.size() == 3;
  if (!adds) return;
  const bool isFirst = operands[1].isWholeRegister() && operands[2].kind == OperandKind::Integer;
  const bool isSecond = operands[2].isWholeRegister() && operands[1].kind == OperandKind::Integer;
  if (!isFirst && !isSecond) return;
  const Operand& from = operands[isFirst ? 1 : 2];
  const std::int64_t number = operands[isFirst ? 2 : 1].immediate;
  base = baseOf(rewrite_.resolve(ssa.use(instruction, from)));
  base.offset += bits == 32 ? static_cast<std::int32_t>(number) : number;
  if (isFar(base.offset)) base = {BaseKind::Value, indexOf(defined), 0};
}

AvailableLoads::Base AvailableLoads::baseOf(ValueId value) const {
  const Base& own = bases_[value];
  if (own.kind != BaseKind::Value || own.id != indexOf(value)) return own;
  return bases_[keys_.leaderOf(value)];
}

AvailableLoads::Base AvailableLoads::baseOf(const ir::Instruction& instruction,
                                            const Operand& address) const {
  if (address.base == ir::AddressBase::Symbol) {
    return {BaseKind::Symbol, address.id, address.immediate};
  }
  Base base = baseOf(rewrite_.resolve(rewrite_.ssa().use(instruction, address)));
  base.offset += address.immediate;
  return base;
}

AvailableLoads::Bytes AvailableLoads::bytesOf(const ir::Instruction& instruction,
                                              const PlainAccess& access,
                                              std::uint32_t element) const {
  Bytes bytes{access.space, baseOf(instruction, *access.address), access.elementBytes};
  bytes.base.offset += std::int64_t{element} * access.elementBytes;
  return bytes;
}

AvailableLoads::Bytes AvailableLoads::allBytesOf(const ir::Instruction& instruction,
                                                 const PlainAccess& access) const {
  Bytes bytes = bytesOf(instruction, access, 0);
  bytes.size *= access.elements;
  return bytes;
}

bool AvailableLoads::covers(const Bytes& a, const Bytes& b) {
  return a.space == b.space && a.base.kind == b.base.kind && a.base.id == b.base.id &&
         a.base.offset <= b.base.offset && b.base.offset + b.size <= a.base.offset + a.size;
}

// Inside a variable that has no other name.
bool AvailableLoads::isObject(const Bytes& bytes) const {
  if (bytes.base.kind != BaseKind::Symbol) return false;
  const ir::Symbol& symbol = rewrite_.function().symbolAt(ir::SymbolId{bytes.base.id});
  if (symbol.kind != ir::SymbolKind::Variable || symbol.variable->isParametrised) return false;
  const ir::Linkage linkage = symbol.variable->linkage;
  if (linkage != ir::Linkage::None && linkage != ir::Linkage::Visible) return false;
  const std::int64_t end = bytes.base.offset + bytes.size;
  return bytes.base.offset >= 0 && end <= static_cast<std::int64_t>(symbol.variable->size);
}

bool AvailableLoads::mayOverlap(const Bytes& a, const Bytes& b) const {
  const bool areGeneric = a.space == isa::Space::None || b.space == isa::Space::None;
  if (!areGeneric && a.space != b.space) return false;
  const bool sameBase = a.base.kind == b.base.kind && a.base.id == b.base.id;
  if (sameBase && a.space == b.space && !isFar(a.base.offset) && !isFar(b.base.offset)) {
    return a.base.offset < b.base.offset + b.size && b.base.offset < a.base.offset + a.size;
  }
  return sameBase || !isObject(a) || !isObject(b);
}

// ---- the walk ----------------------------------------------------------------------------------

void AvailableLoads::goBack(const Mark& mark, bool sameExtendedBlock) {
  table_.undoTo(mark.known);
  facts_.resize(mark.known);
  stores_.resize(mark.stores);
  outer_ = sameExtendedBlock ? mark.outer : next_++;
  local_ = sameExtendedBlock ? mark.local : next_++;
}

void AvailableLoads::pass(const ir::Instruction& instruction) {
  using isa::Effect;
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto forgetAll = [&] {
    outer_ = next_++;
    local_ = next_++;
  };
  switch (ir::effectOf(instruction)) {
    case Effect::Neutral:
    case Effect::NeutralFrozen:
    case Effect::ImmutableRead:
    case Effect::InvariantRead:
      return;
    case Effect::Private:
      // Parameters of calls, and volatile accesses.
      if (desc.space == isa::Space::Local) local_ = next_++;
      return;
    case Effect::Weak:
      // Loads of other shapes have no effect; other stores may write anything.
      if (desc.is(isa::kMemoryWrite) || !desc.is(isa::kMemoryRead)) forgetAll();
      return;
    case Effect::Pin:
      // Reading a clock invalidates nothing (D1.7); after a sleep, a thread must read again (D1.6).
      if (desc.effect != Effect::Neutral) outer_ = next_++;
      return;
    case Effect::AsyncCopy:
      return;  // it writes nothing that is tracked (D1.18)
    case Effect::CtaFence:
    case Effect::AsyncWait:
    case Effect::CtaBarrier:
    case Effect::WarpBarrier:
      outer_ = next_++;
      return;
    default:
      forgetAll();
      return;
  }
}

bool AvailableLoads::isTracked(const PlainAccess& access) {
  return !copies_.mayReach(access.space, *access.address);
}

void AvailableLoads::makeKey(const Bytes& bytes, std::uint32_t extension) {
  key_ = {static_cast<std::uint64_t>(bytes.space) << 40 |
              static_cast<std::uint64_t>(bytes.base.kind) << 36 | bytes.base.id,
          static_cast<std::uint64_t>(bytes.base.offset),
          std::uint64_t{extension} << 32 | bytes.size};
}

namespace {

// How a register with this many bits is extended.
std::uint32_t extension(int registerBits, bool isSigned) {
  return static_cast<std::uint32_t>(registerBits) << 1 | std::uint32_t{isSigned};
}
// Values of .nc loads, which may be stale, are only used for other .nc loads.
constexpr std::uint32_t kNonCoherent = 1u << 31;
// A number that was stored, which loads of either sign extend (docs/soundness/ D1.16).
constexpr std::uint32_t kStoredNumber = 1u << 30;

// A load may become a `mov` of a number: it extends as its type says, and there is such a `mov`.
bool takesNumber(const PlainAccess& access, int registerBits) {
  if (access.isNonCoherent) return false;
  const int bits = static_cast<int>(access.elementBytes) * 8;
  const bool isNumber = registerBits == 16 || registerBits == 32 || registerBits == 64;
  return isNumber && (registerBits == bits || (registerBits > bits && !isa::isFloat(access.type)));
}

}  // namespace

std::uint32_t AvailableLoads::extensionOf(const PlainAccess& access, const Operand& data) const {
  const int bits = isa::bitWidth(rewrite_.function().rangeOf(data.reg()).type);
  const std::uint32_t proxy = access.isNonCoherent ? kNonCoherent : 0;
  if (bits == static_cast<int>(access.elementBytes) * 8) return proxy;
  return proxy | extension(bits, isa::isSigned(access.type));
}

std::optional<AvailableLoads::Known> AvailableLoads::find(const ir::Instruction& instruction,
                                                          const PlainAccess& access,
                                                          std::uint32_t element) {
  const Operand& data = access.data[element];
  if (!isTracked(access) || !data.isWholeRegister()) return std::nullopt;
  const Bytes bytes = bytesOf(instruction, access, element);
  makeKey(bytes, extensionOf(access, data));
  if (const auto known = findByKey(instruction, access, bytes)) return known;
  const int bits = isa::bitWidth(rewrite_.function().rangeOf(data.reg()).type);
  if (!hasNumbers_ || !takesNumber(access, bits)) return std::nullopt;
  makeKey(bytes, kStoredNumber);
  auto known = findByKey(instruction, access, bytes);
  if (known && isa::isSigned(access.type)) {
    const std::int64_t extended = signedResidue(known->number, access.elementBytes * 8);
    known->number = residue(static_cast<std::uint64_t>(extended), static_cast<unsigned>(bits));
  }
  return known;
}

// With the key at hand.
std::optional<AvailableLoads::Known> AvailableLoads::findByKey(const ir::Instruction& instruction,
                                                               const PlainAccess& access,
                                                               const Bytes& bytes) {
  const std::uint32_t found = table_.find(key_);
  if (found == ScopedTable::kNothing) return std::nullopt;
  const Fact& fact = facts_[found];
  if (fact.guard != ValueId::None) {
    if (!instruction.guard || instruction.guard.negated() != fact.isNegated) return std::nullopt;
    if (keys_.leaderOf(rewrite_.resolve(rewrite_.ssa().guard(instruction))) != fact.guard) {
      return std::nullopt;
    }
  }
  const bool isInExtendedBlock = fact.outer == outer_ && fact.local == local_;
  Known known{fact.value,        fact.number,        fact.isStored,
              isInExtendedBlock, !isInExtendedBlock, access.space == isa::Space::Local};
  if (access.isImmutable || isUnchanged(fact, access, bytes)) return known;
  if (access.isNonCoherent && ncIsInvariant_) {
    known.needsInvariance = true;
    return known;
  }
  if (walk_ == nullptr) return std::nullopt;
  const MemoryWalk::Answer answer =
      walk_->ask(*fact.instruction, instruction, access, [&](const ir::Instruction& change) {
        const PlainAccess store = plainAccess(rewrite_.function(), change);
        return store.kind != PlainAccess::Kind::Store ||
               mayOverlap(allBytesOf(change, store), bytes);
      });
  if (answer == MemoryWalk::Answer::Changed) return std::nullopt;
  known.isOwn = walk_->isOwnMemory(instruction, access);
  known.isAfterCall = answer == MemoryWalk::Answer::UnchangedByCalls;
  return known;
}

// No later store of this extended basic block may have overwritten the bytes.
bool AvailableLoads::isUnchanged(const Fact& fact, const PlainAccess& access,
                                 const Bytes& bytes) const {
  const bool sameOuter = fact.outer == outer_;
  const bool sameLocal = fact.local == local_;
  if (access.space == isa::Space::Local ? !sameLocal : !sameOuter) return false;
  if (access.space == isa::Space::None && !sameLocal) return false;
  if (exceeds(stores_.size() - fact.stores, Limit::StoresBetween)) return false;
  for (std::size_t k = fact.stores; k < stores_.size(); ++k) {
    if (mayOverlap(stores_[k], bytes)) return false;
  }
  return true;
}

void AvailableLoads::enter(const ir::Instruction& instruction, const PlainAccess& access,
                           ValueId value, std::uint32_t element, bool isStored) {
  enter(instruction, bytesOf(instruction, access, element),
        extensionOf(access, access.data[element]), value, isStored);
}

void AvailableLoads::enter(const ir::Instruction& instruction, const Bytes& bytes,
                           std::uint32_t extension, ValueId value, bool isStored,
                           std::uint64_t number) {
  makeKey(bytes, extension);
  Fact fact{value,         number, outer_,   local_,      stores_.size(),
            ValueId::None, false,  isStored, &instruction};
  if (instruction.guard) {
    fact.guard = keys_.leaderOf(rewrite_.resolve(rewrite_.ssa().guard(instruction)));
    fact.isNegated = instruction.guard.negated();
  }
  table_.insert(key_, static_cast<std::uint32_t>(facts_.size()));
  facts_.push_back(fact);
}

// An operand that is a number, or a register that is wider than the bytes and holds one.
void AvailableLoads::enterNumber(const ir::Instruction& instruction, const PlainAccess& access,
                                 std::uint32_t element, const KnownNumbers& numbers) {
  if (access.elementBytes > sizeof(std::uint64_t)) return;
  const Operand& data = access.data[element];
  const auto number = data.isWholeRegister() ? numbers.of(rewrite_.ssa().use(instruction, data))
                                             : ir::bitsOf(data, access.type);
  if (!number) return;
  hasNumbers_ = true;
  enter(instruction, bytesOf(instruction, access, element), kStoredNumber, ValueId::None, true,
        residue(*number, access.elementBytes * 8));
}

// Narrower loads at the address of the store (PTX is little-endian) give the stored number, if it
// fits.
void AvailableLoads::enterNarrower(const ir::Instruction& instruction, const PlainAccess& access,
                                   std::uint32_t element) {
  const Operand& data = access.data[element];
  const int bits = isa::bitWidth(rewrite_.function().rangeOf(data.reg()).type);
  const bool isNumber = bits == 16 || bits == 32 || bits == 64;
  if (!isNumber) return;
  const analysis::ValueRange range =
      ranges_->at(rewrite_.ssa().use(instruction, data), instruction.block);
  if (range.bits != bits) return;
  const ValueId value = rewrite_.resolve(rewrite_.ssa().use(instruction, data));
  Bytes bytes = bytesOf(instruction, access, element);
  for (std::uint32_t size = 1;
       size <= access.elementBytes && size * 8 < static_cast<unsigned>(bits); size *= 2) {
    bytes.size = size;
    const std::uint64_t half = std::uint64_t{1} << (size * 8 - 1);
    if (range.highest < 2 * half) enter(instruction, bytes, extension(bits, false), value, true);
    const bool fitsSigned = range.signedLowest >= -static_cast<std::int64_t>(half) &&
                            range.signedHighest < static_cast<std::int64_t>(half);
    if (fitsSigned) enter(instruction, bytes, extension(bits, true), value, true);
  }
}

void AvailableLoads::noteLoad(const ir::Instruction& instruction, const PlainAccess& access) {
  if (!isTracked(access)) return;
  for (std::uint32_t k = 0; k < access.elements; ++k) {
    const Operand& data = access.data[k];
    if (!data.isWholeRegister() || !access.isUsed(k)) continue;
    enter(instruction, access, rewrite_.ssa().definition(instruction, data), k, false);
  }
}

void AvailableLoads::noteStore(const ir::Instruction& instruction, const PlainAccess& access,
                               const KnownNumbers& numbers) {
  for (std::uint32_t k = 0; k < access.elements; ++k) {
    stores_.push_back(bytesOf(instruction, access, k));
  }
  if (!isTracked(access) || instruction.guard) return;
  for (std::uint32_t k = 0; k < access.elements; ++k) {
    const Operand& data = access.data[k];
    const bool isRegister = data.isWholeRegister();
    if (isRegister && ranges_ != nullptr) enterNarrower(instruction, access, k);
    if (!isRegister || extensionOf(access, data) != 0) {
      enterNumber(instruction, access, k, numbers);
    } else {
      enter(instruction, access, rewrite_.resolve(rewrite_.ssa().use(instruction, data)), k, true);
    }
  }
}

}  // namespace ptxopt::passes
