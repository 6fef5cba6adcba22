// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/audit_barriers.h"

#include <algorithm>

namespace ptxopt::interp {

AuditBarriers::AuditBarriers(std::uint32_t threads) : positions_(threads) {
  live_[0] = threads;
}

void AuditBarriers::pass(std::uint32_t thread, std::uint32_t claim, const facts::Barrier& barrier) {
  Position& position = positions_[thread];
  if (barrier.isGone) {
    ++position.gone;
    position.lastGone = claim;
  } else if (barrier.isSeparator) {
    const std::uint32_t before = position.epoch++;
    position.gone = 0;
    ++live_[position.epoch];
    leave(before);
  }
}

void AuditBarriers::end(std::uint32_t thread) {
  leave(positions_[thread].epoch);
}

void AuditBarriers::leave(std::uint32_t epoch) {
  const auto at = live_.find(epoch);
  if (--at->second != 0) return;
  live_.erase(at);
  // No thread can reach these epochs again.
  const auto end = live_.empty() ? cells_.end() : cells_.lower_bound(live_.begin()->first);
  cells_.erase(cells_.begin(), end);
}

// A query excludes one agent and one number of barriers.  So if two entries have the same agent or
// the same number, a third one with it adds nothing.  And among five entries, no three of which
// share the agent or the number, at least one is never excluded.
void AuditBarriers::Entries::add(const Entry& entry) {
  constexpr std::size_t kEnough = 5;
  std::size_t ofAgent = 0;
  std::size_t ofNumber = 0;
  for (const Entry& old : entries_) {
    const bool isSameAgent = old.agent == entry.agent && old.isIssue == entry.isIssue;
    const bool isSameNumber = old.gone == entry.gone && old.isIssue == entry.isIssue;
    if (isSameAgent && isSameNumber) return;
    ofAgent += isSameAgent ? 1 : 0;
    ofNumber += isSameNumber ? 1 : 0;
  }
  if (ofAgent < 2 && ofNumber < 2 && entries_.size() < 2 * kEnough) entries_.push_back(entry);
}

const AuditBarriers::Entry* AuditBarriers::Entries::conflicting(const Entry& entry) const {
  for (const Entry& old : entries_) {
    if (!old.agent.isOther(entry.agent) || old.gone == entry.gone) continue;
    // An issue is not ordered before accesses below the barrier.
    const Entry& first = old.gone < entry.gone ? old : entry;
    if (!first.isIssue) return &old;
  }
  return nullptr;
}

std::optional<AuditBarriers::Conflict> AuditBarriers::touch(const AuditAccess& access) {
  const Position& position = positions_[access.thread];
  const Entry entry{agentOf(access), position.gone, position.lastGone, access.isIssue,
                    access.instruction};
  std::optional<Conflict> found;
  cells_[position.epoch].visit(
      access.object(), access.address, access.size, [&](Cell& cell, std::uint64_t address) {
        const auto note = [&](const Entry* other, bool writes) {
          if (other == nullptr || found) return;
          // The later of the two accesses has passed a removed barrier.
          const std::uint32_t claim = other->gone > entry.gone ? other->lastGone : entry.lastGone;
          found = Conflict{claim, other->agent, other->instruction, writes, address};
        };
        note(cell.writes.conflicting(entry), true);
        if (access.isOnPhase) return cell.phases.add(entry);
        if (access.writes) {
          note(cell.reads.conflicting(entry), false);
          note(cell.phases.conflicting(entry), true);
        }
        (access.writes ? cell.writes : cell.reads).add(entry);
      });
  return found;
}

}  // namespace ptxopt::interp
