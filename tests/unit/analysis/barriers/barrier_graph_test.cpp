// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/barrier_graph.h"

#include <gtest/gtest.h>

#include <deque>

#include "analysis/flow/dominators.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

constexpr const char* kCode = R"(
    .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;
    mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n];
    setp.gt.u32 %p1, %r1, 40; setp.eq.u32 %p2, %r2, 3;
)";

// For each barrier, those of the entry first: what lies above it and below it without another
// barrier between, as "reads.writes/reads.writes", and "!" where a pair of accesses needs it; "-"
// where not all threads provably take part.  docs/soundness/ C1.3, C2.1, C2.4
std::string regions(const std::string& body, const std::string& functions = "",
                    Precision precision = Precision::Objects, const Assumptions& assumptions = {},
                    const std::string& attributes = ".reqntid 64") {
  test::ValueFunction f(kCode + body, attributes, ".shared .b32 A[64], B[64];\n" + functions,
                        ".param .u32 n");
  const CallGraph calls(f.module());
  BarrierFacts facts(f.module(), calls);
  facts.addEffects(assumptions);
  std::deque<FunctionAnalyses> analyses;
  std::vector<BarrierBody> bodies;
  const auto addBody = [&](const ir::Function& function) {
    auto& of = analyses.emplace_back(*f.module().findFunction(function.nameText()));
    bodies.push_back(
        {&of.get<Cfg>(), &of.get<Liveness>(), &of.get<PostDominators>(), &of.get<Loops>(),
         precision == Precision::Affine ? &of.get<Addresses>() : nullptr, assumptions});
  };
  for (const auto& group : functionsThatShareBarriers(calls, facts.withKnownCallers)) {
    if (group.front() != &f.function()) continue;
    for (const ir::Function* member : group) addBody(*member);
  }
  if (bodies.empty()) addBody(f.function());
  const BarrierContext context(bodies, facts);
  BarrierGraph graph(bodies, context, precision);
  graph.regions().solve(1u << 20);
  std::string text;
  for (const BarrierGraph::Barrier& barrier : graph.barriers()) {
    if (!text.empty()) text += ' ';
    if (barrier.node == kNone) {
      text += '-';
      continue;
    }
    const auto side = [&](Direction direction) {
      const auto counts = graph.regions().count(barrier.node, direction);
      return std::to_string(counts->reads) + "." + std::to_string(counts->writes);
    };
    text += side(Direction::Backward) + "/" + side(Direction::Forward);
    if (graph.regions().conflict(barrier.node, precision)) text += '!';
  }
  return text;
}

const std::string kStore = "st.shared.u32 [A], %r1;";
const std::string kLoad = "ld.shared.u32 %r3, [A];";
const std::string kSync = "bar.sync 0;";

TEST(BarrierGraph, StretchesBetweenBarriers) {
  EXPECT_EQ(regions(kSync + "ret;"), "0.0/0.0");
  EXPECT_EQ(regions(kStore + kSync + kLoad + "ret;"), "0.1/1.0!");
  EXPECT_EQ(regions(kLoad + kSync + kLoad + "ret;"), "1.0/1.0");
  EXPECT_EQ(regions(kStore + kSync + kSync + kLoad + "ret;"), "0.1/0.0 0.0/1.0");
  EXPECT_EQ(regions(kStore + kSync + "ld.shared.u32 %r3, [B]; ret;"), "0.1/1.0");
  // What is not full does not separate; it counts as a read and a write itself.
  EXPECT_EQ(regions(kStore + kSync + "bar.sync 1, 32;" + kLoad + "ret;"), "0.1/2.1! -");
}

TEST(BarrierGraph, WaysThroughTheBody) {
  EXPECT_EQ(regions(kStore + kSync + "@%p2 bra L;" + kSync + "L:" + kLoad + "ret;"),
            "0.1/1.0! 0.0/1.0");
  EXPECT_EQ(regions("@%p2 bra L;" + kStore + "L:" + kSync + kLoad + "ret;"), "0.1/1.0!");
  EXPECT_EQ(regions("@%p2 bra L;" + kStore + "bra M; L:" + kLoad + "M:" + kSync + kStore + "ret;"),
            "1.1/0.1!");
  // Around a loop.
  EXPECT_EQ(regions("L:" + kLoad + kSync + "ld.shared.u32 %r4, [B]; @%p2 bra L; ret;"), "2.0/2.0");
  EXPECT_EQ(regions("L:" + kSync + kStore + "@%p2 bra L; ret;"), "0.1/0.1!");
  // Nobody gets to the store.
  EXPECT_EQ(regions(kSync + kLoad + "ret; L:" + kStore + "ret;"), "0.0/1.0");
}

