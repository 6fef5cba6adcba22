// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor copies, and what kernels do to tensor maps (PTX ISA 9.7.10.28.5, 9.7.10.29, 9.7.15.17).
//
// A tensor copy is a bulk copy (machine_async.cpp) whose bytes in global memory lie in pieces.  It
// reads its tensor map when it is issued; to the race detector that read is part of the copy, so
// nobody may change the map before the copy is complete.
#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/arithmetic/conversion.h"
#include "interp/atomic.h"
#include "interp/machine_bulk.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

namespace {

using isa::Space;

constexpr std::uint32_t kMapBytes = TensorMap::kBytes;
constexpr std::uint32_t kMapPiece = 16;     // a map is read in so many bytes at a time
constexpr std::uint32_t kUnpackedSix = 16;  // bytes of shared memory for 12 of the tensor

// PTX ISA 9.7.10.28.5.4.
bool isReducible(TensorElement element, AtomicOperation operation) {
  const isa::Type type = reductionType(element);
  const bool isHalf = type == isa::Type::F16 || type == isa::Type::BF16;
  switch (operation) {
    case AtomicOperation::Add:
      return type != isa::Type::None && type != isa::Type::S64;
    case AtomicOperation::Minimum:
    case AtomicOperation::Maximum:
      return isHalf || (type != isa::Type::None && !isa::isFloat(type));
    case AtomicOperation::Increment:
    case AtomicOperation::Decrement:
      return type == isa::Type::U32;
    default:
      return type != isa::Type::None && !isa::isFloat(type);
  }
}

}  // namespace

// ---- the map ------------------------------------------------------------------------------------

void Machine::refuseMap(const Op& op, const Thread& thread, std::uint64_t address,
                        const std::string& problem) {
  std::uint64_t at = address;
  std::string where = "at " + hexadecimal(address);
  if (leaveWindow(Space::None, at) == Space::ParamEntry) {
    const auto& parameters = program_->parameters();
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (parameters[k].offset + kParameterBase != at) continue;
      where = "of argument " + std::to_string(k);
    }
  }
  fault(FindingKind::TensorMap, op,
        "the 128 bytes " + where + " are not a tensor map: " + problem + ", by " +
            describe(nameOf(thread)));
}

TensorMap Machine::readTensorMap(Thread& thread, const Op& op, std::uint64_t address,
                                 Place& place) {
  if (address % TensorMap::kAlignment != 0) {
    fault(FindingKind::Misaligned, op,
          "a tensor map at " + hexadecimal(address) + ", not a multiple of 64, by " +
              describe(nameOf(thread)));
  }
  std::uint64_t at = address;
  const Space space = leaveWindow(Space::None, at);
  if (space == Space::Shared || space == Space::SharedCluster || space == Space::Local) {
    refuseMap(op, thread, address, "they are in shared or local memory");
  }
  TensorMapBytes bytes{};
  for (std::uint32_t k = 0; k < kMapBytes; k += kMapPiece) {
    const Place part = resolve(thread, op, Space::None, address + k, kMapPiece, false);
    if (k == 0) place = part;
    std::memcpy(bytes.data() + k, part.data, kMapPiece);
  }
  std::string problem;
  const auto map = decodeTensorMap(bytes, problem);
  if (!map) refuseMap(op, thread, address, problem);
  return *map;
}

// ---- issue --------------------------------------------------------------------------------------

TensorPlan Machine::planTensor(Thread& thread, const Op& op, const TensorMap& map,
                               std::uint64_t shared) {
  const BulkForm& form = thread.code->bulks[op.index];
  TensorAccess access;
  access.path = form.tensor->path;
  access.toShared = form.barrier.slot != 0;
  access.rank = form.tensor->rank;
  access.shared = shared;
  for (const std::uint32_t slot : form.tensor->coordinates) {
    access.coordinates.push_back(static_cast<std::int32_t>(thread.frame[slot]));
  }
  for (const std::uint32_t slot : form.tensor->offsets) {
    access.offsets.push_back(static_cast<std::uint16_t>(thread.frame[slot]));
  }
  TensorProblem problem;
  auto plan = planTensorCopy(map, access, problem);
  if (!plan) fault(problem.kind, op, problem.message + ", by " + describe(nameOf(thread)));
  return std::move(*plan);
}

