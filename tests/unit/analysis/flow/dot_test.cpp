// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/dot.h"

#include <gtest/gtest.h>

#include "function_builder.h"
#include "value_text.h"

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
  isa::InstructionDesc desc;
  const isa::Row row = {};
  desc.row = &row;
  desc.mnemonic = "add.u32";
  auto* instruction = function.arena().create<ir::Instruction>(0);
  instruction->kind = ir::StatementKind::Instruction;
  instruction->desc = &desc;
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

// In the colours of its regions, with what was removed where it stood.
TEST(Dot, ShowsRegionsBetweenBarriers) {
  test::ValueFunction f(R"(
    .reg .pred %p<2>; .reg .b32 %r<2>;
    @%p1 bar.sync 1;
  L: mov.u32 %r1, 1;
    bar.sync 0;
    mov.u32 %r1, 2;
    bar.sync 0;
    @%p1 bra L;
    bar.sync 2, 32;
    ret;)");
  const ir::Instruction* second = f.instructions()[2];
  const std::string text = dot(f.analyses().get<Cfg>(), {}, {{second->source.begin + 1, "gone"}});
  EXPECT_NE(text.find("lines 9-10\\l-- region 1 --\\l@%p1 bar.sync 1;\\l\", style=filled, "
                      "fillcolor=\"/set312/1\"];"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("-- region 1 --\\lmov.u32 %r1, 1;\\lbar.sync 0;\\lgone\\l-- region 2 --\\l"
                      "mov.u32 %r1, 2;\\lbar.sync 0;\\l-- region 1 --\\l@%p1 bra L;\\l\", "
                      "style=striped, fillcolor=\"/set312/1:/set312/2:/set312/1\"];"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("-- region 1 --\\lbar.sync 2, 32;\\lret;"), std::string::npos) << text;
}

}  // namespace
}  // namespace ptxopt::analysis
