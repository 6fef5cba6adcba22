// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma: issue, groups, and when a product reads and writes.
#include "interp/machine_warpgroup.h"

#include <algorithm>

#include "interp/arithmetic/conversion.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

namespace {

constexpr std::uint64_t kRarityOfProducts = 8;  // one in so many chances to land on its own

}  // namespace

std::span<Machine::Thread> Machine::Warpgroups::threadsOf(const Product& product) const {
  return machine_->lanesOf(*product.cta, product.warp);
}

void Machine::Warpgroups::run(Cta& cta, std::uint32_t warp, const Op& op) {
  const std::span<Thread> threads = machine_->lanesOf(cta, warp);
  const auto kind = static_cast<CollectiveKind>(op.detail);
  if (kind == CollectiveKind::WarpgroupMultiply) return issue(threads, op);
  follow(threads[0], {&op, warp});
  WarpState& state = stateOf(cta, warp);
  switch (kind) {
    case CollectiveKind::WarpgroupFence:
      state.hasFence = true;
      state.fenced = state.clock;
      for (Fragment& fragment : state.fragments) fragment.touched = 0;
      return;
    case CollectiveKind::WarpgroupCommit:
      return commit(state);
    default:
      return waitFor(threads, op);
  }
}

// ---- issue --------------------------------------------------------------------------------------

std::shared_ptr<Machine::Warpgroups::Product> Machine::Warpgroups::makeProduct(
    std::span<Thread> threads, const Op& op) const {
  const Thread& first = threads[0];
  auto product = std::make_shared<Product>();
  product->op = &op;
  product->form = &first.code->warpgroups[op.index];
  product->cta = first.cta;
  product->warp = first.warp();
  const WarpgroupForm& form = *product->form;
  product->descriptorA = form.descriptorA != 0 ? first.frame[form.descriptorA] : 0;
  product->descriptorB = first.frame[form.descriptorB];
  product->accumulates = first.frame[form.accumulates] != 0;
  for (const Thread& thread : threads) {
    const Frame r = thread.frame;
    const bool isSame = (form.descriptorA == 0 || r[form.descriptorA] == product->descriptorA) &&
                        r[form.descriptorB] == product->descriptorB &&
                        (r[form.accumulates] != 0) == product->accumulates;
    if (!isSame) {
      machine_->fault(FindingKind::BarrierDivergence, op,
                      "the threads of a warp give different descriptors or values of scale-d: " +
                          describe(machine_->nameOf(first)) + " and " +
                          describe(machine_->nameOf(thread)));
    }
    product->frames[thread.lane()] = thread.frameBase;
    if (form.matrix.isSparse) {
      product->metadata[thread.lane()] = static_cast<std::uint32_t>(r[form.matrix.metadata]);
    }
  }
  return product;
}

void Machine::Warpgroups::issue(std::span<Thread> threads, const Op& op) {
  const std::shared_ptr<Product> product = makeProduct(threads, op);
  follow(threads[0],
         {&op, product->warp, product->descriptorA, product->descriptorB, product->accumulates});
  WarpState& state = stateOf(*product->cta, product->warp);
  product->clock = ++state.clock;
  useOperands(threads, state, *product);
  checkFragments(threads[0], state, *product);
  if (state.agent == 0) state.agent = machine_->newAgent(threads[0]);
  if (product->form->descriptorA != 0) {
    recordReads(threads, state, *product, MatrixRole::A);
  }
  recordReads(threads, state, *product, MatrixRole::B);
  state.products.push_back(product);
  inFlight_.push_back(product);
  if (machine_->landsEarly_) landUpTo(state, product->clock);
  wakeOthers(*product->cta, product->warp);
}

