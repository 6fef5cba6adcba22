// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers that sections of DWARF name.
#include "parse/debug_registers.h"

#include <gtest/gtest.h>

#include <set>

#include "parsed.h"

namespace ptxopt::parse {
namespace {

std::set<std::string> namesIn(std::string_view section) {
  std::unordered_set<std::string> names;
  collectDebugRegisters(section, names);
  return {names.begin(), names.end()};
}
using Names = std::set<std::string>;

TEST(DebugRegisters, AreFoundBehindTheOperation) {
  EXPECT_EQ(namesIn(".section .debug_loc { .b64 $L__tmp1\n.b8 5\n.b8 0\n.b8 144\n.b8 177\n.b8 228\n"
                    ".b8 149\n.b8 1\n.b64 0 }"),
            Names{"%r1"});
  EXPECT_EQ(namesIn(".section .debug_info { .b8 0x92, 0xb3, 0xe4, 0x95, 0x1, 4 }"), Names{"%r3"});
  EXPECT_EQ(namesIn(".section .debug_info { .b8 144 .b8 177 .b16 0x95e4 .b32 1 }"), Names{"%r1"});
}

TEST(DebugRegisters, AreTheLastEightCharactersOfALongName) {
  EXPECT_EQ(namesIn(".section .debug_loc { .b8 144, 248, 190, 153, 251, 246, 171, 217, 186, 108 }"),
            Names{"lue_of_x"});
}

TEST(DebugRegisters, AreNotMadeOfOtherBytes) {
  EXPECT_EQ(namesIn(".section .debug_loc { .b8 144, 177, 228, 149 }"), Names{});  // cut off
  EXPECT_FALSE(
      namesIn(".section .debug_loc { .b8 144, 177, 228 .b64 label .b8 149, 1 }").contains("%r1"));
  EXPECT_EQ(namesIn(".section .debug_loc { .b8 145, 177, 228, 149, 1 }"), Names{});
  EXPECT_EQ(namesIn(".section .debug_loc { .b8 144, 255, 255, 255, 255, 255, 255, 255, 255, 255, "
                    "255, 1 }"),
            Names{});
  EXPECT_EQ(namesIn(".section .debug_str { }"), Names{});
}

TEST(DebugRegisters, AreAskedForWhereADebuggerIs) {
  const std::string head = ".version 8.0\n.target sm_80";
  const std::string tail =
      "\n.address_size 64\n.func f() { ret; }\n.section .debug_loc { .b8 144, 177, 228, 149, 1 }\n";
  EXPECT_EQ(parseText(head + ", debug" + tail).module->debugRegisters.count("%r1"), 1u);
  EXPECT_TRUE(parseText(head + tail).module->debugRegisters.empty());
}

}  // namespace
}  // namespace ptxopt::parse
