// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A control-flow graph as Graphviz text.
//
// Each block is a node with its label, its source lines and its instructions.  Unreachable blocks
// are dashed, edges show their kind, and virtual edges are dotted.  CTA barriers of all threads cut
// the code into regions, which have numbers and colours: no barrier orders the accesses within one
// region.  O(text).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "analysis/flow/cfg.h"

namespace ptxopt::analysis {

using InstructionText = std::function<std::string(const ir::Instruction&)>;

// The source text of an instruction in one line.  For an instruction without source text, or one
// that was changed, its mnemonic.
std::string shortText(const ir::Function& function, const ir::Instruction& instruction);

// Lines about statements that were removed, by their offset in the source.
using RemovedText = std::map<Offset, std::string>;

// One `digraph`, named after the function.  Without `text`, shortText() is used.
std::string dot(const Cfg& cfg, const InstructionText& text = {}, const RemovedText& removed = {});

}  // namespace ptxopt::analysis
