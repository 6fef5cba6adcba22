// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/phi_webs.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "support/limits.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;

namespace {

class PhiWebs {
 public:
  explicit PhiWebs(BaseAssignment& bases) : bases_(bases), ssa_(bases.ssa()) {}

  // The last first, so that of two that both could go the first stays.
  void run() {
    for (std::uint32_t n = ssa_.valueCount(); n-- > 0 && !bases_.isStopped();) {
      const ValueId v{n};
      if (!ssa_.isPhi(v) || bases_.isDead(v)) continue;
      const GroupId group = bases_.groups().groupOf(v);
      const bool isShared = group != GroupId::None && bases_.groups().sizeOf(group) > 1;
      if (!isShared && !bases_.hasLostReader(v)) continue;
      Web web;
      if (findWeb(v, web) && findPlaces(web) && bases_.spend()) remove(web);
    }
  }

 private:
  using Member = BaseAssignment::Member;
  using Place = BaseAssignment::Place;

  struct Web {
    std::vector<ValueId> values;
    std::vector<std::pair<std::uint32_t, Place>> members;  // and what each of them goes through
  };

  // What a web could take with it, below its phi.
  bool mayBePart(ValueId v, BlockId top) const {
    if (!ssa_.contains(v) || bases_.isDead(v) || ssa_.isCarry(v) ||
        bases_.rewrite().isPinned(ssa_.reg(v)) ||
        !ssa_.dominators().dominates(top, ssa_.block(v))) {
      return false;
    }
    return ssa_.isPhi(v) || (ssa_.isDefinition(v) && bases_.isAlone(v));
  }

  // The phi, and what nothing needs without it but accesses: below it, so that it comes around.
  bool findWeb(ValueId phi, Web& web) const {
    const BlockId top = ssa_.block(phi);
    const auto isPart = [&](ValueId v) { return mayBePart(v, top); };
    if (!isPart(phi)) return false;
    std::vector<ValueId>& values = web.values;
    values = {phi};
    const auto find = [&](ValueId v) { return std::ranges::find(values, v); };
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (exceeds(values.size(), Limit::WebValues)) return false;
      bases_.forEachSource(values[k], [&](ValueId source) {
        if (find(source) == values.end() && isPart(source)) values.push_back(source);
      });
    }
    for (bool isShrunk = true; isShrunk;) {
      std::vector<std::uint32_t> inside(values.size());
      for (const ValueId v : values) {
        bases_.forEachSource(v, [&](ValueId source) {
          const auto at = find(source);
          if (at != values.end()) ++inside[static_cast<std::size_t>(at - values.begin())];
        });
      }
      const std::size_t before = values.size();
      std::vector<ValueId> kept;
      for (std::size_t k = 0; k < before; ++k) {
        if (bases_.readersOf(values[k]) == inside[k] + bases_.memberCount(values[k])) {
          kept.push_back(values[k]);
        }
      }
      isShrunk = kept.size() != before;
      values = std::move(kept);
      if (values.empty() || values.front() != phi) return false;
    }
    return true;
  }

  // False if some access would have none.
  bool findPlaces(Web& web) const {
    for (const ValueId v : web.values) {
      const bool isServed = bases_.allMembers(v, [&](std::uint32_t m) {
        const std::optional<Place> place = placeFor(bases_.groups().members()[m], web);
        if (place) web.members.emplace_back(m, *place);
        return place.has_value();
      });
      if (!isServed) return false;
    }
    // What nothing reads any more goes; what nothing ever read is none of our business.
    return !web.members.empty() ||
           std::ranges::any_of(web.values, [&](ValueId v) { return bases_.hasLostReader(v); });
  }

  // Through what a register holds there anyway, and still does without the web.
  std::optional<Place> placeFor(const Member& member, const Web& web) const {
    for (const AddressGroups::Candidate& candidate : bases_.groups().candidates(member)) {
      const ValueId base = candidate.value;
      if (!candidate.isNear || bases_.isDead(base) ||
          std::ranges::find(web.values, base) != web.values.end()) {
        continue;
      }
      const std::optional<std::int64_t> offset = BaseAssignment::offsetFrom(
          bases_.groups().distance(base, member.value), member.operand->immediate);
      if (offset) return Place{base, *offset};
    }
    return std::nullopt;
  }

  void remove(const Web& web) {
    if (!web.members.empty()) {
      const auto& [m, place] = *std::ranges::min_element(
          web.members, {}, [](const auto& member) { return member.first; });
      const Member& first = bases_.groups().members()[m];
      bases_.note(web.values.front(), place.base, place.offset - first.operand->immediate,
                  static_cast<std::uint32_t>(web.members.size()), *first.instruction);
    }
    ++bases_.context().statistics["phis"];
    bases_.redirect(web.values, web.members);
    for (const ValueId v : web.values) bases_.kill(v);
  }

  BaseAssignment& bases_;
  const Ssa& ssa_;
};

}  // namespace

void removePhiWebs(BaseAssignment& bases) {
  PhiWebs(bases).run();
}

}  // namespace ptxopt::passes
