// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the barrier passes say about a barrier: where it is, what it orders, and what was in the
// way.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/barriers/barrier_graph.h"
#include "passes/engine/pass.h"
#include "support/limits.h"

namespace ptxopt::passes {

class BarrierRemarks {
 public:
  // Before anything is asked about it or its instructions.
  void addFunction(const ir::Function& function);
  // What conflict() explains with.  Both must outlive the object.
  void setGraph(std::span<const analysis::BarrierBody> barrierBodies,
                const analysis::BarrierGraph& graph);

  // About a barrier that is kept.
  static Remark at(std::string_view pass, const ir::Function& function,
                   const ir::Instruction& instruction);

  NamedInstruction named(const ir::Instruction& instruction) const;
  // "line 31 (k.cu:5)"
  std::string textOfPlace(const ir::Instruction& instruction) const;

  // Above the barrier and below it.
  std::pair<AccessCounts, AccessCounts> counts(const analysis::BarrierRegions& regions,
                                               analysis::BarrierRegions::Node barrier) const;
  // What measures or waits next to it, where that is found.
  std::optional<BarrierEvent> pin(const analysis::BarrierRegions& regions,
                                  analysis::BarrierRegions::Node barrier) const;
  // `conflict`; or, of the pairs that need the barrier too, one that an example can be given of.
  BarrierConflict conflict(const analysis::BarrierRegions& regions,
                           const analysis::AccessClasses& classes,
                           analysis::BarrierRegions::Node barrier,
                           const analysis::AccessClasses::Conflict& conflict,
                           analysis::Relation relation) const;

 private:
  // One side of a conflict, and what an example of it takes.
  struct Side {
    BarrierEvent event;
    const analysis::Access* access = nullptr;  // null where its address was not looked at
    std::string_view verb;
    bool isBelowOtherBarriers = false;
  };
  // A question about one barrier.
  struct Region {
    const analysis::BarrierRegions& regions;
    const analysis::AccessClasses& classes;
    analysis::BarrierRegions::Node barrier;
    analysis::Relation relation;
    bool rowsOnly;       // only examples in blocks of one row
    std::uint64_t work;  // for the search of an example for one pair
  };

  std::uint32_t lineOf(const ir::Instruction& instruction) const;
  std::optional<ir::SourcePlace> sourceOf(const ir::Instruction& instruction) const;
  Side sideOf(const Region& region, Direction direction,
              std::optional<analysis::AccessSet::Key> key, analysis::EffectMarks marks) const;
  BarrierConflict describe(const Region& region,
                           const analysis::AccessClasses::Conflict& conflict) const;
  // The first of the pairs around the barrier that has an example.
  std::optional<BarrierConflict> pairWithExample(const Region& region) const;
  // Which threads meet where, where that is known.
  std::optional<ConflictExample> example(const Region& region, const Side& above,
                                         const Side& below) const;
  BarrierEvent eventAt(const analysis::BarrierRegions::Event* event, BarrierEvent::Kind kind) const;

  const ir::Module* module_ = nullptr;
  std::span<const analysis::BarrierBody> barrierBodies_;
  const analysis::BarrierGraph* graph_ = nullptr;
  std::unordered_map<const ir::Instruction*, analysis::BarrierRegions::Node> nodeOf_;
  std::unordered_map<analysis::BarrierRegions::Node, const ir::Instruction*> barrierOf_;
  mutable std::uint64_t work_ = 10 * most(Limit::ExampleWork);  // that is left for examples
  std::vector<const ir::Function*> functions_;
  mutable std::optional<ir::SourceLines> lines_;  // made when it is first needed
};

}  // namespace ptxopt::passes
