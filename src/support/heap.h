// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heap of a program that works through many functions, one after the other.
#pragma once

namespace ptxopt {

// What is freed stays with the program.  The analyses of one function free what those of the next
// one take; by default the C library gives much of that back to the system in between, and takes it
// anew, page fault by page fault.  For programs, at their start; does nothing where the C library
// is not glibc.
void keepFreedMemory();

}  // namespace ptxopt
