// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/narrow_bases.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "passes/bases/kept_bases.h"
#include "support/limits.h"

namespace ptxopt::passes {

using analysis::Ssa;
using analysis::ValueId;
using ir::Instruction;

namespace {

class Casting {
 public:
  explicit Casting(BaseAssignment& bases) : bases_(bases), ssa_(bases.ssa()) {}

  void run() {
    std::vector<ValueId> wanting;
    for (const ValueId v : ssa_.values()) {
      const GroupId group = bases_.groups().groupOf(v);
      if (group == GroupId::None || bases_.groups().wideGroupOf(group) == GroupId::None ||
          !bases_.mayGo(v) || !bases_.isOnlyAddress(v)) {
        continue;
      }
      if (bases_.savedBy(v) >= BaseAssignment::kFarSavings) wanting.push_back(v);
    }
    if (wanting.empty()) return;
    const KeptBases kept(bases_);
    std::map<ValueId, ValueId> casts;
    std::vector<ValueId> tried;
    for (const ValueId v : wanting) {
      if (bases_.isStopped() || bases_.isDead(v)) continue;
      tried.clear();
      for (const auto& [group, base] :
           kept.ofGroup(bases_.groups().wideGroupOf(bases_.groups().groupOf(v)))) {
        tried.push_back(base);
        if (reaches(tried.size(), Limit::EndLooks)) break;
      }
      const ValueId wide = wideBaseFor(v, tried);
      if (wide == ValueId::None || !bases_.spend()) continue;
      const auto [at, isNew] = casts.try_emplace(wide, ValueId::None);
      if (isNew) {
        MadeBase made;
        made.kind = MadeBase::Kind::Cast;
        made.block = ssa_.block(wide);
        made.chain = {v};
        made.sources = {wide};
        bases_.addReader(wide);
        at->second = bases_.addMade(std::move(made));
      }
      bases_.move(v, at->second, bases_.groups().distance(wide, v));
    }
  }

 private:
  // The first whose definition is above all accesses.
  ValueId wideBaseFor(ValueId v, std::span<const ValueId> candidates) const {
    const auto& numbers = ssa_.instructions();
    const auto serves = [&](ValueId wide) {
      if (bases_.isDead(wide) || !ssa_.isDefinition(wide) || ssa_.old(wide) != ValueId::None ||
          !bases_.allFit(v, bases_.groups().distance(wide, v)) ||
          !bases_.isCallFree(bases_.calls().after(wide), v)) {
        return false;
      }
      const Instruction& definition = ssa_.instruction(wide);
      return bases_.allMembers(v, [&](std::uint32_t m) {
        const Instruction& access = *bases_.groups().members()[m].instruction;
        return ssa_.block(wide) == access.block
                   ? numbers.of(definition) < numbers.of(access)
                   : ssa_.dominators().dominates(ssa_.block(wide), access.block);
      });
    };
    const auto found = std::ranges::find_if(candidates, serves);
    return found == candidates.end() ? ValueId::None : *found;
  }

  BaseAssignment& bases_;
  const Ssa& ssa_;
};

}  // namespace

void castBases(BaseAssignment& bases) {
  Casting(bases).run();
}

}  // namespace ptxopt::passes
