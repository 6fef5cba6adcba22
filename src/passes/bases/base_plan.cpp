// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/base_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/flow/loops.h"
#include "analysis/flow/manager.h"
#include "passes/bases/common_base.h"
#include "passes/redundancy/dead_values.h"
#include "passes/redundancy/expression_key.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;
using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

namespace {

// What an immediate of SASS holds (docs/soundness/ D4.3).
constexpr std::int64_t kMostOffset = (std::int64_t{1} << 23) - 1;
// Instructions that go where a register has to hold a base for longer.  Measured on the corpus
// (tests/regress/base_table.py): for less, kernels lose a step of occupancy.
constexpr unsigned kFarSavings = 3;
// Values that go with a phi, it among them.
constexpr std::size_t kMostInWeb = 32;
// Values of a group that are tried for the end of one block.
constexpr std::size_t kMostLooks = 8;

using GroupedValue = std::pair<GroupId, ValueId>;

// Of a sorted list.
std::span<const GroupedValue> ofGroup(std::span<const GroupedValue> values, GroupId group) {
  const auto first = std::lower_bound(values.begin(), values.end(), GroupedValue(group, 0));
  const auto last = std::lower_bound(first, values.end(), GroupedValue(group + 1, 0));
  return {first, last};
}

}  // namespace

BasePlan::BasePlan(const SsaRewrite& rewrite, const AddressGroups& groups,
                   const CommonBaseOptions& options, const BaseNumbers& numbers,
                   PassContext& context)
    : rewrite_(rewrite),
      ssa_(rewrite.ssa()),
      groups_(groups),
      options_(options),
      numbers_(numbers),
      context_(context),
      loops_(context.analyses.get<analysis::Loops>()),
      calls_(rewrite.ssa()),
      readers_(ssa_.valueCount()),
      firstMember_(ssa_.valueCount(), kNone),
      memberCount_(ssa_.valueCount()),
      nextMember_(groups.members().size(), kNone),
      places_(groups.members().size()),
      standIns_(ssa_.valueCount()),
      isDead_(ssa_.valueCount()),
      lostReader_(ssa_.valueCount()) {
  for (ValueId v = 0; v < ssa_.valueCount(); ++v) standIns_[v] = v;
  countReaders();
  for (const ir::Statement& statement : rewrite.function().body()) {
    if (statement.kind == ir::StatementKind::Instruction ||
        statement.kind == ir::StatementKind::ScopeBegin) {
      break;
    }
    const auto* declaration = statement.as<ir::VariableDeclaration>();
    if (declaration == nullptr) continue;
    for (const ir::Variable* variable : declaration->variables) {
      declaredAhead_.push_back(variable->symbol);
    }
  }
  std::ranges::sort(declaredAhead_);
  const std::span<const Member> members = groups_.members();
  for (std::uint32_t m = 0; m < members.size(); ++m) {
    places_[m] = {members[m].value, members[m].operand->immediate};
    addMember(members[m].value, m);
  }
}

void BasePlan::run() {
  if (options_.clonesAllocas) materialiseVariables();
  sweep();
  mergePhis();
  hoist();
  join();
  cast();
  if (isChanged_) {
    sweep();
    mergePhis();
    sweep();
  }
  noteCaps();
  countApart();
}

// Accesses whose address is a constant away from that of another one in another register.
void BasePlan::countApart() {
  const std::span<const Member> members = groups_.members();
  const auto count = [&](const auto& baseOf) {
    std::vector<ValueId> first(groups_.groupCount(), kNone);
    BitSet isApart(groups_.groupCount());
    for (std::uint32_t m = 0; m < members.size(); ++m) {
      ValueId& base = first[groups_.groupOf(members[m].value)];
      if (base == kNone) base = baseOf(m);
      if (base != baseOf(m)) isApart.set(groups_.groupOf(members[m].value));
    }
    return std::ranges::count_if(
        members, [&](const Member& member) { return isApart.test(groups_.groupOf(member.value)); });
  };
  const auto note = [&](const char* name, std::ptrdiff_t accesses) {
    if (accesses != 0) context_.statistics[name] += static_cast<std::uint64_t>(accesses);
  };
  note("addresses-apart", count([&](std::uint32_t m) { return members[m].value; }));
  note("addresses-apart-left", count([&](std::uint32_t m) { return places_[m].base; }));
  note("addresses", static_cast<std::ptrdiff_t>(members.size()));
}

