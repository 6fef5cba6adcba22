// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies in flight.  Internal to Machine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interp/machine.h"

namespace ptxopt::interp {

// A bulk copy, a reduction or an asynchronous store.  It reads its source, and writes later.  It
// belongs to an mbarrier or, if `barrier` is null, to a bulk group of its thread.
struct Machine::Bulk {
  Thread* issuer = nullptr;
  const Op* op = nullptr;
  const BulkForm* form = nullptr;
  Place to;
  Place from;
  std::uint32_t size = 0;
  std::unique_ptr<TensorTransfer> tensor;  // of a tensor copy; `to` or `from` is empty then
  std::vector<std::uint8_t> data;          // set once the source has been read
  bool isRead = false;
  bool landed = false;
  Cta* barrier = nullptr;  // the CTA whose shared memory contains the mbarrier
  std::uint64_t barrierOffset = 0;
  std::uint32_t clock = 0;
  bool committed = false;
  std::uint32_t group = 0;
};

}  // namespace ptxopt::interp
