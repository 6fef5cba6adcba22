// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rule_plan.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ptxopt::fuzz {

namespace {

constexpr unsigned kMemoryShift = 48;
constexpr unsigned kPlaceShift = 40;
constexpr std::uint64_t kPlaceMask = 0xff;
constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kPlaceShift) - 1;
constexpr std::int64_t kMiddle = std::int64_t{1} << (kPlaceShift - 1);
constexpr std::uint32_t kMostRounds = 8;
constexpr int kMostRepairs = 2000;

bool writes(Node::Kind kind) {
  return kind != Node::Kind::Load;
}

bool isAccess(const Node& node) {
  return node.kind == Node::Kind::Load || node.kind == Node::Kind::Store ||
         node.kind == Node::Kind::Add;
}

// Of all nodes below.
template <class Do>
void each(NodeList& list, Do&& act) {
  for (const NodePtr& node : list.nodes) {
    act(*node);
    for (NodeList& inner : node->lists) each(inner, act);
  }
}

}  // namespace

std::uint64_t PointerValue::encoded() const {
  return (std::uint64_t{memory} + 1) << kMemoryShift | std::uint64_t{place} << kPlaceShift |
         static_cast<std::uint64_t>(offset + kMiddle);
}

std::optional<PointerValue> PointerValue::decoded(std::uint64_t value) {
  const std::uint64_t memory = value >> kMemoryShift;
  if (memory == 0) return std::nullopt;
  return PointerValue{memory - 1, static_cast<std::uint32_t>(value >> kPlaceShift & kPlaceMask),
                      static_cast<std::int64_t>(value & kOffsetMask) - kMiddle};
}

// ---- execution ---------------------------------------------------------------------------------

struct RuleExecution::Values : ThreadValues {
  Values(RuleExecution& execution, std::size_t thread) : of(execution), number(thread) {}
  std::uint64_t get(TrackedId id) const override { return of.values_[id][number]; }
  void set(TrackedId id, std::uint64_t value) override {
    of.values_[id][number] = value;
    of.defined_[id].set(number);
  }
  std::uint32_t thread() const override { return static_cast<std::uint32_t>(number); }
  RuleExecution& of;
  std::size_t number;
};

RuleExecution::RuleExecution(const RulePlan& plan)
    : plan_(plan),
      ctaEpochs_(plan.ctas),
      clusterEpochs_(plan.ctas / plan.cluster),
      exitEpochs_(plan.total()) {
  for (std::size_t k = 0; k < plan.values; ++k) addValue();
  for (std::size_t t = 0; t < plan.total(); ++t) alive_.set(t);
  for (const auto& [id, value] : plan.names) set(id, alive_, value);
  for (const TrackedMemory& memory : plan.memories) {
    const bool isPrivate = memory.where == TrackedMemory::Where::Local;
    const bool isShared = memory.where == TrackedMemory::Where::Shared;
    Instance bytes(memory.bytes);
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      bytes[k].isWritten = !isPrivate && !isShared;
      if (k >= memory.contents.size()) continue;
      bytes[k].value = memory.contents[k];
      bytes[k].isKnown = true;
    }
    memories_.emplace_back(isPrivate ? plan.total() : isShared ? plan.ctas : 1, bytes);
  }
}

void RuleExecution::addValue() {
  values_.emplace_back(plan_.total());
  defined_.emplace_back();
}

void RuleExecution::set(TrackedId id, const Mask& mask, std::uint64_t value) {
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    if (mask[t]) values_[id][t] = value;
  }
  defined_[id] |= mask;
}

Mask RuleExecution::where(TrackedId predicate, const Mask& mask) const {
  Mask result;
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    if (mask[t] && values_[predicate][t] != 0) result.set(t);
  }
  return result;
}

bool RuleExecution::isWholeCtas(const Mask& mask) const {
  for (std::size_t cta = 0; cta < plan_.ctas; ++cta) {
    bool all = true;
    bool none = true;
    for (std::size_t t = cta * plan_.threads; t < (cta + 1) * plan_.threads; ++t) {
      if (!alive_[t]) continue;
      (mask[t] ? none : all) = false;
    }
    if (!all && !none) return false;
  }
  return true;
}

bool RuleExecution::isWholeClusters(const Mask& mask) const {
  const std::size_t size = std::size_t{plan_.threads} * plan_.cluster;
  for (std::size_t begin = 0; begin < plan_.total(); begin += size) {
    bool all = true;
    bool none = true;
    for (std::size_t t = begin; t < begin + size; ++t) (mask[t] ? none : all) = false;
    if (!all && !none) return false;
  }
  return true;
}

