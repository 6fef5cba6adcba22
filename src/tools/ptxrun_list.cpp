// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "interp/program.h"
#include "support/demangle.h"
#include "tools/ptxrun_launch.h"

namespace ptxopt::ptxrun {

namespace {

constexpr std::string_view kBounds[] = {".reqntid",       ".maxntid",           ".minnctapersm",
                                        ".maxnctapersm",  ".reqnctapercluster", ".maxnreg",
                                        ".maxclusterrank"};

std::string typeOf(const ir::Variable& variable) {
  std::string text(isa::spelling(variable.type));
  for (const std::int64_t dimension : variable.dimensions) {
    text += "[" + std::to_string(dimension) + "]";
  }
  return text;
}

nlohmann::json describe(const ir::Module& module, const ir::Function& kernel) {
  const interp::Image image(module);
  const interp::Program program(module, kernel, image);
  const std::string name(kernel.nameText());
  nlohmann::json result = {{"name", name},
                           {"demangled", demangled(name)},
                           {"parameters", nlohmann::json::array()},
                           {"shared", program.staticSharedBytes()},
                           {"bounds", nlohmann::json::object()}};
  for (const ir::Variable* parameter : kernel.parameters) {
    result["parameters"].push_back({{"name", module.text(parameter->name)},
                                    {"type", typeOf(*parameter)},
                                    {"bytes", parameter->size}});
  }
  result["usesDynamicShared"] = program.usesDynamicShared();
  for (const std::string_view bound : kBounds) {
    const ir::Attribute* attribute = kernel.attribute(bound);
    if (attribute != nullptr) result["bounds"][std::string(bound)] = attribute->values;
  }
  return result;
}

void print(const nlohmann::json& kernel) {
  const std::string name = kernel["name"];
  const std::string demangled = kernel["demangled"];
  std::printf("%s\n", name.c_str());
  if (demangled != name) std::printf("  %s\n", demangled.c_str());
  for (std::size_t k = 0; k < kernel["parameters"].size(); ++k) {
    const auto& parameter = kernel["parameters"][k];
    std::printf("  arg%zu: %s %s, %s bytes\n", k, std::string(parameter["type"]).c_str(),
                std::string(parameter["name"]).c_str(), parameter["bytes"].dump().c_str());
  }
  std::printf("  shared memory: %s bytes%s\n", kernel["shared"].dump().c_str(),
              kernel["usesDynamicShared"] ? ", and dynamic shared memory (--shared)" : "");
  for (const auto& [bound, values] : kernel["bounds"].items()) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + value.dump();
    std::printf("  %s %s\n", bound.c_str(), text.c_str());
  }
}

}  // namespace

void printList(const ir::Module& module, bool asJson) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const ir::Function& function : module.functions()) {
    if (function.isEntry() && function.hasBody()) kernels.push_back(describe(module, function));
  }
  if (asJson) {
    std::cout << nlohmann::json{{"kernels", kernels}}.dump(2) << '\n';
    return;
  }
  for (const auto& kernel : kernels) print(kernel);
  if (kernels.empty()) std::printf("no kernels\n");
}

}  // namespace ptxopt::ptxrun
