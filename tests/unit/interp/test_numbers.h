// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much a random test does, from the environment.
#pragma once

#include <cstdlib>

namespace ptxopt::interp {

inline unsigned numberFrom(const char* variable, unsigned otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

// Added to the seeds of matrix tests.
inline unsigned matrixSeed() {
  return numberFrom("PTXOPT_MATRIX_SEED", 0);
}

}  // namespace ptxopt::interp
