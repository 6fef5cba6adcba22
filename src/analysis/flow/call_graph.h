// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The call graph of a module, and which of its callers and callees are unknown.
//
// Each function name is one vertex, which stands for its declarations and its definition; the
// vertices have the order of the text.  The last vertex, the outside, stands for all code outside
// the module.  The outside calls every function that it may know: those that are .visible or .weak,
// and those whose address is taken.  The outside is called by functions without a body, unless the
// device runtime says that they call nothing back; by .weak functions, whose body may be replaced;
// by indirect calls without a list of targets; by instructions that are not understood
// (docs/soundness/ A7.2); and by opaque functions.
//
// The address of a function is taken by an operand that names it other than as the callee, by
// initialisers (vtables), .calltargets, .alias, and instructions that are not understood.  A
// directive that is not understood, of the module or of a function, may name any function: then the
// address of every function counts as taken.
//
// Cost: one pass over all operands; O(calls) memory.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "support/bit_set.h"
#include "support/digraph.h"
#include "support/strong_components.h"

namespace ptxopt::analysis {

struct CallSite {
  const ir::Instruction* instruction = nullptr;
  Vertex caller = 0;
  std::uint32_t firstTarget = 0;
  std::uint32_t targetCount = 0;
};

class CallGraph {
 public:
  explicit CallGraph(const ir::Module& module);

  // One edge for each pair of caller and callee, even if there are several calls.
  const Digraph& graph() const { return graph_; }
  Vertex outside() const { return graph_.vertexCount() - 1; }
  // `function` must belong to the module.
  Vertex vertexOf(const ir::Function& function) const { return vertices_.at(function.name()); }
  // The definition, or the last declaration if there is no definition; null for the outside.
  const ir::Function* function(Vertex v) const {
    return v == outside() ? nullptr : nodes_[v].function;
  }

  // The calls of `caller` and its instructions that are not understood, in the order of the text.
  std::span<const CallSite> sites(Vertex caller) const {
    return std::span(sites_).subspan(nodes_[caller].firstSite, nodes_[caller].siteCount);
  }
  // The functions that `site` may call, each once; the outside may be one of them.
  std::span<const Vertex> targets(const CallSite& site) const {
    return std::span(targets_).subspan(site.firstTarget, site.targetCount);
  }
  // The same for an instruction that a pass made, or if the caller has no CallSite.  O(operands).
  std::vector<Vertex> targets(const ir::Function& caller, const ir::Instruction& instruction) const;

  bool isAddressTaken(Vertex v) const { return nodes_[v].isAddressTaken; }
  // All callers are calls in this module, and each of them is a CallSite (docs/soundness/ C1.6).
  bool callersAreKnown(Vertex v) const {
    return v != outside() && !nodes_[v].isCallableFromOutside;
  }
  // All functions that may run during a call of v, including v: "the same call graph" of
  // docs/soundness/ C1.4.  O(V + E).
  BitSet reachableFrom(Vertex v) const;

  // The strongly connected components.  A component calls only components with smaller numbers.
  const StrongComponents& components() const { return components_; }
  // Every callee before its callers, except within a recursion.
  std::vector<Vertex> bottomUp() const;
  // True also for a recursion through the outside.
  bool isRecursive(Vertex v) const;

 private:
  struct Node {
    const ir::Function* function = nullptr;
    std::uint32_t firstSite = 0;
    std::uint32_t siteCount = 0;
    bool isAddressTaken = false;
    bool isCallableFromOutside = false;
  };
  class Builder;
  explicit CallGraph(Builder builder);

  std::unordered_map<NameId, Vertex> vertices_;
  std::vector<Node> nodes_;  // by vertex
  std::vector<CallSite> sites_;
  std::vector<Vertex> targets_;
  Digraph graph_;
  StrongComponents components_;
};

}  // namespace ptxopt::analysis