// Users before what they use: an operand has a smaller number.
void BasePlan::sweep() {
  for (ValueId v = ssa_.valueCount(); v-- > 0 && !isStopped_;) {
    if (mayGo(v)) process(v);
  }
}

void BasePlan::process(ValueId v) {
  if (readers_[v] == 0) {
    if (spend()) kill(v);
  } else if (isOnlyAddress(v)) {
    const ValueId base = baseFor(v);
    if (base != kNone && spend()) move(v, base, groups_.distance(base, v));
  }
}

void BasePlan::countReaders() {
  const auto count = [&](ValueId value) {
    if (value != kNone) ++readers_[value];
  };
  for (const BlockId b : ssa_.dominators().preorder()) {
    for (const Instruction& instruction : ssa_.cfg().instructions(b)) {
      ssa_.forEachUse(instruction, count);
    }
  }
  for (ValueId v = 0; v < ssa_.valueCount(); ++v) {
    if (ssa_.isPhi(v)) {
      for (const ValueId operand : ssa_.phiOperands(v)) count(operand);
    } else {
      count(ssa_.old(v));
    }
  }
}

// What a phi joins, or the instruction of a definition reads and leaves, as countReaders() counts.
template <class Visitor>
void BasePlan::forEachSource(ValueId v, Visitor&& visit) const {
  const auto see = [&](ValueId value) {
    if (value != kNone) visit(standIns_[value]);
  };
  if (ssa_.isPhi(v)) {
    for (const ValueId operand : ssa_.phiOperands(v)) see(operand);
  } else {
    ssa_.forEachUse(ssa_.instruction(v), see);
    see(ssa_.old(v));
  }
}

void BasePlan::addMember(ValueId value, std::uint32_t member) {
  nextMember_[member] = firstMember_[value];
  firstMember_[value] = member;
  ++memberCount_[value];
}

bool BasePlan::spend() {
  isStopped_ = isStopped_ || !context_.budget.spend();
  return !isStopped_;
}

// Its instruction computes it and nothing else, and can go without it.
bool BasePlan::mayGo(ValueId v) const {
  if (!ssa_.isDefinition(v) || ssa_.isCarry(v) || isDead_.test(v)) return false;
  const bool isUnread = readers_[v] == 0 && lostReader_.test(v);
  if (!isUnread && (memberCount_[v] == 0 || readers_[v] != memberCount_[v])) return false;
  const Instruction& instruction = ssa_.instruction(v);
  std::size_t count = 0;
  ssa_.forEachDefinition(instruction, [&](ValueId) { ++count; });
  return count == 1 && isRemovable(rewrite_, instruction);
}

bool BasePlan::isOnlyAddress(ValueId v) const {
  return memberCount_[v] != 0 && readers_[v] == memberCount_[v];
}

// ---- bases that are there ----------------------------------------------------------------------

ValueId BasePlan::baseFor(ValueId v) const {
  const bool mayBeFar = savedBy(v) >= kFarSavings;
  for (const AddressGroups::Candidate& candidate :
       groups_.candidates(groups_.members()[firstMember_[v]])) {
    const ValueId base = candidate.value;
    if (base < v && !isDead_.test(base) && servesAll(base, v, mayBeFar)) return base;
  }
  return kNone;
}

bool BasePlan::servesAll(ValueId base, ValueId v, bool mayBeFar) const {
  if (!allFit(v, groups_.distance(base, v))) return false;
  for (std::uint32_t m = firstMember_[v]; m != kNone; m = nextMember_[m]) {
    const Member& member = groups_.members()[m];
    const auto isBase = [&](const AddressGroups::Candidate& candidate) {
      return candidate.value == base &&
             (candidate.isNear ||
              (mayBeFar && calls_.isFree(calls_.after(base), *member.instruction)));
    };
    if (std::ranges::none_of(groups_.candidates(member), isBase)) return false;
  }
  return true;
}

// Nothing is called on the way to the accesses: what lives through a call must be saved there
// (docs/soundness/ D4.6).
bool BasePlan::isCallFree(const CallFreePaths::Point& from, ValueId v) const {
  for (std::uint32_t m = firstMember_[v]; m != kNone; m = nextMember_[m]) {
    if (!calls_.isFree(from, *groups_.members()[m].instruction)) return false;
  }
  return true;
}

bool BasePlan::allFit(ValueId v, std::int64_t distance) const {
  for (std::uint32_t m = firstMember_[v]; m != kNone; m = nextMember_[m]) {
    std::int64_t offset = 0;
    if (__builtin_add_overflow(distance, places_[m].offset, &offset) || offset > kMostOffset ||
        offset < -kMostOffset) {
      return false;
    }
  }
  return true;
}

