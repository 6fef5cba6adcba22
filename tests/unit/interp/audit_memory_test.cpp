// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims of accesses and of what becomes of bytes.
#include "audited.h"

namespace ptxopt::interp {
namespace {

using namespace facts;

class AuditMemory : public Audited {
 protected:
  Base unknown(std::vector<isa::Space> spaces) const {
    return {.kind = Base::Kind::Unknown, .spaces = std::move(spaces)};
  }
  Base variable(std::string_view name) const {
    return {.kind = Base::Kind::Variable, .symbol = symbol(name)};
  }
  Base parameter(std::string_view name, std::uint32_t offset = 0) const {
    return {.kind = Base::Kind::Parameter, .symbol = symbol(name), .offset = offset};
  }
  static Base dynamic() { return {.kind = Base::Kind::DynamicShared}; }
  PointsTo pointsTo(std::string_view spelled, std::vector<Base> bases, Bounds bytes = {},
                    std::uint32_t number = 0) const {
    return {address(spelled, number), std::move(bases), bytes};
  }
};

TEST_F(AuditMemory, PointsTo) {
  use(R"(
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .b8 tile[64];
.shared .align 4 .b8 other[64];
.global .align 4 .b8 table[64];
.const .align 4 .b8 fixed[64];
.visible .entry k(.param .u64 out, .param .align 8 .b8 both[16]) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .local .align 4 .b8 mine[16];
  ld.param.u64 %rd0, [out];
  ld.param.u64 %rd1, [both+8];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, tile;
  add.s32 %r3, %r2, %r1;
  st.shared.u32 [%r3+4], %r0;
  mov.u32 %r4, dynamic;
  st.shared.u32 [%r4+8], %r0;
  cvt.u64.u32 %rd2, %r3;
  cvta.shared.u64 %rd3, %rd2;
  st.u32 [%rd3], %r0;
  st.global.u32 [%rd0+4], %r0;
  st.global.u32 [%rd1], %r0;
  st.global.u32 [table+12], %r0;
  ld.const.u32 %r5, [fixed+4];
  st.local.u32 [mine+4], %r0;
  ld.local.u32 %r6, [mine+4];
  atom.global.add.u32 %r7, [%rd0], 1;
  ret;
})",
      R"({"block": 4, "shared": 64, "args": ["buffer:64", "values:u64:1,&arg0"]})");
  const auto holds = [&](const PointsTo& claim) {
    const Survey result = survey({claim});
    EXPECT_GT(result.audit.checks[0], 0u);
    return !result.audit.isFalse[0];
  };
  const std::string_view toTile = "st.shared.u32 [%r3+4], %r0";
  EXPECT_TRUE(holds(pointsTo(toTile, {variable("tile")})));
  EXPECT_TRUE(holds(pointsTo(toTile, {variable("tile")}, {4, 19})));
  EXPECT_FALSE(holds(pointsTo(toTile, {variable("tile")}, {4, 18})));
  EXPECT_FALSE(holds(pointsTo(toTile, {variable("tile")}, {5, 19})));
  EXPECT_TRUE(holds(pointsTo(toTile, {variable("other"), variable("tile")})));
  EXPECT_FALSE(holds(pointsTo(toTile, {variable("other")})));
  EXPECT_FALSE(holds(pointsTo(toTile, {dynamic()})));
  EXPECT_TRUE(holds(pointsTo(toTile, {unknown({isa::Space::Shared})})));
  EXPECT_FALSE(holds(pointsTo(toTile, {unknown({isa::Space::Global, isa::Space::Local})})));

  const std::string_view toDynamic = "st.shared.u32 [%r4+8], %r0";
  EXPECT_TRUE(holds(pointsTo(toDynamic, {dynamic()}, {8, 11})));
  EXPECT_FALSE(holds(pointsTo(toDynamic, {dynamic()}, {0, 7})));
  EXPECT_FALSE(holds(pointsTo(toDynamic, {variable("tile")})));

  const std::string_view generic = "st.u32 [%rd3], %r0";
  EXPECT_TRUE(holds(pointsTo(generic, {variable("tile")}, {0, 15})));
  EXPECT_FALSE(holds(pointsTo(generic, {unknown({isa::Space::Global})})));

