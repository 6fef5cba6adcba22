// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps as text.
#include <algorithm>
#include <vector>

#include "interp/argument.h"
#include "interp/object_text.h"
#include "interp/tensor_map.h"

namespace ptxopt::interp {

namespace {

constexpr std::string_view kTensorKeys[] = {
    "box", "strides", "elementStrides", "interleave", "swizzle", "fill",
    "l2",  "lower",   "upper",          "channels",   "pixels",  "wide"};

std::vector<std::int64_t> numbers(std::string_view key, std::string_view text) {
  std::vector<std::int64_t> result;
  for (const std::string_view word : split(text, ',')) {
    const auto number = parseNumber(word);
    if (!number) throw WrongText{quoted(word) + " is not a number for " + quoted(key)};
    result.push_back(static_cast<std::int64_t>(*number));
  }
  return result;
}

// One of `words`, by its place.
template <class Enumeration, std::size_t kCount>
Enumeration oneOf(std::string_view key, std::string_view text,
                  const std::string_view (&words)[kCount]) {
  const auto found = std::find(std::begin(words), std::end(words), text);
  if (found != std::end(words)) return static_cast<Enumeration>(found - std::begin(words));
  std::string all;
  for (const std::string_view word : words) {
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  throw WrongText{quoted(text) + " is not a value for " + quoted(key) + ": " + all};
}

// The values of a key, which are checked against the rank when all are known.
struct Lists {
  std::vector<std::int64_t> dims;
  std::optional<std::vector<std::int64_t>> box, strides, elementStrides, lower, upper;
  std::optional<std::vector<std::int64_t>> channels, pixels;
};

// Small enough for the field, so that nothing is lost before the driver's checks.
template <class Number>
Number narrowed(std::int64_t value) {
  constexpr std::int64_t kMost = 1 << 30;
  return static_cast<Number>(std::clamp(value, std::is_signed_v<Number> ? -kMost : 0, kMost));
}

template <class Number, std::size_t kCount>
void putNumbers(std::array<Number, kCount>& to, const std::vector<std::int64_t>& from,
                std::string_view key, std::size_t count) {
  if (from.size() != count) {
    throw WrongText{quoted(key) + " has " + std::to_string(from.size()) + " numbers, not " +
                    std::to_string(count)};
  }
  for (std::size_t k = 0; k < count; ++k) {
    to[k] = sizeof(Number) == 8 ? static_cast<Number>(from[k]) : narrowed<Number>(from[k]);
  }
}

void parseKey(TensorMap& map, Lists& lists, std::string_view key, std::string_view value) {
  if (key == "box") {
    lists.box = numbers(key, value);
  } else if (key == "strides") {
    lists.strides = numbers(key, value);
  } else if (key == "elementStrides") {
    lists.elementStrides = numbers(key, value);
  } else if (key == "interleave") {
    map.interleave = oneOf<TensorInterleave>(key, value, {"none", "16B", "32B"});
  } else if (key == "swizzle") {
    static constexpr std::string_view kWords[] = {
        "none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"};
    const auto kind = oneOf<std::uint8_t>(key, value, kWords);
    map.swizzle = static_cast<TensorSwizzle>(std::min<std::uint8_t>(kind, 3));
    map.atom = static_cast<TensorAtom>(kind > 3 ? kind - 3 : 0);
  } else if (key == "fill") {
    map.fill = oneOf<TensorFill>(key, value, {"zero", "nan"});
  } else if (key == "l2") {
    oneOf<std::uint8_t>(key, value, {"none", "64B", "128B", "256B"});  // only a hint
  } else if (key == "lower") {
    lists.lower = numbers(key, value);
  } else if (key == "upper") {
    lists.upper = numbers(key, value);
  } else if (key == "channels") {
    lists.channels = numbers(key, value);
  } else if (key == "pixels") {
    lists.pixels = numbers(key, value);
  } else if (key == "wide") {
    if (value != "1" && value != "0") throw WrongText{"'wide' is 0 or 1"};
    if (value == "1") map.mode = TensorMode::Im2colWide;
  } else {
    std::string all;
    for (const std::string_view known : kTensorKeys) {
      all += (all.empty() ? "" : ", ") + std::string(known);
    }
    throw WrongText{"unknown key " + quoted(key) + " of a tensor map: " + all};
  }
}

// Without padding between dimensions.
void makeDense(TensorMap& map) {
  const std::uint32_t slice = sliceBytes(map.interleave);
  const std::uint64_t bits = slice != 0 ? 8 * slice : static_cast<unsigned>(bitsOf(map.element));
  std::uint64_t bytes = (map.dims[0] * bits + 7) / 8;
  for (std::size_t k = 0; k + 1 < map.rank; ++k) {
    map.strides[k] = bytes;
    bytes *= map.dims[k + 1];
  }
}

void finishImage(TensorMap& map, const Lists& lists) {
  if (!lists.lower || !lists.upper || !lists.channels || !lists.pixels) {
    throw WrongText{"im2col needs 'lower', 'upper', 'channels' and 'pixels'"};
  }
  if (lists.box) throw WrongText{"im2col has no 'box'"};
  if (map.rank < 3) throw WrongText{"im2col needs 3 to 5 dimensions"};
  putNumbers(map.lower, *lists.lower, "lower", map.imageRank());
  putNumbers(map.upper, *lists.upper, "upper", map.imageRank());
  std::array<std::uint32_t, 1> one{};
  putNumbers(one, *lists.channels, "channels", 1);
  map.box[0] = one[0];
  putNumbers(one, *lists.pixels, "pixels", 1);
  map.box[1] = one[0];
}

void finishMap(TensorMap& map, const Lists& lists) {
  map.rank = lists.dims.size();
  if (map.rank > TensorMap::kMostRank) throw WrongText{"a tensor has at most 5 dimensions"};
  putNumbers(map.dims, lists.dims, "the dimensions", map.rank);
  const bool isImage = lists.lower || lists.upper || lists.channels || lists.pixels ||
                       map.mode == TensorMode::Im2colWide;
  if (isImage && map.mode == TensorMode::Tiled) map.mode = TensorMode::Im2col;
  if (isImage) {
    finishImage(map, lists);
  } else if (!lists.box) {
    throw WrongText{"a tensor map without 'box'"};
  } else {
    putNumbers(map.box, *lists.box, "box", map.rank);
  }
  map.elementStrides.fill(1);
  if (lists.elementStrides) {
    putNumbers(map.elementStrides, *lists.elementStrides, "elementStrides", map.rank);
  }
  if (lists.strides) {
    putNumbers(map.strides, *lists.strides, "strides", map.rank - 1);
  } else {
    makeDense(map);
  }
}

}  // namespace

std::optional<TensorMapText> parseTensorMap(std::string_view text, std::string& problem) {
  try {
    const std::vector<std::string_view> words = split(text, ':');
    if (words.size() < 3) throw WrongText{"a tensor map is &BUFFER:TYPE:DIM,DIM:box=N,N"};
    TensorMapText result;
    parseBufferOf(result, words[0], "a tensor map");
    const auto element = parseTensorElement(words[1]);
    if (!element) throw WrongText{quoted(words[1]) + " is not a type of tensor elements"};
    result.map.element = *element;
    Lists lists;
    lists.dims = numbers("the dimensions", words[2]);
    for (std::size_t k = 3; k < words.size(); ++k) {
      const std::size_t equals = words[k].find('=');
      if (equals == std::string_view::npos) throw WrongText{quoted(words[k]) + " is no KEY=VALUE"};
      parseKey(result.map, lists, words[k].substr(0, equals), words[k].substr(equals + 1));
    }
    finishMap(result.map, lists);
    // Buffers and variables begin at multiples of 256.
    TensorMap trial = result.map;
    trial.address = result.addend;
    if (auto wrong = problemOf(trial)) throw WrongText{*wrong};
    return result;
  } catch (const WrongText& wrong) {
    problem = wrong.message;
    return std::nullopt;
  }
}

}  // namespace ptxopt::interp