// Instructions that go with the value, its own among them; maxDepth for that many and more.
unsigned BasePlan::savedBy(ValueId v) const {
  std::vector<ValueId> work = {v};
  unsigned saved = 0;
  while (!work.empty() && saved < options_.maxDepth) {
    const ValueId next = work.back();
    work.pop_back();
    ++saved;
    ssa_.forEachUse(ssa_.instruction(next), [&](ValueId source) {
      if (source == kNone) return;
      source = standIns_[source];
      if (source < ssa_.valueCount() && readers_[source] == 1 && ssa_.isDefinition(source) &&
          !ssa_.isCarry(source) && isRemovable(rewrite_, ssa_.instruction(source))) {
        work.push_back(source);
      }
    });
  }
  return saved;
}

void BasePlan::move(ValueId v, ValueId base, std::int64_t distance) {
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

void BasePlan::kill(ValueId v) {
  isChanged_ = true;
  isDead_.set(v);
  if (ssa_.isDefinition(v)) ++context_.statistics["instructions"];
  forEachSource(v, [&](ValueId source) {
    --readers_[source];
    if (source < ssa_.valueCount()) lostReader_.set(source);
  });
}

ValueId BasePlan::addMade(MadeBase made) {
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
  const auto id = ssa_.valueCount() + static_cast<ValueId>(made_.size());
  made_.push_back(std::move(made));
  readers_.push_back(0);
  firstMember_.push_back(kNone);
  memberCount_.push_back(0);
  return id;
}

// ---- phis that are a constant apart ------------------------------------------------------------

// The last first, so that of two that both could go the first stays.
void BasePlan::mergePhis() {
  for (ValueId v = ssa_.valueCount(); v-- > 0 && !isStopped_;) {
    const GroupId group = groups_.groupOf(v);
    const bool isShared = group != kNone && groups_.sizeOf(group) > 1;
    if (!ssa_.isPhi(v) || isDead_.test(v) || (!isShared && !lostReader_.test(v))) continue;
    Web web;
    if (findWeb(v, web) && findPlaces(web) && spend()) remove(web);
  }
}

// The phi, and what nothing needs without it but accesses: below it, so that it comes around.
bool BasePlan::findWeb(ValueId phi, Web& web) const {
  const BlockId top = ssa_.block(phi);
  const auto isPart = [&](ValueId v) {
    if (v >= ssa_.valueCount() || isDead_.test(v) || ssa_.isCarry(v) ||
        rewrite_.isPinned(ssa_.reg(v)) || !ssa_.dominators().dominates(top, ssa_.block(v))) {
      return false;
    }
    if (ssa_.isPhi(v)) return true;
    if (!ssa_.isDefinition(v)) return false;
    std::size_t count = 0;
    ssa_.forEachDefinition(ssa_.instruction(v), [&](ValueId) { ++count; });
    return count == 1 && isRemovable(rewrite_, ssa_.instruction(v));
  };
  if (!isPart(phi)) return false;
  std::vector<ValueId>& values = web.values;
  values = {phi};
  const auto find = [&](ValueId v) { return std::ranges::find(values, v); };
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values.size() > kMostInWeb) return false;
    forEachSource(values[k], [&](ValueId source) {
      if (find(source) == values.end() && isPart(source)) values.push_back(source);
    });
  }
  for (bool isShrunk = true; isShrunk;) {
    std::vector<std::uint32_t> inside(values.size());
    for (const ValueId v : values) {
      forEachSource(v, [&](ValueId source) {
        const auto at = find(source);
        if (at != values.end()) ++inside[static_cast<std::size_t>(at - values.begin())];
      });
    }
    const std::size_t before = values.size();
    std::vector<ValueId> kept;
    for (std::size_t k = 0; k < before; ++k) {
      if (readers_[values[k]] == inside[k] + memberCount_[values[k]]) kept.push_back(values[k]);
    }
    isShrunk = kept.size() != before;
    values = std::move(kept);
    if (values.empty() || values.front() != phi) return false;
  }
  return true;
}

