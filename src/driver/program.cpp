// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/program.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "parse/parser.h"
#include "passes/registry.h"

namespace ptxopt::driver {

namespace {

constexpr auto kHostSymbols = passes::PassOption::Shared::HostSymbols;

// The names of one file that others may use.  A variable or function without linkage is not shared.
std::set<std::string> linkedNames(const ir::Module& module) {
  std::set<std::string> names;
  const auto add = [&](const ir::Symbol& symbol) {
    if (symbol.kind == ir::SymbolKind::Unresolved) names.emplace(module.text(symbol.name));
  };
  for (std::uint32_t k = 0; k < module.symbolCount(); ++k) add(module.symbolAt(ir::SymbolId{k}));
  const auto addVariables = [&](const ir::StatementList& statements) {
    for (const ir::Statement& statement : statements) {
      const auto* declaration = statement.as<ir::VariableDeclaration>();
      if (declaration == nullptr) continue;
      for (const ir::Variable* variable : declaration->variables) {
        if (variable->linkage != ir::Linkage::None) names.emplace(module.text(variable->name));
      }
    }
  };
  addVariables(module.items());
  for (const ir::Function& function : module.functions()) {
    if (function.linkage != ir::Linkage::None) names.emplace(function.nameText());
    for (const ir::Symbol& symbol : function.localSymbols()) add(symbol);
    addVariables(function.body());
  }
  return names;
}

}  // namespace

void addHostSymbols(std::vector<passes::PipelineStep>& pipeline,
                    const std::vector<std::string>& names) {
  const auto wantsThem = [](const passes::PipelineStep& step) {
    return step.pass->optionFor(kHostSymbols) != nullptr;
  };
  if (std::ranges::none_of(pipeline, wantsThem)) {
    pipeline.insert(pipeline.begin(), {&passes::passWith(kHostSymbols), {}});
  }
  for (passes::PipelineStep& step : pipeline) {
    if (!wantsThem(step)) continue;
    std::string& option = step.options[std::string(step.pass->optionFor(kHostSymbols)->name)];
    for (const std::string& name : names) option += (option.empty() ? "" : ";") + name;
  }
}

bool hasHostSymbols(const std::vector<passes::PipelineStep>& pipeline) {
  return std::ranges::any_of(pipeline, [](const passes::PipelineStep& step) {
    const passes::PassOption* option = step.pass->optionFor(kHostSymbols);
    return option != nullptr && step.options.contains(option->name);
  });
}

void dropHostSymbols(std::vector<passes::PipelineStep>& pipeline) {
  for (passes::PipelineStep& step : pipeline) {
    const passes::PassOption* option = step.pass->optionFor(kHostSymbols);
    if (option != nullptr) step.options.erase(std::string(option->name));
  }
}

std::vector<std::string> sharedNames(std::span<const std::shared_ptr<const SourceText>> texts,
                                     bool& isKnown) {
  isKnown = true;
  std::map<std::string, unsigned> files;
  for (const auto& text : texts) {
    if (text == nullptr) continue;
    Diagnostics diagnostics;
    const auto module = parse::parse(text, diagnostics);
    if (diagnostics.hasErrors()) continue;
    isKnown &= module != nullptr && !module->hasUnknownDirective;
    if (module == nullptr) continue;
    for (const std::string& name : linkedNames(*module)) ++files[name];
  }
  std::vector<std::string> shared;
  for (const auto& [name, count] : files) {
    if (count > 1) shared.push_back(name);
  }
  return shared;
}

}  // namespace ptxopt::driver
