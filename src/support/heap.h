// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heap of a program that processes many functions, one after the other.
#pragma once

namespace ptxopt {

// Keeps freed memory in the program.  The analyses of one function free the memory that those of
// the next one need; by default the C library returns much of it to the system in between, and gets
// it back with one page fault after the other.  Programs call this at their start.  Does nothing if
// the C library is not glibc.
void keepFreedMemory();

}  // namespace ptxopt
