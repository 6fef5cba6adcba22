// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What constructs, instructions and special registers need, and what needs come to together.
#include "analysis/needs/needs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "isa/constructs.h"
#include "isa/targets.h"
#include "parse/parser.h"

namespace ptxopt::analysis {
namespace {

struct Parsed {
  explicit Parsed(const std::string& body, const std::string& target = "sm_100a") {
    const std::string text =
        ".version 9.4\n.target " + target + "\n.address_size 64\n" + body + "\n";
    module = parse::parse(std::make_shared<const SourceText>("k.ptx", text), diagnostics);
    EXPECT_FALSE(diagnostics.hasErrors()) << text;
    forEachNeed(*module, [this](const Need& need) { needs.push_back(need); });
  }

  // "PTX 7.8, 90" of the need with this name; empty if there is none.
  std::string of(std::string_view what) const {
    const auto found = std::ranges::find(needs, what, &Need::what);
    if (found == needs.end()) return {};
    return "PTX " + isa::toString(found->version) + ", " + std::string(found->target) +
           (found->isUnderstood ? "" : ", not understood");
  }

  Diagnostics diagnostics;
  std::unique_ptr<ir::Module> module;
  std::vector<Need> needs;
};

std::string kernel(const std::string& statements) {
  return ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" + statements +
         "\nret;\n}";
}

TEST(Needs, OfInstructionsAndSpecialRegisters) {
  const Parsed parsed(kernel("mov.u32 %r1, %cluster_ctarank;\nredux.sync.add.u32 %r2, %r1, -1;"));
  EXPECT_EQ(parsed.of("mov.u32"), "PTX 1.0, 10");
  EXPECT_EQ(parsed.of("%cluster_ctarank"), "PTX 7.8, 90");
  EXPECT_EQ(parsed.of("redux.sync.add.u32"), "PTX 7.0, 80");
  EXPECT_EQ(parsed.of("ret"), "PTX 1.0, 10");
  EXPECT_NE(parsed.needs.back().function, nullptr);
}

// What an instruction needs because of a word or an operand has the name of the instruction.
std::string_view nameOf(const isa::Construct& construct) {
  if (construct.word == isa::uses::kSharedOfCta) return "ld.shared::cta.u32";
  if (construct.word == isa::uses::kIgnoredSource) return "cp.async.ca.shared.global";
  return construct.word;
}

// Every example of the table has the need that it is an example of.
TEST(Needs, OfEveryConstruct) {
  for (const isa::Construct& construct : isa::constructs()) {
    if (construct.example.empty()) continue;
    const Parsed parsed((std::string(construct.example)));
    EXPECT_EQ(parsed.of(nameOf(construct)),
              "PTX " + isa::toString(construct.version) + ", " + std::string(construct.target))
        << construct.example;
    for (const Need& need : parsed.needs) EXPECT_TRUE(need.isUnderstood) << need.what;
  }
}

TEST(Needs, OfParametersByTheirBytes) {
  const auto large = [](const std::string& parameters) {
    return Parsed(".entry k(" + parameters + ") { ret; }").of(isa::uses::kLargeParameters);
  };
  EXPECT_EQ(large(".param .b8 a[4352]"), "");
  EXPECT_EQ(large(".param .b8 a[4353]"), "PTX 8.1, 70");
  EXPECT_EQ(large(".param .b8 a[4345], .param .b8 b[7]"), "");
  // With the bytes that align the second one.
  EXPECT_EQ(large(".param .b8 a[4345], .param .u64 b"), "PTX 8.1, 70");
  EXPECT_EQ(large(".param .b8 a[4280], .param .align 64 .b8 b[1]"), "");
}

TEST(Needs, WhatIsNotUnderstoodNeedsWhatTheModuleStates) {
  EXPECT_EQ(Parsed(kernel("frob.u32 %r1;")).of("frob.u32"), "PTX 9.4, 100a, not understood");
  EXPECT_EQ(Parsed(kernel("add.frob.u32 %r1, %r1, %r1;")).of("add.frob.u32"),
            "PTX 9.4, 100a, not understood");
  EXPECT_EQ(Parsed(kernel("mov.u32 %r1, %frob;")).of("%frob"), "PTX 9.4, 100a, not understood");
  EXPECT_EQ(Parsed(".frobnicate 3;\n" + kernel("")).of(".frobnicate"),
            "PTX 9.4, 100a, not understood");
  EXPECT_EQ(Parsed(".entry k() .frob 3 { ret; }").of(".frob"), "PTX 9.4, 100a, not understood");
  EXPECT_EQ(Parsed(".global .frob x;").of(".frob"), "PTX 9.4, 100a, not understood");
  // ptxas ignores such a pragma.
  EXPECT_EQ(Parsed(kernel(".pragma \"frob\";")).of("frob"), "");
}

TEST(Needs, OfAPrototypeWithAttributes) {
  const Parsed parsed(kernel("P: .callprototype _ () .noreturn;"));
  EXPECT_EQ(parsed.of(".callprototype"), "PTX 2.1, 20");
  EXPECT_EQ(parsed.of(".noreturn"), "PTX 6.4, 30");
}

Need needOf(isa::Version version, std::string_view target) {
  Need need;
  need.version = version;
  need.target = target;
  return need;
}

std::string sumOf(const std::vector<Need>& needs) {
  NeedSum sum;
  for (const Need& need : needs) sum.add(need);
  const std::optional<isa::Target> target = sum.target();
  if (!target) return "none";
  const std::optional<isa::Target> below = sum.targetBelow(*target);
  return isa::toString(sum.version(*target)) + ' ' + isa::toString(*target) + " above " +
         (below ? isa::toString(*below) : "none");
}

TEST(Needs, TheLowestTargetThatHasEverything) {
  EXPECT_EQ(sumOf({needOf({6, 0}, "30"), needOf({2, 0}, "70")}), "6.0 sm_70 above sm_62");
  EXPECT_EQ(sumOf({needOf({7, 0}, "90")}), "7.8 sm_90 above sm_89");  // the version of the target
  EXPECT_EQ(sumOf({needOf({8, 0}, "90a")}), "8.0 sm_90a above sm_90");
  EXPECT_EQ(sumOf({needOf({8, 0}, "90a|100f"), needOf({8, 6}, "100")}), "8.6 sm_100a above sm_100");
  EXPECT_EQ(sumOf({needOf({8, 0}, "90a"), needOf({8, 6}, "100f")}), "none");
  EXPECT_EQ(sumOf({}), "1.0 sm_10 above none");
}

// fp8 conversions: sm_90 had them before sm_89.
TEST(Needs, OfWhatALaterTargetHadEarlier) {
  Need fp8 = needOf({8, 1}, "89");
  fp8.earlier = {{7, 8}, "90"};
  EXPECT_EQ(sumOf({fp8}), "8.1 sm_89 above sm_88");
  EXPECT_EQ(sumOf({fp8, needOf({7, 8}, "90")}), "7.8 sm_90 above sm_89");
  EXPECT_EQ(sumOf({fp8, needOf({8, 0}, "90")}), "8.0 sm_90 above sm_89");
  EXPECT_EQ(fp8.versionFor({89, 0}), (isa::Version{8, 1}));
  EXPECT_EQ(fp8.versionFor({90, 'a'}), (isa::Version{7, 8}));
}

// sm_100f needs a later version than sm_100a, but runs on more.
TEST(Needs, OfTheTargetsWithOneNumberTheOneOfTheLowestVersion) {
  EXPECT_EQ(sumOf({needOf({8, 6}, "100f")}).substr(0, 11), "8.6 sm_100a");
  EXPECT_EQ(sumOf({needOf({8, 8}, "100f")}).substr(0, 11), "8.8 sm_100f");
}

}  // namespace
}  // namespace ptxopt::analysis