// Reads begin at the issue.  The manual does not say which thread reads which bytes, so here it
// differs between runs.
void Machine::Warpgroups::recordReads(std::span<Thread> threads, WarpState& state, Product& product,
                                      MatrixRole role) const {
  const bool isA = role == MatrixRole::A;
  const MatrixDescriptor matrix(isA ? product.descriptorA : product.descriptorB);
  const PieceGrid grid =
      isA ? product.form->gridOfA(product.warp % kWarps) : product.form->gridOfB();
  const Op& op = *product.op;
  Segment& shared = product.cta->shared;
  const std::string name = isA ? "matrix A" : "matrix B";
  if (const auto stride = findUnalignedStride(matrix, grid)) {
    machine_->fault(FindingKind::Misaligned, op,
                    "the descriptor of " + name + " leads by " + std::to_string(*stride) +
                        " bytes from one swizzle pattern of " +
                        std::to_string(matrix.patternBytes()) + " bytes to the next, by " +
                        describe(machine_->nameOf(threads[0])));
  }
  Access access;
  access.agent = state.agent;
  access.clock = product.clock;
  access.site = op.number;
  access.scope = scopeOf(op);
  access.proxy = Proxy::AsyncShared;
  std::size_t who = 0;
  auto& views = state.views;
  if (machine_->options_.detectsRaces) {
    who = machine_->scheduler_->random(32);
    const AgentId first = machine_->firstAsync();
    for (Thread& thread : threads) views[thread.lane()].of(thread.clock, access.proxy, first);
  }
  for (std::uint32_t line = 0; line < grid.lines; ++line) {
    for (std::uint32_t column = 0; column < grid.columns; ++column, ++who) {
      const std::uint64_t address =
          addressOfPiece(matrix, grid.isKMajor, grid.firstLine + line, grid.firstColumn + column);
      Thread& thread = threads[who % threads.size()];
      const std::uint64_t offset = address - kSharedBase;  // a large number if it is below
      constexpr std::uint32_t kBytes = MatrixDescriptor::kPieceBytes;
      if (address < kSharedBase || offset + kBytes > shared.bytes.size()) {
        machine_->fault(FindingKind::OutOfBounds, op,
                        "read of " + name + " at " + hexadecimal(address) + ", " +
                            machine_->sharedBounds(shared) + ", by " +
                            describe(machine_->nameOf(thread)));
      }
      if (!machine_->options_.detectsRaces) continue;
      const Place place{shared.bytes.data() + offset, &shared, offset};
      Race race;
      if (shared.shadow->access(offset, kBytes, views[thread.lane()].last(), access, race)) {
        machine_->reportRace(thread, op, place, kBytes, access, race);
      }
      if (product.why == nullptr && machine_->isUndefined(place, kBytes)) {
        product.why = &machine_->originOf(thread, op, place, kBytes);
      }
    }
  }
}

// ---- groups -------------------------------------------------------------------------------------

void Machine::Warpgroups::commit(WarpState& state) {
  for (const auto& product : state.products) {
    if (product->isCommitted) continue;
    product->isCommitted = true;
    product->group = state.commits;
  }
  ++state.commits;
}

std::uint32_t Machine::Warpgroups::lastCovered(const WarpState& state, std::uint32_t allowed) {
  std::uint32_t latest = 0;
  for (const auto& product : state.products) {
    if (!product->isCommitted || state.commits - product->group <= allowed) break;
    latest = product->clock;
  }
  return latest;
}

void Machine::Warpgroups::waitFor(std::span<Thread> threads, const Op& op) {
  const Cta& cta = *threads[0].cta;
  const std::uint32_t warp = threads[0].warp();
  WarpState& state = stateOf(cta, warp);
  const std::uint32_t latest =
      lastCovered(state, static_cast<std::uint32_t>(threads[0].frame[op.a]));
  if (latest == 0) return;
  const auto complete = [&](WarpState& of) {
    landUpTo(of, latest);
    if (!machine_->options_.detectsRaces) return;
    const Snapshot done{nullptr, of.agent, latest};
    for (Thread& thread : threads) thread.clock.learn(done, machine_->learnMemo_);
  };
  complete(state);
  std::erase_if(state.products, [&](const auto& product) { return product->clock <= latest; });
  state.waited = latest;
  if (!state.undefined.empty()) putUndefined(threads, state);
  if (!machine_->options_.warpgroupWaits) return;
  // The same products have the same clocks in all warps, of which some may have exited.
  const std::uint32_t firstWarp = warp / kWarps * kWarps;
  for (std::uint32_t other = firstWarp; other < firstWarp + kWarps; ++other) {
    const auto of = warps_.find({&cta, other});
    if (other != warp && of != warps_.end() && of->second.clock >= latest) complete(of->second);
  }
}

