// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/manager.h"

#include <gtest/gtest.h>

#include "analysis/flow/call_graph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/control_dependence.h"
#include "analysis/flow/dominators.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loops.h"
#include "analysis/flow/maybe_undefined.h"
#include "analysis/launch/assumptions.h"
#include "function_builder.h"

namespace ptxopt::analysis {

// Counts how often it is made.
struct Counted {
  explicit Counted(const Dominators&) { ++made; }
  static inline int made = 0;
};
template <>
struct InputsOf<Counted> {
  using type = Inputs<Dominators>;
};

namespace {

class ManagerTest : public testing::Test {
 protected:
  void SetUp() override {
    Counted::made = 0;
    f_.ret();
  }
  test::FunctionBuilder f_;
};

TEST_F(ManagerTest, ComputesOnceAndOnDemand) {
  FunctionAnalyses analyses(f_.function());
  Cfg& cfg = analyses.get<Cfg>();
  EXPECT_EQ(&cfg.function(), &f_.function());
  EXPECT_EQ(&analyses.get<Cfg>(), &cfg);
  EXPECT_EQ(&analyses.get<ir::Function>(), &f_.function());
  analyses.get<Counted>();
  analyses.get<Counted>();
  EXPECT_EQ(Counted::made, 1);
  EXPECT_EQ(&analyses.get<Cfg>(), &cfg);
  EXPECT_EQ(&analyses.get<Liveness>().cfg(), &cfg);
  EXPECT_TRUE(analyses.get<ControlDependence>().controllers(BlockId{0}).empty());
  EXPECT_EQ(analyses.get<Loops>().count(), 0u);
  EXPECT_EQ(analyses.get<MaybeUndefined>().count(), 0u);
}

TEST_F(ManagerTest, KeepsWhatIsNamedIfItsInputsAreKept) {
  FunctionAnalyses analyses(f_.function());
  analyses.get<Counted>();
  analyses.invalidateAllBut<Cfg, Dominators, Counted>();
  analyses.get<Counted>();
  EXPECT_EQ(Counted::made, 1);
  analyses.invalidateAllBut<Cfg, Counted>();  // made from dominators that are gone
  analyses.get<Counted>();
  EXPECT_EQ(Counted::made, 2);
  analyses.invalidateAll();
  analyses.get<Counted>();
  EXPECT_EQ(Counted::made, 3);
}

TEST_F(ManagerTest, SeesTheFunctionAsItIsAfterInvalidation) {
  FunctionAnalyses analyses(f_.function());
  EXPECT_EQ(analyses.get<Cfg>().blockCount(), 1u);
  f_.ret();
  analyses.invalidateAll();
  EXPECT_EQ(analyses.get<Cfg>().blockCount(), 2u);
}

TEST_F(ManagerTest, KeepsWhatItWasGiven) {
  FunctionAnalyses analyses(f_.function());
  EXPECT_FALSE(analyses.get<Assumptions>().any());
  FunctionAnalyses others(f_.function());
  Assumptions given;
  given.add(Assumption::Drf);
  others.provide(given);
  others.get<Cfg>();
  others.invalidateAll();
  EXPECT_EQ(others.get<Assumptions>(), given);
}

TEST_F(ManagerTest, ServesModules) {
  ModuleAnalyses analyses(f_.module());
  CallGraph& graph = analyses.get<CallGraph>();
  EXPECT_EQ(&analyses.get<CallGraph>(), &graph);
  EXPECT_EQ(graph.graph().vertexCount(), 2u);
}

}  // namespace
}  // namespace ptxopt::analysis