// False if some access would have none.
bool BasePlan::findPlaces(Web& web) const {
  const auto isFree = [&](ValueId base) {
    return !isDead_.test(base) && std::ranges::find(web.values, base) == web.values.end();
  };
  for (const ValueId v : web.values) {
    for (std::uint32_t m = firstMember_[v]; m != kNone; m = nextMember_[m]) {
      const Member& member = groups_.members()[m];
      bool isFound = false;
      for (const AddressGroups::Candidate& candidate : groups_.candidates(member)) {
        std::int64_t offset = 0;
        if (!candidate.isNear || !isFree(candidate.value) ||
            __builtin_add_overflow(groups_.distance(candidate.value, member.value),
                                   member.operand->immediate, &offset) ||
            offset > kMostOffset || offset < -kMostOffset) {
          continue;
        }
        web.members.emplace_back(m, Place{candidate.value, offset});
        isFound = true;
        break;
      }
      if (!isFound) return false;
    }
  }
  // What nothing reads any more goes; what nothing ever read is none of our business.
  return !web.members.empty() ||
         std::ranges::any_of(web.values, [&](ValueId v) { return lostReader_.test(v); });
}

void BasePlan::remove(const Web& web) {
  if (!web.members.empty()) {
    const auto& [m, place] =
        *std::ranges::min_element(web.members, {}, [](const auto& member) { return member.first; });
    const Member& first = groups_.members()[m];
    note(web.values.front(), place.base, place.offset - first.operand->immediate,
         static_cast<std::uint32_t>(web.members.size()), *first.instruction);
  }
  context_.statistics["accesses"] += web.members.size();
  ++context_.statistics["phis"];
  for (const ValueId v : web.values) {
    readers_[v] -= memberCount_[v];
    memberCount_[v] = 0;
    firstMember_[v] = kNone;
  }
  for (const auto& [member, to] : web.members) {
    places_[member] = to;
    addMember(to.base, member);
    ++readers_[to.base];
  }
  for (const ValueId v : web.values) kill(v);
}

// ---- bases at common dominators ----------------------------------------------------------------

void BasePlan::hoist() {
  std::vector<std::tuple<GroupId, std::size_t, ValueId>> found;
  std::vector<std::size_t> position(ssa_.cfg().vertexCount());
  std::size_t next = 0;
  for (const BlockId b : ssa_.dominators().preorder()) position[b] = next++;
  for (ValueId v = 0; v < ssa_.valueCount(); ++v) {
    if (groups_.groupOf(v) != kNone && mayGo(v) && isOnlyAddress(v)) {
      found.emplace_back(groups_.groupOf(v), position[ssa_.block(v)], v);
    }
  }
  std::ranges::sort(found);
  std::vector<ValueId> values;
  for (std::size_t k = 0; k < found.size() && !isStopped_; ++k) {
    values.push_back(std::get<2>(found[k]));
    const bool isLast = k + 1 == found.size() || std::get<0>(found[k + 1]) != std::get<0>(found[k]);
    if (!isLast) continue;
    if (values.size() > 1) hoistGroup(values);
    values.clear();
  }
}

// The values of a group, by the dominator tree: neighbours come together where both can be
// computed.
void BasePlan::hoistGroup(std::span<const ValueId> values) {
  std::vector<Cluster> clusters;
  for (const ValueId v : values) clusters.push_back({ssa_.block(v), {v}});
  bool isMerged = true;
  for (unsigned round = 0; isMerged && clusters.size() > 1; ++round) {
    if (round == options_.maxIterations) {
      areIterationsMet_ = true;
      break;
    }
    isMerged = mergeNeighbours(clusters);
  }
  for (const Cluster& cluster : clusters) {
    if (cluster.values.size() > 1 && spend()) makeHoisted(cluster);
  }
}

