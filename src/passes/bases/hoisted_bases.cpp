// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/hoisted_bases.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "passes/bases/address_recipe.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;

namespace {

class Hoisting {
 public:
  Hoisting(BaseAssignment& bases, const analysis::Loops& loops, const DeclaredAhead& declared)
      : bases_(bases), ssa_(bases.ssa()), loops_(loops), recipes_(bases, declared) {}

  HoistingCaps run() {
    std::vector<std::tuple<GroupId, std::size_t, ValueId>> found;
    IdVector<BlockId, std::size_t> position(ssa_.cfg().vertexCount());
    std::size_t next = 0;
    for (const BlockId b : ssa_.dominators().preorder()) position[b] = next++;
    for (const ValueId v : ssa_.values()) {
      if (bases_.groups().groupOf(v) != GroupId::None && bases_.mayGo(v) &&
          bases_.isOnlyAddress(v)) {
        found.emplace_back(bases_.groups().groupOf(v), position[ssa_.block(v)], v);
      }
    }
    std::ranges::sort(found);
    std::vector<ValueId> values;
    for (std::size_t k = 0; k < found.size() && !bases_.isStopped(); ++k) {
      values.push_back(std::get<2>(found[k]));
      const bool isLast =
          k + 1 == found.size() || std::get<0>(found[k + 1]) != std::get<0>(found[k]);
      if (!isLast) continue;
      if (values.size() > 1) hoistGroup(values);
      values.clear();
    }
    return {recipes_.isDepthMet(), areIterationsMet_};
  }

 private:
  struct Cluster {
    BlockId block = BlockId::None;  // that dominates them
    std::vector<ValueId> values;
  };

  // The values of a group, by the dominator tree: neighbours come together where both can be
  // computed.
  void hoistGroup(std::span<const ValueId> values) {
    std::vector<Cluster> clusters;
    for (const ValueId v : values) clusters.push_back({ssa_.block(v), {v}});
    bool isMerged = true;
    for (unsigned round = 0; isMerged && clusters.size() > 1; ++round) {
      if (round == bases_.options().maxIterations) {
        areIterationsMet_ = true;
        break;
      }
      isMerged = mergeNeighbours(clusters);
    }
    for (const Cluster& cluster : clusters) {
      if (cluster.values.size() > 1 && bases_.spend()) makeHoisted(cluster);
    }
  }

  bool mergeNeighbours(std::vector<Cluster>& clusters) {
    // A value in the dominator itself is a base there that was not worth it.
    const auto meeting = [&](std::size_t k) {
      const BlockId block = commonDominator(clusters[k].block, clusters[k + 1].block);
      for (const std::size_t side : {k, k + 1}) {
        if (clusters[side].values.size() == 1 && clusters[side].block == block)
          return BlockId::None;
      }
      return block;
    };
    const auto depthOf = [&](BlockId block) {
      return block == BlockId::None ? 0 : ssa_.dominators().depth(block) + 1;
    };
    std::vector<Cluster> merged;
    bool isAny = false;
    for (std::size_t k = 0; k < clusters.size(); ++k) {
      const BlockId here = k + 1 < clusters.size() ? meeting(k) : BlockId::None;
      const BlockId next = k + 2 < clusters.size() ? meeting(k + 1) : BlockId::None;
      // The deeper dominator first.
      if (here != BlockId::None && depthOf(here) >= depthOf(next)) {
        Cluster both{here, clusters[k].values};
        const std::vector<ValueId>& others = clusters[k + 1].values;
        both.values.insert(both.values.end(), others.begin(), others.end());
        if (isWorthHoisting(both)) {
          merged.push_back(std::move(both));
          isAny = true;
          ++k;
          continue;
        }
      }
      merged.push_back(std::move(clusters[k]));
    }
    clusters = std::move(merged);
    return isAny;
  }

  // None where it is more than maxDepth levels above either.
  BlockId commonDominator(BlockId a, BlockId b) const {
    const analysis::Dominators& dominators = ssa_.dominators();
    BlockId above = a;
    for (unsigned level = 0; above != BlockId::None && level <= bases_.options().maxDepth;
         ++level) {
      if (dominators.dominates(above, b)) {
        if (dominators.depth(b) - dominators.depth(above) <= bases_.options().maxDepth) {
          return above;
        }
        break;
      }
      above = dominators.parent(above);
    }
    return BlockId::None;
  }

  bool isWorthHoisting(const Cluster& cluster) {
    if (!isPlainBlock(ssa_.cfg(), cluster.block)) return false;
    AddressRecipe first;
    if (!recipes_.describe(cluster.values.front(), cluster.block, first)) return false;
    std::size_t saved = 0;
    std::size_t accesses = 0;
    for (const ValueId v : cluster.values) {
      AddressRecipe recipe;
      if (loops_.loopOf(ssa_.block(v)) != loops_.loopOf(cluster.block) ||
          !recipes_.describe(v, cluster.block, recipe) || recipe.words != first.words ||
          !bases_.allFit(v, static_cast<std::int64_t>(recipe.added)) ||
          !bases_.isCallFree(bases_.calls().endOf(cluster.block), v)) {
        return false;
      }
      const unsigned savedHere = bases_.savedBy(v);
      if (ssa_.dominators().parent(ssa_.block(v)) != cluster.block &&
          savedHere < BaseAssignment::kFarSavings) {
        return false;
      }
      saved += savedHere;
      accesses += bases_.memberCount(v);
    }
    return saved > first.chain.size() && accesses >= bases_.options().minUses;
  }

  void makeHoisted(const Cluster& cluster) {
    MadeBase made;
    made.kind = MadeBase::Kind::Hoisted;
    made.block = cluster.block;
    std::vector<std::int64_t> distances;
    for (const ValueId v : cluster.values) {
      AddressRecipe recipe;
      recipes_.describe(v, cluster.block, recipe);
      distances.push_back(static_cast<std::int64_t>(recipe.added));
      if (made.chain.empty()) made.chain = std::move(recipe.chain);
    }
    for (const ValueId v : made.chain) {
      ssa_.forEachUse(ssa_.instruction(v), [&](ValueId source) {
        const bool isMade =
            std::ranges::find(made.chain, bases_.standIn(source)) != made.chain.end();
        if (!isMade) bases_.addReader(bases_.standIn(source));
      });
    }
    const ValueId base = bases_.addMade(std::move(made));
    for (std::size_t k = 0; k < cluster.values.size(); ++k) {
      bases_.move(cluster.values[k], base, distances[k]);
    }
  }

  BaseAssignment& bases_;
  const Ssa& ssa_;
  const analysis::Loops& loops_;
  AddressRecipes recipes_;
  bool areIterationsMet_ = false;
};

}  // namespace

HoistingCaps hoistBases(BaseAssignment& bases, const analysis::Loops& loops,
                        const DeclaredAhead& declared) {
  return Hoisting(bases, loops, declared).run();
}

}  // namespace ptxopt::passes
