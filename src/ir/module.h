// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A PTX file as IR.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/function.h"
#include "ir/statement.h"
#include "isa/isa.h"
#include "support/arena.h"
#include "support/interner.h"
#include "support/source.h"

namespace ptxopt::ir {

class Module {
 public:
  explicit Module(std::shared_ptr<const SourceText> source) : source_(std::move(source)) {}
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const SourceText& source() const { return *source_; }

  // ---- header ---------------------------------------------------------------------------------
  isa::Version version;
  isa::Target target;                         // the first .target word that names an SM
  std::vector<std::string_view> targetWords;  // "sm_90a", "debug", "texmode_independent"
  std::uint32_t addressSize = 32;  // bits: the default of PTX if .address_size is missing
  bool isDebug() const;            // .target ..., debug

  // ---- content --------------------------------------------------------------------------------
  const StatementList& items() const { return items_; }
  StatementList& items() { return items_; }
  // In the order of the text, including declarations without a body.  Addresses are stable.
  std::deque<Function>& functions() { return functions_; }
  const std::deque<Function>& functions() const { return functions_; }
  Function* findFunction(std::string_view name);

  const Symbol& symbolAt(SymbolId id) const { return symbols_[static_cast<std::uint32_t>(id)]; }
  Symbol& symbolAt(SymbolId id) { return symbols_[static_cast<std::uint32_t>(id)]; }
  SymbolId addSymbol(const Symbol& symbol);
  std::uint32_t symbolCount() const { return static_cast<std::uint32_t>(symbols_.size()); }

  // ---- edits: like those of Function, for the statements of the module -------------------------
  void erase(Statement* item);
  void eraseText(SourceRange text);   // of an attribute of a function, for example
  void markChanged(Statement* item);  // of a definition of a function: its attributes
  void insertAfter(Statement* position, Statement* item);  // position null: at the front
  // Removes the definitions and declarations of these functions.  The Function objects remain,
  // without a body; nothing may refer to them.  O(items of the module).
  void remove(std::span<Function* const> functions);
  bool changed() const { return changed_; }
  std::span<const SourceRange> erased() const { return erased_; }

  // ---- names, instruction table and memory ---------------------------------------------------
  std::string_view text(NameId id) const { return names_.text(id); }
  // For passes: copies the text.  Thread-safe.
  NameId name(std::string_view text);
  // For the parser: does not copy; only one thread may use it.
  Interner& names() { return names_; }
  const Interner& names() const { return names_; }
  isa::InstructionTable& instructionTable() { return instructionTable_; }
  Arena& arena() { return arena_; }
  ArenaBlocks& arenaBlocks() { return arenaBlocks_; }

  // There is an unknown directive, pragma or attribute at module scope.
  bool hasUnknownDirective = false;
  // For a module with debug information: the last eight characters of the name of each register
  // that holds a variable.
  std::unordered_set<std::string> debugRegisters;
  // The debug information may contain something that is not understood: no pass may run.
  bool isFrozen() const { return isDebug() && hasUnknownDirective; }

 private:
  std::shared_ptr<const SourceText> source_;
  Interner names_;
  std::mutex namesMutex_;
  isa::InstructionTable instructionTable_;
  ArenaBlocks arenaBlocks_;
  Arena arena_{arenaBlocks_};
  StatementList items_;
  bool changed_ = false;
  std::vector<SourceRange> erased_;
  std::deque<Function> functions_;
  std::deque<Symbol> symbols_;
};

}  // namespace ptxopt::ir
