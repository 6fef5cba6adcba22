// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and atomics.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "interp/arithmetic/conversion.h"
#include "interp/atomic.h"
#include "interp/decode/bind.h"
#include "interp/machine.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

namespace {

using isa::Space;

std::string bytesOf(std::uint32_t size) {
  return std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

}  // namespace

namespace {

// A single access in the order of all such accesses, if the size allows it.
template <class T>
std::uint64_t loadOnce(const std::uint8_t* from) {
  return std::atomic_ref<T>(*reinterpret_cast<T*>(const_cast<std::uint8_t*>(from))).load();
}
std::uint64_t concurrentValueAt(const std::uint8_t* from, std::uint32_t bytes) {
  switch (bytes) {
    case 1:
      return loadOnce<std::uint8_t>(from);
    case 2:
      return loadOnce<std::uint16_t>(from);
    case 4:
      return loadOnce<std::uint32_t>(from);
    default:
      return loadOnce<std::uint64_t>(from);
  }
}
template <class T>
void storeOnce(std::uint8_t* to, std::uint64_t value) {
  std::atomic_ref<T>(*reinterpret_cast<T*>(to)).store(static_cast<T>(value));
}
void storeConcurrent(std::uint8_t* to, std::uint64_t value, std::uint32_t bytes) {
  switch (bytes) {
    case 1:
      return storeOnce<std::uint8_t>(to, value);
    case 2:
      return storeOnce<std::uint16_t>(to, value);
    case 4:
      return storeOnce<std::uint32_t>(to, value);
    default:
      return storeOnce<std::uint64_t>(to, value);
  }
}
// Replaces the content by combine(content), and retries if another thread was faster.  Returns the
// old content.
template <class T, class Combine>
std::uint64_t updateOnce(std::uint8_t* at, Combine combine) {
  std::atomic_ref<T> cell(*reinterpret_cast<T*>(at));
  T old = cell.load();
  while (!cell.compare_exchange_weak(old, static_cast<T>(combine(old)))) {
  }
  return old;
}
template <class Combine>
std::uint64_t updateConcurrent(std::uint8_t* at, std::uint32_t bytes, Combine combine) {
  switch (bytes) {
    case 2:
      return updateOnce<std::uint16_t>(at, combine);
    case 4:
      return updateOnce<std::uint32_t>(at, combine);
    default:
      return updateOnce<std::uint64_t>(at, combine);
  }
}

}  // namespace

std::uint8_t* Machine::localBytes(Thread& thread, std::uint64_t address, std::uint64_t size) {
  const std::uint64_t end = std::max(thread.localTop, address + size);
  if (thread.local.size() < end) thread.local.resize(end);
  return thread.local.data() + address;
}

Space Machine::leaveWindow(Space space, std::uint64_t& address) const {
  if (space == Space::None) {
    const Windows& windows = program_->image().windows();
    const std::uint64_t next[] = {windows.parameter, windows.shared, windows.local,
                                  windows.function, ~std::uint64_t{0}};
    constexpr Space kSpaces[] = {Space::ParamEntry, Space::SharedCluster, Space::Local,
                                 Space::None};
    space = Space::Global;
    for (int k = 0; k < 4; ++k) {
      if (address < next[k] || address >= next[k + 1]) continue;
      space = kSpaces[k];
      address -= next[k];
    }
  }
  if (space == Space::Param) {
    space = address >= kParameterBase ? Space::ParamEntry : Space::Local;
  }
  return space;
}

// Most accesses are to the own shared memory, or to where the instruction accessed memory before.
Machine::Place Machine::resolve(Thread& thread, const Op& op, Space space, std::uint64_t address,
                                std::uint32_t size, bool writes) {
  Segment* likely = nullptr;
  if (space == Space::Shared) likely = &thread.cta->shared;
  if (space == Space::Global) likely = recentSegment(op);
  const bool isAligned = (size & (size - 1)) == 0 && (address & (size - 1)) == 0;
  if (likely == nullptr || !isAligned || !likely->contains(address, size) ||
      (writes && likely->isReadOnly)) {
    return resolveAny(thread, op, space, address, size, writes);
  }
  const std::uint64_t offset = address - likely->base;
  return {likely->bytes.data() + offset, likely, offset};
}

Machine::Place Machine::resolveAny(Thread& thread, const Op& op, Space space, std::uint64_t address,
                                   std::uint32_t size, bool writes) {
  const auto outside = [&](const std::string& where) {
    fault(FindingKind::OutOfBounds, op,
          std::string(writes ? "write" : "read") + " of " + bytesOf(size) + " at " +
              hexadecimal(address) + ", " + where + ", by " + describe(nameOf(thread)));
  };
  if (address % size != 0) {
    fault(FindingKind::Misaligned, op,
          std::string(writes ? "write" : "read") + " of " + bytesOf(size) + " at " +
              hexadecimal(address) + " by " + describe(nameOf(thread)));
  }
  const std::uint64_t named = address;
  if (space == Space::None || space == Space::Param) space = leaveWindow(space, address);
  switch (space) {
    case Space::Global:
    case Space::Const: {
      Segment* segment = memory_->find(address, size, recentSegment(op));
      if (segment == nullptr) {
        address = named;
        const Segment* nearest = memory_->nearest(address);
        if (nearest == nullptr) outside("where no memory is allocated");
        if (!nearest->isLive) outside("in memory that was freed");
        const std::string name = elementAt(op, *nearest, address - nearest->base, size);
        outside((name.empty() ? "" : name + ", ") + std::to_string(address - nearest->base) +
                " bytes after the start of '" + nearest->name + "' of " +
                std::to_string(nearest->bytes.size()) + " bytes");
      }
      if (writes && segment->isReadOnly) outside("in constant memory");
      const std::uint64_t offset = address - segment->base;
      return {segment->bytes.data() + offset, segment, offset};
    }
    case Space::Shared:
    case Space::SharedCluster: {
      const std::uint64_t rank = address >> kRankShift;
      if (rank >= thread.cta->cluster->ctas.size()) outside("outside of shared memory");
      Cta& cta = *thread.cta->cluster->ctas[rank];
      if (space == Space::Shared && &cta != thread.cta) {
        outside("in shared memory of another CTA, which .shared::cta does not reach");
      }
      if (!cta.shared.contains(address, size)) {
        outside("offset " + std::to_string(static_cast<std::int64_t>(address - cta.shared.base)) +
                ", " + sharedBounds(cta.shared));
      }
      if (cta.live == 0) outside("in shared memory of a CTA that has exited");
      const std::uint64_t offset = address - cta.shared.base;
      return {cta.shared.bytes.data() + offset, &cta.shared, offset};
    }
    case Space::Local: {
      const std::uint64_t top = thread.localTop;
      if (address < kLocalBase || address > top || size > top - address) {
        outside("outside of local memory");
      }
      return {localBytes(thread, address, size), nullptr, address};
    }
    case Space::ParamEntry:
      if (writes) outside("in the parameters of the kernel");
      address -= kParameterBase;
      if (address > parameters_.size() || size > parameters_.size() - address) {
        outside("outside of the parameters of the kernel");
      }
      return {parameters_.data() + address, nullptr, address};
    default:
      outside("where no memory is allocated");
      return {};
  }
}

std::string Machine::unwrittenText(const Thread& thread, const Op& op, const Place& place,
                                   std::uint32_t size) const {
  return "read of " + bytesOf(size) + " at " + placeText(op, *place.segment, place.offset, size) +
         ", which was never written, by " + describe(nameOf(thread));
}

void Machine::checkInitialised(Thread& thread, const Op& op, const Place& place,
                               std::uint32_t size) {
  if (!isUndefined(place, size)) return;
  const Undefined& why = originOf(thread, op, place, size);
  involve(finding(why.kind, *why.op, why.message, why.op == &op ? nullptr : &op,
                  why.op == &op ? "" : "the read here depends on that value"),
          agentOf(thread));
}

void Machine::check(Thread& thread, const Op& op, const Place& place, std::uint32_t size,
                    bool writes, bool strong, const Access* as) {
  Segment& segment = *place.segment;
  // What a plain load reads may be of no use (machine_undefined.cpp).
  if (!writes && op.action != Action::Load) checkInitialised(thread, op, place, size);
  if (writes && !segment.written.empty()) segment.written.set(place.offset, size);
  if (segment.shadow == nullptr) return;
  Access access;
  if (as != nullptr) {
    access = *as;
  } else {
    access.agent = thread.clock.agent();
    access.clock = thread.clock.own();
    access.isAtomic = op.action == Action::Atomic;
    const bool isPlain = op.action == Action::Load || op.action == Action::Store;
    if (access.isAtomic || isPlain) access.element = op.is(kWide) ? 16 : op.bytes;
  }
  access.site = op.number;
  access.writes = writes;
  access.isStrong = strong;
  access.scope = scopeOf(op);
  Race race;
  // A reduction reads as well.
  const bool onlyOverwrites = writes && !strong && !options_.strictProxies;
  const bool needsFence = access.proxy != Proxy::Generic && !onlyOverwrites;
  const ThreadClock& view = needsFence ? viewOf(thread, access.proxy) : thread.clock;
  if (segment.shadow->access(place.offset, size, view, access, race)) {
    reportRace(thread, op, place, size, access, race);
  }
}

// Before a read by a cache that need not know of what the same launch has written.
void Machine::checkStale(const Thread& thread, const Op& op, const Place& place, std::uint32_t size,
                         const char* cache) {
  if (place.segment->shadow == nullptr || !place.segment->shadow->hasWrites()) return;
  const auto site = place.segment->shadow->findWrite(place.offset, size);
  if (!site) return;
  Finding& found =
      finding(FindingKind::TextureStale, op,
              std::string(cache) + " read of " + placeText(op, *place.segment, place.offset, size) +
                  " by " + describe(nameOf(thread)) + ", which the same launch has written",
              &program_->op(*site), "it is written here");
  involve(found, agentOf(thread));
}

AgentId Machine::firstAsync() const {
  constexpr AgentId kChunk = ClockVector::kChunk;
  return (2 * copiesOf(0) + kChunk - 1) / kChunk * kChunk;
}

void Machine::reportRace(const Thread& thread, const Op& op, const Place& place, std::uint32_t size,
                         const Access& access, const Race& race) {
  const auto verb = [](bool isWrite, bool isCopy) {
    return std::string(isCopy ? "asynchronous " : "") + (isWrite ? "write" : "read");
  };
  if (access.proxy != Proxy::Generic && thread.clock.knows(race.firstAgent, race.firstClock)) {
    if (race.first == Shadow::kEarlierLaunch) return;  // its end makes all of it visible
    return reportProxyRace(thread, op, place, size, access, race);
  }
  const AgentId all = copiesOf(0);
  const std::string what = verb(access.writes, access.agent >= all) + " of " + bytesOf(size) +
                           " at " + placeText(op, *place.segment, race.offset, size) + " by " +
                           describe(nameOf(thread));
  if (race.first == Shadow::kEarlierLaunch) {
    return involve(finding(FindingKind::DataRace, op,
                           what + " comes before a griddepcontrol.wait for the launch before, " +
                               "which " + verb(race.firstWrites, false) + "s these bytes"),
                   agentOf(thread));
  }
  Finding& found =
      finding(FindingKind::DataRace, op, what + " is not ordered against another access",
              &program_->op(race.first),
              "the other is this " + verb(race.firstWrites, race.firstAgent >= all) + " by " +
                  describe(nameOfAgent(race.firstAgent)) +
                  (race.isInPart ? ", strong too, but not of the same bytes" : ""));
  involve(found, agentOf(thread));
  involve(found, race.firstAgent);
}

void Machine::reportProxyRace(const Thread& thread, const Op& op, const Place& place,
                              std::uint32_t size, const Access& access, const Race& race) {
  const char* const fence = access.proxy == Proxy::AsyncShared   ? "fence.proxy.async.shared::cta"
                            : access.proxy == Proxy::AsyncGlobal ? "fence.proxy.async.global"
                                                                 : "fence.proxy.tensormap";
  Finding& found = finding(
      FindingKind::ProxyRace, op,
      std::string("asynchronous ") + (access.writes ? "write" : "read") + " of " + bytesOf(size) +
          " at " + placeText(op, *place.segment, race.offset, size) + " by " +
          describe(nameOf(thread)) + " comes after another access without a " + fence,
      &program_->op(race.first),
      std::string("the other is this ") + (race.firstWrites ? "write" : "read") + " by " +
          describe(nameOfAgent(race.firstAgent)) + ", through the generic proxy");
  involve(found, agentOf(thread));
  involve(found, race.firstAgent);
}

void Machine::putLoaded(const Thread& thread, const Op& op, std::uint32_t slot,
                        std::uint64_t value) {
  thread.frame[slot] = op.is(kSecond) ? widen(op.type, value, op.width) : value;
}

bool Machine::load(Thread& thread, const Op& op) {
  const std::uint32_t bytes = op.bytes;
  const std::uint32_t size = bytes * op.count;
  const Place place = resolve(thread, op, op.space, addressOf(thread, op), size, false);
  const bool isOnce = isStrong(op.semantics) && isConcurrent(place);
  const auto element = [&](std::uint32_t slot, std::uint32_t k) {
    const std::uint8_t* const from = place.data + k * bytes;
    putLoaded(thread, op, slot, isOnce ? concurrentValueAt(from, bytes) : valueAt(from, bytes));
  };
  if (op.count == 1) {
    element(op.d, 0);
  } else {
    for (std::uint32_t k = 0; k < op.count; ++k) element(thread.code->lists[op.index + k], k);
  }
  if (thread.twin != nullptr || isUndefined(place, size)) loadTwice(thread, op, place);
  if (place.segment == nullptr || place.segment->isReadOnly) return false;
  if (options_.detectsRaces) {
    const bool strong = isStrong(op.semantics);
    if (op.detail != 0) checkStale(thread, op, place, size, "non-coherent");
    check(thread, op, place, size, false, strong);
    if (strong && place.segment->shadow != nullptr) {
      strongRead(thread.clock, place.segment->shadow->findReleased(place.offset), homeOf(thread),
                 op.semantics, scopeOf(op));
    }
  }
  return true;
}

bool Machine::store(Thread& thread, const Op& op) {
  const std::uint32_t bytes = op.bytes;
  const std::uint32_t size = bytes * op.count;
  const Place place = resolve(thread, op, op.space, addressOf(thread, op), size, true);
  if (place.segment != nullptr && options_.detectsRaces) {
    const bool strong = isStrong(op.semantics);
    check(thread, op, place, size, true, strong);
    if (strong && place.segment->shadow != nullptr) {
      strongWrite(thread.clock, place.segment->shadow->released(place.offset), homeOf(thread),
                  op.semantics, scopeOf(op), false);
    }
  }
  if (isStrong(op.semantics) && isConcurrent(place)) {
    for (std::uint32_t k = 0; k < op.count; ++k) {
      const std::uint32_t slot = thread.code->lists[op.index + k];
      storeConcurrent(place.data + k * bytes, thread.frame[slot], bytes);
    }
  } else if (op.count == 1) {
    putAt(place.data, thread.frame[op.b], bytes);
  } else {
    for (std::uint32_t k = 0; k < op.count; ++k) {
      putAt(place.data + k * bytes, thread.frame[thread.code->lists[op.index + k]], bytes);
    }
  }
  if (thread.twin != nullptr) storeTwice(thread, op, place);
  return place.segment != nullptr;
}

namespace {

// exch and cas of 128 bits: a register with two slots.
bool isWideSwap(const Op& op) {
  return op.type == isa::Type::B128;
}

}  // namespace

// Each element of a vector separately.
void Machine::atomic(Thread& thread, const Op& op) {
  const std::uint32_t bytes = op.bytes;
  const std::uint32_t elements = isWideSwap(op) ? 1 : op.count;
  const std::uint32_t size = bytes * elements;
  const Place place = resolve(thread, op, op.space, addressOf(thread, op), size, true);
  if (place.segment == nullptr) fault(FindingKind::OutOfBounds, op, "an atomic on private memory");
  const auto operation = static_cast<AtomicOperation>(op.detail);
  const std::uint32_t* const d = thread.code->lists.data() + op.index;
  const std::uint32_t* const b = d + op.count;
  const std::uint32_t* const c = b + op.count;
  if (options_.detectsRaces && place.segment->shadow != nullptr) {
    const isa::Semantics semantics =
        isStrong(op.semantics) ? op.semantics : isa::Semantics::Relaxed;
    const isa::Scope scope = scopeOf(op);
    const Home home = homeOf(thread);
    if (operation != AtomicOperation::Exchange) checkInitialised(thread, op, place, size);
    check(thread, op, place, size, true, true);
    for (std::uint32_t k = 0; k < elements; ++k) {
      ReleaseSet& location = place.segment->shadow->released(place.offset + k * bytes);
      // A reduction returns nothing, so it never begins an acquire pattern (docs/soundness/
      // A3.3).
      if (!op.is(kIsReduction)) strongRead(thread.clock, &location, home, semantics, scope);
      strongWrite(thread.clock, location, home, semantics, scope, true);
    }
  }
  if (isWideSwap(op)) {
    static std::mutex wide;  // against each other; not every host has such an instruction
    const std::lock_guard lock(wide);
    std::uint64_t old[2];
    std::memcpy(old, place.data, sizeof old);
    const bool stores = operation == AtomicOperation::Exchange ||
                        (old[0] == thread.frame[b[0]] && old[1] == thread.frame[b[1]]);
    const std::uint64_t value[2] = {thread.frame[c[0]], thread.frame[c[1]]};
    if (stores) std::memcpy(place.data, value, sizeof value);
    for (std::uint32_t k = 0; k < 2; ++k) thread.frame[d[k]] = old[k];
    return;
  }
  // atom.add.f32 on global memory flushes subnormal numbers unless it has .noftz.
  const bool flushes = place.segment != &thread.cta->shared && !op.origin->desc->has(".noftz");
  for (std::uint32_t k = 0; k < elements; ++k) {
    const int width = static_cast<int>(bytes) * 8;
    const std::uint64_t left = truncated(thread.frame[b[k]], width);
    const std::uint64_t right = truncated(thread.frame[c[k]], width);
    std::uint8_t* const at = place.data + k * bytes;
    const auto next = [&](std::uint64_t old) {
      const auto result = combine(operation, op.type, old, left, right, flushes);
      if (!result) {
        fault(FindingKind::Unsupported, op,
              "'" + std::string(op.origin->desc->mnemonic) + "' is not supported");
      }
      return *result;
    };
    std::uint64_t old = 0;
    if (isConcurrent(place)) {
      old = updateConcurrent(at, bytes, next);
    } else {
      std::memcpy(&old, at, bytes);
      const std::uint64_t value = next(old);
      std::memcpy(at, &value, bytes);
    }
    thread.frame[d[k]] = widen(op.type, old, op.width);
  }
}

bool Machine::fill(Thread& thread, const Op& op) {
  const std::uint64_t address = addressOf(thread, op);
  const std::uint64_t size = thread.frame[op.c];
  constexpr std::uint64_t kLargest = 1u << 24;
  if (size == 0) return false;
  if (size > kLargest) fault(FindingKind::OutOfBounds, op, "a size of more than 16 MiB");
  constexpr std::uint32_t kPiece = 8;
  if (size % kPiece != 0) {
    fault(FindingKind::Misaligned, op, "a size of " + std::to_string(size) + " bytes");
  }
  for (std::uint64_t at = 0; at < size; at += kPiece) {
    const Place place = resolve(thread, op, op.space, address + at, kPiece, true);
    if (place.segment != nullptr && options_.detectsRaces) {
      check(thread, op, place, kPiece, true, false);
    }
    std::memset(place.data, op.detail, kPiece);
  }
  return true;
}

void Machine::moveStack(Thread& thread, const Op& op) {
  const Frame r = thread.frame;
  switch (static_cast<StackKind>(op.detail)) {
    case StackKind::Save:
      r[op.d] = thread.localTop;
      break;
    case StackKind::Restore:
      if (r[op.a] < thread.localBase + thread.code->localBytes || r[op.a] > thread.localTop) {
        fault(FindingKind::OutOfBounds, op,
              "stackrestore to a value that stacksave did not return");
      }
      thread.localTop = r[op.a];
      break;
    case StackKind::Allocate: {
      const std::uint64_t begin = alignUp(thread.localTop, r[op.b]);
      if (r[op.a] > kMostLocal - std::min(begin, kMostLocal)) {
        fault(FindingKind::OutOfBounds, op, "the stack is full");
      }
      r[op.d] = begin;
      thread.localTop = begin + r[op.a];
      break;
    }
  }
}

std::string Machine::readString(Thread& thread, const Op& op, std::uint64_t address) {
  constexpr std::size_t kLimit = 1u << 16;
  std::string text;
  while (text.size() < kLimit) {
    const Place place = resolve(thread, op, Space::None, address + text.size(), 1, false);
    if (*place.data == 0) break;
    text += static_cast<char>(*place.data);
  }
  return text;
}

}  // namespace ptxopt::interp
