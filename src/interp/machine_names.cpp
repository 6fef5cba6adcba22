// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of places in memory, for messages.
#include <algorithm>

#include "interp/machine.h"
#include "support/demangle.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

namespace {

// "tile" for "_ZZ6mirrorPfiE4tile", a variable of a function.
std::string shortName(std::string_view symbol) {
  const std::string name = demangled(symbol);
  const std::size_t last = name.rfind("::");
  return last == std::string::npos ? name : name.substr(last + 2);
}

// "tile[7]", or "tile" and what is left over.  Compilers declare most variables as bytes: then the
// elements are as large as those of the access.
std::string elementName(const std::string& name, const ir::Variable* variable, std::uint64_t offset,
                        std::uint64_t accessed) {
  const std::uint64_t declared =
      variable != nullptr
          ? static_cast<std::uint64_t>(std::max(isa::bitWidth(variable->type), 0)) / 8
          : 0;
  const std::uint64_t size = std::max<std::uint64_t>(declared > 1 ? declared : accessed, 1);
  const bool isScalar = variable != nullptr && variable->dimensions.empty();
  if (isScalar && offset == 0) return name;
  if (offset % size != 0) return name + " + " + std::to_string(offset) + " bytes";
  return name + "[" + std::to_string(offset / size) + "]";
}

}  // namespace

// The parameter whose buffer this is; null if it is none.
const ir::Variable* Machine::parameterOf(const Segment& segment) const {
  constexpr std::string_view kMark = "argument ";
  const std::size_t at = segment.name.rfind(kMark);
  if (segment.isShared || at == std::string::npos) return nullptr;
  const std::size_t index = std::strtoull(segment.name.c_str() + at + kMark.size(), nullptr, 10);
  const auto& parameters = program_->parameters();
  return index < parameters.size() ? parameters[index].variable : nullptr;
}

// "tile[7]"; empty where nothing has a name.
std::string Machine::elementAt(const Op& op, const Segment& segment, std::uint64_t offset,
                               std::uint64_t bytes) const {
  const int width = isa::bitWidth(op.type);
  const std::uint64_t size = width >= 8 ? static_cast<std::uint64_t>(width) / 8 : bytes;
  const ir::Module& module = program_->module();
  if (segment.isShared) {
    const ir::Variable* found = nullptr;
    std::uint64_t begin = 0;
    for (const auto& [variable, at] : program_->sharedVariables()) {
      if (at > offset || (found != nullptr && at < begin)) continue;
      if (variable->size != 0 && offset >= at + variable->size) continue;
      found = variable;
      begin = at;
    }
    if (found == nullptr) return {};
    return elementName(shortName(module.text(found->name)), found, offset - begin, size);
  }
  if (segment.name == TensorMemory::kName) {
    const TensorWord word = TensorMemory::wordAt(offset);
    return "lane " + std::to_string(word.lane) + ", column " + std::to_string(word.column);
  }
  if (const ir::Variable* parameter = parameterOf(segment)) {
    // nvcc calls the first parameter of k "k_param_0".
    const std::string_view name = module.text(parameter->name);
    const std::string made = std::string(program_->kernel().nameText()) + "_param_";
    const std::string number = segment.name.substr(segment.name.rfind(' ') + 1);
    return elementName(name.starts_with(made) ? "arg" + number : std::string(name), nullptr, offset,
                       size);
  }
  for (const ImageObject& object : program_->image().objects()) {
    if (object.address != segment.base) continue;
    return elementName(shortName(object.name), object.variable, offset, size);
  }
  const bool isBuffer = segment.written.empty() && segment.name.find(' ') == std::string::npos;
  return isBuffer ? elementName(segment.name, nullptr, offset, size) : std::string();
}

// "tile[7] (shared memory + 28)", "0x1000 (memory of malloc + 8)".
std::string Machine::placeText(const Op& op, const Segment& segment, std::uint64_t offset,
                               std::uint64_t bytes) const {
  const std::string name = elementAt(op, segment, offset, bytes);
  return (name.empty() ? hexadecimal(segment.base + offset) : name) + " (" + segment.name + " + " +
         std::to_string(offset) + ")";
}

// What is said of an access outside of shared memory.
std::string Machine::sharedBounds(const Segment& shared) const {
  std::string text =
      "outside of the " + std::to_string(shared.bytes.size()) + " bytes of shared memory";
  if (!program_->usesDynamicShared()) return text;
  return text + (geometry_.dynamicShared == 0
                     ? "; the kernel uses dynamic shared memory: --shared N gives it N bytes"
                     : ", of which --shared gave " + std::to_string(geometry_.dynamicShared));
}

}  // namespace ptxopt::interp
