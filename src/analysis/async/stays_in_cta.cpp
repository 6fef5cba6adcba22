// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/stays_in_cta.h"

#include <algorithm>

#include "analysis/async/mbarrier_operand.h"
#include "analysis/async/shared_addresses.h"
#include "analysis/memory/memory_effects.h"
#include "ir/module.h"
#include "isa/async_role.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

// Of the place of the CTA in its cluster, from which the address of another one can be made.
bool readsPlaceInCluster(const Instruction& instruction, const ir::Function& function) {
  return std::ranges::any_of(instruction.operands(), [&](const Operand& operand) {
    return operand.kind == OperandKind::SpecialRegister &&
           function.module().text(NameId{operand.id}).starts_with("%cluster");
  });
}

// The window of the cluster contains that of the own CTA (C3.6): an address there is an own one if
// it is made of a variable.
bool isOfOwnCta(const Instruction& instruction, isa::AsyncRole role,
                const AddressObjects& objects) {
  if (role == isa::AsyncRole::None || !instruction.desc->has(".shared::cluster") ||
      role == isa::AsyncRole::ProxyFence) {
    return true;
  }
  const auto isOwn = [&](const Operand* address) {
    return address != nullptr && objects.placeOf(*address, Domain::Shared).object != nullptr;
  };
  const Operand* const first = instruction.operand(0);
  const bool isCopy = role == isa::AsyncRole::CopyIn;
  return isOwn(mbarrierOperand(instruction, role)) && (!isCopy || isOwn(first));
}

}  // namespace

// docs/soundness/ G3
bool staysInCta(const Cfg& cfg, const AddressObjects& objects) {
  const ir::Function& function = cfg.function();
  if (!function.isEntry() || mayHaveClusters(function)) return false;
  bool isAny = false;
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const isa::AsyncRole role = isa::asyncRoleOf(*instruction.desc);
      const bool isUnknown = !instruction.desc->known() || role == isa::AsyncRole::Other ||
                             instruction.desc->control == isa::Control::Call ||
                             readsPlaceInCluster(instruction, function);
      if (isUnknown || !isOfOwnCta(instruction, role, objects)) return false;
      isAny |= role != isa::AsyncRole::None;
    }
  }
  return isAny && !mayPublishSharedAddress(function);
}

}  // namespace ptxopt::analysis