template <class Visit>
void Machine::Warpgroups::forOthers(const Cta& cta, std::uint32_t warp, Visit visit) const {
  const std::uint32_t first = warp / kWarps * kWarps;
  for (std::uint32_t other = first; other < first + kWarps; ++other) {
    if (other != warp && !isAbsent(cta, other)) visit(other);
  }
}

bool Machine::Warpgroups::canWait(const Cta& cta, std::uint32_t warp, const Op& op) const {
  if (!machine_->options_.warpgroupWaits) return true;
  const auto group = groups_.find({&cta, warp / kWarps});
  const auto mine = warps_.find({&cta, warp});
  if (group == groups_.end() || group->second.hasDiverged || mine == warps_.end()) return true;
  const Thread& first = cta.threads[std::size_t{warp} * 32];
  const std::uint32_t latest =
      lastCovered(mine->second, static_cast<std::uint32_t>(first.frame[op.a]));
  bool all = true;
  forOthers(cta, warp, [&](std::uint32_t other) {
    const auto state = warps_.find({&cta, other});
    all = all && (latest == 0 || (state != warps_.end() && state->second.clock >= latest));
  });
  return all;
}

// What they wait for may have happened.
void Machine::Warpgroups::wakeOthers(Cta& cta, std::uint32_t warp) {
  if (!machine_->options_.warpgroupWaits) return;
  forOthers(cta, warp, [&](std::uint32_t other) { woken_.emplace_back(&cta, other); });
}

void Machine::Warpgroups::settle() {
  while (!woken_.empty()) {
    const auto [cta, warp] = woken_.back();
    woken_.pop_back();
    machine_->settleCollective(*cta, warp);
  }
}

// ---- execution ----------------------------------------------------------------------------------

std::vector<std::uint8_t> Machine::Warpgroups::piecesOf(const Product& product, MatrixRole role,
                                                        bool flipsUnwritten) {
  const bool isA = role == MatrixRole::A;
  const MatrixDescriptor matrix(isA ? product.descriptorA : product.descriptorB);
  const PieceGrid grid =
      isA ? product.form->gridOfA(product.warp % kWarps) : product.form->gridOfB();
  std::vector<std::uint8_t> pieces;
  pieces.reserve(std::size_t{grid.count()} * MatrixDescriptor::kPieceBytes);
  for (std::uint32_t line = 0; line < grid.lines; ++line) {
    for (std::uint32_t column = 0; column < grid.columns; ++column) {
      const std::uint32_t address =
          addressOfPiece(matrix, grid.isKMajor, grid.firstLine + line, grid.firstColumn + column);
      const std::uint64_t offset = address - kSharedBase;
      const Segment& shared = product.cta->shared;
      for (std::uint64_t k = offset; k < offset + MatrixDescriptor::kPieceBytes; ++k) {
        const bool flips = flipsUnwritten && !shared.written.test(k);
        pieces.push_back(static_cast<std::uint8_t>(shared.bytes[k] ^ (flips ? 0xff : 0)));
      }
    }
  }
  return pieces;
}

void Machine::Warpgroups::readSources(Product& product) const {
  if (product.isRead) return;
  product.isRead = true;
  const WarpgroupForm& form = *product.form;
  if (form.descriptorA != 0) {
    product.values.a = elementsOf(form, MatrixRole::A, piecesOf(product, MatrixRole::A, false));
  } else {
    product.values.a.resize(
        static_cast<std::size_t>(form.matrix.shape.m * form.matrix.storedDepth()));
    const int bits = bitsOf(form.matrix.element(MatrixRole::A));
    forElements(product, MatrixRole::A,
                [&](const Thread& thread, std::size_t place, int shift, std::size_t at) {
                  product.values.a[at] = truncated(stackOf(thread)[place] >> shift, bits);
                });
  }
  product.values.b = elementsOf(form, MatrixRole::B, piecesOf(product, MatrixRole::B, false));
  if (product.why != nullptr) readTwinSources(product);
}

