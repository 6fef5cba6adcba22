// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of the program that was compiled, where its files are still there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt::driver {

class SourceFiles {
 public:
  // A relative name is looked for in the folder of the PTX and in those above it.
  explicit SourceFiles(const std::string& ptxPath);

  // Without its newline; empty if there is none.  `name` is as .file has it.  PTX can name any
  // file, so only what looks like source is read: a page may be shown to others.
  std::string_view line(std::string_view name, std::uint32_t number);

 private:
  struct File {
    std::string text;
    std::vector<std::size_t> begins;  // of the lines
  };
  const File& file(std::string_view name);

  std::string folder_;
  std::map<std::string, File, std::less<>> files_;
};

}  // namespace ptxopt::driver
