// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/audit_memory.h"

namespace ptxopt::interp {

namespace {

using Region = AuditAccess::Region;

// The reading access comes after the store in every allowed order.
bool isOrdered(const AuditDeadStores::Store& store, const AuditAccess& access) {
  if (store.cta == access.cta && store.thread == access.thread) return !access.isCollective;
  return access.clock != nullptr && store.clock != 0 &&
         access.clock->knows(store.agent, store.clock);
}

}  // namespace

std::optional<AuditDeadStores::Store> AuditDeadStores::touch(
    const AuditAccess& access, const std::vector<ClaimId>& deadStores) {
  std::optional<Store> found;
  std::optional<Store> made;
  if (access.writes && !deadStores.empty()) {
    made = Store{&deadStores, access.cta, access.thread, 0, 0, access.instruction};
    if (access.clock != nullptr) {
      made->agent = access.clock->agent();
      made->clock = access.clock->own();
    }
  }
  const auto read = [&](const std::optional<Store>& store) {
    if (access.reads && !found && store && isOrdered(*store, access)) found = store;
  };
  if (access.region == Region::Local) {
    auto& bytes = local_[access.owner];
    for (std::uint64_t at = access.address; at < access.address + access.size; ++at) {
      const auto old = bytes.find(at);
      if (old != bytes.end()) read(old->second);
      if (!access.writes) continue;
      if (made) {
        bytes.insert_or_assign(at, *made);
      } else if (old != bytes.end()) {
        bytes.erase(old);
      }
    }
    return found;
  }
  if (access.region != Region::Global && access.region != Region::Shared) return found;
  shared_.visit(access.object(), access.address, access.size, [&](Cell& cell, std::uint64_t) {
    read(cell);
    if (access.writes) cell = made;
  });
  return found;
}

void AuditDeadStores::forgetLocal(std::uint64_t thread, std::uint64_t address) {
  const auto found = local_.find(thread);
  if (found == local_.end()) return;
  found->second.erase(found->second.lower_bound(address), found->second.end());
}

std::map<ClaimId, AuditDeadStores::Store> AuditDeadStores::left() const {
  std::map<ClaimId, Store> stores;
  const auto global = static_cast<std::uint64_t>(Region::Global);
  shared_.forEach([&](const Cell& cell, std::uint64_t object, std::uint64_t) {
    if (!cell || object >> 56 != global) return;
    for (const ClaimId claim : *cell->claims) stores.try_emplace(claim, *cell);
  });
  return stores;
}

}  // namespace ptxopt::interp
