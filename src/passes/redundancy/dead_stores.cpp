// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/dead_stores.h"

namespace ptxopt::passes {

void DeadStores::noteLoad(const ir::Instruction& instruction, const PlainAccess& access) {
  const AvailableLoads::Bytes bytes = memory_.allBytesOf(instruction, access);
  std::erase_if(pending_,
                [&](const Pending& pending) { return memory_.mayOverlap(bytes, pending.bytes); });
}

}  // namespace ptxopt::passes
