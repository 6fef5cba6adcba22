// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxopt-ptxas --doctor: what would happen if a compiler called it, and which compilers would.
#pragma once

#include <string>

#include "driver/ptxas_drop_in.h"

namespace ptxopt::ptxas {

struct Diagnosis {
  std::string text;
  // There is a ptxas, the flags are understood, and the probe kernel loses its barrier.
  bool isHealthy = true;
};

// Looks at the environment, runs each ptxas that it finds with --version, python3 for its folders
// of packages, and the real ptxas on a small kernel.  Takes a second.
Diagnosis diagnose(const DropIn& dropIn);

}  // namespace ptxopt::ptxas
