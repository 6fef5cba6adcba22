// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/directives.h"

#include <algorithm>
#include <string_view>

namespace ptxopt::ir {

std::unordered_set<const Instruction*> loadsBelowDirectives(const Function& function) {
  std::unordered_set<const Instruction*> found;
  bool isRightBelow = false;
  bool isMasked = false;
  for (const Statement& statement : function.body()) {
    if (statement.kind == StatementKind::Location) continue;
    if (const auto* instruction = statement.as<Instruction>();
        instruction != nullptr && instruction->desc->is(isa::kMemoryRead)) {
      if (isRightBelow || isMasked) found.insert(instruction);
      isMasked = false;
    }
    const auto* pragma = statement.as<Pragma>();
    isRightBelow = pragma != nullptr || statement.kind == StatementKind::Directive;
    isMasked |= pragma != nullptr && pragma->text.find("used_bytes_mask") != std::string_view::npos;
  }
  return found;
}

bool isBelowDirective(const Instruction& instruction,
                      const std::unordered_set<const Statement*>& gone) {
  const bool readsMemory = instruction.desc->is(isa::kMemoryRead);
  bool isRightAbove = true;
  for (const Statement* at = instruction.previous; at != nullptr; at = at->previous) {
    if (at->kind == StatementKind::Location || gone.contains(at)) continue;
    if (const auto* other = at->as<Instruction>()) {
      if (!readsMemory || other->desc->is(isa::kMemoryRead)) return false;
    } else if (at->kind == StatementKind::Directive && isRightAbove) {
      return true;
    } else if (const auto* pragma = at->as<Pragma>()) {
      const bool isMask = pragma->text.find("used_bytes_mask") != std::string_view::npos;
      if (isRightAbove || isMask) return true;
    }
    if (!readsMemory) return false;
    isRightAbove = false;
  }
  return false;
}

bool isAboutOthers(const Pragma& pragma) {
  const bool isOne = std::ranges::count(pragma.text, '"') == 2;
  return isOne && (pragma.text == "\"nounroll\"" || pragma.text.starts_with("\"frequency") ||
                   pragma.text.starts_with("\"used_bytes_mask"));
}

namespace {

bool mayBeAboutNext(const Statement& statement) {
  const auto* pragma = statement.as<Pragma>();
  return statement.kind == StatementKind::Directive ||
         (pragma != nullptr && !isAboutOthers(*pragma));
}

}  // namespace

Statement* aboveDirectives(Statement& statement) {
  Statement* place = &statement;
  for (Statement* at = statement.previous; at != nullptr; at = at->previous) {
    if (mayBeAboutNext(*at)) {
      place = at;
    } else if (at->kind != StatementKind::Pragma && at->kind != StatementKind::Location) {
      break;
    }
  }
  return place;
}

bool hasDirectiveAbove(const Statement& statement) {
  const Statement* at = statement.previous;
  while (at != nullptr && !mayBeAboutNext(*at) &&
         (at->kind == StatementKind::Pragma || at->kind == StatementKind::Location)) {
    at = at->previous;
  }
  return at != nullptr && mayBeAboutNext(*at);
}

}  // namespace ptxopt::ir
