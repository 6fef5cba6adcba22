// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EventBase must come before the header of the parser that derives from it.
// clang-format off
#include "parse/event_base.h"
#include "parse/generated/fast/PtxParser.h"
// clang-format on

#include "parse/fast_parser.h"

namespace ptxopt::parse {

// The grammar and tokens.def give tokens the same numbers.
#define PTXOPT_TOKEN(type, text) \
  static_assert(static_cast<int>(Token::type) == static_cast<int>(fast::PtxParser::type));
#include "parse/tokens.def"
#undef PTXOPT_TOKEN

std::optional<SyntaxError> runFastParser(ir::Module& module, Diagnostics& diagnostics) {
  const std::string_view text = module.source().text();
  IrBuilder builder(module, diagnostics);
  Scanner scanner(text, module.names());
  TokenBuffer buffer;
  fast::PtxParser parser(nullptr);
  parser.attach(text, scanner, buffer, builder);
  try {
    parser.ptxModule();
  } catch (ParseError& error) {
    return SyntaxError{error.offset, parser.errorToken(), parser.contextOffset(), parser.isInBody(),
                       std::move(error.message)};
  }
  return std::nullopt;
}

const std::vector<std::uint16_t>& serializedGrammar() {
  return EventBase::serializedAtn();
}

}  // namespace ptxopt::parse
