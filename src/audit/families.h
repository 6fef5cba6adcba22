// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of claims, one file each.
#pragma once

#include <optional>

#include "analysis/memory/memory_effects.h"
#include "analysis/threads/uniformity.h"
#include "analysis/values/text_places.h"
#include "audit/collect.h"
#include "audit/forms.h"
#include "audit/subject.h"

namespace ptxopt::audit {

// Values: ranges, forms, and whether threads agree about them (value_claims.cpp).
void collectValues(const Subject& subject, const analysis::TextPlaces& places, const Forms& forms);

// Accesses: their addresses, conditions that hold when they are executed, and which of them have no
// byte in common (access_claims.cpp).
void collectAccesses(const Subject& subject, const analysis::TextPlaces& places, const Forms& forms,
                     const CollectOptions& options);

// Edges that are never taken (control_claims.cpp).
void collectEdges(const Subject& subject, const analysis::TextPlaces& places);
// Blocks that threads execute together.  `uniformity`: for a body that all threads of the CTA enter
// together, or null.
void collectUniform(const Subject& subject, const analysis::TextPlaces& places,
                    const analysis::Uniformity* uniformity);
void collectNonExitedThreads(const Subject& subject, const analysis::TextPlaces& places,
                             const analysis::CallEffects& effects);

}  // namespace ptxopt::audit
