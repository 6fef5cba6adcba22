// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/pointers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/memory/open_shared.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using State = PointerSet::State;

// docs/soundness/ C3.3.5.  The size of dynamic shared memory is unknown.
bool keepsObject(const MemoryBase& base, unsigned lowBits) {
  if (lowBits == 0) return true;
  if (base.kind != MemoryBase::Kind::Variable || lowBits >= 32) return false;
  const std::uint64_t unit = std::uint64_t{1} << lowBits;
  const ir::Variable& variable = *base.variable;
  return variable.size != 0 && variable.size % unit == 0 && variable.alignment % unit == 0 &&
         variable.alignment != 0;
}

MemoryBase baseOf(const ir::Variable& variable) {
  MemoryBase base;
  base.spaces = variable.space;
  // Every unsized .extern of shared memory is the same object; what one with a size names may have
  // another declaration (C3.3.8).
  const bool isExtern =
      variable.space == isa::Space::Shared && variable.linkage == ir::Linkage::Extern;
  // One declaration of several variables.
  if (variable.isParametrised || (isExtern && variable.size != 0) || isOpenShared(variable)) {
    return base;
  }
  base.variable = &variable;
  base.kind = isExtern ? MemoryBase::Kind::DynamicShared : MemoryBase::Kind::Variable;
  return base;
}

// No variable is part of it, so it may be an address or a number.
bool mayBeNumber(const PointerSet& set) {
  return set.state == State::Unknown ||
         (set.state == State::Some && std::ranges::all_of(set.bases, [](const PointerBase& base) {
            return base.base.kind == MemoryBase::Kind::Parameter;
          }));
}
bool isCertain(const PointerSet& set) {
  return set.state == State::Some && std::ranges::all_of(set.bases, &PointerBase::isCertain);
}

// Wider than 32 bits, like generic addresses and those of global memory.
bool isWide(const Leaf& leaf) {
  const Interval narrow{0, std::int64_t{UINT32_MAX}};
  return leaf.key.bits == 64 &&
         !(leaf.interval.isBounded() && narrow.contains(leaf.interval.lowest) &&
           narrow.contains(leaf.interval.highest));
}

// `.param .u64 .ptr .global p`
bool isDeclaredPointer(const ir::Variable& parameter) {
  constexpr std::string_view kPointer = ".ptr";
  const std::size_t at = parameter.attributes.find(kPointer);
  if (at == std::string_view::npos) return false;
  const std::string_view after = parameter.attributes.substr(at + kPointer.size());
  return after.empty() || after.find_first_of(" \t\r\n.") == 0;
}

}  // namespace

void PointerSources::add(Entry entry) {
  const std::uint32_t number = index_.of(entry.leaf);
  if (number == kNone) {
    index_.set(entry.leaf, static_cast<std::uint32_t>(entries_.size()));
    entries_.push_back(std::move(entry));
    return;
  }
  Entry& known = entries_[number];
  const auto addNew = [](auto& all, const auto& more) {
    for (const auto id : more) {
      if (std::ranges::find(all, id) == all.end()) all.push_back(id);
    }
  };
  addNew(known.forms, entry.forms);
  addNew(known.values, entry.values);
  known.lowBits = std::max(known.lowBits, entry.lowBits);
  known.firstBit = std::min(known.firstBit, entry.firstBit);
  known.loses |= entry.loses;
}

Pointers::Pointers(const ir::Function& function, const LinearForms& forms,
                   const IdVector<ValueId, FormId>& formOfValue, const PointerSources& sources)
    : function_(&function), forms_(&forms), formOfValue_(formOfValue), sources_(&sources) {
  const std::span<const PointerSources::Entry> entries = sources.entries();
  made_.assign(entries.size(), PointerSet{State::Unset, {}});
  bool changed = true;
  for (std::size_t round = 0; changed; ++round) {
    changed = false;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      PointerSet& slot = made_[k];
      if (slot.state == State::Lost) continue;
      PointerSet now = made(entries[k]);
      if (now == slot) continue;
      slot = reaches(round, Limit::PointerRounds) ? PointerSet::lost() : std::move(now);
      changed = true;
    }
  }
  // The values of a cycle that depend only on each other.
  for (PointerSet& set : made_) {
    if (set.state == State::Unset) set.state = State::None;
  }
}

