// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of small numbers that share common parts: for many large sets over a universe so large that
// a bit for each number and set would take too much memory.
//
// A set is a trie of 64-bit leaves and inner nodes with eight children, and every distinct node is
// stored once (hash consing).  So equal sets are the same node, a set that differs from another in
// few places costs one path of nodes for each difference, and a run of any length costs two paths.
// The sets of successive blocks of a function are of this kind.
//
// Source of the idea: Filliâtre and Conchon, "Type-Safe Modular Hash-Consing", 2006; Okasaki and
// Gill, "Fast Mergeable Integer Maps", 1998.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ptxopt {

// Stores the nodes of SharedSets, which are freed together with the pool.  Not thread-safe: every
// operation on a set except reading may change its pool.  Memory: 8 bytes a leaf and 32 an inner
// node, and 16 to 32 to look either up.
class SharedSetPool {
 public:
  // For the numbers 0 .. universe-1.
  explicit SharedSetPool(std::size_t universe);

  std::size_t universe() const { return universe_; }
  std::size_t nodeCount() const { return inner_.size() + leaves_.size(); }

 private:
  friend class SharedSet;
  using NodeId = std::uint32_t;  // of a leaf or an inner node, depending on the level; 0: empty
  static constexpr unsigned kLeafBits = 6;
  static constexpr unsigned kBranchBits = 3;
  static constexpr std::size_t kBranches = std::size_t{1} << kBranchBits;
  using Inner = std::array<NodeId, kBranches>;
  enum class Operation : std::uint8_t { Unite, Intersect, Subtract };

  // Open addressing over the nodes in a vector.
  template <class Node>
  class Table {
   public:
    Table();
    NodeId intern(const Node& node);
    const Node& operator[](NodeId id) const { return nodes_[id]; }
    std::size_t size() const { return nodes_.size(); }

   private:
    struct Slot {
      std::uint32_t hash = 0;
      NodeId id = 0;
    };
    void grow();
    std::vector<Node> nodes_;
    std::vector<Slot> slots_;  // their number is a power of two; at most half are used
  };

  // A node at `level` represents 2^shiftOf(level) numbers; leaves are at level 0.
  static unsigned shiftOf(unsigned level) { return kLeafBits + level * kBranchBits; }
  NodeId combine(Operation operation, NodeId a, NodeId b, unsigned level);
  // `elements` must be ascending, and all within the node that starts at `first`.
  NodeId fromList(std::span<const std::uint32_t> elements, std::uint64_t first, unsigned level);
  NodeId full(std::uint64_t count, unsigned level);  // the numbers 0 .. count-1
  bool test(NodeId node, std::size_t k) const;
  std::size_t count(NodeId node, unsigned level) const;
  template <class Visitor>
  void forEach(NodeId node, std::size_t first, unsigned level, Visitor& visit) const {
    if (node == 0) return;
    if (level == 0) {
      for (std::uint64_t word = leaves_[node]; word != 0; word &= word - 1) {
        visit(first + static_cast<std::size_t>(std::countr_zero(word)));
      }
      return;
    }
    for (std::size_t k = 0; k < kBranches; ++k) {
      forEach(inner_[node][k], first + (k << shiftOf(level - 1)), level - 1, visit);
    }
  }

  std::size_t universe_;
  unsigned rootLevel_ = 0;
  Table<std::uint64_t> leaves_;
  Table<Inner> inner_;
};

// Has the interface of BitSet, as far as it supports it; 16 bytes.  Operations on two sets need the
// same pool.  They and == cost O(1) if the sets are equal, and O(log universe) for each difference.
// test() is O(log universe), a list costs that for each element, and count() and forEach() cost the
// size of the trie.
class SharedSet {
 public:
  explicit SharedSet(SharedSetPool& pool, bool full = false)
      : pool_(&pool), root_(full ? pool.full(pool.universe(), pool.rootLevel_) : 0) {}

  bool empty() const { return root_ == 0; }
  bool test(std::size_t k) const { return pool_->test(root_, k); }
  std::size_t count() const { return pool_->count(root_, pool_->rootLevel_); }
  // Calls visit(element) in ascending order.
  template <class Visitor>
  void forEach(Visitor&& visit) const {
    pool_->forEach(root_, 0, pool_->rootLevel_, visit);
  }

  // True if the set changed.
  bool set(std::size_t k) {
    const std::uint32_t element = static_cast<std::uint32_t>(k);
    return unite(std::span(&element, 1));
  }
  void clear() { root_ = 0; }
  bool unite(const SharedSet& other) { return apply(Operation::Unite, other.root_); }
  bool intersect(const SharedSet& other) { return apply(Operation::Intersect, other.root_); }
  bool subtract(const SharedSet& other) { return apply(Operation::Subtract, other.root_); }
  // Adds a list of elements, which must be ascending.  True if the set changed.
  bool unite(std::span<const std::uint32_t> elements) {
    return apply(Operation::Unite, pool_->fromList(elements, 0, pool_->rootLevel_));
  }
  bool subtract(std::span<const std::uint32_t> elements) {
    return apply(Operation::Subtract, pool_->fromList(elements, 0, pool_->rootLevel_));
  }

  friend bool operator==(const SharedSet&, const SharedSet&) = default;

 private:
  using Operation = SharedSetPool::Operation;
  bool apply(Operation operation, SharedSetPool::NodeId other) {
    const SharedSetPool::NodeId result = pool_->combine(operation, root_, other, pool_->rootLevel_);
    const bool changed = result != root_;
    root_ = result;
    return changed;
  }

  SharedSetPool* pool_;
  SharedSetPool::NodeId root_;
};

}  // namespace ptxopt
