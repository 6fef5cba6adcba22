// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scanner against the lexer that ANTLR makes of the grammar, token by token.
#include "parse/scanner.h"

#include <gtest/gtest.h>

#include <random>

#include "parsed.h"
#include "reference.h"

namespace ptxopt::parse {
namespace {

struct Scanned {
  Token type;
  std::size_t start;
  std::size_t end;
  std::uint32_t value;
  std::uint32_t extra;
};

std::vector<Scanned> scan(const SourceText& source, Interner& names) {
  std::vector<Scanned> tokens;
  Scanner scanner(source.text(), names);
  TokenBuffer buffer;
  do {
    scanner.fill(buffer);
    for (std::uint32_t k = 0; k < buffer.size; ++k) {
      const char* begin = source.text().data() + buffer.start()[k];
      const char* end = tokenEnd(begin, buffer.type()[k], buffer.value()[k]);
      tokens.push_back({buffer.type()[k], buffer.start()[k],
                        static_cast<std::size_t>(end - source.text().data()), buffer.value()[k],
                        buffer.extra()[k]});
    }
  } while (buffer.type()[buffer.size] == Token::Refill);
  return tokens;
}

std::string withoutNul(std::string text) {
  while (text.ends_with('\0')) text.pop_back();
  return text;
}

// The lexer of the grammar has no OPAQUE: what such a token covers is skipped on the other side.
void expectSameTokens(const std::string& text) {
  const SourceText source("t.ptx", text);
  Interner names;
  const std::vector<Scanned> scanned = scan(source, names);
  const std::vector<ReferenceToken> expected = referenceTokens(withoutNul(text));
  std::size_t at = 0;
  for (const Scanned& token : scanned) {
    if (token.type == Token::Bad) return;  // the scanner ends here
    if (token.type == Token::OPAQUE) {
      while (at < expected.size() && expected[at].start < token.end) ++at;
      continue;
    }
    ASSERT_LT(at, expected.size())
        << source.slice({static_cast<Offset>(token.start), static_cast<Offset>(token.end)});
    const ReferenceToken& reference = expected[at++];
    const LineColumn place = source.lineColumn(static_cast<Offset>(token.start));
    ASSERT_EQ(static_cast<std::size_t>(token.type), reference.type)
        << "line " << place.line << " column " << place.column;
    ASSERT_EQ(token.start, reference.start) << "line " << place.line;
    ASSERT_EQ(token.end, reference.end) << "line " << place.line << " column " << place.column;
  }
  EXPECT_EQ(at, expected.size());
}

std::vector<std::string> opaqueTokens(const std::string& text) {
  const SourceText source("t.ptx", text);
  Interner names;
  std::vector<std::string> found;
  for (const Scanned& token : scan(source, names)) {
    if (token.type == Token::OPAQUE)
      found.push_back(text.substr(token.start, token.end - token.start));
  }
  return found;
}
TEST(ScannerTest, CorpusMatchesTheLexer) {
  std::size_t files = 0;
  for (const std::filesystem::path& path : corpusFiles()) {
    SCOPED_TRACE(path);
    std::string text = readFile(path);
    const auto isAscii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (!std::all_of(text.begin(), text.end(), isAscii)) continue;
    expectSameTokens(text);
    ++files;
  }
  EXPECT_GT(files, 100u);
}

TEST(ScannerTest, NastyWordsMatchTheLexer) {
  for (const char* text : {
           "ld.global.L2::128B.b32 a::b .shared::cta.x .sp::2:4 .sp::2:4x .sp::2:x a.sp::2:4.b",
           "ld.const[3].b32 .const[3] .const[ 3] .const[x] ld.constant[3] ld.const [3] x.const[12",
           "%r1 %tid.x %r2.b0 %.x % %% %r1. %r1.. 5%2 %1 %_ %$",
           "0 00 017 019 0x1F 0X1fU 0xg 0x 0b101 0B1U 0b2 0b 5U 5u 5UU 18446744073709551617",
           "0f3F800000 0F3f800000 0f3F80000 0f3F8000001 0d3FF0000000000000 0D3FF000000000000 0dx "
           "0f",
           "1.0 1. 1.e5 1.5e-3 1e5 1e 1e+ 1e+5x .5 .5e3 .5e+3 .5e .5x .2d .2d::x ..5 1..2 1.x 8.b8",
           ".align 8.b8 .b8x .4byte . .. .x. .x.y .x::y::z .x:y .x::",
           "\"a\\\" b \"\" \"two\nlines\" \"//\" \"/*\"",
           "// comment \" /* \n x /* \" // */ y /***/ z /* * / */ w //\r\n v /**/",
           "# 1 \"file.cu\"\nx # 12 \"y\" 3\n #5\n #  7 z\n",
           "a<b<<c<=d>e>>f>=g=h==i!j!=k&l&&m|n||o^p~q?r:s+t-u*v/w%x",
           "<<= >>> === !== &&& ||| &= |= ^= <> =! =<",
           "@@DWARF .byte 1, \" x\n@@DWARF\n@@x @@DWAR @p @!p",
           "{[(<>)]};,:@",
           "bra$x $L__BB0_1: _ __ $ a$b A_1",
           ".visible.entry x.y .reg.b32 .weak .common .extern .loc.x .file .location .versions",
           ".version 9.0\n.target sm_90a, debug\n.address_size 64\n",
           "\f\x1a\r\n\t x",
           ".section .debug_str { a: .b8 1,2\n.b8 3 .b32 .debug_loc+131 }",
           ".nv_intermediate_source_section { .code_block { .ir_name: \"s\" .sourceFileName: 1 "
           ".source_begin\n{{{ \" /* .entry \n  .source_end\n.source_end } } .func",
           ".nv_intermediate_source_section { .code_block { .source_begin x } } y",
           ".source_begin\n.source_end\n}",
           ".source_begin \t\n } \\ ' `\n\t .source_end \t\n}",
           ".source_begin\nx .source_end\n.source_end x\n.source_endx\n.source_end;\n"
           ".source_end // x\n.source_begin\n .source_end\r\n.source_end\n x",
           ".source_begin\r\n{{ \" /*\n.source_end\n.source_end \r\n x .source_end\r\n",
           ".source_begin\n 12 kernel own { // bar.sync 0; } } unbalanced \" quote\n"
           ".source_end\n} .code_block { .source_begin\n}\n.source_end\n}",
           ".source_begin\nx\n.source_end",
           ".source_begin\r\nx\n.source_end\n y .source_begin\nz\n.source_end\n.source_begin\n",
           ".source_begin.source_end .source_beginx .source_begin::x .source_begin:\n .source_end",
       }) {
    SCOPED_TRACE(text);
    expectSameTokens(text);
  }
}

// Random sequences of fragments, glued together with and without blanks.
TEST(ScannerTest, RandomGlueMatchesTheLexer) {
  constexpr const char* kPieces[] = {
      "ld",         ".",   "::",      ":",      "global",
      "const",      "[3]", "[",       "]",      "%",
      "%r",         "12",  "0x",      "0f",     "1e",
      "+",          "-",   "e5",      "U",      "\"",
      "//",         "/*",  "*/",      "\n",     "#",
      "<",          "<<",  ">",       "=",      "==",
      "!",          "&",   "&&",      "|",      "$",
      "_",          "@",   "@@DWARF", "{",      "}",
      "(",          ")",   ";",       ",",      "?",
      "~",          "*",   "/",       "^",      "0d3FF0000000000000",
      "0f3F800000", "2d",  ".reg",    ".param", ".loc",
      ".b32",       ".5",  "5.",      "r.x",    "\x1a",
      "\r",         " ",   "\t",      "0b1",    "017",
  };
  std::mt19937 random(20240607);
  std::uniform_int_distribution<std::size_t> piece(0, std::size(kPieces) - 1);
  std::uniform_int_distribution<int> length(1, 30);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int k = length(random); k > 0; --k) text += kPieces[piece(random)];
    SCOPED_TRACE(text);
    if (opaqueTokens(text).empty()) expectSameTokens(text);
    if (HasFatalFailure()) return;
  }
}

