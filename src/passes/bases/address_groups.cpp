// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/address_groups.h"

#include <algorithm>

#include "support/hash_index.h"
#include "support/limits.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::FormId;
using analysis::Ssa;
using ir::Instruction;
using ir::Operand;
using ir::RegisterId;

namespace {

// The number of blocks between two progress reports.
constexpr std::size_t kProgressBlocks = 4096;

// Loads, stores, atomics and copies by single threads or warps, whose address may have an offset
// (docs/soundness/ A4); not accesses by other agents.
bool mayHaveOffset(const Instruction& instruction) {
  switch (instruction.desc->effect) {
    case isa::Effect::Private:
    case isa::Effect::ImmutableRead:
    case isa::Effect::InvariantRead:
    case isa::Effect::Weak:
    case isa::Effect::Strong:
    case isa::Effect::AsyncCopy:
      return instruction.desc->control == isa::Control::None;
    default:
      return false;
  }
}

}  // namespace

// Walks down the dominator tree with the value in each register and the values of each group in
// scope.
class AddressGroups::Walk {
 public:
  Walk(AddressGroups& out, const analysis::Liveness& liveness)
      : out_(out),
        ssa_(out.ssa_),
        cfg_(ssa_.cfg()),
        liveness_(liveness),
        current_(cfg_.function().registerCount(), ValueId::None),
        ofGroups_(out.groupCount()) {
    std::uint32_t size = 0;
    for (const GroupId group : ofGroups_.ids()) {
      ofGroups_[group].first = size;
      if (!isAlone(group)) size += out.sizeOf(group);
    }
    inScope_.resize(size);
  }

