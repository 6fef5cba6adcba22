// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/broadcast_loads.h"

#include <gtest/gtest.h>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

constexpr const char* kCode = R"(
    .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;
    mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 40;
    mov.u32 %r3, A; mad.lo.u32 %r3, %r1, 4, %r3; ld.param.u64 %d1, [n];
)";

// For each barrier: "+" where all threads provably take part, "-" where they do not.  `body` leaves
// in %r2 what then decides about the last two barriers.
std::string takePart(const std::string& body, const Assumptions& assumptions = {},
                     const std::string& attributes = ".reqntid 64") {
  const std::string decision =
      "setp.eq.u32 %p3, %r2, 0; @%p3 bra ELSE; bar.sync 0; ELSE: bar.sync 0; ret;";
  test::ValueFunction f(kCode + body + decision, attributes, ".shared .b32 A[64], F[2];\n",
                        ".param .u64 n");
  const CallGraph calls(f.module());
  BarrierFacts facts(f.module(), calls);
  facts.addEffects(assumptions);
  FunctionAnalyses of(*f.module().findFunction(f.function().nameText()));
  const auto bodies = [&](bool withAddresses) {
    return std::vector<BarrierBody>{{&of.get<Cfg>(), &of.get<Liveness>(), &of.get<PostDominators>(),
                                     &of.get<Loops>(),
                                     withAddresses ? &of.get<Addresses>() : nullptr, assumptions}};
  };
  const BarrierContext context(bodies(false), facts, [&] { return bodies(true); });
  std::string text;
  for (const Participation::Member& member : context.participation.barriers()) {
    text += isCandidate(member.standing) ? '+' : '-';
  }
  return text;
}

const std::string kFlag = "@%p1 st.shared.u32 [F], %r1;";
const std::string kSync = "bar.sync 0;";
const std::string kLoad = "ld.shared.u32 %r2, [F];";

// docs/soundness/ C1.2.11
TEST(BroadcastLoads, NothingWritesInTheEpoch) {
  EXPECT_EQ(takePart(kFlag + kSync + kLoad), "+++");
  EXPECT_EQ(takePart(kFlag + kLoad), "--");
  EXPECT_EQ(takePart(kFlag + kSync + kLoad + "@%p2 st.shared.u32 [F], 1;"), "---");
  EXPECT_EQ(takePart(kFlag + kSync + kLoad + "@%p2 st.shared.u32 [F+4], 1;"), "+++");
  EXPECT_EQ(takePart(kFlag + kSync + kLoad + kSync + "@%p2 st.shared.u32 [F], 1;"), "++++");
  EXPECT_EQ(takePart(kFlag + kSync + kLoad + "@%p2 st.u32 [%d1], 1;"), "---");
  EXPECT_EQ(takePart(kFlag + kSync + kLoad + "@%p2 st.global.u32 [%d1], 1;"), "+++");
  EXPECT_EQ(takePart(kFlag + kSync + "ld.shared.u32 %r2, [%r3];"), "---");
  EXPECT_EQ(takePart(kFlag + kSync + "ld.volatile.shared.u32 %r2, [F];"), "---");
}

TEST(BroadcastLoads, WhoEndsHasNoOrder) {
  EXPECT_EQ(takePart(kFlag + "@%p2 st.shared.u32 [F], 1;" + kSync + kLoad), "---");
  EXPECT_EQ(takePart(kFlag + "@%p2 exit;" + kSync + kLoad), "---");
  EXPECT_EQ(takePart(kFlag + kSync + "@%p2 exit;" + kLoad), "+++");
}

TEST(BroadcastLoads, RacesLeaveOpenWhatIsRead) {
  const std::string race = "setp.lt.u32 %p4, %r1, 2; @%p4 st.shared.u32 [F], %r1;" + kSync;
  EXPECT_EQ(takePart(race + kLoad), "---");
  EXPECT_EQ(takePart("st.shared.u32 [F], 7;" + kSync + kLoad), "+++");
  EXPECT_EQ(takePart("atom.shared.add.u32 %r4, [F], %r1;" + kSync + kLoad), "+++");
  EXPECT_EQ(takePart(race + kFlag + kSync + kLoad), "++++");
  EXPECT_EQ(takePart(race + "@%p1 st.shared.u16 [F], 7;" + kSync + kLoad), "----");
  // Two rows have two threads with tid.x = 0.
  EXPECT_EQ(takePart("mov.u32 %r4, %tid.y; @%p1 st.shared.u32 [F], %r4;" + kSync + kLoad, {}, ""),
            "---");
}

// docs/soundness/ C1.2.12
TEST(BroadcastLoads, WithoutRacesWhatOrdersThreadsMatters) {
  Assumptions drf;
  drf.add(Assumption::Drf);
  const std::string load = "ld.global.u32 %r2, [%d1];";
  const std::string atom = "atom.acq_rel.gpu.global.add.u32 %r4, [%d1+4], 1;";
  EXPECT_EQ(takePart(load), "--");
  EXPECT_EQ(takePart(load, drf), "++");
  EXPECT_EQ(takePart(atom + load, drf), "++");
  EXPECT_EQ(takePart(load + atom, drf), "++");
  EXPECT_EQ(takePart(atom + load + atom, drf), "--");
  EXPECT_EQ(takePart("ld.global.nc.u32 %r2, [%d1];", drf), "--");
}

// docs/soundness/ C1.4.2
TEST(BroadcastLoads, NumbersInRegistersTaintWhatTheyMayBe) {
  const std::string zero = "mov.u32 %r2, 0;";
  const std::string ids = "shr.u32 %r4, %r1, 5; add.u32 %r5, %r4, 1; mov.u32 %r6, 32;";
  EXPECT_EQ(takePart(zero + ids + "bar.sync %r5, %r6;"), "-++");
  EXPECT_EQ(takePart(zero + ids + "bar.sync %r4, %r6;"), "---");
  EXPECT_EQ(takePart(zero + "mov.u32 %r5, 3; mov.u32 %r6, 64; bar.sync %r5, %r6;"), "+++");
}

}  // namespace
}  // namespace ptxopt::analysis
