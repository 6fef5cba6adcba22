// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims about accesses: `points-to` for every access; `bounds`, `compare` and `leader` for
// conditions that hold when it is executed; and `disjoint` for pairs, as alias.h decides, or
// AccessClasses if it compares the threads of a block of known shape one by one.
#include <cstdint>

#include "analysis/addresses/access_classes.h"
#include "analysis/addresses/alias.h"
#include "analysis/memory/address_objects.h"
#include "analysis/memory/memory_effects.h"
#include "audit/families.h"

namespace ptxopt::audit {

namespace {

using analysis::Access;
using analysis::AliasRule;
using analysis::Assumption;
using analysis::FormId;
using analysis::MemoryBase;
using ir::Instruction;
using ir::Operand;

facts::Bounds boundsOf(const Interval& interval) {
  return {interval.lowest, interval.highest};
}

// The enumeration exists in both folders.
static_assert(static_cast<int>(facts::Comparison::UnsignedGreaterEqual) ==
              static_cast<int>(analysis::Comparison::UnsignedGreaterEqual));
static_assert(static_cast<int>(facts::Threads::Any) == static_cast<int>(analysis::Threads::Any));

facts::Base baseOf(const MemoryBase& base) {
  facts::Base result;
  switch (base.kind) {
    case MemoryBase::Kind::Unknown:
      result.kind = facts::Base::Kind::Unknown;
      for (unsigned k = 0; k <= static_cast<unsigned>(isa::Space::Tex); ++k) {
        const isa::Space space{static_cast<std::uint8_t>(k)};
        if (base.spaces.contains(space)) result.spaces.push_back(space);
      }
      return result;
    case MemoryBase::Kind::Variable:
      result.kind = facts::Base::Kind::Variable;
      result.symbol = base.variable->symbol;
      return result;
    case MemoryBase::Kind::DynamicShared:
      result.kind = facts::Base::Kind::DynamicShared;
      return result;
    case MemoryBase::Kind::Parameter:
      result.kind = facts::Base::Kind::Parameter;
      result.symbol = base.variable->symbol;
      result.offset = base.offset;
      return result;
  }
  return result;
}

class AccessCollector {
 public:
  AccessCollector(const Subject& subject, const analysis::TextPlaces& places, const Forms& forms,
                  const CollectOptions& options)
      : subject_(subject),
        forms_(forms),
        options_(options),
        ssa_(places.ssa()),
        addresses_(subject.get<analysis::Addresses>()) {
    const auto& assumed = subject.get<analysis::Assumptions>();
    assumptions_.noaliasParams = assumed.has(Assumption::NoaliasParams);
    assumptions_.noaliasVariables = assumed.has(Assumption::NoaliasVariables);
    assumptions_.flatShared = assumed.flatShared;
  }

  void run() {
    for (const Access& access : addresses_.all()) {
      claimPointsTo(access);
      claimAddress(access);
    }
    for (std::uint32_t n = 0; n < ssa_.instructions().count(); ++n) {
      const Instruction& instruction = ssa_.instructions()[n];
      if (!ssa_.cfg().isReachable(instruction.block)) continue;
      // Conditions for executing an instruction are the same for all of its addresses.
      const std::span<const Access> accesses = addresses_.of(instruction);
      const Access* const any =
          accesses.empty() ? addresses_.executorOf(instruction) : accesses.data();
      if (any != nullptr) claimConditions(*any);
      for (const Access& access : accesses) claimRestrictions(access);
    }
    claimObjects();
    claimDisjoint();
  }

 private:
  // The number of the operand among the addresses of the instruction, not counting those in lists.
  static facts::AddressOperand operandOf(const Instruction& instruction, const Operand& address) {
    std::uint32_t number = 0;
    const Operand* listEnd = nullptr;
    for (const Operand& operand : instruction.operands()) {
      if (operand.kind == ir::OperandKind::AddressList) listEnd = &operand + operand.extent();
      if (operand.kind != ir::OperandKind::Address || (listEnd != nullptr && &operand < listEnd)) {
        continue;
      }
      if (&operand == &address) break;
      ++number;
    }
    return {instruction.source.begin, number};
  }
  static facts::AddressOperand operandOf(const Access& access) {
    return operandOf(*access.instruction, *access.operand);
  }
  analysis::Point pointOf(const Instruction& instruction) const {
    return ssa_.instructions().of(instruction);
  }