  void run(const std::function<void(std::size_t, std::size_t)>& progress) {
    struct Frame {
      BlockId block;
      std::size_t written;
      std::size_t entered;
    };
    std::vector<Frame> stack;
    const std::span<const BlockId> blocks = ssa_.dominators().preorder();
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      if (k % kProgressBlocks == kProgressBlocks - 1) progress(k + 1, blocks.size());
      const BlockId b = blocks[k];
      while (!stack.empty() &&
             ssa_.dominators().depth(stack.back().block) >= ssa_.dominators().depth(b)) {
        undo(stack.back().written, stack.back().entered);
        stack.pop_back();
      }
      stack.push_back({b, written_.size(), entered_.size()});
      firstCallFreePart_ = ++callFreePart_;
      for (const ValueId phi : ssa_.phis(b)) write(phi);
      for (const Instruction& instruction : cfg_.instructions(b)) {
        for (const analysis::Access& access : out_.addresses_.of(instruction)) visit(access);
        if (instruction.desc->control == isa::Control::Call) ++callFreePart_;
        ssa_.forEachDefinition(instruction, [&](ValueId value) { write(value); });
      }
    }
  }

 private:
  struct InScope {
    ValueId value = ValueId::None;
    std::uint32_t callFreePart = 0;  // the part of its block between two calls
  };
  struct OfGroup {
    std::uint32_t first = 0;  // in inScope_, which has room for all values of the group
    std::uint32_t count = 0;
  };

  // True if the group has only one value, which then is no base of another one.
  bool isAlone(GroupId group) const { return out_.sizeOf(group) == 1; }

  void write(ValueId value) {
    if (ssa_.isCarry(value)) return;
    ValueId& current = current_[ssa_.reg(value)];
    written_.emplace_back(ssa_.reg(value), current);
    current = value;
    const GroupId group = out_.groups_[value];
    if (group == GroupId::None || isAlone(group) || !out_.mayBeBase(value)) return;
    OfGroup& of = ofGroups_[group];
    inScope_[of.first + of.count++] = {value, callFreePart_};
    entered_.push_back(group);
  }

  void undo(std::size_t written, std::size_t entered) {
    for (; written_.size() > written; written_.pop_back()) {
      current_[written_.back().first] = written_.back().second;
    }
    for (; entered_.size() > entered; entered_.pop_back()) --ofGroups_[entered_.back()].count;
  }

  void visit(const analysis::Access& access) {
    const Operand& operand = *access.operand;
    const Instruction& instruction = *access.instruction;
    if (operand.base != ir::AddressBase::Register || !mayHaveOffset(instruction)) return;
    const ValueId value = ssa_.use(instruction, operand);
    if (value == ValueId::None || out_.groups_[value] == GroupId::None ||
        !isInWindow(access, value))
      return;
    Member member{&instruction, &operand, value,
                  static_cast<std::uint32_t>(out_.candidates_.size()), 0};
    const OfGroup& of = ofGroups_[out_.groups_[value]];
    const auto all = std::span<const InScope>(inScope_).subspan(of.first, of.count);
    // From either end of those in scope.
    const std::size_t fromFront = std::min(all.size(), boundOf(Limit::GroupLooks));
    for (std::size_t k = 0; k < fromFront; ++k) consider(member, all[k]);
    std::size_t rest = all.size() - fromFront;
    if (exceeds(rest, Limit::GroupLooks)) rest = boundOf(Limit::GroupLooks);
    for (std::size_t k = all.size() - rest; k < all.size(); ++k) {
      consider(member, all[k]);
    }
    member.candidateCount =
        static_cast<std::uint32_t>(out_.candidates_.size()) - member.firstCandidate;
    out_.members_.push_back(member);
  }

  // A 32-bit address in a 64-bit window is extended before or after the offset is added.  A 64-bit
  // address in a 32-bit window is truncated, which preserves equality.
  bool isInWindow(const analysis::Access& access, ValueId value) const {
    const bool isNarrow = access.instruction->desc->space == isa::Space::Shared ||
                          cfg_.function().module().addressSize == 32;
    const unsigned bits = out_.addresses_.forms().form(out_.addresses_.formOf(value)).bits;
    return access.address != FormId::None && (isNarrow || bits == 64);
  }

  static bool isFull(std::size_t candidates, bool isLater) {
    if (!isLater) return reaches(candidates, Limit::BaseCandidates);
    const std::size_t others = boundOf(Limit::BaseCandidates);
    return candidates >= others && reaches(candidates - others, Limit::LaterCandidates);
  }

  void consider(Member& member, const InScope& entry) {
    const ValueId base = entry.value;
    if (base == member.value) return;
    const std::size_t count = out_.candidates_.size() - member.firstCandidate;
    if (isFull(count, base > member.value)) return;
    const BlockId here = member.instruction->block;
    const RegisterId reg = ssa_.reg(base);
    // SSA form has phis only where a register is live.  So elsewhere the content of the register is
    // known only if nothing else writes it.
    const bool isKnown =
        ssa_.block(base) == here || liveness_.isLiveIn(here, reg) || out_.definitions_[reg] <= 1;
    if (current_[reg] != base || !isKnown) return;
    // The value is needed there anyway; after a call only if it is also live-out.
    const bool isNear = entry.callFreePart == callFreePart_ ||
                        (ssa_.block(base) != here && liveness_.isLiveIn(here, reg) &&
                         (callFreePart_ == firstCallFreePart_ || liveness_.isLiveOut(here, reg)));
    if (isNear || base < member.value) out_.candidates_.push_back({base, isNear});
  }

  AddressGroups& out_;
  const Ssa& ssa_;
  const analysis::Cfg& cfg_;
  const analysis::Liveness& liveness_;
  std::uint32_t callFreePart_ = 0;
  std::uint32_t firstCallFreePart_ = 0;  // of the block
  IdVector<RegisterId, ValueId> current_;
  IdVector<GroupId, OfGroup> ofGroups_;
  std::vector<InScope> inScope_;
  std::vector<std::pair<RegisterId, ValueId>> written_;
  std::vector<GroupId> entered_;
};

AddressGroups::AddressGroups(const SsaRewrite& rewrite, const analysis::Addresses& addresses,
                             const analysis::Liveness& liveness,
                             const std::function<void(std::size_t, std::size_t)>& progress)
    : rewrite_(rewrite),
      ssa_(rewrite.ssa()),
      addresses_(addresses),
      groups_(ssa_.valueCount(), GroupId::None),
      constants_(ssa_.valueCount()) {
  findGroups();
  countDefinitions();
  Walk(*this, liveness).run(progress);
}

void AddressGroups::countDefinitions() {
  definitions_.resize(ssa_.cfg().function().registerCount());
  for (const ValueId v : ssa_.values()) {
    if (!ssa_.isDefinition(v) || ssa_.isCarry(v)) continue;
    std::uint8_t& count = definitions_[ssa_.reg(v)];
    count = static_cast<std::uint8_t>(std::min(count + 1, 2));
  }
}

namespace {

// The list of terms of each group, which are all different.
class TermLists {
 public:
  using Sum = analysis::OffsetClasses::Sum;

  // `most` is an upper bound for the number of lists.
  explicit TermLists(std::size_t most) {
    index_.reserve(most);
    lists_.reserve(most);
    terms_.reserve(most);
  }

