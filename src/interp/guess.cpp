// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "interp/launch.h"
#include "interp/program.h"

namespace ptxopt::interp {

std::vector<Argument> guessArguments(const ir::Function& kernel, const GuessSize& size) {
  bool loadsFloats = false;
  for (const ir::Statement& statement : kernel.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || !instruction->desc->isLoad()) continue;
    const isa::Space space = instruction->desc->space;
    const bool fromBuffer = space == isa::Space::Global || space == isa::Space::None;
    loadsFloats = loadsFloats || (fromBuffer && isa::isFloat(instruction->desc->type));
  }
  const std::string content = loadsFloats ? ":random:f32" : ":small:u32";
  std::vector<Argument> arguments;
  std::uint64_t integers = 0;
  for (const ir::Variable* variable : entryParameters(kernel)) {
    std::string text;
    const int width = isa::bitWidth(variable->type);
    if (!variable->dimensions.empty() || width == 0 || width > 64) {
      text = "zero:" + std::to_string(parameterBytes(*variable));
    } else if (isa::isFloat(variable->type)) {
      text = std::string(isa::spelling(variable->type).substr(1)) + ":1.5";
    } else if (width == 64) {
      text = "buffer:" + std::to_string(size.bufferBytes) + content;
    } else {
      const std::uint64_t less = size.differ ? size.integer / 8 * (integers++ % 7) : 0;
      const bool isFlag = size.differ && width <= 8;
      text = "u" + std::to_string(std::max(width, 8)) + ":" +
             std::to_string(isFlag ? 1 : size.integer - less);
    }
    std::string error;
    if (auto argument = parseArgument(text, error)) arguments.push_back(std::move(*argument));
  }
  return arguments;
}

}  // namespace ptxopt::interp
