// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/needs/needs.h"

#include <algorithm>
#include <tuple>

#include "isa/constructs.h"
#include "isa/targets.h"

namespace ptxopt::analysis {

namespace {

// sm_100f runs on more than sm_100a, so it is the lesser need.
int rank(char suffix) {
  if (suffix == 0) return 0;
  return suffix == 'f' ? 1 : 2;
}

}  // namespace

std::vector<isa::Target> targetsByPreference() {
  std::vector<isa::Target> targets;
  for (const isa::KnownTarget& known : isa::knownTargets()) targets.push_back(known.target);
  std::ranges::stable_sort(
      targets, {}, [](isa::Target target) { return std::tuple(target.sm, rank(target.suffix)); });
  return targets;
}

isa::Version Need::versionFor(isa::Target chosen) const {
  const bool isEarlier = earlier.holds(earlier.version, chosen);
  return isEarlier ? std::min(version, earlier.version) : version;
}

namespace {

isa::Version versionOfUse(std::string_view use) {
  return isa::findConstruct(isa::ConstructKind::Use, use)->version;
}

bool mayIgnoreItsSource(const ir::Function& function, const ir::Instruction& instruction) {
  constexpr std::size_t kSource = 3;
  if (instruction.desc->effect != isa::Effect::AsyncCopy ||
      instruction.desc->shape.size() <= kSource) {
    return false;
  }
  const ir::Operand& operand = *instruction.operand(kSource);
  return operand.kind == ir::OperandKind::Register &&
         function.rangeOf(operand.reg()).type == isa::Type::Pred;
}

}  // namespace

Need needOf(const ir::Function& function, const ir::Instruction& instruction,
            const isa::InstructionDesc& desc) {
  const isa::Row& row = *desc.row;
  Need need{.version = row.version,
            .target = row.target,
            .unproven = row.unproven,
            .withdrawn = row.withdrawn,
            .earlier = row.earlier,
            .what = desc.mnemonic};
  const auto raise = [&](std::string_view use) {
    need.version = std::max(need.version, versionOfUse(use));
    need.earlier.version = std::max(need.earlier.version, versionOfUse(use));
  };
  if (desc.has(".shared::cta")) raise(isa::uses::kSharedOfCta);
  if (mayIgnoreItsSource(function, instruction)) raise(isa::uses::kIgnoredSource);
  return need;
}

void NeedSum::add(const Need& need) {
  if (need.earlier.isNever()) {
    version_ = std::max(version_, need.version);
  } else if (std::ranges::none_of(exceptions_, [&](const Need& known) {
               return known.version == need.version &&
                      known.earlier.version == need.earlier.version &&
                      known.earlier.target == need.earlier.target;
             })) {
    exceptions_.push_back(need);
  }
  if (std::ranges::find(targets_, need.target) == targets_.end()) targets_.push_back(need.target);
}

bool NeedSum::satisfiesAll(isa::Target target) const {
  return std::ranges::all_of(
      targets_, [&](std::string_view requirement) { return isa::satisfies(target, requirement); });
}

std::optional<isa::Target> NeedSum::target() const {
  std::optional<isa::Target> best;
  for (const isa::Target target : targetsByPreference()) {
    if (best && target.sm != best->sm) break;
    if (satisfiesAll(target) && (!best || version(target) < version(*best))) best = target;
  }
  return best;
}

isa::Version NeedSum::version(isa::Target target) const {
  isa::Version version = std::max(version_, isa::firstVersion(target).value_or(isa::Version{}));
  for (const Need& need : exceptions_) version = std::max(version, need.versionFor(target));
  return version;
}

isa::Version NeedSum::version() const {
  isa::Version version = version_;
  for (const Need& need : exceptions_) version = std::max(version, need.earlier.version);
  return version;
}

std::optional<isa::Target> NeedSum::targetBelow(isa::Target target) const {
  std::optional<isa::Target> below;
  for (const isa::Target lower : targetsByPreference()) {
    if (lower == target) break;
    if (!satisfiesAll(lower)) below = lower;
  }
  return below;
}

}  // namespace ptxopt::analysis
