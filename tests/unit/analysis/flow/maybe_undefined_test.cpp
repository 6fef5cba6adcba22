// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/maybe_undefined.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "analysis/flow/register_effects.h"
#include "random_function.h"

namespace ptxopt::analysis {
namespace {

using ir::Guard;
using ir::RegisterId;
using test::FunctionBuilder;

constexpr RegisterId r(std::uint32_t number) {
  return RegisterId{number};
}
const auto use = FunctionBuilder::use;
const auto definition = FunctionBuilder::definition;

TEST(MaybeUndefined, FindsReadsThatOnePathReachesUnwritten) {
  FunctionBuilder f;
  f.registers(3);
  f.plain({definition(r(0))});
  f.bra("L", Guard(r(0), false));
  f.plain({definition(r(1))});
  f.label("L");
  ir::Instruction& read = f.plain({definition(r(2)), use(r(1)), use(r(1))});
  f.plain({definition(r(1))});
  f.plain({use(r(1))});
  const Cfg cfg(f.function());
  const std::vector<UndefinedRead> reads = MaybeUndefined(cfg).reads();
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(reads[0].instruction, &read);
  EXPECT_EQ(reads[0].id, r(1));
}

TEST(MaybeUndefined, PartialDefinitionsCountAsWritten) {
  FunctionBuilder f;
  f.registers(3);
  f.plain({definition(r(0))});
  f.plain({definition(r(1))}, Guard(r(0), false));
  f.plain({use(r(1))}, Guard(r(0), false));
  ir::Operand both = definition(r(2));
  both.reads = true;
  f.unknown({both});
  f.plain({use(r(2))});
  EXPECT_EQ(MaybeUndefined(Cfg(f.function())).count(), 0u);
}

TEST(MaybeUndefined, ParametersAreWrittenAndResultsAreNot) {
  FunctionBuilder f(false);
  ir::RegisterRange range;
  range.isParameter = true;
  range.name = f.module().name("value");
  const RegisterId parameter = f.function().addRegisters(range);
  range.name = f.module().name("result");
  const RegisterId result = f.function().addRegisters(range);
  ir::Variable variable;
  variable.name = range.name;
  variable.space = isa::Space::Reg;
  f.function().results.push_back(&variable);
  ir::Instruction& read = f.plain({use(parameter), use(result)});
  const Cfg cfg(f.function());
  const std::vector<UndefinedRead> reads = MaybeUndefined(cfg).reads();
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(reads[0].instruction, &read);
  EXPECT_EQ(reads[0].id, result);
}

TEST(MaybeUndefined, AgreesWithItsDefinitionOnRandomFunctions) {
  using Read = std::pair<const ir::Instruction*, RegisterId>;
  std::mt19937 random(9);
  std::size_t found = 0;
  for (std::uint32_t k = 0; k < 3000; ++k) {
    SCOPED_TRACE(k);
    FunctionBuilder f;
    test::buildRandomFunction(f, random, 1 + k % 9);
    const Cfg cfg(f.function());
    std::set<Read> expected;
    for (std::uint32_t number = 0; number < test::kRandomRegisters; ++number) {
      // Walk all paths from the entry up to the first definition.
      BitSet seen(cfg.vertexCount());
      std::vector<BlockId> stack = {cfg.entry()};
      while (!stack.empty()) {
        const BlockId b = stack.back();
        stack.pop_back();
        if (!seen.set(b)) continue;
        bool isWritten = false;
        for (const ir::Instruction& instruction : cfg.instructions(b)) {
          if (isWritten) break;
          forEachCertainUse(instruction, [&](RegisterId id) {
            if (id == r(number)) expected.emplace(&instruction, id);
          });
          forEachDefinition(instruction,
                            [&](RegisterId id, bool) { isWritten = isWritten || id == r(number); });
        }
        if (isWritten) continue;
        for (const BlockId next : cfg.successors(b)) stack.push_back(next);
      }
    }
    const std::vector<UndefinedRead> reads = MaybeUndefined(cfg).reads();
    std::set<Read> actual;
    for (const UndefinedRead& read : reads) actual.emplace(read.instruction, read.id);
    ASSERT_EQ(actual, expected);
    ASSERT_EQ(reads.size(), expected.size());
    found += reads.size();
  }
  EXPECT_GT(found, 1000u);
}

}  // namespace
}  // namespace ptxopt::analysis
