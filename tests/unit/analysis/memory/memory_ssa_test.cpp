// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The states of memory, and which of them a walk upwards meets: docs/soundness/ D1.
#include "analysis/memory/memory_ssa.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "parse/parser.h"

namespace ptxopt::analysis {
namespace {

constexpr const char* kHeader = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 16 .b8 G[256];
.shared .align 16 .b8 A[256];
.extern .func somewhere();
.func writes() { st.global.u32 [G], 1; ret; }
.func waits() { bar.warp.sync -1; ret; }
.func sorts() { .local .b8 t[8]; st.local.u32 [t], 1; ret; }
.func outer() { call writes; ret; }
)";

class MemorySsaTest : public testing::Test {
 protected:
  // Stores to [G+4*k] are written "store k".
  void build(const std::string& body) {
    std::string text = std::string(kHeader) +
                       ".entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
                       ".reg .pred %q<9>;\n" +
                       body + "\nret;\n}\n";
    module_ = parse::parse(std::make_shared<SourceText>("test.ptx", text), diagnostics_);
    EXPECT_FALSE(diagnostics_.hasErrors());
    ir::Function& function = *module_->findFunction("k");
    cfg_ = std::make_unique<Cfg>(function);
    liveness_ = std::make_unique<Liveness>(*cfg_);
    dominators_ = std::make_unique<Dominators>(*cfg_);
    ssa_ = std::make_unique<Ssa>(*cfg_, *liveness_, *dominators_);
    loops_ = std::make_unique<Loops>(*cfg_);
    memory_ = std::make_unique<MemorySsa>(*ssa_, *loops_);
  }

  // The k-th instruction of this opcode.
  const ir::Instruction& at(isa::Opcode opcode, std::size_t k) {
    for (std::uint32_t n = 0; n < ssa_->instructions().count(); ++n) {
      const ir::Instruction& instruction = ssa_->instructions()[n];
      if (instruction.is(opcode) && k-- == 0) return instruction;
    }
    throw std::out_of_range("no such instruction");
  }

  // From after the first load to the second one, where nothing changes it but stores to
  // [G+offset].
  bool isUnchanged(std::int64_t offset, std::size_t steps = 100) {
    return memory_->isUnchanged(memory_->after(at(isa::Opcode::Ld, 0)),
                                memory_->before(at(isa::Opcode::Ld, 1)), steps, [&](StateId state) {
                                  const ir::Instruction& change = memory_->instruction(state);
                                  return change.operands()[0].immediate == offset;
                                });
  }

