// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/joined_bases.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "passes/bases/kept_bases.h"
#include "support/limits.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;

namespace {

using GroupedValue = KeptBases::GroupedValue;

class Joining {
 public:
  explicit Joining(BaseAssignment& bases) : bases_(bases), ssa_(bases.ssa()) {}

  void run() {
    std::vector<ValueId> wanting;
    for (const ValueId v : ssa_.values()) {
      if (bases_.groups().groupOf(v) == GroupId::None || !bases_.mayGo(v) ||
          !bases_.isOnlyAddress(v))
        continue;
      const BlockId block = ssa_.block(v);
      if (ssa_.cfg().predecessors(block).size() > 1 &&
          bases_.memberCount(v) >= bases_.options().minUses) {
        wanting.push_back(v);
      }
    }
    if (wanting.empty()) return;
    const KeptBases kept(bases_);
    std::vector<ValueId> tried;
    for (const ValueId v : wanting) {
      if (bases_.isStopped() || bases_.isDead(v)) continue;
      tried.clear();
      const std::span<const GroupedValue> all = kept.ofGroup(bases_.groups().groupOf(v));
      // Those whose numbers are near its own: of blocks that are near in the dominator tree.
      const auto at =
          std::lower_bound(all.begin(), all.end(), GroupedValue(bases_.groups().groupOf(v), v));
      for (auto k = at; k != all.begin() && !reaches(tried.size(), Limit::EndLooks);) {
        tried.push_back((--k)->second);
      }
      for (auto k = at; k != all.end() && tried.size() < 2 * boundOf(Limit::EndLooks); ++k) {
        if (k->second != v) tried.push_back(k->second);
      }
      makeJoined(v, tried);
    }
  }

 private:
  void makeJoined(ValueId v, std::span<const ValueId> candidates) {
    const BlockId block = ssa_.block(v);
    const analysis::Cfg& cfg = ssa_.cfg();
    MadeBase made;
    made.kind = MadeBase::Kind::Joined;
    made.block = block;
    made.chain = {v};
    for (const BlockId before : cfg.predecessors(block)) {
      // Around a loop the same form is another number.
      if (!ssa_.dominators().contains(before) || ssa_.dominators().dominates(block, before) ||
          cfg.successors(before).size() != 1 || !isPlainBlock(cfg, before)) {
        return;
      }
      const auto found = std::ranges::find_if(candidates, [&](ValueId base) {
        return !bases_.isDead(base) && bases_.isAvailable(base, before) &&
               bases_.calls().isFreeToEnd(bases_.calls().after(base), before);
      });
      if (found == candidates.end()) return;
      made.sources.push_back(*found);
    }
    if (bases_.savedBy(v) <= made.sources.size() || !bases_.allFit(v, 0) ||
        !bases_.isCallFree(bases_.calls().beginningOf(block), v) || !bases_.spend()) {
      return;
    }
    for (const ValueId source : made.sources) bases_.addReader(source);
    bases_.move(v, bases_.addMade(std::move(made)), 0);
  }

  BaseAssignment& bases_;
  const Ssa& ssa_;
};

}  // namespace

void joinBases(BaseAssignment& bases) {
  Joining(bases).run();
}

}  // namespace ptxopt::passes
