// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of each kind of claim, shared by the writer and the reader: part of claim_text.
//
// `io` takes a key and the corresponding member.  Default values may be omitted (`unless`).  Some
// members have their own format: places, registers, symbols, special registers, targets of edges.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "facts/claim.h"
#include "facts/claim_words.h"
#include "ir/module.h"

namespace ptxopt::facts {

inline constexpr std::uint32_t kVersion = 1;

// A hash of the text, so that claims are not checked against another text: FNV-1a, 64 bits.
std::string hashOf(const SourceText& source);

// The function with this name and a body; null if there is none.
const ir::Function* findFunction(const ir::Module& module, std::string_view name);

template <class T, class Part>
concept Is = std::same_as<std::remove_const_t<T>, Part>;

void fields(auto& io, Is<Value> auto& value) {
  io.place("at", value.at);
  io("when", value.moment);
  io.reg(value.reg);
  io.unless("component", value.component, 0);
}

void fields(auto& io, Is<Edge> auto& edge) {
  io.place("at", edge.at);
  io.target(edge.target);
}

void fields(auto& io, Is<Form> auto& form) {
  io("bits", form.bits);
  io.unless("constant", form.constant, 0);
  io("terms", form.terms);
}

void fields(auto& io, Is<Term> auto& term) {
  io("times", term.coefficient);
  io("leaf", term.leaf);
}

void fields(auto& io, Is<Leaf> auto& leaf) {
  io.leafKind(leaf.kind);
  const char* const key = word(leaf.kind).data();
  switch (leaf.kind) {
    case Leaf::Kind::Value:
      io(key, leaf.value);
      break;
    case Leaf::Kind::Special:
      io.special(key, leaf.special, leaf.component);
      break;
    case Leaf::Kind::Parameter:
      io.symbol(key, leaf.symbol);
      io("bits", leaf.bits);
      io.unless("offset", leaf.offset, 0);
      break;
    case Leaf::Kind::Symbol:
      io.symbol(key, leaf.symbol);
      break;
    case Leaf::Kind::Window:
      io(key, leaf.space);
      break;
    case Leaf::Kind::Rounds:
      io.place(key, leaf.header);
      io("back-edges", leaf.backEdges);
      break;
    case Leaf::Kind::Product:
    case Leaf::Kind::ZeroExtended:
    case Leaf::Kind::SignExtended:
      io(key, leaf.factors);
      break;
  }
}

void fields(auto& io, Is<AddressOperand> auto& address) {
  io.place("at", address.at);
  io("number", address.number);
  io.checkNumber(address);
}

void fields(auto& io, Is<Base> auto& base) {
  io("kind", base.kind);
  switch (base.kind) {
    case Base::Kind::Unknown:
      io("spaces", base.spaces);
      break;
    case Base::Kind::Variable:
      io.symbol("variable", base.symbol);
      break;
    case Base::Kind::DynamicShared:
      break;
    case Base::Kind::Parameter:
      io.symbol("parameter", base.symbol);
      io.unless("offset", base.offset, 0);
      break;
  }
}

void fields(auto& io, Is<Range> auto& range) {
  io("bits", range.bits);
  io("lowest", range.lowest);
  io("highest", range.highest);
  io("signed-lowest", range.signedLowest);
  io("signed-highest", range.signedHighest);
  io.unless("zeros", range.zeros, 0);
  io.unless("ones", range.ones, 0);
}

void fields(auto& io, Is<Bounds> auto& bounds) {
  io.unless("lowest", bounds.lowest, INT64_MIN);
  io.unless("highest", bounds.highest, INT64_MAX);
}

template <class T>
concept OfValue =
    Is<T, Uniform> || Is<T, WarpUniform> || Is<T, Stable> || Is<T, OneNumber> || Is<T, DeadValue>;
void fields(auto& io, OfValue auto& claim) {
  io("value", claim.value);
}

void fields(auto& io, Is<InRange> auto& claim) {
  io("value", claim.value);
  io("range", claim.range);
}

void fields(auto& io, Is<EqualsForm> auto& claim) {
  io("value", claim.value);
  io("form", claim.form);
}

void fields(auto& io, Is<EqualsValue> auto& claim) {
  io("value", claim.value);
  io("other", claim.other);
  io.unless("plus", claim.plus, 0);
  io("bits", claim.bits);
}

void fields(auto& io, Is<PointsTo> auto& claim) {
  io("address", claim.address);
  io("bases", claim.bases);
  io("bytes", claim.bytes);
}

void fields(auto& io, Is<Disjoint> auto& claim) {
  io("address", claim.address);
  io("other", claim.other);
  io("threads", claim.threads);
}

template <class T>
concept OfPlace = Is<T, DeadStore> || Is<T, Together> || Is<T, AllExecute>;
void fields(auto& io, OfPlace auto& claim) {
  io.place("at", claim.at);
}

template <class T>
concept OfVariable = Is<T, Unread> || Is<T, OwnBytes>;
void fields(auto& io, OfVariable auto& claim) {
  io.symbol("variable", claim.symbol);
}

void fields(auto& io, Is<NeverTaken> auto& claim) {
  io("edge", claim.edge);
}

void fields(auto& io, Is<NeverFollows> auto& claim) {
  io("edge", claim.edge);
  io("next", claim.next);
}

void fields(auto& io, Is<FormInBounds> auto& claim) {
  io.place("at", claim.at);
  io("form", claim.form);
  io("bounds", claim.bounds);
}

void fields(auto& io, Is<FormsCompare> auto& claim) {
  io.place("at", claim.at);
  io("left", claim.left);
  io("comparison", claim.comparison);
  io("right", claim.right);
}

void fields(auto& io, Is<Leader> auto& claim) {
  io.place("at", claim.at);
  io("mask", claim.mask);
}

void fields(auto&, Is<PureFunction> auto&) {}

void fields(auto& io, Is<Barrier> auto& claim) {
  io.place("at", claim.at);
  io("separator", claim.isSeparator);
  io("gone", claim.isGone);
}

}  // namespace ptxopt::facts
