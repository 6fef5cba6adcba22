// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/module_facts.h"

namespace ptxopt::passes {

ModuleFacts ModuleFacts::of(const ir::Module& module) {
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
  if (hasCalls) facts.callees = std::make_unique<Callees>(module);
  return facts;
}

}  // namespace ptxopt::passes
