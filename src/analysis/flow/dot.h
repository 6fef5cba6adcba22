// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A control-flow graph as Graphviz text.
//
// A node for each block, with its label, its lines in the source and its instructions; unreachable
// blocks are dashed, edges carry their kind, virtual ones are dotted.  CTA barriers of all threads
// cut the code into regions, which have numbers and colours of their own: what lies in one region
// is not ordered by a barrier.  O(text).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "analysis/flow/cfg.h"

namespace ptxopt::analysis {

using InstructionText = std::function<std::string(const ir::Instruction&)>;

// The source text of an instruction in one line; of one without source, or that was changed, its
// mnemonic.
std::string shortText(const ir::Function& function, const ir::Instruction& instruction);

// Lines about what stood somewhere in the source and was taken out.
using RemovedText = std::map<Offset, std::string>;

// One `digraph`, named after the function.  `text` empty: shortText().
std::string dot(const Cfg& cfg, const InstructionText& text = {}, const RemovedText& removed = {});

}  // namespace ptxopt::analysis
