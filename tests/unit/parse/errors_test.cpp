// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts that are no PTX: an error with a place and what was expected, never a crash.
#include <gtest/gtest.h>

#include "parse/scanner.h"
#include "parsed.h"
#include "reference.h"

namespace ptxopt::parse {
namespace {

std::string bodyError(std::string_view body) {
  return parseModule(".func f() {\n" + std::string(body)).messages();
}

TEST(ErrorsTest, SaysWhatWasExpected) {
  EXPECT_EQ(bodyError("add.s32 x y;\n}"), "5:11: error: unexpected 'y', expected ';' or ','\n");
  EXPECT_EQ(bodyError("add.s32 x,;\n}"), "5:11: error: unexpected ';', expected an operand\n");
  EXPECT_EQ(bodyError("ret\n}"), "6:1: error: unexpected '}', expected ';', an operand or ':'\n");
  EXPECT_EQ(bodyError("ld.u32 r, [x;\n}"), "5:13: error: unexpected ';', expected ',' or ']'\n");
  EXPECT_EQ(bodyError(".reg .pred p; @p { ret; }\n}"),
            "5:18: error: unexpected '{', expected an opcode or a name\n");
  EXPECT_EQ(bodyError(".reg b32 x;\n}"),
            "5:10: error: unexpected 'x', expected ';', ',', '[', '<' or '='\n");
  EXPECT_EQ(bodyError(".loc 1 2 ;\n}"), "5:10: error: unexpected ';', expected an integer\n");
  EXPECT_EQ(bodyError("{ ret;\n"),
            "6:1: error: unexpected the end of the file, expected a statement or '}'\n");
  EXPECT_EQ(bodyError("ret; } }\n"),
            "5:8: error: unexpected '}', expected a directive such as '.entry' or '.global' or the "
            "end of the file\n");
}

TEST(ErrorsTest, ModuleLevel) {
  EXPECT_EQ(parseModule("add.s32 x, y;").messages(),
            "4:1: error: unexpected 'add.s32', expected a directive such as '.entry' or '.global' "
            "or the end of the file\n");
  EXPECT_EQ(parseModule(".global .b32 ;").messages(),
            "4:14: error: unexpected ';', expected a state space such as '.reg', '.align', "
            "'.attribute', a word such as '.b32' or a name\n");
  EXPECT_EQ(parseModule(".func f( { }").messages(),
            "4:10: error: unexpected '{', expected ')', a state space such as '.reg', '.align', "
            "'.attribute' or a word such as '.b32'\n");
  EXPECT_EQ(parseModule(".entry { }").messages(), "4:8: error: unexpected '{', expected a name\n");
  EXPECT_EQ(parseModule("/* open").messages(), "4:1: error: the comment is not closed\n");
  const std::string noSourceEnd =
      "error: '.source_begin' must be the last word of its line, and a line '.source_end' must "
      "follow\n";
  const std::string section = ".nv_intermediate_source_section {\n.code_block {\n";
  EXPECT_EQ(parseModule(section + ".source_begin\n}\n.source_end x\n} }").messages(),
            "6:1: " + noSourceEnd);
  EXPECT_EQ(parseModule(section + " .source_begin x\n.source_end\n} }").messages(),
            "6:2: " + noSourceEnd);
}

TEST(ErrorsTest, NoModule) {
  for (const char* text : {"", "   \n", "// only a comment\n", ".target sm_90\n",
                           "\x7f"
                           "ELF",
                           "hello", "{", "\"", ".func f() { }"}) {
    const Parsed parsed = parseText(text);
    EXPECT_EQ(parsed.module, nullptr) << text;
    EXPECT_EQ(parsed.diagnostics.errorCount(), 1u) << text;
  }
  EXPECT_EQ(parseText("").messages(), "1:1: error: missing .version at the start of the module\n");
  EXPECT_EQ(parseText(".target sm_90\n").messages(),
            "1:1: error: missing .version at the start of the module\n");
  EXPECT_EQ(parseText(std::string("\0\0\0", 3)).messages(),
            "1:1: error: missing .version at the start of the module\n");
}

TEST(ErrorsTest, PlacesAreThoseOfTheText) {
  const Parsed parsed =
      parseText(std::string(kHeader) + ".func f() {\r\n\tret;\r\n\tret 5 5;\r\n}\r\n");
  ASSERT_EQ(parsed.diagnostics.all().size(), 1u);
  EXPECT_EQ(parsed.diagnostics.all()[0].place.line, 6u);
  EXPECT_EQ(parsed.diagnostics.all()[0].place.column, 8u);
}

// Either it parses or there is one message with a place within the text.
void expectSound(const std::string& text) {
  const Parsed parsed = parseText(text);
  if (parsed.module != nullptr) {
    EXPECT_FALSE(parsed.diagnostics.hasErrors());
    return;
  }
  ASSERT_FALSE(parsed.diagnostics.all().empty()) << text;
  const Diagnostic& last = parsed.diagnostics.all().back();
  EXPECT_GE(last.place.line, 1u);
  EXPECT_FALSE(last.message.empty());
}

// Small files that have everything between them, cut off after each of their tokens.
TEST(ErrorsTest, TruncatedFiles) {
#ifdef NDEBUG
  constexpr std::uint32_t kStep = 1;
#else
  constexpr std::uint32_t kStep = 7;  // such builds are slow
#endif
  std::size_t cuts = 0;
  for (const std::filesystem::path& path : corpusFiles()) {
    if (path.string().find("handwritten") == std::string::npos) continue;
    const std::string text = readFile(path);
    if (text.size() > 4000) continue;
    SCOPED_TRACE(path);
    const SourceText source("t.ptx", text);
    Interner names;
    Scanner scanner(source.text(), names);
    TokenBuffer buffer;
    scanner.fill(buffer);
    for (std::uint32_t k = 0; k < buffer.size; k += kStep) {
      expectSound(text.substr(0, buffer.start()[k]));
      ++cuts;
    }
  }
  EXPECT_GT(cuts, 3000u / kStep);
}

TEST(ErrorsTest, TruncatedWithinWords) {
  const std::string text =
      std::string(kHeader) +
      ".global .f32 x[2] = {1.0, 0f3f800000}; // c\n.func f() { /* c */ @%p bra $L; .loc 1 2 3 }\n"
      ".section .debug_x { .b8 1 } .pragma \"x\"; .frob { x }\n";
  for (std::size_t size = 0; size <= text.size(); ++size) expectSound(text.substr(0, size));
}

// As above, and the reference parser takes what the fast one takes.  A directive that nobody knows
// is one token only for the latter.
void expectAgreement(const std::string& text) {
  expectSound(text);
  const Parsed parsed = parseText(text);
  for (const Diagnostic& diagnostic : parsed.diagnostics.all()) {
    if (diagnostic.message.find("is left unchanged") != std::string::npos) return;
  }
  EXPECT_EQ(parsed.module != nullptr, referenceError(text).empty())
      << text << parsed.messages() << referenceError(text);
}

// One token left out, doubled, or exchanged for another.
TEST(ErrorsTest, MangledFiles) {
  const std::string text =
      std::string(kHeader) +
      ".global .align 4 .b32 x[2] = {1, y+4, generic(z), 0xff(w)};\n"
      ".func (.param .b32 r) f(.reg .b64 a, .param .b8 b[4]) .noreturn\n{\n"
      ".reg .b32 %r<3>; T: .branchtargets A, B<2>; P: .callprototype _ (.param .b32 _);\n"
      "@!%p add.s32 %r1, -%r2, (1+2)*3; { A: setp.eq.s32 p|q, v.x, %tid.x; }\n"
      "ld .global.v2.u32 {a, _}, [x+4]; tex.2d.v4.f32.s32 {a}, [t, {x, y}]; call (r), g, (a, 5), "
      "P;\n"
      ".loc 1 2 3, function_name L+4, inlined_at 1 2 3\n}\n.alias f, g;\n"
      ".section .debug_str { L: .b8 1, 2\n.b32 .debug_loc+3 }\n";
  const SourceText source("t.ptx", text);
  Interner names;
  Scanner scanner(source.text(), names);
  TokenBuffer buffer;
  scanner.fill(buffer);
  const auto at = [&](std::uint32_t k) { return buffer.start()[k]; };
  for (std::uint32_t k = 0; k + 1 < buffer.size; ++k) {
    const std::string token = text.substr(at(k), at(k + 1) - at(k));
    const std::string before = text.substr(0, at(k));
    const std::string after = text.substr(at(k + 1));
    expectAgreement(before + after);
    expectAgreement(before + token + " " + token + after);
    for (const char* other :
         {"{ ", "} ", "( ", ") ",    "[ ",       "] ",    "; ",     ", ", ": ", "@",
          "= ", "x ", "5 ", ".b32 ", "\n.frob ", ".reg ", "\"s\" ", "| ", "- ", ".entry "}) {
      expectAgreement(before + other + after);
    }
  }
}

TEST(ErrorsTest, BinaryJunk) {
  std::uint32_t state = 12345;
  for (int round = 0; round < 300; ++round) {
    std::string text = round % 2 == 0 ? std::string(kHeader) : std::string();
    for (int k = 0; k < 200; ++k) {
      state = state * 1664525 + 1013904223;
      text += static_cast<char>(state >> 24);
    }
    expectSound(text);
  }
}

}  // namespace
}  // namespace ptxopt::parse
