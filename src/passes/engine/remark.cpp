// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/remark.h"

#include "ir/source_lines.h"

namespace ptxopt::passes {

std::string_view spelling(RemarkKind kind) {
  switch (kind) {
    case RemarkKind::Passed:
      return "passed";
    case RemarkKind::Missed:
      return "missed";
    case RemarkKind::Analysis:
      break;
  }
  return "analysis";
}

void locate(Remark& remark, const ir::SourceLines& lines) {
  if (!remark.place.valid()) remark.place = remark.function->item->source;
  if (remark.source == nullptr) remark.source = lines.in(*remark.function, remark.place.begin);
}

}  // namespace ptxopt::passes
