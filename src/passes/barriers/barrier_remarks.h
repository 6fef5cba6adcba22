// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the barrier passes say about a barrier: where it is, what it orders, and what was in the
// way.
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/barriers/barrier_graph.h"
#include "passes/engine/pass.h"

namespace ptxopt::passes {

class BarrierRemarks {
 public:
  // Before anything is asked about it or its instructions.  O(statements).
  void addFunction(const ir::Function& function);
  // What conflict() explains with.  Both must outlive the object.
  void setGraph(std::span<const analysis::BarrierBody> barrierBodies,
                const analysis::BarrierGraph& graph);

  // About a barrier that is kept.
  static Remark at(std::string_view pass, const ir::Function& function,
                   const ir::Instruction& instruction);

  // "line 31 (source line 5)"
  std::string textOfPlace(const ir::Instruction& instruction) const;
  // "line 31 (source line 5): bar.sync 1, 64;"
  std::string textOf(const ir::Instruction& instruction) const;

  // Above the barrier and below it.
  std::pair<AccessCounts, AccessCounts> counts(const analysis::BarrierRegions& regions,
                                               analysis::BarrierRegions::Node barrier) const;
  // Why it is kept.  They add details, and an example, to `remark`.
  std::string pin(const analysis::BarrierRegions& regions, analysis::BarrierRegions::Node barrier,
                  Remark& remark) const;
  std::string conflict(const analysis::BarrierRegions& regions,
                       const analysis::AccessClasses& classes,
                       analysis::BarrierRegions::Node barrier,
                       const analysis::AccessClasses::Conflict& conflict,
                       analysis::Relation relation, Remark& remark) const;

 private:
  std::uint32_t lineOf(const ir::Instruction& instruction) const;
  std::string placeOf(const ir::Instruction& instruction) const;  // file:line
  std::string_view statementOf(const ir::Instruction& instruction) const;
  const ir::Location* sourceOf(const ir::Instruction& instruction) const;
  // The access of an event of that class; null where its address was not looked at.
  const analysis::Access* accessOf(const analysis::BarrierRegions::Event* event,
                                   const analysis::AccessClass& of) const;
  // Which threads meet where; empty where that is not known.  Adds details.
  std::string example(analysis::BarrierRegions::Node barrier, const analysis::Access& above,
                      const analysis::Access& below, std::array<std::string_view, 2> verbs,
                      analysis::Relation relation, Remark& remark) const;
  // "write .shared [A+4*tid.x] at line 31 (source line 5): st.shared.u32 [%r1], %r2;"
  std::string describe(const analysis::BarrierRegions::Event* event, std::string_view what,
                       std::string_view prefix, Remark& remark, std::string_view where = {}) const;

  struct Body {
    const ir::Function* function;
    std::vector<const ir::Location*> locations;  // in the order of the text
  };
  const ir::Module* module_ = nullptr;
  std::span<const analysis::BarrierBody> barrierBodies_;
  const analysis::BarrierGraph* graph_ = nullptr;
  std::unordered_map<const ir::Instruction*, analysis::BarrierRegions::Node> nodeOf_;
  std::unordered_map<analysis::BarrierRegions::Node, const ir::Instruction*> barrierOf_;
  mutable std::uint64_t work_ = 100'000'000;  // that is left for examples
  std::vector<Body> bodies_;
};

}  // namespace ptxopt::passes
