// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce/reducer.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "parse/parser.h"
#include "reduce/edits.h"

namespace ptxopt::reduce {
namespace {

constexpr std::string_view kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

constexpr std::string_view kText = R"(// a comment
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 unused;
.func helper(.reg .b32 %a)
{
  ret;
}
.visible .entry k(.param .u64 out)
.maxntid 128, 1, 1
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;   // who
  setp.lt.u32 %p1, %r1, 7;
  @%p1 bra L1;
  add.u32 %r2, %r1, 3;
  bar.sync 0;
L1:
  {
    mul.lo.u32 %r3, %r1, 40;
    st.global.u32 [%rd1+16], %r3;
  }
  ret;
}
)";

std::string reduced(std::string_view text, std::string_view kept) {
  Reducer reducer;
  reducer.isInteresting = [&](const std::string& candidate) {
    return candidate.find(kept) != std::string::npos;
  };
  return reducer.run(std::string(text));
}

TEST(Reduce, KeepsOnlyWhatTheCommandAsksFor) {
  EXPECT_EQ(reduced(kText, "bar.sync 0;"),
            std::string(kHeader) + ".visible .entry k()\n{\n  bar.sync 0;\n}\n");
}

TEST(Reduce, KeepsTheDeclarationsOfWhatIsLeft) {
  const std::string text = reduced(kText, "mul.lo.u32");
  EXPECT_NE(text.find("mul.lo.u32"), std::string::npos);
  EXPECT_NE(text.find(".reg .b32 %r<"), std::string::npos);
  EXPECT_EQ(text.find("st.global"), std::string::npos);
  EXPECT_EQ(text.find(", 40"), std::string::npos);  // the constant became 0
}

TEST(Reduce, ParametersThatAreNotUsedGo) {
  const std::string text = reduced(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".entry k(.param .u32 a, .param .u32 b,\n  .param .u32 c)\n{\n  .reg .b32 %r<2>;\n"
      "  ld.param.u32 %r0, [b];\n}\n",
      "[b]");
  EXPECT_NE(text.find("k( .param .u32 b,\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("a,"), std::string::npos);
}

TEST(Reduce, EveryTextThatIsTriedParses) {
  Reducer reducer;
  reducer.isInteresting = [&](const std::string& candidate) {
    Diagnostics diagnostics;
    const auto source = std::make_shared<const SourceText>("candidate.ptx", candidate);
    EXPECT_NE(parse::parse(source, diagnostics), nullptr) << candidate;
    EXPECT_TRUE(diagnostics.all().empty()) << candidate;
    return candidate.find("st.global") != std::string::npos;
  };
  EXPECT_LT(reducer.run(std::string(kText)).size(), kText.size());
  EXPECT_GT(reducer.attempts, 10u);
}

TEST(Reduce, IsTheSameEachTime) {
  EXPECT_EQ(reduced(kText, "add.u32"), reduced(kText, "add.u32"));
}

TEST(Reduce, NothingGoesWhereAllIsNeeded) {
  Reducer reducer;
  reducer.isInteresting = [](const std::string&) { return false; };
  EXPECT_EQ(reducer.run(std::string(kText)), kText);
}

TEST(Reduce, NoTextIsTriedTwice) {
  std::set<std::string> seen;
  Reducer reducer;
  reducer.isInteresting = [&](const std::string& candidate) {
    EXPECT_TRUE(seen.insert(candidate).second);
    return candidate.find("ret;") != std::string::npos;
  };
  reducer.run(std::string(kText));
}

TEST(Edits, ALineThatIsEmptyThenGoes) {
  const std::string text = "a\n  b\nc d\n";
  const Edit line{{4, 5}, ""};
  const Edit word{{6, 7}, ""};
  EXPECT_EQ(applyEdits(text, {&line}), "a\nc d\n");
  EXPECT_EQ(applyEdits(text, {&line, &word}), "a\n d\n");
}

}  // namespace
}  // namespace ptxopt::reduce