void Machine::Warpgroups::land(WarpState& state, Product& product) const {
  if (product.landed) return;
  readSources(product);
  product.landed = true;
  const MatrixForm& form = product.form->matrix;
  const int bits = bitsOf(form.element(MatrixRole::D));
  MatrixValues& values = product.values;
  values.c.resize(static_cast<std::size_t>(form.shape.m * form.shape.n));
  values.d.resize(values.c.size());
  if (product.accumulates) {
    forElements(product, MatrixRole::D,
                [&](const Thread& thread, std::size_t place, int shift, std::size_t at) {
                  values.c[at] = truncated(stackOf(thread)[place] >> shift, bits);
                });
  }
  const bool isUndefined = product.why != nullptr || !state.undefined.empty();
  MatrixValues twin = isUndefined ? twinValuesOf(state, product) : MatrixValues{};
  multiply(*product.form, values, product.metadata);
  forElements(
      product, MatrixRole::D, [&](Thread& thread, std::size_t place, int shift, std::size_t at) {
        Slot& slot = stackOf(thread)[place];
        const Slot mask = truncated(~Slot{0}, bits);
        slot = shift == 0 ? values.d[at] : (slot & ~(mask << shift)) | values.d[at] << shift;
        const bool hasTwin = thread.twin != nullptr && place < thread.twin->origins.size();
        if (hasTwin) twinStackOf(thread)[place] = slot;
      });
  if (isUndefined) {
    multiply(*product.form, twin, product.metadata);
    noteUndefined(state, product, twin);
  }
  values = {};
  product.twin = {};
}

void Machine::Warpgroups::landUpTo(WarpState& state, std::uint32_t clock) {
  for (const auto& product : state.products) {
    if (product->clock <= clock) land(state, *product);
  }
  std::erase_if(inFlight_, [](const auto& product) { return product->landed; });
}

void Machine::Warpgroups::landOne() {
  if (machine_->landsLate_ || machine_->scheduler_->random(kRarityOfProducts) != 0) return;
  Product& product = *inFlight_[machine_->scheduler_->random(inFlight_.size())];
  if (machine_->scheduler_->random(2) == 0) return readSources(product);
  landUpTo(stateOf(*product.cta, product.warp), product.clock);
}

void Machine::Warpgroups::leaveFunction(const Thread& thread) {
  const auto found = warps_.find({thread.cta, thread.warp()});
  if (found == warps_.end()) return;
  WarpState& state = found->second;
  // Its registers end here.
  const std::size_t begin = thread.frameBase;
  for (const auto& product : state.products) {
    if (product->frames[thread.lane()] < begin) continue;
    Finding& finding = machine_->finding(FindingKind::RegisterInFlight, thread.op(),
                                         describe(machine_->nameOf(thread)) +
                                             " returns before a wgmma with registers of the " +
                                             "function is complete",
                                         product->op, "it was issued here");
    machine_->involve(finding, machine_->agentOf(thread));
    landUpTo(state, product->clock);
  }
  if (state.fragments.size() > begin) state.fragments.resize(begin);
  state.undefined.erase(state.undefined.lower_bound({begin, 0}), state.undefined.end());
}

void Machine::Warpgroups::exit(const Thread& thread) {
  const Key key{thread.cta, thread.warp()};
  if (const auto found = warps_.find(key); found != warps_.end()) {
    landUpTo(found->second, found->second.clock);
  }
  const std::uint32_t others = warpOf(thread).live & ~(1u << thread.lane());
  if (others != 0) return;
  const auto group = groups_.find({thread.cta, thread.warp() / kWarps});
  if (group == groups_.end()) return;
  const std::uint64_t executed = group->second.executed[thread.warp() % kWarps];
  const std::uint64_t first = group->second.firstStep;
  if (!group->second.hasDiverged && executed < first + group->second.steps.size()) {
    const Step& step = group->second.steps[executed - first];
    reportAbsent(*thread.cta, step, thread.warp(), group->second);
    wakeOthers(*thread.cta, thread.warp());
  }
  bool isLast = true;
  forOthers(*thread.cta, thread.warp(), [&](std::uint32_t) { isLast = false; });
  if (!isLast) return;
  groups_.erase(group);
  const std::uint32_t firstWarp = thread.warp() / kWarps * kWarps;
  for (std::uint32_t warp = firstWarp; warp < firstWarp + kWarps; ++warp) {
    warps_.erase({thread.cta, warp});
  }
}

}  // namespace ptxopt::interp
