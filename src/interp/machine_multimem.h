// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// multimem instructions, each an access to the replicas of the same bytes on several devices (PTX
// ISA 9.7.10.15).  To the race detector each replica is memory of its own.
#pragma once

#include <vector>

#include "interp/machine.h"

namespace ptxopt::interp {

class Machine::Multimems {
 public:
  Multimems(Machine& machine, Thread& thread, const Op& op)
      : machine_(machine), thread_(thread), op_(op) {}

  void execute();
  // Where the bytes are on each device.  A fault if the address is no multimem address.
  std::vector<std::uint64_t> replicasOf(std::uint64_t address, std::uint64_t size) const;

 private:
  void check(const Place& place);
  void order(const Place& place, std::uint32_t k);  // by element k
  void loadReduced(const std::vector<Place>& places);
  void store(const Place& place);
  void reduce(const Place& place);

  Machine& machine_;
  Thread& thread_;
  const Op& op_;
};

}  // namespace ptxopt::interp
