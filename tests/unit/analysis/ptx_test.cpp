// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The analyses on PTX text: that the parser and the instruction table give them what they ask for.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loops.h"
#include "analysis/flow/maybe_undefined.h"
#include "flow_graph_text.h"
#include "parse/parser.h"

namespace ptxopt::analysis {
namespace {

using test::edges;

class Ptx : public testing::Test {
 protected:
  static constexpr const char* kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

  ir::Module& parseModule(const std::string& text) {
    module_ = parse::parse(std::make_shared<SourceText>("test.ptx", kHeader + text), diagnostics_);
    EXPECT_NE(module_, nullptr);
    EXPECT_FALSE(diagnostics_.hasErrors());
    return *module_;
  }
  ir::Function& parseBody(const std::string& body) {
    return *parseModule(".entry k() {\n" + body + "\n}\n").findFunction("k");
  }
  Diagnostics diagnostics_;
  std::unique_ptr<ir::Module> module_;
};

TEST_F(Ptx, BranchesOfEveryKind) {
  const Cfg cfg(parseBody(R"(
    .reg .pred %p;
    .reg .b32 %r;
    mov.u32 %r, %tid.x;
    setp.eq.u32 %p, %r, 0;
  targets: .branchtargets A, B, A;
    @%p brx.idx %r, targets;
  A:
    @!%p bra.uni B;
    @%p trap;
    exit;
  B:
    bra B;
  )"));
  EXPECT_EQ(edges(cfg),
            "0-indirect->1 0-indirect->4 0-fallthrough->1 1-taken->4 1-fallthrough->2 2-trap->x "
            "2-fallthrough->3 3-exit->x 4-taken->4 4-endless->x");
}

TEST_F(Ptx, LabelsInNestedScopes) {
  const Cfg cfg(parseBody(R"(
    { .reg .pred %p; setp.eq.u32 %p, 0, 0; @%p bra OUT; bra L; L: bar.sync 0; }
    { L: bra L; }
  OUT: ret;
  )"));
  EXPECT_EQ(edges(cfg),
            "0-taken->4 0-fallthrough->1 1-taken->2 2-fallthrough->3 3-taken->3 3-endless->x "
            "4-return->x");
}

TEST_F(Ptx, UnknownInstructions) {
  const Cfg cfg(parseBody(R"(
    .reg .b32 %r;
    frobnicate.b32 %r, 1;
    frobnicate.goto L;
    mov.b32 %r, %r;
  L: ret;
  )"));
  EXPECT_EQ(edges(cfg),
            "0-unknown->2 0-unknown exit->x 0-fallthrough->1 1-fallthrough->2 2-return->x");
  EXPECT_TRUE(cfg.block(BlockId{0}).mayExit);
}

TEST_F(Ptx, CallsThatDoNotComeBack) {
  ir::Module& module = parseModule(R"(
    .extern .func __assertfail (.param .b64 a);
    .func die () .noreturn { trap; }
    .entry k() {
      .reg .pred %p;
      setp.eq.u32 %p, 0, 0;
      { .param .b64 q; st.param.b64 [q], 0; @%p call.uni __assertfail, (q); }
      call die, ();
      ret;
    })");
  EXPECT_EQ(edges(Cfg(*module.findFunction("k"))),
            "0-noreturn->x 0-fallthrough->1 1-noreturn->x 2-return->x");
}

TEST_F(Ptx, LivenessAcrossALoop) {
  ir::Function& function = parseBody(R"(
    .reg .pred %p;
    .reg .b32 %r<4>;
    .reg .b64 %rd;
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, 0;
  LOOP:
    add.u32 %r1, %r1, %r0;
    @%p mov.u32 %r2, 5;
    setp.lt.u32 %p, %r1, 100;
    @%p bra LOOP;
    st.global.u32 [%rd+4], %r1;
    ret;
  )");
  const Cfg cfg(function);
  const Liveness liveness(cfg);
  const auto names = [&](const std::vector<ir::RegisterId>& ids) {
    std::string text;
    for (const ir::RegisterId id : ids) text += function.registerName(id) + ' ';
    return text;
  };
  ASSERT_EQ(cfg.blockCount(), 3u);
  EXPECT_EQ(names(liveness.liveIn(BlockId{0})), "%p %rd ");
  EXPECT_EQ(names(liveness.liveIn(BlockId{1})), "%p %r0 %r1 %rd ");
  EXPECT_EQ(names(liveness.liveIn(BlockId{2})), "%r1 %rd ");
  EXPECT_EQ(Loops(cfg).count(), 1u);
  const MaybeUndefined undefined(cfg);
  ASSERT_EQ(undefined.count(), 2u);
  EXPECT_EQ(function.registerName(undefined.reads()[0].id), "%p");
  EXPECT_EQ(function.registerName(undefined.reads()[1].id), "%rd");
}

TEST_F(Ptx, ResultsOfFunctionsAreLiveAtTheirEnd) {
  ir::Module& module = parseModule(R"(
    .func (.reg .b32 out) f (.reg .b32 in) { add.u32 out, in, 1; ret; }
  )");
  const Cfg cfg(*module.findFunction("f"));
  const Liveness liveness(cfg);
  EXPECT_EQ(liveness.liveOut(BlockId{0}).size(), 1u);
  EXPECT_EQ(liveness.liveIn(BlockId{0}).size(), 1u);
  EXPECT_EQ(MaybeUndefined(cfg).count(), 0u);
}

TEST_F(Ptx, CallGraphOfAddressesAndIndirectCalls) {
  ir::Module& module = parseModule(R"(
    .func direct () { ret; }
    .func moved () { ret; }
    .func listed () { ret; }
    .func inTable () { ret; }
    .func unused () { ret; }
    .visible .func seen () { ret; }
    .global .u64 table[2] = { 0, inTable };
    .entry k() {
      .reg .b64 %f;
      call direct, ();
      mov.u64 %f, moved;
    proto: .callprototype _ ();
    list: .calltargets listed;
      call %f, (), list;
      call %f, (), proto;
      ret;
    })");
  const CallGraph graph(module);
  const auto vertex = [&](const char* name) { return graph.vertexOf(*module.findFunction(name)); };
  for (const char* name : {"moved", "listed", "inTable"}) {
    EXPECT_TRUE(graph.isAddressTaken(vertex(name))) << name;
  }
  for (const char* name : {"direct", "unused", "seen"}) {
    EXPECT_FALSE(graph.isAddressTaken(vertex(name))) << name;
  }
  const std::span<const CallSite> sites = graph.sites(vertex("k"));
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(graph.targets(sites[0])[0], vertex("direct"));
  EXPECT_EQ(graph.targets(sites[1])[0], vertex("listed"));
  EXPECT_EQ(graph.targets(sites[2])[0], graph.outside());
  const BitSet reached = graph.reachableFrom(vertex("k"));
  for (const char* name : {"direct", "listed", "moved", "inTable", "seen"}) {
    EXPECT_TRUE(reached.test(vertex(name))) << name;
  }
  EXPECT_FALSE(reached.test(vertex("unused")));
}

}  // namespace
}  // namespace ptxopt::analysis
