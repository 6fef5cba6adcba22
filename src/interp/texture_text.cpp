// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Textures, surfaces and samplers as text.
#include <algorithm>
#include <vector>

#include "interp/argument.h"
#include "interp/object_text.h"
#include "interp/texture.h"

namespace ptxopt::interp {

namespace {

constexpr std::uint64_t kMostTexels = 1u << 27;  // in a dimension

std::uint64_t numberOf(std::string_view key, std::string_view text, std::uint64_t most) {
  const auto number = parseNumber(text);
  if (!number || *number > most) {
    throw WrongText{quoted(text) + " is not a number for " + quoted(key) + ", at most " +
                    std::to_string(most)};
  }
  return *number;
}

template <class Value, std::size_t kCount>
Value wordOf(std::string_view key, std::string_view text,
             const std::pair<std::string_view, Value> (&words)[kCount]) {
  std::string all;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  throw WrongText{quoted(text) + " is not a value for " + quoted(key) + ": " + all};
}

TextureFormat formatOf(std::string_view text) {
  static constexpr std::pair<std::string_view, isa::Type> kTypes[] = {
      {"u8", isa::Type::U8},   {"s8", isa::Type::S8},   {"u16", isa::Type::U16},
      {"s16", isa::Type::S16}, {"u32", isa::Type::U32}, {"s32", isa::Type::S32},
      {"f16", isa::Type::F16}, {"f32", isa::Type::F32}};
  TextureFormat format;
  const std::vector<std::string_view> parts = split(text, 'x');
  format.type = wordOf("the type of texels", parts[0], kTypes);
  if (parts.size() == 1) return format;
  static constexpr std::pair<std::string_view, std::uint32_t> kChannels[] = {
      {"1", 1}, {"2", 2}, {"4", 4}};
  format.channels = wordOf("the channels", parts.size() == 2 ? parts[1] : text, kChannels);
  return format;
}

bool parseSamplerKey(TextureSampler& sampler, std::string_view key, std::string_view value) {
  static constexpr std::pair<std::string_view, bool> kBits[] = {{"0", false}, {"1", true}};
  if (key == "filter") {
    static constexpr std::pair<std::string_view, TextureFilter> kFilters[] = {
        {"point", TextureFilter::Point}, {"linear", TextureFilter::Linear}};
    sampler.filter = wordOf(key, value, kFilters);
  } else if (key == "address") {
    static constexpr std::pair<std::string_view, TextureAddress> kModes[] = {
        {"wrap", TextureAddress::Wrap},
        {"mirror", TextureAddress::Mirror},
        {"clamp", TextureAddress::Clamp},
        {"border", TextureAddress::Border}};
    const std::vector<std::string_view> modes = split(value, ',');
    if (modes.size() > 3) throw WrongText{"'address' has one mode, or one for each dimension"};
    for (std::size_t k = 0; k < 3; ++k) {
      sampler.address[k] = wordOf(key, modes[std::min(k, modes.size() - 1)], kModes);
    }
  } else if (key == "normalized") {
    sampler.normalized = wordOf(key, value, kBits);
  } else {
    return false;
  }
  return true;
}

void parseKey(TextureObject& object, std::string_view key, std::string_view value) {
  static constexpr std::pair<std::string_view, bool> kBits[] = {{"0", false}, {"1", true}};
  const bool isSurface = object.kind == TextureKind::Surface;
  const bool isSampler = object.kind == TextureKind::Sampler;
  if (!isSurface && parseSamplerKey(object.sampler, key, value)) return;
  if (key == "layers" && !isSampler) {
    object.layers = static_cast<std::uint32_t>(numberOf(key, value, 2048));
    if (object.layers == 0) throw WrongText{"0 layers"};
  } else if (key == "cube" && !isSampler) {
    object.isCube = wordOf(key, value, kBits);
  } else if (key == "pitch" && !isSampler) {
    object.pitch = numberOf(key, value, std::uint64_t{1} << 31);
  } else if (key == "read" && object.kind == TextureKind::Texture) {
    static constexpr std::pair<std::string_view, bool> kReads[] = {{"element", false},
                                                                   {"normalized", true}};
    object.readsNormalized = wordOf(key, value, kReads);
  } else {
    throw WrongText{"unknown key " + quoted(key) + " of a " + std::string(spelling(object.kind)) +
                    (isSampler   ? ": filter, address, normalized"
                     : isSurface ? ": layers, cube, pitch"
                                 : ": filter, address, normalized, read, layers, cube, pitch")};
  }
}

void parseDims(TextureObject& object, std::string_view text) {
  const std::vector<std::string_view> words = split(text, ',');
  if (words.size() > 3) throw WrongText{"a texture has at most 3 dimensions"};
  object.rank = static_cast<std::uint32_t>(words.size());
  for (std::size_t k = 0; k < words.size(); ++k) {
    object.dims[k] = static_cast<std::uint32_t>(numberOf("a dimension", words[k], kMostTexels));
    if (object.dims[k] == 0) throw WrongText{"a dimension of 0 texels"};
  }
}

// What the driver refuses.
void checkObject(TextureObject& object) {
  const std::uint64_t row = std::uint64_t{object.dims[0]} * object.format.bytes();
  if (object.pitch == 0) object.pitch = row;
  if (object.pitch < row || object.pitch % object.format.bytes() != 0) {
    throw WrongText{"the pitch is " + std::to_string(object.pitch) +
                    " bytes, not a multiple of the texel and at least " + std::to_string(row)};
  }
  if (object.isCube && (object.rank != 2 || object.dims[0] != object.dims[1])) {
    throw WrongText{"a cube has two dimensions of the same size"};
  }
  if (object.layers != 0 && object.rank == 3) throw WrongText{"layers of three dimensions"};
  const bool isInteger = !isa::isFloat(object.format.type);
  if (object.readsNormalized && (!isInteger || object.format.channelBytes() > 2)) {
    throw WrongText{"only integers of 8 and 16 bits are read as normalised numbers"};
  }
  if (object.sampler.filter == TextureFilter::Linear && !object.isFloat()) {
    throw WrongText{"a linear filter needs floating-point texels, or read=normalized"};
  }
}

}  // namespace

std::optional<TextureText> parseTexture(TextureKind kind, std::string_view text,
                                        std::string& problem) {
  try {
    const std::vector<std::string_view> words = split(text, ':');
    TextureText result;
    result.object.kind = kind;
    std::size_t next = 0;
    if (kind != TextureKind::Sampler) {
      if (words.size() < 3) {
        throw WrongText{"a " + std::string(spelling(kind)) + " is &BUFFER:TYPExCHANNELS:DIM,DIM"};
      }
      parseBufferOf(result, words[0], "a " + std::string(spelling(kind)));
      if (result.addend % 16 != 0) throw WrongText{"the address is not a multiple of 16"};
      result.object.format = formatOf(words[1]);
      parseDims(result.object, words[2]);
      next = 3;
    }
    for (std::size_t k = next; k < words.size(); ++k) {
      const std::size_t equals = words[k].find('=');
      if (equals == std::string_view::npos) throw WrongText{quoted(words[k]) + " is no KEY=VALUE"};
      parseKey(result.object, words[k].substr(0, equals), words[k].substr(equals + 1));
    }
    if (kind != TextureKind::Sampler) checkObject(result.object);
    return result;
  } catch (const WrongText& wrong) {
    problem = wrong.message;
    return std::nullopt;
  }
}

}  // namespace ptxopt::interp
