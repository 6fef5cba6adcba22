// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel as a tree whose addresses, conditions and pointers are known for every thread.
//
// What a kernel computes with (numbers, predicates and pointers, but not the data that it moves) is
// executed here, thread by thread, without PTX.  So it is known which bytes every thread touches,
// whatever guards, tables and memory an address came through, and which threads come where.  From
// that follows which accesses race, where a barrier helps, and which barriers are needed.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptxopt::fuzz {

inline constexpr std::size_t kMostThreads = 256;  // of a grid
using Mask = std::bitset<kMostThreads>;           // threads of the grid

struct TrackedMemory {
  enum class Where : std::uint8_t { Shared, Global, Local, Constant };
  std::string name;
  Where where = Where::Shared;
  std::uint32_t bytes = 0;
  bool isReadOnly = false;
  // Of the bytes from the beginning on; of all others nothing is known but that the host wrote
  // them, unless the memory is .shared or .local, which nobody did.
  std::vector<std::uint8_t> contents{};
};

// A pointer as a number: adding to it moves it, as it does to the address.
struct PointerValue {
  static constexpr std::uint32_t kOwn = 0;  // the shared memory of the CTA that executes
  std::size_t memory = 0;
  std::uint32_t place = kOwn;  // otherwise the rank in the cluster, plus 1
  std::int64_t offset = 0;
  std::uint64_t encoded() const;
  static std::optional<PointerValue> decoded(std::uint64_t value);
};

using TrackedId = std::size_t;

struct Node;
using NodePtr = std::unique_ptr<Node>;
struct NodeList {
  std::vector<NodePtr> nodes;
  Node* owner = nullptr;
  bool isOpen = true;         // its nodes are part of the text
  bool takesBarriers = true;  // may be put in
  // As far as executions have shown: all threads of each CTA, or of each cluster, come here, or
  // none.
  bool isWholeCta = true;
  bool isWholeCluster = true;
};

// The tracked values of a thread while an instruction computes.
class ThreadValues {
 public:
  virtual ~ThreadValues() = default;
  virtual std::uint64_t get(TrackedId id) const = 0;
  virtual void set(TrackedId id, std::uint64_t value) = 0;
  virtual std::uint32_t thread() const = 0;  // in the grid
};

struct Node {
  enum class Kind : std::uint8_t {
    Text,    // nothing that is tracked
    Define,  // `compute`
    Load,    // of `address`
    Store,
    Add,      // an atomic addition whose old value nobody sees
    Barrier,  // of the CTA
    ClusterBarrier,
    Together,  // synchronises by itself: all threads that are left in the CTA come, or none
    If,        // lists 0 and 1
    Loop,      // list 0
    Break,     // leaves the innermost loop
    Exit,
    Split,  // lists 0 and 1, a barrier in each, lists 2 and 3
    Group,  // list 0; a call, or a scope
  } kind = Kind::Text;
  std::vector<std::string> lines{};     // all there is to print, or what comes before the lists
  std::vector<std::string> middle{};    // between the first two
  std::vector<std::string> last{};      // after all
  std::vector<std::string> barriers{};  // of a Split, one in each arm
  std::optional<TrackedId> guard{};
  bool isNegated = false;

  // Define: nothing happens where a source is not defined.
  std::vector<TrackedId> sources{};
  std::vector<TrackedId> results{};
  std::function<void(ThreadValues&)> compute{};

  // accesses
  TrackedId address = 0;
  std::int64_t offset = 0;
  std::uint32_t width = 4;          // bytes in all
  std::vector<TrackedId> stored{};  // otherwise data; equal parts of the width
  std::vector<TrackedId> loaded{};
  bool shows = false;  // what a load reads goes into the sum of the thread

  // Loop
  TrackedId counter = 0;
  std::optional<TrackedId> bound{};
  std::uint32_t rounds = 1;  // where there is no bound
  bool testsFirst = false;

  bool isFixed = false;   // a barrier: not to be deleted
  bool isWhole = false;   // Together: nobody has ended
  bool isNeeded = false;  // a barrier, or a store
  bool isDropped = false;
  std::vector<NodeList> lists{};
  NodeList* within = nullptr;
};

