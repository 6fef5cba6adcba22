// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/base_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "passes/bases/common_base.h"
#include "passes/redundancy/dead_values.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::ValueId;
using ir::Instruction;

namespace {

// What an immediate of SASS holds (docs/soundness/ D4.3).
constexpr std::int64_t kMostOffset = (std::int64_t{1} << 23) - 1;

}  // namespace

BaseAssignment::BaseAssignment(const SsaRewrite& rewrite, const AddressGroups& groups,
                               const CommonBaseOptions& options, const BaseNumbers& numbers,
                               PassContext& context)
    : rewrite_(rewrite),
      ssa_(rewrite.ssa()),
      groups_(groups),
      options_(options),
      numbers_(numbers),
      context_(context),
      calls_(rewrite.ssa()),
      readers_(ssa_.valueCount()),
      firstMember_(ssa_.valueCount(), kNone),
      memberCount_(ssa_.valueCount()),
      nextMember_(groups.members().size(), kNone),
      places_(groups.members().size()),
      standIns_(ssa_.valueCount()),
      isDead_(ssa_.valueCount()),
      lostReader_(ssa_.valueCount()) {
  for (const ValueId v : ssa_.values()) standIns_[v] = v;
  countReaders();
  const std::span<const Member> members = groups_.members();
  for (std::uint32_t m = 0; m < members.size(); ++m) {
    places_[m] = {members[m].value, members[m].operand->immediate};
    addMember(members[m].value, m);
  }
}

void BaseAssignment::countReaders() {
  const auto count = [&](ValueId value) {
    if (value != ValueId::None) ++readers_[value];
  };
  for (const BlockId b : ssa_.dominators().preorder()) {
    for (const Instruction& instruction : ssa_.cfg().instructions(b)) {
      ssa_.forEachUse(instruction, count);
    }
  }
  for (const ValueId v : ssa_.values()) {
    if (ssa_.isPhi(v)) {
      for (const ValueId operand : ssa_.phiOperands(v)) count(operand);
    } else {
      count(ssa_.old(v));
    }
  }
}

void BaseAssignment::addMember(ValueId value, std::uint32_t member) {
  nextMember_[member] = firstMember_[value];
  firstMember_[value] = member;
  ++memberCount_[value];
}

bool BaseAssignment::spend() {
  isStopped_ = isStopped_ || !context_.budget.spend();
  return !isStopped_;
}

bool BaseAssignment::isAlone(ValueId v) const {
  std::size_t count = 0;
  ssa_.forEachDefinition(ssa_.instruction(v), [&](ValueId) { ++count; });
  return count == 1 && isRemovable(rewrite_, ssa_.instruction(v));
}

bool BaseAssignment::mayGo(ValueId v) const {
  if (readers_[v] != memberCount_[v]) return false;
  if (!ssa_.isDefinition(v) || ssa_.isCarry(v) || isDead_.test(v)) return false;
  return (memberCount_[v] != 0 || lostReader_.test(v)) && isAlone(v);
}

bool BaseAssignment::isOnlyAddress(ValueId v) const {
  return memberCount_[v] != 0 && readers_[v] == memberCount_[v];
}

unsigned BaseAssignment::savedBy(ValueId v) const {
  std::vector<ValueId> work = {v};
  unsigned saved = 0;
  while (!work.empty() && saved < options_.maxDepth) {
    const ValueId next = work.back();
    work.pop_back();
    ++saved;
    ssa_.forEachUse(ssa_.instruction(next), [&](ValueId source) {
      if (source == ValueId::None) return;
      source = standIns_[source];
      if (ssa_.contains(source) && readers_[source] == 1 && ssa_.isDefinition(source) &&
          !ssa_.isCarry(source) && isRemovable(rewrite_, ssa_.instruction(source))) {
        work.push_back(source);
      }
    });
  }
  return saved;
}

std::optional<std::int64_t> BaseAssignment::offsetFrom(std::int64_t distance, std::int64_t offset) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(distance, offset, &sum) || sum > kMostOffset || sum < -kMostOffset) {
    return std::nullopt;
  }
  return sum;
}

bool BaseAssignment::allFit(ValueId v, std::int64_t distance) const {
  return allMembers(
      v, [&](std::uint32_t m) { return offsetFrom(distance, places_[m].offset).has_value(); });
}

