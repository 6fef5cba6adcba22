// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the C API that runs kernels, on top of the interpreter.
#include <ptxopt/ptxopt.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/result.h"
#include "interp/compare.h"
#include "interp/report_json.h"
#include "parse/parser.h"

using namespace ptxopt;
using api::resultOf;
using api::sourceOf;

struct ptxopt_module {
  std::unique_ptr<ir::Module> parsed;  // null: the text is wrong
  std::vector<Diagnostic> diagnostics;
};

struct ptxopt_launch {
  const ptxopt_module* module = nullptr;
  interp::Launch launch;
  struct Buffer {
    void* data;
    std::size_t size;
  };
  std::vector<Buffer> buffers;
  interp::MachineOptions machine;
  std::uint32_t schedules = 1;
  bool outOfMemory = false;  // a setter could not copy its argument
};

namespace {

const char* nameOf(const ptxopt_module& module) {
  return module.parsed != nullptr ? module.parsed->source().name().c_str() : "<text>";
}

// No variable of a module can have such a name.
std::string nameOfBuffer(std::size_t number) {
  return "buffer " + std::to_string(number);
}

template <class Setter>
void set(ptxopt_launch* launch, Setter setter) {
  try {
    setter();
  } catch (const std::bad_alloc&) {
    launch->outOfMemory = true;
  }
}

std::string textOf(const nlohmann::json& json) {
  // Names and what a kernel prints may be no UTF-8.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

interp::Scenario scenarioOf(const ptxopt_launch& launch) {
  interp::Scenario scenario = interp::scenarioOf(launch.launch);
  for (std::size_t k = 0; k < launch.buffers.size(); ++k) {
    interp::Argument content;
    const auto* first = static_cast<const std::uint8_t*>(launch.buffers[k].data);
    content.bytes.assign(first, first + launch.buffers[k].size);
    content.isBuffer = true;
    scenario.buffers.emplace_back(nameOfBuffer(k), std::move(content));
  }
  return scenario;
}

void copyBack(const ptxopt_launch& launch, const interp::Outcome& outcome) {
  for (std::size_t k = 0; k < launch.buffers.size(); ++k) {
    const interp::NamedBytes* left = interp::findObject(outcome, nameOfBuffer(k));
    if (left == nullptr) continue;
    std::copy(left->bytes.begin(), left->bytes.end(),
              static_cast<std::uint8_t*>(launch.buffers[k].data));
  }
}

void runInto(ptxopt_result& result, const ptxopt_launch& launch) {
  if (launch.module->parsed == nullptr) {
    result.diagnostics = launch.module->diagnostics;
    return;
  }
  const ir::Module& module = *launch.module->parsed;
  std::string error;
  const auto survey =
      interp::survey(module, scenarioOf(launch), launch.machine, launch.schedules, error);
  if (!survey) throw std::invalid_argument(error);
  result.ok = true;
  result.text = textOf(interp::toJson(module, *survey));
  if (!survey->distinct.empty()) copyBack(launch, survey->distinct.front());
}

}  // namespace

ptxopt_module* ptxopt_module_new(const char* name, const char* text, size_t size) {
  return api::make<ptxopt_module>(name, [&](ptxopt_module& module) {
    Diagnostics diagnostics;
    module.parsed = parse::parse(sourceOf(name, {text, size}), diagnostics);
    if (diagnostics.hasErrors()) module.parsed.reset();
    module.diagnostics = diagnostics.all();
  });
}
void ptxopt_module_free(ptxopt_module* module) {
  delete module;
}

ptxopt_result* ptxopt_module_kernels(const ptxopt_module* module) {
  return resultOf(nameOf(*module), [&](ptxopt_result& result) {
    result.diagnostics = module->diagnostics;
    result.ok = module->parsed != nullptr;
    if (result.ok) result.text = textOf(interp::kernelsJson(*module->parsed));
  });
}

ptxopt_launch* ptxopt_launch_new(const ptxopt_module* module, const char* kernel) {
  auto* launch = new (std::nothrow) ptxopt_launch;
  if (launch == nullptr) return nullptr;
  launch->module = module;
  set(launch, [&] { launch->launch.kernel = kernel; });
  return launch;
}
void ptxopt_launch_free(ptxopt_launch* launch) {
  delete launch;
}

void ptxopt_launch_set_grid(ptxopt_launch* launch, uint32_t x, uint32_t y, uint32_t z) {
  launch->launch.grid = interp::Dim3{x, y, z};
}
void ptxopt_launch_set_block(ptxopt_launch* launch, uint32_t x, uint32_t y, uint32_t z) {
  launch->launch.block = interp::Dim3{x, y, z};
}
void ptxopt_launch_set_cluster(ptxopt_launch* launch, uint32_t x, uint32_t y, uint32_t z) {
  launch->launch.cluster = interp::Dim3{x, y, z};
}
void ptxopt_launch_set_shared(ptxopt_launch* launch, uint64_t bytes) {
  launch->launch.dynamicShared = bytes;
}

size_t ptxopt_launch_add_buffer(ptxopt_launch* launch, void* data, size_t size) {
  set(launch, [&] { launch->buffers.push_back({data, size}); });
  return launch->buffers.size() - 1;
}
void ptxopt_launch_add_pointer(ptxopt_launch* launch, size_t buffer, uint64_t offset) {
  set(launch, [&] {
    interp::Argument argument;
    argument.text = "pointer to " + nameOfBuffer(buffer);
    argument.addresses.push_back({0, nameOfBuffer(buffer), offset});
    argument.bytes.resize(sizeof(std::uint64_t));
    launch->launch.arguments.push_back(std::move(argument));
  });
}
void ptxopt_launch_add_value(ptxopt_launch* launch, const void* data, size_t size) {
  set(launch, [&] {
    interp::Argument argument;
    argument.text = "a value";
    const auto* first = static_cast<const std::uint8_t*>(data);
    argument.bytes.assign(first, first + size);
    launch->launch.arguments.push_back(std::move(argument));
  });
}

void ptxopt_launch_set_schedules(ptxopt_launch* launch, uint32_t count) {
  launch->schedules = std::max<std::uint32_t>(count, 1);
}
void ptxopt_launch_set_races(ptxopt_launch* launch, int wanted) {
  launch->machine.detectsRaces = wanted != 0;
}
void ptxopt_launch_set_step_limit(ptxopt_launch* launch, uint64_t limit) {
  launch->machine.stepLimit = limit;
}

ptxopt_result* ptxopt_launch_run(const ptxopt_launch* launch) {
  if (launch->outOfMemory) return nullptr;
  return resultOf(nameOf(*launch->module),
                  [&](ptxopt_result& result) { runInto(result, *launch); });
}