namespace {

// The pointers of a value that is one of the two.
PointerSet joined(PointerSet a, const PointerSet& b, unsigned lowBits) {
  if (a.state == State::Lost || b.state == State::Unset) return a;
  if (b.state == State::Lost) return b;
  const auto isPointer = [](const PointerSet& set) {
    return set.state == State::Some && !mayBeNumber(set);
  };
  // A value that is an address only on some paths has no object.
  PointerSet either = isPointer(a) || isPointer(b) ? PointerSet::lost() : PointerSet::unknown();
  if (a.state == State::Unset) {
    a.state = b.state;
  } else if (a.state != b.state) {
    return either;
  }
  for (const PointerBase& base : b.bases) {
    if (!keepsObject(base.base, lowBits)) return either;
    if (std::ranges::find(a.bases, base) != a.bases.end()) continue;
    if (reaches(a.bases.size(), Limit::MemoryBases)) return either;
    a.bases.push_back(base);
  }
  return a;
}

// The pointers of a value computed from `source` and from the sources of `all`.
PointerSet computed(const PointerSet& all, const PointerSet& source) {
  if (all.state == State::Lost || source.state == State::Unset) return all;
  if (source.state == State::None) return all.state == State::Unset ? source : all;
  return mayBeNumber(source) ? PointerSet::unknown() : PointerSet::lost();
}

}  // namespace

const PointerSources::Entry* Pointers::sourceOf(LeafId leaf) const {
  const std::uint32_t entry = sources_->entryOf(leaf);
  return entry == kNone ? nullptr : &sources_->entries()[entry];
}

PointerSet Pointers::made(const PointerSources::Entry& entry) const {
  PointerSet all{State::Unset, {}};
  const auto add = [&](const PointerSet& one) {
    all = entry.loses ? computed(all, one) : joined(std::move(all), one, entry.lowBits);
  };
  for (const FormId form : entry.forms) add(of(form));
  for (const ValueId value : entry.values) {
    const FormId form = formOfValue_[value];
    add(form == FormId::None ? PointerSet::unknown() : of(form));
  }
  const Leaf& leaf = forms_->leaf(entry.leaf);
  if (all.state == State::Unknown && !isWide(leaf)) return PointerSet::none();
  // For example, a value put together from two halves.
  const bool isMade = leaf.key.kind == LeafKind::Operation && isWide(leaf);
  return all.state == State::None && isMade ? PointerSet::unknown() : all;
}

PointerSet Pointers::ofParameter(LeafId id) const {
  const LeafKey& key = forms_->leaf(id).key;
  if (key.bits != 64) return PointerSet::none();
  const ir::Variable& variable = *function_->symbolAt(ir::SymbolId{key.id}).variable;
  const bool isCertain = isDeclaredPointer(variable) || sources_->isPointer(id);
  return {State::Some,
          {{{MemoryBase::Kind::Parameter, isa::Space::Global, &variable, key.offset},
            isa::Space::None,
            isCertain}}};
}

PointerSet Pointers::ofLeaf(LeafId id) const {
  const Leaf& leaf = forms_->leaf(id);
  if (const std::uint32_t entry = sources_->entryOf(id); entry != kNone) return made_[entry];
  switch (leaf.key.kind) {
    case LeafKind::Symbol: {
      const ir::Symbol& symbol = function_->symbolAt(ir::SymbolId{leaf.key.id});
      return {State::Some, {{baseOf(*symbol.variable), isa::Space::None}}};
    }
    case LeafKind::Parameter:
      return ofParameter(id);
    case LeafKind::Product:
      for (const LeafId factor : forms_->factors(leaf)) {
        const PointerSet one = ofLeaf(factor);
        if (one.state != State::None && !mayBeNumber(one)) return PointerSet::lost();
      }
      return PointerSet::none();
    case LeafKind::GenericBase:
    case LeafKind::Iteration:
      return PointerSet::none();
    default:
      return isWide(leaf) ? PointerSet::unknown() : PointerSet::none();
  }
}

namespace {

// Collects the terms of a sum that determine where it points.
class PointerSum {
 public:
  explicit PointerSum(unsigned bits) : bits_(bits) {}

