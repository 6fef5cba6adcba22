// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/machine_texture.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"
#include "interp/atomic.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

using isa::Type;

void Machine::Textures::execute() {
  switch (form_.action) {
    case TextureAction::Fetch:
    case TextureAction::Gather:
      return fetch();
    case TextureAction::Load:
      return load();
    case TextureAction::Store:
      return store();
    case TextureAction::Reduce:
      return reduce();
    case TextureAction::Query:
      return query();
    case TextureAction::IsKind: {
      const TextureObject* const object = find(form_.object);
      const bool isKind = object != nullptr && object->kind == static_cast<TextureKind>(form_.kind);
      return put(0, isKind ? 1 : 0);
    }
  }
}

// ---- objects ------------------------------------------------------------------------------------

void Machine::Textures::refuse(const std::string& problem) const {
  machine_.fault(FindingKind::Texture, op_, problem + ", by " + describe(machine_.nameOf(thread_)));
}

void Machine::Textures::put(std::size_t k, std::uint64_t value) const {
  thread_.frame[form_.results[k]] = value;
}

const TextureObject* Machine::Textures::find(std::uint32_t slot) const {
  const TextureTable* const table = machine_.options_.textures;
  if (table == nullptr) return nullptr;
  const auto found = table->find(thread_.frame[slot]);
  return found == table->end() ? nullptr : &found->second;
}

const TextureObject& Machine::Textures::object(std::uint32_t slot, TextureKind kind) const {
  const TextureObject* const found = find(slot);
  const std::string wanted(spelling(kind));
  if (found == nullptr) {
    const std::uint64_t handle = thread_.frame[slot];
    std::string name;
    for (const ImageObject& variable : machine_.program_->image().objects()) {
      if (variable.address == handle) name = "'" + variable.name + "'";
    }
    refuse((name.empty() ? "the handle " + hexadecimal(handle) : name) + " is not a " + wanted +
           ": the launch describes none for it");
  }
  if (found->kind != kind) {
    refuse("the " + std::string(spelling(found->kind)) + " is used as a " + wanted);
  }
  return *found;
}

void Machine::Textures::checkShape(const TextureObject& object) const {
  const std::uint32_t rank = form_.isCube ? 2 : form_.rank;
  // Surfaces of cubes are arrays with six layers for each.
  const bool isSurface = object.kind == TextureKind::Surface;
  const bool isArray = object.layers != 0 || (isSurface && object.isCube);
  const bool isCube = object.isCube && !isSurface;
  if (rank == object.rank && form_.isArray == isArray && form_.isCube == isCube) return;
  refuse("a " + object.shapeText() + " does not suit the instruction");
}

std::uint32_t Machine::Textures::layerOf(const TextureObject& object) const {
  if (!form_.isArray) return 0;
  const std::uint32_t count = object.kind == TextureKind::Surface ? object.slices() : object.layers;
  const auto layer = static_cast<std::uint32_t>(thread_.frame[form_.layer]);
  return std::min(layer, count - 1);
}

// ---- memory -------------------------------------------------------------------------------------

Machine::Place Machine::Textures::access(std::uint64_t address, std::uint32_t size,
                                         bool writes) const {
  const Place place = machine_.resolveBytes(thread_, op_, address, size, writes);
  if (!machine_.options_.detectsRaces || place.segment->isReadOnly) return place;
  if (!writes) {
    const bool isSurface = form_.action == TextureAction::Load;
    machine_.checkStale(thread_, op_, place, size, isSurface ? "surface" : "texture");
  }
  Access access;
  access.agent = thread_.clock.agent();
  access.clock = thread_.clock.own();
  access.isAtomic = form_.reduction.has_value();
  access.element = access.isAtomic ? static_cast<std::uint8_t>(size) : 0;
  machine_.check(thread_, op_, place, size, writes, access.isAtomic, &access);
  return place;
}

// ---- fetches ------------------------------------------------------------------------------------

TexturePoint Machine::Textures::pointOf(const TextureObject& texture,
                                        const TextureSampler& sampler) const {
  TexturePoint point;
  point.isInteger = form_.isInteger;
  point.slice = layerOf(texture);
  for (std::size_t k = 0; k < form_.rank; ++k) {
    const auto bits = static_cast<std::uint32_t>(thread_.frame[form_.coordinates[k]]);
    point.at[k] =
        form_.isInteger ? std::bit_cast<std::int32_t>(bits) : double{std::bit_cast<float>(bits)};
  }
  for (std::size_t k = 0; k < form_.offsets.size() && k < 3; ++k) {
    const auto offset = static_cast<std::int32_t>(thread_.frame[form_.offsets[k]]);
    if (offset < -8 || offset > 7) {
      refuse("the offset " + std::to_string(offset) + " is not in -8 to 7");
    }
    point.offsets[k] = offset;
  }
  if (form_.isInteger && (sampler.normalized || form_.isCube)) {
    refuse("integer coordinates for normalised ones");
  }
  return form_.isCube ? onCubeFace(point) : point;
}

