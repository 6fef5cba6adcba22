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

bool hasAll(const isa::InstructionDesc& desc, isa::Version version, isa::Target target) {
  if (!desc.known()) return false;
  const analysis::Need need = analysis::needOf(desc);
  return need.versionFor(target) <= version && isa::satisfies(target, need.target) &&
         !need.withdrawn.holds(version, target);
}

// The instruction with older names and without hints.
class Respeller {
 public:
  Respeller(const ir::Function& function, const ir::Instruction& instruction)
      : function_(function),
        instruction_(instruction),
        firstWord_(isa::firstWord(instruction.desc->mnemonic)),
        qualifiers_(instruction.desc->qualifiers),
        shape_(instruction.desc->shape) {}

  std::optional<std::string> respell(isa::Version version, isa::Target target) {
    for (const Respelling& each : respellings()) {
      if (!each.opcodes.empty() && !isWord(each.opcodes, firstWord_)) continue;
      const auto found = std::ranges::find_if(
          qualifiers_, [&](std::string_view qualifier) { return isMeant(each, qualifier); });
      if (found == qualifiers_.end()) continue;
      if (each.holds != nullptr && !each.holds(function_, instruction_)) continue;
      if (each.by.empty()) {
        qualifiers_.erase(found);
      } else {
        *found = each.by;
      }
      if (each.hasOperand) dropOperand();
      const std::string mnemonic = this->mnemonic();
      const isa::InstructionDesc& desc = function_.module().instructionTable().get(
          function_.module().arena().copy(mnemonic), shape_);
      if (hasAll(desc, version, target)) return text(mnemonic);
    }
    return std::nullopt;
  }

 private:
  void dropOperand() {
    isa::Shape shorter;
    for (std::size_t k = 0; k + 1 < shape_.size(); ++k) shorter.push(shape_[k]);
    shape_ = shorter;
  }

  std::string mnemonic() const {
    std::string result(firstWord_);
    for (const std::string_view qualifier : qualifiers_) result += qualifier;
    return result;
  }

  std::string text(const std::string& mnemonic) const {
    Expansion text(function_, instruction_, "");
    std::string line = text.guard() + mnemonic;
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      line += (k == 0 ? " \t" : ", ") + text.operand(k);
    }
    return line + ';';
  }

  const ir::Function& function_;
  const ir::Instruction& instruction_;
  std::string_view firstWord_;
  std::vector<std::string_view> qualifiers_;
  isa::Shape shape_;
};

}  // namespace

std::span<const Lowering> lowerings() {
  static const std::vector<Lowering> all = [] {
    std::vector<Lowering> rows;
    for (const auto family :
         {halves(), floats(), comparisons(), conversions(), smallConversions(), integers(), hints(),
          warpCollectives(), asyncCopies(), matrices(), memoryOrder(), wideAccesses()}) {
      rows.insert(rows.end(), family.begin(), family.end());
    }
    return rows;
  }();
  return all;
}

bool isFor(const Lowering& row, const isa::InstructionDesc& desc) {
  if (isa::firstWord(row.syntax) != isa::firstWord(desc.mnemonic)) return false;
  isa::Row pattern{};
  pattern.syntax = row.syntax;
  pattern.sets = row.sets;
  isa::Match ignored;
  return isa::matchRow(pattern, desc.qualifiers, desc.shape, ignored);
}

std::optional<std::string> lower(const ir::Function& function, const ir::Instruction& instruction,
                                 isa::Version version, isa::Target target,
                                 std::string_view prefix) {
  if (auto same = respell(function, instruction, version, target)) return same;
  for (const Lowering& row : lowerings()) {
    if (row.version > version || !isa::satisfies(target, row.target)) continue;
    if (!isFor(row, *instruction.desc)) continue;
    Expansion text(function, instruction, prefix);
    if (row.write(text) && !text.isRefused()) return text.text();
  }
  return std::nullopt;
}

std::optional<std::string> respell(const ir::Function& function, const ir::Instruction& instruction,
                                   isa::Version version, isa::Target target) {
  return Respeller(function, instruction).respell(version, target);
}

}  // namespace ptxopt::passes
