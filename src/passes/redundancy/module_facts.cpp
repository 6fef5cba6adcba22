// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/module_facts.h"

namespace ptxopt::passes {

ModuleFacts ModuleFacts::of(const ir::Module& module, bool withMemories) {
  ModuleFacts facts;
  facts.names = FreshNames::of(module);
  bool hasCalls = false;
  for (const ir::Function& function : module.functions()) {
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr) continue;
      const isa::InstructionDesc& desc = *instruction->desc;
      facts.hasAsyncCopies |= analysis::mayBeAsyncCopy(*instruction);
      facts.hasProgrammaticLaunch |= desc.opcode == isa::Opcode::Griddepcontrol || !desc.known();
      hasCalls |= desc.control == isa::Control::Call;
    }
  }
  if (hasCalls) {
    auto callees = std::make_unique<Callees>(module);
    if (withMemories) callees->memories.emplace(callees->graph);
    facts.callees = std::move(callees);
  }
  return facts;
}

}  // namespace ptxopt::passes
