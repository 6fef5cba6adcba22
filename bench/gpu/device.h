// Runs a launch description on a GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver_api.h"
#include "interp/launch.h"
#include "ir/module.h"

namespace ptxopt::gpu {

class Device {
 public:
  // The first GPU; null with `problem` set where there is none.
  static std::unique_ptr<Device> open(std::string& problem);

  const std::string& name() const { return name_; }
  int sm() const { return sm_; }  // 90
  int driverVersion() const { return driverVersion_; }

  // Loads `text` (the PTX of `module`, or a rewritten one) and launches as `launch` says.  Returns
  // what is then in the objects that `wanted` names, as interp::Outcome::memory has them; an object
  // that the driver does not give out is missing in the result.  Empty with `error` set where the
  // driver refuses the module or the launch fails; the device is usable again afterwards.
  std::optional<std::vector<interp::NamedBytes>> run(const std::string& text,
                                                     const ir::Function& kernel,
                                                     const interp::Launch& launch,
                                                     const std::vector<interp::NamedBytes>& wanted,
                                                     std::string& error);

 private:
  class Session;
  void reset();

  std::unique_ptr<DriverApi> api_;
  CUdevice device_ = 0;
  std::string name_;
  int sm_ = 0;
  int driverVersion_ = 0;
};

// What the launch leaves open, by the attributes of the kernel, as interp::run() takes it.
interp::Geometry geometryOf(const ir::Function& kernel, const interp::Launch& launch);

}  // namespace ptxopt::gpu
