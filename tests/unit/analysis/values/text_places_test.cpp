// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/text_places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

// The edges out of block `b`, each as the places it has in the text: the number of the instruction
// there, and "through" or the target.
std::vector<std::string> edgesFrom(test::ValueFunction& f, BlockId b) {
  const TextPlaces places(f.analyses().get<Ssa>());
  const Cfg& cfg = f.analyses().get<Cfg>();
  const auto instructions = f.instructions();
  std::vector<std::string> all;
  for (EdgeId e = cfg.firstOutEdge(b); e != cfg.endOutEdge(b); ++e) {
    std::string text;
    for (const facts::Edge& edge : places.edges(e)) {
      for (std::size_t k = 0; k < instructions.size(); ++k) {
        if (instructions[k]->source.begin == edge.at) text += std::to_string(k) + ":";
      }
      const bool isThrough = edge.target == facts::Edge::kThrough;
      text += isThrough ? "through " : std::to_string(edge.target) + " ";
    }
    all.push_back(text);
  }
  std::ranges::sort(all);
  return all;
}

using Texts = std::vector<std::string>;

TEST(TextPlaces, EdgesLeaveTheLastInstructionOfABlock) {
  test::ValueFunction f(R"(
    .reg .pred %p<2>; .reg .b32 %r<3>;
    mov.u32 %r1, 1;
    @%p1 bra L;
    mov.u32 %r1, 2;
  L:
    ret;
  )");
  EXPECT_EQ(edgesFrom(f, BlockId{0}), (Texts{"1:0 ", "1:through "}));
  EXPECT_EQ(edgesFrom(f, BlockId{1}), Texts{"2:through "});
}

TEST(TextPlaces, EveryPlaceInAListOfTargets) {
  test::ValueFunction f(R"(
    .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    T: .branchtargets L, M, L;
    brx.idx %r1, T;
  L:
    mov.u32 %r2, 1;
  M:
    ret;
  )");
  EXPECT_EQ(edgesFrom(f, BlockId{0}), (Texts{"1:0 1:2 ", "1:1 "}));
}

}  // namespace
}  // namespace ptxopt::analysis