std::vector<TensorTarget> Machine::targetsOf(Thread& thread, const Op& op, const BulkForm& form) {
  const std::uint64_t to = form.to.in(thread.frame);
  const std::uint64_t barrier = form.barrier.in(thread.frame);
  if (form.mask == 0) return {{to, barrier}};
  const std::size_t ctas = thread.cta->cluster->ctas.size();
  const std::uint64_t mask = thread.frame[form.mask] & 0xffff;
  if (mask >> ctas != 0) {
    fault(FindingKind::OutOfBounds, op,
          "a multicast to more CTAs than the cluster of " + std::to_string(ctas) + " has, by " +
              describe(nameOf(thread)));
  }
  // A pair of CTAs signals the one of the two whose rank is even or odd as that of the mbarrier.
  std::uint64_t named = barrier;
  leaveWindow(Space::None, named);
  const std::uint64_t parity = named >> kRankShift & 1;
  std::vector<TensorTarget> targets;
  for (std::uint64_t rank = 0; rank < ctas; ++rank) {
    if ((mask >> rank & 1) == 0) continue;
    const std::uint64_t signalled =
        form.tensor->isPair ? (rank & ~std::uint64_t{1}) | parity : rank;
    targets.push_back({inRank(to, rank), inRank(barrier, signalled)});
  }
  return targets;
}

void Machine::issueTensor(Thread& thread, const Op& op, const BulkForm& form) {
  Place place;
  const TensorMap map = readTensorMap(thread, op, form.tensor->map.in(thread.frame), place);
  if (form.operation && !isReducible(map.element, *form.operation)) {
    fault(FindingKind::TensorMap, op,
          "a tensor map with elements " + std::string(spelling(map.element)) +
              ", which the reduction does not support, by " + describe(nameOf(thread)));
  }
  if (form.barrier.slot == 0) {
    return issueTensor(thread, op, map, {form.from.in(thread.frame), 0}, place);
  }
  for (const TensorTarget& target : targetsOf(thread, op, form)) {
    issueTensor(thread, op, map, target, place);
  }
}

void Machine::issueTensor(Thread& thread, const Op& op, const TensorMap& map,
                          const TensorTarget& target, const Place& mapPlace) {
  const TensorPlan plan = planTensor(thread, op, map, target.shared);
  auto bulk = std::make_shared<Bulk>();
  bulk->issuer = &thread;
  bulk->op = &op;
  bulk->form = &thread.code->bulks[op.index];
  bulk->size = plan.bytes;
  bulk->tensor = std::make_unique<TensorTransfer>();
  TensorTransfer& tensor = *bulk->tensor;
  tensor.toShared = bulk->form->barrier.slot != 0;
  tensor.unpacksSix = plan.unpacksSix;
  tensor.element = map.element;
  tensor.fill = map.fill;
  (tensor.toShared ? bulk->to : bulk->from) =
      resolveRange(thread, op, Space::SharedCluster, target.shared, plan.extent, tensor.toShared);
  for (const TensorPiece& piece : plan.pieces) {
    const bool writes = !tensor.toShared;
    std::uint8_t* const global =
        piece.isInside ? resolveBytes(thread, op, piece.global, piece.size, writes).data : nullptr;
    tensor.pieces.push_back({global, piece.shared, piece.payload, piece.size});
  }
  const BulkAgents agents = trackCompletion(thread, bulk, target.barrier);
  checkBarrierOf(thread, *bulk);
  if (options_.detectsRaces) {
    checkMapRead(thread, *bulk, mapPlace, agents.reader);
    checkPieces(thread, *bulk, plan, agents);
  }
  launch(bulk);
}

