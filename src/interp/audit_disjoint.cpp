// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/audit_disjoint.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace ptxopt::interp {

namespace {

using facts::Threads;
using AgentPair = std::pair<AuditAgent, AuditAgent>;

// A key for a pair of sites, independent of their order.
std::uint64_t keyOf(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}

}  // namespace

void AuditDisjoint::Touch::add(const AuditAgent& agent) {
  if (!second && agent.isOther(first)) second = agent;
  if (!otherWarp && agent.warp() != first.warp()) otherWarp = agent;
  if (agent.isWarp) return;
  const std::uint32_t word = agent.thread / 64;
  if (threads.size() <= word) threads.resize(word + 1);
  const std::uint64_t bit = std::uint64_t{1} << agent.thread % 64;
  if ((threads[word] & bit) != 0) again = agent;
  threads[word] |= bit;
}

void AuditDisjoint::touch(std::uint32_t site, const AuditAccess& access) {
  if (executed_.size() <= site) executed_.resize(site + 1);
  executed_[site] = true;
  const AuditAgent agent = agentOf(access);
  bytes_.visit(access.object(), access.address, access.size, [&](Touches& touches, std::uint64_t) {
    auto at = std::find_if(touches.begin(), touches.end(),
                           [&](const Touch& touch) { return touch.site == site; });
    if (at == touches.end()) {
      touches.push_back({.site = site, .first = agent});
      at = touches.end() - 1;
    }
    at->add(agent);
  });
}

std::optional<AgentPair> AuditDisjoint::meeting(const Touch& a, const Touch& b, Threads threads) {
  const bool isOne = &a == &b;
  const auto pairOf = [&](auto fits) -> std::optional<AgentPair> {
    for (const std::optional<AuditAgent>& x : {std::optional(a.first), a.second, a.otherWarp}) {
      for (const std::optional<AuditAgent>& y : {std::optional(b.first), b.second, b.otherWarp}) {
        if (x && y && fits(*x, *y)) return AgentPair(*x, *y);
      }
    }
    return std::nullopt;
  };
  switch (threads) {
    case Threads::Different:
      return pairOf([](const AuditAgent& x, const AuditAgent& y) { return x.isOther(y); });
    case Threads::DifferentWarps:
      return pairOf([](const AuditAgent& x, const AuditAgent& y) { return x.warp() != y.warp(); });
    case Threads::Any:
      if (!isOne) return AgentPair(a.first, b.first);
      if (a.again) return AgentPair(*a.again, *a.again);
      if (a.second) return AgentPair(a.first, *a.second);
      return std::nullopt;
    case Threads::Same:
      if (isOne) return a.again ? std::optional(AgentPair(*a.again, *a.again)) : std::nullopt;
      for (std::size_t k = 0; k < std::min(a.threads.size(), b.threads.size()); ++k) {
        const std::uint64_t both = a.threads[k] & b.threads[k];
        if (both == 0) continue;
        const auto lowest = static_cast<std::uint32_t>(std::countr_zero(both));
        const AuditAgent agent{static_cast<std::uint32_t>(k) * 64 + lowest, false};
        return AgentPair(agent, agent);
      }
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<AuditDisjoint::Verdict> AuditDisjoint::judge(const AuditClaims& claims) const {
  std::vector<Verdict> verdicts;
  // The claims about each pair of sites, as indices into verdicts.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> wanted;
  const auto wasExecuted = [&](std::uint32_t site) {
    return site < executed_.size() && executed_[site];
  };
  for (const AuditClaims::Pair& pair : claims.pairs()) {
    if (!wasExecuted(pair.first) || !wasExecuted(pair.second)) continue;
    wanted[keyOf(pair.first, pair.second)].push_back(verdicts.size());
    verdicts.push_back({pair.claim, std::nullopt});
  }
  if (verdicts.empty()) return verdicts;
  bytes_.forEach([&](const Touches& touches, std::uint64_t, std::uint64_t address) {
    for (std::size_t i = 0; i < touches.size(); ++i) {
      for (std::size_t j = i; j < touches.size(); ++j) {
        const auto found = wanted.find(keyOf(touches[i].site, touches[j].site));
        if (found == wanted.end()) continue;
        for (const std::size_t k : found->second) {
          // Report the lowest address, whatever the order of the bytes in the map.
          if (verdicts[k].meeting && verdicts[k].meeting->address <= address) continue;
          const auto& claim = std::get<facts::Disjoint>(claims.all()[verdicts[k].claim].what);
          const bool isSwapped =
              claims.siteOf(claim.address.at, claim.address.number) != touches[i].site;
          const Touch& first = isSwapped ? touches[j] : touches[i];
          const Touch& second = isSwapped ? touches[i] : touches[j];
          if (const auto agents = meeting(first, second, claim.threads)) {
            verdicts[k].meeting = Meeting{{agents->first, agents->second}, address};
          }
        }
      }
    }
  });
  return verdicts;
}

std::optional<AuditDisjoint::Meeting> AuditDisjoint::own(ClaimId claim, const AuditAccess& access) {
  std::optional<Meeting> found;
  const AuditAgent agent = agentOf(access);
  owners_[claim].visit(access.object(), access.address, access.size,
                       [&](std::optional<AuditAgent>& owner, std::uint64_t address) {
                         if (!owner) owner = agent;
                         if (found || !agent.isOther(*owner)) return;
                         found = Meeting{{*owner, agent}, address};
                       });
  return found;
}

}  // namespace ptxopt::interp