void Machine::Textures::fetch() {
  const TextureObject& texture = object(form_.object, TextureKind::Texture);
  const TextureSampler sampler =
      form_.sampler == 0 ? texture.sampler : object(form_.sampler, TextureKind::Sampler).sampler;
  checkShape(texture);
  const bool givesFloat = isa::isFloat(form_.type) || form_.type == Type::F16x2;
  if (givesFloat != texture.isFloat()) {
    refuse("texels of " + std::string(isa::spelling(texture.format.type)).substr(1) +
           (texture.readsNormalized ? ", read as normalised numbers," : "") +
           " are not fetched as " + std::string(isa::spelling(form_.type)));
  }
  if (sampler.filter == TextureFilter::Linear && !texture.isFloat()) {
    refuse("a linear filter of integer texels");
  }
  const bool gathers = form_.action == TextureAction::Gather;
  const TexturePoint point = pointOf(texture, sampler);
  const TexelSum sum =
      gathers ? gatheredTexels(texture, sampler, point) : texelsOf(texture, sampler, point);
  readTexels(texture, sum, point.slice);
  // Counter-clockwise, the lower left one first; y grows downwards.
  static constexpr std::uint32_t kGathered[] = {2, 3, 1, 0};
  std::array<std::uint64_t, 4> results{};
  for (std::uint32_t k = 0; k < 4; ++k) {
    TexelSum one;
    one.count = 1;
    one.texels[0] = sum.texels[gathers ? kGathered[k] : 0];
    one.texels[0].weight = 1;
    results[k] = combined(texture, gathers ? one : sum, point.slice, gathers ? form_.component : k);
  }
  if (form_.type == Type::F16x2) {
    put(0, results[0] | results[1] << 16);
    put(1, results[2] | results[3] << 16);
  } else {
    for (std::size_t k = 0; k < form_.results.size() && k < 4; ++k) put(k, results[k]);
  }
  if (form_.resident != 0) thread_.frame[form_.resident] = 1;
}

// Each texel that takes part is read, once.
void Machine::Textures::readTexels(const TextureObject& texture, const TexelSum& sum,
                                   std::uint32_t slice) {
  for (std::uint32_t n = 0; n < sum.count; ++n) {
    const auto& [isInside, index, weight] = sum.texels[n];
    const bool isUsed = weight != 0 || form_.action == TextureAction::Gather;
    if (!isInside || !isUsed) continue;
    const std::uint32_t bytes = texture.format.bytes();
    access(texture.addressOf(std::uint64_t{index[0]} * bytes, index[1], index[2], slice), bytes,
           false);
  }
}

std::uint64_t Machine::Textures::channelOf(const TextureObject& texture,
                                           const TexelSum::Texel& texel, std::uint32_t slice,
                                           std::uint32_t channel) const {
  if (!texel.isInside) return 0;
  const auto [x, y, z] = texel.index;
  const std::uint32_t size = texture.format.channelBytes();
  const std::uint64_t at =
      texture.addressOf(std::uint64_t{x} * texture.format.bytes() + channel * size, y, z, slice);
  return valueAt(machine_.resolveBytes(thread_, op_, at, size, false).data, size);
}

std::uint64_t Machine::Textures::resultOf(double value) const {
  const FloatFormat format = form_.type == Type::F32 ? kF32 : kF16;
  return fromDouble(format, value, Rounding::NearestEven);
}

// The weighted sum, in double precision, rounded once.
std::uint64_t Machine::Textures::combined(const TextureObject& texture, const TexelSum& sum,
                                          std::uint32_t slice, std::uint32_t channel) const {
  if (channel >= texture.format.channels) {
    const bool isOne = channel == 3;
    return texture.isFloat() ? resultOf(isOne ? 1 : 0) : isOne;
  }
  if (!texture.isFloat()) {
    const std::uint64_t bits = channelOf(texture, sum.texels[0], slice, channel);
    return truncated(extended(texture.format.type, bits), 32);
  }
  if (sum.count == 1) {
    return resultOf(channelValue(texture, channelOf(texture, sum.texels[0], slice, channel)));
  }
  double total = 0;
  std::uint32_t weights = 0;
  for (std::uint32_t n = 0; n < sum.count; ++n) {
    const TexelSum::Texel& texel = sum.texels[n];
    weights += texel.weight;
    if (texel.weight == 0) continue;
    total += channelValue(texture, channelOf(texture, texel, slice, channel)) * texel.weight;
  }
  return resultOf(total / weights);
}

