// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who calls whom in a module, and what cannot be known about it.
//
// Vertices: one for each function name, declarations and definition together, in the order of the
// text, and last one for everything outside of the module.  The outside calls whatever it may know:
// functions that are .visible or .weak and those whose address is taken.  The outside is called by
// functions without a body, unless the device runtime says that they call nothing back; by .weak
// functions, whose body may be replaced; by indirect calls that do not say whom they reach; by what
// is not understood (docs/soundness/ A7.2); and by functions that are opaque.
//
// The address of a function is taken where an operand names it other than as the callee, by
// initialisers (vtables), .calltargets, .alias, and instructions that are not understood.  Where
// the module or a function has a directive that is not understood, that may name anything: then the
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

  // One edge for each caller and callee, however many calls there are.
  const Digraph& graph() const { return graph_; }
  Vertex outside() const { return graph_.vertexCount() - 1; }
  // A function of the module.
  Vertex vertexOf(const ir::Function& function) const { return vertices_.at(function.name()); }
  // The definition, or the last declaration where there is none; null for the outside.
  const ir::Function* function(Vertex v) const {
    return v == outside() ? nullptr : nodes_[v].function;
  }

  // Calls, and instructions that are not understood, in the order of the text.
  std::span<const CallSite> sites(Vertex caller) const {
    return std::span(sites_).subspan(nodes_[caller].firstSite, nodes_[caller].siteCount);
  }
  // Each once, the outside included.
  std::span<const Vertex> targets(const CallSite& site) const {
    return std::span(targets_).subspan(site.firstTarget, site.targetCount);
  }
  // The same for an instruction that a pass made, or where the site is not at hand.  O(operands).
  std::vector<Vertex> targets(const ir::Function& caller, const ir::Instruction& instruction) const;

  bool isAddressTaken(Vertex v) const { return nodes_[v].isAddressTaken; }
  // Only calls in this module reach the function, and each of them is a site (docs/soundness/
  // C1.6).
  bool callersAreKnown(Vertex v) const {
    return v != outside() && !nodes_[v].isCallableFromOutside;
  }
  // What may run in a call of v, v included: "the same call graph" of docs/soundness/ C1.4.
  // O(V + E).
  BitSet reachableFrom(Vertex v) const;

  // Components of functions that call each other; smaller numbers are called by larger ones.
  const StrongComponents& components() const { return components_; }
  // Every callee before its callers, except in recursion.
  std::vector<Vertex> bottomUp() const;
  // Also through the outside.
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
