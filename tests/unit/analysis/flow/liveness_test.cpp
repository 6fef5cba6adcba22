// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/liveness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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

TEST(Liveness, FullDefinitionsKillAndPartialOnesDoNot) {
  FunctionBuilder f;
  f.registers(6);
  f.plain({definition(r(0))});
  f.plain({definition(r(1))}, Guard(r(4), true));
  ir::Operand component = definition(r(2));
  component.component = 2;
  f.plain({component});
  ir::Operand both = definition(r(3));
  both.reads = true;
  f.plain({both});
  f.label("L");
  f.plain({use(r(0)), use(r(1)), use(r(2)), use(r(3)), definition(r(5))});
  const Cfg cfg(f.function());
  const Liveness liveness(cfg);
  EXPECT_EQ(liveness.liveIn(BlockId{0}), (std::vector{r(1), r(2), r(3), r(4)}));
  EXPECT_EQ(liveness.liveOut(BlockId{0}), (std::vector{r(0), r(1), r(2), r(3)}));
  EXPECT_TRUE(liveness.isLiveOut(BlockId{0}, r(0)));
  EXPECT_FALSE(liveness.isLiveIn(BlockId{0}, r(0)));
  EXPECT_FALSE(liveness.isLiveOut(BlockId{1}, r(5)));
  const Liveness any(cfg, Liveness::Kill::AnyDefinition);
  EXPECT_EQ(any.liveIn(BlockId{0}), (std::vector{r(3), r(4)}));
}

TEST(Liveness, BasesOfAddressesAndGuardsOfBranchesAreUses) {
  FunctionBuilder f;
  f.registers(3);
  f.plain({definition(r(2)), ir::Operand::ofAddress(r(0), 8)});
  f.bra("L", Guard(r(1), false));
  f.label("L");
  const Cfg cfg(f.function());
  EXPECT_EQ(Liveness(cfg).liveIn(BlockId{0}), (std::vector{r(0), r(1)}));
}

TEST(Liveness, ResultsOfAFunctionAreLiveWhereItReturns) {
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
  f.plain({definition(result)});
  f.ret();
  const Cfg cfg(f.function());
  const Liveness liveness(cfg);
  EXPECT_TRUE(liveness.isLiveOut(BlockId{0}, result));
  EXPECT_FALSE(liveness.isLiveIn(BlockId{0}, result));
  EXPECT_FALSE(liveness.isLiveOut(BlockId{0}, parameter));
}

// Whether some path from the start of `block` reads `id` before it is written in full.
bool isLiveByDefinition(const Cfg& cfg, BlockId block, RegisterId id) {
  BitSet seen(cfg.vertexCount());
  std::vector<BlockId> stack = {block};
  while (!stack.empty()) {
    const BlockId b = stack.back();
    stack.pop_back();
    if (!seen.set(b)) continue;
    bool isKilled = false;
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      bool isUsed = false;
      forEachUse(instruction, [&](RegisterId used) { isUsed = isUsed || used == id; });
      if (isUsed && !isKilled) return true;
      forEachDefinition(instruction, [&](RegisterId written, bool isPartial) {
        isKilled = isKilled || (written == id && !isPartial);
      });
    }
    if (isKilled) continue;
    for (const BlockId next : cfg.successors(b)) stack.push_back(next);
  }
  return false;
}

TEST(Liveness, AgreesWithItsDefinitionOnRandomFunctions) {
  std::mt19937 random(7);
  for (std::uint32_t k = 0; k < 3000; ++k) {
    SCOPED_TRACE(k);
    FunctionBuilder f;
    test::buildRandomFunction(f, random, 1 + k % 9);
    const Cfg cfg(f.function());
    const Liveness liveness(cfg);
    LivenessCursor cursor(liveness);
    for (const BlockId b : cfg.blocksAndExit()) {
      std::vector<RegisterId> in;
      std::set<RegisterId> out;
      for (std::uint32_t number = 0; number < test::kRandomRegisters; ++number) {
        if (isLiveByDefinition(cfg, b, r(number))) in.push_back(r(number));
        for (const BlockId next : cfg.successors(b)) {
          if (isLiveByDefinition(cfg, next, r(number))) out.insert(r(number));
        }
        ASSERT_EQ(liveness.isLiveIn(b, r(number)),
                  std::count(in.begin(), in.end(), r(number)) == 1);
        ASSERT_EQ(liveness.isLiveOut(b, r(number)), out.count(r(number)) == 1);
      }
      ASSERT_EQ(liveness.liveIn(b), in);
      ASSERT_EQ(liveness.liveOut(b), std::vector<RegisterId>(out.begin(), out.end()));

      // The cursor goes from what is live out to what is live in.
      std::vector<ir::Instruction*> instructions;
      for (ir::Instruction& instruction : cfg.instructions(b)) instructions.push_back(&instruction);
      cursor.startAtEnd(b);
      for (std::size_t at = instructions.size(); at-- > 0;) cursor.stepOver(*instructions[at]);
      for (std::uint32_t number = 0; number < test::kRandomRegisters; ++number) {
        ASSERT_EQ(cursor.isLive(r(number)), liveness.isLiveIn(b, r(number)));
      }
    }
  }
}