  // None if it is new.
  GroupId find(const Sum& sum) const {
    return GroupId{index_.find(hashOf(sum), [&](std::uint32_t number) {
      const GroupId group{number};
      return bits(group) == sum.bits && std::ranges::equal(of(group), sum.terms);
    })};
  }
  GroupId add(const Sum& sum) {
    const GroupId added = lists_.push_back({sum.bits, terms_.size(), sum.terms.size()});
    index_.add(hashOf(sum), indexOf(added));
    terms_.insert(terms_.end(), sum.terms.begin(), sum.terms.end());
    return added;
  }
  unsigned bits(GroupId group) const { return lists_[group].bits; }
  std::span<const analysis::Term> of(GroupId group) const {
    return std::span(terms_).subspan(lists_[group].first, lists_[group].count);
  }

 private:
  struct List {
    std::uint8_t bits;
    std::size_t first;
    std::size_t count;
  };
  static std::uint64_t hashOf(const Sum& sum) {
    std::uint64_t hash = sum.bits;
    for (const analysis::Term& term : sum.terms) {
      hash = mixedHash(mixedHash(hash, indexOf(term.leaf)), term.coefficient);
    }
    return hash;
  }

  HashIndex index_;
  IdVector<GroupId, List> lists_;
  std::vector<analysis::Term> terms_;
};

}  // namespace

// Groups values by the terms of their sums, which have a canonical order.
void AddressGroups::findGroups() {
  using Sum = analysis::OffsetClasses::Sum;
  const analysis::OffsetClasses classes(addresses_);
  areRoundsMet_ = classes.isCapMet();
  struct OfForm {
    bool isKnown = false;
    GroupId group = GroupId::None;
    std::uint64_t constant = 0;
  };
  IdVector<FormId, OfForm> ofForms(addresses_.forms().formCount());
  TermLists lists(ofForms.size());
  sizes_.reserve(ofForms.size());
  Sum sum;
  for (const ValueId v : ssa_.values()) {
    const FormId id = addresses_.formOf(v);
    if (id == FormId::None) continue;
    const unsigned bits = addresses_.forms().form(id).bits;
    if (bits != 32 && bits != 64) continue;
    const ir::RegisterRange& range = ssa_.cfg().function().rangeOf(ssa_.reg(v));
    if (range.vectorWidth != 1 || static_cast<unsigned>(isa::bitWidth(range.type)) != bits) {
      continue;
    }
    OfForm& ofForm = ofForms[id];
    if (!ofForm.isKnown) {
      classes.setSum(sum, id);
      ofForm = {true, GroupId::None, sum.constant};
      if (sum.terms.empty()) continue;
      ofForm.group = lists.find(sum);
      if (ofForm.group == GroupId::None) {
        ofForm.group = lists.add(sum);
        sizes_.push_back(0);
      }
    }
    groups_[v] = ofForm.group;
    constants_[v] = ofForm.constant;
    if (groups_[v] != GroupId::None) ++sizes_[groups_[v]];
  }
  wideGroups_.assign(groupCount(), GroupId::None);
  sum.bits = 32;
  for (const GroupId wide : wideGroups_.ids()) {
    if (lists.bits(wide) != 64) continue;
    sum.terms.clear();
    for (const analysis::Term& term : lists.of(wide)) {
      const std::uint64_t coefficient = residue(term.coefficient, 32);
      if (coefficient != 0) sum.terms.push_back({term.leaf, coefficient});
    }
    const GroupId narrow = lists.find(sum);
    if (narrow != GroupId::None && wideGroups_[narrow] == GroupId::None) {
      wideGroups_[narrow] = wide;
    }
  }
}

bool AddressGroups::areAllAlone() const {
  return std::ranges::all_of(sizes_, [](std::uint32_t size) { return size <= 1; }) &&
         std::ranges::all_of(wideGroups_, [](GroupId wide) { return wide == GroupId::None; });
}

// An undefined value may differ at each read.
bool AddressGroups::mayBeBase(ValueId value) const {
  const RegisterId reg = ssa_.reg(value);
  return ssa_.kind(value) != Ssa::Kind::Entry && !rewrite_.isPinned(reg) &&
         rewrite_.isVisibleEverywhere(reg) &&
         !isa::isFloat(ssa_.cfg().function().rangeOf(reg).type);
}

std::int64_t AddressGroups::distance(ValueId base, ValueId value) const {
  const unsigned bits = addresses_.forms().form(addresses_.formOf(value)).bits;
  return signedResidue(residue(constants_[value] - constants_[base], bits), bits);
}

}  // namespace ptxopt::passes
