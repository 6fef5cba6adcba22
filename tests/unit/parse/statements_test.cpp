// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kind of statement and module item, with the text that it covers.
#include <gtest/gtest.h>

#include "parsed.h"

namespace ptxopt::parse {
namespace {

std::vector<std::string> texts(const ir::StatementList& statements, const SourceText& source) {
  std::vector<std::string> all;
  for (const ir::Statement& statement : statements) {
    all.emplace_back(source.slice(statement.source));
  }
  return all;
}
std::vector<ir::StatementKind> kinds(const ir::StatementList& statements) {
  std::vector<ir::StatementKind> all;
  for (const ir::Statement& statement : statements) all.push_back(statement.kind);
  return all;
}
template <class T>
const T& statement(const ir::StatementList& statements, std::size_t k) {
  for (const ir::Statement& each : statements) {
    if (const T* found = each.as<T>(); found != nullptr && k-- == 0) return *found;
  }
  throw std::runtime_error("too few statements of a kind");
}
using Texts = std::vector<std::string>;

TEST(StatementsTest, ModuleItems) {
  const Parsed parsed = parseText(
      ".version 8.3\n.target sm_90a, debug , texmode_independent // x\n.address_size 64\n"
      ".file 1 \"a.cu\" , 3, 4\n.pragma \"x\", \"y\" ;\n.visible .global .b32 a, b ;\n"
      ".func f();\n.func g() { ret; }\n.alias f, g;\n.section .debug_str\n{ L:\n.b8 1,2\n}\n"
      "@@DWARF .byte 1\n.visible .entry k()\n.maxntid 3\n{\n}\n");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(texts(parsed.module->items(), *parsed.source),
            (Texts{".version 8.3", ".target sm_90a, debug , texmode_independent",
                   ".address_size 64", ".file 1 \"a.cu\" , 3, 4", ".pragma \"x\", \"y\" ;",
                   ".visible .global .b32 a, b ;", ".func f();", ".func g() { ret; }",
                   ".alias f, g;", ".section .debug_str\n{ L:\n.b8 1,2\n}", "@@DWARF .byte 1",
                   ".visible .entry k()\n.maxntid 3\n{\n}"}));
  EXPECT_EQ(parsed.module->version, (isa::Version{8, 3}));
  EXPECT_EQ(parsed.module->target, (isa::Target{90, 'a'}));
  EXPECT_EQ(parsed.module->addressSize, 64u);
  EXPECT_TRUE(parsed.module->isDebug());
  EXPECT_EQ(statement<ir::Pragma>(parsed.module->items(), 0).text, "\"x\", \"y\"");
  const ir::Alias& alias = statement<ir::Alias>(parsed.module->items(), 0);
  EXPECT_EQ(parsed.module->symbolAt(alias.alias).kind, ir::SymbolKind::Alias);
  EXPECT_EQ(parsed.module->symbolAt(alias.aliasee).function, &parsed.function("g"));
}

TEST(StatementsTest, AddressSizeIs32WhereItIsNotSaid) {
  EXPECT_EQ(parseText(".version 1.4\n.target sm_13\n").module->addressSize, 32u);
}

TEST(StatementsTest, BodyStatements) {
  const Parsed parsed = parseModule(
      ".func f()\n{\n\t.reg .b32 %r<3>, x;\n\t.shared .align 8 .b8 s[4];\n\t.loc 1 2 3\n"
      "\t@!p0 add.s32\t%r1, %r2,\n1 ;\n.pragma \"nounroll\";\nL1 : { ret ; } L2:\n"
      "\t.loc\t1 5 7, function_name $L+4, inlined_at 1 20 3 bra L1;\n.loc_intermediate 1 2 3\n}\n");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const ir::Function& function = parsed.function("f");
  EXPECT_EQ(texts(function.body(), *parsed.source),
            (Texts{".reg .b32 %r<3>, x;", ".shared .align 8 .b8 s[4];", ".loc 1 2 3",
                   "@!p0 add.s32\t%r1, %r2,\n1 ;", ".pragma \"nounroll\";", "L1 :", "{", "ret ;",
                   "}", "L2:", ".loc\t1 5 7, function_name $L+4, inlined_at 1 20 3", "bra L1;",
                   ".loc_intermediate 1 2 3"}));
  using Kind = ir::StatementKind;
  EXPECT_EQ(kinds(function.body()),
            (std::vector{Kind::RegisterDeclaration, Kind::VariableDeclaration, Kind::Location,
                         Kind::Instruction, Kind::Pragma, Kind::Label, Kind::ScopeBegin,
                         Kind::Instruction, Kind::ScopeEnd, Kind::Label, Kind::Location,
                         Kind::Instruction, Kind::Directive}));
  const ir::Location& location = statement<ir::Location>(function.body(), 1);
  EXPECT_EQ(location.line, 5u);
  EXPECT_EQ(location.column, 7u);
  EXPECT_EQ(location.rest, ", function_name $L+4, inlined_at 1 20 3");
  EXPECT_EQ(parsed.source->slice(function.bodySource).front(), '{');
  EXPECT_EQ(parsed.source->slice(function.bodySource).back(), '}');
}

TEST(StatementsTest, SeveralStatementsOnALine) {
  const Parsed parsed = parseBody("mov.u32 %r1, 0x0; mov.u32 %r2, 1;bra.uni L;L:ret;");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.instruction("f", 3).desc->mnemonic, "ret");
}

TEST(StatementsTest, Guards) {
  const Parsed parsed = parseBody("@%p1 ret; @!%p2 ret; @ ! %p3 bra L; L: ret;");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  const auto guard = [&](std::size_t k) {
    const ir::Guard g = parsed.instruction("f", k).guard;
    return (g.negated() ? "!" : "") + parsed.function("f").registerName(g.predicate());
  };
  EXPECT_EQ(guard(0), "%p1");
  EXPECT_EQ(guard(1), "!%p2");
  EXPECT_EQ(guard(2), "!%p3");
  EXPECT_FALSE(static_cast<bool>(parsed.instruction("f", 3).guard));
}

TEST(StatementsTest, BranchTargets) {
  const Parsed parsed = parseModule(
      ".func f() { .reg .b32 r; T: .branchtargets A, B, A; U: .branchtargets C<2>;\n"
      "brx.idx r, T; A: B: C0: C1: brx.idx r, U; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  const ir::Function& function = parsed.function("f");
  const ir::Operand& operand = parsed.instruction("f", 0).operands()[1];
  const ir::Symbol& symbol = function.symbolAt(operand.symbol());
  ASSERT_EQ(symbol.kind, ir::SymbolKind::TargetList);
  EXPECT_EQ(parsed.source->slice(symbol.targets->source), "T: .branchtargets A, B, A;");
  const auto names = [&](const ir::TargetList& list) {
    std::string all;
    for (const ir::SymbolId target : list.targets) {
      EXPECT_EQ(function.symbolAt(target).kind, ir::SymbolKind::Label);
      all += parsed.module->text(function.symbolAt(target).name);
    }
    return all;
  };
  EXPECT_EQ(names(*symbol.targets), "ABA");
  EXPECT_EQ(names(statement<ir::TargetList>(function.body(), 1)), "C0C1");
}

TEST(StatementsTest, CallTargetsAndPrototypes) {
  const Parsed parsed = parseModule(
      ".func g() { ret; }\n.func f() { .reg .b64 d; T: .calltargets g;\n"
      "P: .callprototype (.param .align 8 .b8 _[16]) _ (.param .b32 _, .reg .b64 %x) .noreturn;\n"
      "call d, T; call (d), d, (1, d), P; Q: .callprototype _ (); call d, (), Q; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  const ir::Function& function = parsed.function("f");
  const ir::TargetList& list = statement<ir::TargetList>(function.body(), 0);
  EXPECT_TRUE(list.areCalls);
  EXPECT_EQ(function.symbolAt(list.targets[0]).function, &parsed.function("g"));
  const ir::Prototype& prototype = statement<ir::Prototype>(function.body(), 0);
  EXPECT_TRUE(prototype.noReturn);
  EXPECT_EQ(
      prototype.text,
      ".callprototype (.param .align 8 .b8 _[16]) _ (.param .b32 _, .reg .b64 %x) .noreturn;");
  EXPECT_FALSE(statement<ir::Prototype>(function.body(), 1).noReturn);
  EXPECT_EQ(operandsOf(function, parsed.instruction("f", 1)), "(d>), d<, (1 d<), P");
  EXPECT_EQ(operandsOf(function, parsed.instruction("f", 2)), "d<, (), Q");
  EXPECT_EQ(function.registers().size(), 1u);  // those of a prototype are none
}

TEST(StatementsTest, FunctionAttributes) {
  const Parsed parsed = parseModule(
      ".entry k()\n.maxntid 128, 2, 1\n.minnctapersm 2 .pragma \"nounroll\"; .language 7, 8\n{ "
      "ret; }\n"
      ".func .attribute(.unified(1,2)) f() .noreturn;");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  const std::vector<ir::Attribute>& attributes = parsed.function("k").attributes;
  ASSERT_EQ(attributes.size(), 4u);
  EXPECT_EQ(attributes[0].text, ".maxntid 128, 2, 1");
  EXPECT_EQ((std::vector<std::int64_t>(attributes[0].values.begin(), attributes[0].values.end())),
            (std::vector<std::int64_t>{128, 2, 1}));
  EXPECT_EQ(attributes[2].text, ".pragma \"nounroll\";");
  EXPECT_EQ(attributes[3].text, ".language 7, 8");
  EXPECT_TRUE(parsed.function("f").noReturn());
  EXPECT_EQ(parsed.function("f").attributes[0].text, ".attribute(.unified(1,2))");
  EXPECT_FALSE(parsed.function("f").hasBody());
}

TEST(StatementsTest, PrototypesOfOldReleasesHaveNoSemicolon) {
  const Parsed parsed = parseText(
      ".version 1.4\n.target sm_13\n.func (.reg .u32 r) foo (.reg .u32 a)\n.func bar\n"
      ".global .u32 x;\n.func bar { ret; }\n.entry k { .reg .u32 $r<2>; mov.u32 $r1, 5; exit; }\n");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(texts(parsed.module->items(), *parsed.source)[2],
            ".func (.reg .u32 r) foo (.reg .u32 a)");
  EXPECT_EQ(texts(parsed.module->items(), *parsed.source)[3], ".func bar");
  EXPECT_TRUE(parsed.function("bar").hasBody());
}

TEST(StatementsTest, SourceSections) {
  const std::string section =
      ".nv_intermediate_source_section { .code_block { .ir_name: \"MLIR\" .sourceFileName: 1\n"
      ".source_begin\nfunc @f() { \"x\n}}}} .entry bar.sync /* \xc3\xa9 \\\n"
      "x .source_end\n.source_end x\n// bar.sync 0; } } unbalanced \" quote\r\n\t .source_end \n"
      "}\n.code_block { .ir_name: \"MLIR\" .sourceFileName: 1\n.source_begin\n.source_end\n} }";
  const Parsed parsed = parseModule(section + "\n.func f() { ret; }");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.messages(), "");
  EXPECT_EQ(texts(parsed.module->items(), *parsed.source)[3], section);
}

TEST(StatementsTest, CarriageReturnsAndNulBytes) {
  std::string text(kHeader);
  text += ".func f()\n{\n// comment\n\t.reg .b32 r;\n\tmov.b32 r, 1;\n\tret;\n}";
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  windows += std::string(3, '\0');
  const Parsed parsed = parseText(windows);
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(parsed.instruction("f", 1).desc->mnemonic, "ret");
  EXPECT_EQ(parsed.messages(), "");
}

TEST(StatementsTest, DepthOfPragmaAndLabelAtTheEnd) {
  const Parsed parsed = parseBody("ret; L1: L2: .pragma \"nounroll\";");
  ASSERT_NE(parsed.module, nullptr) << parsed.messages();
  EXPECT_EQ(kinds(parsed.function("f").body()).back(), ir::StatementKind::Pragma);
}

}  // namespace
}  // namespace ptxopt::parse
