// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a launch description on a GPU, and measures how long it takes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver_api.h"
#include "interp/launch.h"
#include "ir/module.h"

namespace ptxopt::gpu {

// Why a run came to nothing.
struct DeviceError {
  std::string text;
  // The driver took the module and the launch; then the kernel failed.
  bool isFault = false;
  // Nothing more can be done on the device in this process.
  bool isFinal = false;
};

// Of batches of launches in pairs, one of each kernel.
struct Times {
  struct Pair {
    double before = 0;  // microseconds of one launch
    double after = 0;
  };
  std::vector<Pair> pairs;
  std::uint32_t launches = 0;  // in a batch
};

class Device {
 public:
  // The first GPU; null with `problem` set where there is none.
  static std::unique_ptr<Device> open(std::string& problem);

  const std::string& name() const { return name_; }
  int sm() const { return sm_; }  // 90
  int driverVersion() const { return driverVersion_; }

  // Loads `text` (the PTX of `kernel`, or a rewritten one) and launches as `launch` says.  Returns
  // what is then in the objects that `wanted` names, as interp::Outcome::memory has them; an object
  // that the driver does not give out is missing in the result.  Waits as long as the kernel takes,
  // be it forever.
  std::optional<std::vector<interp::NamedBytes>> run(const std::string& text,
                                                     const ir::Function& kernel,
                                                     const interp::Launch& launch,
                                                     const std::vector<interp::NamedBytes>& wanted,
                                                     DeviceError& error);

  // Measures the kernel of two texts in turn, A B, B A, A B and so on.  Each measurement is that of
  // a batch of launches one after the other, about a millisecond of them, between two events; in
  // front of it the memory (buffers, and the variables of `wanted`) is put back, and one launch
  // goes unmeasured.  Both use the same buffers.  A batch is a graph with `byGraph`, so that it
  // does not wait for the host.
  std::optional<Times> time(const std::string& before, const std::string& after,
                            const ir::Function& kernel, const interp::Launch& launch,
                            const std::vector<interp::NamedBytes>& wanted, std::uint32_t pairs,
                            bool byGraph, DeviceError& error);

 private:
  std::unique_ptr<DriverApi> api_;
  CUdevice device_ = 0;
  std::string name_;
  int sm_ = 0;
  int driverVersion_ = 0;
};

// What the launch leaves open, by the attributes of the kernel, as interp::run() takes it.
interp::Geometry geometryOf(const ir::Function& kernel, const interp::Launch& launch);

}  // namespace ptxopt::gpu
