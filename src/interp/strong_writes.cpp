// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/strong_writes.h"

#include <algorithm>
#include <utility>

namespace ptxopt::interp {

bool StrongWrites::isOrdered(const Chain& chain, const ThreadClock& view) {
  return view.knows(chain.last.agent, chain.last.clock) || chain.readers.knowsOne(view);
}

// Observation order needs accesses that are morally strong: to all of the same bytes, in program
// order or with scopes that include each other (PTX ISA 8.7.1).
bool StrongWrites::isObservedBy(const Access& access, std::uint64_t offset,
                                const Places& places) const {
  const AgentId writer = open_.last.agent;
  if (open_.last.clock == 0 || open_.offset != offset || open_.size != access.element) return false;
  return writer == access.agent || (!places.excludes(open_.scope, writer, access.agent) &&
                                    !places.excludes(access.scope, access.agent, writer));
}

void StrongWrites::record(const Access& access, std::uint64_t offset, const ThreadClock& view,
                          const Places& places) {
  all_.record(access);
  const Record now{access.agent, access.clock, access.site};
  if (!access.isAtomic || !isObservedBy(access, offset, places)) close();
  if (access.element == 0) return addUnobserved(now);
  open_.last = now;
  open_.scope = access.scope;
  open_.size = access.element;
  open_.offset = offset;
  open_.readers.clear();
  for (Chain& chain : closed_) chain.isImplied = isOrdered(chain, view);
}

void StrongWrites::observe(const Access& access, std::uint64_t offset, const ThreadClock& view,
                           const Places& places) {
  if (!isObservedBy(access, offset, places)) return;
  if (view.knows(open_.last.agent, open_.last.clock)) return;
  // The first observation by a thread counts, since more is ordered after it than after later ones.
  if (open_.readers.has(access.agent)) return;
  open_.readers.record(access);
  for (Chain& chain : closed_) chain.isImplied = chain.isImplied && isOrdered(chain, view);
}

void StrongWrites::close() {
  if (open_.last.clock == 0) return;
  std::erase_if(closed_, [](const Chain& chain) { return chain.isImplied; });
  Chain chain = std::exchange(open_, {});
  if (chain.readers.isEmpty()) return addUnobserved(chain.last);
  closed_.push_back(std::move(chain));
  if (closed_.size() <= kMostChains) return;
  addUnobserved(closed_.front().last);
  closed_.erase(closed_.begin());
}

// A thread that knows a write of an agent also knows the earlier ones.
void StrongWrites::addUnobserved(const Record& write) {
  const auto same = std::find_if(unobserved_.begin(), unobserved_.end(),
                                 [&](const Record& old) { return old.agent == write.agent; });
  if (same == unobserved_.end()) {
    unobserved_.push_back(write);
  } else if (same->clock <= write.clock) {
    *same = write;
  }
}

std::optional<Record> StrongWrites::unordered(const ThreadClock& view) const {
  if (open_.last.clock != 0 && !isOrdered(open_, view)) return open_.last;
  for (const Chain& chain : closed_) {
    if (!isOrdered(chain, view)) return chain.last;
  }
  for (const Record& write : unobserved_) {
    if (!view.knows(write.agent, write.clock)) return write;
  }
  return std::nullopt;
}

void StrongWrites::clear() {
  all_.clear();
  open_ = {};
  closed_.clear();
  unobserved_.clear();
}

}  // namespace ptxopt::interp
