// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/call_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/flow/callee.h"
#include "analysis/flow/device_runtime.h"
#include "ir/barrier.h"
#include "support/order.h"

namespace ptxopt::analysis {

namespace {

using ir::Function;
using ir::Instruction;
using ir::SymbolId;

using VertexByName = std::unordered_map<NameId, Vertex>;

bool isLinked(const Function& function) {
  return function.linkage != ir::Linkage::None;
}

// Something in the module is not understood, and may name any function.
bool mayNameAnything(const ir::Module& module) {
  return module.hasUnknownDirective ||
         std::ranges::any_of(module.functions(), [](const Function& f) { return f.isOpaque; });
}

// Calls visit(function) for every function that `symbol` names, directly or as an entry of a list.
// True if it names a list whose entries are all functions.
template <class Visitor>
bool forEachFunction(const Function& scope, SymbolId symbol, Visitor&& visit) {
  const ir::Symbol& entry = scope.symbolAt(symbol);
  if (entry.kind != ir::SymbolKind::TargetList) {
    if (const Function* function = functionOf(scope, symbol)) visit(*function);
    return false;
  }
  bool areFunctions = true;
  for (const SymbolId target : entry.targets->targets) {
    if (const Function* function = functionOf(scope, target)) {
      visit(*function);
    } else {
      areFunctions = false;
    }
  }
  return areFunctions;
}

// Visits the vertices that an instruction may call, some of them more than once.
template <class Visitor>
void forEachTarget(const VertexByName& vertices, Vertex outside, const Function& caller,
                   const Instruction& instruction, Visitor&& visit) {
  const auto visitFunction = [&](const Function& function) { visit(vertices.at(function.name())); };
  if (!instruction.desc->known()) {
    for (const ir::Operand& operand : instruction.operands()) {
      if (operand.symbol() != SymbolId::None) {
        forEachFunction(caller, operand.symbol(), visitFunction);
      }
    }
    // An unknown form of an opcode that is known not to be a call is T, but calls nothing (A7.2).
    if (ir::mayBeAnyBarrier(instruction)) visit(outside);
    return;
  }
  const Callee callee = calleeOf(caller, instruction);
  if (callee.function != nullptr) {
    visitFunction(*callee.function);
    if (callee.isAlias) visit(outside);
    return;
  }
  const bool isComplete =
      callee.targets != nullptr && forEachFunction(caller, callee.targets->symbol, visitFunction);
  if (!isComplete) visit(outside);
}

}  // namespace

class CallGraph::Builder {
 public:
  explicit Builder(const ir::Module& module) : module_(module) {
    for (const Function& function : module.functions()) addFunction(function);
    outside_ = static_cast<Vertex>(nodes.size());
    nodes.emplace_back();
    for (Vertex v = 0; v < outside_; ++v) addBody(v);
    takeAddresses(module.items());
    addOutside();
    std::sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) {
      return std::pair(a.source, a.target) < std::pair(b.source, b.target);
    });
    const auto isSame = [](const Arc& a, const Arc& b) {
      return a.source == b.source && a.target == b.target;
    };
    arcs.erase(std::unique(arcs.begin(), arcs.end(), isSame), arcs.end());
  }

  VertexByName vertices;
  std::vector<Node> nodes;
  std::vector<CallSite> sites;
  std::vector<Vertex> targets;
  std::vector<Arc> arcs;

 private:
  void addFunction(const Function& function) {
    const auto [at, isNew] =
        vertices.try_emplace(function.name(), static_cast<Vertex>(nodes.size()));
    if (isNew) nodes.emplace_back();
    Node& node = nodes[at->second];
    if (node.function == nullptr || !node.function->hasBody()) node.function = &function;
    node.isCallableFromOutside |= isLinked(function) || function.isEntry();
    isWeak_.resize(nodes.size());
    if (function.linkage == ir::Linkage::Weak) isWeak_[at->second] = true;
  }

  void addBody(Vertex v) {
    Node& node = nodes[v];
    const Function& function = *node.function;
    node.firstSite = static_cast<std::uint32_t>(sites.size());
    for (const ir::Statement& statement : function.body()) {
      if (const auto* instruction = statement.as<Instruction>()) {
        const bool isCall = mayCall(*instruction);
        if (isCall) addSite(v, *instruction);
        takeAddresses(function, *instruction, isCall ? calleeOperand(*instruction) : nullptr);
      } else if (const auto* list = statement.as<ir::TargetList>()) {
        for (const SymbolId target : list->targets) take(functionOf(function, target));
      } else if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
        takeAddresses(*declaration, [&](SymbolId id) { return functionOf(function, id); });
      }
    }
    node.siteCount = static_cast<std::uint32_t>(sites.size()) - node.firstSite;

    const bool isRuntime = findDeviceRuntimeFunction(function.nameText()) != nullptr;
    const bool isOpen = function.hasBody() ? isWeak_[v] || function.isOpaque : !isRuntime;
    if (isOpen) arcs.push_back({v, outside_});
  }

  void addSite(Vertex caller, const Instruction& instruction) {
    CallSite site;
    site.instruction = &instruction;
    site.caller = caller;
    site.firstTarget = static_cast<std::uint32_t>(targets.size());
    forEachTarget(vertices, outside_, *nodes[caller].function, instruction, [&](Vertex target) {
      const auto first = targets.begin() + site.firstTarget;
      if (std::find(first, targets.end(), target) != targets.end()) return;
      targets.push_back(target);
      arcs.push_back({caller, target});
    });
    site.targetCount = static_cast<std::uint32_t>(targets.size()) - site.firstTarget;
    sites.push_back(site);
  }

  // ---- addresses ------------------------------------------------------------------------------

  void take(const Function* function) {
    if (function != nullptr) nodes[vertices.at(function->name())].isAddressTaken = true;
  }

  void takeAddresses(const Function& function, const Instruction& instruction,
                     const ir::Operand* callee) {
    for (const ir::Operand& operand : instruction.operands()) {
      if (operand.symbol() == SymbolId::None || &operand == callee) continue;
      forEachFunction(function, operand.symbol(), [&](const Function& f) { take(&f); });
    }
  }

  template <class Resolve>
  void takeAddresses(const ir::VariableDeclaration& declaration, Resolve&& resolve) {
    for (const ir::Variable* variable : declaration.variables) {
      if (variable->initializer == nullptr) continue;
      for (const ir::Relocation& relocation : variable->initializer->relocations) {
        if (relocation.symbol != SymbolId::None) take(resolve(relocation.symbol));
      }
      for (const SymbolId symbol : variable->initializer->opaqueSymbols) take(resolve(symbol));
    }
  }

  void takeAddresses(const ir::StatementList& items) {
    for (const ir::Statement& item : items) {
      if (const auto* declaration = item.as<ir::VariableDeclaration>()) {
        takeAddresses(*declaration, [&](SymbolId id) { return functionOf(module_, id); });
      } else if (const auto* alias = item.as<ir::Alias>()) {
        if (alias->aliasee != SymbolId::None) take(functionOf(module_, alias->aliasee));
      }
    }
  }

  void addOutside() {
    const bool takesAll = mayNameAnything(module_);
    for (Vertex v = 0; v < outside_; ++v) {
      Node& node = nodes[v];
      node.isAddressTaken |= takesAll && !node.function->isEntry();
      node.isCallableFromOutside |= node.isAddressTaken || !node.function->hasBody();
      if (node.isCallableFromOutside && !node.function->isEntry()) arcs.push_back({outside_, v});
    }
  }

  const ir::Module& module_;
  Vertex outside_ = 0;
  std::vector<bool> isWeak_;  // by vertex: some declaration is .weak
};