void Machine::checkBarrierOf(const Thread& thread, const Bulk& bulk) {
  if (bulk.barrier == nullptr) return;
  const auto holds = [&](const Cta* cta) { return bulk.to.segment == &cta->shared; };
  if (bulk.form->tensor->isOwnShared && (!holds(thread.cta) || bulk.barrier != thread.cta)) {
    fault(FindingKind::OutOfBounds, *bulk.op,
          "a tensor copy to .shared::cta with an address in another CTA, by " +
              describe(nameOf(thread)));
  }
  if (holds(bulk.barrier)) return;
  const auto& ctas = bulk.barrier->cluster->ctas;
  const std::size_t peer = bulk.barrier->rank ^ 1u;
  if (bulk.form->tensor->isPair && peer < ctas.size() && holds(ctas[peer].get())) return;
  fault(FindingKind::OutOfBounds, *bulk.op,
        "a tensor copy whose mbarrier is in another CTA than its destination, by " +
            describe(nameOf(thread)));
}

// A copy that completes on an mbarrier may be part of a bulk group as well, which is complete when
// the map has been read (PTX ISA 9.7.10.28.5.3).
void Machine::checkMapRead(Thread& thread, Bulk& bulk, const Place& map, AgentId reader) {
  Access access;
  access.clock = bulk.clock;
  access.agent = reader;
  if (bulk.barrier != nullptr) {
    MapReads& reads = thread.mapReads;
    if (reads.agent == 0) reads.agent = newAgent(thread);
    access.agent = bulk.tensor->mapAgent = reads.agent;
    access.clock = bulk.tensor->mapClock = ++reads.clock;
    if (reads.groups.empty() || reads.groups.back().committed) reads.groups.emplace_back();
    reads.groups.back().clock = access.clock;
  }
  if (map.segment == nullptr || map.segment->isReadOnly) return;
  access.proxy = Proxy::TensorMap;
  check(thread, *bulk.op, map, kMapBytes, false, false, &access);
}

void Machine::waitForMapReads(Thread& thread, std::uint32_t allowed) const {
  auto& groups = thread.mapReads.groups;
  const auto isPending = [&](const MapReads::Group& group) {
    return !group.committed || thread.bulkGroup - group.group <= allowed;
  };
  const auto pending = std::find_if(groups.begin(), groups.end(), isPending);
  if (pending == groups.begin()) return;
  thread.clock.learn(Snapshot{nullptr, thread.mapReads.agent, std::prev(pending)->clock});
  groups.erase(groups.begin(), pending);
}

// The finding names the first byte that is not there.
Machine::Place Machine::resolveBytes(Thread& thread, const Op& op, std::uint64_t address,
                                     std::uint32_t size, bool writes) {
  Segment* const segment = memory_->find(address, size, recentSegment(op));
  if (segment == nullptr || (writes && segment->isReadOnly)) {
    const Segment* const begin = memory_->find(address, 1);
    const bool isCut = segment == nullptr && begin != nullptr;
    const std::uint64_t bad = isCut ? begin->base + begin->bytes.size() : address;
    return resolve(thread, op, Space::Global, bad, 1, writes);
  }
  const std::uint64_t offset = address - segment->base;
  return {segment->bytes.data() + offset, segment, offset};
}

namespace {

// Visits ranges [begin, end) that follow each other as one.
template <class Ranges, class Visit>
void forMerged(Ranges& ranges, Visit visit) {
  for (std::size_t k = 0; k < ranges.size();) {
    auto [begin, end] = ranges[k];
    for (++k; k < ranges.size() && ranges[k].first == end; ++k) end = ranges[k].second;
    visit(begin, end);
  }
}

}  // namespace

