// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/guarded.h"

namespace ptxopt::passes {

namespace {

std::string endLabel(const Expansion& text) {
  return text.label("end");
}

}  // namespace

void enter(Expansion& text) {
  if (!text.isGuarded()) return;
  const std::string& guard = text.guard();
  const bool isNegated = guard.starts_with("@!");
  text.line((isNegated ? '@' + guard.substr(2) : "@!" + guard.substr(1)) + "bra " + endLabel(text) +
            ';');
}

void leave(Expansion& text) {
  if (text.isGuarded()) text.line(endLabel(text) + ':');
}

}  // namespace ptxopt::passes
