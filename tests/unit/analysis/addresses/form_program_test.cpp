// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/form_program.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "interp/launch.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

struct Operation {
  const char* mnemonic;
  unsigned sources;  // of one width, but for amounts, positions and lengths
  unsigned bits;
  unsigned resultBits;
  bool hasSmallTail;      // the last sources are numbers from 0 to 70
  const char* last = "";  // one more source, an immediate
};

const Operation kOperations[] = {
    {"add.u32", 2, 32, 32, false},          {"sub.s64", 2, 64, 64, false},
    {"neg.s32", 1, 32, 32, false},          {"not.b64", 1, 64, 64, false},
    {"and.b32", 2, 32, 32, false},          {"or.b64", 2, 64, 64, false},
    {"xor.b32", 2, 32, 32, false},          {"shl.b32", 2, 32, 32, true},
    {"shl.b64", 2, 64, 64, true},           {"shr.u32", 2, 32, 32, true},
    {"shr.s32", 2, 32, 32, true},           {"shr.s64", 2, 64, 64, true},
    {"min.s32", 2, 32, 32, false},          {"min.u64", 2, 64, 64, false},
    {"max.s64", 2, 64, 64, false},          {"max.u32", 2, 32, 32, false},
    {"div.u32", 2, 32, 32, false},          {"div.s32", 2, 32, 32, false},
    {"rem.u64", 2, 64, 64, false},          {"rem.s32", 2, 32, 32, false},
    {"mul.lo.u32", 2, 32, 32, false},       {"mul.hi.u32", 2, 32, 32, false},
    {"mul.hi.s32", 2, 32, 32, false},       {"mul.hi.u64", 2, 64, 64, false},
    {"mul.hi.s64", 2, 64, 64, false},       {"mul.wide.s32", 2, 32, 64, false},
    {"mul.wide.u32", 2, 32, 64, false},     {"mad.lo.s32", 3, 32, 32, false},
    {"mad.hi.u32", 3, 32, 32, false},       {"abs.s32", 1, 32, 32, false},
    {"popc.b32", 1, 32, 32, false},         {"popc.b64", 1, 64, 32, false},
    {"clz.b32", 1, 32, 32, false},          {"clz.b64", 1, 64, 32, false},
    {"bfe.u32", 3, 32, 32, true},           {"bfe.s32", 3, 32, 32, true},
    {"bfe.u64", 3, 64, 64, true},           {"bfe.s64", 3, 64, 64, true},
    {"bfi.b32", 4, 32, 32, true},           {"bfi.b64", 4, 64, 64, true},
    {"lop3.b32", 3, 32, 32, false, "0xe8"}, {"lop3.b32", 3, 32, 32, false, "0x96"},
};

// How many of the sources are small and 32 bits wide.
unsigned tailOf(const Operation& operation) {
  if (!operation.hasSmallTail) return 0;
  return operation.sources == 2 ? 1 : 2;
}

void expectSameInAllLanes(const IntegerOperation& operation,
                          const std::vector<std::uint64_t>& sources,
                          std::optional<std::uint64_t> expected) {
  std::vector<OfLanes<std::uint64_t>> lanes(sources.size());
  IntegerOperation::Sources ofLanes{};
  for (std::size_t k = 0; k < sources.size(); ++k) {
    lanes[k].fill(sources[k]);
    ofLanes[k] = &lanes[k];
  }
  OfLanes<std::uint64_t> results;
  EXPECT_EQ(operation.evaluate(ofLanes, results), expected ? ~LaneMask{0} : LaneMask{0});
  for (const std::uint64_t result : results) EXPECT_EQ(result, expected.value_or(result));
}

