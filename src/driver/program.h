// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several inputs as one program: --whole-program.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "passes/engine/pipeline.h"
#include "support/source.h"

namespace ptxopt::driver {

// Tells `global-opt` in the pipeline that it sees a whole program, whose host uses these names;
// puts it in front where the pipeline has none.
void addHostSymbols(std::vector<passes::PipelineStep>& pipeline,
                    const std::vector<std::string>& names);

// Takes that back.
void dropHostSymbols(std::vector<passes::PipelineStep>& pipeline);

// The names that more than one of the texts declares for others, or uses without declaring it: what
// one file does to them, the others must see.  Sets `isKnown` to false where a text has directives
// that are not known; then any name may be in it.  Null texts and those with errors say nothing.
// Parses each text; peak memory that of the largest.
std::vector<std::string> sharedNames(std::span<const std::shared_ptr<const SourceText>> texts,
                                     bool& isKnown);

}  // namespace ptxopt::driver
