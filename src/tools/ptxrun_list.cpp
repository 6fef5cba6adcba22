// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "interp/report_json.h"
#include "tools/ptxrun_launch.h"

namespace ptxopt::ptxrun {

namespace {

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
  const nlohmann::json list = interp::kernelsJson(module);
  if (asJson) {
    std::cout << list.dump(2) << '\n';
    return;
  }
  for (const auto& kernel : list["kernels"]) print(kernel);
  if (list["kernels"].empty()) std::printf("no kernels\n");
}

}  // namespace ptxopt::ptxrun