  const std::string_view toOut = "st.global.u32 [%rd0+4], %r0";
  EXPECT_TRUE(holds(pointsTo(toOut, {parameter("out")}, {4, 7})));
  EXPECT_FALSE(holds(pointsTo(toOut, {parameter("out")}, {0, 3})));
  EXPECT_FALSE(holds(pointsTo(toOut, {variable("table")})));
  EXPECT_TRUE(holds(pointsTo(toOut, {parameter("both", 8)})));
  // The number there points to nothing.
  EXPECT_FALSE(holds(pointsTo(toOut, {parameter("both")})));
  EXPECT_TRUE(holds(pointsTo("st.global.u32 [%rd1], %r0", {parameter("both", 8)}, {0, 3})));
  EXPECT_TRUE(holds(pointsTo("st.global.u32 [table+12], %r0", {variable("table")}, {12, 15})));
  EXPECT_FALSE(holds(pointsTo("st.global.u32 [table+12], %r0", {parameter("out")})));
  EXPECT_TRUE(holds(pointsTo("ld.const.u32 %r5, [fixed+4]", {variable("fixed")}, {4, 7})));
  EXPECT_TRUE(holds(pointsTo("st.local.u32 [mine+4], %r0", {variable("mine")}, {4, 7})));
  EXPECT_FALSE(holds(pointsTo("ld.local.u32 %r6, [mine+4]", {variable("mine")}, {0, 3})));
  EXPECT_TRUE(holds(pointsTo("ld.param.u64 %rd1, [both+8]", {variable("both")}, {8, 15})));
  EXPECT_TRUE(holds(pointsTo("atom.global.add.u32 %r7, [%rd0], 1", {parameter("out")}, {0, 3})));
}

// Two CTAs of 64 threads: each thread has its own word, and those of a warp share another.
class AuditPairs : public AuditMemory {
 protected:
  void SetUp() override {
    use(R"(
.shared .align 4 .b8 tile[1024];
.visible .entry k() {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, tile;
  add.s32 %r3, %r2, %r1;
  st.shared.u32 [%r3], %r0;
  ld.shared.u32 %r4, [%r3];
  shr.u32 %r5, %r0, 5;
  shl.b32 %r5, %r5, 2;
  add.s32 %r5, %r2, %r5;
  st.shared.u32 [%r5+512], %r0;
  ld.shared.u32 %r6, [%r5+512];
  ld.shared.u8 %r7, [%r3+1];
  setp.eq.u32 %p0, %r0, 3;
  @%p0 ld.shared.u32 %r8, [%r2+16];
  ret;
})",
        R"({"grid": 2, "block": 64})");
  }
  bool holds(std::string_view a, std::string_view b, Threads threads, std::uint32_t schedules = 1) {
    const Survey result = survey({Disjoint{address(a), address(b), threads}}, schedules);
    EXPECT_GT(result.audit.checks[0], 0u);
    const Survey swapped = survey({Disjoint{address(b), address(a), threads}}, schedules);
    EXPECT_EQ(result.audit.isFalse, swapped.audit.isFalse);
    return !result.audit.isFalse[0];
  }
};

TEST_F(AuditPairs, DifferentThreads) {
  const std::string_view store = "st.shared.u32 [%r3], %r0";
  const std::string_view load = "ld.shared.u32 %r4, [%r3]";
  EXPECT_TRUE(holds(store, load, Threads::Different, 7));
  EXPECT_TRUE(holds(store, store, Threads::Different));
  EXPECT_FALSE(holds(store, load, Threads::Same));
  EXPECT_FALSE(holds(store, load, Threads::Any));
  EXPECT_TRUE(holds(store, "ld.shared.u8 %r7, [%r3+1]", Threads::Different));
  EXPECT_FALSE(holds(store, "ld.shared.u8 %r7, [%r3+1]", Threads::Same));
}

TEST_F(AuditPairs, DifferentWarps) {
  const std::string_view store = "st.shared.u32 [%r5+512], %r0";
  const std::string_view load = "ld.shared.u32 %r6, [%r5+512]";
  EXPECT_TRUE(holds(store, load, Threads::DifferentWarps, 7));
  EXPECT_TRUE(holds(store, store, Threads::DifferentWarps));
  EXPECT_FALSE(holds(store, load, Threads::Different));
  EXPECT_FALSE(holds(store, store, Threads::Different));
}

