// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/kept_functions.h"

#include <algorithm>
#include <string_view>

namespace ptxopt::passes {

namespace {

constexpr std::string_view kWords = "ptxopt: keep kernel";

// The line of the text that contains `offset`, without its newline.
std::string_view lineAt(std::string_view text, std::size_t offset) {
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, std::min(text.find('\n', offset), text.size()) - begin);
}

bool saysIt(std::string_view part) {
  return part.find(kWords) != std::string_view::npos;
}

// A comment on the line of `offset`, or above it with only comments in between.
bool isSaidAt(std::string_view text, std::size_t offset) {
  std::string_view line = lineAt(text, offset);
  while (!saysIt(line)) {
    if (line.data() == text.data()) return false;
    line = lineAt(text, static_cast<std::size_t>(line.data() - text.data()) - 1);
    const std::string_view word = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!word.starts_with("//") && !word.starts_with("/*")) return false;
  }
  return true;
}

}  // namespace

KeptFunctions::KeptFunctions(const ir::Module& module, std::span<const std::string> names)
    : names_(names) {
  const std::string_view text = module.source().text();
  for (std::size_t at = text.find(kWords); at != std::string_view::npos;
       at = text.find(kWords, at + 1)) {
    comments_.push_back(static_cast<Offset>(at));
  }
}

const char* KeptFunctions::whyKept(const ir::Function& function) const {
  if (std::ranges::find(names_, function.nameText()) != names_.end()) {
    return "the command line asks for it (--keep-kernel)";
  }
  const SourceRange body = function.bodySource;
  const bool isInside = std::ranges::any_of(
      comments_, [&](Offset at) { return body.valid() && body.begin <= at && at < body.end; });
  const bool isAsked =
      isInside || (!comments_.empty() && function.item->source.valid() &&
                   isSaidAt(function.module().source().text(), function.item->source.begin));
  return isAsked ? "a comment asks for it (ptxopt: keep kernel)" : nullptr;
}

}  // namespace ptxopt::passes
