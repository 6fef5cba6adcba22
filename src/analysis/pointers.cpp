#include "analysis/pointers.h"

#include <algorithm>
#include <utility>

namespace ptxopt::analysis {

namespace {

using State = PointerSet::State;

constexpr int kMostRounds = 12;

// docs/soundness.md C3.3.5.  The size of dynamic shared memory is not known.
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
  // Several variables under one declaration.
  if (variable.isParametrised) return base;
  base.variable = &variable;
  // Every unsized .extern is the same object (C3.3.8).
  const bool isDynamic = variable.space == isa::Space::Shared &&
                         variable.linkage == ir::Linkage::Extern && variable.size == 0;
  base.kind = isDynamic ? MemoryBase::Kind::DynamicShared : MemoryBase::Kind::Variable;
  return base;
}

// Parameters may as well be numbers, so alone they make nothing a pointer.
bool isParametersOnly(const PointerSet& set) {
  return set.state == State::Some && std::ranges::all_of(set.bases, [](const PointerBase& base) {
           return base.base.kind == MemoryBase::Kind::Parameter;
         });
}

}  // namespace

void PointerSources::add(Entry entry) {
  const auto [at, isNew] = index_.try_emplace(entry.leaf, entries_.size());
  if (isNew) {
    entries_.push_back(std::move(entry));
    return;
  }
  Entry& known = entries_[at->second];
  const auto addNew = [](auto& all, const auto& more) {
    for (const auto id : more) {
      if (std::ranges::find(all, id) == all.end()) all.push_back(id);
    }
  };
  addNew(known.forms, entry.forms);
  addNew(known.values, entry.values);
  known.lowBits = std::max(known.lowBits, entry.lowBits);
  known.loses |= entry.loses;
}

Pointers::Pointers(const ir::Function& function, const LinearForms& forms,
                   std::span<const FormId> formOfValue, const PointerSources& sources)
    : function_(&function), forms_(&forms), formOfValue_(formOfValue) {
  for (const PointerSources::Entry& entry : sources.entries()) {
    made_.try_emplace(entry.leaf, PointerSet{State::Unset, {}});
  }
  bool changed = true;
  for (int round = 0; changed; ++round) {
    changed = false;
    for (const PointerSources::Entry& entry : sources.entries()) {
      PointerSet now = made(entry);
      PointerSet& slot = made_[entry.leaf];
      if (slot.state == State::Lost || now == slot) continue;
      slot = round < kMostRounds ? std::move(now) : PointerSet::lost();
      changed = true;
    }
  }
  // Values that come from nowhere but each other.
  for (auto& [leaf, set] : made_) {
    if (set.state == State::Unset) set.state = State::None;
  }
}

PointerSet Pointers::made(const PointerSources::Entry& entry) const {
  PointerSet all{State::Unset, {}};
  const auto add = [&](PointerSet one) {
    if (one.state == State::Unset || all.state == State::Lost) return;
    if (isParametersOnly(one) && (entry.loses || all.state == State::None)) {
      one = PointerSet::none();
    }
    if (one.state == State::None && isParametersOnly(all)) all = PointerSet::none();
    const bool isPointer = one.state != State::None;
    // A number or a pointer: that is neither.
    const bool isMixed = all.state != State::Unset && (all.state != State::None) != isPointer;
    if (one.state == State::Lost || (isMixed && !entry.loses) || (isPointer && entry.loses)) {
      all = PointerSet::lost();
      return;
    }
    if (all.state == State::Unset) all.state = one.state;
    for (const PointerBase& base : one.bases) {
      if (std::ranges::find(all.bases, base) != all.bases.end()) continue;
      if (!keepsObject(base.base, entry.lowBits) || all.bases.isFull()) {
        all = PointerSet::lost();
        return;
      }
      all.bases.push_back(base);
    }
  };
  for (const FormId form : entry.forms) add(of(form));
  for (const ValueId value : entry.values) {
    const FormId form = formOfValue_[value];
    add(form == kNone ? PointerSet::none() : of(form));
  }
  return all;
}