bool BasePlan::mergeNeighbours(std::vector<Cluster>& clusters) {
  // A value in the dominator itself is a base there that was not worth it.
  const auto meeting = [&](std::size_t k) {
    const BlockId block = commonDominator(clusters[k].block, clusters[k + 1].block);
    for (const std::size_t side : {k, k + 1}) {
      if (clusters[side].values.size() == 1 && clusters[side].block == block) return kNone;
    }
    return block;
  };
  const auto depthOf = [&](BlockId block) {
    return block == kNone ? 0 : ssa_.dominators().depth(block) + 1;
  };
  std::vector<Cluster> merged;
  bool isAny = false;
  for (std::size_t k = 0; k < clusters.size(); ++k) {
    const BlockId here = k + 1 < clusters.size() ? meeting(k) : kNone;
    const BlockId next = k + 2 < clusters.size() ? meeting(k + 1) : kNone;
    // The deeper dominator first.
    if (here != kNone && depthOf(here) >= depthOf(next)) {
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

// kNone where it is more than maxDepth levels above either.
BlockId BasePlan::commonDominator(BlockId a, BlockId b) const {
  const analysis::Dominators& dominators = ssa_.dominators();
  BlockId above = a;
  for (unsigned level = 0; above != kNone && level <= options_.maxDepth; ++level) {
    if (dominators.dominates(above, b)) {
      if (dominators.depth(b) - dominators.depth(above) <= options_.maxDepth) return above;
      break;
    }
    above = dominators.parent(above);
  }
  return kNone;
}

bool BasePlan::isPlainBlock(BlockId block) const {
  const Instruction* terminator = ssa_.cfg().block(block).terminator;
  if (ssa_.cfg().block(block).mayExit || ssa_.cfg().block(block).first == nullptr) return false;
  return terminator == nullptr ||
         (terminator->desc->known() && (terminator->desc->control == isa::Control::Branch ||
                                        terminator->desc->control == isa::Control::IndirectBranch));
}

bool BasePlan::isWorthHoisting(const Cluster& cluster) {
  if (!isPlainBlock(cluster.block)) return false;
  Recipe first;
  if (!describe(cluster.values.front(), cluster.block, first)) return false;
  std::size_t saved = 0;
  std::size_t accesses = 0;
  for (const ValueId v : cluster.values) {
    Recipe recipe;
    if (loops_.loopOf(ssa_.block(v)) != loops_.loopOf(cluster.block) ||
        !describe(v, cluster.block, recipe) || recipe.words != first.words ||
        !allFit(v, static_cast<std::int64_t>(recipe.added)) ||
        !isCallFree(calls_.endOf(cluster.block), v)) {
      return false;
    }
    const unsigned savedHere = savedBy(v);
    if (ssa_.dominators().parent(ssa_.block(v)) != cluster.block && savedHere < kFarSavings) {
      return false;
    }
    saved += savedHere;
    accesses += memberCount_[v];
  }
  return saved > first.chain.size() && accesses >= options_.minUses;
}

// False where the value cannot be computed at the end of the block, or is there already.
bool BasePlan::describe(ValueId v, BlockId block, Recipe& recipe) {
  const unsigned bits =
      static_cast<unsigned>(isa::bitWidth(rewrite_.function().rangeOf(ssa_.reg(v)).type));
  while (ssa_.isDefinition(v) && !isAvailable(v, block)) {
    const Instruction& instruction = ssa_.instruction(v);
    const isa::InstructionDesc& desc = *instruction.desc;
    const auto operands = instruction.operands();
    const bool isSum = (desc.opcode == isa::Opcode::Add || desc.opcode == isa::Opcode::Sub) &&
                       ExpressionKeys::isExpression(instruction) && desc.qualifiers.size() == 1 &&
                       static_cast<unsigned>(isa::bitWidth(desc.type)) == bits &&
                       operands.size() == 3 && operands[1].kind == OperandKind::Register &&
                       operands[2].kind == OperandKind::Integer;
    if (!isSum) break;
    const auto number = static_cast<std::uint64_t>(operands[2].immediate);
    recipe.added += desc.opcode == isa::Opcode::Add ? number : std::uint64_t{0} - number;
    v = standIns_[ssa_.use(instruction, operands[1])];
    if (v >= ssa_.valueCount()) return false;
  }
  recipe.added = static_cast<std::uint64_t>(signedResidue(residue(recipe.added, bits), bits));
  const ir::RegisterRange& range = rewrite_.function().rangeOf(ssa_.reg(v));
  if (isAvailable(v, block) || isa::isFloat(range.type) || range.vectorWidth != 1 ||
      static_cast<unsigned>(isa::bitWidth(range.type)) != bits) {
    return false;
  }
  return describeChain(v, block, 0, recipe);
}

bool BasePlan::describeChain(ValueId v, BlockId block, unsigned depth, Recipe& recipe) {
  if (std::ranges::find(recipe.chain, v) != recipe.chain.end()) return true;
  if (!ssa_.isDefinition(v) || ssa_.isCarry(v)) return false;
  const Instruction& instruction = ssa_.instruction(v);
  std::size_t definitions = 0;
  ssa_.forEachDefinition(instruction, [&](ValueId) { ++definitions; });
  if (!ExpressionKeys::isExpression(instruction) || definitions != 1 ||
      rewrite_.isPinned(ssa_.reg(v))) {
    return false;
  }
  if (depth == options_.maxDepth) {
    isDepthMet_ = true;
    return false;
  }
  // By what its operands are: a value that is available, or an earlier one of the chain.
  std::vector<std::uint64_t> words = {reinterpret_cast<std::uintptr_t>(instruction.desc)};
  for (const Operand& operand : instruction.operands()) {
    words.push_back(static_cast<std::uint64_t>(operand.kind) << 16 |
                    std::uint64_t{operand.component} << 8 | std::uint64_t{operand.negated});
    switch (operand.kind) {
      case OperandKind::Register: {
        if (operand.writes) break;
        const ValueId source = standIns_[ssa_.use(instruction, operand)];
        if (source >= ssa_.valueCount() || isAvailable(source, block)) {
          words.push_back(source);
          break;
        }
        if (!describeChain(source, block, depth + 1, recipe)) return false;
        const auto at = std::ranges::find(recipe.chain, source) - recipe.chain.begin();
        words.push_back(std::uint64_t{1} << 32 | static_cast<std::uint64_t>(at));
        break;
      }
      case OperandKind::Symbol:
        if (!isDeclaredAhead(operand.symbol())) return false;
        [[fallthrough]];
      case OperandKind::Integer:
      case OperandKind::SpecialRegister:
        words.push_back(operand.id);
        words.push_back(static_cast<std::uint64_t>(operand.immediate));
        break;
      default:
        return false;
    }
  }
  if (recipe.chain.size() == options_.maxDepth) {
    isDepthMet_ = true;
    return false;
  }
  recipe.chain.push_back(v);
  recipe.words.insert(recipe.words.end(), words.begin(), words.end());
  return true;
}

bool BasePlan::isAvailable(ValueId v, BlockId block) const {
  return ssa_.dominators().dominates(ssa_.block(v), block) && groups_.isKeptForGood(v);
}

void BasePlan::makeHoisted(const Cluster& cluster) {
  MadeBase made;
  made.kind = MadeBase::Kind::Hoisted;
  made.block = cluster.block;
  std::vector<std::int64_t> distances;
  for (const ValueId v : cluster.values) {
    Recipe recipe;
    describe(v, cluster.block, recipe);
    distances.push_back(static_cast<std::int64_t>(recipe.added));
    if (made.chain.empty()) made.chain = std::move(recipe.chain);
  }
  for (const ValueId v : made.chain) {
    ssa_.forEachUse(ssa_.instruction(v), [&](ValueId source) {
      const bool isMade = std::ranges::find(made.chain, standIns_[source]) != made.chain.end();
      if (!isMade) ++readers_[standIns_[source]];
    });
  }
  const ValueId base = addMade(std::move(made));
  for (std::size_t k = 0; k < cluster.values.size(); ++k) {
    move(cluster.values[k], base, distances[k]);
  }
}

// ---- bases where paths meet --------------------------------------------------------------------

// Values that registers hold wherever they dominate, by their groups.
std::vector<std::pair<GroupId, ValueId>> BasePlan::keptBases() const {
  std::vector<GroupedValue> bases;
  for (ValueId v = 0; v < ssa_.valueCount(); ++v) {
    if (groups_.groupOf(v) != kNone && !isDead_.test(v) && groups_.isKeptForGood(v)) {
      bases.emplace_back(groups_.groupOf(v), v);
    }
  }
  std::ranges::sort(bases);
  return bases;
}

void BasePlan::join() {
  std::vector<ValueId> wanting;
  for (ValueId v = 0; v < ssa_.valueCount(); ++v) {
    if (groups_.groupOf(v) == kNone || !mayGo(v) || !isOnlyAddress(v)) continue;
    const BlockId block = ssa_.block(v);
    if (ssa_.cfg().predecessors(block).size() > 1 && memberCount_[v] >= options_.minUses) {
      wanting.push_back(v);
    }
  }
  if (wanting.empty()) return;
  const std::vector<GroupedValue> bases = keptBases();
  std::vector<ValueId> tried;
  for (const ValueId v : wanting) {
    if (isStopped_ || isDead_.test(v)) continue;
    tried.clear();
    const std::span<const GroupedValue> all = ofGroup(bases, groups_.groupOf(v));
    // Those whose numbers are near its own: of blocks that are near in the dominator tree.
    const auto at = std::lower_bound(all.begin(), all.end(), GroupedValue(groups_.groupOf(v), v));
    for (auto k = at; k != all.begin() && tried.size() < kMostLooks;) {
      tried.push_back((--k)->second);
    }
    for (auto k = at; k != all.end() && tried.size() < 2 * kMostLooks; ++k) {
      if (k->second != v) tried.push_back(k->second);
    }
    makeJoined(v, tried);
  }
}

bool BasePlan::makeJoined(ValueId v, std::span<const ValueId> candidates) {
  const BlockId block = ssa_.block(v);
  const analysis::Cfg& cfg = ssa_.cfg();
  MadeBase made;
  made.kind = MadeBase::Kind::Joined;
  made.block = block;
  made.chain = {v};
  for (const BlockId before : cfg.predecessors(block)) {
    // Around a loop the same form is another number.
    if (!ssa_.dominators().contains(before) || ssa_.dominators().dominates(block, before) ||
        cfg.successors(before).size() != 1 || !isPlainBlock(before)) {
      return false;
    }
    const auto found = std::ranges::find_if(candidates, [&](ValueId base) {
      return !isDead_.test(base) && isAvailable(base, before) &&
             calls_.isFreeToEnd(calls_.after(base), before);
    });
    if (found == candidates.end()) return false;
    made.sources.push_back(*found);
  }
  if (savedBy(v) <= made.sources.size() || !allFit(v, 0) ||
      !isCallFree(calls_.beginningOf(block), v) || !spend()) {
    return false;
  }
  for (const ValueId source : made.sources) ++readers_[source];
  move(v, addMade(std::move(made)), 0);
  return true;
}

// ---- bases of another width --------------------------------------------------------------------

void BasePlan::cast() {
  std::vector<ValueId> wanting;
  for (ValueId v = 0; v < ssa_.valueCount(); ++v) {
    const GroupId group = groups_.groupOf(v);
    if (group == kNone || groups_.wideGroupOf(group) == kNone || !mayGo(v) || !isOnlyAddress(v)) {
      continue;
    }
    if (savedBy(v) >= kFarSavings) wanting.push_back(v);
  }
  if (wanting.empty()) return;
  const std::vector<GroupedValue> bases = keptBases();
  std::map<ValueId, ValueId> casts;
  std::vector<ValueId> tried;
  for (const ValueId v : wanting) {
    if (isStopped_ || isDead_.test(v)) continue;
    tried.clear();
    for (const auto& [group, base] : ofGroup(bases, groups_.wideGroupOf(groups_.groupOf(v)))) {
      tried.push_back(base);
      if (tried.size() == kMostLooks) break;
    }
    const ValueId wide = wideBaseFor(v, tried);
    if (wide == kNone || !spend()) continue;
    const auto [at, isNew] = casts.try_emplace(wide, kNone);
    if (isNew) {
      MadeBase made;
      made.kind = MadeBase::Kind::Cast;
      made.block = ssa_.block(wide);
      made.chain = {v};
      made.sources = {wide};
      ++readers_[wide];
      at->second = addMade(std::move(made));
    }
    move(v, at->second, groups_.distance(wide, v));
  }
}

// The first whose definition is above all accesses.
ValueId BasePlan::wideBaseFor(ValueId v, std::span<const ValueId> candidates) const {
  const auto& numbers = ssa_.instructions();
  const auto serves = [&](ValueId wide) {
    if (isDead_.test(wide) || !ssa_.isDefinition(wide) || ssa_.old(wide) != kNone ||
        !allFit(v, groups_.distance(wide, v)) || !isCallFree(calls_.after(wide), v)) {
      return false;
    }
    const Instruction& definition = ssa_.instruction(wide);
    for (std::uint32_t m = firstMember_[v]; m != kNone; m = nextMember_[m]) {
      const Instruction& access = *groups_.members()[m].instruction;
      const bool isAbove = ssa_.block(wide) == access.block
                               ? numbers.of(definition) < numbers.of(access)
                               : ssa_.dominators().dominates(ssa_.block(wide), access.block);
      if (!isAbove) return false;
    }
    return true;
  };
  const auto found = std::ranges::find_if(candidates, serves);
  return found == candidates.end() ? kNone : *found;
}

// A variable that can be named wherever there are instructions.
bool BasePlan::isDeclaredAhead(ir::SymbolId id) const {
  const ir::Symbol& symbol = rewrite_.function().symbolAt(id);
  if (symbol.kind != ir::SymbolKind::Variable || !rewrite_.isVisibleEverywhere(id)) return false;
  return symbol.variable->function == nullptr || std::ranges::binary_search(declaredAhead_, id);
}

// ---- addresses of variables --------------------------------------------------------------------

void BasePlan::materialiseVariables() {
  BitSet isShared(ssa_.valueCount());
  for (ValueId v = 0; v < ssa_.valueCount(); ++v) {
    const auto share = [&](ValueId value) {
      if (value != kNone) isShared.set(value);
    };
    if (ssa_.isPhi(v)) {
      for (const ValueId operand : ssa_.phiOperands(v)) share(operand);
    } else {
      share(ssa_.old(v));
    }
  }
  using Key = std::tuple<ir::SymbolId, std::int64_t, isa::Type>;
  std::map<Key, std::vector<ValueId>> copies;
  for (ValueId v = 0; v < ssa_.valueCount(); ++v) {
    if (!ssa_.isDefinition(v) || ssa_.isCarry(v) || isShared.test(v) || readers_[v] == 0) continue;
    const Instruction& instruction = ssa_.instruction(v);
    const auto operands = instruction.operands();
    if (!instruction.is(isa::Opcode::Mov) || instruction.guard || operands.size() != 2 ||
        operands[1].kind != OperandKind::Symbol || !groups_.isKeptForGood(v) ||
        !isRemovable(rewrite_, instruction)) {
      continue;
    }
    if (!isDeclaredAhead(operands[1].symbol())) continue;
    const isa::Type type = rewrite_.function().rangeOf(ssa_.reg(v)).type;
    copies[{operands[1].symbol(), operands[1].immediate, type}].push_back(v);
  }
  for (auto& [key, values] : copies) {
    const auto isApart = [&](const CallFreePaths::Point& from) {
      return [&](ValueId v) {
        return !calls_.isEmpty() && (readers_[v] != memberCount_[v] || !isCallFree(from, v));
      };
    };
    if (values.size() < 2 || values.size() < options_.minUses) continue;
    const BlockId first = ssa_.block(values.front());
    const auto isBelow = [&](ValueId v) {
      return ssa_.dominators().dominates(first, ssa_.block(v));
    };
    const auto isInLoop = [&](ValueId v) {
      return loops_.loopOf(ssa_.block(v)) == loops_.loopOf(first);
    };
    ValueId base = values.front();
    if (std::ranges::all_of(values, isBelow)) {
      // Measured: else kernels lose a step of occupancy.
      if (!std::ranges::all_of(values, isInLoop)) continue;
      std::erase_if(values, isApart(calls_.after(base)));
    } else {
      std::erase_if(values, isApart(calls_.beginningOf(ssa_.cfg().entry())));
      if (values.size() < 2 || values.size() < options_.minUses) continue;
      if (!spend()) return;
      MadeBase made;
      made.kind = MadeBase::Kind::AtEntry;
      made.block = ssa_.cfg().entry();
      made.chain = {values.front()};
      base = addMade(std::move(made));
    }
    for (const ValueId v : values) {
      if (v == base) continue;
      if (!spend()) return;
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
  }
}

// ---- remarks -----------------------------------------------------------------------------------

std::string BasePlan::nameOf(ValueId base) const {
  return base < ssa_.valueCount() ? rewrite_.function().registerName(ssa_.reg(base))
                                  : made_[base - ssa_.valueCount()].name;
}

void BasePlan::note(ValueId v, ValueId base, std::int64_t distance, std::uint32_t accesses,
                    const Instruction& place) {
  if (!context_.wantRemarks) return;
  Remark remark;
  remark.pass = kCommonBase.name;
  remark.kind = RemarkKind::Passed;
  remark.function = &rewrite_.function();
  remark.place = place.source;
  const std::string offset = distance == 0 ? "" : fmt::format("{:+}", distance);
  const std::string name = rewrite_.function().registerName(ssa_.reg(v));
  remark.message = fmt::format("{} is {}{}", name, nameOf(base), offset);
  if (accesses != 0) {
    remark.message += accesses == 1 ? ": 1 access goes through that"
                                    : fmt::format(": {} accesses go through that", accesses);
  }
  remark.details.emplace_back("accesses", std::to_string(accesses));
  context_.remark(std::move(remark));
}

void BasePlan::noteCaps() {
  const auto say = [&](bool isMet, std::string_view name, unsigned cap) {
    if (!isMet) return;
    ++context_.statistics["caps-met"];
    Remark remark;
    remark.pass = kCommonBase.name;
    remark.function = &rewrite_.function();
    remark.message = fmt::format("{}={} was met: there may be more to share", name, cap);
    context_.remark(std::move(remark));
  };
  say(isDepthMet_, "cbe-max-depth", options_.maxDepth);
  say(areIterationsMet_, "cbe-max-iter", options_.maxIterations);
  say(groups_.areRoundsMet(), "rounds over phis", analysis::OffsetClasses::kMostRounds);
}

}  // namespace ptxopt::passes
