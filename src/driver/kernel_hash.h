// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are equal but for what has no meaning: --kernel-hash.
//
// Two kernels get the same hash if one becomes the other by changing
//   comments, white space, .loc, .file and debug sections;
//   the .version, and the SM of the .target (its other words, but `debug`, count);
//   the name of the kernel, and the names of parameters, registers, labels and local variables;
//   how registers are declared, and which of those are declared that nothing uses; labels too;
//   the names of functions and variables that the module defines, as long as their contents are
//   equal in the same sense and two that differ stay two; where they stand in the module, and all
//   in the module that the kernel does not reach; the names of arrays of dynamic shared memory.
// All else counts: the order of instructions, braces, pragmas, the spelling of opcodes, linkage,
// attributes, and the names of what the module does not define.
//
// Time and memory: O(text + for each function the functions and variables that it names, and the
// variables that those reach); more only for functions that call each other in circles.
#pragma once

#include <string>

#include "ir/module.h"

namespace ptxopt::driver {

// One line for each kernel that has a body, in the order of the text: 32 hexadecimal digits, two
// blanks, the name, and with `withFile` two blanks and the name of the file.
std::string kernelHashes(const ir::Module& module, bool withFile);

}  // namespace ptxopt::driver
