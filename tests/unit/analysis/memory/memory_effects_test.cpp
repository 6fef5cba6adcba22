// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instructions and calls do to memory, by docs/soundness/ A2, and which object an address is
// in, by C3: statement by statement.
#include "analysis/memory/memory_effects.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "parse/parser.h"

namespace ptxopt::analysis {
namespace {

constexpr const char* kHeader = R"(.version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 A[256];
.shared .align 16 .b8 B[256];
.extern .shared .align 16 .b8 dyn1[];
.extern .shared .align 16 .b8 dyn2[];
.global .align 16 .b8 G[256];
.const .align 16 .b8 K[256];
.extern .func somewhere();
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
)";

std::string text(AccessKinds kinds) {
  std::string result;
  if ((kinds & kRead) != 0) result += (kinds & kStrongRead) != 0 ? "S" : "R";
  if ((kinds & kWrite) != 0) result += "W";
  return result;
}

std::string text(Domain domain) {
  return domain == Domain::Shared ? "shared" : domain == Domain::Global ? "global" : "any";
}

class Effects : public testing::Test {
 protected:
  ir::Module& parse(const std::string& body) {
    module_ = parse::parse(std::make_shared<SourceText>("test.ptx", kHeader + body), diagnostics_);
    EXPECT_FALSE(diagnostics_.hasErrors());
    return *module_;
  }

  // The effects of all instructions of a body that have one: "R shared A; T; ...".
  std::string effects(const std::string& body) {
    parse(
        ".entry k(.param .u64 p)\n{\n.local .align 8 .b8 mine[16];\n.reg .b32 %r<9>;\n"
        ".reg .b64 %rd<9>;\n.reg .pred %q<9>;\n" +
        body + "\nret;\n}\n");
    const ir::Function& function = *module_->findFunction("k");
    const AddressObjects objects(function);
    std::string result;
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr) continue;
      const MemoryEffect effect = memoryEffectOf(*instruction);
      std::string part;
      if ((effect.marks & kOpaqueSync) != 0) part += " T";
      if ((effect.marks & kCtaFence) != 0) part += " fence";
      if ((effect.marks & kPin) != 0) part += " pin";
      if ((effect.marks & kBarrierResource) != 0) part += " resource";
      if (effect.markOrder == Ordered::AsLower) part += " below";
      for (const MemoryAccess& access : effect.all()) {
        Place place = {access.domain};
        if (access.address != nullptr) place = objects.placeOf(*access.address, access.domain);
        part += ' ' + text(access.kinds) + ' ' + text(place.domain);
        if (place.object != nullptr) {
          const std::string_view name = module_->text(place.object->name);
          part += ' ' + (place.object->name == NameId::None ? "dynamic" : std::string(name));
        }
        if (place.isHarmless) part += " harmless";
        if (access.ordered == Ordered::AsLower) part += " below";
      }
      if (!part.empty()) result += (result.empty() ? "" : ";") + part;
    }
    return result.empty() ? result : result.substr(1);
  }

  Diagnostics diagnostics_;
  std::unique_ptr<ir::Module> module_;
};

// A2.9 to A2.12
TEST_F(Effects, OfAccesses) {
  EXPECT_EQ(effects("ld.shared.u32 %r1, [A+4];"), "R shared A");
  EXPECT_EQ(effects("st.global.u32 [G], %r1;"), "W global G");
  EXPECT_EQ(effects("ld.volatile.shared.u32 %r1, [A];"), "S shared A");
  EXPECT_EQ(effects("atom.shared.add.u32 %r1, [A], 1;"), "SW shared A");
  EXPECT_EQ(effects("red.global.add.u32 [G], 1;"), "SW global G");
  EXPECT_EQ(effects("ld.global.nc.u32 %r1, [G];"), "R global G");
  EXPECT_EQ(effects("ld.shared::cluster.u32 %r1, [A];"), "R shared");
  EXPECT_EQ(effects("ld.u32 %r1, [%rd1];"), "R any");
  EXPECT_EQ(effects("ld.const.u32 %r1, [K]; ld.param.u64 %rd1, [p]; st.local.u32 [mine], 1;"), "");
}