bool BaseAssignment::isCallFree(const CallFreePaths::Point& from, ValueId v) const {
  return allMembers(
      v, [&](std::uint32_t m) { return calls_.isFree(from, *groups_.members()[m].instruction); });
}

bool BaseAssignment::isAvailable(ValueId v, BlockId block) const {
  return ssa_.dominators().dominates(ssa_.block(v), block) && groups_.isKeptForGood(v);
}

ValueId BaseAssignment::addMade(MadeBase made) {
  isChanged_ = true;
  const bool isAtEntry = made.kind == MadeBase::Kind::AtEntry;
  if (isAtEntry) {
    made.name = fmt::format("%baseValue_{}", numbers_.atEntry++);
  } else if (made.kind == MadeBase::Kind::Cast) {
    made.name = fmt::format("%bitCastEnd_{}", numbers_.cast++);
  } else {
    made.name = fmt::format("%scevcgp_{}", numbers_.merged++);
  }
  ++context_.statistics[isAtEntry ? "entry-bases" : "new-bases"];
  made_.push_back(std::move(made));
  const ValueId id = readers_.push_back(0);
  firstMember_.push_back(kNone);
  memberCount_.push_back(0);
  return id;
}

void BaseAssignment::move(ValueId v, ValueId base, std::int64_t distance) {
  note(v, base, distance, memberCount_[v], ssa_.instruction(v));
  context_.statistics["accesses"] += memberCount_[v];
  readers_[base] += memberCount_[v];
  readers_[v] -= memberCount_[v];
  memberCount_[v] = 0;
  for (std::uint32_t m = firstMember_[v]; m != kNone;) {
    const std::uint32_t next = nextMember_[m];
    places_[m] = {base, places_[m].offset + distance};
    addMember(base, m);
    m = next;
  }
  firstMember_[v] = kNone;
  if (readers_[v] == 0) kill(v);
}

void BaseAssignment::redirect(std::span<const ValueId> values,
                              std::span<const std::pair<std::uint32_t, Place>> members) {
  context_.statistics["accesses"] += members.size();
  for (const ValueId v : values) {
    readers_[v] -= memberCount_[v];
    memberCount_[v] = 0;
    firstMember_[v] = kNone;
  }
  for (const auto& [member, to] : members) {
    places_[member] = to;
    addMember(to.base, member);
    ++readers_[to.base];
  }
}

void BaseAssignment::replace(ValueId v, ValueId base) {
  hasStandIns_ = true;
  standIns_[v] = base;
  const std::uint32_t others = readers_[v] - memberCount_[v];
  readers_[base] += others;
  readers_[v] -= others;
  if (memberCount_[v] != 0) {
    move(v, base, 0);
  } else {
    note(v, base, 0, 0, ssa_.instruction(v));
    kill(v);
  }
}

void BaseAssignment::kill(ValueId v) {
  isChanged_ = true;
  isDead_.set(v);
  if (ssa_.isDefinition(v)) ++context_.statistics["instructions"];
  forEachSource(v, [&](ValueId source) {
    --readers_[source];
    if (ssa_.contains(source)) lostReader_.set(source);
  });
}

std::string BaseAssignment::nameOf(ValueId base) const {
  return ssa_.contains(base) ? rewrite_.function().registerName(ssa_.reg(base))
                             : made_[indexOf(base) - ssa_.valueCount()].name;
}

void BaseAssignment::note(ValueId v, ValueId base, std::int64_t distance, std::uint32_t accesses,
                          const Instruction& place) {
  if (!context_.wantRemarks) return;
  Remark remark;
  remark.pass = kCommonBase.name;
  remark.kind = RemarkKind::Passed;
  remark.function = &rewrite_.function();
  remark.place = place.source;
  remark.content =
      SharedBase{rewrite_.function().registerName(ssa_.reg(v)), nameOf(base), distance, accesses};
  context_.remark(std::move(remark));
}

bool isPlainBlock(const analysis::Cfg& cfg, BlockId block) {
  const Instruction* terminator = cfg.block(block).terminator;
  if (cfg.block(block).mayExit || cfg.block(block).first == nullptr) return false;
  return terminator == nullptr ||
         (terminator->desc->known() && (terminator->desc->control == isa::Control::Branch ||
                                        terminator->desc->control == isa::Control::IndirectBranch));
}

}  // namespace ptxopt::passes