TEST_F(AuditPairs, AnyAndSame) {
  const std::string_view low = "st.shared.u32 [%r3], %r0";
  const std::string_view high = "st.shared.u32 [%r5+512], %r0";
  EXPECT_TRUE(holds(low, high, Threads::Any));
  EXPECT_TRUE(holds(low, high, Threads::Same));
  // Thread 3 reads what thread 4 wrote.
  const std::string_view one = "@%p0 ld.shared.u32 %r8, [%r2+16]";
  EXPECT_TRUE(holds(low, one, Threads::Same));
  EXPECT_FALSE(holds(low, one, Threads::Different));
  const Survey result = survey({Disjoint{address(low), address(one), Threads::Different}});
  std::string text;
  for (const Finding& finding : result.findings) text += format(*module_, finding);
  EXPECT_NE(text.find("thread (4,0,0) of CTA (0,0,0) touches the byte at"), std::string::npos)
      << text;
  EXPECT_NE(text.find("thread (3,0,0) of CTA (0,0,0) touches it here"), std::string::npos) << text;
}

TEST_F(AuditPairs, OneOperandTwice) {
  use(R"(
.shared .align 4 .b8 tile[1024];
.visible .entry k() {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  mov.u32 %r0, tile;
  mov.u32 %r1, 0;
L:
  st.shared.u32 [%r0], %r1;
  st.shared.u32 [tile+512], %r1;
  add.s32 %r0, %r0, 4;
  add.s32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, 3;
  @%p0 bra L;
  ret;
})",
      R"({"block": 1})");
  EXPECT_TRUE(holds("st.shared.u32 [%r0], %r1", "st.shared.u32 [%r0], %r1", Threads::Same));
  EXPECT_TRUE(holds("st.shared.u32 [%r0], %r1", "st.shared.u32 [%r0], %r1", Threads::Any));
  EXPECT_FALSE(
      holds("st.shared.u32 [tile+512], %r1", "st.shared.u32 [tile+512], %r1", Threads::Same));
  EXPECT_FALSE(
      holds("st.shared.u32 [tile+512], %r1", "st.shared.u32 [tile+512], %r1", Threads::Any));
}

TEST_F(AuditPairs, OperandsOfACopyAndOfAMatrix) {
  use(R"(
.shared .align 16 .b8 tile[1024];
.shared .align 16 .b8 rows[1024];
.visible .entry k(.param .u64 in) {
  .reg .b32 %r<12>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [in];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 4;
  mov.u32 %r2, tile;
  add.s32 %r3, %r2, %r1;
  cvt.u64.u32 %rd1, %r1;
  add.s64 %rd2, %rd0, %rd1;
  cp.async.ca.shared.global [%r3], [%rd2], 16;
  cp.async.wait_all;
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3];
  ld.global.u32 %r8, [%rd2+4];
  ret;
})",
      R"({"block": 64, "args": ["buffer:1024"]})");
  const std::string_view copy = "cp.async.ca.shared.global [%r3], [%rd2], 16";
  const std::string_view matrix =
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3]";
  const std::string_view load = "ld.global.u32 %r8, [%rd2+4]";
  // Which lane a row goes to is not said.
  EXPECT_TRUE(holds(copy, matrix, Threads::Different));
  EXPECT_TRUE(holds(copy, matrix, Threads::DifferentWarps));
  EXPECT_FALSE(holds(copy, matrix, Threads::Any));
  const auto isFalse = [&](const Disjoint& claim) -> bool {
    return survey({claim}).audit.isFalse[0];
  };
  EXPECT_TRUE(isFalse({address(copy, 1), address(load), Threads::Same}));
  EXPECT_FALSE(isFalse({address(copy, 0), address(load), Threads::Any}));
  EXPECT_TRUE(survey({pointsTo(copy, {parameter("in")}, {0, 1023}, 1)}).findings.empty());
  EXPECT_FALSE(survey({pointsTo(copy, {parameter("in")}, {}, 0)}).findings.empty());
  EXPECT_FALSE(survey({pointsTo(matrix, {variable("rows")})}).findings.empty());
  EXPECT_TRUE(survey({pointsTo(matrix, {variable("tile")})}).findings.empty());
}

TEST_F(AuditMemory, OwnBytes) {
  use(R"(
.shared .align 4 .b8 own[256];
.shared .align 4 .b8 common[256];
.visible .entry k() {
  .reg .b32 %r<9>;
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, own;
  add.s32 %r2, %r2, %r1;
  mov.u32 %r3, common;
  add.s32 %r3, %r3, %r0;
  st.shared.u32 [%r2], %r0;
  st.shared.u16 [%r2], %r0;
  and.b32 %r4, %r3, -4;
  ld.shared.u32 %r5, [%r4];
  ret;
})",
      R"({"grid": 2, "block": 64})");
  expectHolds(OwnBytes{symbol("own")}, 7);
  const Survey result = survey({OwnBytes{symbol("common")}});
  EXPECT_TRUE(result.audit.isFalse[0]);
}

