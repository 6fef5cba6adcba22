// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The special registers: which names there are, what an analysis may believe of them, and that
// ptxas takes each from its version and target on.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "isa/isa.h"
#include "ptxas_oracle.h"

namespace ptxopt::isa {
namespace {

TEST(SpecialRegisters, FindsNamesAndElements) {
  const SpecialRegister* tid = findSpecialRegister("%tid");
  ASSERT_NE(tid, nullptr);
  EXPECT_EQ(tid->name, "%tid");
  EXPECT_EQ(findSpecialRegister("%tid.x"), tid);
  EXPECT_EQ(findSpecialRegister("%tid.w"), tid);
  EXPECT_EQ(findSpecialRegister("%ntid.y")->name, "%ntid");
  EXPECT_EQ(findSpecialRegister("%clock64")->type, Type::U64);
  EXPECT_EQ(findSpecialRegister("%is_explicit_cluster")->type, Type::Pred);
  EXPECT_EQ(findSpecialRegister("WARP_SZ")->variation, Variation::Uniform);
}

TEST(SpecialRegisters, FindsTheNumberedOnes) {
  const SpecialRegister* first = findSpecialRegister("%envreg0");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(findSpecialRegister("%envreg31"), first);
  EXPECT_NE(findSpecialRegister("%pm7_64"), nullptr);
  for (const char* name : {"%envreg", "%envreg32", "%envreg07", "%envreg1x", "%envreg100",
                           "%envreg<32>", "%pm8", "%pm8_64"}) {
    EXPECT_EQ(findSpecialRegister(name), nullptr) << name;
  }
}

TEST(SpecialRegisters, DoesNotFindOthers) {
  for (const char* name : {"", "%", ".x", "%r1", "%tid.", "%tid.q", "%tid.xy", "%tid.x.y",
                           "%laneid.x", "%clock64.x", "%tidx", "tid", "%TID", "%warp_sz"}) {
    EXPECT_EQ(findSpecialRegister(name), nullptr) << name;
  }
}

// docs/soundness/ C1.2: a whitelist, so written out here a second time.
TEST(SpecialRegisters, UniformIsTheWhitelist) {
  const std::set<std::string_view> whitelist = {"%ntid",
                                                "%ctaid",
                                                "%nctaid",
                                                "%gridid",
                                                "%clusterid",
                                                "%nclusterid",
                                                "%cluster_ctaid",
                                                "%cluster_nctaid",
                                                "%cluster_ctarank",
                                                "%cluster_nctarank",
                                                "%perctamemoryoffset",
                                                "%perctamemorysize",
                                                "WARP_SZ"};
  std::set<std::string_view> uniform;
  for (const SpecialRegister& entry : specialRegisters()) {
    if (entry.variation == Variation::Uniform) uniform.insert(entry.name);
  }
  EXPECT_EQ(uniform, whitelist);
}

// docs/soundness/ D3, and A2 for the ones that keep a barrier beside them.
TEST(SpecialRegisters, VolatileAndPinned) {
  for (const SpecialRegister& entry : specialRegisters()) {
    const bool isTime = entry.name.starts_with("%clock") ||
                        entry.name.starts_with("%globaltimer") || entry.name.starts_with("%pm");
    EXPECT_EQ(entry.isPin, isTime) << entry.name;
    if (isTime) {
      EXPECT_EQ(entry.variation, Variation::Volatile) << entry.name;
    }
  }
  for (const char* name : {"%warpid", "%smid", "%nwarpid", "%nsmid", "%locality_domain_id"}) {
    EXPECT_EQ(findSpecialRegister(name)->variation, Variation::Volatile) << name;
  }
  for (const char* name : {"%tid.x", "%laneid", "%lanemask_lt", "%envreg3", "%dynamic_smem_size",
                           "%is_explicit_cluster", "%current_graph_exec"}) {
    EXPECT_EQ(findSpecialRegister(name)->variation, Variation::ThreadVarying) << name;
  }
}

TEST(SpecialRegisters, NamesAreDifferent) {
  std::set<std::string_view> names;
  for (const SpecialRegister& entry : specialRegisters()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  }
}

std::string readOf(const SpecialRegister& entry) {
  std::string name(entry.name);
  if (const std::size_t angle = name.find('<'); angle != std::string::npos) {
    name = name.substr(0, angle) + "0";
  }
  if (entry.isVector) name += ".x";
  if (entry.type == Type::Pred) return "mov.pred %p0, " + name + ";";
  return (bitWidth(entry.type) == 64 ? "mov.b64 %rd0, " : "mov.b32 %r0, ") + name + ";";
}

TEST(SpecialRegisters, PtxasTakesThemFromTheirVersionAndTargetOn) {
  const std::optional<PtxasOracle> oracle = PtxasOracle::find();
  if (!oracle) {
    GTEST_SKIP() << "no ptxas that knows PTX ISA " << toString(kNewestVersion)
                 << ": name one in PTXOPT_TEST_PTXAS or put it on PATH";
  }
  int unproven = 0;
  for (const SpecialRegister& entry : specialRegisters()) {
    const std::string statement = readOf(entry);
    const auto first = std::find_if(
        knownTargets().begin(), knownTargets().end(),
        [&](const KnownTarget& known) { return satisfies(known.target, entry.target); });
    ASSERT_NE(first, knownTargets().end()) << entry.name;
    const auto ask = [&](Version version, Target target) {
      return oracle->ask(version, target, {statement}).front();
    };

    // These two want a directive of the entry, which shows that the name is known.
    const bool wantsDirective = entry.name.starts_with("%perctamemory");
    const auto isTaken = [&](const std::string& message) {
      return wantsDirective ? message.find("directive required") != std::string::npos &&
                                  message.find("requires") == std::string::npos
                            : message.empty();
    };
    const Version version = std::max(entry.version, first->version);
    const std::string message = ask(version, first->target);
    EXPECT_TRUE(isTaken(message)) << statement << " " << message;

    const auto previous = std::lower_bound(knownVersions().begin(), knownVersions().end(), version);
    if ((entry.unproven & kUnprovenVersion) == 0 && previous != knownVersions().begin() &&
        *std::prev(previous) >= first->version) {
      EXPECT_FALSE(isTaken(ask(*std::prev(previous), first->target))) << statement;
    } else {
      ++unproven;
    }
    if (first != knownTargets().begin()) {
      const KnownTarget& below = *std::prev(first);
      EXPECT_FALSE(isTaken(ask(std::max(version, below.version), below.target))) << statement;
    }
  }
  std::printf("%zu special registers, %d runs of ptxas; not shown: %d versions\n",
              specialRegisters().size(), oracle->runs(), unproven);
}

}  // namespace
}  // namespace ptxopt::isa
