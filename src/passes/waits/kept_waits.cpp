// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/kept_waits.h"

#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>

#include "analysis/async/outstanding_groups.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Cfg;
using analysis::GroupFamily;
using ir::Instruction;
using isa::WaitRole;

enum class Look : std::uint8_t { GoOn, IsIt, Stop };  // Stop: nothing beyond it on this path

// Goes away from a statement, block by block, the nearest ones first.  `look` is asked about each
// instruction, with how many of those that it counted lie in between.
template <class Looker>
class Search {
 public:
  Search(const Cfg& cfg, Direction direction, Looker look)
      : cfg_(cfg), direction_(direction), look_(std::move(look)) {}

  const Instruction* from(const Instruction& statement) {
    unsigned counted = 0;
    bool isBehind = false;
    look(statement.block, counted, [&](const Instruction& instruction) {
      return std::exchange(isBehind, isBehind || &instruction == &statement);
    });
    while (found_ == nullptr && !queue_.empty() && looks_ < kMostLooks) {
      auto [block, before] = queue_.front();
      queue_.pop_front();
      look(block, before, [](const Instruction&) { return true; });
    }
    return found_;
  }

 private:
  template <class Filter>
  void look(BlockId block, unsigned counted, Filter isWanted) {
    bool isOver = false;
    if (block != cfg_.exit()) {
      analysis::forEachInstruction(cfg_.block(block), direction_,
                                   [&](const Instruction& instruction) {
                                     if (isOver || !isWanted(instruction)) return;
                                     ++looks_;
                                     const Look answer = look_(instruction, counted);
                                     isOver = answer != Look::GoOn || looks_ >= kMostLooks;
                                     if (answer == Look::IsIt) found_ = &instruction;
                                   });
    }
    if (isOver) return;
    for (const BlockId next : cfg_.next(block, direction_)) {
      if (seen_.insert(next).second) queue_.emplace_back(next, counted);
    }
  }

  const Cfg& cfg_;
  Direction direction_;
  Looker look_;
  std::deque<std::pair<BlockId, unsigned>> queue_;
  std::unordered_set<BlockId> seen_;
  const Instruction* found_ = nullptr;
  unsigned looks_ = 0;
};

template <class Looker>
std::optional<NamedStatement> nearest(const Cfg& cfg, Direction direction, const Instruction& from,
                                      Looker look) {
  const Instruction* const found = Search(cfg, direction, std::move(look)).from(from);
  if (found == nullptr) return std::nullopt;
  return NamedStatement{found->desc->mnemonic, found->source};
}

// The operation that a commit or a wait of groups may be for: one of its family that lies behind
// as many commits as the wait counts.
std::optional<NamedStatement> operationOf(const Cfg& cfg, const Instruction& statement,
                                          GroupFamily family, unsigned commits) {
  return nearest(cfg, Direction::Backward, statement,
                 [&](const Instruction& earlier, unsigned& counted) {
                   const WaitRole role = isa::waitRoleOf(*earlier.desc);
                   if (analysis::mayCall(earlier)) return Look::IsIt;
                   if (analysis::groupFamilyOf(role) != family) return Look::GoOn;
                   const bool isCommitOfGroup = isa::isCommit(isa::waitRoleOf(*statement.desc));
                   if (isa::isCommit(role)) {
                     ++counted;
                     return isCommitOfGroup && !earlier.guard ? Look::Stop : Look::GoOn;
                   }
                   return !isa::isGroupWait(role) && counted >= commits ? Look::IsIt : Look::GoOn;
                 });
}

std::optional<NamedStatement> nearestOfRole(const Cfg& cfg, Direction direction,
                                            const Instruction& statement, WaitRole role) {
  return nearest(cfg, direction, statement, [role](const Instruction& other, unsigned&) {
    const bool isIt = isa::waitRoleOf(*other.desc) == role || analysis::mayCall(other);
    return isIt ? Look::IsIt : Look::GoOn;
  });
}

// What a fence orders: an access, or what others learn of it by.
std::optional<NamedStatement> nearestOrdered(const Cfg& cfg, Direction direction,
                                             const Instruction& statement, bool countsPlain) {
  return nearest(cfg, direction, statement, [countsPlain](const Instruction& other, unsigned&) {
    if (analysis::mayCall(other)) return Look::IsIt;
    const bool isOrdered = !ir::isUnordered(ir::effectOf(other)) &&
                           !isa::isOnlySynchronization(isa::waitRoleOf(*other.desc));
    return isOrdered && (countsPlain || !isPlainAccess(other)) ? Look::IsIt : Look::GoOn;
  });
}

// Sets what the statement may be for.
void setNeighbours(KeptWait& kept, const Cfg& cfg, const Instruction& statement) {
  const WaitRole role = isa::waitRoleOf(*statement.desc);
  if (const auto family = analysis::groupFamilyOf(role)) {
    // The newest group that wait_group N waits for has N + 1 commits behind it.
    const auto left = analysis::groupsLeft(statement);
    const bool isOfAll = isa::isCommit(role) || role == WaitRole::CopyWaitAll;
    kept.above = operationOf(cfg, statement, *family, isOfAll ? 0 : left.value_or(0) + 1);
    return;
  }
  switch (role) {
    case WaitRole::TensorLoadWait:
      kept.above = nearestOfRole(cfg, Direction::Backward, statement, WaitRole::TensorLoad);
      break;
    case WaitRole::TensorStoreWait:
      kept.above = nearestOfRole(cfg, Direction::Backward, statement, WaitRole::TensorStore);
      break;
    case WaitRole::ProductFence:
      kept.below = nearestOfRole(cfg, Direction::Forward, statement, WaitRole::ProductIssue);
      break;
    case WaitRole::GridWait:
      kept.below = nearestOrdered(cfg, Direction::Forward, statement, true);
      break;
    default:
      kept.above = nearestOrdered(cfg, Direction::Backward, statement, true);
      kept.below = nearestOrdered(cfg, Direction::Forward, statement, role != WaitRole::ProxyFence);
  }
}

}  // namespace

KeptWait keptWait(const Cfg& cfg, const Instruction& statement, bool isAskedFor) {
  using Why = KeptWait::Why;
  const WaitRole role = isa::waitRoleOf(*statement.desc);
  KeptWait kept;
  kept.mnemonic = statement.desc->mnemonic;
  if (isAskedFor) {
    kept.why = Why::AskedFor;
    return kept;
  }
  if (isa::isCommit(role)) {
    kept.why = Why::InGroup;
  } else if (isa::isGroupWait(role) || isa::isTensorWait(role)) {
    kept.why = Why::Outstanding;
  } else {
    // Of these a guarded one is not looked at (docs/soundness/ H8, H10, H11).
    const bool mustHaveNone = role == WaitRole::WarpBarrier || role == WaitRole::ClusterArrive ||
                              role == WaitRole::ClusterWait || role == WaitRole::PhaseWait;
    kept.why = statement.guard && mustHaveNone ? Why::Guarded : Why::Orders;
  }
  setNeighbours(kept, cfg, statement);
  return kept;
}

}  // namespace ptxopt::passes
