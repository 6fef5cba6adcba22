// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/isa.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "isa/row_index.h"
#include "statement.h"

namespace ptxopt::isa {
namespace {

const InstructionDesc& descOf(std::string_view text) {
  static InstructionTable table;
  const Statement statement = parseStatement(text);
  return table.get(statement.mnemonic, statement.shape);
}

// "r w rw" of the operands, with the types where a row gives them: "w.u32 r.u32 r".
std::string roles(std::string_view text) {
  std::string result;
  const InstructionDesc& desc = descOf(text);
  for (const OperandRole& role : desc.roles) {
    if (!result.empty()) result += ' ';
    if (role.reads) result += 'r';
    if (role.writes) result += 'w';
    result += spelling(role.type);
    if (role.second != Type::None) {
      result += '|';
      result += spelling(role.second);
    }
    if (role.allowsWider) result += '~';
  }
  return result;
}

// ---- vocabulary --------------------------------------------------------------------------------

TEST(Types, WidthsAndSpellings) {
  EXPECT_EQ(bitWidth(Type::B8), 8);
  EXPECT_EQ(bitWidth(Type::F16x2), 32);
  EXPECT_EQ(bitWidth(Type::F32x2), 64);
  EXPECT_EQ(bitWidth(Type::TF32), 32);
  EXPECT_EQ(bitWidth(Type::B128), 128);
  EXPECT_EQ(bitWidth(Type::Pred), 0);
  EXPECT_EQ(bitWidth(Type::Other), 0);
  EXPECT_TRUE(isFloat(Type::BF16));
  EXPECT_FALSE(isFloat(Type::B32));
  EXPECT_TRUE(isSigned(Type::S64));
  EXPECT_FALSE(isSigned(Type::U64));
  EXPECT_EQ(spelling(Type::SamplerRef), ".samplerref");
  EXPECT_EQ(spelling(Type::None), "");
  for (int i = static_cast<int>(Type::Pred); i < static_cast<int>(Type::Other); ++i) {
    const Type type = static_cast<Type>(i);
    EXPECT_EQ(parseType(spelling(type)), type);
  }
  EXPECT_EQ(parseType(""), std::nullopt);
  EXPECT_EQ(parseType(".e4m3x2"), std::nullopt);
  EXPECT_EQ(parseType("b32"), std::nullopt);
}

TEST(Spaces, Spellings) {
  for (int i = static_cast<int>(Space::Reg); i <= static_cast<int>(Space::Tex); ++i) {
    const Space space = static_cast<Space>(i);
    EXPECT_EQ(parseSpace(spelling(space)), space);
  }
  EXPECT_EQ(parseSpace(".shared::cta"), Space::Shared);
  EXPECT_EQ(parseSpace(".shared::cluster"), Space::SharedCluster);
  EXPECT_EQ(parseSpace(".const[3]"), Space::Const);
  EXPECT_EQ(parseSpace(".share"), std::nullopt);
}

TEST(Opcodes, FirstWords) {
  EXPECT_EQ(parseOpcode("add"), Opcode::Add);
  EXPECT_EQ(parseOpcode("xor"), Opcode::Xor);
  EXPECT_EQ(parseOpcode("abs"), Opcode::Abs);
  EXPECT_EQ(parseOpcode("tcgen05"), Opcode::Tcgen05);
  EXPECT_EQ(parseOpcode(""), Opcode::Unknown);
  EXPECT_EQ(parseOpcode("ad"), Opcode::Unknown);
  EXPECT_EQ(parseOpcode("addx"), Opcode::Unknown);
  EXPECT_EQ(spelling(Opcode::Mad24), "mad24");
  EXPECT_EQ(spelling(Opcode::Unknown), "");
}

TEST(Opcodes, EveryOneHasARow) {
  for (int i = 1; i <= static_cast<int>(Opcode::Xor); ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    EXPECT_FALSE(rowsOf(opcode).empty()) << spelling(opcode);
    EXPECT_EQ(parseOpcode(spelling(opcode)), opcode);
  }
}

TEST(Targets, Parse) {
  EXPECT_EQ(parseTarget("sm_80"), (Target{80, 0}));
  EXPECT_EQ(parseTarget("sm_90a"), (Target{90, 'a'}));
  EXPECT_EQ(parseTarget("sm_100f"), (Target{100, 'f'}));
  EXPECT_EQ(parseTarget("sm_"), std::nullopt);
  EXPECT_EQ(parseTarget("sm_90b"), std::nullopt);
  EXPECT_EQ(parseTarget("compute_90"), std::nullopt);
  EXPECT_EQ(parseTarget("sm_999999"), std::nullopt);
}

TEST(Targets, Satisfies) {
  const auto is = [](std::string_view target, std::string_view requirement) {
    return satisfies(parseTarget(target).value(), requirement);
  };
  EXPECT_TRUE(is("sm_80", "80"));
  EXPECT_TRUE(is("sm_121", "80"));
  EXPECT_TRUE(is("sm_90a", "90"));
  EXPECT_FALSE(is("sm_75", "80"));
  EXPECT_TRUE(is("sm_90a", "90a"));
  EXPECT_FALSE(is("sm_90", "90a"));
  EXPECT_FALSE(is("sm_100a", "90a"));
  EXPECT_TRUE(is("sm_100f", "100f"));
  EXPECT_TRUE(is("sm_100a", "100f"));
  EXPECT_TRUE(is("sm_107a", "100f"));
  EXPECT_TRUE(is("sm_103f", "100f"));
  EXPECT_FALSE(is("sm_103", "100f"));
  EXPECT_FALSE(is("sm_100a", "103f"));
  EXPECT_FALSE(is("sm_110f", "100f"));
  EXPECT_TRUE(is("sm_110f", "100f|110f|103a"));
  EXPECT_TRUE(is("sm_103a", "100a|103a"));
  EXPECT_FALSE(is("sm_103f", "100a|103a"));
}

TEST(Shapes, KeepTheirOperands) {
  Shape shape;
  shape.push(OperandShape::Pair);
  shape.push(OperandShape::Address);
  shape.push(OperandShape::List);
  ASSERT_EQ(shape.size(), 3u);
  EXPECT_EQ(shape[0], OperandShape::Pair);
  EXPECT_EQ(shape[1], OperandShape::Address);
  EXPECT_EQ(shape[2], OperandShape::List);
  Shape other;
  EXPECT_NE(shape.key(), other.key());
  for (int i = 0; i < 40; ++i) other.push(OperandShape::Scalar);
  EXPECT_EQ(other.size(), 15u);
}

// ---- matching ----------------------------------------------------------------------------------

TEST(Matching, TypesAndRoles) {
  EXPECT_EQ(roles("add.u32 %r0, %r1, 5;"), "w.u32 r.u32 r.u32");
  EXPECT_EQ(roles("mul.wide.s16 %r0, %h1, %h2;"), "w.s32 r.s16 r.s16");
  EXPECT_EQ(roles("mad.wide.u32 %rd0, %r1, %r2, %rd3;"), "w.u64 r.u32 r.u32 r.u64");
  EXPECT_EQ(roles("shl.b64 %rd0, %rd1, %r2;"), "w.b64 r.b64 r.u32");
  EXPECT_EQ(roles("bfind.shiftamt.u64 %r0, %rd1;"), "w.u32 r.u64");
  EXPECT_EQ(roles("popc.b64 %r0, %rd1;"), "w.u32 r.b64");
  EXPECT_EQ(roles("slct.u64.f32 %rd0, %rd1, %rd2, %f3;"), "w.u64 r.u64 r.u64 r.f32");
  EXPECT_EQ(roles("selp.f32 %f0, %f1, %f2, %p0;"), "w.f32 r.f32 r.f32 r.pred");
}

TEST(Matching, Predicates) {
  EXPECT_EQ(roles("setp.lt.u32 %p0, %r1, %r2;"), "w.pred r.u32 r.u32");
  EXPECT_EQ(roles("setp.lt.u32 %p0|%p1, %r1, %r2;"), "w.pred|.pred r.u32 r.u32");
  EXPECT_EQ(roles("setp.lt.and.u32 %p0|%p1, %r1, %r2, !%p2;"), "w.pred|.pred r.u32 r.u32 r.pred");
  EXPECT_EQ(roles("setp.eq.u32.and %p0, %r1, %r2, %p2;"), "w.pred r.u32 r.u32 r.pred");
  EXPECT_EQ(roles("set.lt.and.f32.s32 %f0, %r1, %r2, %p2;"), "w.f32 r.s32 r.s32 r.pred");
  EXPECT_EQ(roles("lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 1, %p1;"),
            "w.b32|.pred r.b32 r.b32 r.b32 r.b32 r.pred");
}

TEST(Matching, Warps) {
  EXPECT_EQ(roles("shfl.sync.idx.b32 %r0|%p0, %r1, %r2, 31, -1;"),
            "w.b32|.pred r.b32 r.b32 r.b32 r.b32");
  EXPECT_EQ(roles("match.all.sync.b64 %r0|%p0, %rd1, -1;"), "w.b32|.pred r.b64 r.b32");
  EXPECT_EQ(roles("elect.sync %r0|%p0, -1;"), "w.b32|.pred r.b32");
  EXPECT_EQ(roles("vote.sync.ballot.b32 %r0, %p1, -1;"), "w.b32 r.pred r.b32");
  EXPECT_EQ(roles("vote.sync.any.pred %p0, !%p1, -1;"), "w.pred r.pred r.b32");
}

TEST(Matching, Memory) {
  EXPECT_EQ(roles("ld.global.v4.u8 {%h0, %h1, %h2, %h3}, [gmem];"), "w.u8~ r");
  EXPECT_EQ(roles("ld.global.u32.relaxed.gpu %r0, [gmem];"), "w.u32~ r");
  EXPECT_EQ(roles("ld.global.L2::cache_hint.u32 %r0, [gmem], %rd0;"), "w.u32~ r r.b64");
  EXPECT_EQ(roles("st.shared.v2.f32 [smem], {%f0, %f1};"), "r r.f32~");
  EXPECT_EQ(roles("atom.global.cas.b32 %r0, [gmem], %r1, %r2;"), "w.b32 r r.b32 r.b32");
  EXPECT_EQ(roles("red.global.add.f32 [gmem], %f1;"), "r r.f32");
  EXPECT_EQ(roles("tex.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tref, {%r0, %r1}];"), "w.f32 r");
  EXPECT_EQ(roles("tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}|%p0, [tref, {%f0, %f1}];"),
            "w.u32|.pred r");
  EXPECT_EQ(roles("suld.b.2d.v2.b64.zero {%rd0, %rd1}, [uref, {%r4, %r5}];"), "w.b64~ r");
  EXPECT_EQ(roles("sust.b.1d.b32.trap [uref, {%r1}], %r0;"), "r r.b32~");
}

TEST(Matching, MovesAndConversions) {
  EXPECT_EQ(roles("mov.u32 %r0, gmem;"), "w.u32 r.u32");
  EXPECT_EQ(roles("mov.b64 {%r0, %r1}, %rd0;"), "w r.b64");
  EXPECT_EQ(roles("mov.b64 %rd0, {%r0, %r1};"), "w.b64 r");
  EXPECT_EQ(roles("mov.v2.u32 {%r0, %r1}, {%r2, %r3};"), "w.u32 r.u32");
  EXPECT_EQ(roles("cvt.rn.f32.s64 %f0, %rd1;"), "w.f32~ r.s64~");
  EXPECT_EQ(roles("cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;"), "w.b32 r.s32 r.s32 r.b32");
  EXPECT_EQ(roles("cvt.rn.satfinite.e2m1x2.f32 %b0, %f1, %f2;"), "w.b8 r.f32 r.f32");
  EXPECT_EQ(roles("cvt.rs.satfinite.e4m3x4.f32 %r0, {%f1, %f2, %f3, %f4}, %r5;"),
            "w.b32 r.f32 r.b32");
}

TEST(Matching, Calls) {
  EXPECT_EQ(roles("call fn;"), "r");
  EXPECT_EQ(roles("call (%r0), fri, (%r1);"), "w r r");
  EXPECT_EQ(roles("call.uni (%r0), %rd1, (%r1), proto;"), "w r r r");
  EXPECT_EQ(roles("call fi, (%r1);"), "r r");
  EXPECT_EQ(roles("call %rd0, proto;"), "r r");
  EXPECT_EQ(roles("call (%r0), fr;"), "w r");
}

TEST(Matching, QualifiersInAnyOrderTypesInTheirs) {
  EXPECT_TRUE(descOf("fma.f32.ftz.rn %f0, %f1, %f2, %f3;").known());
  EXPECT_TRUE(descOf("barrier.red.and.pred.aligned %p0, 1, %p1;").known());
  const InstructionDesc& down = descOf("cvt.u8.u32 %h0, %r1;");
  EXPECT_EQ(down.type, Type::U8);
  EXPECT_EQ(down.sourceType, Type::U32);
  const InstructionDesc& up = descOf("cvt.u32.u8 %r0, %h1;");
  EXPECT_EQ(up.type, Type::U32);
  EXPECT_EQ(up.sourceType, Type::U8);
}

TEST(Matching, RefusesWhatNoRowSays) {
  EXPECT_FALSE(descOf("add.u32 %r0, %r1;").known());
  EXPECT_FALSE(descOf("add.u32.u32 %r0, %r1, %r2;").known());
  EXPECT_FALSE(descOf("add %r0, %r1, %r2;").known());
  EXPECT_FALSE(descOf("ld.global.u32.sparkling %r0, [gmem];").known());
  EXPECT_FALSE(descOf("ld.global.u32 %r0, %rd1;").known());
  EXPECT_FALSE(descOf("setp.u32 %p0, %r1, %r2;").known());
}

TEST(Matching, DescTellsItsText) {
  const InstructionDesc& desc = descOf("ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [gmem];");
  EXPECT_EQ(desc.mnemonic, "ld.global.v4.f32");
  EXPECT_EQ(desc.opcode, Opcode::Ld);
  ASSERT_EQ(desc.qualifiers.size(), 3u);
  EXPECT_EQ(desc.qualifiers[1], ".v4");
  EXPECT_TRUE(desc.has(".global"));
  EXPECT_FALSE(desc.has(".v2"));
  EXPECT_EQ(desc.vectorWidth, 4);
  EXPECT_EQ(desc.space, Space::Global);
  EXPECT_EQ(desc.type, Type::F32);
  EXPECT_EQ(desc.sourceType, Type::F32);
}

TEST(Matching, Carry) {
  const InstructionDesc& first = descOf("add.cc.u32 %r0, %r1, %r2;");
  EXPECT_TRUE(first.writesCarry);
  EXPECT_FALSE(first.readsCarry);
  const InstructionDesc& middle = descOf("addc.cc.u32 %r0, %r1, %r2;");
  EXPECT_TRUE(middle.writesCarry);
  EXPECT_TRUE(middle.readsCarry);
  const InstructionDesc& last = descOf("madc.hi.u32 %r0, %r1, %r2, %r3;");
  EXPECT_FALSE(last.writesCarry);
  EXPECT_TRUE(last.readsCarry);
  EXPECT_FALSE(first.is(kPure));
  EXPECT_FALSE(descOf("add.u32 %r0, %r1, %r2;").writesCarry);
}

// ---- classification: docs/soundness/ A2 ---------------------------------------------------------

struct Classified {
  const char* text;
  Effect effect;
};

void expectAll(std::initializer_list<Classified> cases) {
  for (const auto& [text, effect] : cases) {
    EXPECT_TRUE(descOf(text).known()) << text;
    EXPECT_EQ(static_cast<int>(descOf(text).effect), static_cast<int>(effect)) << text;
  }
}

// A2.1 to A2.4
TEST(Effects, Barriers) {
  expectAll({
      {"bar.sync 0;", Effect::CtaBarrier},
      {"bar.cta.sync 0;", Effect::CtaBarrier},
      {"barrier.sync 0;", Effect::CtaBarrier},
      {"barrier.cta.sync.aligned 0, 64;", Effect::CtaBarrier},
      {"bar.arrive 1, 64;", Effect::CtaBarrier},
      {"bar.red.popc.u32 %r0, 0, %p0;", Effect::CtaBarrier},
      {"barrier.red.and.pred %p1, 0, 64, !%p0;", Effect::CtaBarrier},
      {"bar.warp.sync -1;", Effect::WarpBarrier},
  });
}

// A2.5.1 to A2.5.5, A2.5.7, A2.5.8
TEST(Effects, OpaqueSynchronisation) {
  expectAll({
      {"membar.gl;", Effect::Sync},
      {"membar.sys;", Effect::Sync},
      {"fence.acq_rel.cluster;", Effect::Sync},
      {"fence.sc.gpu;", Effect::Sync},
      {"fence.acquire.sys;", Effect::Sync},
      {"fence.proxy.async;", Effect::Sync},
      {"fence.proxy.async.shared::cta;", Effect::Sync},
      {"fence.mbarrier_init.release.cluster;", Effect::Sync},
      {"fence.release.alias.sync_restrict::read.sys;", Effect::Sync},
      {"ld.acquire.gpu.global.u32 %r0, [gmem];", Effect::Sync},
      {"ld.acquire.cta.global.u32 %r0, [gmem];", Effect::Sync},
      {"st.release.sys.global.u32 [gmem], %r0;", Effect::Sync},
      {"st.mmio.relaxed.sys.global.u32 [gmem], %r0;", Effect::Sync},
      {"ld.mmio.relaxed.sys.global.u32 %r0, [gmem];", Effect::Sync},
      {"atom.acq_rel.gpu.global.add.u32 %r0, [gmem], %r1;", Effect::Sync},
      {"red.release.gpu.global.add.u32 [gmem], %r1;", Effect::Sync},
      {"barrier.cluster.arrive.relaxed;", Effect::Sync},
      {"barrier.cluster.wait;", Effect::Sync},
      {"griddepcontrol.wait;", Effect::Sync},
      {"griddepcontrol.launch_dependents;", Effect::Sync},
      {"mbarrier.init.shared.b64 [smem], 1;", Effect::Sync},
      {"mbarrier.arrive.shared.b64 %rd0, [smem];", Effect::Sync},
      {"cp.async.mbarrier.arrive.shared.b64 [smem];", Effect::Sync},
      {"cp.async.bulk.commit_group;", Effect::Sync},
      {"cp.async.bulk.wait_group.read 0;", Effect::Sync},
      {"wgmma.wait_group.sync.aligned 0;", Effect::Sync},
      {"trap;", Effect::Sync},
  });
}

// A2.6, A2.7
TEST(Effects, CtaFences) {
  expectAll({
      {"membar.cta;", Effect::CtaFence},
      {"fence.sc.cta;", Effect::CtaFence},
      {"fence.acq_rel.cta;", Effect::CtaFence},
      {"fence.acquire.cta;", Effect::CtaFence},
      {"fence.release.cta;", Effect::CtaFence},
      {"fence.proxy.tensormap::generic.acquire.cta [gmem], 128;", Effect::Sync},
      {"fence.cta;", Effect::Sync},
  });
}

// A2.8 to A2.10
TEST(Effects, Accesses) {
  expectAll({
      {"ld.global.u32 %r0, [gmem];", Effect::Weak},
      {"ld.u32 %r0, [%rd0];", Effect::Weak},
      {"ld.weak.shared.u32 %r0, [smem];", Effect::Weak},
      {"st.shared.u32 [smem], %r0;", Effect::Weak},
      {"ldu.global.u32 %r0, [gmem];", Effect::Weak},
      {"discard.global.L2 [gmem], 128;", Effect::Weak},
      {"st.bulk.weak.shared::cta [%r0], %rd1, 0;", Effect::Weak},
      {"ld.volatile.global.u32 %r0, [gmem];", Effect::Strong},
      {"ld.relaxed.gpu.global.u32 %r0, [gmem];", Effect::Strong},
      {"st.relaxed.cta.shared.u32 [smem], %r0;", Effect::Strong},
      {"st.volatile.shared.u32 [smem], %r0;", Effect::Strong},
      {"ld.global.cv.u32 %r0, [gmem];", Effect::Strong},
      {"st.global.wt.u32 [gmem], %r0;", Effect::Strong},
      {"atom.global.add.u32 %r0, [gmem], %r1;", Effect::Strong},
      {"atom.relaxed.sys.global.add.u32 %r0, [gmem], %r1;", Effect::Strong},
      {"red.shared.add.u32 [smem], %r1;", Effect::Strong},
      {"cp.async.ca.shared.global [smem], [gmem], 4;", Effect::AsyncCopy},
      {"cp.async.wait_group 0;", Effect::AsyncWait},
      {"cp.async.wait_all;", Effect::AsyncWait},
      {"cp.async.commit_group;", Effect::Neutral},
  });
}

// A2.11, A2.12
TEST(Effects, ReadsThatNothingOrders) {
  expectAll({
      {"ld.const.u32 %r0, [cmem];", Effect::ImmutableRead},
      {"ld.const[0].u32 %r0, [cmem];", Effect::ImmutableRead},
      {"ld.param::entry.u32 %r0, [pval];", Effect::ImmutableRead},
      {"ld.global.nc.u32 %r0, [gmem];", Effect::InvariantRead},
      {"ld.global.nc.L1::no_allocate.v4.u32 {%r0, %r1, %r2, %r3}, [gmem];", Effect::InvariantRead},
      {"ld.global.u32.proxy::readonly %r0, [gmem];", Effect::InvariantRead},
      {"tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tref, {%r0}];", Effect::InvariantRead},
      {"ld.param.u32 %r0, [pval];", Effect::Private},
      {"st.param.u32 [arg], %r0;", Effect::Private},
      {"ld.local.u32 %r0, [lmem];", Effect::Private},
      {"ld.volatile.local.u32 %r0, [lmem];", Effect::Private},
      {"alloca.u64 %rd0, %rd1;", Effect::Private},
  });
  EXPECT_EQ(descOf("ld.volatile.local.u32 %r0, [lmem];").semantics, Semantics::Volatile);
}

// A2.13
TEST(Effects, Pins) {
  expectAll({
      {"nanosleep.u32 100;", Effect::Pin},
      {"pmevent 1;", Effect::Pin},
      {"brkpt;", Effect::Pin},
      {"setmaxnreg.inc.sync.aligned.u32 64;", Effect::Pin},
      {"activemask.b32 %r0;", Effect::Pin},
      {"vote.all.pred %p0, %p1;", Effect::Pin},
      {"shfl.idx.b32 %r0, %r1, 0, 31;", Effect::Pin},
  });
}

// A2.14
TEST(Effects, Neutral) {
  expectAll({
      {"add.u32 %r0, %r1, %r2;", Effect::Neutral},
      {"shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;", Effect::Neutral},
      {"vote.sync.all.pred %p0, %p1, -1;", Effect::Neutral},
      {"match.any.sync.b32 %r0, %r1, -1;", Effect::Neutral},
      {"redux.sync.add.u32 %r0, %r1, -1;", Effect::Neutral},
      {"elect.sync _|%p0, -1;", Effect::Neutral},
      {"prefetch.global.L2 [gmem];", Effect::Neutral},
      {"prefetch.global.L1::32B.valid_addr [gmem];", Effect::Neutral},
      {"applypriority.global.L2::evict_normal [gmem], 128;", Effect::Neutral},
      {"createpolicy.fractional.L2::evict_last.b64 %rd0, 0.5;", Effect::Neutral},
      {"isspacep.global %p0, %rd1;", Effect::Neutral},
      {"cvta.to.global.u64 %rd0, %rd1;", Effect::Neutral},
      {"mapa.u64 %rd0, %rd1, %r2;", Effect::Neutral},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, "
       "%r3}, "
       "{%r4, %r5}, {%f4, %f5, %f6, %f7};",
       Effect::Neutral},
      {"bra L0;", Effect::Neutral},
  });
}

TEST(Effects, FrozenAndCalls) {
  EXPECT_EQ(descOf("call fn;").effect, Effect::Call);
  EXPECT_EQ(descOf("call fn;").control, Control::Call);
  EXPECT_EQ(descOf("bra.uni L0;").control, Control::Branch);
  EXPECT_EQ(descOf("brx.idx %r0, list;").control, Control::IndirectBranch);
  EXPECT_EQ(descOf("ret;").control, Control::Return);
  EXPECT_EQ(descOf("exit;").control, Control::Exit);
  EXPECT_EQ(descOf("trap;").control, Control::Trap);
  EXPECT_TRUE(descOf("trap;").is(kMayTrap));
}

TEST(Traits, Convergence) {
  for (const char* text :
       {"bar.sync 0;", "bar.arrive 0, 64;", "bar.warp.sync -1;", "barrier.cluster.arrive;",
        "shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;", "vote.sync.all.pred %p0, %p1, -1;",
        "match.any.sync.b32 %r0, %r1, -1;", "redux.sync.add.u32 %r0, %r1, -1;",
        "elect.sync %r0|%p0, -1;", "activemask.b32 %r0;", "vote.ballot.b32 %r0, %p0;",
        "setmaxnreg.dec.sync.aligned.u32 64;",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [smem];"}) {
    EXPECT_TRUE(descOf(text).is(kConvergent)) << text;
    EXPECT_FALSE(descOf(text).is(kPure)) << text;
  }
  EXPECT_TRUE(descOf("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [smem];")
                  .is(kCollective));
  EXPECT_FALSE(descOf("add.u32 %r0, %r1, %r2;").is(kConvergent));
}

TEST(Traits, ExternalShared) {
  for (const char* text :
       {"mapa.u64 %rd0, %rd1, %r2;", "ld.shared::cluster.u32 %r0, [%r1];", "fence.acq_rel.cluster;",
        "barrier.cluster.arrive;", "mbarrier.init.shared.b64 [smem], 1;",
        "atom.relaxed.cluster.global.add.u32 %r0, [gmem], %r1;"}) {
    EXPECT_TRUE(descOf(text).is(kClusterFeature)) << text;
  }
  EXPECT_FALSE(descOf("ld.shared.u32 %r0, [smem];").is(kClusterFeature));
  EXPECT_FALSE(descOf("cp.async.ca.shared.global [smem], [gmem], 4;").is(kClusterFeature));
}

TEST(Traits, Memory) {
  EXPECT_TRUE(descOf("ld.global.u32 %r0, [gmem];").is(kMemoryRead));
  EXPECT_FALSE(descOf("ld.global.u32 %r0, [gmem];").is(kMemoryWrite));
  EXPECT_TRUE(descOf("st.global.u32 [gmem], %r0;").is(kMemoryWrite));
  EXPECT_TRUE(descOf("red.global.add.u32 [gmem], %r0;").is(kMemoryRead));
  EXPECT_TRUE(descOf("atom.global.exch.b32 %r0, [gmem], %r1;").is(kMemoryWrite));
}

// The traits of all rows of an opcode, among `traits`.
void expectOf(Traits traits, std::initializer_list<std::pair<Opcode, Traits>> some) {
  for (const Row& row : rows()) {
    const InstructionDesc& desc = descOf(row.example);
    Traits expected = 0;
    for (const auto& [opcode, ofOne] : some) expected |= opcode == desc.opcode ? ofOne : 0;
    EXPECT_EQ(desc.traits & traits, expected) << row.example;
  }
}

TEST(Traits, LoadsAndStores) {
  expectOf(kLoad | kStore | kAtomic | kUniformAddress, {{Opcode::Ld, kLoad},
                                                        {Opcode::Ldu, kLoad | kUniformAddress},
                                                        {Opcode::St, kStore},
                                                        {Opcode::Atom, kAtomic},
                                                        {Opcode::Red, kAtomic}});
  for (const Row& row : rows()) {
    const InstructionDesc& desc = descOf(row.example);
    if (!desc.isAccess()) continue;
    // st.async also reads its mbarrier.
    if (!desc.has(".async")) {
      EXPECT_EQ(desc.is(kMemoryRead), !desc.isStore()) << row.example;
    }
    EXPECT_EQ(desc.is(kMemoryWrite), !desc.isLoad()) << row.example;
    EXPECT_FALSE(desc.is(kCollective)) << row.example;
    ASSERT_LT(desc.addressOperand(), desc.shape.size()) << row.example;
    EXPECT_EQ(desc.addressOperand(), desc.isStore() || desc.opcode == Opcode::Red ? 0u : 1u)
        << row.example;
  }
  const InstructionDesc& sum = descOf("add.u32 %r0, %r1, %r2;");
  EXPECT_EQ(sum.addressOperand(), 3u);
}

TEST(Traits, OfFamilies) {
  expectOf(kCopy | kTextureRead | kTimer | kGridDependency | kTakesLists,
           {{Opcode::Cp, kCopy},
            {Opcode::Tex, kTextureRead},
            {Opcode::Nanosleep, kTimer},
            {Opcode::Pmevent, kTimer},
            {Opcode::Griddepcontrol, kGridDependency},
            {Opcode::Call, kTakesLists}});
  expectOf(kFence, {{Opcode::Fence, kFence}, {Opcode::Membar, kFence}});
  for (const Row& row : rows()) {
    const InstructionDesc& desc = descOf(row.example);
    EXPECT_EQ(desc.is(kMayCopyAsync), desc.effect == Effect::AsyncCopy) << row.example;
    EXPECT_EQ(desc.is(kTakesLists), desc.control == Control::Call) << row.example;
    EXPECT_TRUE(!desc.is(kTimer) || desc.effect == Effect::Pin) << row.example;
    // The stores and loads of whole matrices, and a copy by a warp.
    const bool ofMatrix = desc.opcode == Opcode::Ldmatrix || desc.opcode == Opcode::Stmatrix ||
                          desc.mnemonic.starts_with("wmma.load") ||
                          desc.mnemonic.starts_with("wmma.store") ||
                          desc.mnemonic.starts_with("tensormap.cp_fenceproxy");
    EXPECT_EQ(desc.is(kCollective), ofMatrix) << row.example;
  }
}

TEST(Traits, Aligned) {
  EXPECT_TRUE(descOf("bar.sync 0;").is(kAligned));
  EXPECT_TRUE(descOf("bar.cta.arrive 0, 64;").is(kAligned));
  EXPECT_TRUE(descOf("barrier.sync.aligned 0;").is(kAligned));
  EXPECT_FALSE(descOf("barrier.sync 0;").is(kAligned));
  EXPECT_FALSE(descOf("bar.warp.sync -1;").is(kAligned));
  EXPECT_FALSE(descOf("bar.sync.sparkling 0;").is(kAligned));
}

TEST(Traits, Tiles) {
  for (const char* text :
       {"wgmma.fence.sync.aligned;", "tcgen05.wait::ld.sync.aligned;",
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [gmem, {%r0, %r1}], [smem];",
        "wmma.sparkling %r0;", "tensormap.sparkling [gmem];",
        "cp.async.sparkling.tensor [smem];"}) {
    EXPECT_TRUE(descOf(text).is(kTiles)) << text;
  }
  EXPECT_FALSE(descOf("cp.async.ca.shared.global [smem], [gmem], 4;").is(kTiles));
  EXPECT_FALSE(descOf("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r2];").is(kTiles));
}

// ---- what no row fits: docs/soundness/ A7 -------------------------------------------------------

TEST(Unknown, Opcode) {
  const InstructionDesc& desc = descOf("frobnicate.u32 %r0, {%r1, %r2}, [gmem], %p0|%p1;");
  EXPECT_FALSE(desc.known());
  EXPECT_TRUE(desc.unknownOpcode);
  EXPECT_EQ(desc.effect, Effect::Unknown);
  EXPECT_EQ(roles("frobnicate.u32 %r0, {%r1, %r2}, [gmem], %p0|%p1;"), "rw rw r rw");
  EXPECT_TRUE(desc.is(kConvergent));
  EXPECT_TRUE(desc.is(kMayTrap));
  EXPECT_TRUE(desc.is(kMemoryWrite));
  EXPECT_TRUE(desc.is(kClusterFeature));
  EXPECT_TRUE(desc.readsCarry);
  EXPECT_TRUE(desc.writesCarry);
  EXPECT_TRUE(desc.role(40).writes);
}

TEST(Unknown, QualifierOfArithmeticIsNeutralAndFrozen) {
  const InstructionDesc& desc = descOf("add.sparkling.u32 %r0, %r1, %r2;");
  EXPECT_FALSE(desc.known());
  EXPECT_FALSE(desc.unknownOpcode);
  EXPECT_EQ(desc.effect, Effect::NeutralFrozen);
  EXPECT_TRUE(desc.role(0).reads);
  EXPECT_TRUE(desc.role(1).writes);
  EXPECT_EQ(descOf("add.sparkling.u32 %r0, [gmem], %r2;").effect, Effect::Sync);
}

TEST(Unknown, HasNoTraitThatAllowsAnything) {
  for (const char* text :
       {"ld.sparkling.u32 %r0, [gmem];", "ldu.sparkling.u32 %r0, [gmem];",
        "st.sparkling.u32 [gmem], %r0;", "atom.sparkling.u32 %r0, [gmem], %r1;",
        "cp.sparkling [smem], [gmem];", "tex.sparkling %r0, [tref];", "nanosleep.sparkling 1;"}) {
    EXPECT_FALSE(descOf(text).known()) << text;
    EXPECT_FALSE(descOf(text).is(kCopy) || descOf(text).is(kTextureRead)) << text;
    EXPECT_FALSE(descOf(text).is(kTimer)) << text;
    EXPECT_FALSE(descOf(text).isAccess()) << text;
    EXPECT_FALSE(descOf(text).is(kUniformAddress)) << text;
  }
}

// Here "may be" is the careful answer.
TEST(Unknown, MayBeWhatItsOpcodeIs) {
  EXPECT_TRUE(descOf("frobnicate;").is(kMayCopyAsync));
  EXPECT_TRUE(descOf("cp.async.sparkling [smem], [gmem], 4;").is(kMayCopyAsync));
  EXPECT_FALSE(descOf("ld.sparkling.u32 %r0, [gmem];").is(kMayCopyAsync));
  EXPECT_TRUE(descOf("griddepcontrol.sparkling;").is(kGridDependency));
  EXPECT_TRUE(descOf("call.sparkling (%r0), fri, (%r1);").is(kTakesLists));
}

TEST(Unknown, QualifierOfOthers) {
  EXPECT_EQ(descOf("ld.sparkling.u32 %r0, [gmem];").effect, Effect::Sync);
  EXPECT_EQ(descOf("shfl.sync.sparkling.b32 %r0, %r1, 0, 31, -1;").effect, Effect::Sync);
  EXPECT_EQ(descOf("bar.sync.sparkling 0;").effect, Effect::Unknown);
  EXPECT_EQ(descOf("barrier.sparkling 0;").effect, Effect::Unknown);
  EXPECT_EQ(descOf("bra.sparkling L0;").effect, Effect::Unknown);
  EXPECT_EQ(descOf("trap.sparkling;").effect, Effect::Unknown);
  EXPECT_EQ(descOf("fence.sparkling.cta;").effect, Effect::Sync);
  EXPECT_EQ(descOf("mbarrier.sparkling [smem];").effect, Effect::Sync);
  EXPECT_EQ(descOf("tcgen05.sparkling;").effect, Effect::Sync);
}

// ---- the table itself --------------------------------------------------------------------------

TEST(Rows, EveryExampleFindsItsRow) {
  for (const Row& row : rows()) {
    const InstructionDesc& desc = descOf(row.example);
    ASSERT_TRUE(desc.known()) << row.example;
    // An earlier row may fit as well only if it asks for less: the same fact, first found.
    EXPECT_EQ(desc.row, &row) << row.example << "\n  found:    " << desc.row->syntax
                              << "\n  expected: " << row.syntax;
  }
}

TEST(Rows, AreWellFormed) {
  for (const Row& row : rows()) {
    EXPECT_TRUE(row.section.starts_with("9.7.")) << row.syntax;
    EXPECT_TRUE(row.example.ends_with(';')) << row.syntax;
    EXPECT_NE(row.effect, Effect::Unknown) << row.syntax;
    // Every set is used by the syntax.
    std::string_view sets = row.sets;
    while (!sets.empty()) {
      const std::string name(sets.substr(0, sets.find('=')));
      EXPECT_NE(row.syntax.find(name), std::string_view::npos) << name << " in " << row.syntax;
      const std::size_t blank = sets.find(' ');
      sets = blank == std::string_view::npos ? std::string_view{} : sets.substr(blank + 1);
    }
    // What is pure touches no memory and needs no company.
    if ((row.traits & kPure) != 0) {
      EXPECT_EQ(row.effect, Effect::Neutral) << row.syntax;
      EXPECT_EQ(row.traits & (kConvergent | kMemoryRead | kMemoryWrite | kReadsCarry), 0u)
          << row.syntax;
    }
  }
}

TEST(Table, SameSpellingSameDescFromManyThreads) {
  InstructionTable table;
  constexpr int kThreads = 4;
  constexpr int kSpellings = 2000;
  std::vector<std::vector<const InstructionDesc*>> seen(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kSpellings; ++i) {
        Shape shape;
        for (int k = 0; k < i % 5; ++k) shape.push(OperandShape::Scalar);
        const std::string mnemonic = std::string("op.").append(std::to_string(i / 5));
        seen[static_cast<std::size_t>(t)].push_back(&table.get(mnemonic, shape));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(seen[static_cast<std::size_t>(t)], seen[0]);
  std::set<const InstructionDesc*> distinct(seen[0].begin(), seen[0].end());
  EXPECT_EQ(distinct.size(), static_cast<std::size_t>(kSpellings));
  EXPECT_EQ((*distinct.begin())->mnemonic.substr(0, 2), "op");
}

}  // namespace
}  // namespace ptxopt::isa
