// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of tests/interp/: what each of them must and must not be found guilty of, and how
// many outcomes it has.  The first lines say so:
//
//   // LAUNCH: {...}
//   // EXPECT: data-race deadlock      the kinds of findings, or `clean`
//   // OUTCOMES: 2                     distinct results over all schedules (optional)
//   // RESULT: 1 2 3                   words at the start of the first buffer (optional)
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "run_ptx.h"

namespace ptxopt::interp {
namespace {

constexpr std::uint32_t kSchedules = 21;

std::filesystem::path folder() {
  const char* root = std::getenv("PTXOPT_SOURCE_DIR");
  return std::filesystem::path(root != nullptr ? root : ".") / "tests" / "interp";
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  if (!std::filesystem::exists(folder())) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() == ".ptx") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> directive(const std::string& text, const std::string& name) {
  const std::string mark = "// " + name + ":";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + mark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::set<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

void check(const std::string& name, const std::string& text) {
  SCOPED_TRACE(name);
  const auto module = parseText(name + ".ptx", text);
  std::string error;
  const auto launch = findLaunch(text, "", error);
  ASSERT_TRUE(launch) << error;
  MachineOptions options;
  options.stepLimit = 500'000;
  if (const auto given = directive(text, "OPTIONS")) {
    ASSERT_EQ(words(*given), std::set<std::string>{"--strict-proxies"});
    options.strictProxies = true;
  }
  const auto result = survey(*module, *launch, options, kSchedules, error);
  ASSERT_TRUE(result) << error;

  const auto expected = directive(text, "EXPECT");
  ASSERT_TRUE(expected) << "no EXPECT";
  std::set<std::string> kinds = words(*expected);
  kinds.erase("clean");
  std::set<std::string> found;
  std::string all;
  for (const Finding& finding : result->findings) {
    found.insert(std::string(spelling(finding.kind)));
    all += format(*module, finding) + "\n";
  }
  EXPECT_EQ(found, kinds) << all;
  if (const auto outcomes = directive(text, "OUTCOMES")) {
    EXPECT_EQ(result->outcomes.size(), std::stoul(*outcomes));
  }
  if (const auto content = directive(text, "RESULT")) {
    std::istringstream stream(*content);
    ASSERT_FALSE(result->distinct.empty());
    const auto& bytes = result->distinct[0].memory[0].bytes;
    std::size_t at = 0;
    for (std::uint32_t value = 0; stream >> value; at += sizeof value) {
      std::uint32_t actual = 0;
      ASSERT_LE(at + sizeof actual, bytes.size());
      std::memcpy(&actual, bytes.data() + at, sizeof actual);
      EXPECT_EQ(actual, value) << "word " << at / sizeof value;
    }
  }
}

TEST(Litmus, EveryKernelIsJudgedRight) {
  const std::vector<std::string> names = files();
  ASSERT_GE(names.size(), 20u) << "PTXOPT_SOURCE_DIR must name the checkout";
  for (const std::string& name : names) {
    std::ifstream file(folder() / (name + ".ptx"));
    check(name, {std::istreambuf_iterator<char>(file), {}});
  }
}

// For each kind of finding a kernel with that bug, and its twin, which differs in little more than
// the bug and has no finding.  Those of a false fact are in tests/regress/ptxrun/check_facts.ptx.
struct Twins {
  FindingKind kind;
  std::string bug, right;
};
const Twins kTwins[] = {
    {FindingKind::DataRace, "war_race", "war_barrier"},
    {FindingKind::ProxyRace, "proxy_store_no_fence", "proxy_store_fence_between"},
    {FindingKind::BarrierDivergence, "divergent_barrier", "divergent_unaligned"},
    {FindingKind::BarrierMismatch, "barrier_mismatch", "barrier_one_count"},
    {FindingKind::Deadlock, "deadlock_count", "barrier_count"},
    {FindingKind::OutOfBounds, "out_of_bounds_global", "in_bounds_global"},
    {FindingKind::Misaligned, "misaligned", "aligned"},
    {FindingKind::TensorMap, "tensor_load_wrong_rank", "tensor_load"},
    {FindingKind::Texture, "texture_other_shape", "texture_fetch"},
    {FindingKind::TextureStale, "texture_written", "texture_written_later"},
    {FindingKind::Uninitialised, "register_uninitialised", "register_guarded"},
    {FindingKind::InactiveLane, "shuffle_inactive", "shuffle_inactive_unused"},
    {FindingKind::RegisterInFlight, "wgmma_accumulator_read", "wgmma_product"},
    {FindingKind::WgmmaFence, "wgmma_no_fence", "wgmma_product"},
    {FindingKind::CopyInFlight, "bulk_store_at_exit", "bulk_store_read_at_exit"},
    {FindingKind::MbarrierObject, "mbarrier_transactions_left", "mbarrier_transactions_done"},
    {FindingKind::MbarrierPhase, "mbarrier_wait_too_early", "mbarrier_wait_told"},
    {FindingKind::ClusterLaunch, "cancel_launch_failed_id", "cancel_launch_failed_id_unused"},
    {FindingKind::TensorMemory, "tcgen05_not_freed", "tcgen05_load_store"},
    {FindingKind::Trap, "trap", "trap_not_reached"},
    {FindingKind::AssertionFailed, "assertion_failed", "assertion_holds"},
};

// EveryKernelIsJudgedRight() runs them.
TEST(Litmus, EveryKindHasABugAndItsTwin) {
  const auto expected = [](const std::string& name) {
    std::ifstream file(folder() / (name + ".ptx"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return words(directive(text, "EXPECT").value_or(""));
  };
  std::set<FindingKind> kinds;
  for (const Twins& twins : kTwins) {
    const std::string kind(spelling(twins.kind));
    EXPECT_EQ(expected(twins.bug).count(kind), 1u) << kind << ": " << twins.bug;
    EXPECT_EQ(expected(twins.right), std::set<std::string>{"clean"}) << kind << ": " << twins.right;
    kinds.insert(twins.kind);
  }
  for (std::size_t k = 0; k < kFindingKinds; ++k) {
    const auto kind = static_cast<FindingKind>(k);
    if (isLimit(kind) || kind == FindingKind::FalseFact) continue;
    EXPECT_EQ(kinds.count(kind), 1u) << spelling(kind) << " has no planted bug";
  }
}

// Warps 0 and 1 meet at a barrier, or at none; warp 2 only sees the flag that thread 0 then raises.
std::string flagAfter(const std::string& expectation, const std::string& barrier) {
  return "// EXPECT: " + expectation + R"(
// LAUNCH: {"grid": 1, "block": 96, "args": ["buffer:1024"]}
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %t, %r<3>;
  .reg .b64 %out;
  .shared .align 4 .u32 A, flag;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  setp.ne.u32 %p, %t, 0;
  @!%p st.shared.u32 [flag], 0;
  bar.sync 0;
  setp.ge.u32 %p, %t, 64;
  @%p bra READER;
  setp.ne.u32 %p, %t, 0;
  @!%p st.shared.u32 [A], 42;
  )" + barrier +
         R"(
  @!%p st.relaxed.cta.shared.u32 [flag], 1;
  ret;
READER:
  setp.ne.u32 %p, %t, 64;
  @%p ret;
SPIN:
  ld.acquire.cta.shared.u32 %r1, [flag];
  setp.eq.u32 %p, %r1, 0;
  @%p bra SPIN;
  ld.shared.u32 %r2, [A];
  st.global.u32 [%out], %r2;
  ret;
}
)";
}

// docs/soundness/ A1.7
TEST(Litmus, TheWaitOfABarrierIsAFence) {
  check("with a barrier", flagAfter("clean", "bar.sync 1, 64;"));
  check("without", flagAfter("data-race", ""));
}

// By default a wait is for the products of its own warp.
TEST(Litmus, AWaitMayBeForTheWholeWarpgroup) {
  const auto findings = [](const std::string& name, bool isForAll) {
    std::ifstream file(folder() / (name + ".ptx"));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto module = parseText(name + ".ptx", text);
    std::string error;
    const auto launch = findLaunch(text, "", error);
    MachineOptions options;
    options.warpgroupWaits = isForAll;
    const auto result = survey(*module, *launch, options, kSchedules, error);
    std::set<std::string> kinds;
    for (const Finding& finding : result->findings) {
      kinds.insert(std::string(spelling(finding.kind)));
    }
    return kinds;
  };
  using Kinds = std::set<std::string>;
  EXPECT_EQ(findings("wgmma_operand_of_all", false), Kinds{"data-race"});
  EXPECT_EQ(findings("wgmma_operand_of_all", true), Kinds{});
  EXPECT_EQ(findings("wgmma_pipeline_one_behind", true), Kinds{});
  EXPECT_EQ(findings("wgmma_barrier_no_wait", true), Kinds{"data-race"});
  EXPECT_EQ(findings("wgmma_groups_too_early", true), Kinds{"register-in-flight"});
  EXPECT_EQ(findings("wgmma_missing_wait", true), Kinds{"barrier-divergence"});
}

}  // namespace
}  // namespace ptxopt::interp
