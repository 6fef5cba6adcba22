// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of each family of lowerings, and what shortens the spelling of an instruction.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "passes/retarget/lowering.h"

namespace ptxopt::passes {

std::span<const Lowering> asyncCopies();       // async_copies.cpp
std::span<const Lowering> comparisons();       // comparisons.cpp
std::span<const Lowering> conversions();       // conversions.cpp
std::span<const Lowering> floats();            // floats.cpp
std::span<const Lowering> halves();            // half.cpp
std::span<const Lowering> hints();             // hints.cpp
std::span<const Lowering> integers();          // integers.cpp
std::span<const Lowering> matrices();          // matrices.cpp
std::span<const Lowering> memoryOrder();       // memory_order.cpp
std::span<const Lowering> smallConversions();  // small_conversions.cpp
std::span<const Lowering> warpCollectives();   // warp.cpp
std::span<const Lowering> wideAccesses();      // wide.cpp
std::span<const Lowering> wideRegisters();     // wide_registers.cpp

// Why an instruction may do without a qualifier.
enum class Spare : std::uint8_t {
  OlderName,   // it is the same under its older name
  Default,     // the instruction means it without it
  WiderScope,  // without it the scope is wider
  Hint,        // the instruction does the same without it
};

// A qualifier that may go, or has an older name.
struct Respelling {
  std::string_view opcodes;    // first words, "ld st"; empty: any
  std::string_view qualifier;  // a name that ends in '*' stands for all that begin so
  std::string_view by;         // empty: it goes
  bool hasOperand = false;     // its operand, the last one, goes with it
  Spare why;
  // Where it is the same; null: everywhere.
  bool (*holds)(const ir::Function& function, const ir::Instruction& instruction) = nullptr;
};
std::span<const Respelling> respellings();

}  // namespace ptxopt::passes
