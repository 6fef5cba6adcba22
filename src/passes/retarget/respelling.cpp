// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/families.h"

namespace ptxopt::passes {

namespace {

constexpr std::string_view kSame = "the same under its older name";
constexpr std::string_view kDefault = "what the instruction means without it";
constexpr std::string_view kStronger = "without it the scope is wider";
constexpr std::string_view kHint = "only a hint";

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
    {"ld", ".param::entry", ".param", false, kSame, isInKernel},
    {"ld st", ".param::func", ".param", false, kSame, isInFunctionOrNamed},
    {"ld st cp prefetch", ".L2::cache_hint", "", true, kHint},
    {"atom red", ".L2::cache_hint", "", true, kHint},
    {"ld", ".L2::64B", "", false, kHint},
    {"ld", ".L2::128B", "", false, kHint},
    {"ld", ".L2::256B", "", false, kHint},
    {"ld st", ".L2::evict_*", "", false, kHint},
    {"ld st", ".L1::evict_*", "", false, kHint},
    {"ld st", ".L1::no_allocate", "", false, kHint},
    {"", ".shared::cta", ".shared", false, kSame},
    {"bar barrier", ".cta", "", false, kDefault},
    {"ld st", ".weak", "", false, kDefault},
    {"atom red", ".relaxed", "", false, kDefault},
    {"atom red", ".gpu", "", false, kDefault},
    {"atom red", ".cta", "", false, kStronger},
    // clang-format on
};

}  // namespace

std::span<const Respelling> respellings() {
  return kRespellings;
}

}  // namespace ptxopt::passes
