// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma of undefined values (see machine_undefined.cpp).
//
// A wgmma reads whole matrices, also where a kernel has stored only some rows and uses only those
// of the result.  So a product with undefined values is computed twice, the second time with the
// opposite of their bits.  What differs in the accumulators is undefined, for who reads it after
// the wait; to read it before is another finding.
#include "interp/arithmetic/conversion.h"
#include "interp/machine_warpgroup.h"

namespace ptxopt::interp {

// At the issue.  The twins of the threads get the accumulators back at the wait.
void Machine::Warpgroups::useOperands(std::span<Thread> threads, WarpState& state,
                                      Product& product) const {
  const WarpgroupForm& form = *product.form;
  for (Thread& thread : threads) {
    if (thread.twin == nullptr) continue;
    const auto undefinedAt = [&](std::uint32_t slot) {
      return UndefinedBits{twinValue(thread, slot) ^ thread.frame[slot], originOf(thread, slot)};
    };
    const auto keyOf = [&](std::uint32_t slot) {
      return std::make_pair(thread.frameBase + slot, thread.lane());
    };
    for (const std::uint32_t slot : form.matrix.slotsOf(MatrixRole::A)) {
      const UndefinedBits undefined = undefinedAt(slot);
      if (undefined.why == nullptr) continue;
      product.undefinedA[keyOf(slot)] = undefined;
      product.why = undefined.why;
    }
    for (const std::uint32_t slot : form.matrix.slotsOf(MatrixRole::D)) {
      const UndefinedBits undefined = undefinedAt(slot);
      if (undefined.why != nullptr && product.accumulates) state.undefined[keyOf(slot)] = undefined;
      putResult(thread, slot, thread.frame[slot]);
    }
    std::vector<std::uint32_t> others = {form.descriptorA, form.descriptorB, form.accumulates};
    if (hasMetadata(form.matrix, thread.lane())) others.push_back(form.matrix.metadata);
    machine_->depend(thread, *product.op, originOf(thread, others), "the matrix operation here");
  }
}

void Machine::Warpgroups::readTwinSources(Product& product) const {
  const WarpgroupForm& form = *product.form;
  product.twin.b = elementsOf(form, MatrixRole::B, piecesOf(product, MatrixRole::B, true));
  if (form.descriptorA != 0) {
    product.twin.a = elementsOf(form, MatrixRole::A, piecesOf(product, MatrixRole::A, true));
    return;
  }
  product.twin.a = product.values.a;
  const int bits = bitsOf(form.matrix.element(MatrixRole::A));
  forElements(product, MatrixRole::A,
              [&](const Thread& thread, std::size_t place, int shift, std::size_t at) {
                const auto undefined = product.undefinedA.find({place, thread.lane()});
                if (undefined == product.undefinedA.end()) return;
                product.twin.a[at] ^= truncated(undefined->second.bits >> shift, bits);
              });
}

// Before the product is computed: what its twin is computed of.
MatrixValues Machine::Warpgroups::twinValuesOf(const WarpState& state,
                                               const Product& product) const {
  const MatrixForm& form = product.form->matrix;
  const bool hasSources = product.why != nullptr;
  MatrixValues twin;
  twin.a = hasSources ? product.twin.a : product.values.a;
  twin.b = hasSources ? product.twin.b : product.values.b;
  twin.c = product.values.c;
  twin.d.resize(twin.c.size());
  if (!product.accumulates) return twin;
  const int bits = bitsOf(form.element(MatrixRole::D));
  forElements(product, MatrixRole::D,
              [&](const Thread& thread, std::size_t place, int shift, std::size_t at) {
                const auto undefined = state.undefined.find({place, thread.lane()});
                if (undefined == state.undefined.end()) return;
                twin.c[at] ^= truncated(undefined->second.bits >> shift, bits);
              });
  return twin;
}

// After both are computed.
void Machine::Warpgroups::noteUndefined(WarpState& state, const Product& product,
                                        const MatrixValues& twin) const {
  forElements(product, MatrixRole::D,
              [&](const Thread& thread, std::size_t place, int shift, std::size_t at) {
                UndefinedBits& undefined = state.undefined[{place, thread.lane()}];
                if (shift == 0) undefined.bits = 0;
                undefined.bits |= (product.values.d[at] ^ twin.d[at]) << shift;
                if (undefined.why == nullptr) undefined.why = product.why;
              });
  std::erase_if(state.undefined, [](const auto& entry) { return entry.second.bits == 0; });
}

// The threads have waited: what is undefined is so for them, unless a later product has it.
void Machine::Warpgroups::putUndefined(std::span<Thread> threads, WarpState& state) {
  std::erase_if(state.undefined, [&](const auto& entry) {
    const auto& [place, lane] = entry.first;
    if (place < state.fragments.size() && state.fragments[place].written > state.waited) {
      return false;
    }
    Thread& thread = threads[lane];
    if (place >= thread.stackSize) return true;
    twinOf(thread);
    extendTwin(thread);
    twinStackOf(thread)[place] = stackOf(thread)[place] ^ entry.second.bits;
    thread.twin->origins[place] = entry.second.why;
    return true;
  });
}

}  // namespace ptxopt::interp