TEST(Liveness, SharedSetsGiveTheSameAsBits) {
  std::mt19937 random(8);
  for (std::uint32_t k = 0; k < 500; ++k) {
    FunctionBuilder f;
    test::buildRandomFunction(f, random, 12);
    const Cfg cfg(f.function());
    BlockLists exposed;
    BlockLists killed;
    for (std::uint32_t block = 0; block < cfg.vertexCount(); ++block) {
      for (std::uint32_t number = 0; number < 40; ++number) {
        if (random() % 8 == 0) exposed.elements.push_back(number);
        if (random() % 8 == 0) killed.elements.push_back(number);
      }
      exposed.endBlock();
      killed.endBlock();
    }
    const std::vector<std::uint32_t> atExit = {0, 17};
    const Dataflow<LivenessProblem<BitSet>> bits(cfg, {BitSet(40), atExit, exposed, killed});
    SharedSetPool pool(40);
    const Dataflow<LivenessProblem<SharedSet>> shared(cfg,
                                                      {SharedSet(pool), atExit, exposed, killed});
    EXPECT_EQ(bits.transfers(), shared.transfers());
    for (const BlockId b : cfg.blocksAndExit()) {
      for (std::uint32_t number = 0; number < 40; ++number) {
        ASSERT_EQ(bits.after(b).test(number), shared.after(b).test(number));
      }
    }
  }
}

// Fifty thousand blocks with a million registers: bits would take 6 GB.
class LivenessAtScale : public testing::Test {
 protected:
  static constexpr std::uint32_t kBlocks = 50'000;
  static constexpr std::uint32_t kEach = 20;  // registers that a block writes

  void SetUp() override { f_.registers(kBlocks * kEach); }
  void write(std::uint32_t block) {
    f_.label("L" + std::to_string(block));
    for (std::uint32_t k = 0; k < kEach; k += 4) {
      const std::uint32_t first = block * kEach + k;
      f_.plain({definition(r(first)), definition(r(first + 1)), definition(r(first + 2)),
                definition(r(first + 3))});
    }
  }
  void read(std::uint32_t block) {
    for (std::uint32_t k = 0; k < kEach; k += 4) {
      const std::uint32_t first = block * kEach + k;
      f_.plain({use(r(first)), use(r(first + 1)), use(r(first + 2)), use(r(first + 3))});
    }
  }
  FunctionBuilder f_;
};

TEST_F(LivenessAtScale, EachRegisterInTwoBlocks) {
  for (std::uint32_t b = 0; b < kBlocks; ++b) {
    write(b);
    if (b > 0) read(b - 1);
  }
  const Cfg cfg(f_.function());
  const Liveness liveness(cfg);
  for (std::uint32_t b = 1; b < kBlocks; ++b) ASSERT_EQ(liveness.liveIn(BlockId{b}).size(), kEach);
}

TEST_F(LivenessAtScale, AllRegistersUpToTheEnd) {
  for (std::uint32_t b = 0; b < kBlocks; ++b) write(b);
  f_.label("END");
  for (std::uint32_t b = 0; b < kBlocks; ++b) read(b);
  f_.bra("L1", Guard(r(0), false));
  const Cfg cfg(f_.function());
  const Liveness liveness(cfg);
  EXPECT_EQ(liveness.liveIn(BlockId{kBlocks}).size(), kBlocks * kEach);
  EXPECT_EQ(liveness.liveIn(BlockId{1}), liveness.liveOut(BlockId{0}));
  EXPECT_EQ(liveness.liveIn(BlockId{1}).size(), kEach);
  EXPECT_EQ(liveness.liveIn(BlockId{kBlocks / 2}).size(), kBlocks / 2 * kEach);
}

TEST_F(LivenessAtScale, EveryOtherRegisterFromTheStartToItsUse) {
  // Twenty-five thousand are live on average, with gaps between them.
  for (std::uint32_t b = 0; b < kBlocks; ++b) f_.plain({definition(r(b * kEach))});
  for (std::uint32_t b = 1; b < kBlocks; ++b) {
    f_.label("L" + std::to_string(b));
    f_.plain({use(r(b * kEach)), use(r(b * kEach - 1)), definition(r(b * kEach + kEach - 1))});
  }
  const Cfg cfg(f_.function());
  const Liveness liveness(cfg);
  // The other register of block 1 is written by nothing.
  EXPECT_EQ(liveness.liveIn(BlockId{1}).size(), kBlocks);
  EXPECT_EQ(liveness.liveOut(BlockId{kBlocks / 2}).size(), kBlocks / 2);
}

}  // namespace
}  // namespace ptxopt::analysis