TEST(ScannerTest, WindowsJoinSeamlessly) {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += "add.s32 %r" + std::to_string(k) + ", x, 1;\n";
  expectSameTokens(text);
}

std::uint64_t integerOf(const std::string& text) {
  const SourceText source("t.ptx", text);
  Interner names;
  const std::vector<Scanned> tokens = scan(source, names);
  EXPECT_EQ(tokens.size(), 1u) << text;
  EXPECT_EQ(tokens.front().type, Token::INT) << text;
  return std::uint64_t{tokens.front().extra} << 32 | tokens.front().value;
}

TEST(ScannerTest, ReadsIntegers) {
  EXPECT_EQ(integerOf("0"), 0u);
  EXPECT_EQ(integerOf("1234567890123"), 1234567890123u);
  EXPECT_EQ(integerOf("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(integerOf("18446744073709551617"), 1u);  // modulo 2^64, as ptxas takes it
  EXPECT_EQ(integerOf("0xFFFFFFFFffffffffU"), ~std::uint64_t{0});
  EXPECT_EQ(integerOf("0b1010"), 10u);
  EXPECT_EQ(integerOf("017"), 15u);
  EXPECT_EQ(integerOf("5U"), 5u);
}

TEST(ScannerTest, SplitsTheNumberOffRegisters) {
  const SourceText source("t.ptx", "%r57 %r057 %r0 %tid %r1234567890 %r5.x");
  Interner names;
  const std::vector<Scanned> tokens = scan(source, names);
  ASSERT_EQ(tokens.size(), 6u);
  const auto nameOf = [&](std::size_t k) { return names.text(NameId{tokens[k].value}); };
  EXPECT_EQ(nameOf(0), "%r");
  EXPECT_EQ(tokens[0].extra, 57u);
  EXPECT_EQ(nameOf(1), "%r057");  // no parametrised declaration makes this name
  EXPECT_EQ(tokens[1].extra, TokenBuffer::kWhole);
  EXPECT_EQ(nameOf(2), "%r");
  EXPECT_EQ(tokens[2].extra, 0u);
  EXPECT_EQ(nameOf(3), "%tid");
  EXPECT_EQ(nameOf(4), "%r1234567890");
  EXPECT_EQ(nameOf(5), "%r5.x");
  EXPECT_EQ(tokens[5].extra, TokenBuffer::kComponent);
}

// ---- the one difference ------------------------------------------------------------------------

using Texts = std::vector<std::string>;

TEST(ScannerTest, UnknownDirectivesAreOneToken) {
  EXPECT_EQ(opaqueTokens(".foo 1, 2;\n.bar"), (Texts{".foo 1, 2;", ".bar"}));
  EXPECT_EQ(opaqueTokens(".version 9.0\n.foo x y // not this\n.target sm_90\n"), Texts{".foo x y"});
  EXPECT_EQ(opaqueTokens(".target sm_90\n.foo\n"), Texts{".foo"});
  EXPECT_EQ(opaqueTokens(".foo { a { b } c\n } .global .b32 x;"), Texts{".foo { a { b } c\n }"});
  EXPECT_EQ(opaqueTokens(".foo \"a;}\" b; c"), Texts{".foo \"a;}\" b;"});
  // At module scope the braces may start on the next line; in a body they are a block.
  EXPECT_EQ(opaqueTokens(".foo x\n{ y\n}\n.func f() { }"), Texts{".foo x\n{ y\n}"});
  EXPECT_EQ(opaqueTokens(".func f() {\n.foo x\n{ ret; }\n}"), Texts{".foo x"});
  EXPECT_EQ(opaqueTokens(".func f() { .foo }"), Texts{".foo"});
  EXPECT_EQ(opaqueTokens(".func f() { L: .foo a; ret; }"), Texts{".foo a;"});
  EXPECT_EQ(opaqueTokens(".func f() {\n.loc 1 2 3\n.foo 4\nret;\n}"), Texts{".foo 4"});
  EXPECT_EQ(opaqueTokens(".foo /* ; */ a ; b"), Texts{".foo /* ; */ a ;"});
}

TEST(ScannerTest, UnknownAttributesAreOneToken) {
  EXPECT_EQ(opaqueTokens(".entry k()\n.foo 1 : 2\n.maxntid 3\n{ ret; }"), Texts{".foo 1 : 2"});
  EXPECT_EQ(opaqueTokens(".entry k()\n.pragma \"x\";\n.foo 1 {\nret; }"), Texts{".foo 1"});
  // On the line of the head the grammar takes it.
  EXPECT_EQ(opaqueTokens(".entry k() .foo 1 { ret; }"), Texts{});
}

TEST(ScannerTest, OtherWordsWithADotAreNoDirectives) {
  EXPECT_EQ(opaqueTokens("ld\n.global\n.u32 x, [y];"), Texts{});
  EXPECT_EQ(opaqueTokens(".visible\n.global\n.align 8\n.b32 x;"), Texts{});
  EXPECT_EQ(opaqueTokens(".entry k(\n.param .u64 a,\n.param .align 8\n.b8 b[4])\n.maxntid 1\n{ }"),
            Texts{});
  EXPECT_EQ(opaqueTokens(".section .debug_x\n{\n.b8 1,2\n.b8 3\nL:\n.b64 L\n}"), Texts{});
  EXPECT_EQ(opaqueTokens(".nv_intermediate_source_section {\n.code_block {\n.ir_name: \"s\" } }"),
            Texts{});
  EXPECT_EQ(opaqueTokens("{ .loc 1 2 3\nld\n.global.u32 x, [y]; }"), Texts{});
}

}  // namespace
}  // namespace ptxopt::parse
