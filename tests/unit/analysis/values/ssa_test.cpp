// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/ssa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "analysis/flow/register_effects.h"
#include "random_function.h"
#include "value_text.h"

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

struct Built {
  explicit Built(FunctionBuilder& f)
      : cfg(f.function()), liveness(cfg), dominators(cfg), ssa(cfg, liveness, dominators) {}
  Cfg cfg;
  Liveness liveness;
  Dominators dominators;
  Ssa ssa;
};

std::size_t phiCount(const Ssa& ssa) {
  std::size_t count = 0;
  for (const ValueId v : ssa.values()) count += std::size_t{ssa.isPhi(v)};
  return count;
}

TEST(Ssa, OneDefinitionNeedsNoPhi) {
  FunctionBuilder f;
  f.registers(3);
  ir::Instruction& first = f.plain({definition(r(0))});
  f.bra("L", Guard(r(0), false));
  f.plain({definition(r(1)), use(r(0))});
  f.label("L");
  ir::Instruction& last = f.plain({definition(r(2)), use(r(0))});
  const Built built(f);
  EXPECT_EQ(phiCount(built.ssa), 0u);
  const ValueId value = built.ssa.definition(first, first.operands()[0]);
  EXPECT_EQ(built.ssa.use(last, last.operands()[1]), value);
  EXPECT_EQ(built.ssa.old(value), ValueId::None);
  EXPECT_EQ(&built.ssa.instruction(value), &first);
  EXPECT_EQ(built.ssa.operand(value), &first.operands()[0]);
}

// docs/soundness/ D6.4
TEST(Ssa, AGuardedDefinitionKeepsTheOldValue) {
  FunctionBuilder f;
  f.registers(2);
  ir::Instruction& first = f.plain({definition(r(0))});
  ir::Instruction& guarded = f.plain({definition(r(0))}, Guard(r(1), true));
  ir::Instruction& last = f.plain({use(r(0))});
  const Built built(f);
  const ValueId value = built.ssa.definition(guarded, guarded.operands()[0]);
  EXPECT_EQ(built.ssa.old(value), built.ssa.definition(first, first.operands()[0]));
  EXPECT_EQ(built.ssa.use(last, last.operands()[0]), value);
  EXPECT_EQ(built.ssa.kind(built.ssa.guard(guarded)), Ssa::Kind::Entry);
}

TEST(Ssa, ALoopToTheEntryHasAnOperandForTheStart) {
  FunctionBuilder f;
  f.registers(2);
  f.label("L");
  ir::Operand both = definition(r(0));
  both.reads = true;
  ir::Instruction& step = f.plain({both});
  f.bra("L", Guard(r(1), false));
  const Built built(f);
  ASSERT_EQ(phiCount(built.ssa), 1u);
  const ValueId phi = built.ssa.use(step, step.operands()[0]);
  ASSERT_TRUE(built.ssa.isPhi(phi));
  const std::span<const ValueId> operands = built.ssa.phiOperands(phi);
  ASSERT_EQ(operands.size(), 2u);
  EXPECT_EQ(operands[0], built.ssa.definition(step, step.operands()[0]));
  EXPECT_EQ(built.ssa.kind(operands[1]), Ssa::Kind::Entry);
}

TEST(Ssa, CodeThatIsNotReachedHasNoValues) {
  FunctionBuilder f;
  f.registers(2);
  f.plain({definition(r(0))});
  f.bra("L");
  ir::Instruction& dead = f.plain({definition(r(0)), use(r(1))});
  f.label("L");
  f.plain({use(r(0))});
  const Built built(f);
  EXPECT_EQ(built.ssa.definition(dead, dead.operands()[0]), ValueId::None);
  EXPECT_EQ(built.ssa.use(dead, dead.operands()[1]), ValueId::None);
  EXPECT_EQ(phiCount(built.ssa), 0u);
}