void Machine::checkPieces(Thread& thread, const Bulk& bulk, const TensorPlan& plan,
                          BulkAgents agents) {
  const Op& op = *bulk.op;
  const bool toShared = bulk.tensor->toShared;
  const Place& base = toShared ? bulk.to : bulk.from;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> global, shared;
  for (const TensorPiece& piece : plan.pieces) {
    const std::uint32_t size = plan.unpacksSix ? kUnpackedSix : piece.size;
    shared.emplace_back(piece.shared, piece.shared + size);
    if (piece.isInside) global.emplace_back(piece.global, piece.global + piece.size);
  }
  // A swizzle moves them in another order.
  std::sort(shared.begin(), shared.end());
  Access access;
  access.clock = bulk.clock;
  const auto checkGlobal = [&](AgentId agent) {
    access.agent = agent;
    forMerged(global, [&](std::uint64_t begin, std::uint64_t end) {
      const auto size = static_cast<std::uint32_t>(end - begin);
      const Place place = resolveBytes(thread, op, begin, size, !toShared);
      if (place.segment->isReadOnly) return;
      access.proxy = Proxy::AsyncGlobal;
      check(thread, op, place, size, !toShared, bulk.form->operation.has_value(), &access);
    });
  };
  const auto checkShared = [&](AgentId agent) {
    access.agent = agent;
    forMerged(shared, [&](std::uint64_t begin, std::uint64_t end) {
      const Place place{base.data + begin, base.segment, base.offset + begin};
      access.proxy = Proxy::AsyncShared;
      check(thread, op, place, static_cast<std::uint32_t>(end - begin), toShared, false, &access);
    });
  };
  if (toShared) {
    checkGlobal(agents.reader);
    checkShared(agents.writer);
  } else {
    checkShared(agents.reader);
    checkGlobal(agents.writer);
  }
}

// ---- landing ------------------------------------------------------------------------------------

void Machine::readTensor(Bulk& bulk) {
  const TensorTransfer& tensor = *bulk.tensor;
  bulk.data.resize(bulk.size);
  for (const TensorTransfer::Piece& piece : tensor.pieces) {
    std::uint8_t* const to = bulk.data.data() + piece.payload;
    if (!tensor.toShared) {
      const std::uint8_t* const from = bulk.from.data + piece.shared;
      if (tensor.unpacksSix) {
        packSix(from, to);
      } else {
        std::memcpy(to, from, piece.size);
      }
    } else if (piece.global == nullptr) {
      fillOutside(tensor.fill, to, piece.size);
    } else {
      std::memcpy(to, piece.global, piece.size);
      convertLoaded(tensor.element, to, piece.size);
    }
  }
}

void Machine::landTensor(Bulk& bulk, std::size_t pieces) {
  TensorTransfer& tensor = *bulk.tensor;
  const std::size_t end = std::min(tensor.pieces.size(), tensor.landedPieces + pieces);
  const isa::Type type = reductionType(tensor.element);
  for (; tensor.landedPieces < end; ++tensor.landedPieces) {
    const TensorTransfer::Piece& piece = tensor.pieces[tensor.landedPieces];
    const std::uint8_t* const from = bulk.data.data() + piece.payload;
    std::uint8_t* const to = tensor.toShared ? bulk.to.data + piece.shared : piece.global;
    if (!bulk.form->operation) {
      std::memcpy(to, from, piece.size);
      continue;
    }
    const auto bytes = static_cast<std::uint32_t>(isa::bitWidth(type)) / 8;
    const bool flushes = tensor.element == TensorElement::F32Ftz;
    for (std::uint32_t at = 0; at < piece.size; at += bytes) {
      const auto result = combine(*bulk.form->operation, type, valueAt(to + at, bytes),
                                  valueAt(from + at, bytes), 0, flushes);
      putAt(to + at, *result, bytes);
    }
  }
}

// ---- changes of a map ---------------------------------------------------------------------------

