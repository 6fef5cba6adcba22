// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/outstanding_groups.h"

#include <algorithm>

#include "analysis/flow/callee.h"
#include "analysis/flow/dataflow.h"
#include "ir/effect.h"
#include "ir/function.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using isa::WaitRole;

constexpr std::uint32_t kLastGroup = 31;  // the bit that stands for this group and all older ones
constexpr std::uint32_t kAllGroups = ~std::uint32_t{0};

// The groups of `open` that a wait that leaves `left` outstanding does not wait for.
std::uint32_t without(std::uint32_t open, std::uint32_t left) {
  return left > kLastGroup ? open : open & ((std::uint32_t{1} << left) - 1);
}

// One more group is the newest one.
std::uint32_t behindCommit(std::uint32_t open, bool uncommitted) {
  const std::uint32_t oldest = open & (std::uint32_t{1} << kLastGroup);
  return open << 1 | oldest | std::uint32_t{uncommitted};
}

void commit(OpenGroups& groups, bool isGuarded) {
  const std::uint32_t incomplete = behindCommit(groups.incomplete, groups.uncommitted);
  const std::uint32_t unread = behindCommit(groups.unread, groups.uncommitted);
  groups.incomplete = isGuarded ? groups.incomplete | incomplete : incomplete;
  groups.unread = isGuarded ? groups.unread | unread : unread;
  groups.uncommitted &= isGuarded;
}

void wait(OpenGroups& groups, WaitRole role, std::uint32_t left) {
  groups.unread = without(groups.unread, left);
  if (role != WaitRole::BulkReadWait) groups.incomplete = without(groups.incomplete, left);
  if (role == WaitRole::CopyWaitAll) groups.uncommitted = false;
}

}  // namespace