TEST(Ssa, TheCarryFlagIsAValue) {
  test::ValueFunction f(R"(
    .reg .pred %p;
    .reg .b32 %r<9>;
    add.cc.u32 %r1, %r2, %r3;
    mov.u32 %r8, %r1;
    addc.cc.u32 %r4, %r5, %r6;
    @%p bra L;
    add.cc.u32 %r1, %r2, %r3;
  L:
    addc.u32 %r7, 0, 0;
    addc.u32 %r7, 0, 0;
  )");
  const Ssa& ssa = f.analyses().get<Ssa>();
  const std::vector<const ir::Instruction*> all = f.instructions();
  EXPECT_EQ(ssa.carryUse(*all[2]), ssa.carryDefinition(*all[0]));
  const ValueId joined = ssa.carryUse(*all[5]);
  ASSERT_TRUE(ssa.isPhi(joined));
  EXPECT_TRUE(ssa.isCarry(joined));
  std::vector<ValueId> operands(ssa.phiOperands(joined).begin(), ssa.phiOperands(joined).end());
  std::ranges::sort(operands);
  EXPECT_EQ(operands, (std::vector{ssa.carryDefinition(*all[2]), ssa.carryDefinition(*all[4])}));
  EXPECT_EQ(ssa.carryUse(*all[6]), joined);
}

TEST(Ssa, VectorsDefineEachOfTheirRegisters) {
  test::ValueFunction f(R"(
    .reg .b32 %r<9>;
    .reg .b64 %rd;
    ld.global.v4.u32 {%r1, %r2, _, %r1}, [%rd];
    st.global.v2.u32 [%rd], {%r1, %r2};
  )");
  const Ssa& ssa = f.analyses().get<Ssa>();
  const ir::Instruction& load = *f.instructions()[0];
  const ir::Instruction& store = *f.instructions()[1];
  EXPECT_EQ(ssa.use(store, store.operands()[2]), ssa.definition(load, load.operands()[4]));
  EXPECT_EQ(ssa.use(store, store.operands()[3]), ssa.definition(load, load.operands()[2]));
}

TEST(Ssa, IndirectBranchesHaveAnOperandForEachEdge) {
  test::ValueFunction f(R"(
    .reg .b32 %r<3>;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, 0;
  targets: .branchtargets A, B, A, JOIN;
    brx.idx %r0, targets;
  A:
    mov.u32 %r1, 1;
    bra JOIN;
  B:
    mov.u32 %r1, 2;
  JOIN:
    mov.u32 %r2, %r1;
  )");
  const Ssa& ssa = f.analyses().get<Ssa>();
  const ir::Instruction& last = *f.instructions().back();
  const ValueId phi = ssa.use(last, last.operands()[1]);
  ASSERT_TRUE(ssa.isPhi(phi));
  EXPECT_EQ(ssa.phiOperands(phi).size(), 3u);
}