  // ---- objects and bytes ------------------------------------------------------------------------

  void claimPointsTo(const Access& access) const {
    facts::PointsTo claim{operandOf(access), {}, boundsOf(access.bytes)};
    for (const MemoryBase& base : access.bases) claim.bases.push_back(baseOf(base));
    subject_.claim("address", std::move(claim));
    if (access.variants.empty()) return;
    // The access has one of these variants each time.
    facts::PointsTo any{operandOf(access), {}, {}};
    Interval bytes{0, -1};
    for (const Access& variant : access.variants) {
      for (const MemoryBase& base : variant.bases) {
        const facts::Base known = baseOf(base);
        if (std::ranges::find(any.bases, known) == any.bases.end()) any.bases.push_back(known);
      }
      bytes = hull(bytes, variant.bytes);
    }
    if (any.bases.size() == 1) any.bytes = boundsOf(bytes);
    subject_.claim("address-variants", std::move(any));
  }

  void claimAddress(const Access& access) const {
    if (access.address == FormId::None || access.operand->base != ir::AddressBase::Register) return;
    std::optional<facts::Form> form = forms_.at(pointOf(*access.instruction), access.address);
    if (!form) return;
    form->constant -= static_cast<std::uint64_t>(access.operand->immediate);
    if (form->bits < 64) form->constant &= (std::uint64_t{1} << form->bits) - 1;
    const bool isInWindow =
        access.instruction->desc->space == isa::Space::None && access.window != isa::Space::None;
    if (isInWindow) {
      facts::Leaf window;
      window.kind = facts::Leaf::Kind::Window;
      window.space = access.window;
      form->terms.push_back({1, std::move(window)});
    }
    const facts::Value value =
        analysis::TextPlaces::before(*access.instruction, access.operand->reg());
    subject_.claim("address", facts::EqualsForm{value, std::move(*form)});
  }

  // The results of the analysis of objects, which does not use values
  // (analysis/memory/address_objects.h).
  void claimObjects() const {
    const auto& assumed = subject_.get<analysis::Assumptions>();
    const analysis::AddressObjects objects(subject_.function(), assumed.flatShared);
    for (std::uint32_t n = 0; n < ssa_.instructions().count(); ++n) {
      const Instruction& instruction = ssa_.instructions()[n];
      if (!ssa_.cfg().isReachable(instruction.block)) continue;
      const analysis::MemoryEffect effect = memoryEffectOf(instruction, assumed);
      for (const analysis::MemoryAccess& access : effect.all()) {
        if (access.address == nullptr || access.address->kind != ir::OperandKind::Address) continue;
        const analysis::Place place = objects.placeOf(*access.address, access.domain);
        if (place.object == nullptr) continue;
        // The object for all dynamic shared memory has no name.
        facts::Base base;
        base.symbol = place.object->symbol;
        base.kind = base.symbol == ir::SymbolId::None ? facts::Base::Kind::DynamicShared
                                                      : facts::Base::Kind::Variable;
        subject_.claim("address-objects",
                       facts::PointsTo{operandOf(instruction, *access.address), {base}, {}});
      }
    }
  }

  // ---- conditions for executing an access -------------------------------------------------------

  void claimBounds(const Instruction& instruction, facts::Form form, const Interval& bounds) const {
    subject_.claim("address", facts::FormInBounds{instruction.source.begin, std::move(form),
                                                  boundsOf(bounds)});
  }

  void claimConditions(const Access& access) const {
    const Instruction& instruction = *access.instruction;
    for (unsigned k = 0; k < access.thread.size(); ++k) {
      const Interval all{0, std::int64_t{addresses_.shape().most[k]} - 1};
      if (access.thread[k] == all) continue;
      facts::Leaf leaf;
      leaf.kind = facts::Leaf::Kind::Special;
      leaf.special = threadId();
      leaf.component = static_cast<std::uint8_t>(k);
      claimBounds(instruction, {64, 0, {{1, std::move(leaf)}}}, access.thread[k]);
    }
    for (const FormId zero : access.zeros) {
      std::optional<facts::Form> form = forms_.at(pointOf(instruction), zero);
      if (form) claimBounds(instruction, std::move(*form), Interval::of(0));
    }
    if (access.electionMask != 0) {
      subject_.claim("elected-leaders",
                     facts::Leader{instruction.source.begin, access.electionMask});
    }
  }

