// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a grid runs on a machine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "facts/claim.h"
#include "interp/multicast.h"
#include "interp/progress.h"
#include "interp/scheduler.h"
#include "interp/shadow.h"
#include "interp/texture.h"

namespace ptxopt::interp {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  std::array<std::uint32_t, 3> at(std::uint64_t index) const {
    return {static_cast<std::uint32_t>(index % x), static_cast<std::uint32_t>(index / x % y),
            static_cast<std::uint32_t>(index / x / y)};
  }
};

// What a launch has accessed in global memory: by the address of the segment, offsets in it.
using LaunchAccesses = std::map<std::uint64_t, std::vector<Shadow::Touched>>;

struct MachineOptions {
  bool detectsRaces = true;
  bool warpgroupWaits = false;  // a wgmma.wait_group waits for all warps of the warpgroup
  // A copy that overwrites what the generic proxy has accessed needs a proxy fence as well.
  bool strictProxies = false;
  Policy policy = Policy::RoundRobin;
  std::uint64_t seed = 1;
  std::uint64_t stepLimit = 100'000'000;  // thread-instructions of the launch
  std::uint64_t residentThreads = 1u << 15;
  std::uint32_t jobs = 1;        // threads of the host; with several, races are not detected
  Progress* progress = nullptr;  // null: nobody looks
  // Claims about the text (docs/facts.md) to check; null: none.
  const std::vector<facts::Claim>* claims = nullptr;
  const TextureTable* textures = nullptr;      // null: there are none
  const MulticastTable* multicasts = nullptr;  // null: there are none
  // What the launch before accessed, if it need not have ended when this one begins, until a
  // griddepcontrol.wait; null: it has.
  const LaunchAccesses* before = nullptr;
};

// The clusters of the grid that a machine runs: every count-th, starting at `index`.  Machines that
// share a grid may run at the same time, on the same memory.
struct Share {
  std::uint32_t index = 0;
  std::uint32_t count = 1;
};

struct Geometry {
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  bool isExplicitCluster = false;
  std::uint64_t dynamicShared = 0;
  std::uint64_t gridWorkspace = 0;  // the address in %envreg1 and %envreg2; 0: none
};

}  // namespace ptxopt::interp
