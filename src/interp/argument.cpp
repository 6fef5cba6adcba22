// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/argument.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"
#include "interp/image.h"
#include "interp/tensor_map.h"

namespace ptxopt::interp {

using isa::Type;

// ---- numbers ------------------------------------------------------------------------------------

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> parseNumber(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t unit = 1;
  if (base == 10 && (text.ends_with('K') || text.ends_with('M'))) {
    unit = text.ends_with('K') ? 1u << 10 : 1u << 20;
    text.remove_suffix(1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value > ~std::uint64_t{0} / unit) return std::nullopt;
  value *= unit;
  return negative ? 0 - value : value;
}

std::optional<double> parseReal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Type> parseElementType(std::string_view word) {
  static constexpr std::pair<std::string_view, Type> kNames[] = {
      {"char", Type::S8},    {"uchar", Type::U8},  {"bool", Type::U8},    {"short", Type::S16},
      {"ushort", Type::U16}, {"int", Type::S32},   {"uint", Type::U32},   {"unsigned", Type::U32},
      {"long", Type::S64},   {"ulong", Type::U64}, {"size_t", Type::U64}, {"half", Type::F16},
      {"float", Type::F32},  {"double", Type::F64}};
  for (const auto& [name, type] : kNames) {
    if (word == name) return type;
  }
  const auto type = isa::parseType("." + std::string(word));
  if (!type || isa::bitWidth(*type) == 0 || isa::bitWidth(*type) > 64) return std::nullopt;
  return type;
}

namespace {

std::optional<FloatFormat> formatOf(Type type) {
  switch (type) {
    case Type::F16:
      return kF16;
    case Type::BF16:
      return kBF16;
    case Type::F32:
      return kF32;
    case Type::F64:
      return kF64;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> parseScalar(Type type, std::string_view text) {
  if (const auto format = formatOf(type)) {
    const auto real = parseReal(text);
    if (!real) return std::nullopt;
    return fromDouble(*format, *real, Rounding::NearestEven);
  }
  return parseNumber(text);
}

std::size_t sizeOf(Type type) {
  return static_cast<std::size_t>(std::max(isa::bitWidth(type), 8)) / 8;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> bytesOfNumber(Type type, std::string_view number) {
  const auto value = parseScalar(type, number);
  if (!value) return std::nullopt;
  std::vector<std::uint8_t> bytes(sizeOf(type));
  std::memcpy(bytes.data(), &*value, bytes.size());
  return bytes;
}

double elementValue(Type type, std::uint64_t bits) {
  if (const auto format = formatOf(type)) return toDouble(*format, bits);
  const int width = isa::bitWidth(type);
  if (!isa::isSigned(type)) return static_cast<double>(bits);
  return static_cast<double>(static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width));
}

std::string elementText(Type type, std::uint64_t bits) {
  const int width = isa::bitWidth(type);
  if (formatOf(type)) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), type == Type::F64 ? "%.17g" : "%.9g",
                  elementValue(type, bits));
    return text.data();
  }
  if (!isa::isSigned(type)) return std::to_string(bits);
  return std::to_string(static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width));
}

// ---- contents -----------------------------------------------------------------------------------

namespace {

// Writes element after element; the last one may be cut off.
template <class Element>
void fill(std::vector<std::uint8_t>& bytes, Type type, Element element) {
  const auto size = static_cast<std::size_t>(isa::bitWidth(type)) / 8;
  for (std::size_t at = 0, k = 0; at < bytes.size(); at += size, ++k) {
    const std::uint64_t value = element(k);
    std::memcpy(bytes.data() + at, &value, std::min(size, bytes.size() - at));
  }
}

// "&NAME" or "&NAME+8", to follow what the argument has.
bool addAddress(Argument& argument, std::string_view text) {
  const std::vector<std::string_view> sum = split(text.substr(1), '+');
  const auto addend = sum.size() == 2 ? parseNumber(sum[1]) : 0;
  if (sum.size() > 2 || sum[0].empty() || !addend) return false;
  argument.addresses.push_back({argument.bytes.size(), std::string(sum[0]), *addend});
  return true;
}

// The elements of a list `VALUE[*COUNT],...`; addresses are left to the launch.
bool parseValues(Argument& argument, Type type, std::string_view list) {
  constexpr std::uint64_t kMostCopies = 1u << 20;
  const auto size = static_cast<std::size_t>(isa::bitWidth(type)) / 8;
  for (const std::string_view text : split(list, ',')) {
    const std::vector<std::string_view> parts = split(text, '*');
    const auto copies = parts.size() == 2 ? parseNumber(parts[1]) : 1;
    if (parts.size() > 2 || !copies || *copies > kMostCopies) return false;
    std::uint64_t value = 0;
    if (parts[0].starts_with('&')) {
      if (size != sizeof value || *copies != 1 || !addAddress(argument, parts[0])) return false;
    } else {
      const auto scalar = parseScalar(type, parts[0]);
      if (!scalar) return false;
      value = *scalar;
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
    for (std::uint64_t k = 0; k < *copies; ++k) {
      argument.bytes.insert(argument.bytes.end(), bytes, bytes + size);
    }
  }
  return true;
}

// Fields `TYPE:VALUE[*COUNT],&NAME,...`, each at a multiple of its size, as in C.
bool parseFields(Argument& argument, std::string_view list) {
  std::size_t alignment = 1;
  for (const std::string_view text : split(list, ',')) {
    const bool isAddress = text.starts_with('&');
    const std::size_t colon = text.find(':');
    if (!isAddress && colon == std::string_view::npos) return false;
    const auto type = isAddress ? Type::U64 : parseElementType(text.substr(0, colon));
    if (!type) return false;
    alignment = std::max(alignment, sizeOf(*type));
    argument.bytes.resize(alignUp(argument.bytes.size(), sizeOf(*type)));
    if (!parseValues(argument, *type, isAddress ? text : text.substr(colon + 1))) return false;
  }
  argument.bytes.resize(alignUp(argument.bytes.size(), alignment));
  return true;
}

// What follows "tensormap:": one map, or several by value, one after the other.
bool addTensorMaps(Argument& argument, std::string_view text, std::string& error) {
  argument.bytes.clear();
  for (const std::string_view part : split(text, ';')) {
    std::string problem;
    const auto parsed = parseTensorMap(part, problem);
    if (!parsed) {
      error = "'" + argument.text + "': " + problem;
      return false;
    }
    const TensorMapBytes bytes = encode(parsed->map);
    argument.addresses.push_back(
        {argument.bytes.size() + kTensorMapAddress, parsed->buffer, parsed->addend});
    argument.bytes.insert(argument.bytes.end(), bytes.begin(), bytes.end());
  }
  return true;
}

// "texture:...", "surface:..." or "sampler:..."; none: the text begins with no such word.
std::optional<bool> addTexture(Argument& argument, std::string_view text, std::string& error) {
  for (const TextureKind kind :
       {TextureKind::Texture, TextureKind::Surface, TextureKind::Sampler}) {
    const std::string word = std::string(spelling(kind)) + ":";
    if (!text.starts_with(word)) continue;
    std::string problem;
    argument.texture = parseTexture(kind, text.substr(word.size()), problem);
    argument.bytes.resize(sizeof(std::uint64_t));
    if (!argument.texture) error = "'" + argument.text + "': " + problem;
    return argument.texture.has_value();
  }
  return std::nullopt;
}

bool addMulticast(Argument& argument, std::string_view text, std::string& error) {
  std::string problem;
  argument.multicast = parseMulticast(text, problem);
  argument.bytes.resize(sizeof(std::uint64_t));
  if (!argument.multicast) error = "'" + argument.text + "': " + problem;
  return argument.multicast.has_value();
}

bool fillFromFile(std::vector<std::uint8_t>& bytes, const std::string& path, std::string& error) {
  std::ifstream file{path, std::ios::binary};
  if (!file) {
    error = "cannot read '" + path + "'";
    return false;
  }
  const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
  if (content.size() > bytes.size()) {
    error = "'" + path + "' has " + std::to_string(content.size()) + " bytes, its buffer " +
            std::to_string(bytes.size());
    return false;
  }
  std::memcpy(bytes.data(), content.data(), content.size());
  return true;
}

bool fillSeries(std::vector<std::uint8_t>& bytes, Type type,
                const std::vector<std::string_view>& words) {
  const auto format = formatOf(type);
  const auto start = words.size() > 2 ? parseReal(words[2]) : 0;
  const auto step = words.size() > 3 ? parseReal(words[3]) : 1;
  if (!start || !step || words.size() > 4) return false;
  fill(bytes, type, [&](std::size_t k) {
    const double value = *start + *step * static_cast<double>(k);
    return format ? fromDouble(*format, value, Rounding::NearestEven)
                  : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  });
  return true;
}

bool fillRandom(std::vector<std::uint8_t>& bytes, Type type,
                const std::vector<std::string_view>& words) {
  const auto format = formatOf(type);
  const bool isSmall = words[0] == "small";
  const auto seed = words.size() > 2 ? parseNumber(words[2]) : 1;
  const auto bound = words.size() > 3 ? parseNumber(words[3]) : 64;
  if (!seed || !bound || *bound == 0 || words.size() > (isSmall ? 4 : 3)) return false;
  std::mt19937_64 random(*seed);
  fill(bytes, type, [&](std::size_t) {
    const std::uint64_t bits = random();
    if (isSmall && format) {
      return fromDouble(*format, static_cast<double>(bits % *bound), Rounding::NearestEven);
    }
    if (!format) return isSmall ? bits % *bound : bits;
    // Few enough bits that every format but the halves is exact.
    const double unit = std::ldexp(static_cast<double>(bits >> 44), -19) - 1.0;
    return fromDouble(*format, unit, Rounding::NearestEven);
  });
  return true;
}

bool fillBuffer(Argument& argument, const std::vector<std::string_view>& words,
                std::string& error) {
  std::vector<std::uint8_t>& bytes = argument.bytes;
  if (words.empty() || (words[0] == "zero" && words.size() == 1)) return true;
  if (words[0] == "file") {
    return words.size() == 2 && fillFromFile(bytes, std::string(words[1]), error);
  }
  const auto type = words.size() > 1 ? parseElementType(words[1]) : Type::U32;
  if (!type || *type == Type::Pred) return false;
  argument.type = *type;
  if (words[0] == "zero") return words.size() == 2;
  if (words[0] == "values") {
    const std::size_t size = bytes.size();
    bytes.clear();
    if (words.size() != 3 || !parseValues(argument, *type, words[2])) return false;
    if (bytes.size() > size) {
      error = "'" + argument.text + "': the values have " + std::to_string(bytes.size()) +
              " bytes, the buffer " + std::to_string(size);
      return false;
    }
    bytes.resize(size);
    return true;
  }
  if (words[0] == "iota") return fillSeries(bytes, *type, words);
  if (words[0] == "random" || words[0] == "small") return fillRandom(bytes, *type, words);
  if (words[0] == "fill" && words.size() == 3) {
    const auto value = parseScalar(*type, words[2]);
    if (!value) return false;
    fill(bytes, *type, [&](std::size_t) { return *value; });
    return true;
  }
  return false;
}

// Sets `error` where there is more to say than that it is no argument.
bool parse(Argument& argument, std::string& error) {
  const std::string_view text = argument.text;
  if (text.starts_with('&')) {
    if (!addAddress(argument, text)) return false;
    argument.bytes.resize(sizeof(std::uint64_t));
    return true;
  }
  constexpr std::string_view kTensorMap = "tensormap:";
  if (text.starts_with(kTensorMap)) {
    return addTensorMaps(argument, text.substr(kTensorMap.size()), error);
  }
  constexpr std::string_view kMulticast = "multicast:";
  if (text.starts_with(kMulticast)) {
    return addMulticast(argument, text.substr(kMulticast.size()), error);
  }
  if (const auto isTexture = addTexture(argument, text, error)) return *isTexture;
  const std::vector<std::string_view> words = split(text, ':');
  if (words.size() < 2) {
    argument.isBare = parseNumber(text).has_value() || parseReal(text).has_value();
    return argument.isBare;
  }
  if (words[0] == "buffer" || words[0] == "zero") {
    constexpr std::uint64_t kLargest = 1u << 30;
    const auto size = parseNumber(words[1]);
    if (!size || *size > kLargest) return false;
    argument.bytes.resize(*size);
    argument.isBuffer = words[0] == "buffer";
    if (!argument.isBuffer) return words.size() == 2;
    if (words.size() > 2 && words[2] == "tensormap") {
      const std::size_t map = text.find(kTensorMap) + kTensorMap.size();
      if (!addTensorMaps(argument, text.substr(map), error)) return false;
      if (*size < argument.bytes.size()) {
        error = "'" + argument.text + "': a tensor map has 128 bytes";
        return false;
      }
      argument.bytes.resize(*size);
      return true;
    }
    return fillBuffer(argument, {words.begin() + 2, words.end()}, error);
  }
  if (words[0] == "struct") return parseFields(argument, text.substr(words[0].size() + 1));
  const bool isList = words[0] == "values";
  if (words.size() != (isList ? 3 : 2)) return false;
  const auto type = parseElementType(words[isList ? 1 : 0]);
  if (!type) return false;
  argument.type = *type;
  if (isList) return *type != Type::Pred && parseValues(argument, *type, words[2]);
  const auto bytes = bytesOfNumber(*type, words[1]);
  if (bytes) argument.bytes = *bytes;
  return bytes.has_value();
}

}  // namespace

std::string textOf(const std::vector<Argument>& arguments) {
  std::string text;
  for (const Argument& argument : arguments) text += " --arg " + argument.text;
  return text;
}

std::string_view argumentForms() {
  return R"(48, -1.5                        a number, of the type of its parameter
u32:48, f32:1.5, int:48         a number of this type
buffer:4K                       4096 zero bytes; the kernel gets their address
buffer:4K:iota:f32[:START[:STEP]], buffer:4K:fill:u32:7, buffer:4K:values:s32:1,2,3*10,
buffer:4K:random:f32[:SEED], buffer:4K:small:u32[:SEED[:BOUND]], buffer:4K:file:PATH
struct:u32:5,f32:1.5,&arg0      a structure, field by field
zero:64, values:u32:1,2,3       a structure of zeros, or of elements of one type
&arg0, &NAME, &NAME+16          the address of another buffer, a variable or a function
tensormap:&NAME:f16:64,32:box=64,8[:KEY=VALUE...]
                                a tensor map of the buffer: 32 rows of 64 elements
texture:&NAME:f32x4:64,32[:KEY=VALUE...], surface:&NAME:u8x4:64,32[:KEY=VALUE...],
sampler:filter=linear[:KEY=VALUE...]
                                a texture, a surface or a sampler, by its handle
multicast:&NAME,&NAME           the multimem address of a buffer on each of two devices)";
}

std::optional<Argument> parseArgument(std::string_view text, std::string& error) {
  error.clear();
  Argument argument;
  argument.text = text;
  if (parse(argument, error)) return argument;
  if (error.empty()) error = "'" + argument.text + "' is no argument";
  return std::nullopt;
}

}  // namespace ptxopt::interp
