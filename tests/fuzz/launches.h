// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other launches of a kernel: under one of them a barrier may turn out to be needed that the launch
// which the text describes has no use for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checks.h"
#include "interp/launch.h"
#include "ir/module.h"

namespace ptxopt::fuzz {

struct OtherLaunch {
  interp::Launch launch;
  std::string text;  // what is different
};

// None of them breaks what the text says of its block, or an assumption of `options`.  Whether the
// kernel is right under them is not known: it may leave its arrays, or race.
class OtherLaunches {
 public:
  // Both must outlive the object.
  OtherLaunches(const ir::Module& module, const interp::Launch& launch,
                const CheckOptions& options);

  // Other scalars, other contents of buffers, other grids and, where it is open, other blocks.
  std::vector<OtherLaunch> general() const;
  // Of the pointer parameters and the global variables that are named in `addresses`, as remarks
  // spell them, two point into the same object, at several distances.
  std::vector<OtherLaunch> pointing(std::string_view addresses) const;

 private:
  struct Pointer {
    std::size_t number = 0;  // of the parameter
    std::string name;
  };
  void addScalars(std::vector<OtherLaunch>& result) const;
  void addContents(std::vector<OtherLaunch>& result) const;
  void addGrids(std::vector<OtherLaunch>& result) const;
  void addBlocks(std::vector<OtherLaunch>& result) const;
  void addConstants(const ir::Function& function);
  bool assumes(std::string_view word) const;

  const ir::Module& module_;
  const interp::Launch& launch_;
  const CheckOptions& options_;
  bool isBlockOpen_ = true;
  std::vector<Pointer> pointers_;
  // That are tried as scalars and as grids.
  std::vector<std::uint32_t> numbers_ = {1, 2, 3, 4, 7, 0};
};

}  // namespace ptxopt::fuzz