const RuleExecution::Byte* RuleExecution::bytesAt(const Node& node, std::size_t thread) const {
  if (!defined_[node.address][thread]) return nullptr;
  const auto pointer = PointerValue::decoded(values_[node.address][thread]);
  if (!pointer || pointer->memory >= plan_.memories.size()) return nullptr;
  const TrackedMemory& memory = plan_.memories[pointer->memory];
  const std::int64_t at = pointer->offset + node.offset;
  if (at < 0 || at + node.width > memory.bytes || at % node.width != 0) return nullptr;
  if (memory.isReadOnly && writes(node.kind)) return nullptr;
  std::size_t instance = 0;
  if (memory.where == TrackedMemory::Where::Local) instance = thread;
  if (memory.where == TrackedMemory::Where::Shared) {
    instance = pointer->place == PointerValue::kOwn
                   ? ctaOf(thread)
                   : std::size_t{clusterOf(thread)} * plan_.cluster + pointer->place - 1;
  }
  if (instance >= memories_[pointer->memory].size()) return nullptr;
  return &memories_[pointer->memory][instance][static_cast<std::size_t>(at)];
}

bool RuleExecution::isOrdered(const Record& record, std::size_t thread) const {
  if (record.thread == thread) return true;
  // An end orders nothing by itself.
  if (!alive_[record.thread] && record.ctaEpoch == exitEpochs_[record.thread]) return false;
  const bool isSameCluster = clusterOf(record.thread) == clusterOf(thread);
  if (isSameCluster && record.clusterEpoch != clusterEpochs_[clusterOf(thread)]) return true;
  return ctaOf(record.thread) == ctaOf(thread) && record.ctaEpoch != ctaEpochs_[ctaOf(thread)];
}

bool RuleExecution::isGood(const Node& node, const Mask& mask) const {
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    if (!mask[t]) continue;
    const Byte* bytes = bytesAt(node, t);
    if (bytes == nullptr) return false;
    for (const TrackedId id : node.stored) {
      if (!defined_[id][t]) return false;
    }
    if (node.kind == Node::Kind::Store) continue;
    for (std::uint32_t k = 0; k < node.width; ++k) {
      if (!bytes[k].isWritten) return false;
      if (!node.loaded.empty() && !bytes[k].isKnown) return false;
    }
  }
  return true;
}

bool RuleExecution::collides(const Node& node, const Mask& mask) const {
  if (node.kind != Node::Kind::Store) return false;
  std::vector<const Byte*> begins;
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    if (mask[t]) begins.push_back(bytesAt(node, t));
  }
  // Bytes of one memory are in one array, and aligned: overlapping means equal.
  std::sort(begins.begin(), begins.end());
  return std::adjacent_find(begins.begin(), begins.end()) != begins.end();
}

std::optional<RuleExecution::Problem> RuleExecution::run(NodeList& list, const Mask& mask,
                                                         const Node* without) {
  without_ = without;
  try {
    runList(list, mask);
  } catch (const Problem& problem) {
    return problem;
  }
  return std::nullopt;
}

void RuleExecution::step(Node& node, const Mask& mask) {
  isLenient_ = true;
  try {
    runNode(node, mask);
  } catch (const Problem&) {
    // It is repaired later.
  }
}

void RuleExecution::runLeniently(NodeList& list, const Mask& mask) {
  isLenient_ = true;
  runList(list, mask);
}

void RuleExecution::runList(NodeList& list, const Mask& mask) {
  const Mask here = mask & alive_;
  if (!isWholeCtas(here)) list.isWholeCta = false;
  if (!isWholeClusters(here)) list.isWholeCluster = false;
  for (std::size_t k = 0; k < list.nodes.size(); ++k) {
    try {
      runNode(*list.nodes[k], broken_.empty() ? mask : mask & ~broken_.back());
    } catch (const Problem&) {
      if (!isLenient_) throw;
    }
  }
}

void RuleExecution::runNode(Node& node, const Mask& mask) {
  if (node.isDropped || &node == without_) return;
  Mask active = mask & alive_;
  if (active.none()) return;
  const Mask all = active;
  if (node.guard) {
    if (!isDefined(*node.guard, active)) throw Problem{&node};
    const Mask holds = where(*node.guard, active);
    active = node.isNegated ? active & ~holds : holds;
  }
  switch (node.kind) {
    case Node::Kind::Text:
      return;
    case Node::Kind::Define:
      for (const TrackedId source : node.sources) {
        if (!isDefined(source, active)) throw Problem{&node};
      }
      for (std::size_t t = 0; t < plan_.total(); ++t) {
        if (!active[t]) continue;
        Values values(*this, t);
        node.compute(values);
      }
      return;
    case Node::Kind::Load:
    case Node::Kind::Store:
    case Node::Kind::Add:
      return access(node, active);
    case Node::Kind::Barrier:
      return barrier(node, active);
    case Node::Kind::ClusterBarrier:
      return clusterBarrier(node, active);
    case Node::Kind::Together:
      if (!isWholeCtas(active)) throw Problem{&node};
      for (std::size_t t = 0; node.isWhole && t < plan_.total(); ++t) {
        if (!alive_[t]) throw Problem{&node};
      }
      return;
    case Node::Kind::If:
      runList(node.lists[0], active);
      runList(node.lists[1], all & ~active);
      return;
    case Node::Kind::Loop:
      return runLoop(node, active);
    case Node::Kind::Break:
      broken_.back() |= active;
      return;
    case Node::Kind::Exit:
      for (std::size_t t = 0; t < plan_.total(); ++t) {
        if (active[t]) exitEpochs_[t] = ctaEpochs_[ctaOf(t)];
      }
      alive_ &= ~active;
      return;
    case Node::Kind::Split:
      return split(node, all);
    case Node::Kind::Group:
      return runList(node.lists[0], active);
  }
}