// Whether or not the intervals begin with the first thread or end with the last one.
TEST(FormProgram, LanesInsideOfIntervals) {
  const WarpOfThreads warp({16, 4, 1}, 1);  // rows 2 and 3
  const Interval all;
  EXPECT_EQ(lanesInside(warp, {all, all, all}), 0xffff'ffff);
  EXPECT_EQ(lanesInside(warp, {Interval{0, 15}, all, all}), 0xffff'ffff);
  EXPECT_EQ(lanesInside(warp, {Interval{0, 3}, all, all}), 0x000f'000f);
  EXPECT_EQ(lanesInside(warp, {Interval{12, 15}, all, all}), 0xf000'f000);
  EXPECT_EQ(lanesInside(warp, {Interval{4, 7}, Interval{0, 2}, all}), 0x0000'00f0);
}

// The results are those of the interpreter.
TEST(FormProgram, EvaluatesAsTheInterpreterDoes) {
  std::mt19937_64 random(7);
  const auto number = [&](unsigned bits) -> std::uint64_t {
    switch (random() % 4) {
      case 0:
        return residue(random() % 8 - 4, bits);
      case 1:
        return residue(std::uint64_t{1} << random() % bits, bits);
      default:
        return residue(random(), bits);
    }
  };
  std::size_t compared = 0;
  for (const Operation& operation : kOperations) {
    SCOPED_TRACE(operation.mnemonic);
    const std::string wide = operation.bits == 64 ? "%rd" : "%r";
    std::string text = ".reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd8, [out];";
    std::string parameters = ".param .u64 out";
    std::string call =
        std::string(operation.mnemonic) + " " + (operation.resultBits == 64 ? "%rd7" : "%r7");
    const unsigned tail = tailOf(operation);
    for (unsigned k = 0; k < operation.sources; ++k) {
      const bool isSmall = k + tail >= operation.sources;
      const std::string reg = (isSmall ? "%r" : wide) + std::to_string(k);
      const std::string name = "p" + std::to_string(k);
      const std::string type = isSmall || operation.bits == 32 ? ".u32 " : ".u64 ";
      parameters += ", .param " + type + name;
      text += "ld.param" + type + reg + ", [" + name + "];";
      call += ", " + reg;
    }
    if (*operation.last != 0) call += std::string(", ") + operation.last;
    text += call + "; st.global.u" + std::to_string(operation.resultBits) + " [%rd8], " +
            (operation.resultBits == 64 ? "%rd7;" : "%r7;");
    test::ValueFunction f(text, "", "", parameters);
    const isa::InstructionDesc& desc = *f.instructions()[operation.sources + 1]->desc;

    for (int round = 0; round < 40; ++round) {
      std::vector<std::uint64_t> sources;
      interp::Launch launch;
      std::string error;
      launch.arguments.push_back(*interp::parseArgument("buffer:8", error));
      for (unsigned k = 0; k < operation.sources; ++k) {
        const bool isSmall = k + tail >= operation.sources;
        sources.push_back(isSmall ? random() % 71 : number(operation.bits));
        const char* const type = isSmall || operation.bits == 32 ? "u32:" : "u64:";
        launch.arguments.push_back(
            *interp::parseArgument(type + std::to_string(sources.back()), error));
      }
      if (*operation.last != 0) sources.push_back(std::stoul(operation.last, nullptr, 16));
      const auto integerOperation = IntegerOperation::of(desc);
      ASSERT_TRUE(integerOperation) << call;
      ASSERT_EQ(integerOperation->sourceCount(), sources.size());
      const auto result = integerOperation->evaluate(sources);
      expectSameInAllLanes(*integerOperation, sources, result);
      if (!result) {
        // Division by zero, and the one that overflows.
        EXPECT_TRUE(desc.opcode == isa::Opcode::Div || desc.opcode == isa::Opcode::Rem);
        continue;
      }
      const auto outcome = interp::run(f.module(), launch, {}, error);
      ASSERT_TRUE(outcome && outcome->completed) << error;
      std::uint64_t expected = 0;
      std::memcpy(&expected, outcome->memory[0].bytes.data(), operation.resultBits / 8);
      EXPECT_EQ(*result, expected) << sources[0] << " " << sources.back();
      ++compared;
    }
  }
  EXPECT_GT(compared, 1200u);
}

// What is given in the place of an address does for sums, and for nothing that looks at its bits,
// in whichever order they come.
TEST(FormProgram, FixedLeavesAreNoSourcesOfOperations) {
  test::ValueFunction f(R"(
      .reg .b32 %r<9>;
      mov.u32 %r1, A; st.shared.u32 [%r1+4], 0;
      shr.u32 %r2, %r1, 1; st.shared.u32 [%r2], 0;
    )",
                        "", ".shared .align 4 .b8 A[64];");
  const auto& addresses = f.analyses().get<Addresses>();
  const auto all = addresses.all();
  ASSERT_EQ(all.size(), 2u);
  const LeafId symbol = addresses.forms().form(all[0].address).terms[0].leaf;
  for (const bool isSumFirst : {true, false}) {
    FormProgram program(addresses);
    program.fix(symbol, 1024);
    if (isSumFirst) {
      EXPECT_TRUE(program.add(all[0].address).has_value());
    }
    EXPECT_FALSE(program.add(all[1].address).has_value());
    EXPECT_TRUE(program.add(all[0].address).has_value());
  }
}

}  // namespace
}  // namespace ptxopt::analysis
