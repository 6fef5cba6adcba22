// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/lowering.h"

#include <algorithm>
#include <vector>

#include "analysis/needs/needs.h"
#include "ir/module.h"
#include "isa/pattern.h"
#include "passes/retarget/families.h"

namespace ptxopt::passes {

namespace {

bool isWord(std::string_view list, std::string_view word) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

bool isMeant(const Respelling& respelling, std::string_view qualifier) {
  const std::string_view name = respelling.qualifier;
  return name.ends_with('*') ? qualifier.starts_with(name.substr(0, name.size() - 1))
                             : qualifier == name;
}

// Whether the instruction could be spelled as `desc`.
bool hasAll(const ir::Function& function, const ir::Instruction& instruction,
            const isa::InstructionDesc& desc, isa::Version version, isa::Target target) {
  if (!desc.known()) return false;
  const analysis::Need need = analysis::needOf(function, instruction, desc);
  return need.versionFor(target) <= version && isa::satisfies(target, need.target) &&
         !need.withdrawn.holds(version, target);
}

// The words and operands of an instruction, some of which may go.
class Spelling {
 public:
  explicit Spelling(const isa::InstructionDesc& desc)
      : firstWord_(isa::firstWord(desc.mnemonic)),
        qualifiers_(desc.qualifiers),
        shape_(desc.shape) {}

  bool has(const Respelling& by) const {
    return (by.opcodes.empty() || isWord(by.opcodes, firstWord_)) &&
           std::ranges::any_of(qualifiers_,
                               [&](std::string_view word) { return isMeant(by, word); });
  }

  // Its first qualifier of those.
  void respell(const Respelling& by) {
    const auto found =
        std::ranges::find_if(qualifiers_, [&](std::string_view word) { return isMeant(by, word); });
    if (by.by.empty()) {
      qualifiers_.erase(found);
    } else {
      *found = by.by;
    }
    if (by.hasOperand) dropOperand();
  }

  void dropHints() {
    for (const Respelling& each : respellings()) {
      while (each.why == Spare::Hint && has(each)) respell(each);
    }
  }

  bool fits(const isa::Row& row) const {
    isa::Match ignored;
    return isa::firstWord(row.syntax) == firstWord_ &&
           isa::matchRow(row, qualifiers_, shape_, ignored);
  }

  std::size_t operandCount() const { return shape_.size(); }
  std::string mnemonic() const {
    std::string result(firstWord_);
    for (const std::string_view qualifier : qualifiers_) result += qualifier;
    return result;
  }
  const isa::InstructionDesc& desc(ir::Module& module) const {
    return module.instructionTable().get(module.arena().copy(mnemonic()), shape_);
  }

 private:
  void dropOperand() {
    isa::Shape shorter;
    for (std::size_t k = 0; k + 1 < shape_.size(); ++k) shorter.push(shape_[k]);
    shape_ = shorter;
  }

  std::string_view firstWord_;
  std::vector<std::string_view> qualifiers_;
  isa::Shape shape_;
};

Spelling withoutHints(const isa::InstructionDesc& desc) {
  Spelling spelling(desc);
  spelling.dropHints();
  return spelling;
}

bool fits(const Lowering& row, const Spelling& spelling) {
  isa::Row pattern{};
  pattern.syntax = row.syntax;
  pattern.sets = row.sets;
  return spelling.fits(pattern);
}

std::string textOf(const Spelling& spelling, const ir::Function& function,
                   const ir::Instruction& instruction) {
  const Expansion text(function, instruction, *instruction.desc, "");
  std::string line = text.guard() + spelling.mnemonic();
  for (std::size_t k = 0; k < spelling.operandCount(); ++k) {
    line += (k == 0 ? " \t" : ", ") + text.operand(k);
  }
  return line + ';';
}

}  // namespace

std::span<const Lowering> lowerings() {
  static const std::vector<Lowering> all = [] {
    std::vector<Lowering> rows;
    for (const auto family : {halves(), floats(), comparisons(), conversions(), smallConversions(),
                              integers(), hints(), warpCollectives(), asyncCopies(), matrices(),
                              memoryOrder(), wideAccesses(), wideRegisters()}) {
      rows.insert(rows.end(), family.begin(), family.end());
    }
    return rows;
  }();
  return all;
}

bool isFor(const Lowering& row, const isa::InstructionDesc& desc) {
  return fits(row, withoutHints(desc));
}

std::optional<std::string> lower(const ir::Function& function, const ir::Instruction& instruction,
                                 isa::Version version, isa::Target target,
                                 std::string_view prefix) {
  if (auto same = respell(function, instruction, version, target)) return same;
  const Spelling spelling = withoutHints(*instruction.desc);
  for (const Lowering& row : lowerings()) {
    if (row.version > version || !isa::satisfies(target, row.target)) continue;
    if (!fits(row, spelling)) continue;
    Expansion text(function, instruction, spelling.desc(function.module()), prefix);
    if (row.write(text) && !text.isRefused()) return text.text();
  }
  return std::nullopt;
}

std::optional<std::string> respell(const ir::Function& function, const ir::Instruction& instruction,
                                   isa::Version version, isa::Target target) {
  Spelling spelling(*instruction.desc);
  for (const Respelling& each : respellings()) {
    if (!spelling.has(each)) continue;
    if (each.holds != nullptr && !each.holds(function, instruction)) continue;
    spelling.respell(each);
    const isa::InstructionDesc& desc = spelling.desc(function.module());
    if (hasAll(function, instruction, desc, version, target)) {
      return textOf(spelling, function, instruction);
    }
  }
  return std::nullopt;
}

}  // namespace ptxopt::passes