PointerSet Pointers::ofLeaf(LeafId id) const {
  const Leaf& leaf = forms_->leaf(id);
  if (const auto at = made_.find(id); at != made_.end()) return at->second;
  PointerSet found = PointerSet::none();
  if (leaf.key.kind == LeafKind::Symbol) {
    const ir::Symbol& symbol = function_->symbolAt(ir::SymbolId{leaf.key.id});
    found = {State::Some, {{baseOf(*symbol.variable), isa::Space::None}}};
  } else if (leaf.key.kind == LeafKind::Parameter && leaf.key.bits == 64) {
    const ir::Symbol& symbol = function_->symbolAt(ir::SymbolId{leaf.key.id});
    found = {State::Some,
             {{{MemoryBase::Kind::Parameter, isa::Space::Global, symbol.variable, leaf.key.offset},
               isa::Space::None}}};
  } else if (leaf.key.kind == LeafKind::Product) {
    for (const LeafId factor : forms_->list(leaf)) {
      const PointerSet one = ofLeaf(factor);
      if (one.state == State::None || isParametersOnly(one)) continue;
      found = PointerSet::lost();
    }
  }
  return found;
}

PointerSet Pointers::of(FormId id) const {
  const Form form = forms_->form(id);
  PointerSet pointer = PointerSet::none();
  PointerSet parameter = PointerSet::none();  // where it is the only one
  std::size_t parameters = 0;
  isa::Space window = isa::Space::None;
  isa::Space closed = isa::Space::None;  // the window that cvta.to takes away
  bool isGlobal = false;
  for (const Term& term : form.terms) {
    const Leaf& leaf = forms_->leaf(term.leaf);
    const std::int64_t coefficient = signedResidue(term.coefficient, form.bits);
    if (leaf.key.kind == LeafKind::GenericBase) {
      const isa::Space space{static_cast<std::uint8_t>(leaf.key.id)};
      if (space == isa::Space::Global) {
        isGlobal = true;  // generic addresses of global memory are the addresses themselves
        continue;
      }
      isa::Space& slot = coefficient == 1 ? window : closed;
      if ((coefficient != 1 && coefficient != -1) || slot != isa::Space::None) {
        return PointerSet::lost();
      }
      slot = space;
      continue;
    }
    PointerSet one = ofLeaf(term.leaf);
    if (one.state == State::Unset) return one;
    if (one.state == State::None) continue;
    if (isParametersOnly(one)) {
      if (form.bits == 64 && coefficient == 1) parameter = std::move(one);
      ++parameters;
      continue;
    }
    if (one.state == State::Lost || coefficient != 1 || pointer.state != State::None) {
      return PointerSet::lost();
    }
    pointer = std::move(one);
  }
  if (window != isa::Space::None && closed != isa::Space::None) return PointerSet::lost();

  if (pointer.state == State::None) {
    const auto unknownIn = [&](isa::Space space) {
      return PointerSet{State::Some, {{{MemoryBase::Kind::Unknown, space, nullptr, 0}, window}}};
    };
    if (window != isa::Space::None) return unknownIn(window);
    if (closed != isa::Space::None) return unknownIn(closed);
    if (parameters == 1 && parameter.state == State::Some) return parameter;
    return isGlobal ? unknownIn(isa::Space::Global) : pointer;
  }
  for (PointerBase& base : pointer.bases) {
    if (closed != isa::Space::None) {
      if (base.window != closed) return PointerSet::lost();
      base.window = isa::Space::None;
    }
    if (window != isa::Space::None) {
      if (base.window != isa::Space::None || !base.base.spaces.isOnly(window)) {
        return PointerSet::lost();
      }
      base.window = window;
    }
  }
  return pointer;
}

}  // namespace ptxopt::analysis
