// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce/reducer.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

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
  reducer.isInteresting = [&](const MarkedText& candidate) {
    return candidate.text.find(kept) != std::string::npos;
  };
  return reducer.run({std::string(text), {}});
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
  reducer.isInteresting = [&](const MarkedText& candidate) {
    Diagnostics diagnostics;
    const auto source = std::make_shared<const SourceText>("candidate.ptx", candidate.text);
    EXPECT_NE(parse::parse(source, diagnostics), nullptr) << candidate.text;
    EXPECT_TRUE(diagnostics.all().empty()) << candidate.text;
    return candidate.text.find("st.global") != std::string::npos;
  };
  EXPECT_LT(reducer.run({std::string(kText), {}}).size(), kText.size());
  EXPECT_GT(reducer.attempts, 10u);
}

TEST(Reduce, IsTheSameEachTime) {
  EXPECT_EQ(reduced(kText, "add.u32"), reduced(kText, "add.u32"));
}

TEST(Reduce, NothingGoesWhereAllIsNeeded) {
  Reducer reducer;
  reducer.isInteresting = [](const MarkedText&) { return false; };
  EXPECT_EQ(reducer.run({std::string(kText), {}}), kText);
}

TEST(Reduce, NoTextIsTriedTwice) {
  std::set<std::string> seen;
  Reducer reducer;
  reducer.isInteresting = [&](const MarkedText& candidate) {
    EXPECT_TRUE(seen.insert(candidate.text).second);
    return candidate.text.find("ret;") != std::string::npos;
  };
  reducer.run({std::string(kText), {}});
}

TEST(Edits, ALineThatIsEmptyThenGoes) {
  const std::string text = "a\n  b\nc d\n";
  const Edit line{{4, 5}, ""};
  const Edit word{{6, 7}, ""};
  EXPECT_EQ(applyEdits({text, {}}, {&line}).text, "a\nc d\n");
  EXPECT_EQ(applyEdits({text, {}}, {&line, &word}).text, "a\n d\n");
}

TEST(Edits, BlankLinesGo) {
  const std::string text = "\na\n \n\nb\n\n";
  const Edit first{{0, 0}, ""};
  const Edit second{{3, 4}, ""};
  const Edit third{{5, 5}, ""};
  const Edit last{{8, 8}, ""};
  EXPECT_EQ(applyEdits({text, {}}, {&first, &second, &third, &last}).text, "a\nb\n");
}

TEST(Edits, MarksMoveWithTheirCharacters) {
  const std::string text = "a\n  b\n{ c d }\ne\n";
  const Edit line{{4, 5}, ""};
  const Edit scope{{6, 13}, "c d", 8};
  const Edit statement{{14, 15}, "other"};
  const MarkedText after = applyEdits({text, {0, 4, 10, 14, 15}}, {&line, &scope, &statement});
  EXPECT_EQ(after.text, "a\nc d\nother\n");
  EXPECT_EQ(after.marks, (std::vector<Offset>{0, kNoOffset, 4, 6, 11}));
}

TEST(Reduce, MarksStay) {
  std::string text(kText);
  Reducer reducer;
  std::string marked;
  reducer.isInteresting = [&](const MarkedText& candidate) {
    marked = candidate.text.substr(candidate.marks[0], 7);
    return true;
  };
  const std::string result = reducer.run({text, {static_cast<Offset>(text.find("add.u32"))}});
  EXPECT_EQ(marked, "add.u32");
  EXPECT_NE(result.find("add.u32"), std::string::npos);
  EXPECT_EQ(result.find("mul.lo"), std::string::npos);
}

TEST(Reduce, LinesStayWithTheirInstructions) {
  const std::string text = std::string(kHeader) + R"(.entry k()
{
  .reg .b32 %r<9>;
  .loc 1 5 0
  mov.u32 %r1, 1;
  .loc 1 6 0
  mov.u32 %r2, 2;
L:
  mov.u32 %r3, 3;
}
.file 1 "k.cu"
)";
  Reducer reducer;
  reducer.keep.lines = true;
  reducer.isInteresting = [](const MarkedText& candidate) {
    return candidate.text.find("%r3, 3;") != std::string::npos;
  };
  const std::string result = reducer.run({text, {}});
  EXPECT_EQ(result, std::string(kHeader) +
                        ".entry k()\n{\n  .reg .b32 %r<4>;\n  .loc 1 6 0\n"
                        "  mov.u32 %r3, 3;\n}\n.file 1 \"k.cu\"\n");
}

}  // namespace
}  // namespace ptxopt::reduce
