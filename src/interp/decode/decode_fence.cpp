// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fences, griddepcontrol and setmaxnreg.
#include "interp/decode/decoder.h"

namespace ptxopt::interp {

namespace {

// The proxies that a fence.proxy concerns besides the generic one.
ProxySet fencedProxies(const isa::InstructionDesc& desc) {
  if (desc.has(".tensormap::generic")) return setOf(Proxy::TensorMap);
  if (desc.has(".async::generic")) return setOf(Proxy::AsyncShared);
  if (!desc.has(".async")) return 0;
  if (desc.has(".global")) return setOf(Proxy::AsyncGlobal);
  if (desc.has(".shared::cta") || desc.has(".shared::cluster")) return setOf(Proxy::AsyncShared);
  return setOf(Proxy::AsyncShared) | setOf(Proxy::AsyncGlobal);
}

}  // namespace

void Decoder::decodeFence(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  op.action = desc.has(".proxy") && op.semantics == isa::Semantics::None ? Action::ProxyFence
                                                                         : Action::Fence;
  op.detail = fencedProxies(desc);
  if (desc.has(".tensormap::generic") && op.semantics == isa::Semantics::Acquire) {
    op.a = address(operand(instruction, 0), op, op.immediate);
  }
  emit(op);
}

void Decoder::decodeGridDependency(const ir::Instruction& instruction, Op op) {
  op.action = Action::Nothing;
  if (instruction.desc->has(".wait")) {
    op.action = Action::Fence;
    op.flags |= kWait;
    op.scope = isa::Scope::Cta;  // it orders no CTAs of this launch
  }
  emit(op);
}

void Decoder::decodeRegisterLimit(const ir::Instruction& instruction, Op op) {
  op.action = Action::Collective;
  op.detail = static_cast<std::uint8_t>(CollectiveKind::RegisterLimit);
  op.immediate = operand(instruction, 0).immediate;
  op.flags |= kHasMask;
  op.e = constant(0xffffffff);
  emit(op);
}

}  // namespace ptxopt::interp