void RuleExecution::runLoop(Node& node, const Mask& mask) {
  if (node.bound && !isDefined(*node.bound, mask)) throw Problem{&node};
  set(node.counter, mask, 0);
  broken_.emplace_back(broken_.empty() ? Mask() : broken_.back());
  Mask going = mask;
  const auto test = [&] {
    for (std::size_t t = 0; t < plan_.total(); ++t) {
      const std::uint64_t bound = node.bound ? values_[*node.bound][t] : node.rounds;
      if (values_[node.counter][t] >= bound) going.reset(t);
    }
  };
  for (std::uint32_t round = 0; going.any(); ++round) {
    if (node.testsFirst) test();
    if (going.any() && round == kMostRounds) {
      broken_.pop_back();
      throw Problem{&node};
    }
    try {
      runList(node.lists[0], going);
    } catch (...) {
      broken_.pop_back();
      throw;
    }
    going &= alive_ & ~broken_.back();
    for (std::size_t t = 0; t < plan_.total(); ++t) {
      if (going[t]) ++values_[node.counter][t];
    }
    if (!node.testsFirst) test();
  }
  broken_.pop_back();
}

void RuleExecution::access(Node& node, const Mask& mask) {
  if (!isGood(node, mask)) throw Problem{&node};
  std::vector<std::pair<std::size_t, Byte*>> all;
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    if (mask[t]) all.emplace_back(t, const_cast<Byte*>(bytesAt(node, t)));  // NOLINT: own memory
  }
  for (const auto& [thread, bytes] : all) touch(node, thread, bytes);
}

void RuleExecution::touch(Node& node, std::size_t thread, Byte* bytes) {
  const auto number = static_cast<std::uint32_t>(thread);
  const Record mine{number, ctaEpochs_[ctaOf(thread)], clusterEpochs_[clusterOf(thread)],
                    node.kind};
  std::uint64_t loaded = 0;
  const std::size_t part = node.loaded.empty() ? node.width : node.width / node.loaded.size();
  for (std::uint32_t k = 0; k < node.width; ++k) {
    Byte& byte = bytes[k];
    for (const Record& record : byte.records) {
      const bool mayMeet = record.kind == node.kind && node.kind != Node::Kind::Store;
      if (isLenient_ || mayMeet || isOrdered(record, thread)) continue;
      throw Problem{&node, true, ctaOf(record.thread) != ctaOf(thread)};
    }
    if (node.kind == Node::Kind::Store) byte.records.clear();
    const bool isThere =
        std::any_of(byte.records.begin(), byte.records.end(), [&](const Record& record) {
          return record.thread == mine.thread && record.kind == mine.kind &&
                 record.ctaEpoch == mine.ctaEpoch && record.clusterEpoch == mine.clusterEpoch;
        });
    if (!isThere) byte.records.push_back(mine);
    switch (node.kind) {
      case Node::Kind::Load: {
        if (node.shows && byte.writer != nullptr) byte.writer->isNeeded = true;
        if (node.loaded.empty()) break;  // and its elements may have 16 bytes
        loaded |= std::uint64_t{byte.value} << (8 * (k % part));
        if (k % part == part - 1) {
          Values(*this, thread).set(node.loaded[k / part], std::exchange(loaded, 0));
        }
        break;
      }
      case Node::Kind::Store:
        byte.isWritten = true;
        byte.isKnown = !node.stored.empty();
        byte.writer = byte.isKnown || node.width < 4 ? nullptr : &node;
        if (byte.isKnown) {
          const std::size_t each = node.width / node.stored.size();
          byte.value =
              static_cast<std::uint8_t>(values_[node.stored[k / each]][thread] >> (8 * (k % each)));
        }
        break;
      default:
        byte.isKnown = false;
        byte.writer = nullptr;
        break;
    }
  }
}

