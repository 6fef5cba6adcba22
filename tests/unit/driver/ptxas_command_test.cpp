// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_command.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace ptxopt::ptxas {
namespace {

using Kind = PtxasCommand::Kind;
using Words = std::vector<std::string>;

// Command lines in these tests hold no blanks inside a word.
PtxasCommand parse(const std::string& line, const std::map<std::string, std::string>& files = {}) {
  return parsePtxasCommand(splitOptions(line).value(),
                           [&](const std::string& path) -> std::optional<std::string> {
                             const auto found = files.find(path);
                             if (found == files.end()) return std::nullopt;
                             return found->second;
                           });
}

Words inputs(const PtxasCommand& command) {
  Words names;
  for (const std::size_t place : command.inputs) names.push_back(command.words[place]);
  return names;
}

struct Line {
  const char* producer;
  const char* words;
  Words inputs;
};

// The argument vectors of compilers as they were recorded.
TEST(PtxasCommand, FindsTheInputsOfEveryProducer) {
  const std::vector<Line> lines = {
      {"nvcc", "-arch=sm_90 -m64 F.ptx -o F.sm_90.cubin", {"F.ptx"}},
      {"nvcc, a check only",
       "-arch=compute_90 -m64 -v -O2 -maxrregcount=64 --generate-line-info F.ptx",
       {"F.ptx"}},
      {"nvcc, an option twice",
       "-split-compile=2 -arch=sm_90 -m64 -split-compile=2 F.ptx -o F.cubin",
       {"F.ptx"}},
      {"nvcc, a value apart",
       "-arch=sm_100 -m64 --def-load-cache=cg --fmad false F.ptx -o F.cubin",
       {"F.ptx"}},
      {"clang", "-m64 -O2 --gpu-name sm_80 --output-file k.o F.s", {"F.s"}},
      {"Triton", "-lineinfo -v --regAllocOptLevel=2 --gpu-name=sm_90a F.ptx -o F.ptx.o", {"F.ptx"}},
      {"Triton with debug options",
       "--opt-level 0 -v --gpu-name=sm_90a F.ptx -o F.ptx.o",
       {"F.ptx"}},
      {"XLA", "F -o G -arch=sm_90a --warn-on-spills", {"F"}},
      {"cuTile",
       "-arch sm_90a F.ptx -o F.bin --opt-level 3 --enable-extended-smem=true --nv-host=H.o -uumn",
       {"F.ptx"}},
  };
  for (const Line& line : lines) {
    SCOPED_TRACE(line.producer);
    const PtxasCommand command = parse(line.words);
    EXPECT_EQ(command.kind, Kind::Assemble);
    EXPECT_EQ(command.words, splitOptions(line.words));
    EXPECT_EQ(inputs(command), line.inputs);
  }
}

TEST(PtxasCommand, TakesSeveralInputsAnywhere) {
  EXPECT_EQ(inputs(parse("a.ptx -arch sm_90 b.s -v - -o d.cubin c")),
            (Words{"a.ptx", "b.s", "-", "c"}));
}

TEST(PtxasCommand, TheNumberOfOIsPartOfTheWord) {
  EXPECT_EQ(inputs(parse("-O3 a.ptx")), Words{"a.ptx"});
  EXPECT_EQ(inputs(parse("-O a.ptx")), Words{"a.ptx"});
}

TEST(PtxasCommand, ValuesOfOptionsAreNoInputs) {
  const PtxasCommand command = parse(
      "-Ofc max --allow-expensive-optimizations true -apply-controls c.ptx -dlcm ca -dscm cg "
      "-func-maxrregcount 32 -device-stack-protector false -enable-func-clone-sc true -e k "
      "-flcm ca -fscm cg -m 64 -maxntid 32 -maxrregcount 64 -minnctapersm 2 -pic true "
      "-regUsageLevel 5 -split-compile 0 --output-file old.ptx in.ptx");
  EXPECT_EQ(inputs(command), Words{"in.ptx"});
}

TEST(PtxasCommand, AWordAfterAnUnknownOptionMayBeAnInput) {
  EXPECT_EQ(inputs(parse("--brand-new value in.ptx")), (Words{"value", "in.ptx"}));
  EXPECT_EQ(inputs(parse("--brand-new=value in.ptx")), Words{"in.ptx"});
}

TEST(PtxasCommand, LeavesAloneWhatIsNotForAnOptimizer) {
  for (const char* words :
       {"", "-arch=sm_90", "--list-version", "-arch-ls", "--input-as-string .version",
        "-ias .version F.ptx",
        "-arch=sm_90 -m64 --compile-only -g --dont-merge-basicblocks --return-at-end F.ptx -o F",
        "--device-debug F.ptx", "-sanitize memcheck F.ptx", "-astoolspatch F.ptx",
        "--legacy-bar-warp-wide-behavior F.ptx", "-override-directive-values -maxntid 64 F.ptx",
        "F.ptx -o", "F.ptx -optf absent"}) {
    SCOPED_TRACE(words);
    EXPECT_EQ(parse(words).kind, Kind::PassThrough);
  }
}

TEST(PtxasCommand, OptionsThatOnlyBeginLikeThoseAreNoReasonToStop) {
  EXPECT_EQ(parse("-gno-tmem-access-check F.ptx").kind, Kind::Assemble);
  EXPECT_EQ(parse("--generate-line-info F.ptx").kind, Kind::Assemble);
}

TEST(PtxasCommand, AsksForTheVersion) {
  EXPECT_EQ(parse("--version").kind, Kind::Version);
  EXPECT_EQ(parse("-V").kind, Kind::Version);
  EXPECT_EQ(parse("--version F.ptx").kind, Kind::Version);
  for (const char* words : {"--version --help", "--help", "-h F.ptx", "-g --help"}) {
    EXPECT_EQ(parse(words).kind, Kind::Help) << words;
  }
  EXPECT_EQ(parse("-arch=sm_90 F.ptx --sanitize=memcheck").reason, "--sanitize");
}

TEST(PtxasCommand, OpensOptionsFilesInTheirPlace) {
  const PtxasCommand command =
      parse("-v --options-file=one,two last.ptx",
            {{"one", "-arch=sm_90\n -optf three\r\n"}, {"two", "\"a b.ptx\""}, {"three", "c.ptx"}});
  EXPECT_EQ(command.kind, Kind::Assemble);
  EXPECT_EQ(command.words, (Words{"-v", "-arch=sm_90", "c.ptx", "a b.ptx", "last.ptx"}));
  EXPECT_EQ(inputs(command), (Words{"c.ptx", "a b.ptx", "last.ptx"}));
}

TEST(PtxasCommand, OptionsInAFileCountToo) {
  EXPECT_EQ(parse("F.ptx -optf f", {{"f", "-g"}}).kind, Kind::PassThrough);
  EXPECT_EQ(parse("F.ptx -optf f", {{"f", "-V"}}).kind, Kind::Version);
}

TEST(PtxasCommand, AFaultyOptionsFileIsForPtxasToReport) {
  EXPECT_EQ(parse("F.ptx -optf f", {{"f", "\"open"}}).kind, Kind::PassThrough);
  EXPECT_EQ(parse("F.ptx -optf f", {{"f", "-optf f"}}).kind, Kind::PassThrough);
  EXPECT_EQ(parse("sm_90 -optf f", {{"f", "F.ptx -arch"}}).kind, Kind::PassThrough);
}

TEST(SplitOptions, QuotesAndBackslashes) {
  EXPECT_EQ(splitOptions(""), Words{});
  EXPECT_EQ(splitOptions("  a\tb\r\nc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(splitOptions("\"a b\" c\" \"d e\\ f \"g\\\"h\" \"\""),
            (Words{"a b", "c d", "e f", "g\"h", ""}));
  EXPECT_EQ(splitOptions("'a b' # c"), (Words{"'a", "b'", "#", "c"}));
  EXPECT_EQ(splitOptions("a \"b"), std::nullopt);
}

TEST(PtxasCommand, WordsAsAShellQuotesThem) {
  EXPECT_EQ(splitShellWords(""), Words{});
  EXPECT_EQ(splitShellWords(" a\tb\nc "), (Words{"a", "b", "c"}));
  EXPECT_EQ(splitShellWords("'a b'c d\"e f\"g h\\ i"), (Words{"a bc", "de fg", "h i"}));
  EXPECT_EQ(splitShellWords("'' \"\""), (Words{"", ""}));
  EXPECT_EQ(splitShellWords("'a\\b' \"c\\d\" \"e\\\"f\\\\\" \\\\"),
            (Words{"a\\b", "c\\d", "e\"f\\", "\\"}));
  EXPECT_EQ(splitShellWords("\"it's\" 'a \"b\"'"), (Words{"it's", "a \"b\""}));
  EXPECT_EQ(splitShellWords("a\\"), (Words{"a\\"}));
  EXPECT_EQ(splitShellWords("$HOME # `x`"), (Words{"$HOME", "#", "`x`"}));
  EXPECT_EQ(splitShellWords("'a"), std::nullopt);
  EXPECT_EQ(splitShellWords("a\"b"), std::nullopt);
}

TEST(LooksLikePtx, VersionComesFirst) {
  EXPECT_TRUE(looksLikePtx(".version 9.0"));
  EXPECT_TRUE(looksLikePtx("//\n// x .y\n\n/* a\n * b */\t\r\n.version 9.0\n.target sm_90\n"));
  EXPECT_FALSE(looksLikePtx(""));
  EXPECT_FALSE(looksLikePtx("// .version 9.0"));
  EXPECT_FALSE(looksLikePtx("/* .version 9.0"));
  EXPECT_FALSE(looksLikePtx("/.version"));
  EXPECT_FALSE(looksLikePtx(".target sm_90\n.version 9.0"));
  EXPECT_FALSE(looksLikePtx("\177ELF"));
}

}  // namespace
}  // namespace ptxopt::ptxas
