// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/fact_lines.h"

#include <sstream>
#include <vector>

#include "audit/collect.h"
#include "facts/claim_text.h"
#include "parse/parser.h"

namespace ptxopt::driver {

std::string factLines(const std::shared_ptr<const SourceText>& source,
                      const analysis::AssumptionTable& assumptions,
                      std::span<const facts::Claim> ofPasses) {
  Diagnostics diagnostics;
  const std::unique_ptr<ir::Module> module = parse::parse(source, diagnostics);
  if (module == nullptr) return {};
  std::vector<facts::Claim> claims = audit::collect(*module, assumptions);
  claims.insert(claims.end(), ofPasses.begin(), ofPasses.end());
  std::ostringstream text;
  facts::write(text, *module, claims);
  return std::move(text).str();
}

}  // namespace ptxopt::driver