struct RulePlan {
  std::uint32_t threads = 32;  // of a CTA
  std::uint32_t ctas = 1;
  std::uint32_t cluster = 1;
  std::vector<TrackedMemory> memories;
  std::size_t values = 0;
  // What has a value from the start: names of variables.
  std::vector<std::pair<TrackedId, std::uint64_t>> names;
  NodeList body;
  bool hasOtherSync = false;  // so what barriers order may be ordered anyway

  std::uint32_t total() const { return threads * ctas; }
  // Puts barriers in, and drops what they do not help, until nothing races and nothing is accessed
  // that is not there.  `barrier`: its line.
  void repair(const std::function<std::string(bool ofCluster)>& barrier);
  void dropBarriers(const std::function<bool()>& chooses);
  // Barriers without which something races; stores whose data is loaded for the sum.
  void markNeeded();
};

class RuleExecution {
 public:
  explicit RuleExecution(const RulePlan& plan);

  struct Problem {
    Node* node = nullptr;
    bool isRace = false;
    bool ofCluster = false;  // between two CTAs
  };
  // Stops at the first problem.
  std::optional<Problem> run(NodeList& list, const Mask& mask, const Node* without = nullptr);

  const Mask& alive() const { return alive_; }
  bool isDefined(TrackedId id, const Mask& mask) const { return (mask & ~defined_[id]).none(); }
  std::uint64_t value(TrackedId id, std::size_t thread) const { return values_[id][thread]; }
  // For those that make plans as they execute them.
  void addValue();
  void set(TrackedId id, const Mask& mask, std::uint64_t value);
  // The threads of the mask for which the predicate holds.
  Mask where(TrackedId predicate, const Mask& mask) const;
  bool isWholeCtas(const Mask& mask) const;
  bool isWholeClusters(const Mask& mask) const;
  // Is the address of an access in bounds, aligned and, for a load into tracked values, known?
  bool isGood(const Node& access, const Mask& mask) const;
  bool collides(const Node& access, const Mask& mask) const;  // with itself
  // Goes on whatever happens.
  void step(Node& node, const Mask& mask);
  void runLeniently(NodeList& list, const Mask& mask);

 private:
  struct Record {
    std::uint32_t thread;
    std::uint32_t ctaEpoch;
    std::uint32_t clusterEpoch;
    Node::Kind kind;
  };
  struct Byte {
    std::vector<Record> records{};
    Node* writer = nullptr;
    std::uint8_t value = 0;
    bool isKnown = false;
    bool isWritten = false;
  };
  struct Values;
  using Instance = std::vector<Byte>;

  std::uint32_t ctaOf(std::size_t thread) const {
    return static_cast<std::uint32_t>(thread) / plan_.threads;
  }
  std::uint32_t clusterOf(std::size_t thread) const { return ctaOf(thread) / plan_.cluster; }
  // The bytes of an access by one thread; null: none of the memory.
  const Byte* bytesAt(const Node& access, std::size_t thread) const;
  bool isOrdered(const Record& record, std::size_t thread) const;
  void runList(NodeList& list, const Mask& mask);
  void runNode(Node& node, const Mask& mask);
  void runLoop(Node& node, const Mask& mask);
  void access(Node& node, const Mask& mask);
  void touch(Node& node, std::size_t thread, Byte* bytes);
  void barrier(Node& node, const Mask& mask);
  void clusterBarrier(Node& node, const Mask& mask);
  void split(Node& node, const Mask& mask);

  const RulePlan& plan_;
  const Node* without_ = nullptr;
  bool isLenient_ = false;
  std::vector<std::vector<std::uint64_t>> values_;
  std::vector<Mask> defined_;
  Mask alive_;
  std::vector<Mask> broken_;  // of the loops around
  std::vector<std::uint32_t> ctaEpochs_;
  std::vector<std::uint32_t> clusterEpochs_;
  std::vector<std::uint32_t> exitEpochs_;  // of threads
  std::vector<std::vector<Instance>> memories_;
};

}  // namespace ptxopt::fuzz
