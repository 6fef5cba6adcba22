// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/cfg.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flow_graph_text.h"
#include "function_builder.h"

namespace ptxopt::analysis {
namespace {

using ir::Guard;
using ir::RegisterId;
using test::edges;
using test::FunctionBuilder;

const Guard kGuard(RegisterId{0}, false);

TEST(Cfg, EmptyBodyIsOneBlockThatReturns) {
  FunctionBuilder f;
  const Cfg cfg(f.function());
  EXPECT_EQ(cfg.blockCount(), 1u);
  EXPECT_EQ(edges(cfg), "0-return->x");
  EXPECT_EQ(cfg.block(BlockId{0}).first, nullptr);
  EXPECT_TRUE(cfg.statements(BlockId{0}).begin() == cfg.statements(BlockId{0}).end());
}

TEST(Cfg, GuardedBranchIsTakenOrFallsThrough) {
  FunctionBuilder f;
  ir::Instruction& first = f.plain();
  ir::Instruction& branch = f.bra("L", kGuard);
  ir::Instruction& skipped = f.plain();
  f.label("L");
  f.ret();
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg), "0-taken->2 0-fallthrough->1 1-fallthrough->2 2-return->x");
  EXPECT_EQ(cfg.block(BlockId{0}).first, &first);
  EXPECT_EQ(cfg.block(BlockId{0}).last, &branch);
  EXPECT_EQ(cfg.block(BlockId{0}).terminator, &branch);
  EXPECT_EQ(cfg.block(BlockId{1}).terminator, nullptr);
  EXPECT_EQ(first.block, BlockId{0});
  EXPECT_EQ(skipped.block, BlockId{1});
  EXPECT_EQ(cfg.blockOfLabel(f.labelNamed("L")), BlockId{2});
  EXPECT_EQ(cfg.blockOfLabel(f.labelNamed("nowhere")), BlockId::None);
}

TEST(Cfg, BranchToTheNextBlockKeepsBothEdges) {
  FunctionBuilder f;
  f.bra("L", kGuard);
  f.label("L");
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg), "0-taken->1 0-fallthrough->1 1-return->x");
}

TEST(Cfg, IndirectBranchHasOneEdgeForEachDistinctTarget) {
  FunctionBuilder f;
  const ir::SymbolId list = f.targetList({"A", "B", "A"});
  f.brx(list);
  f.label("A");
  f.brx(list, kGuard);
  f.label("B");
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg),
            "0-indirect->1 0-indirect->2 1-indirect->1 1-indirect->2 1-fallthrough->2 2-return->x");
}

TEST(Cfg, WaysToEndAThreadLeadToTheExit) {
  FunctionBuilder f;
  f.ret(kGuard);
  f.exit(kGuard);
  f.trap(kGuard);
  f.trap();
  f.exit();
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg),
            "0-return->x 0-fallthrough->1 1-exit->x 1-fallthrough->2 2-trap->x "
            "2-fallthrough->3 3-trap->x 4-exit->x");
  EXPECT_TRUE(cfg.isReachable(BlockId{3}));
  EXPECT_FALSE(cfg.isReachable(BlockId{4}));
  EXPECT_TRUE(cfg.isReachable(cfg.exit()));
}

TEST(Cfg, CallsThatDoNotComeBackEndTheBlock) {
  FunctionBuilder f;
  const ir::SymbolId assertFail = f.functionNamed("__assertfail");
  const ir::SymbolId print = f.functionNamed("vprintf");
  const ir::SymbolId marked = f.functionNamed("die");
  const ir::SymbolId own = f.functionNamed("__assertfail");
  f.module().symbolAt(own).function->setHasBody();
  ir::Attribute attribute;
  attribute.name = f.module().name(".noreturn");
  f.module().symbolAt(marked).function->attributes.push_back(attribute);
  f.call(print);
  f.call(own);
  f.call(assertFail, kGuard);
  f.call(marked);
  f.ret();
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg), "0-noreturn->x 0-fallthrough->1 1-noreturn->x 2-return->x");
}

TEST(Cfg, IndirectCallDoesNotComeBackIfNoTargetDoes) {
  FunctionBuilder f;
  const ir::SymbolId die = f.functionNamed("__assertfail");
  const ir::SymbolId print = f.functionNamed("vprintf");
  const ir::SymbolId deadly = f.targetList({});
  const ir::SymbolId mixed = f.targetList({});
  std::vector<ir::SymbolId> one = {die};
  std::vector<ir::SymbolId> two = {die, print};
  for (ir::SymbolId list : {deadly, mixed}) f.function().symbolAt(list).targets->areCalls = true;
  f.function().symbolAt(deadly).targets->targets = one;
  f.function().symbolAt(mixed).targets->targets = two;
  f.callIndirect(mixed);
  ir::Instruction* last = &f.callIndirect(deadly);
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg), "0-noreturn->x");
  EXPECT_EQ(cfg.block(BlockId{0}).terminator, last);
}

TEST(Cfg, FallsOffTheEndOfTheBody) {
  FunctionBuilder f;
  f.plain();
  f.ret(kGuard);
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg), "0-return->x 0-return->x");
}