  Diagnostics diagnostics_;
  std::unique_ptr<ir::Module> module_;
  std::unique_ptr<Cfg> cfg_;
  std::unique_ptr<Liveness> liveness_;
  std::unique_ptr<Dominators> dominators_;
  std::unique_ptr<Ssa> ssa_;
  std::unique_ptr<Loops> loops_;
  std::unique_ptr<MemorySsa> memory_;
};

TEST_F(MemorySsaTest, AChainOfStores) {
  build(R"(ld.global.u32 %r1, [G];
st.global.u32 [G+4], 1;
st.global.u32 [G+8], 1;
add.u32 %r3, %r1, 1;
ld.global.u32 %r2, [G];)");
  EXPECT_EQ(memory_->stateCount(), 3u);
  EXPECT_EQ(memory_->kind(memory_->after(at(isa::Opcode::Ld, 0))), MemorySsa::Kind::Entry);
  EXPECT_EQ(memory_->before(at(isa::Opcode::St, 1)), memory_->after(at(isa::Opcode::St, 0)));
  EXPECT_EQ(memory_->above(memory_->before(at(isa::Opcode::Ld, 1))),
            memory_->after(at(isa::Opcode::St, 0)));
  EXPECT_TRUE(isUnchanged(0));
  EXPECT_FALSE(isUnchanged(4));
  EXPECT_FALSE(isUnchanged(8));
}

TEST_F(MemorySsaTest, PathsThatMeetHaveAPhi) {
  build(R"(ld.global.u32 %r1, [G];
setp.eq.u32 %q1, %r1, 0;
@%q1 bra ELSE;
st.global.u32 [G+4], 1;
bra DONE;
ELSE:
st.global.u32 [G+8], 1;
DONE:
ld.global.u32 %r2, [G];)");
  const StateId phi = memory_->before(at(isa::Opcode::Ld, 1));
  ASSERT_EQ(memory_->kind(phi), MemorySsa::Kind::Phi);
  EXPECT_EQ(memory_->phiOperands(phi).size(), 2u);
  EXPECT_EQ(memory_->kind(memory_->above(phi)), MemorySsa::Kind::Entry);
  EXPECT_TRUE(isUnchanged(0));
  EXPECT_FALSE(isUnchanged(4));
  EXPECT_FALSE(isUnchanged(8));
}

TEST_F(MemorySsaTest, ALoopIsARegion) {
  build(R"(ld.global.u32 %r1, [G];
TOP:
INNER:
st.global.u32 [G+4], 1;
setp.eq.u32 %q1, %r1, 0;
@%q1 bra INNER;
st.global.u32 [G+8], 1;
@%q1 bra TOP;
ld.global.u32 %r2, [G];
st.global.u32 [G+12], 1;)");
  EXPECT_TRUE(isUnchanged(12));
  EXPECT_FALSE(isUnchanged(4));
  EXPECT_FALSE(isUnchanged(8));
}

// docs/soundness/ D1.15
TEST_F(MemorySsaTest, WhatALoopWaitsForIsAPoll) {
  const auto eventOf = [&](const char* loop, isa::Opcode opcode) {
    build(std::string("ld.global.u32 %r1, [G];\nTOP:\n") + loop + "\n@%q1 bra TOP;");
    return memory_->event(memory_->after(at(opcode, opcode == isa::Opcode::Ld ? 1 : 0)));
  };
  using isa::Opcode;
  for (const char* loop :
       {"ld.volatile.global.u32 %r2, [G+8]; setp.eq.u32 %q1, %r2, 0;",
        "ld.relaxed.gpu.u32 %r2, [%rd1]; setp.eq.u32 %q1, %r2, 0;",
        "ld.volatile.shared.u32 %r2, [A]; st.local.u32 [%r4], %r2; ld.local.u32 %r3, [%r4];"
        "setp.eq.u32 %q1, %r3, 0;",
        "ld.volatile.global.u64 %rd1, [G+8]; ld.global.u32 %r2, [%rd1]; setp.eq.u32 %q1, %r2, 0;",
        "ld.volatile.global.u32 %r2, [G+8]; setp.eq.u32 %q2, %r2, 0; @%q2 mov.u32 %r3, 1;"
        "setp.eq.u32 %q1, %r3, 0;",
        "ld.volatile.global.u32 %r2, [G+8]; setp.eq.u32 %q2, %r2, 0; @%q2 ret;"}) {
    EXPECT_EQ(eventOf(loop, Opcode::Ld), MemoryEvent::Poll) << loop;
  }
  EXPECT_EQ(eventOf("atom.global.cas.b32 %r2, [G+8], 0, 1; setp.eq.u32 %q1, %r2, 0;", Opcode::Atom),
            MemoryEvent::Poll);
  EXPECT_EQ(eventOf("atom.release.gpu.global.exch.b32 %r2, [G+8], 1; setp.eq.u32 %q1, %r2, 0;",
                    Opcode::Atom),
            MemoryEvent::Poll);
}

TEST_F(MemorySsaTest, WhatNoLoopWaitsForIsNoPoll) {
  const auto eventOf = [&](const char* text) {
    build(std::string("mov.u32 %r4, 0;\nld.global.u32 %r1, [G];\n") + text);
    return memory_->event(memory_->after(at(isa::Opcode::Ld, 1)));
  };
  for (const char* text :
       {"ld.volatile.global.u32 %r2, [G+8]; setp.eq.u32 %q1, %r2, 0; @%q1 bra END;\nEND:",
        "TOP: ld.volatile.global.u32 %r2, [G+8]; add.u32 %r3, %r3, %r2; add.u32 %r4, %r4, 1;"
        "setp.lt.u32 %q1, %r4, 9; @%q1 bra TOP;\nst.global.u32 [G], %r3;",
        "TOP: ld.volatile.global.u64 %rd1, [G+8]; st.global.u32 [%rd1], 5; add.u32 %r4, %r4, 1;"
        "setp.lt.u32 %q1, %r4, 9; @%q1 bra TOP;",
        "TOP: ld.volatile.global.u32 %r2, [G+8]; add.u32 %r4, %r4, 1; setp.lt.u32 %q1, %r4, 9;"
        "@%q1 bra TOP;\nsetp.eq.u32 %q2, %r2, 0; @%q2 bra END;\nEND:"}) {
    EXPECT_EQ(eventOf(text), MemoryEvent::AtAddress) << text;
  }
}

TEST_F(MemorySsaTest, AWalkStopsAtItsLimit) {
  build(R"(ld.global.u32 %r1, [G];
st.global.u32 [G+4], 1;
st.global.u32 [G+8], 1;
ld.global.u32 %r2, [G];)");
  EXPECT_FALSE(isUnchanged(0, 1));
  EXPECT_TRUE(isUnchanged(0, 2));
}

TEST_F(MemorySsaTest, CodeThatIsNotReachedHasNoState) {
  build(R"(ld.global.u32 %r1, [G];
bra DONE;
st.global.u32 [G+4], 1;
DONE:
ld.global.u32 %r2, [G];)");
  EXPECT_EQ(memory_->after(at(isa::Opcode::St, 0)), StateId::None);
  EXPECT_TRUE(isUnchanged(4));
}

// D1, row by row.
TEST_F(MemorySsaTest, Events) {
  const std::map<std::string, MemoryEvent> expected = {
      {"add.u32 %r1, %r1, 1;", MemoryEvent::None},
      {"ld.global.u32 %r1, [G];", MemoryEvent::None},
      {"ld.local.u32 %r1, [%rd1];", MemoryEvent::None},
      {"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", MemoryEvent::None},      // D1.7
      {"mov.u32 %r1, %clock;", MemoryEvent::None},                         // D1.7
      {"bar.arrive 1, 64;", MemoryEvent::None},                            // D1.4
      {"st.global.u32 [G], %r1;", MemoryEvent::AtAddress},                 // D1.1
      {"st.local.u32 [%rd1], %r1;", MemoryEvent::AtAddress},               // D1.1
      {"atom.global.add.u32 %r1, [G], 1;", MemoryEvent::AtAddress},        // D1.2
      {"ld.volatile.global.u32 %r1, [G];", MemoryEvent::AtAddress},        // D1.2
      {"st.release.gpu.global.u32 [G], %r1;", MemoryEvent::AtAddress},     // D1.4
      {"bar.sync 0;", MemoryEvent::Reachable},                             // D1.3
      {"bar.warp.sync -1;", MemoryEvent::Reachable},                       // D1.3
      {"membar.gl;", MemoryEvent::Reachable},                              // D1.3
      {"fence.acq_rel.cta;", MemoryEvent::Reachable},                      // D1.3
      {"barrier.cluster.wait;", MemoryEvent::Reachable},                   // D1.3
      {"cp.async.wait_all;", MemoryEvent::Reachable},                      // D1.3
      {"nanosleep.u32 20;", MemoryEvent::Reachable},                       // D1.6
      {"call somewhere;", MemoryEvent::Call},                              // D1.5
      {"ld.acquire.gpu.global.u32 %r1, [G];", MemoryEvent::All},           // D1.3
      {"atom.acquire.gpu.global.add.u32 %r1, [G], 1;", MemoryEvent::All},  // D1.3
      {"cp.async.ca.shared.global [A], [G], 4;", MemoryEvent::All},        // D1.1
      {"frobnicate.u32 %r1, %r2;", MemoryEvent::All},                      // D1.8
  };
  for (const auto& [text, event] : expected) {
    build(text);
    EXPECT_EQ(memoryEventOf(ssa_->instructions()[0]), event) << text;
  }
}

// D1.5
TEST_F(MemorySsaTest, Callees) {
  build("call somewhere;\ncall writes;\ncall waits;\ncall sorts;\ncall outer;");
  const CallGraph graph(*module_);
  const CalleeMemories memories(graph);
  const auto of = [&](std::size_t k) {
    return memories.ofCall(cfg_->function(), at(isa::Opcode::Call, k));
  };
  EXPECT_TRUE(of(0).forgetsReachable && of(0).forgetsOwn);
  EXPECT_FALSE(of(1).forgetsReachable || of(1).forgetsOwn);
  ASSERT_EQ(of(1).written.size(), 1u);
  EXPECT_EQ(module_->text(of(1).written[0].object->name), "G");
  EXPECT_TRUE(of(2).forgetsReachable);
  EXPECT_TRUE(of(2).written.empty());
  EXPECT_TRUE(of(3).forgetsOwn);
  EXPECT_FALSE(of(3).forgetsReachable);
  EXPECT_EQ(of(4).written.size(), 1u);
}

}  // namespace
}  // namespace ptxopt::analysis
