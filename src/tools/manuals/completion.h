// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completions for shells, as they look for them in the folders of packages.
#pragma once

#include <string>
#include <vector>

#include "tools/manuals/command.h"

namespace ptxopt::manuals {

// For bash 4.4, without the package bash-completion.
std::string bashCompletion(const Command& command);
// For the completion system of zsh, as a function _NAME that it loads by itself.
std::string zshCompletion(const Command& command);
// For fish 3.
std::string fishCompletion(const Command& command);

// "a b c"
std::string joined(const std::vector<std::string>& words, const std::string& separator = " ");

}  // namespace ptxopt::manuals
