// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sets that are kept up to date while barriers go, against a search of the whole graph for each
// question: on random graphs, with every removal that the answers allow:
// docs/soundness/ C2.1, C9.2.
#include "analysis/barriers/barrier_regions.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace ptxopt::analysis {
namespace {

using Node = BarrierRegions::Node;

struct Access {
  AccessKinds kinds;
  Place place;
  Ordered ordered;
};

// A copy of the graph that knows nothing of sets.
struct Model {
  struct NodeData {
    bool isBarrier = false;
    bool separates = false;
    std::vector<Access> accesses;
    EffectMarks marks = 0;
    std::vector<Node> successors, predecessors;
  };
  std::vector<NodeData> nodes;

  std::set<Node> reach(Node barrier, Direction d) const {
    std::set<Node> seen;
    const auto next = [&](Node n) {
      return d == Direction::Forward ? nodes[n].successors : nodes[n].predecessors;
    };
    std::vector<Node> work = next(barrier);
    while (!work.empty()) {
      const Node n = work.back();
      work.pop_back();
      if (nodes[n].separates || !seen.insert(n).second) continue;
      for (const Node m : next(n)) work.push_back(m);
    }
    return seen;
  }

  bool conflicts(Node barrier, AccessClasses& classes) const {
    const std::set<Node> above = reach(barrier, Direction::Backward);
    const std::set<Node> below = reach(barrier, Direction::Forward);
    const auto anyAccess = [&](const std::set<Node>& of, bool isAbove) {
      for (const Node n : of) {
        for (const Access& a : nodes[n].accesses) {
          if (!isAbove || a.ordered == Ordered::Both) return true;
        }
      }
      return false;
    };
    EffectMarks up = 0;
    EffectMarks down = 0;
    for (const Node n : above) up |= nodes[n].marks;
    for (const Node n : below) down |= nodes[n].marks;
    if ((up & kOpaqueSync) != 0 && ((down & kOpaqueSync) != 0 || anyAccess(below, false)))
      return true;
    if ((down & kOpaqueSync) != 0 && anyAccess(above, true)) return true;
    for (const Node n : above) {
      for (const Access& a : nodes[n].accesses) {
        if (a.ordered == Ordered::AsLower) continue;
        for (const Node m : below) {
          for (const Access& b : nodes[m].accesses) {
            const auto upper = classes.keyOf(a.kinds, a.place);
            const auto lower = classes.keyOf(b.kinds, b.place);
            if (classes.mayConflict(classes.of(*upper), classes.of(*lower))) return true;
          }
        }
      }
    }
    return false;
  }
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(engine_); }
  bool oneIn(unsigned n) { return below(n) == 0; }

 private:
  std::mt19937 engine_;
};

Access randomAccess(Random& random, const std::vector<ir::Variable>& objects) {
  constexpr AccessKinds kKinds[] = {kRead, kRead, kWrite, kRead | kWrite, kRead | kStrongRead};
  Access access = {kKinds[random.below(5)], {}, Ordered::Both};
  access.place.domain = random.oneIn(8)   ? Domain::Any
                        : random.oneIn(3) ? Domain::Global
                                          : Domain::Shared;
  if (access.place.domain != Domain::Any && !random.oneIn(6)) {
    access.place.object = &objects[random.below(static_cast<unsigned>(objects.size()))];
  }
  if (random.oneIn(9)) access.ordered = Ordered::AsLower;
  return access;
}