// Walks random paths and keeps, for each register, the value that it holds.
TEST(Ssa, AgreesWithExecutionOnRandomFunctions) {
  constexpr ValueId kWrong{indexOf(ValueId::None) - 1};
  std::mt19937 random(11);
  std::size_t phis = 0;
  std::size_t uses = 0;
  for (std::uint32_t k = 0; k < 2000; ++k) {
    SCOPED_TRACE(k);
    FunctionBuilder f;
    test::buildRandomFunction(f, random, 1 + k % 9);
    const Built built(f);
    const Ssa& ssa = built.ssa;
    const Cfg& cfg = built.cfg;
    phis += phiCount(ssa);
    for (int walk = 0; walk < 4; ++walk) {
      // None: what it held when the function began.
      std::vector<ValueId> held(test::kRandomRegisters + 1, ValueId::None);
      const auto slotOf = [](RegisterId id) {
        return id == RegisterId::None ? test::kRandomRegisters : static_cast<std::uint32_t>(id);
      };
      const auto isHeld = [&](ValueId value, RegisterId id) {
        const ValueId now = held[slotOf(id)];
        return ssa.reg(value) == id &&
               (now == ValueId::None ? ssa.kind(value) == Ssa::Kind::Entry : now == value);
      };
      BlockId at = cfg.entry();
      std::size_t position = cfg.inEdges(at).size();  // of the way in, among the operands of phis
      for (int step = 0; step < 40 && at != cfg.exit(); ++step) {
        for (const ValueId phi : ssa.phis(at)) {
          ASSERT_TRUE(isHeld(ssa.phiOperands(phi)[position], ssa.reg(phi)));
        }
        for (const ValueId phi : ssa.phis(at)) held[slotOf(ssa.reg(phi))] = phi;
        for (const ir::Instruction& instruction : cfg.instructions(at)) {
          if (instruction.guard) {
            ASSERT_TRUE(isHeld(ssa.guard(instruction), instruction.guard.predicate()));
          }
          for (const ir::Operand& operand : instruction.operands()) {
            if (operand.reg() == RegisterId::None || !operand.reads) continue;
            ASSERT_TRUE(isHeld(ssa.use(instruction, operand), operand.reg()));
            ++uses;
          }
          for (const ir::Operand& operand : instruction.operands()) {
            if (operand.reg() == RegisterId::None || !operand.writes) continue;
            const ValueId value = ssa.definition(instruction, operand);
            ASSERT_EQ(ssa.old(value) != ValueId::None, ir::isPartial(instruction, operand));
            // Of a value that nothing reads, what shows through may be wrong.
            const bool isRight =
                ssa.old(value) == ValueId::None || isHeld(ssa.old(value), operand.reg());
            held[slotOf(operand.reg())] = isRight ? value : kWrong;
          }
          if (usesCarry(instruction)) {
            ASSERT_TRUE(isHeld(ssa.carryUse(instruction), RegisterId::None));
          }
          if (definesCarry(instruction)) held.back() = ssa.carryDefinition(instruction);
        }
        const auto count = cfg.endOutEdge(at) - cfg.firstOutEdge(at);
        const EdgeId edge = cfg.firstOutEdge(at) + static_cast<EdgeId>(random() % count);
        at = cfg.target(edge);
        const std::span<const EdgeId> in = cfg.inEdges(at);
        position = static_cast<std::size_t>(std::ranges::find(in, edge) - in.begin());
      }
    }
  }
  EXPECT_GT(phis, 1000u);
  EXPECT_GT(uses, 1000u);
}

TEST(Ssa, PhisAreLiveAndHaveDifferentOperands) {
  std::mt19937 random(12);
  for (std::uint32_t k = 0; k < 500; ++k) {
    FunctionBuilder f;
    test::buildRandomFunction(f, random, 1 + k % 9);
    const Built built(f);
    for (const ValueId v : built.ssa.values()) {
      if (!built.ssa.isPhi(v)) continue;
      EXPECT_TRUE(built.ssa.isCarry(v) ||
                  built.liveness.isLiveIn(built.ssa.block(v), built.ssa.reg(v)));
      EXPECT_GE(built.ssa.phiOperands(v).size(), 2u);
    }
  }
}

// Two tracks with one-way steps from the first to the second: the frontiers of the first have n^2/2
// entries.
TEST(Ssa, DeepLadders) {
  constexpr int kSteps = 2000;
  FunctionBuilder f;
  f.registers(2);
  f.plain({definition(r(0))});
  for (int k = 0; k < kSteps; ++k) {
    f.label("A" + std::to_string(k));
    f.bra("B" + std::to_string(k), Guard(r(1), false));
    f.plain({definition(r(0))});
  }
  f.ret();
  for (int k = 0; k < kSteps; ++k) {
    f.label("B" + std::to_string(k));
    f.plain({use(r(0))});
  }
  const Built built(f);
  EXPECT_EQ(phiCount(built.ssa), static_cast<std::size_t>(kSteps - 1));
}

}  // namespace
}  // namespace ptxopt::analysis
