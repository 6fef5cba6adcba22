// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command ptxcheck, which is also `ptxopt --check-races`.
#pragma once

namespace ptxopt::check {

// The exit status: 0 no findings, 1 bad input, 3 possible findings only, 4 certain ones.
int runCommand(int argc, const char* const* argv);

}  // namespace ptxopt::check