  // Ranges of the leaves of its address.
  void claimRestrictions(const Access& access) const {
    const Instruction& instruction = *access.instruction;
    for (const auto& [leaf, interval] : access.restrictions) {
      std::optional<facts::Form> form = forms_.ofLeafAt(pointOf(instruction), leaf);
      if (form) claimBounds(instruction, std::move(*form), interval);
    }
    for (const Access::Test& test : access.tests) {
      std::optional<facts::Form> left = forms_.at(pointOf(instruction), test.left);
      std::optional<facts::Form> right = forms_.at(pointOf(instruction), test.right);
      if (!left || !right) continue;
      subject_.claim("address", facts::FormsCompare{
                                    instruction.source.begin, std::move(*left), std::move(*right),
                                    static_cast<facts::Comparison>(test.comparison)});
    }
  }

  static std::uint32_t threadId() {
    const auto row =
        std::ranges::find(isa::specialRegisters(), "%tid", &isa::SpecialRegister::name);
    return static_cast<std::uint32_t>(row - isa::specialRegisters().begin());
  }

  // ---- pairs ------------------------------------------------------------------------------------

  static bool mayWrite(const Access& access) {
    return access.instruction->desc->is(isa::kMemoryWrite);
  }

  // In the order of the text, each access also with itself; one of the two may write.
  void claimDisjoint() {
    const std::span<const Access> all = addresses_.all();
    std::uint64_t count = 0;
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = a; b < all.size(); ++b) count += isPair(all[a], all[b]) ? 1 : 0;
    }
    analysis::AccessClasses classes(analysis::Precision::Affine, false, assumptions_);
    std::uint64_t seen = 0;
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = a; b < all.size(); ++b) {
        if (!isPair(all[a], all[b])) continue;
        // Takes the k-th pair if k * pairs / count reaches the next integer.
        const std::uint64_t k = seen++;
        const bool isTaken = count <= options_.pairs ||
                             k * options_.pairs / count != (k + 1) * options_.pairs / count;
        if (isTaken) claimDisjoint(all[a], all[b], classes);
      }
    }
  }

  static bool isPair(const Access& a, const Access& b) { return mayWrite(a) || mayWrite(b); }

  void claimDisjoint(const Access& a, const Access& b, analysis::AccessClasses& classes) const {
    const auto claim = [&](facts::Threads threads, std::string_view by) {
      subject_.claim(by, facts::Disjoint{operandOf(a), operandOf(b), threads});
    };
    const auto areDisjoint = [&](facts::Threads threads) {
      return disjoint(a, b, static_cast<analysis::Threads>(threads), assumptions_) !=
             AliasRule::None;
    };
    constexpr std::string_view kAlias = "alias";
    if (areDisjoint(facts::Threads::Any)) return claim(facts::Threads::Any, kAlias);
    if (areDisjoint(facts::Threads::Same)) claim(facts::Threads::Same, kAlias);
    if (areDisjoint(facts::Threads::Different)) return claim(facts::Threads::Different, kAlias);
    if (areSeparate(a, b, classes, analysis::Relation::TwoThreads)) {
      return claim(facts::Threads::Different, "thread-addresses");
    }
    if (areDisjoint(facts::Threads::DifferentWarps)) {
      return claim(facts::Threads::DifferentWarps, kAlias);
    }
    if (areSeparate(a, b, classes, analysis::Relation::TwoWarps)) {
      claim(facts::Threads::DifferentWarps, "thread-addresses");
    }
  }

  static bool areSeparate(const Access& a, const Access& b, analysis::AccessClasses& classes,
                          analysis::Relation relation) {
    const analysis::AccessKinds kinds = analysis::kRead | analysis::kWrite;
    const auto above = classes.keyOf(kinds, {}, &a);
    const auto below = classes.keyOf(kinds, {}, &b);
    return above && below &&
           classes.separation(classes.of(*above), classes.of(*below), relation) != AliasRule::None;
  }

  const Subject& subject_;
  const Forms& forms_;
  const CollectOptions& options_;
  const analysis::Ssa& ssa_;
  const analysis::Addresses& addresses_;
  analysis::AliasAssumptions assumptions_;
};

}  // namespace

void collectAccesses(const Subject& subject, const analysis::TextPlaces& places, const Forms& forms,
                     const CollectOptions& options) {
  AccessCollector(subject, places, forms, options).run();
}

}  // namespace ptxopt::audit
