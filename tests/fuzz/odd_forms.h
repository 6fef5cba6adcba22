// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same kernel in forms that compilers do not write: registers that are components of vectors,
// and code that nothing reaches in front of a label.
#pragma once

#include <cstdint>
#include <string>

namespace ptxopt::fuzz {

// Of definitions as RandomKernel has them; drawn by the seed.  A register that an address, a list
// in braces or a call names stays what it is: there PTX takes no component.
std::string inOddForms(const std::string& definitions, std::uint64_t seed);

}  // namespace ptxopt::fuzz
