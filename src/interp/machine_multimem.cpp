// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/machine_multimem.h"

#include "interp/arithmetic/conversion.h"
#include "interp/atomic.h"
#include "interp/decode/bind.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

std::vector<std::uint64_t> Machine::Multimems::replicasOf(std::uint64_t address,
                                                          std::uint64_t size) const {
  static const MulticastTable kNone;
  const MulticastTable* const table = machine_.options_.multicasts;
  std::vector<std::uint64_t> replicas =
      interp::replicasOf(table != nullptr ? *table : kNone, address, size);
  if (replicas.empty()) {
    machine_.fault(FindingKind::OutOfBounds, op_,
                   "multimem access to " + std::to_string(size) + " bytes at " +
                       hexadecimal(address) + ", which lie in no multicast object, by " +
                       describe(machine_.nameOf(thread_)));
  }
  return replicas;
}

void Machine::Multimems::execute() {
  const MultimemForm& form = thread_.code->multimems[op_.index];
  const std::uint32_t size = op_.bytes * static_cast<std::uint32_t>(form.registers.size());
  const bool writes = form.kind != MultimemForm::Kind::LoadReduce;
  std::vector<Place> places;
  for (const std::uint64_t at : replicasOf(addressOf(thread_, op_), size)) {
    places.push_back(machine_.resolve(thread_, op_, isa::Space::Global, at, size, writes));
    if (machine_.options_.detectsRaces) check(places.back());
  }
  if (form.kind == MultimemForm::Kind::LoadReduce) return loadReduced(places);
  for (const Place& place : places)
    form.kind == MultimemForm::Kind::Store ? store(place) : reduce(place);
}

void Machine::Multimems::check(const Place& place) {
  const MultimemForm& form = thread_.code->multimems[op_.index];
  const auto count = static_cast<std::uint32_t>(form.registers.size());
  Access access;
  access.agent = thread_.clock.agent();
  access.clock = thread_.clock.own();
  access.isAtomic = form.kind == MultimemForm::Kind::Reduce;
  access.element = op_.bytes;
  machine_.check(thread_, op_, place, op_.bytes * count,
                 form.kind != MultimemForm::Kind::LoadReduce, isStrong(op_.semantics), &access);
  if (!isStrong(op_.semantics) || place.segment->shadow == nullptr) return;
  for (std::uint32_t k = 0; k < count; ++k) order(place, k);
}

// Each element is an operation of its own (8.2.4).
void Machine::Multimems::order(const Place& place, std::uint32_t k) {
  const MultimemForm::Kind kind = thread_.code->multimems[op_.index].kind;
  Shadow& shadow = *place.segment->shadow;
  const std::uint64_t offset = place.offset + std::uint64_t{k} * op_.bytes;
  const Home home = machine_.homeOf(thread_);
  const isa::Scope scope = scopeOf(op_);
  if (kind == MultimemForm::Kind::LoadReduce) {
    return strongRead(thread_.clock, shadow.findReleased(offset), home, op_.semantics, scope);
  }
  strongWrite(thread_.clock, shadow.released(offset), home, op_.semantics, scope,
              kind == MultimemForm::Kind::Reduce);
}

void Machine::Multimems::loadReduced(const std::vector<Place>& places) {
  const MultimemForm& form = thread_.code->multimems[op_.index];
  std::vector<std::uint64_t> values(places.size());
  for (std::size_t k = 0; k < form.registers.size(); ++k) {
    for (std::size_t device = 0; device < places.size(); ++device) {
      values[device] = valueAt(places[device].data + k * op_.bytes, op_.bytes);
    }
    // The decoder has asked whether PTX has it.
    const std::uint64_t result = reduceReplicas(form.reduction, values).value_or(0);
    thread_.frame[form.registers[k]] = widen(op_.type, result, op_.width);
  }
}

void Machine::Multimems::store(const Place& place) {
  const auto& registers = thread_.code->multimems[op_.index].registers;
  for (std::size_t k = 0; k < registers.size(); ++k) {
    putAt(place.data + k * op_.bytes, thread_.frame[registers[k]], op_.bytes);
  }
}

void Machine::Multimems::reduce(const Place& place) {
  const MultimemForm& form = thread_.code->multimems[op_.index];
  for (std::size_t k = 0; k < form.registers.size(); ++k) {
    std::uint8_t* const at = place.data + k * op_.bytes;
    const std::uint64_t value = truncated(thread_.frame[form.registers[k]], op_.bytes * 8);
    const std::array both{valueAt(at, op_.bytes), value};
    putAt(at, reduceReplicas(form.reduction, both).value_or(0), op_.bytes);
  }
}

}  // namespace ptxopt::interp