CallGraph::CallGraph(const ir::Module& module) : CallGraph(Builder(module)) {}

CallGraph::CallGraph(Builder builder)
    : vertices_(std::move(builder.vertices)),
      nodes_(std::move(builder.nodes)),
      sites_(std::move(builder.sites)),
      targets_(std::move(builder.targets)),
      graph_(static_cast<std::uint32_t>(nodes_.size()), std::move(builder.arcs)),
      components_(graph_) {}

std::vector<Vertex> CallGraph::targets(const Function& caller,
                                       const Instruction& instruction) const {
  std::vector<Vertex> found;
  if (!mayCall(instruction)) return found;
  forEachTarget(vertices_, outside(), caller, instruction, [&](Vertex target) {
    if (std::ranges::find(found, target) == found.end()) found.push_back(target);
  });
  return found;
}

BitSet CallGraph::reachableFrom(Vertex v) const {
  BitSet reached(graph_.vertexCount());
  for (const Vertex callee : postorder(graph_, {&v, 1})) reached.set(callee);
  return reached;
}

std::vector<Vertex> CallGraph::bottomUp() const {
  std::vector<Vertex> order(graph_.vertexCount());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](Vertex v) { return components_.component[v]; });
  return order;
}

bool CallGraph::isRecursive(Vertex v) const {
  return std::ranges::any_of(graph_.successors(v), [&](Vertex callee) {
    return components_.component[callee] == components_.component[v];
  });
}

}  // namespace ptxopt::analysis
