// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/module_facts.h"

#include <algorithm>
#include <unordered_set>

namespace ptxopt::passes {

bool hasCalls(const ir::Function& function) {
  return std::ranges::any_of(function.body(), [](const ir::Statement& statement) {
    const auto* instruction = statement.as<ir::Instruction>();
    return instruction != nullptr && instruction->desc->control == isa::Control::Call;
  });
}

ModuleFacts ModuleFacts::of(const ir::Module& module, bool withMemories) {
  ModuleFacts facts;
  facts.names = FreshNames::of(module);
  std::unordered_set<const ir::Function*> copying;
  for (const ir::Function& function : module.functions()) {
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr) continue;
      const isa::InstructionDesc& desc = *instruction->desc;
      if (analysis::mayBeAsyncCopy(*instruction)) copying.insert(&function);
      facts.hasProgrammaticLaunch |= desc.is(isa::kGridDependency) || !desc.known();
    }
  }
  if (std::ranges::any_of(module.functions(), hasCalls)) {
    auto callees = std::make_unique<Callees>(module);
    if (withMemories) callees->memories.emplace(callees->graph);
    facts.callees = std::move(callees);
  }
  if (!copying.empty()) {
    facts.copies = std::make_unique<AsyncCopies>(
        facts.callees ? facts.callees->graph : analysis::CallGraph(module), copying);
  }
  return facts;
}

}  // namespace ptxopt::passes