TEST_F(Effects, OfSynchronisation) {
  EXPECT_EQ(effects("membar.gl; fence.acq_rel.gpu; fence.proxy.async; membar.cta;"
                    "fence.acq_rel.cta;"),
            "T; T; T; fence; fence");
  EXPECT_EQ(effects("ld.acquire.gpu.global.u32 %r1, [G]; trap;"), "T; T");
  EXPECT_EQ(
      effects("griddepcontrol.wait; barrier.cluster.arrive; mbarrier.init.shared.b64 [A], 1;"),
      "T; T; T");
  EXPECT_EQ(effects("nanosleep.u32 5; mov.u32 %r1, %clock; activemask.b32 %r1;"), "pin; pin; pin");
  EXPECT_EQ(effects("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1; bar.warp.sync -1; mov.u32 %r1, 5;"),
            "");
  EXPECT_EQ(effects("frobnicate %r1;"), "T resource");  // A2.3, A7.2.1
}

// C5.1; A2.5.5, whose issue is below only: C4.5
TEST_F(Effects, OfAsynchronousCopies) {
  EXPECT_EQ(effects("cp.async.ca.shared.global [A], [G], 4; cp.async.commit_group;"
                    "cp.async.wait_all;"),
            "W shared A below R global G below; W shared R global");
  EXPECT_EQ(effects("cp.async.bulk.global.shared::cta.bulk_group [G], [A], 16;"
                    "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"),
            "T below; T; T");
}

TEST_F(Effects, OfWhatMayBeAnAsynchronousCopy) {
  const auto mayBe = [this](const std::string& code) {
    ir::Module& module = parse(".entry k()\n{\n" + code + "\nret;\n}\n");
    return mayBeAsyncCopy(*module.findFunction("k")->body().front()->as<ir::Instruction>());
  };
  EXPECT_TRUE(mayBe("cp.async.ca.shared.global [A], [G], 4;"));
  EXPECT_TRUE(mayBe("cp.async.future.shared.global [A], [G], 4;"));
  EXPECT_TRUE(mayBe("future.async.shared.global [A], [G], 4;"));
  EXPECT_FALSE(mayBe("cp.async.bulk.global.shared::cta.bulk_group [G], [A], 16;"));
  EXPECT_FALSE(mayBe("cp.async.commit_group;"));
  EXPECT_FALSE(mayBe("prefetchu.future.L1 [A];"));
}

// C3.3.2, C3.3.3, C3.3.8
TEST_F(Effects, AddressesKeepTheirObject) {
  const std::string load = " ld.shared.u32 %r7, [%r5+8];";
  EXPECT_EQ(effects("mov.u32 %r5, A;" + load), "R shared A");
  EXPECT_EQ(effects("mov.u32 %r1, A; add.u32 %r5, %r1, %r2;" + load), "R shared A");
  EXPECT_EQ(effects("mov.u32 %r1, A; mad.lo.u32 %r5, %r2, %r3, %r1;" + load), "R shared A");
  EXPECT_EQ(effects("mov.u32 %r1, A; sub.u32 %r5, %r1, %r2;" + load), "R shared A");
  EXPECT_EQ(effects("mov.u32 %r5, A; add.u32 %r5, %r5, 4;" + load), "R shared A");
  EXPECT_EQ(effects("mov.u32 %r5, dyn1;" + load), "R shared dynamic");
  EXPECT_EQ(effects("mov.u64 %rd1, A; cvta.shared.u64 %rd2, %rd1; ld.u32 %r1, [%rd2];"),
            "R shared A");
  EXPECT_EQ(effects("mov.u64 %rd1, mine; cvta.local.u64 %rd2, %rd1; st.u32 [%rd2+4], 1;"),
            "W any harmless");
  EXPECT_EQ(effects("and.b32 %r2, %r6, 3; mov.u32 %r1, A; add.u32 %r5, %r1, %r2;" + load),
            "R shared A");
}

