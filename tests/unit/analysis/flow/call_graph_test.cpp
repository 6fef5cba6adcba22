// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/call_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "function_builder.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

using ir::Operand;
using ir::RegisterId;
using ir::SymbolId;
using test::FunctionBuilder;

class CallGraphTest : public testing::Test {
 protected:
  SymbolId entry(const std::string& name) { return f_.functionNamed(name, true); }
  SymbolId declare(const std::string& name, ir::Linkage linkage = ir::Linkage::None) {
    const SymbolId symbol = f_.functionNamed(name);
    f_.module().symbolAt(symbol).function->linkage = linkage;
    return symbol;
  }
  // A function with an empty body, in which the test may go on.
  SymbolId define(const std::string& name, ir::Linkage linkage = ir::Linkage::None) {
    const SymbolId symbol = declare(name, linkage);
    f_.continueIn(symbol);
    return symbol;
  }
  SymbolId callTargets(std::vector<SymbolId> functions) {
    const SymbolId list = f_.targetList({});
    ir::TargetList* targets = f_.function().symbolAt(list).targets;
    targets->areCalls = true;
    targets->targets = f_.function().arena().copy(std::span<const SymbolId>(functions));
    return list;
  }
  ir::Function& function(SymbolId symbol) { return *f_.module().symbolAt(symbol).function; }
  Vertex vertex(const CallGraph& graph, SymbolId symbol) {
    return graph.vertexOf(function(symbol));
  }
  // "main calls", the outside written as *.
  std::set<std::string> callees(const CallGraph& graph, Vertex v) {
    std::set<std::string> names;
    for (const Vertex callee : graph.graph().successors(v)) {
      const bool isOutside = callee == graph.outside();
      names.insert(isOutside ? "*" : std::string(graph.function(callee)->nameText()));
    }
    return names;
  }
  std::set<std::string> callees(const CallGraph& graph, SymbolId symbol) {
    return callees(graph, vertex(graph, symbol));
  }

  FunctionBuilder f_;  // its own function "f" is an entry without instructions
};

using Names = std::set<std::string>;

TEST_F(CallGraphTest, DirectCallsAndDeclarationsWithTheirDefinition) {
  const SymbolId declaration = declare("helper");
  const SymbolId kernel = entry("kernel");
  f_.continueIn(kernel);
  f_.call(declaration);
  f_.call(declaration);
  f_.ret();
  const SymbolId helper = define("helper");
  const CallGraph graph(f_.module());
  EXPECT_EQ(callees(graph, kernel), Names{"helper"});
  EXPECT_EQ(callees(graph, helper), Names{});
  EXPECT_EQ(callees(graph, graph.outside()), Names{});
  EXPECT_EQ(vertex(graph, helper), vertex(graph, declaration));
  EXPECT_EQ(graph.function(vertex(graph, helper)), &function(helper));
  EXPECT_TRUE(graph.callersAreKnown(vertex(graph, helper)));
  EXPECT_FALSE(graph.callersAreKnown(vertex(graph, kernel)));
  ASSERT_EQ(graph.sites(vertex(graph, kernel)).size(), 2u);
  const CallSite& site = graph.sites(vertex(graph, kernel))[1];
  ASSERT_EQ(graph.targets(site).size(), 1u);
  EXPECT_EQ(graph.targets(site)[0], vertex(graph, helper));
  EXPECT_EQ(graph.targets(function(kernel), *site.instruction),
            std::vector<Vertex>{vertex(graph, helper)});
  EXPECT_EQ(graph.function(graph.outside()), nullptr);
}

TEST_F(CallGraphTest, TheOutsideCallsWhatItMayKnow) {
  const SymbolId visible = define("visible", ir::Linkage::Visible);
  const SymbolId weak = define("weak", ir::Linkage::Weak);
  const SymbolId hidden = define("hidden");
  const SymbolId external = declare("external", ir::Linkage::Extern);
  const SymbolId print = declare("vprintf", ir::Linkage::Extern);
  const CallGraph graph(f_.module());
  EXPECT_EQ(callees(graph, visible), Names{});
  EXPECT_EQ(callees(graph, weak), Names{"*"});  // its body may be replaced
  EXPECT_EQ(callees(graph, external), Names{"*"});
  EXPECT_EQ(callees(graph, print), Names{});
  EXPECT_EQ(callees(graph, graph.outside()), (Names{"visible", "weak", "external", "vprintf"}));
  EXPECT_FALSE(graph.callersAreKnown(vertex(graph, visible)));
  EXPECT_TRUE(graph.callersAreKnown(vertex(graph, hidden)));
}

TEST(CallGraphOfText, TheOutsideCallsTheFirstFunctionAsWell) {
  test::ValueFunction f("call first; ret;", "", ".extern .func first();");
  const CallGraph graph(f.module());
  const ir::Function& first = f.module().functions().front();
  EXPECT_FALSE(graph.callersAreKnown(graph.vertexOf(first)));
  const auto called = graph.graph().successors(graph.outside());
  EXPECT_EQ(std::ranges::count(called, graph.vertexOf(first)), 1);
}

