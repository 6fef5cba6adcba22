// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/value_leaves.h"

#include <algorithm>
#include <utility>

#include "support/limits.h"

namespace ptxopt::analysis {

Leaf ValueLeaves::of(ValueId v) const {
  Leaf leaf;
  leaf.key = {LeafKind::Value, static_cast<std::uint8_t>(ranges_.of(v).bits), indexOf(v), 0};
  // docs/soundness/ C8(ii).1.  What nothing defines may be another number each time.
  leaf.stable =
      runsOnce_ && loops_.loopOf(ssa_.block(v)) == LoopId::None && ssa_.kind(v) != Ssa::Kind::Entry;
  leaf.interval = ranges_.of(v).asUnsigned();
  return leaf;
}

Leaf ValueLeaves::ofResult(ValueId v) const {
  Leaf leaf = of(v);
  // What the instruction gives is not what the register holds after a guard: docs/soundness/
  // C8(ii).11.
  if (ssa_.old(v) != ValueId::None) leaf.key.offset = LeafKey::kBeforeGuard;
  return leaf;
}

FormId ValueLeaves::opaque(ValueId v) {
  return forms_.ofLeaf(forms_.intern(of(v)), ranges_.of(v).bits);
}

FormId ValueLeaves::merged(const Leaf& leaf, std::vector<FormId> sources) {
  const LeafId id = forms_.intern(leaf);
  if (areFewAndStable(sources)) forms_.setAlternatives(id, {sources, LeafId::None});
  pointers_.addUnion(id, std::move(sources), 0);
  return forms_.ofLeaf(id, leaf.key.bits);
}

bool ValueLeaves::areFewAndStable(const std::vector<FormId>& forms) const {
  return !exceeds(forms.size(), Limit::Alternatives) &&
         std::ranges::all_of(forms, [&](FormId form) { return forms_.isStable(form); });
}

}  // namespace ptxopt::analysis
