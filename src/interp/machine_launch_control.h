// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clusterlaunchcontrol (PTX ISA 9.7.15.18 and .19): requests to cancel the launch of a cluster that
// has not started.  Internal to Machine.
//
// A request is an asynchronous write of a response of 16 bytes, which completes on an mbarrier.
// Between its issue and its completion the next cluster that has not started is cancelled, if there
// is one; the manual does not say which, nor that a request must succeed while there is one.  So
// that both happen, few clusters start at once (see room()), and under some seeds a request may
// fail in any case.
#pragma once

#include <cstdint>

#include "interp/machine_bulk.h"

namespace ptxopt::interp {

class Machine::LaunchControl {
 public:
  // How many of `most` clusters start at once in a program with requests.
  static std::uint64_t room(std::uint64_t seed, std::uint64_t most);

  LaunchControl(Machine& machine, Thread& thread, const Op& op)
      : machine_(&machine), thread_(&thread), op_(&op) {}
  // clusterlaunchcontrol.try_cancel
  void request(const BulkForm& form);
  // Of get_first_ctaid: the values of a response that names no CTA are undefined.
  void loseId();

  // When the request is performed.
  static void decide(Machine& machine, LaunchResponse& response);

 private:
  void issue(const BulkForm& form, isa::Space space, std::uint64_t to, std::uint64_t barrier,
             const std::shared_ptr<LaunchResponse>& response);

  Machine* machine_;
  Thread* thread_;
  const Op* op_;
};

}  // namespace ptxopt::interp
