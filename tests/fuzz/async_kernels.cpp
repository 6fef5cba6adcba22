// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "async_kernels.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "async_pieces.h"
#include "async_repair.h"
#include "async_text.h"
#include "random.h"

namespace ptxopt::fuzz {

namespace {

constexpr std::array<std::string_view, 3> kTargets = {"sm_90a", "sm_90a", "sm_100a"};
constexpr std::array kFamilies = {async::Family::Plain, async::Family::Wgmma,
                                  async::Family::Tensor};

// Some plans cannot be made right: a copy meets another one that nobody has waited for.
async::Plan rightPlan(Random& random, async::Family family) {
  constexpr std::uint32_t kTries = 100;
  for (std::uint32_t k = 0; k < kTries; ++k) {
    async::Plan plan = async::drawPlan(random, family);
    if (async::repair(plan, random)) return plan;
  }
  throw std::runtime_error("no plan could be made right");
}

}  // namespace

RandomKernel generateAsync(std::uint64_t seed, const GeneratorOptions&) {
  Random random(seed);
  const std::uint32_t choice = random.below(100);
  const std::size_t family = choice < 45 ? 0 : choice < 68 ? 1 : 2;
  async::Plan plan = rightPlan(random, kFamilies[family]);
  // Most kernels have no other barriers than they need, but for those that are planted.
  if (random.percent(80)) async::prune(plan, random);
  constexpr std::array kPlanted = {2u, 4u, 8u};
  async::plant(plan, random, random.pick(kPlanted));
  async::markNeeded(plan);
  RandomKernel kernel;
  kernel.name = fmt::format("k{}", seed);
  kernel.target = kTargets[family];
  const std::uint32_t ctas = random.percent(80) ? 1 : 2;
  kernel.definitions = async::textOf(plan, kernel.name, random);
  std::string map;
  if (plan.boxRows != 0) {
    map = fmt::format(", \"tensormap:&arg0:u32:16,{}:box=16,{}\"",
                      async::kInputBytes / async::kRowBytes, plan.boxRows);
  }
  kernel.launch = fmt::format(
      "// LAUNCH: {{\"kernel\": \"{}\", \"grid\": {}, \"block\": {}, \"args\": "
      "[\"buffer:{}:random:u32:{}\", \"buffer:{}\", \"u32:{}\"{}]}}",
      kernel.name, ctas, plan.threads, async::kInputBytes, seed % 1000,
      ctas * async::outBytesOf(plan), plan.rounds, map);
  kernel.guarantees = {"assume-drf",        "noalias-params",
                       "noalias-variables", "relax-trap",
                       "relax-timing",      "nc-invariant",
                       "assume-1d",         fmt::format("block-dim={},1,1", plan.threads)};
  return kernel;
}

}  // namespace ptxopt::fuzz