TEST_F(AuditMemory, Unread) {
  use(R"(
.shared .align 4 .b8 written[256];
.shared .align 4 .b8 seen[256];
.global .align 4 .u32 total;
.global .align 4 .u32 log;
.func (.param .b32 s) f(.param .b32 n) {
  .reg .b32 %r<4>;
  .local .align 4 .b8 kept[8];
  .local .align 4 .b8 dropped[8];
  ld.param.u32 %r0, [n];
  st.local.u32 [kept+4], %r0;
  st.local.u32 [dropped+4], %r0;
  ld.local.u32 %r1, [kept+4];
  st.param.b32 [s], %r1;
  ret;
}
.visible .entry k(.param .u32 n, .param .u32 m) {
  .reg .b32 %r<9>;
  .param .b32 a;
  .param .b32 b;
  ld.param.u32 %r0, [n];
  st.shared.u32 [written], %r0;
  st.shared.u32 [seen], %r0;
  ld.shared.u32 %r1, [seen];
  red.global.add.u32 [total], 1;
  st.global.u32 [log], %r0;
  st.param.b32 [a], %r0;
  call (b), f, (a);
  ret;
})",
      R"({"block": 1, "args": ["u32:1", "u32:2"]})");
  expectHolds(Unread{symbol("written")});
  expectFalse(Unread{symbol("seen")}, "reads 4 bytes");
  expectFalse(Unread{symbol("total")}, "reads 4 bytes");
  expectHolds(Unread{symbol("log")});
  expectFalse(Unread{symbol("n")}, "reads 4 bytes");
  expectFalse(Unread{symbol("a")}, "reads 4 bytes");
  function_ = "f";
  expectFalse(Unread{symbol("kept")}, "reads 4 bytes");
  expectHolds(Unread{symbol("dropped")});
  expectFalse(Unread{symbol("s")}, "reads 4 bytes");
}

TEST_F(AuditMemory, DeadStores) {
  use(R"(
.shared .align 4 .b8 tile[512];
.visible .entry k(.param .u64 out) {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  .local .align 4 .b8 mine[16];
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, tile;
  add.s32 %r3, %r2, %r1;
  xor.b32 %r4, %r3, 4;
  st.shared.u32 [%r3], 1;
  st.shared.u32 [%r3], 2;
  bar.sync 0;
  ld.shared.u32 %r5, [%r4];
  bar.sync 1;
  st.shared.u32 [%r3], 3;
  st.local.u32 [mine], 4;
  st.local.u16 [mine], 5;
  ld.local.u32 %r6, [mine];
  st.local.u32 [mine+4], 6;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 st.global.u32 [%rd0], 7;
  @%p0 st.global.u32 [%rd0], 8;
  ret;
})",
      R"({"block": 64, "args": ["buffer:64"]})");
  expectHolds(DeadStore{at("st.shared.u32 [%r3], 1")}, 7);
  expectFalse(DeadStore{at("st.shared.u32 [%r3], 2")}, "stored here");
  expectHolds(DeadStore{at("st.shared.u32 [%r3], 3")}, 7);
  // Only half of it is written again.
  expectFalse(DeadStore{at("st.local.u32 [mine], 4")}, "reads it here");
  expectFalse(DeadStore{at("st.local.u16 [mine], 5")}, "reads it here");
  expectHolds(DeadStore{at("st.local.u32 [mine+4], 6")});
  expectHolds(DeadStore{at("@%p0 st.global.u32 [%rd0], 7")});
  expectFalse(DeadStore{at("@%p0 st.global.u32 [%rd0], 8")}, "is there when the kernel ends");
}

TEST_F(AuditMemory, AnArgumentInMemoryIsReadByTheCall) {
  use(R"(
.func (.param .b32 s) f(.param .b32 n) {
  .reg .b32 %r<4>;
  .local .align 4 .b8 mine[64];
  ld.local.u32 %r1, [mine];
  st.local.u32 [mine], 7;
  st.param.b32 [s], 1;
  ret;
}
.visible .entry k() {
  .reg .b32 %r<9>;
  .param .b32 a;
  .param .b32 b;
  st.param.b32 [a], 1;
  st.param.b32 [a], 2;
  call (b), f, (a);
  st.param.b32 [a], 3;
  call (b), f, (a);
  ld.param.b32 %r0, [b];
  ret;
})",
      R"({"block": 1})");
  expectHolds(DeadStore{at("st.param.b32 [a], 1")});
  expectFalse(DeadStore{at("st.param.b32 [a], 2")}, "reads it here");
  expectFalse(DeadStore{at("st.param.b32 [a], 3")}, "reads it here");
  // The second call has a frame of its own where the first one had.
  function_ = "f";
  expectHolds(DeadStore{at("st.local.u32 [mine], 7")});
  expectFalse(DeadStore{at("st.param.b32 [s], 1")}, "reads it here");
}

