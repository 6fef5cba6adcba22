// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/html/source_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "driver/diff.h"

namespace ptxopt::driver {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 20;
constexpr int kParents = 5;

bool looksLikeSource(const fs::path& path) {
  constexpr std::array<std::string_view, 14> kEndings = {".c",   ".cc",   ".cl", ".cpp", ".cu",
                                                         ".cuh", ".cxx",  ".h",  ".hpp", ".inl",
                                                         ".jl",  ".mojo", ".py", ".rs"};
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::ranges::find(kEndings, ending) != kEndings.end();
}

// Empty if it cannot be read.
std::string textOf(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostBytes || error) {
    return {};
  }
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}

}  // namespace

SourceFiles::SourceFiles(const std::string& ptxPath) {
  std::error_code ignored;
  folder_ = fs::absolute(ptxPath, ignored).parent_path().string();
}

const SourceFiles::File& SourceFiles::file(std::string_view name) {
  const auto known = files_.find(name);
  if (known != files_.end()) return known->second;
  File& file = files_[std::string(name)];
  const fs::path path(name);
  if (!looksLikeSource(path)) return file;
  fs::path folder(folder_);
  for (int k = 0; k <= kParents && file.text.empty(); ++k) {
    file.text = textOf(folder / path);  // `path`, if that is absolute
    folder = folder.parent_path();
  }
  for (std::size_t at = 0; at < file.text.size(); at = lineEnd(file.text, at)) {
    file.begins.push_back(at);
  }
  return file;
}

std::string_view SourceFiles::line(std::string_view name, std::uint32_t number) {
  const File& found = file(name);
  if (number == 0 || number > found.begins.size()) return {};
  const std::size_t begin = found.begins[number - 1];
  std::string_view line = std::string_view(found.text).substr(begin);
  return line.substr(0, line.find_first_of("\r\n"));
}

}  // namespace ptxopt::driver
