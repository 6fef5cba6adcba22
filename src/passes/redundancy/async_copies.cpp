// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/async_copies.h"

#include <algorithm>

#include "analysis/memory/memory_effects.h"

namespace ptxopt::passes {

bool CopyDestinations::mayContain(const ir::Variable* object) const {
  return !areKnown || object == nullptr || std::ranges::find(objects, object) != objects.end();
}

void CopyDestinations::merge(const CopyDestinations& other) {
  areKnown = areKnown && other.areKnown;
  for (const ir::Variable* object : other.objects) {
    if (std::ranges::find(objects, object) == objects.end()) objects.push_back(object);
  }
}

namespace {

// What the function itself copies.
CopyDestinations copiesIn(const ir::Function& function) {
  CopyDestinations destinations;
  std::optional<analysis::AddressObjects> objects;
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || !analysis::mayBeAsyncCopy(*instruction)) continue;
    if (!instruction->desc->known()) {
      destinations.areKnown = false;
      break;
    }
    if (!objects) objects.emplace(function);
    const analysis::MemoryEffect effect = analysis::memoryEffectOf(*instruction, {});
    const analysis::MemoryAccess& written = effect.accesses[0];
    const ir::Variable* object = written.address == nullptr
                                     ? nullptr
                                     : objects->placeOf(*written.address, written.domain).object;
    destinations.merge({object != nullptr, {object}});
  }
  return destinations;
}

}  // namespace

AsyncCopies::AsyncCopies(const analysis::CallGraph& graph,
                         const std::unordered_set<const ir::Function*>& copying) {
  const auto& components = graph.components();
  std::vector<CopyDestinations> found(components.count);
  const auto foundOf = [&](Vertex v) -> CopyDestinations& {
    return found[components.component[v]];
  };
  const std::vector<Vertex> bottomUp = graph.bottomUp();
  // First what the functions and their callees copy.
  for (const Vertex v : bottomUp) {
    const ir::Function* function = graph.function(v);
    if (function == nullptr) {
      foundOf(v).areKnown = false;
    } else if (copying.contains(function)) {
      foundOf(v).merge(copiesIn(*function));
    }
    for (const Vertex callee : graph.graph().successors(v)) foundOf(v).merge(foundOf(callee));
  }
  // Then what all of those do that run beside them.
  for (std::size_t k = bottomUp.size(); k-- > 0;) {
    const Vertex v = bottomUp[k];
    for (const Vertex callee : graph.graph().successors(v)) foundOf(callee).merge(foundOf(v));
  }
  for (const Vertex v : bottomUp) {
    if (const ir::Function* function = graph.function(v)) destinations_[function] = foundOf(v);
  }
}

AsyncWrites::AsyncWrites(const ir::Function& function, const AsyncCopies* copies, bool flatShared)
    : function_(&function), flatShared_(flatShared) {
  if (copies == nullptr || copies->during(function).isEmpty()) return;
  destinations_ = &copies->during(function);
}

bool AsyncWrites::mayReach(isa::Space space, const ir::Operand& address) {
  if (destinations_ == nullptr) return false;
  if (space != isa::Space::Shared) return space == isa::Space::None;
  if (!destinations_->areKnown) return true;
  if (!objects_) objects_.emplace(*function_, flatShared_);
  const ir::Variable* object = objects_->placeOf(address, analysis::Domain::Shared).object;
  return destinations_->mayContain(object);
}

}  // namespace ptxopt::passes
