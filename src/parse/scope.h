// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The meaning of names at the current position of the parser.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/operand.h"
#include "support/interner.h"
#include "support/source.h"

namespace ptxopt::parse {

// Nested scopes over one table that is indexed by NameId.  A declaration shadows older ones until
// the end of its scope.  Declaring and ending are O(1), and so is a look-up unless ranges with the
// same stem are nested.
class ScopeTable {
 public:
  enum class Kind : std::uint8_t { None, Register, Symbol };
  struct Found {
    Kind kind = Kind::None;
    std::uint32_t id = 0;        // RegisterId or SymbolId
    std::uint32_t position = 0;  // increases with each declaration
  };

  // Makes room for `count` names.  Must be called before new names are used.
  void grow(std::uint32_t count) {
    if (heads_.size() < count) heads_.resize(count + count / 2, 0);
  }

  void open() { marks_.push_back(position()); }
  void close();
  bool isOutermost() const { return marks_.empty(); }
  // True if `found` was declared in the innermost scope.
  bool isLocal(const Found& found) const {
    return marks_.empty() || found.position > marks_.back();
  }

  void declareRegister(NameId name, ir::RegisterId id) {
    add(name, Kind::Register, static_cast<std::uint32_t>(id), kSingle);
  }
  // Declares `%r<count>`, whose stem is "%r".
  void declareRange(NameId stem, ir::RegisterId first, std::uint32_t count) {
    add(stem, Kind::Register, static_cast<std::uint32_t>(first), count);
  }
  void declareSymbol(NameId name, ir::SymbolId id) {
    add(name, Kind::Symbol, static_cast<std::uint32_t>(id), kSingle);
  }

  // The innermost declaration of exactly this name.
  Found find(NameId name) const {
    for (std::uint32_t at = heads_[index(name)]; at != 0; at = bindings_[at - 1].shadowed) {
      const Binding& binding = bindings_[at - 1];
      if (binding.count == kSingle) return {binding.kind, binding.id, at};
    }
    return {};
  }
  // The innermost range that contains `stem` followed by `number`.
  Found find(NameId stem, std::uint32_t number) const {
    for (std::uint32_t at = heads_[index(stem)]; at != 0; at = bindings_[at - 1].shadowed) {
      const Binding& binding = bindings_[at - 1];
      if (binding.count != kSingle && number < binding.count) {
        return {binding.kind, binding.id + number, at};
      }
    }
    return {};
  }

  // Visits (name, SymbolId) of the symbols that the innermost scope declares.
  template <class Visitor>
  void forEachLocalSymbol(Visitor&& visit) const {
    for (std::uint32_t at = marks_.back(); at < position(); ++at) {
      const Binding& binding = bindings_[at];
      if (binding.kind == Kind::Symbol) visit(binding.name, ir::SymbolId{binding.id});
    }
  }

 private:
  static constexpr std::uint32_t kSingle = ~0u;
  struct Binding {
    NameId name;
    std::uint32_t shadowed;  // position of the declaration that this one shadows, or 0
    std::uint32_t id;
    std::uint32_t count;  // for a range, or kSingle
    Kind kind;
  };

  static std::size_t index(NameId name) { return static_cast<std::size_t>(name); }
  std::uint32_t position() const { return static_cast<std::uint32_t>(bindings_.size()); }
  void add(NameId name, Kind kind, std::uint32_t id, std::uint32_t count) {
    bindings_.push_back({name, heads_[index(name)], id, count, kind});
    heads_[index(name)] = position();
  }

  std::vector<std::uint32_t> heads_;  // by NameId: position of the innermost declaration, or 0
  std::vector<Binding> bindings_;
  std::vector<std::uint32_t> marks_;
};

inline void ScopeTable::close() {
  const std::uint32_t mark = marks_.back();
  marks_.pop_back();
  while (position() > mark) {
    heads_[index(bindings_.back().name)] = bindings_.back().shadowed;
    bindings_.pop_back();
  }
}

// Uses of labels and other names that are declared later.  Such a name binds to the innermost block
// that declares it, before or after the use, so the use stays pending until its block ends.
class PendingNames {
 public:
  void grow(std::uint32_t count) {
    if (heads_.size() < count) heads_.resize(count + count / 2, 0);
  }
  std::uint32_t mark() const { return static_cast<std::uint32_t>(uses_.size()); }

  void add(NameId name, Offset where, ir::Operand* operand) {
    push({name, 0, where, operand, nullptr});
  }
  void add(NameId name, Offset where, ir::SymbolId* place) {
    push({name, 0, where, nullptr, place});
  }

  // Binds the uses of `name` since `mark` to `symbol`.  Each use is visited once in its lifetime.
  void resolve(NameId name, ir::SymbolId symbol, std::uint32_t mark) {
    std::uint32_t& head = heads_[static_cast<std::size_t>(name)];
    while (head > mark) {
      Use& use = uses_[head - 1];
      set(use, symbol);
      use.name = NameId::None;
      head = use.previous;
    }
  }

  // Binds the remaining uses by symbolOf(NameId, Offset of the use) -> SymbolId, and clears the
  // table.
  template <class SymbolOf>
  void resolveRest(SymbolOf&& symbolOf) {
    for (Use& use : uses_) {
      if (use.name == NameId::None) continue;
      heads_[static_cast<std::size_t>(use.name)] = 0;
      set(use, symbolOf(use.name, use.where));
    }
    uses_.clear();
  }

 private:
  struct Use {
    NameId name;             // None once it is resolved
    std::uint32_t previous;  // use of the same name, or 0
    Offset where;
    ir::Operand* operand;  // one of these two is set
    ir::SymbolId* place;
  };

  void push(Use use) {
    std::uint32_t& head = heads_[static_cast<std::size_t>(use.name)];
    use.previous = head;
    uses_.push_back(use);
    head = mark();
  }
  static void set(const Use& use, ir::SymbolId symbol) {
    if (use.operand != nullptr) {
      use.operand->id = static_cast<std::uint32_t>(symbol);
    } else {
      *use.place = symbol;
    }
  }

  std::vector<std::uint32_t> heads_;  // by NameId: position of its last use, or 0
  std::vector<Use> uses_;
};

}  // namespace ptxopt::parse