std::optional<GroupFamily> groupFamilyOf(WaitRole role) {
  switch (role) {
    case WaitRole::CopyIssue:
    case WaitRole::CopyCommit:
    case WaitRole::CopyWait:
    case WaitRole::CopyWaitAll:
      return GroupFamily::Copies;
    case WaitRole::BulkIssue:
    case WaitRole::BulkCommit:
    case WaitRole::BulkWait:
    case WaitRole::BulkReadWait:
      return GroupFamily::Bulk;
    case WaitRole::ProductIssue:
    case WaitRole::ProductCommit:
    case WaitRole::ProductWait:
      return GroupFamily::Products;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint32_t> groupsLeft(const Instruction& wait) {
  const WaitRole role = isa::waitRoleOf(*wait.desc);
  if (role == WaitRole::CopyWaitAll) return 0;
  if (!isa::isGroupWait(role)) return std::nullopt;
  const ir::Operand* const count = wait.operand(0);
  const bool isNumber = count != nullptr && count->kind == ir::OperandKind::Integer &&
                        count->immediate >= 0 && count->immediate <= INT32_MAX;
  return isNumber ? std::optional(static_cast<std::uint32_t>(count->immediate)) : std::nullopt;
}

// ---- forward: what may be outstanding ----------------------------------------------------------

OutstandingState OutstandingState::unknown() {
  OutstandingState state;
  state.groups.fill({kAllGroups, kAllGroups, true});
  state.tensorLoads = state.tensorStores = true;
  return state;
}

void OutstandingState::join(const OutstandingState& other) {
  for (std::size_t k = 0; k < kGroupFamilies; ++k) {
    groups[k].incomplete |= other.groups[k].incomplete;
    groups[k].unread |= other.groups[k].unread;
    groups[k].uncommitted |= other.groups[k].uncommitted;
  }
  tensorLoads |= other.tensorLoads;
  tensorStores |= other.tensorStores;
}

void OutstandingState::pass(const Instruction& executed) {
  if (mayCall(executed)) {
    *this = unknown();
    return;
  }
  const WaitRole role = isa::waitRoleOf(*executed.desc);
  const bool isGuarded = static_cast<bool>(executed.guard);
  if (role == WaitRole::TensorLoad) tensorLoads = true;
  if (role == WaitRole::TensorStore) tensorStores = true;
  if (role == WaitRole::TensorLoadWait) tensorLoads &= isGuarded;
  if (role == WaitRole::TensorStoreWait) tensorStores &= isGuarded;
  const std::optional<GroupFamily> family = groupFamilyOf(role);
  if (!family) return;
  OpenGroups& open = of(*family);
  if (isa::isCommit(role)) {
    commit(open, isGuarded);
  } else if (!isa::isGroupWait(role)) {
    open.uncommitted = true;
  } else if (const auto left = groupsLeft(executed); left && !isGuarded) {
    wait(open, role, *left);
  }
}

bool OutstandingState::isWaitOfNothing(const Instruction& wait) const {
  const std::optional<GroupFamily> family = groupFamilyOf(isa::waitRoleOf(*wait.desc));
  return completesNothing(wait) && (!family || !of(*family).uncommitted);
}

bool OutstandingState::completesNothing(const Instruction& wait) const {
  const WaitRole role = isa::waitRoleOf(*wait.desc);
  if (role == WaitRole::TensorLoadWait) return !tensorLoads;
  if (role == WaitRole::TensorStoreWait) return !tensorStores;
  const std::optional<std::uint32_t> left = groupsLeft(wait);
  if (!left) return false;
  const OpenGroups& open = of(*groupFamilyOf(role));
  const std::uint32_t waited = role == WaitRole::BulkReadWait ? open.unread : open.incomplete;
  if (role == WaitRole::CopyWaitAll && open.uncommitted) return false;
  return waited >> std::min(*left, kLastGroup) == 0;
}

namespace {

class Outstanding {
 public:
  using State = OutstandingState;
  static constexpr Direction kDirection = Direction::Forward;

  explicit Outstanding(const Cfg& cfg) : cfg_(&cfg) {}
  State initial() const { return {}; }
  State boundary() const { return cfg_->function().isEntry() ? State{} : State::unknown(); }
  void meet(State& into, const State& from) const { into.join(from); }
  void transfer(BlockId block, State& state) const {
    if (block == cfg_->exit()) return;
    for (const Instruction& instruction : cfg_->instructions(block)) state.pass(instruction);
  }

 private:
  const Cfg* cfg_;
};

// ---- backward: which waits come ----------------------------------------------------------------

constexpr std::uint32_t kNoWait = ~std::uint32_t{0};

struct LaterState {
  // By family: a wait that leaves groups outstanding, and so counts them, may come before one that
  // leaves none.
  std::array<bool, kGroupFamilies> mayCount{};
  // On every path a cp.async.bulk.wait_group that leaves at most so many groups comes, before
  // anything that a wait with .read could be for.
  std::uint32_t full = 0;

  friend bool operator==(const LaterState&, const LaterState&) = default;
};

// Nothing that the end of a read by the async proxy has to come before: no write, no
// synchronisation, no operation that is issued.
bool isHarmless(const Instruction& instruction, WaitRole role) {
  if (isa::isCommit(role) || isa::isGroupWait(role)) return true;
  const isa::Effect effect = ir::effectOf(instruction);
  const bool isLoad = effect == isa::Effect::Weak && !instruction.desc->is(isa::kMemoryWrite);
  return isLoad || (ir::isUnordered(effect) && !instruction.desc->is(isa::kConvergent));
}

class Later {
 public:
  using State = LaterState;
  static constexpr Direction kDirection = Direction::Backward;

  explicit Later(const Cfg& cfg) : cfg_(&cfg) {}
  State initial() const { return {}; }
  State boundary() const {
    State state;
    state.mayCount.fill(!cfg_->function().isEntry());
    state.full = kNoWait;
    return state;
  }
  void meet(State& into, const State& from) const {
    for (std::size_t k = 0; k < kGroupFamilies; ++k) into.mayCount[k] |= from.mayCount[k];
    into.full = std::max(into.full, from.full);
  }
  void transfer(BlockId block, State& state) const {
    if (block == cfg_->exit()) return;
    forEachInstruction(cfg_->block(block), kDirection,
                       [&](const Instruction& instruction) { pass(instruction, state); });
  }

  // From behind the instruction to before it.
  static void pass(const Instruction& instruction, State& state) {
    if (mayCall(instruction)) {
      state.mayCount.fill(true);
      state.full = kNoWait;
      return;
    }
    const WaitRole role = isa::waitRoleOf(*instruction.desc);
    if (!isHarmless(instruction, role)) state.full = kNoWait;
    if (!isa::isGroupWait(role)) return;
    const std::optional<std::uint32_t> left = groupsLeft(instruction);
    bool& mayCount = state.mayCount[static_cast<std::size_t>(*groupFamilyOf(role))];
    if (left != 0u) {
      mayCount = true;
    } else if (!instruction.guard && role != WaitRole::BulkReadWait) {
      mayCount = false;
    }
    if (role == WaitRole::BulkWait && left && !instruction.guard) {
      state.full = std::min(state.full, *left);
    }
  }

 private:
  const Cfg* cfg_;
};

bool isWait(WaitRole role) {
  return isa::isGroupWait(role) || isa::isTensorWait(role);
}

}  // namespace

OutstandingGroups::OutstandingGroups(const Cfg& cfg) {
  const isa::WaitRoles roles = cfg.function().body().waitRoles();
  if (!roles.hasAny(isWait)) return;
  findOutstanding(cfg);
  if (!empty_.empty() || roles.contains(WaitRole::BulkReadWait)) findLaterWaits(cfg);
}

void OutstandingGroups::findOutstanding(const Cfg& cfg) {
  const Dataflow<Outstanding> flow(cfg, Outstanding(cfg));
  for (const BlockId b : cfg.blocks()) {
    if (!cfg.isReachable(b)) continue;
    OutstandingState state = flow.before(b);
    for (const Instruction& instruction : cfg.instructions(b)) {
      const WaitRole role = isa::waitRoleOf(*instruction.desc);
      if (isWait(role)) {
        if (state.completesNothing(instruction)) completingNothing_.insert(&instruction);
        if (state.isWaitOfNothing(instruction)) ofNothing_.insert(&instruction);
      }
      if (isa::isCommit(role)) {
        const OpenGroups& open = state.of(*groupFamilyOf(role));
        if (!open.uncommitted) (open.incomplete == 0 ? needless_ : empty_).insert(&instruction);
      }
      state.pass(instruction);
    }
  }
}

void OutstandingGroups::findLaterWaits(const Cfg& cfg) {
  const Dataflow<Later> flow(cfg, Later(cfg));
  for (const BlockId b : cfg.blocks()) {
    if (!cfg.isReachable(b)) continue;
    LaterState state = flow.before(b);  // behind the block, in the order of execution
    forEachInstruction(cfg.block(b), Direction::Backward, [&](const Instruction& instruction) {
      const WaitRole role = isa::waitRoleOf(*instruction.desc);
      if (isa::isCommit(role) && !state.mayCount[static_cast<std::size_t>(*groupFamilyOf(role))] &&
          empty_.contains(&instruction)) {
        needless_.insert(&instruction);
      }
      const std::optional<std::uint32_t> left = groupsLeft(instruction);
      if (role == WaitRole::BulkReadWait && left && state.full <= *left) {
        repeated_.insert(&instruction);
      }
      Later::pass(instruction, state);
    });
  }
}

}  // namespace ptxopt::analysis
