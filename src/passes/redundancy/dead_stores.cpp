#include "passes/redundancy/dead_stores.h"

namespace ptxopt::passes {

void DeadStores::noteLoad(const ir::Instruction& instruction, const PlainAccess& access) {
  const KnownMemory::Bytes bytes = memory_.allBytesOf(instruction, access);
  std::erase_if(pending_,
                [&](const Pending& pending) { return memory_.mayOverlap(bytes, pending.bytes); });
}

}  // namespace ptxopt::passes