void RuleExecution::barrier(Node& node, const Mask& mask) {
  if (!isWholeCtas(mask)) throw Problem{&node};
  for (std::size_t t = 0; t < plan_.total(); t += plan_.threads) {
    for (std::size_t u = t; u < t + plan_.threads; ++u) {
      if (!mask[u]) continue;
      ++ctaEpochs_[ctaOf(u)];
      break;
    }
  }
}

void RuleExecution::clusterBarrier(Node& node, const Mask& mask) {
  if (!isWholeClusters(mask)) throw Problem{&node};
  const std::size_t size = std::size_t{plan_.threads} * plan_.cluster;
  for (std::size_t t = 0; t < plan_.total(); t += size) {
    if (mask[t]) ++clusterEpochs_[clusterOf(t)];
  }
}

void RuleExecution::split(Node& node, const Mask& mask) {
  const Mask holds = where(*node.guard, mask);
  const Mask first = node.isNegated ? mask & ~holds : holds;
  const Mask second = mask & ~first;
  runList(node.lists[0], first);
  runList(node.lists[1], second);
  barrier(node, mask);
  runList(node.lists[2], first);
  runList(node.lists[3], second);
}

// ---- repair ------------------------------------------------------------------------------------

namespace {

Mask everybody(const RulePlan& plan) {
  Mask all;
  for (std::size_t t = 0; t < plan.total(); ++t) all.set(t);
  return all;
}

void link(NodeList& list, Node* owner) {
  list.owner = owner;
  for (const NodePtr& node : list.nodes) {
    node->within = &list;
    for (NodeList& inner : node->lists) link(inner, node.get());
  }
}

// Before the node, or of what it is in; false if there is one already, or no place.
bool putBarrier(Node& node, bool ofCluster,
                const std::function<std::string(bool ofCluster)>& barrier) {
  const Node::Kind kind = ofCluster ? Node::Kind::ClusterBarrier : Node::Kind::Barrier;
  Node* at = &node;
  while (!at->within->isOpen || !at->within->takesBarriers ||
         !(ofCluster ? at->within->isWholeCluster : at->within->isWholeCta)) {
    at = at->within->owner;
    if (at == nullptr) return false;
  }
  std::vector<NodePtr>& nodes = at->within->nodes;
  const auto place = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const NodePtr& each) { return each.get() == at; });
  if (place != nodes.begin() && (*(place - 1))->kind == kind && !(*(place - 1))->isDropped) {
    return false;
  }
  auto made = std::make_unique<Node>();
  made->kind = kind;
  made->lines.push_back(barrier(ofCluster));
  nodes.insert(place, std::move(made));
  return true;
}

// A call is one instruction: all of it goes.
void drop(Node& node) {
  Node* at = &node;
  for (NodeList* list = node.within; list != nullptr && list->owner != nullptr;
       list = list->owner->within) {
    if (!list->isOpen && list->owner->kind == Node::Kind::Group) at = list->owner;
  }
  at->isDropped = true;
}

}  // namespace

void RulePlan::repair(const std::function<std::string(bool ofCluster)>& barrier) {
  for (int k = 0; k < kMostRepairs; ++k) {
    link(body, nullptr);
    RuleExecution execution(*this);
    const auto problem = execution.run(body, everybody(*this));
    if (!problem) return;
    Node& node = *problem->node;
    // It was put where it seemed that all come.
    if (node.kind == Node::Kind::Barrier) node.within->isWholeCta = false;
    if (node.kind == Node::Kind::ClusterBarrier) node.within->isWholeCluster = false;
    if (!problem->isRace || !putBarrier(node, problem->ofCluster, barrier)) drop(node);
  }
  throw std::logic_error("a plan cannot be repaired");
}

void RulePlan::dropBarriers(const std::function<bool()>& chooses) {
  each(body, [&](Node& node) {
    if (node.kind == Node::Kind::Barrier && !node.isFixed && chooses()) node.isDropped = true;
  });
}

void RulePlan::markNeeded() {
  each(body, [](Node& node) { node.isNeeded = false; });
  RuleExecution execution(*this);
  execution.run(body, everybody(*this));
  if (hasOtherSync) return;
  std::vector<Node*> stores;
  std::vector<Node*> barriers;
  each(body, [&](Node& node) {
    if (node.isNeeded && isAccess(node)) stores.push_back(&node);
    if (node.kind == Node::Kind::Barrier && !node.isDropped && !node.isFixed) {
      barriers.push_back(&node);
    }
  });
  for (Node* barrier : barriers) {
    RuleExecution other(*this);
    const auto problem = other.run(body, everybody(*this), barrier);
    barrier->isNeeded = problem && problem->isRace;
  }
  // Those runs have marked stores that matter without the barrier only.
  each(body, [](Node& node) {
    if (isAccess(node)) node.isNeeded = false;
  });
  for (Node* store : stores) store->isNeeded = true;
}

}  // namespace ptxopt::fuzz
