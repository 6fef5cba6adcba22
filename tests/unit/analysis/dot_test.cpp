#include "analysis/dot.h"

#include <gtest/gtest.h>

#include "function_builder.h"

namespace ptxopt::analysis {
namespace {

using test::FunctionBuilder;

TEST(Dot, DrawsBlocksAndEdges) {
  FunctionBuilder f;
  f.bra("L\"1", ir::Guard(ir::RegisterId{0}, false));
  f.plain();
  f.label("L\"1");
  f.bra("L\"1");
  f.ret();
  EXPECT_EQ(dot(Cfg(f.function())),
            R"(digraph "f" {
  label="f";
  node [shape=box, fontname=monospace];
  b0 [label="block 0\lbra\l"];
  b1 [label="block 1\ladd.u32\l"];
  b2 [label="block 2, L\"1\lbra\l"];
  b3 [label="block 3\lret\l", style=dashed];
  exit [shape=ellipse];
  b0 -> b2 [label="taken", style=solid];
  b0 -> b1 [label="fallthrough", style=solid];
  b1 -> b2 [label="fallthrough", style=solid];
  b2 -> b2 [label="taken", style=solid];
  b2 -> exit [label="endless", style=dotted];
  b3 -> exit [label="return", style=solid];
}
)");
}

TEST(Dot, ShowsTheSourceInOneLineAndTakesAnyText) {
  ir::Module module(std::make_shared<SourceText>("t.ptx", "\n@%p  add.u32\t%r1,\n\t%r2, 1;"));
  ir::Function& function = module.functions().emplace_back(module, module.name("g"), true);
  function.setHasBody();
  isa::Form form;
  const isa::Row row = {};
  form.row = &row;
  form.mnemonic = "add.u32";
  auto* instruction = function.arena().create<ir::Instruction>(0);
  instruction->kind = ir::StatementKind::Instruction;
  instruction->form = &form;
  instruction->source = {1, static_cast<Offset>(module.source().text().size())};
  function.body().append(instruction);
  const Cfg cfg(function);
  EXPECT_EQ(shortText(function, *instruction), "@%p add.u32 %r1, %r2, 1;");
  EXPECT_NE(dot(cfg).find("[label=\"block 0, lines 2-2\\l@%p add.u32 %r1, %r2, 1;\\l\"]"),
            std::string::npos);
  EXPECT_NE(dot(cfg, [](const ir::Instruction&) { return "a\\b"; }).find("\\la\\\\b\\l"),
            std::string::npos);
  instruction->changed = true;
  EXPECT_EQ(shortText(function, *instruction), "add.u32");
}

}  // namespace
}  // namespace ptxopt::analysis
