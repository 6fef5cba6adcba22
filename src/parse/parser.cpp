// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parse/parser.h"

#include <utility>

#include "parse/fast_parser.h"
#include "parse/syntax_error.h"

namespace ptxopt::parse {

std::unique_ptr<ir::Module> parse(std::shared_ptr<const SourceText> source,
                                  Diagnostics& diagnostics) {
  auto module = std::make_unique<ir::Module>(std::move(source));
  const std::optional<SyntaxError> error = runFastParser(*module, diagnostics);
  if (!error) return module;

  const SourceText& text = module->source();
  const bool isUntokenizable = error->message.empty() && error->found == Token::Bad;
  if (isUntokenizable && module->version.major != 0) {
    diagnostics.report(
        Severity::Warning, text, error->offset,
        describeBadCharacter(text, error->offset) + "; the module is left unchanged");
  } else {
    diagnostics.report(Severity::Error, text, error->offset, wordSyntaxError(text, *error));
  }
  return nullptr;
}

}  // namespace ptxopt::parse
