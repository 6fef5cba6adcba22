// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous operations with strong accesses: st.async and red.async with .release, and bulk
// copies with .relaxed.
//
// Their writes are parts of release patterns, and their reads of acquire patterns (PTX ISA 8.8,
// patterns 4 and 5): what was released before the issue is acquired by who reads what was written,
// and what the copy has read is acquired by a fence behind an observation of its completion.  A
// store that releases belongs to no mbarrier; it completes before the end of its CTA, and what
// follows it in its own thread is not ordered behind it.
#include <algorithm>
#include <vector>

#include "interp/machine_bulk.h"

namespace ptxopt::interp {

namespace {

// The writes of such an operation are not those of a thread.
constexpr AgentId kNobody = ~AgentId{0};
// One in kLateRarity chances to land, if asynchronous operations land late.  A store that releases
// has no wait at which it must: others may poll for it.
constexpr std::uint64_t kLateRarity = 256;

}  // namespace

// The write is recorded when it happens, so that nobody can have seen it before.
Machine::StrongWrite::StrongWrite(Machine& machine, Thread& thread, const Bulk& bulk,
                                  AgentId writer)
    : home(machine.homeOf(thread)) {
  const BulkForm& form = *bulk.form;
  view.start(kNobody);
  if (!form.releases) view.released = thread.clock.released;
  const Snapshot before = thread.clock.release();
  view.learn(before);
  if (form.releases) view.released.fill(before);
  access.agent = writer;
  access.clock = bulk.clock;
  access.site = bulk.op->number;
  access.writes = true;
  access.isStrong = true;
  access.isAtomic = form.operation.has_value();
  access.scope = scopeOf(*bulk.op);
  access.element = form.releases ? bulk.size : Bulk::kUnit;
}

void Machine::StrongWrite::read(const Bulk& bulk) {
  if (bulk.from.segment == nullptr || bulk.from.segment->shadow == nullptr) return;
  for (std::uint32_t at = 0; at < bulk.size; at += Bulk::kUnit) {
    strongRead(view, bulk.from.segment->shadow->findReleased(bulk.from.offset + at), home,
               isa::Semantics::Relaxed, access.scope);
  }
}

void Machine::StrongWrite::write(Machine& machine, const Bulk& bulk) {
  const Place& to = bulk.to;
  if (!to.segment->written.empty()) {
    bulk.forCopied(bulk.size, [&](std::uint32_t at, std::uint32_t size) {
      to.segment->written.set(to.offset + at, size);
    });
  }
  if (to.segment->shadow == nullptr) return;
  bulk.forCopied(bulk.size, [&](std::uint32_t at, std::uint32_t size) {
    Race race;
    if (!to.segment->shadow->access(to.offset + at, size, view, access, race)) return;
    machine.reportRace(*bulk.issuer, *bulk.op, {to.data + at, to.segment, to.offset + at}, size,
                       access, race);
  });
  for (std::uint32_t at = 0; at < bulk.size; at += access.element) {
    strongWrite(view, to.segment->shadow->released(to.offset + at), home, isa::Semantics::Relaxed,
                access.scope, access.isAtomic);
  }
}

void Machine::StrongWrite::passSeen(SeenSnapshots& seen) const {
  for (std::size_t k = 0; k < kScopeLevels; ++k) {
    seen[k].insert(seen[k].end(), view.seen[k].begin(), view.seen[k].end());
  }
}

// What .ignore_oob leaves indeterminate.
void Machine::forgetIgnored(const Bulk& bulk) {
  Segment& segment = *bulk.to.segment;
  const Undefined& why = undefined(FindingKind::Uninitialised, *bulk.op, *bulk.issuer, [&] {
    return "this copy by " + describe(nameOf(*bulk.issuer)) +
           " ignores bytes of its source, so that their copies are indeterminate";
  });
  for (std::uint32_t at = 0; at < bulk.size; ++at) {
    if (at >= bulk.ignoredLeft && at < bulk.size - bulk.ignoredRight) continue;
    segment.written.reset(bulk.to.offset + at);
    undefinedBytes_[{&segment, bulk.to.offset + at}] = &why;
  }
}

void Machine::landStore() {
  const auto at = std::find_if(inFlight_.begin(), inFlight_.end(),
                               [](const auto& bulk) { return bulk->form->releases; });
  if (at == inFlight_.end() || scheduler_->random(kLateRarity) != 0) return;
  land(**at);
  dropLanded();
}

// At the end of the CTA.
void Machine::landStoresOf(const Cta& cta) {
  for (const auto& bulk : inFlight_) {
    if (bulk->issuer->cta == &cta && bulk->form->releases) land(*bulk);
  }
  dropLanded();
}

}  // namespace ptxopt::interp
