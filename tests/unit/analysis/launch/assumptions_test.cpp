// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/launch/assumptions.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/launch/launch_shape.h"
#include "parse/parser.h"

namespace ptxopt::analysis {
namespace {

using Names = std::vector<std::string>;

AssumptionTable tableOf(const std::string& text) {
  AssumptionTable table;
  const auto error = table.parse(text);
  EXPECT_FALSE(error) << error->message;
  return table;
}

TEST(AssumptionTable, WhatIsSaidOfAllHoldsForEach) {
  const AssumptionTable table = tableOf("k: assume-1d\n*: assume=cuda  # of all\n\n");
  EXPECT_EQ(table.of("k").names(), (Names{"assume-drf", "trust-aligned", "assume-1d"}));
  EXPECT_EQ(table.of("other").names(), (Names{"assume-drf", "trust-aligned"}));
  EXPECT_TRUE(tableOf("# nothing\n").empty());
}

TEST(AssumptionTable, NoneLeavesAKernelWithItsOwn) {
  const AssumptionTable table = tableOf("*: relax-trap flat-shared\nk: block-dim=32,4 none");
  EXPECT_EQ(table.of("k").names(), Names{"block-dim=32,4,1"});
  EXPECT_FALSE(table.of("k").flatShared);
  EXPECT_TRUE(table.of("other").flatShared);
}

TEST(AssumptionTable, TakesTheLargestBlocks) {
  for (const std::string block : {"1024,1,1", "1,1024,1", "1,16,64"}) {
    EXPECT_EQ(tableOf("k: block-dim=" + block).of("k").names(), Names{"block-dim=" + block});
  }
}

TEST(AssumptionTable, TellsWhereAMistakeIs) {
  const std::vector<std::pair<std::string, Offset>> mistakes = {
      {"k: assume-1d bogus", 13},
      {"k assume-1d", 0},
      {": assume-1d", 0},
      {"k: block-dim=0", 3},
      {"k: block-dim=1,2,3,4", 3},
      {"k: block-dim=64,64", 3},
      {"k: block-dim=1,1,65", 3},
      {"k: block-dim=", 3},
      {"*: block-dim=64", 3},
      {"*: none", 3},
      {"k: assume-1d=2", 3},
      {"k: assume=fortran", 3},
      {"\nk: block-dim=1\nk: block-dim=2", 19}};
  for (const auto& [text, offset] : mistakes) {
    AssumptionTable table;
    const auto error = table.parse(text);
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->offset, offset) << text;
  }
}

class OfModule : public testing::Test {
 protected:
  const ir::Function& function(const std::string& name) {
    for (const ir::Function& one : module_->functions()) {
      if (one.nameText() == name) return one;
    }
    throw std::out_of_range(name);
  }
  ModuleAssumptions resolve(const std::string& table, const std::string& text) {
    Diagnostics diagnostics;
    module_ =
        parse::parse(std::make_shared<SourceText>(
                         "test.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n" + text),
                     diagnostics);
    EXPECT_FALSE(diagnostics.hasErrors());
    return ModuleAssumptions(*module_, tableOf(table));
  }
  Names namesOf(const ModuleAssumptions& assumptions, const std::string& name) {
    return assumptions.of(function(name)).names();
  }

  std::unique_ptr<ir::Module> module_;
};

TEST_F(OfModule, AFunctionHasWhatAllItsKernelsHave) {
  const ModuleAssumptions found =
      resolve("*: assume-drf\na: block-dim=64 assume-1d\nb: block-dim=32",
              ".func inner() { ret; }\n"
              ".func outer() { call inner, (); ret; }\n"
              ".func alone() { ret; }\n"
              ".visible .func open() { ret; }\n"
              ".entry a() { call outer, (); call alone, (); ret; }\n"
              ".entry b() { call inner, (); call open, (); ret; }\n");
  EXPECT_EQ(namesOf(found, "a"), (Names{"assume-drf", "block-dim=64,1,1", "assume-1d"}));
  EXPECT_EQ(namesOf(found, "outer"), namesOf(found, "a"));
  EXPECT_EQ(namesOf(found, "alone"), namesOf(found, "a"));
  EXPECT_EQ(namesOf(found, "inner"), Names{"assume-drf"});
  EXPECT_EQ(namesOf(found, "open"), Names{});  // called from other modules as well
  EXPECT_EQ(LaunchShape::of(function("outer"), found.of(function("outer"))),
            LaunchShape::of(std::array<std::uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(LaunchShape::of(function("inner"), found.of(function("inner"))), LaunchShape());
}

TEST_F(OfModule, FlatSharedOfOneKernelIsThatOfItsFunctions) {
  const ModuleAssumptions found = resolve("a: flat-shared",
                                          ".func f() { ret; }\n"
                                          ".entry a() { call f, (); ret; }\n"
                                          ".entry b() { call f, (); ret; }\n");
  EXPECT_TRUE(found.of(function("f")).flatShared);
  EXPECT_FALSE(found.of(function("b")).flatShared);
}

TEST_F(OfModule, DirectivesHoldAgainstAssumptions) {
  const ModuleAssumptions found =
      resolve("*: assume-1d\na: block-dim=64\nb: block-dim=64\nc: block-dim=32\nd: block-dim=8,4",
              ".entry a() .reqntid 32 { ret; }\n"
              ".entry b() .maxntid 16, 2 { ret; }\n"
              ".entry c() .maxntid 16, 2 { ret; }\n"
              ".entry d() { ret; }\n"
              ".entry e() .reqntid 8, 4 { ret; }\n");
  EXPECT_EQ(namesOf(found, "a"), Names{"assume-1d"});
  EXPECT_EQ(namesOf(found, "b"), Names{"assume-1d"});
  EXPECT_EQ(namesOf(found, "c"), (Names{"block-dim=32,1,1", "assume-1d"}));
  EXPECT_EQ(namesOf(found, "d"), Names{"block-dim=8,4,1"});
  EXPECT_EQ(namesOf(found, "e"), Names{});
  ASSERT_EQ(found.contradictions().size(), 2u);
  EXPECT_EQ(found.contradictions()[0].function, &function("a"));
  EXPECT_EQ(found.contradictions()[1].function, &function("b"));
}

TEST_F(OfModule, NothingIsInvariantThatGridsWaitFor) {
  const ModuleAssumptions found = resolve("*: nc-invariant",
                                          ".func f() { griddepcontrol.wait; ret; }\n"
                                          ".entry a() { call f, (); ret; }\n"
                                          ".entry b() { ret; }\n");
  EXPECT_EQ(namesOf(found, "a"), Names{});
  EXPECT_EQ(namesOf(found, "b"), Names{"nc-invariant"});
}

}  // namespace
}  // namespace ptxopt::analysis
