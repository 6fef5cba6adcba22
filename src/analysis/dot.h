// A control-flow graph as Graphviz text.
//
// A node for each block, with its label, its lines in the source and its instructions; unreachable
// blocks are dashed, edges carry their kind, virtual ones are dotted.  O(text).
#pragma once

#include <functional>
#include <string>

#include "analysis/cfg.h"

namespace ptxopt::analysis {

using InstructionText = std::function<std::string(const ir::Instruction&)>;

// The source text of an instruction in one line; of one without source, or that was changed, its
// mnemonic.
std::string shortText(const ir::Function& function, const ir::Instruction& instruction);

// One `digraph`, named after the function.  `text` empty: shortText().
std::string dot(const Cfg& cfg, const InstructionText& text = {});

}  // namespace ptxopt::analysis
