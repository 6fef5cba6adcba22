// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/families.h"

namespace ptxopt::passes {

namespace {

// Without ::entry or ::func, .param is that of the kernel in a kernel, and that of the function in
// a function; what a call returns has a name of its own in both.
bool isInKernel(const ir::Function& function, const ir::Instruction& /*instruction*/) {
  return function.isEntry();
}
bool isInFunctionOrNamed(const ir::Function& function, const ir::Instruction& instruction) {
  const ir::Operand& address = *instruction.operand(instruction.desc->addressOperand());
  return !function.isEntry() || address.symbol() != ir::SymbolId::None;
}

// What needs the newest versions and targets comes first.
constexpr Respelling kRespellings[] = {
    // clang-format off
    {"ld", ".param::entry", ".param", false, Spare::OlderName, isInKernel},
    {"ld st", ".param::func", ".param", false, Spare::OlderName, isInFunctionOrNamed},
    {"ld st cp prefetch", ".L2::cache_hint", "", true, Spare::Hint},
    {"atom red", ".L2::cache_hint", "", true, Spare::Hint},
    {"ld cp", ".L2::64B", "", false, Spare::Hint},
    {"ld cp", ".L2::128B", "", false, Spare::Hint},
    {"ld cp", ".L2::256B", "", false, Spare::Hint},
    {"ld st", ".L2::evict_*", "", false, Spare::Hint},
    {"ld st", ".L1::evict_*", "", false, Spare::Hint},
    {"ld st", ".L1::no_allocate", "", false, Spare::Hint},
    {"", ".shared::cta", ".shared", false, Spare::OlderName},
    {"bar barrier", ".cta", "", false, Spare::Default},
    {"ld st", ".weak", "", false, Spare::Default},
    {"atom red", ".relaxed", "", false, Spare::Default},
    {"atom red", ".gpu", "", false, Spare::Default},
    {"atom red", ".cta", "", false, Spare::WiderScope},
    // clang-format on
};

}  // namespace

std::span<const Respelling> respellings() {
  return kRespellings;
}

}  // namespace ptxopt::passes