TEST(Cfg, ScopesAndDeclarationsDoNotSplitBlocks) {
  FunctionBuilder f;
  f.scopeBegin();
  f.label("A");
  f.label("B");
  f.scopeBegin();
  f.plain();
  f.scopeEnd();
  f.ret();
  f.scopeEnd();
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg), "0-return->x");
  EXPECT_EQ(cfg.block(BlockId{0}).first->kind, ir::StatementKind::ScopeBegin);
  EXPECT_EQ(cfg.block(BlockId{0}).last->kind, ir::StatementKind::ScopeEnd);
  EXPECT_EQ(cfg.block(BlockId{0}).last, f.function().body().back());
  EXPECT_EQ(cfg.block(BlockId{0}).terminator->desc->control, isa::Control::Return);
  EXPECT_EQ(std::distance(cfg.statements(BlockId{0}).begin(), cfg.statements(BlockId{0}).end()), 8);
  EXPECT_EQ(std::distance(cfg.instructions(BlockId{0}).begin(), cfg.instructions(BlockId{0}).end()),
            2);
}

TEST(Cfg, LabelAtTheEndIsABlock) {
  FunctionBuilder f;
  f.bra("L");
  f.label("L");
  f.scopeEnd();
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg), "0-taken->1 1-return->x");
}

TEST(Cfg, EndlessLoopsGetOneVirtualExitFromALatch) {
  FunctionBuilder f;
  f.bra("END", kGuard);
  f.label("H");
  f.bra("A", kGuard);
  f.plain();
  f.label("A");
  f.bra("H");
  f.label("END");
  f.ret();
  f.label("DEAD");
  f.bra("DEAD");
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg),
            "0-taken->4 0-fallthrough->1 1-taken->3 1-fallthrough->2 2-fallthrough->3 "
            "3-taken->1 3-endless->x 4-return->x 5-taken->5 5-endless->x");
  EXPECT_FALSE(cfg.isReachable(BlockId{5}));
}

TEST(Cfg, UnknownInstructionMayGoToEveryLabelItNames) {
  FunctionBuilder f;
  const ir::SymbolId list = f.targetList({"B"});
  f.unknown({FunctionBuilder::use(RegisterId{0})});
  f.unknown({ir::Operand::ofSymbol(f.labelNamed("A")), ir::Operand::ofSymbol(list)});
  f.plain();
  f.label("A");
  f.plain();
  f.label("B");
  f.ret();
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg),
            "0-unknown->2 0-unknown->3 0-unknown exit->x 0-fallthrough->1 1-fallthrough->2 "
            "2-fallthrough->3 3-return->x");
  EXPECT_TRUE(cfg.block(BlockId{0}).mayExit);
  EXPECT_FALSE(cfg.block(BlockId{1}).mayExit);
}

TEST(Cfg, UnknownInstructionWithoutLabelsKeepsItsBlockGoing) {
  FunctionBuilder f;
  f.unknown({FunctionBuilder::use(RegisterId{0})});
  f.ret();
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg), "0-return->x");
  EXPECT_TRUE(cfg.block(BlockId{0}).mayExit);
}

TEST(Cfg, BranchToNowhereLeadsToTheExit) {
  FunctionBuilder f;
  ir::Symbol nothing;
  nothing.name = f.module().name("gone");
  const ir::SymbolId unresolved = f.module().addSymbol(nothing);
  ir::Instruction& branch = f.bra("A", kGuard);
  branch.operands()[0] = ir::Operand::ofSymbol(unresolved);
  f.bra("never placed");
  f.label("A");
  f.ret();
  const Cfg cfg(f.function());
  EXPECT_EQ(edges(cfg), "0-unknown exit->x 0-fallthrough->1 1-unknown exit->x 2-return->x");
}

TEST(Cfg, KeepsRangesWhenInstructionsAreErased) {
  FunctionBuilder f;
  ir::Instruction& a = f.plain();
  ir::Instruction& b = f.plain();
  ir::Instruction& c = f.plain();
  f.label("L");
  ir::Instruction& d = f.plain();
  ir::Instruction& end = f.ret();
  Cfg cfg(f.function());
  const auto erase = [&](ir::Instruction& instruction) {
    cfg.willErase(instruction);
    f.function().erase(&instruction);
  };
  erase(a);
  EXPECT_EQ(cfg.block(BlockId{0}).first, &b);
  erase(c);
  EXPECT_EQ(cfg.block(BlockId{0}).last, &b);
  for (ir::Instruction& instruction : cfg.instructions(BlockId{0})) erase(instruction);
  EXPECT_EQ(cfg.block(BlockId{0}).first, nullptr);
  erase(d);
  EXPECT_EQ(cfg.block(BlockId{1}).first->next, &end);
}

TEST(Cfg, LongBodiesAreLinear) {
  FunctionBuilder f;
  constexpr int kBlocks = 50'000;
  for (int b = 0; b < kBlocks; ++b) {
    f.label("L" + std::to_string(b));
    for (int k = 0; k < 19; ++k) f.plain();
    f.bra("L" + std::to_string(b + 1), kGuard);
  }
  f.label("L" + std::to_string(kBlocks));
  const Cfg cfg(f.function());
  EXPECT_EQ(cfg.blockCount(), kBlocks + 1u);
  EXPECT_EQ(cfg.edgeCount(), 2u * kBlocks + 1);
}

}  // namespace
}  // namespace ptxopt::analysis
