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

// Tells the passes of the pipeline that look at whole programs that they see one, whose host uses
// these names.  If the pipeline has no such pass, one is added at the front.
void addHostSymbols(std::vector<passes::PipelineStep>& pipeline,
                    const std::vector<std::string>& names);

// A pass of the pipeline sees a whole program.
bool hasHostSymbols(const std::vector<passes::PipelineStep>& pipeline);

// Undoes addHostSymbols().
void dropHostSymbols(std::vector<passes::PipelineStep>& pipeline);

// The names that more than one of the texts declares for others, or uses without declaring them:
// every file must see what another does to them.  Sets `isKnown` to false if a text has unknown
// directives, or is not understood at all: it may use any name.  Null texts and those with errors,
// with which nothing is written, are ignored.  Parses
// each text; the peak memory is that of the largest.
std::vector<std::string> sharedNames(std::span<const std::shared_ptr<const SourceText>> texts,
                                     bool& isKnown);

}  // namespace ptxopt::driver