void Machine::replaceMapField(Thread& thread, const Op& op) {
  const std::uint64_t address = addressOf(thread, op);
  if (address % kMapBytes != 0) {
    fault(FindingKind::Misaligned, op,
          "a tensor map at " + hexadecimal(address) + ", not a multiple of 128, by " +
              describe(nameOf(thread)));
  }
  const Place place = resolveRange(thread, op, op.space, address, kMapBytes, true);
  if (options_.detectsRaces) {
    check(thread, op, place, kMapBytes, false, false);
    check(thread, op, place, kMapBytes, true, false);
  }
  std::string problem;
  const std::span<std::uint8_t, kMapBytes> bytes(place.data, kMapBytes);
  const std::uint64_t value = thread.frame[op.c];
  if (!replaceField(bytes, static_cast<TensorField>(op.detail), thread.frame[op.b], value,
                    problem)) {
    refuseMap(op, thread, address, problem);
  }
}

// fence.proxy.tensormap::generic.acquire concerns the map at its address only.  Which map a store
// by the generic proxy was to is not known here: it lies before the fence, whatever map that names.
void Machine::acquireMap(Thread& thread, const Op& op) {
  std::uint64_t address = addressOf(thread, op);
  leaveWindow(Space::None, address);
  auto known = std::make_shared<ClockVector>();
  if (const ClockVector* const base = thread.clock.base().get()) {
    known->mergeBelow(*base, firstAsync());
    for (auto at = mapWrites_.lower_bound({address, 0});
         at != mapWrites_.end() && at->first.first == address; ++at) {
      const AgentId writer = at->second.first;
      if (const std::uint32_t clock = base->at(writer); clock != 0) known->raise(writer, clock);
    }
  }
  thread.clock.fence(setOf(Proxy::TensorMap), std::move(known));
}

// All threads of the warp read and write the same bytes together, so each knows of the write.
void Machine::copyTensorMap(Cta& cta, std::uint32_t warp, std::uint32_t lanes, const Op& form) {
  Thread* leader = nullptr;
  for (Thread& thread : lanesOf(cta, warp)) {
    if ((lanes >> thread.lane() & 1) == 0) continue;
    if (thread.twin != nullptr) {
      depend(thread, form, originOf(thread, {form.a, form.b}), "the copy");
    }
    if (leader == nullptr) leader = &thread;
    const bool isAlike = &thread.op() == &form &&
                         addressOf(thread, form) == addressOf(*leader, form) &&
                         thread.frame[form.b] == leader->frame[form.b];
    if (!isAlike) {
      fault(FindingKind::BarrierDivergence, form,
            "the threads of a warp do not copy the same tensor map");
    }
  }
  const std::uint64_t to = addressOf(*leader, form);
  const std::uint64_t from = leader->frame[form.b];
  if (to % kMapBytes != 0 || from % kMapBytes != 0) {
    fault(FindingKind::Misaligned, form,
          "a copy of a tensor map between addresses that are not multiples of 128, by " +
              describe(nameOf(*leader)));
  }
  const Place source = resolveRange(*leader, form, Space::Shared, from, kMapBytes, false);
  const Place target = resolveRange(*leader, form, Space::Global, to, kMapBytes, true);
  std::memcpy(target.data, source.data, kMapBytes);
  if (!options_.detectsRaces) return;
  auto& [agent, clock] = mapWrites_[{to, agentOf(*leader)}];
  if (agent == 0) agent = newAgent(*leader);
  Access write;
  write.agent = agent;
  write.clock = ++clock;
  check(*leader, form, target, kMapBytes, true, false, &write);
  for (Thread& thread : lanesOf(cta, warp)) {
    if ((lanes >> thread.lane() & 1) == 0) continue;
    check(thread, form, source, kMapBytes, false, false);
    thread.clock.learn(Snapshot{nullptr, write.agent, write.clock});
    fence(thread.clock, isa::Semantics::Release, form.scope);
  }
}

}  // namespace ptxopt::interp
