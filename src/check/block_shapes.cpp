// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/block_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/launch/special_name.h"
#include "ir/module.h"

namespace ptxopt::check {

namespace {

constexpr Block kRows[] = {{256, 1, 1},  {128, 1, 1}, {64, 1, 1}, {32, 1, 1}, {512, 1, 1},
                           {1024, 1, 1}, {16, 1, 1},  {8, 1, 1},  {4, 1, 1}};
constexpr Block kPlanes[] = {{16, 16, 1}, {32, 8, 1}, {32, 32, 1}, {8, 8, 1},
                             {16, 8, 1},  {32, 4, 1}, {16, 4, 1},  {8, 4, 1},
                             {64, 4, 1},  {4, 4, 1},  {8, 2, 1}};
// What reads all three often wants the number of the thread in the block.
constexpr Block kCubes[] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}, {128, 1, 1}, {64, 1, 1},
                            {32, 1, 1},  {16, 8, 8},  {4, 4, 4}, {1024, 1, 1}};

// The last component of the thread id and of the block that a body reads: 1 for .x, 2 for .y, 3 for
// .z; 1 if it reads none.
unsigned dimensionsOf(const ir::Function& function) {
  using Which = analysis::SpecialName::Which;
  unsigned most = 1;
  for (const auto& name : analysis::specialNamesIn(function)) {
    if (!name || (name->which != Which::Tid && name->which != Which::Ntid)) continue;
    most = std::max(most, std::min(name->component + 1u, 3u));
  }
  return most;
}

}  // namespace

std::uint32_t threadsOf(const Block& block) {
  return block[0] * block[1] * block[2];
}

std::string textOf(const Block& block) {
  if (block[2] != 1) return fmt::format("{} x {} x {}", block[0], block[1], block[2]);
  return block[1] != 1 ? fmt::format("{} x {}", block[0], block[1]) : std::to_string(block[0]);
}

std::vector<Block> blocksFor(const ir::Function& kernel,
                             const std::set<const ir::Function*>& functions,
                             const std::optional<Block>& given) {
  const analysis::LaunchShape shape = analysis::LaunchShape::of(kernel);
  if (shape.block) return {*shape.block};
  if (given) return {*given};
  unsigned dimensions = 1;
  for (const ir::Function* of : functions) dimensions = std::max(dimensions, dimensionsOf(*of));
  std::vector<Block> blocks;
  if (dimensions == 1) blocks.assign(std::begin(kRows), std::end(kRows));
  if (dimensions == 2) blocks.assign(std::begin(kPlanes), std::end(kPlanes));
  if (dimensions == 3) blocks.assign(std::begin(kCubes), std::end(kCubes));
  const std::uint32_t most =
      std::min<std::uint32_t>(shape.most[0], static_cast<std::uint32_t>(isa::kMostThreads));
  std::erase_if(blocks, [&](const Block& block) { return threadsOf(block) > most; });
  // Kernels are often written for the largest block that they allow.
  const bool isBounded = kernel.attribute(".maxntid") != nullptr;
  const Block largest{most, 1, 1};
  if (isBounded && dimensions == 1 && !blocks.empty() && blocks.front() != largest) {
    std::erase(blocks, largest);
    blocks.insert(blocks.begin(), largest);
  }
  if (blocks.empty()) blocks.push_back(largest);
  return blocks;
}

}  // namespace ptxopt::check
