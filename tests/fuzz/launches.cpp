// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "interp/image.h"

namespace ptxopt::fuzz {

namespace {

constexpr std::uint32_t kMostCtas = 70;
// Scalars that are tried with other contents too.
constexpr std::size_t kUsualNumbers = 6;
// Constants of the kernel that are looked at.
constexpr std::size_t kMostConstants = 12;
// Places in an object that a pointer is tried at.
constexpr std::size_t kMostPlaces = 48;

interp::Argument argument(const std::string& text) {
  std::string error;
  auto parsed = interp::parseArgument(text, error);
  if (!parsed) throw std::runtime_error(error);
  return std::move(*parsed);
}

bool isWord(const interp::Argument& argument) {
  return !argument.isBuffer && argument.addresses.empty() && argument.bytes.size() == 4;
}

// Of an object of so many bytes.
std::vector<std::size_t> places(std::size_t bytes) {
  std::size_t step = 4;
  while (bytes / step > kMostPlaces) step *= 2;
  std::vector<std::size_t> result;
  for (std::size_t at = 0; at < bytes; at += step) result.push_back(at);
  return result;
}

}  // namespace

OtherLaunches::OtherLaunches(const ir::Module& module, const interp::Launch& launch,
                             const CheckOptions& options)
    : module_(module), launch_(launch), options_(options) {
  for (const ir::Function& function : module.functions()) {
    if (!function.isEntry() || function.nameText() != launch.kernel) continue;
    isBlockOpen_ = !function.requiredBlock();
    addConstants(function);
    for (std::size_t k = 0; k < function.parameters.size(); ++k) {
      if (k >= launch.arguments.size() || !launch.arguments[k].isBuffer) continue;
      pointers_.push_back({k, std::string(module.text(function.parameters[k]->name))});
    }
  }
  for (const auto& [kernel, word] : options.assumptions) {
    if (word.starts_with("block-dim")) isBlockOpen_ = false;
  }
}

// What the kernel compares with, and the numbers on both sides.
void OtherLaunches::addConstants(const ir::Function& function) {
  std::size_t found = 0;
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || !instruction->is(isa::Opcode::Setp)) continue;
    const ir::Operand* operand = instruction->operand(2);
    if (operand == nullptr || operand->kind != ir::OperandKind::Integer) continue;
    const auto constant = static_cast<std::uint32_t>(operand->immediate);
    if (++found > kMostConstants) return;
    for (const std::uint32_t number : {constant - 1, constant, constant + 1}) {
      if (std::ranges::find(numbers_, number) == numbers_.end()) numbers_.push_back(number);
    }
  }
}

bool OtherLaunches::assumes(std::string_view word) const {
  return std::ranges::any_of(options_.assumptions,
                             [&](const auto& assumption) { return assumption.second == word; });
}

std::vector<OtherLaunch> OtherLaunches::general() const {
  std::vector<OtherLaunch> result;
  addScalars(result);
  addContents(result);
  // Both at once.
  std::vector<OtherLaunch> contents;
  addContents(contents);
  for (const OtherLaunch& content : contents) {
    for (std::size_t k = 0; k < launch_.arguments.size(); ++k) {
      if (!isWord(launch_.arguments[k])) continue;
      for (const std::uint32_t number : std::span(numbers_).first(kUsualNumbers)) {
        OtherLaunch& both = result.emplace_back(content);
        both.launch.arguments[k] = argument(fmt::format("u32:{}", number));
        both.text += fmt::format(", scalar {} = {}", k, number);
      }
    }
  }
  addGrids(result);
  addBlocks(result);
  return result;
}

void OtherLaunches::addScalars(std::vector<OtherLaunch>& result) const {
  for (std::size_t k = 0; k < launch_.arguments.size(); ++k) {
    if (!isWord(launch_.arguments[k])) continue;
    for (const std::uint32_t number : numbers_) {
      OtherLaunch other{launch_, fmt::format("scalar {} = {}", k, number)};
      other.launch.arguments[k] = argument(fmt::format("u32:{}", number));
      result.push_back(std::move(other));
    }
  }
}

