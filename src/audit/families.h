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

// What values are: ranges, forms, and whether threads agree about them (value_claims.cpp).
void collectValues(const Subject& subject, const analysis::TextPlaces& places, const Forms& forms);

// Where accesses go, what holds where they are executed, and which of them have no byte in common
// (access_claims.cpp).
void collectAccesses(const Subject& subject, const analysis::TextPlaces& places, const Forms& forms,
                     const CollectOptions& options);

// Which ways are never taken (control_claims.cpp).
void collectEdges(const Subject& subject, const analysis::TextPlaces& places);
// What threads do together.  `uniformity`: of a body that all threads of the CTA enter together, or
// null.
void collectUniform(const Subject& subject, const analysis::TextPlaces& places,
                    const analysis::Uniformity* uniformity);
void collectNonExitedThreads(const Subject& subject, const analysis::TextPlaces& places,
                             const analysis::CallEffects& effects);

}  // namespace ptxopt::audit
