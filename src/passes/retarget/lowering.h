// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that older versions and targets do not have, as instructions that they have.
//
// Contract: docs/passes/retarget.md.  Each lowering does bit for bit what the instruction does, or
// is a behaviour that the manual allows it.  A row says which forms it is for, in the notation of
// isa/rows.h but without hints to the caches, which go with the instruction, and what the text that
// takes their place needs.  Of several rows for a form the first
// one that fits the target is used, so the cheapest comes first.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "passes/retarget/expansion.h"

namespace ptxopt::passes {

struct Lowering {
  std::string_view syntax;  // "cvt.rnd{.relu}.bf16x2.f32 =d, a, b"
  std::string_view sets;    // ".rnd=.rn,.rz"
  isa::Version version;     // of the text
  std::string_view target;  // isa::satisfies()
  // Writes the text; false if the operands are none that it knows.
  bool (*write)(Expansion& text);
  std::string_view
      becomes;  // "fma.rn with a factor of 1", for the table in docs/passes/retarget.md
  std::string_view example;  // a statement of this form, with the names of isa/rows.h
};

// All rows, by family.
std::span<const Lowering> lowerings();
// The row is for instructions like this one, whatever hints they have.
bool isFor(const Lowering& row, const isa::InstructionDesc& desc);

// What takes the place of an instruction of `function` for this version and target, empty if the
// instruction goes; nothing if no row fits.  `prefix`: that of Expansion.  O(rows).
std::optional<std::string> lower(const ir::Function& function, const ir::Instruction& instruction,
                                 isa::Version version, isa::Target target, std::string_view prefix);
// The same, but only with older names and without hints: still the same instruction.
std::optional<std::string> respell(const ir::Function& function, const ir::Instruction& instruction,
                                   isa::Version version, isa::Target target);

}  // namespace ptxopt::passes