// C1.3: who ends arrives at the barriers of those who go on.
TEST(BarrierGraph, EndsOfThreads) {
  EXPECT_EQ(regions("@%p1 bra L; bra M; L:" + kStore + "ret; M:" + kSync + kLoad + "ret;"),
            "0.1/1.0!");
  // All end there, or none.
  EXPECT_EQ(regions("@%p2 bra L; bra M; L:" + kStore + "ret; M:" + kSync + kLoad + "ret;"),
            "0.0/1.0");
  EXPECT_EQ(regions("@%p1 bra L; bra M; L:" + kStore + "exit; M:" + kSync + kLoad + "ret;"),
            "0.1/1.0!");
  EXPECT_EQ(regions(kStore + "@%p1 exit;" + kSync + kLoad + "ret;"), "0.1/1.0!");
}

// C1.6, C2.4
TEST(BarrierGraph, ThroughFunctions) {
  const std::string f =
      ".func f() { .reg .b32 %x; ld.shared.u32 %x, [A]; bar.sync 1; st.shared.u32 [B], 1; ret; }\n";
  EXPECT_EQ(regions(kStore + kSync + "call f; ret;", f), "0.1/1.0! 1.0/0.1");
  EXPECT_EQ(regions(kStore + "call f;" + "ld.shared.u32 %r3, [B]; ret;", f), "1.1/1.1");
  EXPECT_EQ(regions(kStore + "call f;" + kLoad + "ret;", f), "1.1/1.1!");
  EXPECT_EQ(regions("call f;" + kSync + kLoad + "ret;", f), "0.1/1.0 1.0/0.1");
  // A body that holds no barrier is part of the piece of its caller.
  EXPECT_EQ(regions(kSync + "call g; ret;", ".func g() { st.shared.u32 [A], 1; ret; }"), "0.0/0.1");
  // One of several: all that either does, and a barrier that may be partial.
  EXPECT_EQ(regions(kSync + "T: .calltargets f, g; mov.u64 %d1, f; call %d1, T; ret;",
                    f + ".func g() { ret; }"),
            "0.0/2.2");
  // One that may end the thread.
  EXPECT_EQ(regions(kStore + "call e;" + kSync + kLoad + "ret;",
                    ".func e() { .reg .pred %p; .reg .b32 %t; mov.u32 %t, %tid.x;"
                    "setp.eq.u32 %p, %t, 1; @%p exit; ret; }"),
            "0.1/1.0!");
}

// C8: with addresses, what each thread does in its own place needs no barrier.
TEST(BarrierGraph, WithAddresses) {
  const std::string own = "mov.u32 %r5, A; mad.lo.u32 %r5, %r1, 4, %r5;";
  const std::string body =
      own + "st.shared.u32 [%r5], %r1;" + kSync + "ld.shared.u32 %r3, [%r5]; ret;";
  EXPECT_EQ(regions(body), "0.1/1.0!");
  EXPECT_EQ(regions(body, "", Precision::Affine), "0.1/1.0");
  EXPECT_EQ(regions(own + "st.shared.u32 [%r5], %r1;" + kSync + "ld.shared.u32 %r3, [%r5+4]; ret;",
                    "", Precision::Affine),
            "0.1/1.0!");
  EXPECT_EQ(regions(kStore + kSync + "ld.shared.u32 %r3, [B]; ret;", "", Precision::Flags),
            "0.1/1.0!");
}

// C8.2: in a block of several rows, this store would be a race.
TEST(BarrierGraph, WithoutRaces) {
  Assumptions drf;
  drf.add(Assumption::Drf);
  const std::string store = "mov.u32 %r5, A; mad.lo.u32 %r5, %r1, 4, %r5; st.shared.u32 [%r5], 1;";
  const std::string load = kSync + "ld.shared.u32 %r3, [%r5]; ret;";
  const auto ask = [&](const std::string& body, const Assumptions& assumptions) {
    return regions(body, ".func g() { ret; }", Precision::Affine, assumptions, "");
  };
  EXPECT_EQ(ask(store + load, {}), "0.1/1.0!");
  EXPECT_EQ(ask(store + load, drf), "0.1/1.0");
  EXPECT_EQ(ask("call g;" + store + load, drf), "0.1/1.0");
  // One thread stores: there is no race, whatever the shape.
  const std::string one = "mov.u32 %r6, %tid.y; setp.ne.u32 %p3, %r6, 0;";
  EXPECT_EQ(ask(one + "@%p3 bra L;" + store + "L:" + load, drf), "0.1/1.0!");
}

}  // namespace
}  // namespace ptxopt::analysis
