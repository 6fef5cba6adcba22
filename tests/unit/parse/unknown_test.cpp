// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tool does not know goes in (docs/soundness/ A7), with one warning for each word.
#include <gtest/gtest.h>

#include "parsed.h"

namespace ptxopt::parse {
namespace {

TEST(UnknownTest, OpcodesAndQualifiers) {
  const Parsed parsed = parseBody(
      "frob.b32 %r1, %r2; frob.b32 %r3, %r4;\nadd.frob.s32 %r1, %r2, %r3;\nadd.s32 %r1, %r2;");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(),
            "8:1: warning: unknown opcode 'frob.b32'\n"
            "9:1: warning: unknown form of the instruction 'add.frob.s32'\n"
            "10:1: warning: unknown form of the instruction 'add.s32'\n");
  EXPECT_FALSE(parsed.instruction("f", 0).desc->known());
  EXPECT_FALSE(parsed.function("f").isOpaque);
}

TEST(UnknownTest, SpecialRegisters) {
  const Parsed parsed = parseBody("mov.u32 %r1, %frob; mov.u32 %r1, %frob;\nmov.u32 %r1, %frob.x;");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(),
            "8:1: warning: unknown special register '%frob'\n"
            "9:1: warning: unknown special register '%frob.x'\n");
  EXPECT_EQ(operandsOf(parsed.function("f"), parsed.instruction("f", 0)), "%r1>, %frob?");
}

TEST(UnknownTest, DirectivesInABody) {
  const Parsed parsed =
      parseModule(".func f() {\n.frob 1, 2\nret;\n.frob a;\n}\n.func g() { ret; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "5:1: warning: unknown directive '.frob' is left unchanged\n");
  EXPECT_TRUE(parsed.function("f").isOpaque);
  EXPECT_FALSE(parsed.function("g").isOpaque);
  EXPECT_FALSE(parsed.module->hasUnknownDirective);
  const auto* directive = parsed.function("f").body().front()->as<ir::Directive>();
  ASSERT_NE(directive, nullptr);
  EXPECT_EQ(directive->which, ir::DirectiveKind::Unknown);
  EXPECT_EQ(directive->text, ".frob 1, 2");
}

TEST(UnknownTest, DirectivesOfTheModule) {
  const Parsed parsed = parseModule(".frob { a, b }\n.func f() { ret; }\n.blub \"x\";");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_TRUE(parsed.module->hasUnknownDirective);
  EXPECT_EQ(parsed.messages(),
            "4:1: warning: unknown directive '.frob' is left unchanged\n"
            "6:1: warning: unknown directive '.blub' is left unchanged\n");
}

TEST(UnknownTest, AttributesOfFunctions) {
  const Parsed parsed =
      parseModule(".entry a() .frob 1, 2 { ret; }\n.entry b()\n.maxntid 1\n.frob x : 3\n{ ret; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "4:12: warning: unknown attribute '.frob' is left unchanged\n");
  const ir::Attribute& first = parsed.function("a").attributes[0];
  EXPECT_FALSE(first.known);
  EXPECT_EQ(first.text, ".frob 1, 2");
  EXPECT_EQ(parsed.function("b").attributes[1].text, ".frob x : 3");
  EXPECT_FALSE(parsed.function("b").attributes[1].known);
  EXPECT_TRUE(parsed.function("b").attributes[0].known);
}

TEST(UnknownTest, NewerVersionsAndTargets) {
  const Parsed parsed =
      parseText(".version 99.99\n.target sm_555x, sm_90, frobmode\n.address_size 64\n");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(),
            "1:10: warning: .version 99.99 is newer than this tool, which knows PTX up to 9.5\n"
            "2:9: warning: unknown target 'sm_555x'\n"
            "2:25: warning: unknown target 'frobmode'\n");
  EXPECT_EQ(parsed.module->version, (isa::Version{99, 99}));
  EXPECT_EQ(parsed.module->target, (isa::Target{90, 0}));
}

TEST(UnknownTest, CharactersLeaveTheModuleAsItIs) {
  for (const char* text : {"\x80", "\x01", "`", "\"open", "\\"}) {
    const Parsed parsed = parseModule(std::string(".func f() { ret; ") + text + " }");
    EXPECT_EQ(parsed.module, nullptr);
    EXPECT_FALSE(parsed.diagnostics.hasErrors());
    ASSERT_EQ(parsed.diagnostics.all().size(), 1u);
    EXPECT_EQ(parsed.diagnostics.all()[0].place.line, 4u);
    EXPECT_EQ(parsed.diagnostics.all()[0].place.column, 18u);
  }
  EXPECT_EQ(parseModule("\x80").messages(),
            "4:1: warning: unexpected byte 0x80; the module is left unchanged\n");
}

}  // namespace
}  // namespace ptxopt::parse