TEST_F(AuditMemory, OtherThreadsMayReadADeadStoreInARace) {
  use(R"(
.shared .align 4 .b8 tile[512];
.visible .entry k() {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 st.shared.u32 [tile], 1;
  ld.shared.u32 %r1, [tile];
  @%p0 st.shared.u32 [tile], 2;
  ret;
})",
      R"({"block": 64})");
  // Thread 0 itself reads it.
  EXPECT_TRUE(survey({DeadStore{at("@%p0 st.shared.u32 [tile], 1")}}).audit.isFalse[0]);
  use(R"(
.shared .align 4 .b8 tile[512];
.visible .entry k() {
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 st.shared.u32 [tile], 1;
  @%p0 st.shared.u32 [tile], 2;
  @!%p0 ld.shared.u32 %r1, [tile];
  ret;
})",
      R"({"block": 64})");
  EXPECT_FALSE(survey({DeadStore{at("@%p0 st.shared.u32 [tile], 1")}}, 21).audit.isFalse[0]);
}

TEST_F(AuditMemory, SharedMemoryOfAnotherCta) {
  use(R"(
.shared .align 128 .b8 tile[1024];
.shared .align 8 .b64 bar;
.visible .entry k(.param .u64 in) {
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [in];
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p0, %r0, 0;
  mov.u32 %r1, %cluster_ctarank;
  @%p0 mbarrier.init.shared.b64 [bar], 1;
  bar.sync 0;
  @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  setp.eq.and.u32 %p1, %r1, 0, %p0;
  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd0], 256, [bar], 3;
wait:
  mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
  @!%p2 bra wait;
  xor.b32 %r2, %r1, 1;
  mov.u32 %r3, tile;
  mapa.shared::cluster.u32 %r4, %r3, %r2;
  st.shared::cluster.u32 [%r4+512], %r0;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
})",
      R"({"grid": 2, "block": 32, "cluster": 2, "args": ["buffer:256"]})");
  const std::string_view remote = "st.shared::cluster.u32 [%r4+512], %r0";
  expectHolds(pointsTo(remote, {unknown({isa::Space::SharedCluster})}));
  expectFalse(pointsTo(remote, {unknown({isa::Space::Shared})}), "in shared memory");
  expectFalse(pointsTo(remote, {variable("tile")}), "in shared memory");
  // What a multicast names is in its own CTA.
  const std::string_view copy =
      "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster";
  expectHolds(pointsTo(copy, {variable("tile")}, {0, 255}, 0), 3);
  expectHolds(pointsTo(copy, {parameter("in")}, {0, 255}, 1), 3);
  expectHolds(pointsTo(copy, {variable("bar")}, {0, 7}, 2), 3);
  expectFalse(pointsTo(copy, {variable("bar")}, {}, 0), "touches 256 bytes");
  expectHolds(Disjoint{address(copy, 0), address(copy, 2), Threads::Any});
}

TEST_F(AuditMemory, EachClaimOnceFromCtasThatRunAtOnce) {
  use(R"(
.visible .entry k() {
  .reg .b32 %r<3>;
  mov.u32 %r0, %tid.x;
  ret;
})",
      R"({"grid": 8, "block": 32})");
  claims_ = {{"k", "test", Uniform{after("mov.u32 %r0, %tid.x", "%r0")}},
             {"k", "test", Stable{after("mov.u32 %r0, %tid.x", "%r0")}}};
  std::string error;
  MachineOptions options;
  options.claims = &claims_;
  options.detectsRaces = false;
  options.jobs = 4;
  const auto outcome = run(*module_, *findLaunch(text_, "", error), options, error);
  ASSERT_TRUE(outcome) << error;
  EXPECT_EQ(outcome->findings.size(), 1u);
  EXPECT_EQ(outcome->audit.checks, (std::vector<std::uint64_t>{256, 256}));
  EXPECT_EQ(outcome->audit.isFalse, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace ptxopt::interp
