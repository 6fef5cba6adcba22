// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/engine/remark.h"

#include "ir/source_lines.h"

namespace ptxopt::passes {

void locate(Remark& remark, const ir::SourceLines& lines) {
  if (!remark.place.valid()) remark.place = remark.function->item->source;
  if (remark.source == nullptr) remark.source = lines.in(*remark.function, remark.place.begin);
}

}  // namespace ptxopt::passes