TEST_F(CallGraphTest, IndirectCallsReachTheirTargetsOrTheOutside) {
  const SymbolId a = define("a");
  const SymbolId b = define("b");
  define("c");
  const SymbolId kernel = entry("kernel");
  f_.continueIn(kernel);
  f_.callIndirect(callTargets({a, b}));
  const SymbolId other = entry("other");
  f_.continueIn(other);
  f_.instruction(*f_.call(a).desc, {FunctionBuilder::use(RegisterId{0})});
  const CallGraph graph(f_.module());
  EXPECT_EQ(callees(graph, kernel), (Names{"a", "b"}));
  EXPECT_EQ(callees(graph, other), (Names{"a", "*"}));
  EXPECT_EQ(callees(graph, graph.outside()), (Names{"a", "b"}));
  EXPECT_TRUE(graph.isAddressTaken(vertex(graph, b)));
  EXPECT_FALSE(graph.callersAreKnown(vertex(graph, b)));
}

TEST_F(CallGraphTest, OperandsTakeAddressesAndCalleesDoNot) {
  const SymbolId called = define("called");
  const SymbolId moved = define("moved");
  const SymbolId passed = define("passed");
  const SymbolId odd = define("odd");
  const SymbolId kernel = entry("kernel");
  f_.continueIn(kernel);
  f_.plain({FunctionBuilder::definition(RegisterId{0}), Operand::ofSymbol(moved)});
  ir::Operand results;
  results.kind = ir::OperandKind::List;
  results.id = 1;
  ir::Operand arguments = results;
  const isa::InstructionDesc& call = *f_.call(called).desc;
  f_.instruction(call, {results, FunctionBuilder::definition(RegisterId{1}),
                        Operand::ofSymbol(called), arguments, Operand::ofSymbol(passed)});
  f_.unknown({Operand::ofSymbol(odd)});
  const CallGraph graph(f_.module());
  EXPECT_FALSE(graph.isAddressTaken(vertex(graph, called)));
  EXPECT_TRUE(graph.isAddressTaken(vertex(graph, moved)));
  EXPECT_TRUE(graph.isAddressTaken(vertex(graph, passed)));
  EXPECT_TRUE(graph.isAddressTaken(vertex(graph, odd)));
  EXPECT_EQ(callees(graph, kernel), (Names{"called", "odd", "*"}));
}

TEST_F(CallGraphTest, InitialisersAndAliasesTakeAddresses) {
  const SymbolId virtualFunction = define("virtual");
  const SymbolId opaque = define("opaque");
  const SymbolId aliased = define("aliased");
  const SymbolId plain = define("plain");
  ir::Relocation relocation;
  relocation.symbol = virtualFunction;
  ir::Initializer initializer;
  initializer.relocations = {&relocation, 1};
  initializer.opaqueSymbols = {&opaque, 1};
  ir::Variable table;
  table.initializer = &initializer;
  ir::Variable* variables[] = {&table};
  ir::VariableDeclaration declaration;
  declaration.kind = ir::StatementKind::VariableDeclaration;
  declaration.variables = variables;
  f_.module().items().append(&declaration);
  ir::Alias alias;
  alias.kind = ir::StatementKind::Alias;
  alias.aliasee = aliased;
  f_.module().items().append(&alias);
  const CallGraph graph(f_.module());
  EXPECT_TRUE(graph.isAddressTaken(vertex(graph, virtualFunction)));
  EXPECT_TRUE(graph.isAddressTaken(vertex(graph, opaque)));
  EXPECT_TRUE(graph.isAddressTaken(vertex(graph, aliased)));
  EXPECT_FALSE(graph.isAddressTaken(vertex(graph, plain)));
}

TEST_F(CallGraphTest, WhatCannotBeReadMayNameAnything) {
  const SymbolId a = define("a");
  const SymbolId kernel = entry("kernel");
  f_.continueIn(kernel);
  EXPECT_TRUE(CallGraph(f_.module()).callersAreKnown(vertex(CallGraph(f_.module()), a)));
  f_.module().hasUnknownDirective = true;
  EXPECT_FALSE(CallGraph(f_.module()).callersAreKnown(vertex(CallGraph(f_.module()), a)));
  f_.module().hasUnknownDirective = false;
  f_.function().isOpaque = true;
  const CallGraph graph(f_.module());
  EXPECT_TRUE(graph.isAddressTaken(vertex(graph, a)));
  EXPECT_EQ(callees(graph, kernel), Names{"*"});
}

TEST_F(CallGraphTest, ReachabilityAndRecursion) {
  const SymbolId even = declare("even");
  const SymbolId odd = define("odd");
  f_.call(even);
  define("even");
  f_.call(odd);
  const SymbolId lonely = define("lonely");
  const SymbolId self = define("self");
  f_.call(self);
  f_.call(even);
  const SymbolId kernel = entry("kernel");
  f_.continueIn(kernel);
  f_.call(self);
  const CallGraph graph(f_.module());
  const BitSet reached = graph.reachableFrom(vertex(graph, kernel));
  EXPECT_TRUE(reached.test(vertex(graph, kernel)));
  EXPECT_TRUE(reached.test(vertex(graph, odd)));
  EXPECT_FALSE(reached.test(vertex(graph, lonely)));
  EXPECT_FALSE(reached.test(graph.outside()));
  EXPECT_TRUE(graph.isRecursive(vertex(graph, even)));
  EXPECT_TRUE(graph.isRecursive(vertex(graph, self)));
  EXPECT_FALSE(graph.isRecursive(vertex(graph, kernel)));
  std::set<Vertex> before;
  for (const Vertex v : graph.bottomUp()) {
    for (const Vertex callee : graph.graph().successors(v)) {
      const bool isInCycle =
          graph.components().component[v] == graph.components().component[callee];
      EXPECT_TRUE(isInCycle || before.count(callee) == 1);
    }
    before.insert(v);
  }
}

}  // namespace
}  // namespace ptxopt::analysis
