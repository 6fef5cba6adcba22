// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/outstanding_groups.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analysis/flow/cfg.h"
#include "parse/parser.h"

namespace ptxopt::analysis {
namespace {

// For each wait and commit of `body`: n for a wait of nothing, r for one that is repeated behind
// it, e for a needless commit, and . for one that is needed.
std::string answers(const std::string& body, const std::string& head = ".visible .entry k()") {
  Diagnostics diagnostics;
  const std::string text =
      ".version 8.6\n.target sm_100a\n.address_size 64\n"
      ".extern .func other();\n" +
      head + "\n{\n.shared .align 16 .b8 A[64]; .reg .pred %p; .reg .b32 %r; .reg .b64 %rd;\n" +
      body + "\nret;\n}\n";
  const auto module = parse::parse(std::make_shared<SourceText>("t.ptx", text), diagnostics);
  if (module == nullptr || diagnostics.hasErrors()) return "error";
  const Cfg cfg(*module->findFunction("k"));
  const OutstandingGroups groups(cfg);
  std::string result;
  for (const BlockId b : cfg.blocks()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      const isa::WaitRole role = isa::waitRoleOf(*instruction.desc);
      const bool isOne = isa::isOnlySynchronization(role) && role <= isa::WaitRole::TensorStoreWait;
      if (!isOne) continue;
      result += groups.isWaitOfNothing(instruction)    ? 'n'
                : groups.isNeedlessCommit(instruction) ? 'e'
                : groups.isRepeatedBehind(instruction) ? 'r'
                                                       : '.';
    }
  }
  return result;
}

const std::string kCopy = "cp.async.ca.shared.global [A], [%rd], 4;\n";
const std::string kCommit = "cp.async.commit_group;\n";
std::string wait(int left) {
  return "cp.async.wait_group " + std::to_string(left) + ";\n";
}

// docs/soundness/ H1.2
TEST(OutstandingGroups, WaitsOfNothing) {
  EXPECT_EQ(answers(wait(0)), "n");
  EXPECT_EQ(answers(kCopy + kCommit + wait(0) + wait(0)), "..n");
  EXPECT_EQ(answers(kCopy + kCommit + wait(1) + wait(0)), ".n.");
  EXPECT_EQ(answers(kCopy + kCommit + kCopy + kCommit + wait(2) + wait(1) + wait(1)), "..n.n");
  EXPECT_EQ(answers(kCopy + "cp.async.wait_all; cp.async.wait_all;"), ".n");
  EXPECT_EQ(answers(kCopy + wait(0)), ".");  // by the letter of the manual it waits for nothing
  EXPECT_EQ(answers("@%p " + kCopy + kCommit + wait(0)), "..");
  EXPECT_EQ(answers(kCopy + kCommit + "@%p " + wait(0) + wait(0) + "@%p " + wait(0)), "...n");
}

// Groups from the 31st on count as one.
TEST(OutstandingGroups, ManyGroups) {
  std::string copies;
  for (int k = 0; k < 40; ++k) copies += kCopy + kCommit;
  EXPECT_EQ(answers(copies + wait(40)).back(), '.');
  EXPECT_EQ(answers(copies + wait(33) + wait(33)).back(), '.');
  EXPECT_EQ(answers(copies + wait(30) + wait(30)).back(), 'n');
  EXPECT_EQ(answers(copies + wait(31) + wait(31)).back(), 'n');
  EXPECT_EQ(answers(copies + wait(30) + wait(31)).back(), 'n');
  EXPECT_EQ(answers(copies + wait(0) + wait(99)).back(), 'n');
}

TEST(OutstandingGroups, PathsAndLoops) {
  EXPECT_EQ(answers(kCopy + kCommit + "@%p bra L;" + wait(0) + "L:" + wait(0)), "...");
  EXPECT_EQ(answers("L:" + wait(1) + kCopy + kCommit + "@%p bra L;"), "..");
  EXPECT_EQ(answers("L:" + wait(1) + wait(2) + kCopy + kCommit + "@%p bra L;"), ".n.");
  EXPECT_EQ(answers("L:" + wait(0) + kCopy + kCommit + "@%p bra L;"), "..");
  EXPECT_EQ(answers("L:" + kCopy + kCommit + wait(1) + "@%p bra L;" + wait(1)), "..n");
  // What cannot be reached is left alone.
  EXPECT_EQ(answers("bra L;" + wait(0) + "L:"), ".");
}

// docs/soundness/ H0.4
TEST(OutstandingGroups, UnknownCode) {
  EXPECT_EQ(answers(wait(0) + wait(0), ".visible .func k()"), "..");
  EXPECT_EQ(answers(wait(0) + "cp.async.wait_all;" + wait(0), ".visible .func k()"), "..n");
  EXPECT_EQ(answers("call other;" + wait(0)), ".");
  EXPECT_EQ(answers("frobnicate.async %r;" + wait(0)), ".");
}

// docs/soundness/ H1.3
TEST(OutstandingGroups, NeedlessCommits) {
  EXPECT_EQ(answers(kCopy + kCommit + kCommit + wait(0)), ".e.");
  EXPECT_EQ(answers(kCopy + kCommit + kCommit + wait(1)), "...");
  EXPECT_EQ(answers(kCopy + kCommit + kCommit + wait(0) + kCopy + kCommit + wait(1)), ".e..n");
  EXPECT_EQ(answers(kCopy + kCommit + kCommit + "@%p " + wait(0) + wait(1)), "....");
  EXPECT_EQ(answers(kCopy + kCommit + wait(0) + kCommit + kCopy + kCommit + wait(1)), "..e.n");
  EXPECT_EQ(answers(kCopy + "@%p " + kCommit + kCommit + wait(0)), "...");
  EXPECT_EQ(answers(kCopy + kCommit + kCommit + wait(0), ".visible .func k()"), ".e.");
  // What the caller waits for is not known.
  EXPECT_EQ(answers(wait(0) + kCopy + kCommit + kCommit), "n.e");
  EXPECT_EQ(answers(wait(0) + kCopy + kCommit + kCommit, ".visible .func k()"), "...");
  EXPECT_EQ(answers(kCopy + kCommit + kCommit + "call other;" + wait(0)), "...");
}

const std::string kBulkCopy = "cp.async.bulk.global.shared::cta.bulk_group [%rd], [A], 16;\n";
const std::string kBulkCommit = "cp.async.bulk.commit_group;\n";
std::string bulkWait(int left) {
  return "cp.async.bulk.wait_group " + std::to_string(left) + ";\n";
}
std::string readWait(int left) {
  return "cp.async.bulk.wait_group.read " + std::to_string(left) + ";\n";
}

TEST(OutstandingGroups, BulkGroups) {
  const std::string group = kBulkCopy + kBulkCommit;
  EXPECT_EQ(answers(kBulkCommit + readWait(0)), "en");
  EXPECT_EQ(answers(group + readWait(0) + readWait(0) + "bar.sync 0;" + bulkWait(0)), "..n.");
  EXPECT_EQ(answers(group + bulkWait(0) + readWait(0)), "..n");
  EXPECT_EQ(answers(group + wait(0)), ".n");  // another family
}

// docs/soundness/ H1.4
TEST(OutstandingGroups, ReadsBeforeFullWaits) {
  const std::string group = kBulkCopy + kBulkCommit;
  EXPECT_EQ(answers(group + readWait(0) + bulkWait(0)), ".r.");
  EXPECT_EQ(answers(group + readWait(0) + "ld.shared.u32 %r, [A];" + bulkWait(0)), ".r.");
  EXPECT_EQ(answers(group + readWait(0) + "st.shared.u32 [A], %r;" + bulkWait(0)), "...");
  EXPECT_EQ(answers(group + readWait(0) + "bar.sync 0;" + bulkWait(0)), "...");
  EXPECT_EQ(answers(group + readWait(0) + "@%p " + bulkWait(0)), "...");
  EXPECT_EQ(answers(group + readWait(0) + "@%p bra L;" + bulkWait(0) + "L:"), "...");
  EXPECT_EQ(answers(group + group + readWait(0) + bulkWait(1)), "....");
  EXPECT_EQ(answers(group + group + readWait(1) + bulkWait(0)), "..r.");
  EXPECT_EQ(answers(group + readWait(0) + kBulkCopy + kBulkCommit + bulkWait(0)), "....");
}

TEST(OutstandingGroups, Products) {
  const std::string product =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd, %rd, 1, 1, 1, "
      "0, 0;\n";
  const std::string commit = "wgmma.commit_group.sync.aligned;\n";
  const std::string registers = ".reg .f32 %f<4>;\n";
  const std::string all = "wgmma.wait_group.sync.aligned 0;\n";
  EXPECT_EQ(answers(registers + product + commit + all + all), "..n");
  EXPECT_EQ(answers(registers + product + commit + "wgmma.wait_group.sync.aligned 1;" + all),
            ".n.");
}

// docs/soundness/ H2.1
TEST(OutstandingGroups, TensorMemory) {
  const std::string load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r}, [%r];\n";
  const std::string store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r], {%r};\n";
  const std::string waits = "tcgen05.wait::ld.sync.aligned; tcgen05.wait::st.sync.aligned;\n";
  EXPECT_EQ(answers(waits), "nn");
  EXPECT_EQ(answers(load + waits + waits), ".nnn");
  EXPECT_EQ(answers(store + waits + waits), "n.nn");
  EXPECT_EQ(answers("L:" + waits + store + "@%p bra L;"), "n.");
}

}  // namespace
}  // namespace ptxopt::analysis
