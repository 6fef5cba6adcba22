// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Undefined values: of memory and registers that nobody wrote, and of lanes that take no part in a
// shuffle.
//
// To read one is no fault: the tail of a reduction does so for lanes whose sums nobody looks at. So
// a thread that has read one runs twice, as itself and as its twin, which has the opposite bits of
// each undefined value.  What is equal for both does not depend on undefined values.  Where they
// differ and the difference can be seen (in a branch, an address, a store to memory that outlives
// the CTA, an operation of several threads) there is a finding.  A store to shared memory makes the
// bytes that differ undefined for who reads them.
//
// Two values may agree by chance where a third would not: something can be missed, but what is
// found does depend on an undefined value.
#include <algorithm>
#include <cstring>

#include "interp/arithmetic/conversion.h"
#include "interp/decode/bind.h"
#include "interp/machine_launch_control.h"
#include "interp/machine_tensor_core.h"
#include "interp/machine_warpgroup.h"
#include "interp/matrix_sparse.h"

namespace ptxopt::interp {

// ---- slots --------------------------------------------------------------------------------------

Machine::Twin& Machine::twinOf(Thread& thread) {
  if (thread.twin == nullptr) {
    thread.twin = std::make_unique<Twin>();
    extendTwin(thread);
  }
  return *thread.twin;
}

// After the stack or the local memory of the thread has grown or become smaller.
void Machine::extendTwin(Thread& thread) {
  Twin& twin = *thread.twin;
  warpOf(thread).twins.reserve(thread.stackSize);
  const Frame from = stackOf(thread);
  const Frame to = twinStackOf(thread);
  for (std::size_t k = twin.origins.size(); k < thread.stackSize; ++k) to[k] = from[k];
  twin.origins.resize(thread.stackSize);
  const std::size_t size = twin.local.size();
  twin.local.resize(thread.local.size());
  if (size < twin.local.size()) {
    const auto begin = static_cast<std::ptrdiff_t>(size);
    std::copy(thread.local.begin() + begin, thread.local.end(), twin.local.begin() + begin);
  }
}

bool Machine::isLikeTwin(const Thread& thread) {
  const Twin& twin = *thread.twin;
  if (twin.origins.size() != thread.stackSize || twin.local != thread.local) return false;
  const Frame mine = stackOf(thread);
  const Frame other = twinStackOf(thread);
  for (std::size_t k = 0; k < thread.stackSize; ++k) {
    if (mine[k] != other[k]) return false;
  }
  return true;
}

Slot Machine::twinValue(const Thread& thread, std::uint32_t slot) {
  return thread.twin != nullptr ? twinFrameOf(thread)[slot] : thread.frame[slot];
}

const Machine::Undefined* Machine::originOf(const Thread& thread, std::uint32_t slot) {
  if (thread.twin == nullptr) return nullptr;
  const std::size_t at = thread.frameBase + slot;
  // Operands of some operations are no slots, but numbers.
  if (at >= thread.twin->origins.size() || twinFrameOf(thread)[slot] == thread.frame[slot]) {
    return nullptr;
  }
  return thread.twin->origins[at];
}

const Machine::Undefined* Machine::originOf(const Thread& thread,
                                            const std::vector<std::uint32_t>& slots) {
  for (const std::uint32_t slot : slots) {
    if (const Undefined* why = originOf(thread, slot)) return why;
  }
  return nullptr;
}

void Machine::putResult(Thread& thread, std::uint32_t slot, Slot value) {
  thread.frame[slot] = value;
  if (thread.twin != nullptr) twinFrameOf(thread)[slot] = value;
}

void Machine::putUndefined(Thread& thread, std::uint32_t slot, Slot bits, const Undefined* why) {
  if (bits == 0 || why == nullptr) return;
  Twin& twin = twinOf(thread);
  twinFrameOf(thread)[slot] = thread.frame[slot] ^ bits;
  twin.origins[thread.frameBase + slot] = why;
}

void Machine::depend(Thread& thread, const Op& use, const Undefined* why, std::string_view how) {
  if (why == nullptr) return;
  Finding& found =
      finding(why->kind, *why->op, why->message, &use,
              std::string(how) + " by " + describe(nameOf(thread)) + " depends on that value");
  involve(found, agentOf(thread));
  thread.twin = nullptr;
}

// ---- execution ----------------------------------------------------------------------------------

void Machine::sliceTwice(Thread& thread) {
  if (isLikeTwin(thread)) {
    thread.twin = nullptr;
    return slice(thread);
  }
  if (!thread.copies.empty()) landSome(thread);
  if (!inFlight_.empty()) landSomeBulk();
  if (warpgroups_ != nullptr) warpgroups_->landSome();
  if (tensorCores_ != nullptr) tensorCores_->landSome();
  int budget = kSlice;
  while (budget-- > 0 && thread.twin != nullptr) {
    const Op& op = thread.op();
    const bool isExecuted = thread.frame[op.guard] == op.guardExpected;
    if (op.action == Action::Pure) {
      computeTwice(thread, op);
      ++thread.pc;
      continue;
    }
    depend(thread, op, originOf(thread, op.guard), "the branch or guard here");
    if (!isExecuted) {
      ++thread.pc;
      continue;
    }
    if (op.action == Action::Branch) {
      thread.pc = op.index;
      continue;
    }
    if (thread.twin == nullptr ? !execute(thread, op) : !executeTwice(thread, op)) break;
  }
  countSteps(thread, kSlice - std::max(budget, 0));
}

void Machine::computeTwice(Thread& thread, const Op& op) {
  const Frame twin = twinFrameOf(thread);
  const bool guards[] = {thread.frame[op.guard] == op.guardExpected,
                         twin[op.guard] == op.guardExpected};
  const Undefined* why = originOf(thread, {op.guard, op.a, op.b, op.c, op.e, op.index});
  if (guards[0]) op.compute(thread.frame, op);
  if (guards[1]) op.compute(twin, op);
  if (why == nullptr) return;
  for (const std::uint32_t slot : {op.d, op.q, op.e}) {
    thread.twin->origins[thread.frameBase + slot] = why;
  }
}

// Executes an operation that is not pure and whose guard is true.
bool Machine::executeTwice(Thread& thread, const Op& op) {
  switch (op.action) {
    case Action::Load:
    case Action::Store:
      depend(thread, op, originOf(thread, op.a), "the address here");
      return execute(thread, op);  // with loadTwice() and storeTwice()
    case Action::Call:
      return callTwice(thread, op);
    case Action::Return:
      return returnTwice(thread, op);
    case Action::Collective:
      depend(thread, op, originOf(thread, {op.b, op.c, op.e}), "the operation of the warp here");
      return execute(thread, op);  // with what runCollective() does
    case Action::CheckWritten:
    case Action::CheckCancelled:
    case Action::Audit:
    case Action::TouchFragments:
    case Action::Exit:
      return execute(thread, op);
    default:
      break;
  }
  useOperands(thread, op);
  const bool goesOn = execute(thread, op);
  if (thread.twin != nullptr) {
    extendTwin(thread);
    keepResult(thread, op);
  }
  return goesOn;
}

void Machine::useOperands(Thread& thread, const Op& op) {
  constexpr std::string_view kHow = "the operation here";
  depend(thread, op, originOf(thread, {op.a, op.b, op.c, op.e}), kHow);
  if (op.action == Action::Atomic) {
    const auto b = thread.code->lists.begin() + op.index + op.count;
    depend(thread, op, originOf(thread, std::vector(b, b + 2 * op.count)), kHow);
  } else if (op.action == Action::Texture) {
    depend(thread, op, originOf(thread, thread.code->textures[op.index].sources()), kHow);
  } else if (op.action == Action::Multimem) {
    const MultimemForm& form = thread.code->multimems[op.index];
    if (form.kind != MultimemForm::Kind::LoadReduce) {
      depend(thread, op, originOf(thread, form.registers), kHow);
    }
  } else if (op.action == Action::Bulk) {
    const BulkForm& form = thread.code->bulks[op.index];
    depend(thread, op, originOf(thread, form.values), kHow);
    depend(thread, op,
           originOf(thread, {form.to.slot, form.from.slot, form.barrier.slot, form.size, form.mask,
                             form.byteMask, form.ignoredLeft, form.ignoredRight}),
           kHow);
    if (form.tensor) {
      depend(thread, op, originOf(thread, form.tensor->map.slot), kHow);
      depend(thread, op, originOf(thread, form.tensor->coordinates), kHow);
      depend(thread, op, originOf(thread, form.tensor->offsets), kHow);
    }
  }
}

void Machine::useForMatrix(Thread& thread, const Op& op) {
  if (thread.twin == nullptr) return;
  constexpr std::string_view kHow = "the matrix operation here";
  depend(thread, op, originOf(thread, {op.a, op.b}), kHow);
  const MatrixForm& form = thread.code->matrices[op.index];
  const auto kind = static_cast<CollectiveKind>(op.detail);
  if (kind == CollectiveKind::MatrixLoad || kind == CollectiveKind::FragmentLoad) return;
  const ScaleForm& scales = form.scales;
  depend(thread, op, originOf(thread, {scales.byteA, scales.threadA, scales.byteB, scales.threadB}),
         kHow);
  if (hasMetadata(form, thread.lane())) depend(thread, op, originOf(thread, form.metadata), kHow);
  if (scales.columns != 0) {
    const std::uint32_t inGroup = thread.lane() % 4;
    if (inGroup / 2 == thread.frame[scales.threadA]) {
      depend(thread, op, originOf(thread, scales.a), kHow);
    }
    if (inGroup == thread.frame[scales.threadB]) {
      depend(thread, op, originOf(thread, scales.b), kHow);
    }
  }
  for (const MatrixRole role : {MatrixRole::A, MatrixRole::B, MatrixRole::C, MatrixRole::D}) {
    if (kind == CollectiveKind::MatrixMultiply && role == MatrixRole::D) continue;
    depend(thread, op, originOf(thread, form.slotsOf(role)), kHow);
  }
}

// The twin gets the results of an operation that both do alike.
void Machine::keepResult(Thread& thread, const Op& op) {
  if (thread.twin == nullptr) return;
  const auto keep = [&](std::uint32_t slot) { putResult(thread, slot, thread.frame[slot]); };
  keep(op.d);
  keep(op.q);
  if (op.action == Action::Atomic) {
    for (std::uint32_t k = 0; k < op.count; ++k) keep(thread.code->lists[op.index + k]);
  } else if (op.action == Action::Texture) {
    const TextureForm& form = thread.code->textures[op.index];
    std::for_each(form.results.begin(), form.results.end(), keep);
    keep(form.resident);
  } else if (op.action == Action::Multimem) {
    const auto& registers = thread.code->multimems[op.index].registers;
    std::for_each(registers.begin(), registers.end(), keep);
  } else if (op.action == Action::Collective) {
    for (const auto& slots : thread.code->matrices[op.index].slots) {
      std::for_each(slots.begin(), slots.end(), keep);
    }
  } else if (op.action == Action::Fill) {
    thread.twin->local = thread.local;
  }
}

// ---- calls --------------------------------------------------------------------------------------

// What the twin passes to a function, or gets from it.
std::vector<Machine::Passed> Machine::passedByTwin(Thread& thread,
                                                   const std::vector<Transfer>& transfers) {
  extendTwin(thread);
  const Twin& twin = *thread.twin;
  std::vector<Passed> values;
  for (const Transfer& from : transfers) {
    Passed& value = values.emplace_back();
    if (!from.inMemory) {
      const Slot slot = twinValue(thread, from.slot);
      value.bytes.resize(sizeof slot);
      std::memcpy(value.bytes.data(), &slot, sizeof slot);
      value.origin = originOf(thread, from.slot);
      continue;
    }
    value.bytes.resize(from.size);
    const std::uint64_t begin = thread.localBase + from.offset;
    if (begin + from.size > twin.local.size()) continue;  // nobody wrote it
    std::memcpy(value.bytes.data(), twin.local.data() + begin, from.size);
    const bool differs =
        std::memcmp(value.bytes.data(), thread.local.data() + begin, from.size) != 0;
    if (differs) value.origin = twin.localOrigin;
  }
  return values;
}

void Machine::receiveTwice(Thread& thread, const std::vector<Transfer>& transfers,
                           const std::vector<Passed>& values) {
  extendTwin(thread);
  Twin& twin = *thread.twin;
  for (std::size_t k = 0; k < std::min(transfers.size(), values.size()); ++k) {
    const Transfer& to = transfers[k];
    const Passed& value = values[k];
    if (value.origin == nullptr) continue;  // as the thread has it
    if (!to.inMemory) {
      Slot slot = 0;
      std::memcpy(&slot, value.bytes.data(), std::min(value.bytes.size(), sizeof slot));
      putUndefined(thread, to.slot, slot ^ thread.frame[to.slot], value.origin);
      continue;
    }
    const std::uint64_t begin = thread.localBase + to.offset;
    const std::size_t size = std::min<std::size_t>(value.bytes.size(), to.size);
    if (begin + size > twin.local.size()) continue;
    std::memcpy(twin.local.data() + begin, value.bytes.data(), size);
    twin.localOrigin = value.origin;
  }
}

bool Machine::callTwice(Thread& thread, const Op& op) {
  const CallSite& site = thread.code->calls[op.index];
  const std::vector<Passed> values = passedByTwin(thread, site.arguments);
  depend(thread, op, originOf(thread, op.a), "the call here");
  if (site.builtin != Builtin::None) {
    for (const Passed& value : values) depend(thread, op, value.origin, "the call here");
  }
  const bool goesOn = execute(thread, op);
  if (thread.twin == nullptr) return goesOn;
  extendTwin(thread);
  if (site.builtin == Builtin::None) {
    receiveTwice(thread, thread.code->parameters, values);
  } else if (!site.results.empty()) {
    const Transfer& result = site.results.front();
    if (result.inMemory) {
      const std::uint64_t begin = thread.localBase + result.offset;
      std::memcpy(thread.twin->local.data() + begin, thread.local.data() + begin, result.size);
    } else {
      putResult(thread, result.slot, thread.frame[result.slot]);
    }
  }
  return goesOn;
}

bool Machine::returnTwice(Thread& thread, const Op& op) {
  if (thread.calls.empty()) return execute(thread, op);  // the end of the thread
  const std::vector<Passed> values = passedByTwin(thread, thread.code->results);
  const CallSite& site = *thread.calls.back().site;
  const bool goesOn = execute(thread, op);
  receiveTwice(thread, site.results, values);
  return goesOn;
}

void Machine::usePrinted(Thread& thread, const Op& op, const Place& place, std::uint32_t size) {
  if (thread.twin == nullptr || !isLocal(thread, place)) return;
  extendTwin(thread);
  const Twin& twin = *thread.twin;
  if (std::memcmp(twin.local.data() + place.offset, place.data, size) == 0) return;
  depend(thread, op, twin.localOrigin, "what is printed here");
}

// ---- memory -------------------------------------------------------------------------------------

bool Machine::isLocal(const Thread& thread, const Place& place) {
  return place.segment == nullptr && place.data >= thread.local.data() &&
         place.data < thread.local.data() + thread.local.size();
}

void Machine::forgetUndefined(const Segment& segment) {
  std::erase_if(undefinedBytes_, [&](const auto& entry) { return entry.first.first == &segment; });
}

void Machine::loseValues(Thread& thread, const Op& op) {
  if (op.action == Action::CheckCancelled) return LaunchControl(*this, thread, op).loseId();
  const Undefined& why = undefined(FindingKind::Uninitialised, op, thread, [&] {
    return "register '" + thread.code->function->registerName(ir::RegisterId{op.index}) +
           "' is read, to which " + describe(nameOf(thread)) + " has written nothing";
  });
  const Slot all = truncated(~Slot{0}, op.width);
  for (std::uint32_t k = 0; k < op.count; ++k) putUndefined(thread, op.b + k, all, &why);
}

// Why the bytes are undefined: they were stored so, or nobody wrote them.
const Machine::Undefined& Machine::originOf(const Thread& thread, const Op& op, const Place& place,
                                            std::uint32_t size) {
  for (std::uint64_t k = place.offset; k < place.offset + size; ++k) {
    if (place.segment->written.test(k)) continue;
    const auto stored = undefinedBytes_.find({place.segment, k});
    if (stored != undefinedBytes_.end()) return *stored->second;
  }
  return undefined(FindingKind::Uninitialised, op, thread,
                   [&] { return unwrittenText(thread, op, place, size); });
}

// After the thread has loaded: the twin does.
void Machine::loadTwice(Thread& thread, const Op& op, const Place& place) {
  const auto bytes = static_cast<std::uint32_t>(isa::bitWidth(op.type)) / 8;
  const std::uint32_t size = bytes * op.count;
  std::vector<std::uint8_t> content(place.data, place.data + size);
  const Undefined* why = nullptr;
  if (isUndefined(place, size)) {
    why = &originOf(thread, op, place, size);
    for (std::uint32_t k = 0; k < size; ++k) {
      if (!place.segment->written.test(place.offset + k)) content[k] ^= 0xff;
    }
  } else if (isLocal(thread, place)) {
    extendTwin(thread);
    why = thread.twin->localOrigin;
    std::memcpy(content.data(), thread.twin->local.data() + place.offset, size);
  }
  for (std::uint32_t k = 0; k < op.count; ++k) {
    const std::uint32_t slot = op.count == 1 ? op.d : thread.code->lists[op.index + k];
    putResult(thread, slot, thread.frame[slot]);
    std::uint64_t value = 0;
    std::memcpy(&value, content.data() + std::size_t{k} * bytes, bytes);
    putUndefined(thread, slot, widen(op.type, value, op.width) ^ thread.frame[slot], why);
  }
}

// After the thread has stored: the twin does.
void Machine::storeTwice(Thread& thread, const Op& op, const Place& place) {
  const auto bytes = static_cast<std::uint32_t>(isa::bitWidth(op.type)) / 8;
  for (std::uint32_t k = 0; k < op.count && thread.twin != nullptr; ++k) {
    const std::uint32_t slot = op.count == 1 ? op.b : thread.code->lists[op.index + k];
    const Undefined* why = originOf(thread, slot);
    const Slot twin = twinValue(thread, slot);
    const std::uint64_t begin = place.offset + std::uint64_t{k} * bytes;
    if (place.segment == nullptr) {
      extendTwin(thread);
      std::memcpy(thread.twin->local.data() + begin, &twin, bytes);
      if (why != nullptr) thread.twin->localOrigin = why;
    } else if (place.segment->written.empty()) {
      const Slot visible = truncated(twin ^ thread.frame[slot], static_cast<int>(bytes) * 8);
      if (visible != 0) depend(thread, op, why, "what is stored here");
    } else if (why != nullptr) {
      for (std::uint32_t at = 0; at < bytes; ++at) {
        if (((twin ^ thread.frame[slot]) >> (8 * at) & 0xff) == 0) continue;
        place.segment->written.reset(begin + at);
        undefinedBytes_[{place.segment, begin + at}] = why;
      }
    }
  }
}

}  // namespace ptxopt::interp