// ---- surfaces -----------------------------------------------------------------------------------

std::optional<std::uint64_t> Machine::Textures::placeOf(const TextureObject& surface,
                                                        std::uint32_t size) const {
  checkShape(surface);
  const std::int64_t texel = surface.format.bytes();
  std::array<std::int64_t, 3> at{};
  for (std::size_t k = 0; k < form_.rank; ++k) {
    at[k] = static_cast<std::int32_t>(thread_.frame[form_.coordinates[k]]);
  }
  if (form_.isFormatted) at[0] *= texel;
  const std::array<std::int64_t, 3> last{texel * surface.dims[0] - size,
                                         std::int64_t{surface.dims[1]} - 1,
                                         std::int64_t{surface.dims[2]} - 1};
  if (last[0] < 0) refuse("an access of " + std::to_string(size) + " bytes is wider than a row");
  bool isInside = true;
  std::string text;
  for (std::size_t k = 0; k < form_.rank; ++k) {
    isInside = isInside && at[k] >= 0 && at[k] <= last[k];
    text += (k == 0 ? "" : ", ") + std::to_string(at[k]);
  }
  const auto layer = form_.isArray ? static_cast<std::uint32_t>(thread_.frame[form_.layer]) : 0u;
  if (form_.isArray) {
    isInside = isInside && layer < surface.slices();
    text += " in layer " + std::to_string(layer);
  }
  if (!isInside && form_.clamp == SurfaceClamp::Zero) return std::nullopt;
  if (!isInside && form_.clamp == SurfaceClamp::Trap) {
    machine_.fault(FindingKind::OutOfBounds, op_,
                   "an access of " + std::to_string(size) + " bytes at (" + text +
                       "), x in bytes, outside of a " + surface.shapeText() + " texels of " +
                       std::to_string(texel) + " bytes, by " + describe(machine_.nameOf(thread_)));
  }
  for (std::size_t k = 0; k < form_.rank; ++k) {
    at[k] = std::clamp<std::int64_t>(at[k], 0, last[k]);
  }
  const std::int64_t alignment = form_.isFormatted ? texel : size;
  if (at[0] % alignment != 0) {
    machine_.fault(FindingKind::Misaligned, op_,
                   "an access of " + std::to_string(size) + " bytes at byte " +
                       std::to_string(at[0]) + " of a row, by " +
                       describe(machine_.nameOf(thread_)));
  }
  return surface.addressOf(static_cast<std::uint64_t>(at[0]), static_cast<std::uint64_t>(at[1]),
                           static_cast<std::uint64_t>(at[2]), layerOf(surface));
}

void Machine::Textures::load() {
  const TextureObject& surface = object(form_.object, TextureKind::Surface);
  const auto bytes = static_cast<std::uint32_t>(isa::bitWidth(form_.type)) / 8;
  const auto count = static_cast<std::uint32_t>(form_.results.size());
  const auto address = placeOf(surface, bytes * count);
  const Place place = address ? access(*address, bytes * count, false) : Place{};
  for (std::uint32_t k = 0; k < count; ++k) {
    put(k, address ? valueAt(place.data + k * bytes, bytes) : 0);
  }
}

// Of the type that the format of the surface asks for (PTX ISA 9.7.13.2).
std::uint64_t Machine::Textures::formatted(const TextureObject& surface,
                                           std::uint64_t value) const {
  const Type type = surface.format.type;
  if (type == Type::F16) {
    const double number = toDouble(kF32, value & 0xffffffff);
    return fromDouble(kF16, number, Rounding::NearestEven);
  }
  if (isa::isFloat(type) || isa::bitWidth(type) == 32) return value;
  const Conversion narrow{
      .to = type, .from = isa::isSigned(type) ? Type::S32 : Type::U32, .saturates = true};
  return convert(narrow, value);
}

void Machine::Textures::store() {
  const TextureObject& surface = object(form_.object, TextureKind::Surface);
  const auto given = static_cast<std::uint32_t>(form_.values.size());
  const std::uint32_t channels = surface.format.channels;
  if (form_.isFormatted && given < channels) {
    refuse("a formatted store of " + std::to_string(given) + " of " + std::to_string(channels) +
           " channels leaves the others unpredictable");
  }
  const std::uint32_t bytes = form_.isFormatted
                                  ? surface.format.channelBytes()
                                  : static_cast<std::uint32_t>(isa::bitWidth(form_.type)) / 8;
  const std::uint32_t count = form_.isFormatted ? channels : given;
  const auto address = placeOf(surface, bytes * count);
  if (!address) return;
  const Place place = access(*address, bytes * count, true);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint64_t value = thread_.frame[form_.values[k]];
    putAt(place.data + k * bytes, form_.isFormatted ? formatted(surface, value) : value, bytes);
  }
}

