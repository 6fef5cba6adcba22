// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/source_files.h"

#include <charconv>

namespace ptxopt::driver {

SourceFiles::SourceFiles(const ir::Module& module) {
  constexpr std::string_view kWord = ".file";
  for (const ir::Statement& item : module.items()) {
    const auto* directive = item.as<ir::Directive>();
    if (directive == nullptr || directive->which != ir::DirectiveKind::File) continue;
    std::string_view text = directive->text;
    text.remove_prefix(std::min(text.find(kWord) + kWord.size(), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::size_t open = text.find('"');
    const std::size_t close = text.rfind('"');
    if (error != std::errc() || open == std::string_view::npos || close == open) continue;
    names_.emplace(number, text.substr(open + 1, close - open - 1));
  }
}

}  // namespace ptxopt::driver
