// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads that give all threads of the CTA the same value if all of them load from the same address:
// the flag or the sum that one thread leaves in .shared memory for the others (docs/soundness/
// C1.2.11), and data that nobody writes meanwhile if there are no data races (C1.2.12).
//
// A load from .shared is such a load if nothing may write its bytes in its epoch, the code between
// two barriers in which all threads take part, and if one of the writes before is the last one for
// all threads.  Who takes part in the barriers is known only once the loads are: the caller assumes
// all loads to be of this kind, asks which ones the barriers do not confirm, and begins again
// without these.
//
// Cost: O(barriers * loads * writes of the same bytes), and the comparisons of these addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/barriers/barrier_graph.h"
#include "analysis/barriers/stores_of_all.h"

namespace ptxopt::analysis {

class BroadcastLoads {
 public:
  using InstructionSet = Uniformity::InstructionSet;

  // Weak loads in kernels: from .shared if everything that may write there is understood; from
  // .shared and .global if there are no data races.  O(instructions).
  static InstructionSet possible(std::span<const BarrierBody> bodies,
                                 const BarrierContext& context);

  // The context takes all of `loads` for uniform at a uniform address.  All arguments must outlive
  // the object.
  BroadcastLoads(std::span<const BarrierBody> bodies, const BarrierContext& context,
                 const InstructionSet& loads);

  // Those of the loads for which that is not proved.
  std::vector<const ir::Instruction*> refuted();

 private:
  using Key = AccessSet::Key;
  using Node = BarrierRegions::Node;
  // All loads of one class.
  struct Load {
    Key key;
    std::vector<const ir::Instruction*> instructions;
    std::vector<Node> pieces;
    std::vector<Key> writes;     // of some of the same bytes
    std::vector<Node> disputes;  // where epochs begin in which two of these race
    bool isRefuted = false;
  };
  struct Write {
    Key key;
    bool isCopy = false;                  // by an asynchronous copy
    std::optional<std::uint64_t> number;  // that each of its stores writes
  };

  bool isClaimed(std::uint32_t body, const ir::Instruction& load) const;
  bool isFreeOfRaces(std::uint32_t body, const ir::Instruction& load);
  void claim();
  void collect();
  void add(std::uint32_t body, Node piece, const BarrierRegions::Event& event);
  void findWrites();
  std::vector<Node> epochBegins() const;
  void lookBelow(Node begin);
  bool mayRace(Key one, Key other) const;
  std::optional<std::uint64_t> numberStoredBy(std::uint32_t body,
                                              const ir::Instruction& store) const;
  // What is left of races when the load is executed.
  void followDisputes(Load& load);
  bool settles(Node piece, const Load& load);
  bool isSurelyExecuted(std::uint32_t body, const ir::Instruction& store);

  std::span<const BarrierBody> bodies_;
  const BarrierContext& context_;
  const InstructionSet& loads_;
  std::unordered_map<const ir::Function*, std::uint32_t> bodyOf_;
  InstructionSet claims_;                                    // loads that are taken for uniform
  std::unordered_map<const ir::Instruction*, bool> isSeen_;  // of those that races matter to
  std::vector<std::optional<StoresOfAll>> storesOfAll_;      // by body, on demand
  std::vector<StoresOfAll::InstructionSet> separators_;      // by body
  std::vector<std::optional<NonExitedThreads>> nonExited_;   // by body, on demand
  std::optional<BarrierGraph> graph_;                        // on demand
  std::vector<Load> claimed_;
  std::vector<Write> writes_;
};

}  // namespace ptxopt::analysis
