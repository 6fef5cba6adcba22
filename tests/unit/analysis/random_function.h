// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Function bodies with random control flow and random definitions and uses of a few registers.
#pragma once

#include <random>
#include <string>

#include "function_builder.h"

namespace ptxopt::test {

inline constexpr std::uint32_t kRandomRegisters = 6;

inline void buildRandomFunction(FunctionBuilder& f, std::mt19937& random, std::uint32_t labels) {
  f.registers(kRandomRegisters);
  const auto anyRegister = [&] {
    return ir::RegisterId{
        std::uniform_int_distribution<std::uint32_t>(0, kRandomRegisters - 1)(random)};
  };
  const auto anyLabel = [&] { return "L" + std::to_string(random() % labels); };
  const auto maybeGuard = [&] {
    return random() % 3 == 0 ? ir::Guard(anyRegister(), random() % 2 == 0) : ir::Guard();
  };
  for (std::uint32_t label = 0; label < labels; ++label) {
    f.label("L" + std::to_string(label));
    for (auto n = random() % 3; n > 0; --n) {
      ir::Operand destination = FunctionBuilder::definition(anyRegister());
      if (random() % 8 == 0) destination.component = 1;
      const ir::Operand source = random() % 2 == 0 ? FunctionBuilder::use(anyRegister())
                                                   : ir::Operand::ofAddress(anyRegister(), 4);
      if (random() % 8 == 0) {
        destination.reads = true;
        f.unknown({destination});
      } else if (random() % 4 == 0) {
        f.plain({destination}, maybeGuard());
      } else {
        f.plain({destination, source}, maybeGuard());
      }
    }
    switch (random() % 6) {
      case 0:
      case 1:
      case 2:
        f.bra(anyLabel(), maybeGuard());
        break;
      case 3:
        f.ret(maybeGuard());
        break;
      default:
        break;
    }
  }
}

}  // namespace ptxopt::test