  // False if the sum is lost.
  bool add(const Leaf& leaf, std::int64_t coefficient, PointerSet set) {
    if (set.state == State::None || mayBeNumber(set)) {
      addNumber(leaf, coefficient, std::move(set));
      return true;
    }
    if (set.state == State::Lost || coefficient != 1 || pointer_.state != State::None) return false;
    pointer_ = std::move(set);
    return true;
  }
  // The offset that cvta adds or subtracts.
  bool addWindow(isa::Space space, std::int64_t coefficient) {
    // A generic address of global memory equals the global address.
    isGlobal_ |= space == isa::Space::Global;
    if (space == isa::Space::Global) return true;
    isa::Space& slot = coefficient == 1 ? window_ : closed_;
    if ((coefficient != 1 && coefficient != -1) || slot != isa::Space::None) return false;
    slot = space;
    return true;
  }

  PointerSet result() && {
    if (window_ != isa::Space::None && closed_ != isa::Space::None) return PointerSet::lost();
    if (pointer_.state == State::None) return ofNumbers();
    // A variable or a number, together with another term that may be the pointer instead.
    const bool isInDoubt = !isCertain(pointer_) && certain_ + others_ != 0;
    return isInDoubt || !passWindows() ? PointerSet::lost() : std::move(pointer_);
  }

 private:
  void addNumber(const Leaf& leaf, std::int64_t coefficient, PointerSet set) {
    if (!mayBeAddress(set, leaf.key.kind, coefficient)) return;
    if (coefficient != 1) set = PointerSet::unknown();
    const bool isSure = isCertain(set);
    ++(isSure ? certain_ : others_);
    if (isSure || certain_ == 0) candidate_ = std::move(set);
  }

  // The term may be an address or a part of one.  A number that is multiplied is not, except where
  // halves are put together or taken apart.
  bool mayBeAddress(const PointerSet& set, LeafKind kind, std::int64_t coefficient) const {
    if (bits_ < 64) return false;
    constexpr std::int64_t kUpperHalf = std::int64_t{1} << 32;
    if (coefficient >= kUpperHalf || coefficient <= -kUpperHalf) return true;
    return set.state != State::None && (coefficient == 1 || kind == LeafKind::Operation);
  }

  PointerSet unknownIn(isa::Space space) const {
    return {State::Some, {{{MemoryBase::Kind::Unknown, space, nullptr, 0}, window_}}};
  }

  // For a sum without a variable.
  PointerSet ofNumbers() {
    if (window_ != isa::Space::None) return unknownIn(window_);
    if (closed_ != isa::Space::None) return unknownIn(closed_);
    // With several terms that are or may be pointers, it is unknown which one is.
    const bool isOne = certain_ == 1 || (certain_ == 0 && others_ <= 1);
    if (!isOne) candidate_ = PointerSet::unknown();
    const bool isKnown = candidate_.state == State::Some;
    return isGlobal_ && !isKnown ? unknownIn(isa::Space::Global) : std::move(candidate_);
  }

  bool passWindows() {
    for (PointerBase& base : pointer_.bases) {
      if (closed_ != isa::Space::None) {
        if (base.window != closed_) return false;
        base.window = isa::Space::None;
      }
      if (window_ != isa::Space::None) {
        if (base.window != isa::Space::None || !base.base.spaces.isOnly(window_)) return false;
        base.window = window_;
      }
    }
    return true;
  }

  unsigned bits_;
  PointerSet pointer_ = PointerSet::none();    // with a variable
  PointerSet candidate_ = PointerSet::none();  // without a variable: perhaps the pointer
  unsigned certain_ = 0;                       // number of candidates that are certain
  unsigned others_ = 0;
  isa::Space window_ = isa::Space::None;
  isa::Space closed_ = isa::Space::None;  // the window that cvta.to subtracts
  bool isGlobal_ = false;
};

}  // namespace

PointerSet Pointers::of(FormId id) const {
  const LinearForm form = forms_->form(id);
  PointerSum sum(form.bits);
  for (const Term& term : form.terms) {
    const Leaf& leaf = forms_->leaf(term.leaf);
    const std::int64_t coefficient = signedResidue(term.coefficient, form.bits);
    if (leaf.key.kind == LeafKind::GenericBase) {
      const isa::Space space{static_cast<std::uint8_t>(leaf.key.id)};
      if (!sum.addWindow(space, coefficient)) return PointerSet::lost();
      continue;
    }
    PointerSet one = ofLeaf(term.leaf);
    if (one.state == State::Unset) return one;
    if (!sum.add(leaf, coefficient, std::move(one))) return PointerSet::lost();
  }
  return std::move(sum).result();
}

}  // namespace ptxopt::analysis