void Machine::Textures::reduce() {
  const TextureObject& surface = object(form_.object, TextureKind::Surface);
  Type type = form_.type;
  const auto bytes = static_cast<std::uint32_t>(isa::bitWidth(type)) / 8;
  if (form_.isFormatted) {
    const bool isWide = bytes == 8;
    const bool isSigned = isa::isSigned(surface.format.type);
    if (isa::isFloat(surface.format.type) || surface.format.bytes() != bytes) {
      refuse("a reduction of " + std::to_string(bytes) + " bytes in a " + surface.shapeText() +
             " with other texels");
    }
    if (isSigned) {
      type = isWide ? Type::S64 : Type::S32;
    } else {
      type = isWide ? Type::U64 : Type::U32;
    }
  }
  const auto address = placeOf(surface, bytes);
  if (!address) return;
  const Place place = access(*address, bytes, true);
  const auto result =
      combine(*form_.reduction, type, valueAt(place.data, bytes),
              truncated(thread_.frame[form_.values[0]], isa::bitWidth(type)), 0, false);
  if (!result) {
    machine_.fault(FindingKind::Unsupported, op_,
                   "'" + std::string(op_.origin->desc->mnemonic) + "' is not supported");
  }
  putAt(place.data, *result, bytes);
}

// ---- queries ------------------------------------------------------------------------------------

namespace {

// As OpenCL numbers them, which is what the manual refers to (PTX ISA 5.3.1).
std::uint64_t channelDataType(const TextureObject& object) {
  const bool normalized = object.readsNormalized;
  switch (object.format.type) {
    case Type::S8:
      return normalized ? 0x10d0 : 0x10d7;
    case Type::S16:
      return normalized ? 0x10d1 : 0x10d8;
    case Type::S32:
      return 0x10d9;
    case Type::U8:
      return normalized ? 0x10d2 : 0x10da;
    case Type::U16:
      return normalized ? 0x10d3 : 0x10db;
    case Type::U32:
      return 0x10dc;
    case Type::F16:
      return 0x10dd;
    default:
      return 0x10de;
  }
}

std::uint64_t channelOrder(const TextureObject& object) {
  return object.format.channels == 1 ? 0x10b0 : object.format.channels == 2 ? 0x10b2 : 0x10b5;
}

}  // namespace

void Machine::Textures::query() {
  const bool asksSampler = form_.query >= TextureQuery::ForceUnnormalizedCoords &&
                           form_.query <= TextureQuery::AddressMode2;
  const TextureObject* const found = find(form_.object);
  if (form_.queriesTexture && asksSampler && found != nullptr &&
      found->kind == TextureKind::Sampler) {
    return put(0, answer(*found));
  }
  put(0, answer(object(form_.object,
                       form_.queriesTexture ? TextureKind::Texture : TextureKind::Surface)));
}

std::uint64_t Machine::Textures::answer(const TextureObject& object) const {
  const TextureSampler& sampler = object.sampler;
  switch (form_.query) {
    case TextureQuery::Width:
      return object.dims[0];
    case TextureQuery::Height:
      return object.rank > 1 ? object.dims[1] : 0;
    case TextureQuery::Depth:
      return object.rank > 2 ? object.dims[2] : 0;
    case TextureQuery::ChannelDataType:
      return channelDataType(object);
    case TextureQuery::ChannelOrder:
      return channelOrder(object);
    case TextureQuery::NormalizedCoords:
      return sampler.normalized ? 1 : 0;
    case TextureQuery::ForceUnnormalizedCoords:
      return 0;
    case TextureQuery::FilterMode:
      return static_cast<std::uint64_t>(sampler.filter);
    case TextureQuery::AddressMode0:
    case TextureQuery::AddressMode1:
    case TextureQuery::AddressMode2: {
      const auto k = static_cast<std::size_t>(form_.query) -
                     static_cast<std::size_t>(TextureQuery::AddressMode0);
      return static_cast<std::uint64_t>(sampler.address[k]);
    }
    case TextureQuery::ArraySize:
      return object.layers;
    case TextureQuery::MipmapLevels:
    case TextureQuery::Samples:
      return 1;
    case TextureQuery::MemoryLayout:
      return 0;
  }
  return 0;
}

}  // namespace ptxopt::interp
