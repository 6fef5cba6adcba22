// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `.file 1 "name"` directives of a module.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "ir/module.h"

namespace ptxopt::driver {

class SourceFiles {
 public:
  // The module must outlive the object.  O(statements of the module).
  explicit SourceFiles(const ir::Module& module);

  // Empty if the number has no name.
  std::string_view name(std::uint32_t file) const {
    const auto found = names_.find(file);
    return found == names_.end() ? std::string_view() : found->second;
  }

 private:
  std::map<std::uint32_t, std::string_view> names_;
};

}  // namespace ptxopt::driver
