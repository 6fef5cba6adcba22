// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether all asynchronous operations of an entry, and its mbarriers, stay in the CTA and follow
// the protocol of docs/soundness/ G, so that its barriers can be judged beside them.
//
// It is all or nothing: an entry with one operation that is not in the model, with a wait that is
// not full, or with anything by which another CTA could reach its shared memory, is not internal,
// and then all of these operations count as T.
//
// Cost: that of Uniformity, and near O(instructions).
#pragma once

#include <optional>
#include <unordered_set>

#include "analysis/addresses/address.h"
#include "analysis/addresses/async_protocol.h"
#include "analysis/async/full_waits.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loops.h"
#include "analysis/launch/assumptions.h"
#include "analysis/memory/address_objects.h"
#include "isa/async_role.h"

namespace ptxopt::analysis {

class AsyncModel {
 public:
  using InstructionSet = std::unordered_set<const ir::Instruction*>;

  // Of an entry that calls nothing but the device runtime.  `separators`: the barriers in which all
  // threads take part.  `objects` are those of the entry.  `addresses` may be null: then it is not
  // known which thread executes what.
  AsyncModel(const Cfg& cfg, const Liveness& liveness, const Loops& loops,
             const AddressObjects& objects, const Addresses* addresses,
             const Assumptions& assumptions, const InstructionSet& separators);

  // False: the rest says nothing.
  bool isInternal() const { return waits_.has_value(); }
  // What is known of all mbarriers of the entry.
  const AsyncProtocol& protocol() const { return protocol_; }
  // All threads that have not ended execute this proxy fence equally often.
  bool isExecutedByAll(const ir::Instruction& fence) const {
    return waits_->isExecutedByAll(fence);
  }

 private:
  void findProtocol(const Cfg& cfg, const Assumptions& assumptions,
                    const InstructionSet& separators);

  std::optional<FullWaits> waits_;
  AsyncProtocol protocol_;
};

}  // namespace ptxopt::analysis
