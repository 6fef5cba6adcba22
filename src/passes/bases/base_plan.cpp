// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/base_plan.h"

#include <algorithm>
#include <utility>

#include "analysis/flow/manager.h"
#include "passes/bases/common_base.h"
#include "passes/bases/joined_bases.h"
#include "passes/bases/narrow_bases.h"
#include "passes/bases/phi_webs.h"
#include "support/limits.h"

namespace ptxopt::passes {

using analysis::ValueId;

BasePlan::BasePlan(const SsaRewrite& rewrite, const AddressGroups& groups,
                   const CommonBaseOptions& options, const BaseNumbers& numbers,
                   PassContext& context)
    : ssa_(rewrite.ssa()),
      groups_(groups),
      loops_(context.analyses.get<analysis::Loops>()),
      declared_(rewrite),
      bases_(rewrite, groups, options, numbers, context) {}

void BasePlan::run() {
  if (bases_.options().clonesAllocas) shareVariables(bases_, loops_, declared_);
  sweep();
  removePhiWebs(bases_);
  const HoistingCaps caps = hoistBases(bases_, loops_, declared_);
  joinBases(bases_);
  castBases(bases_);
  if (bases_.isChanged()) {
    sweep();
    removePhiWebs(bases_);
    sweep();
  }
  noteCaps(caps);
  countApart();
}

// Accesses whose address is a constant away from that of another one in another register.
void BasePlan::countApart() {
  const std::span<const Member> members = groups_.members();
  const auto count = [&](const auto& baseOf) {
    IdVector<GroupId, ValueId> first(groups_.groupCount(), ValueId::None);
    BitSet isApart(groups_.groupCount());
    for (std::uint32_t m = 0; m < members.size(); ++m) {
      ValueId& base = first[groups_.groupOf(members[m].value)];
      if (base == ValueId::None) base = baseOf(m);
      if (base != baseOf(m)) isApart.set(groups_.groupOf(members[m].value));
    }
    return std::ranges::count_if(
        members, [&](const Member& member) { return isApart.test(groups_.groupOf(member.value)); });
  };
  const auto note = [&](const char* name, std::ptrdiff_t accesses) {
    if (accesses != 0) bases_.context().found[name] += static_cast<std::uint64_t>(accesses);
  };
  note("addresses-apart", count([&](std::uint32_t m) { return members[m].value; }));
  note("addresses-apart-left", count([&](std::uint32_t m) { return bases_.placeOf(m).base; }));
  note("addresses", static_cast<std::ptrdiff_t>(members.size()));
}

// Users before what they use: an operand has a smaller number.
void BasePlan::sweep() {
  for (std::uint32_t n = ssa_.valueCount(); n-- > 0 && !bases_.isStopped();) {
    if (bases_.mayGo(ValueId{n})) process(ValueId{n});
  }
}

void BasePlan::process(ValueId v) {
  if (bases_.readersOf(v) == 0) {
    if (bases_.spend()) bases_.kill(v);
    return;
  }
  // Only accesses read it: else it could not go.
  const ValueId base = baseFor(v);
  if (base != ValueId::None && bases_.spend()) bases_.move(v, base, groups_.distance(base, v));
}

ValueId BasePlan::baseFor(ValueId v) const {
  const auto candidates = groups_.candidates(groups_.members()[bases_.firstMember(v)]);
  if (candidates.empty()) return ValueId::None;
  const bool mayBeFar = bases_.savedBy(v) >= BaseAssignment::kFarSavings;
  for (const AddressGroups::Candidate& candidate : candidates) {
    const ValueId base = candidate.value;
    if (base < v && !bases_.isDead(base) && servesAll(base, v, mayBeFar)) return base;
  }
  return ValueId::None;
}

bool BasePlan::servesAll(ValueId base, ValueId v, bool mayBeFar) const {
  if (!bases_.allFit(v, groups_.distance(base, v))) return false;
  return bases_.allMembers(v, [&](std::uint32_t m) {
    const Member& member = groups_.members()[m];
    const auto isBase = [&](const AddressGroups::Candidate& candidate) {
      return candidate.value == base &&
             (candidate.isNear ||
              (mayBeFar && bases_.calls().isFree(bases_.calls().after(base), *member.instruction)));
    };
    return std::ranges::any_of(groups_.candidates(member), isBase);
  });
}

void BasePlan::noteCaps(const HoistingCaps& caps) {
  const auto say = [&](bool isMet, std::string_view name, std::size_t cap) {
    if (!isMet) return;
    ++bases_.context().found["caps-met"];
    Remark remark;
    remark.pass = kCommonBase.name;
    remark.function = &bases_.rewrite().function();
    remark.content = MetLimit{name, cap};
    bases_.context().remark(std::move(remark));
  };
  say(caps.isDepthMet, "cbe-max-depth", bases_.options().maxDepth);
  say(caps.areIterationsMet, "cbe-max-iter", bases_.options().maxIterations);
  say(groups_.areRoundsMet(), "rounds over phis", boundOf(Limit::OffsetRounds));
}

}  // namespace ptxopt::passes
