// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/comments.h"

#include <algorithm>

namespace ptxopt::ir {

bool isTransparent(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::Label:
    case StatementKind::ScopeBegin:
    case StatementKind::ScopeEnd:
    case StatementKind::Location:
      return true;
    default:
      return false;
  }
}

bool hasComment(const Function& function, const Instruction& instruction, std::string_view words) {
  const std::string_view text = function.module().source().text();
  // npos + 1 is 0.
  const std::size_t lineBegin = text.rfind('\n', instruction.source.begin) + 1;
  const Statement* above = instruction.previous;
  while (above != nullptr &&
         (isTransparent(*above) || !above->source.valid() || above->source.end > lineBegin)) {
    above = above->previous;
  }
  std::size_t begin = above != nullptr ? above->source.end : function.bodySource.begin;
  begin = std::min(text.find('\n', begin), lineBegin);
  const std::size_t end = std::min(text.find('\n', instruction.source.end), text.size());
  return text.substr(begin, end - begin).find(words) != std::string_view::npos;
}

}  // namespace ptxopt::ir
