#include "support/shared_set.h"

#include <algorithm>
#include <bit>

namespace ptxopt {

namespace {

// A multiplicative hash whose high bits are mixed into the low ones, which choose the slot.
std::uint64_t mixed(std::uint64_t hash) {
  hash *= 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}
std::uint64_t hashOf(std::uint64_t leaf) {
  return mixed(leaf);
}
template <std::size_t kSize>
std::uint64_t hashOf(const std::array<std::uint32_t, kSize>& node) {
  std::uint64_t hash = 0;
  for (const std::uint32_t child : node) hash = mixed(hash + child + 1);
  return hash;
}

}  // namespace

// ---- the table ---------------------------------------------------------------------------------

template <class Node>
SharedSetPool::Table<Node>::Table() : nodes_(1), slots_(64) {}  // node 0 stands for "empty"

template <class Node>
SharedSetPool::NodeId SharedSetPool::Table<Node>::intern(const Node& node) {
  if (node == nodes_[0]) return 0;
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hashOf(node) & mask;
  while (slots_[slot] != 0) {
    if (nodes_[slots_[slot]] == node) return slots_[slot];
    slot = (slot + 1) & mask;
  }
  const NodeId id = static_cast<NodeId>(nodes_.size());
  slots_[slot] = id;
  nodes_.push_back(node);
  if (nodes_.size() * 2 > slots_.size()) grow();
  return id;
}

template <class Node>
void SharedSetPool::Table<Node>::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (NodeId id = 1; id < nodes_.size(); ++id) {
    std::size_t slot = hashOf(nodes_[id]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id;
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
