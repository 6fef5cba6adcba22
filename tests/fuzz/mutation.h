// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does the comparison notice when something that is needed is gone?
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "checks.h"
#include "generator.h"

namespace ptxopt::fuzz {

struct Mutant {
  std::size_t line = 0;    // from 1
  bool isBarrier = false;  // otherwise a store
  std::string text;        // without it
  bool caught = false;
  std::string why{};  // a pass has kept it for
  // It is kept for two accesses whose addresses are looked at, and not for a partial barrier, a
  // fence, a wait or an end on one of the sides.
  bool isForAccesses = false;
  std::string addresses{};  // of the two
  // The launch that it is caught in, where that is not the one that the text describes.
  std::string launch{};
};

// Every line that the generator knows to be needed, deleted, one at a time.
std::vector<Mutant> deleteNeeded(const RandomKernel& kernel);

// Every barrier of the CTA and every store to shared or global memory that the launches of the
// module execute, deleted, one at a time, needed or not.
std::vector<Mutant> deleteEach(const std::string& name, const std::string& text,
                               const CheckOptions& options);

// The CTA barriers that the pipeline (of dead-sync and warp-sync) keeps for a conflict and that the
// launches execute, deleted from what it makes of the text, one at a time.  `output` is set to that
// text; lines are those of `text`.
std::vector<Mutant> deleteKept(const std::string& name, const std::string& text,
                               const std::string& pipeline, const CheckOptions& options,
                               std::string& output);

// Fills in which ones are caught.
void judge(const std::string& name, const std::string& text, std::vector<Mutant>& mutants,
           const CheckOptions& options);

// Fills in which of the others, of those for two accesses, are caught by another launch for which
// `text` is right: one to which neither the text nor the assumptions object.  Pointers lead to the
// memory that the conflict is about; scalars, buffers, the grid and, where it is open, the block
// change.  `all`: this second kind of launches is tried for all others.
void judgeElsewhere(const std::string& name, const std::string& text, std::vector<Mutant>& mutants,
                    const CheckOptions& options, bool all);

}  // namespace ptxopt::fuzz