// C3.3.2, C3.3.4 to C3.3.6
TEST_F(Effects, AddressesLoseTheirObject) {
  const std::string load = " ld.shared.u32 %r7, [%r5];";
  for (const char* made : {
           "mov.u32 %r1, A; and.b32 %r5, %r1, -4;",  // C3.3.5
           "mov.u32 %r1, A; mov.u32 %r2, B; sub.u32 %r3, %r2, %r1; add.u32 %r5, %r1, %r3;",
           "mov.u32 %r1, A; mul.lo.u32 %r5, %r1, 2;",  // C3.3.4
           "mov.u32 %r1, A; mad.lo.u32 %r5, %r1, %r2, %r3;",
           "mov.u32 %r1, A; sub.u32 %r5, 8, %r1;",
           "mov.u32 %r5, A; mov.u32 %r5, B;",
           "mov.u32 %r1, A; mov.u32 %r2, B; selp.b32 %r5, %r1, %r2, %q1;",
           "mov.u32 %r1, A; shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;",
           "mov.u64 %rd1, G; cvt.u32.u64 %r5, %rd1;",
           "mov.u32 %r5, A; frobnicate.b32 %r5;",
           "ld.local.u32 %r5, [mine];",
       }) {
    EXPECT_TRUE(effects(made + load).ends_with("R shared")) << made << ": " << effects(made + load);
  }
  // Objects of another space than the access.
  EXPECT_EQ(effects("mov.u64 %rd1, G; ld.shared.u32 %r1, [%rd1];"), "R shared");
}

TEST_F(Effects, OfCalls) {
  parse(R"(
.func leaf() { .reg .b32 %r<3>; ld.shared.u32 %r1, [A]; ret; }
.func middle() { call leaf, (); st.shared.u32 [B], 1; ret; }
.func a(); 
.func b() { call a, (); st.global.u32 [G], 1; ret; }
.func a() { call b, (); exit; }
.func prints(.param .b64 x) {
  .param .b64 f; .param .b64 v; .param .b32 r;
  call (r), vprintf, (f, v); ret; }
.func elsewhere() { call somewhere, (); ret; }
.func waits() { bar.sync 0; ret; }
.func through(.param .b64 x) { .reg .b64 %rd<2>; ld.param.b64 %rd1, [x]; st.u32 [%rd1], 1; ret; }
)");
  const CallGraph graph(*module_);
  const CallEffects effects(graph);
  const auto of = [&](const char* name) {
    const CallEffect& effect = effects.of(*module_->findFunction(name));
    std::string result;
    if ((effect.marks & kOpaqueSync) != 0) result += " T";
    if ((effect.marks & kBarrierResource) != 0) result += " resource";
    if ((effect.marks & kPin) != 0) result += " pin";
    if (effect.mayEndThread) result += " ends";
    if (effect.sharedIsExternal) result += " external";
    for (const ObjectAccess& access : effect.accesses) {
      result += ' ' + text(access.kinds) + ' ' + text(access.place.domain);
      if (access.place.object != nullptr) {
        result += ' ' + std::string(module_->text(access.place.object->name));
      }
    }
    return result.empty() ? result : result.substr(1);
  };
  EXPECT_EQ(of("leaf"), "R shared A");
  EXPECT_EQ(of("middle"), "W shared B R shared A");
  EXPECT_EQ(of("a"), "ends W global G");
  EXPECT_EQ(of("b"), "ends W global G");
  EXPECT_EQ(of("prints"), "T external");
  EXPECT_EQ(of("elsewhere"), "T resource pin ends external SW any");
  EXPECT_EQ(of("waits"), "T resource");
  EXPECT_EQ(of("through"), "W any");
}

}  // namespace
}  // namespace ptxopt::analysis