void OtherLaunches::addContents(std::vector<OtherLaunch>& result) const {
  constexpr std::string_view kContents[] = {"random:u32:7", "random:u32:8", "small:u32:9:4",
                                            "fill:u32:0",   "fill:u32:1",   "fill:s32:-1",
                                            "iota:u32"};
  for (const std::string_view content : kContents) {
    OtherLaunch other{launch_, fmt::format("contents {}", content)};
    for (interp::Argument& given : other.launch.arguments) {
      if (!given.isBuffer) continue;
      given = argument(fmt::format("buffer:{}:{}", given.bytes.size(), content));
    }
    result.push_back(std::move(other));
  }
}

void OtherLaunches::addGrids(std::vector<OtherLaunch>& result) const {
  for (const std::uint32_t ctas : numbers_) {
    if (ctas == 0 || ctas > kMostCtas || ctas == launch_.grid.count()) continue;
    OtherLaunch other{launch_, fmt::format("a grid of {}", ctas)};
    other.launch.grid = interp::Dim3{ctas};
    for (interp::Argument& given : other.launch.arguments) {
      if (given.isBuffer) given.bytes.resize(given.bytes.size() * ctas);
    }
    result.push_back(std::move(other));
  }
}

void OtherLaunches::addBlocks(std::vector<OtherLaunch>& result) const {
  if (!isBlockOpen_ || !launch_.block) return;
  const auto threads = static_cast<std::uint32_t>(launch_.block->count());
  for (const std::array<std::uint32_t, 3>& block :
       std::vector<std::array<std::uint32_t, 3>>{{threads, 1, 1},
                                                 {threads / 2, 2, 1},
                                                 {threads / 4, 4, 1},
                                                 {threads / 4, 2, 2},
                                                 {threads / 8, 1, 8},
                                                 {32, 1, 1},
                                                 {64, 1, 1},
                                                 {16, 2, 1}}) {
    const std::uint32_t count = block[0] * block[1] * block[2];
    if (count == 0 || count > threads) continue;
    OtherLaunch other{launch_,
                      fmt::format("a block of {} x {} x {}", block[0], block[1], block[2])};
    other.launch.block = interp::Dim3{block[0], block[1], block[2]};
    result.push_back(std::move(other));
  }
}

std::vector<OtherLaunch> OtherLaunches::pointing(std::string_view addresses) const {
  std::vector<OtherLaunch> result;
  const auto point = [&](const Pointer& pointer, const std::string& object, std::size_t bytes) {
    for (const std::size_t at : places(bytes)) {
      const std::string value = fmt::format("values:u64:&{}+{}", object, at);
      OtherLaunch other{launch_, fmt::format("{} is {}", pointer.name, value)};
      // CTAs would meet there as well.
      other.launch.grid = interp::Dim3{1};
      other.launch.arguments[pointer.number] = argument(value);
      result.push_back(std::move(other));
    }
  };
  const interp::Image image(module_);
  for (const Pointer& pointer : pointers_) {
    if (addresses.find("[" + pointer.name + "]") == std::string_view::npos) continue;
    for (const interp::ImageObject& object : image.objects()) {
      if (assumes("noalias-variables")) break;
      const bool isNamed = addresses.find(object.name) != std::string_view::npos;
      if (isNamed && !object.isConstant) point(pointer, object.name, object.bytes.size());
    }
    if (assumes("noalias-params")) continue;
    for (const Pointer& other : pointers_) {
      const bool isNamed = addresses.find("[" + other.name + "]") != std::string_view::npos;
      if (!isNamed || other.number == pointer.number) continue;
      point(pointer, fmt::format("arg{}", other.number),
            launch_.arguments[other.number].bytes.size());
    }
  }
  return result;
}

}  // namespace ptxopt::fuzz