// A line of pieces with barriers between them, and some other edges.
void checkRandomGraph(unsigned seed) {
  SCOPED_TRACE(seed);
  Random random(seed);
  const std::vector<ir::Variable> objects(1 + random.below(5));
  AccessClasses classes(Precision::Objects, random.oneIn(2));
  BarrierRegions regions(classes);
  Model model;
  std::vector<Node> pieces;
  std::vector<Node> barriers;
  const auto connect = [&](Node from, Node to) {
    regions.addEdge(from, to);
    auto& next = model.nodes[from].successors;
    if (std::find(next.begin(), next.end(), to) != next.end()) return;
    next.push_back(to);
    model.nodes[to].predecessors.push_back(from);
  };
  const auto addPiece = [&] {
    const Node piece = regions.addPiece();
    Model::NodeData& data = model.nodes.emplace_back();
    for (unsigned k = random.below(3); k != 0; --k) {
      const Access access = randomAccess(random, objects);
      data.accesses.push_back(access);
      BarrierRegions::Event event;
      event.key = classes.keyOf(access.kinds, access.place);
      event.ordered = access.ordered;
      regions.addEvent(event);
    }
    if (random.oneIn(40)) {
      data.marks = kOpaqueSync;
      BarrierRegions::Event event;
      event.marks = kOpaqueSync;
      regions.addEvent(event);
    }
    pieces.push_back(piece);
    return piece;
  };
  Node at = addPiece();
  for (unsigned k = 2 + random.below(14); k != 0; --k) {
    if (random.oneIn(4)) {
      const Node next = addPiece();
      connect(at, next);
      at = next;
      continue;
    }
    const bool separates = !random.oneIn(8);
    const Node barrier = regions.addBarrier(separates);
    model.nodes.push_back({true, separates, {}, 0, {}, {}});
    barriers.push_back(barrier);
    connect(at, barrier);
    at = addPiece();
    connect(barrier, at);
  }
  for (unsigned k = random.below(5); k != 0; --k) {
    const unsigned count = static_cast<unsigned>(pieces.size());
    connect(pieces[random.below(count)], pieces[random.below(count)]);
  }
  if (random.oneIn(3) && !barriers.empty()) {
    // An end of threads that counts at a barrier.
    connect(pieces[random.below(static_cast<unsigned>(pieces.size()))],
            barriers[random.below(static_cast<unsigned>(barriers.size()))]);
  }

  regions.solve(1'000'000);
  std::vector<Node> order = barriers;
  for (std::size_t k = order.size(); k > 1; --k) {
    std::swap(order[k - 1], order[random.below(static_cast<unsigned>(k))]);
  }
  for (const Node barrier : order) {
    const bool isNeeded = model.conflicts(barrier, classes);
    ASSERT_EQ(regions.conflict(barrier).has_value(), isNeeded) << "barrier " << barrier;
    if (isNeeded) continue;
    regions.remove(barrier);
    model.nodes[barrier].separates = false;
  }
  EXPECT_TRUE(regions.isWithinLimit());
}

TEST(BarrierRegions, AnswersAsASearchDoes) {
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    checkRandomGraph(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(BarrierRegions, SaysWhenItGivesUp) {
  AccessClasses classes(Precision::Objects, false);
  BarrierRegions regions(classes);
  const std::vector<ir::Variable> objects(50);
  Node last = regions.addPiece();
  for (const ir::Variable& object : objects) {
    BarrierRegions::Event event;
    event.key = classes.keyOf(kRead, {Domain::Shared, &object});
    regions.addEvent(event);
    const Node next = regions.addPiece();
    regions.addEdge(last, next);
    last = next;
  }
  regions.solve(100);
  EXPECT_FALSE(regions.isWithinLimit());
}

// docs/soundness/ E.6.3: the second barrier is not reached by the thread that ends.
TEST(BarrierRegions, AThreadThatEndsHasNoLaterBarrier) {
  for (const bool ends : {false, true}) {
    AccessClasses classes(Precision::Objects, false);
    BarrierRegions regions(classes);
    const std::vector<ir::Variable> objects(2);
    const auto add = [&](AccessKinds kinds, const ir::Variable& object) {
      BarrierRegions::Event event;
      event.key = classes.keyOf(kinds, {Domain::Shared, &object});
      regions.addEvent(event);
    };
    const Node first = regions.addPiece();
    add(kWrite, objects[0]);
    const Node one = regions.addBarrier(true);
    const Node middle = regions.addPiece();
    add(kWrite, objects[1]);
    const Node two = regions.addBarrier(true);
    const Node last = regions.addPiece();
    add(kRead, objects[0]);
    add(kRead, objects[1]);
    regions.addEdge(first, one);
    regions.addEdge(one, middle);
    regions.addEdge(middle, two);
    regions.addEdge(two, last);
    if (ends) {
      const Node end = regions.addPiece();
      BarrierRegions::Event event;
      event.marks = kThreadEnd | kPartingEnd;
      regions.addEvent(event);
      regions.addEdge(middle, end);
      regions.addEdge(end, two);
    }
    regions.solve(1000);
    EXPECT_EQ(regions.conflict(one).has_value(), ends);
    EXPECT_TRUE(regions.conflict(two).has_value());
  }
}

}  // namespace
}  // namespace ptxopt::analysis
