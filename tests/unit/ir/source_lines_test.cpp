// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/source_lines.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "parse/parser.h"

namespace ptxopt::ir {
namespace {

// The numbers name the instructions: what ptxopt says of `mov.u32 %r, 3;` is what holds for 3.
constexpr std::string_view kText = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .b32 %r;
	mov.u32 %r, 0;
	.loc 1 10 3
	mov.u32 %r, 1;
	.loc 2 50 5, function_name $L__info_string0, inlined_at 1 10 3
	.loc 3 98 7, function_name $L__info_string1+2, inlined_at 2 50 5
	mov.u32 %r, 2;
	.loc 1 20 3
	.loc	1 4 5, function_name $L__info_string2, inlined_at 1 20 3
	.loc 2 50 5, function_name $L__info_string0, inlined_at 1 4 5
	.loc 3 98 7, function_name $L__info_string1, inlined_at 2 50 5
	mov.u32 %r, 3;
	.loc 3 99 7, function_name $L__nowhere, inlined_at 2 77 5
	mov.u32 %r, 4;
	.loc 1 0 0
	mov.u32 %r, 5;
	.loc 3 0 7, function_name $L__info_string1, inlined_at 2 50 5
	mov.u32 %r, 6;
	ret;
}
.visible .entry other()
{
	.reg .b32 %r;
	mov.u32 %r, 7;
	.loc 3 98 7, function_name $L__info_string1, inlined_at 2 50 5
	mov.u32 %r, 8;
	.loc 9 5 1
	mov.u32 %r, 9;
	ret;
}
.file 1 "/home/me/k.cu", 17, 99
.file 2 "lib/sync.h"
.file 3 "lib/intrinsics.hpp"
.section .debug_str
{
$L__info_string0:
.b8 115,121
.b8 110,99,0
$L__info_string1:
.b8 98,97,114,0
$L__info_string2:
.b8 115,116,97,103,101,0
}
)";

class SourceLinesTest : public testing::Test {
 protected:
  static std::unique_ptr<Module> parsed() {
    Diagnostics diagnostics;
    auto module = parse::parse(std::make_shared<const SourceText>("k.ptx", kText), diagnostics);
    EXPECT_FALSE(diagnostics.hasErrors());
    return module;
  }
  static Offset offsetOf(int number) {
    return static_cast<Offset>(kText.find(fmt::format("mov.u32 %r, {};", number)));
  }
  std::string written(int number) const {
    const auto place = lines_.written(offsetOf(number));
    return place ? fmt::format("{}:{}", shortText(*place), place->column) : "none";
  }
  std::string chain(int number) const {
    std::string text;
    for (const SourcePlace& place : lines_.chain(*lines_.at(offsetOf(number)))) {
      text += fmt::format("{}{} {}", text.empty() ? "" : " < ", shortText(place), place.function);
    }
    return text;
  }
  std::unique_ptr<Module> module_ = parsed();
  SourceLines lines_{*module_};
};

TEST_F(SourceLinesTest, TheLastLocAboveHolds) {
  EXPECT_EQ(lines_.at(offsetOf(0)), nullptr);
  EXPECT_EQ(written(0), "none");
  EXPECT_EQ(written(1), "k.cu:10:3");
  EXPECT_EQ(chain(1), "k.cu:10 ");
}

TEST_F(SourceLinesTest, InlinedCodeBelongsToTheLineThatTheUserWrote) {
  EXPECT_EQ(written(2), "k.cu:10:3");
  EXPECT_EQ(chain(2), "intrinsics.hpp:98 r < sync.h:50 sync < k.cu:10 ");
}

TEST_F(SourceLinesTest, AnInlinedFunctionOfTheSameFileIsWhatTheUserWrote) {
  // The same .loc as above in the text: the nearest one above is its call.
  EXPECT_EQ(written(3), "k.cu:4:5");
  EXPECT_EQ(chain(3), "intrinsics.hpp:98 bar < sync.h:50 sync < k.cu:4 stage < k.cu:20 ");
}

TEST_F(SourceLinesTest, AChainEndsWhereItsCallIsMissing) {
  EXPECT_EQ(written(4), "sync.h:77:5");
  EXPECT_EQ(chain(4), "intrinsics.hpp:99  < sync.h:77 ");
  // A call in another function is none.
  EXPECT_EQ(written(8), "sync.h:50:5");
}

TEST_F(SourceLinesTest, LineZeroIsNoLine) {
  EXPECT_EQ(written(5), "none");
  EXPECT_EQ(chain(6), "sync.h:50 sync < k.cu:4 stage < k.cu:20 ");
}

TEST_F(SourceLinesTest, ALocDoesNotHoldInTheNextFunction) {
  EXPECT_EQ(written(7), "none");
}

TEST_F(SourceLinesTest, AFileMayHaveNoName) {
  EXPECT_EQ(written(9), "line 5:1");
}

TEST_F(SourceLinesTest, OfSomeFunctionsOnly) {
  const Function* function = &module_->functions().back();
  const SourceLines lines(*module_, std::span(&function, 1));
  EXPECT_EQ(lines.at(offsetOf(2)), nullptr);
  EXPECT_EQ(lines.at(offsetOf(9))->line, 5u);
}

}  // namespace
}  // namespace ptxopt::ir
