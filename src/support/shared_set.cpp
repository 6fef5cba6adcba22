// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/shared_set.h"

#include <algorithm>
#include <bit>

namespace ptxopt {

namespace {

// Two multiplications, so that every bit of the input reaches the low bits, which choose the slot
// (the finalizer of Steele, Lea and Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ hash >> 27) * 0x94D049BB133111EBu;
  return hash ^ hash >> 31;
}
std::uint32_t hashOf(std::uint64_t leaf) {
  return static_cast<std::uint32_t>(mixed(leaf));
}
template <std::size_t kSize>
std::uint32_t hashOf(const std::array<std::uint32_t, kSize>& node) {
  std::uint64_t hash = 0;
  for (std::size_t k = 0; k < kSize; k += 2) {
    const std::uint64_t pair = std::uint64_t{node[k]} << 32 | node[k + 1];
    hash = std::rotl(hash ^ pair, 23) * 0x9E3779B97F4A7C15u;
  }
  return static_cast<std::uint32_t>(mixed(hash));
}

}  // namespace

// ---- the table ---------------------------------------------------------------------------------

template <class Node>
SharedSetPool::Table<Node>::Table() : nodes_(1), slots_(64) {}  // node 0 stands for "empty"

template <class Node>
SharedSetPool::NodeId SharedSetPool::Table<Node>::intern(const Node& node) {
  if (node == nodes_[0]) return 0;
  const std::uint32_t hash = hashOf(node);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].id != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && nodes_[slots_[at].id] == node) return slots_[at].id;
  }
  const NodeId id = static_cast<NodeId>(nodes_.size());
  slots_[at] = {hash, id};
  nodes_.push_back(node);
  if (nodes_.size() * 2 > slots_.size()) grow();
  return id;
}

template <class Node>
void SharedSetPool::Table<Node>::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

// ---- the pool ----------------------------------------------------------------------------------

SharedSetPool::SharedSetPool(std::size_t universe) : universe_(universe) {
  while (universe > std::uint64_t{1} << shiftOf(rootLevel_)) ++rootLevel_;
}

SharedSetPool::NodeId SharedSetPool::combine(Operation operation, NodeId a, NodeId b,
                                             unsigned level) {
  switch (operation) {
    case Operation::Unite:
      if (a == b || b == 0) return a;
      if (a == 0) return b;
      break;
    case Operation::Intersect:
      if (a == b) return a;
      if (a == 0 || b == 0) return 0;
      break;
    case Operation::Subtract:
      if (a == b) return 0;
      if (a == 0 || b == 0) return a;
      break;
  }
  if (level == 0) {
    const std::uint64_t left = leaves_[a];
    const std::uint64_t right = leaves_[b];
    switch (operation) {
      case Operation::Unite:
        return leaves_.intern(left | right);
      case Operation::Intersect:
        return leaves_.intern(left & right);
      case Operation::Subtract:
        return leaves_.intern(left & ~right);
    }
  }
  // Copies: what is interned below may move the nodes.
  const Inner left = inner_[a];
  const Inner right = inner_[b];
  Inner result;
  for (std::size_t k = 0; k < kBranches; ++k) {
    result[k] = combine(operation, left[k], right[k], level - 1);
  }
  return inner_.intern(result);
}

SharedSetPool::NodeId SharedSetPool::fromList(std::span<const std::uint32_t> elements,
                                              std::uint64_t first, unsigned level) {
  if (elements.empty()) return 0;
  if (level == 0) {
    std::uint64_t word = 0;
    for (const std::uint32_t element : elements) word |= std::uint64_t{1} << (element - first);
    return leaves_.intern(word);
  }
  const std::uint64_t width = std::uint64_t{1} << shiftOf(level - 1);
  Inner result = {};
  while (!elements.empty()) {
    const std::uint64_t k = (elements.front() - first) / width;
    const std::uint64_t start = first + k * width;
    const auto end = std::ranges::lower_bound(elements, start + width);
    const auto below = static_cast<std::size_t>(end - elements.begin());
    result[k] = fromList(elements.first(below), start, level - 1);
    elements = elements.subspan(below);
  }
  return inner_.intern(result);
}

SharedSetPool::NodeId SharedSetPool::full(std::uint64_t count, unsigned level) {
  if (count == 0) return 0;
  if (level == 0) return leaves_.intern(~std::uint64_t{0} >> (64 - count));
  const std::uint64_t width = std::uint64_t{1} << shiftOf(level - 1);
  // All children that are full are the same node.
  const NodeId whole = count >= width ? full(width, level - 1) : 0;
  Inner result = {};
  std::size_t k = 0;
  for (; count >= width; count -= width) result[k++] = whole;
  if (count > 0) result[k] = full(count, level - 1);
  return inner_.intern(result);
}

bool SharedSetPool::test(NodeId node, std::size_t k) const {
  for (unsigned level = rootLevel_; level > 0; --level) {
    node = inner_[node][k >> shiftOf(level - 1) & (kBranches - 1)];
  }
  return (leaves_[node] >> (k & 63) & 1) != 0;
}

std::size_t SharedSetPool::count(NodeId node, unsigned level) const {
  if (node == 0) return 0;
  if (level == 0) return static_cast<std::size_t>(std::popcount(leaves_[node]));
  std::size_t sum = 0;
  for (const NodeId child : inner_[node]) sum += count(child, level - 1);
  return sum;
}

}  // namespace ptxopt
