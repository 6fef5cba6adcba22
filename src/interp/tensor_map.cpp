// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace ptxopt::interp {

namespace {

using isa::Type;

struct ElementRow {
  std::string_view name;
  int bits;
  bool isFloat;
  Type reduction;
};
constexpr std::array<ElementRow, kTensorElements> kElementRows{{
    {"u8", 8, false, Type::None},
    {"u16", 16, false, Type::None},
    {"u32", 32, false, Type::U32},
    {"s32", 32, false, Type::S32},
    {"u64", 64, false, Type::U64},
    {"s64", 64, false, Type::S64},
    {"f16", 16, true, Type::F16},
    {"f32", 32, true, Type::F32},
    {"f32.ftz", 32, true, Type::F32},
    {"f64", 64, true, Type::None},
    {"bf16", 16, true, Type::BF16},
    {"tf32", 32, true, Type::None},
    {"tf32.ftz", 32, true, Type::None},
    {"b4x16", 4, false, Type::None},
    {"b4x16_p64", 4, false, Type::None},
    {"b6x16_p32", 6, false, Type::None},
}};

const ElementRow& rowOf(TensorElement element) {
  return kElementRows[static_cast<std::size_t>(element)];
}

}  // namespace

std::string_view spelling(TensorElement element) {
  return rowOf(element).name;
}

std::optional<TensorElement> parseTensorElement(std::string_view text) {
  for (std::size_t k = 0; k < kTensorElements; ++k) {
    if (kElementRows[k].name == text) return static_cast<TensorElement>(k);
  }
  return std::nullopt;
}

int bitsOf(TensorElement element) {
  return rowOf(element).bits;
}

bool isFloat(TensorElement element) {
  return rowOf(element).isFloat;
}

isa::Type reductionType(TensorElement element) {
  return rowOf(element).reduction;
}

std::uint32_t sliceBytes(TensorInterleave interleave) {
  constexpr std::uint32_t kBytes[] = {0, 16, 32};
  return kBytes[static_cast<std::size_t>(interleave)];
}

std::uint32_t swizzleBytes(TensorSwizzle swizzle) {
  constexpr std::uint32_t kBytes[] = {0, 32, 64, 128, 96};
  return kBytes[static_cast<std::size_t>(swizzle)];
}

std::uint32_t atomBytes(TensorAtom atom) {
  constexpr std::uint32_t kBytes[] = {16, 32, 32, 64};
  return kBytes[static_cast<std::size_t>(atom)];
}

// ---- what the driver checks ---------------------------------------------------------------------

namespace {

// The checks of cuTensorMapEncodeTiled, -Im2col and -Im2colWide, in their order.  Each returns the
// first problem.
class Checker {
 public:
  explicit Checker(const TensorMap& map) : map_(map) {}

  std::optional<std::string> check() const {
    for (const auto part :
         {&Checker::rank, &Checker::address, &Checker::dims, &Checker::strides, &Checker::extent,
          &Checker::elementStrides, &Checker::swizzle, &Checker::fill}) {
      if (auto problem = (this->*part)()) return problem;
    }
    return std::nullopt;
  }

 private:
  using Problem = std::optional<std::string>;

  bool isInterleaved() const { return map_.interleave != TensorInterleave::None; }
  bool isPadded() const {
    return map_.element == TensorElement::B4x16P64 || map_.element == TensorElement::B6x16P32;
  }
  // Of addresses and strides, in bytes.
  std::uint64_t alignment() const {
    return map_.interleave == TensorInterleave::Bytes32 || isPadded() ? 32 : 16;
  }
  static std::string in(std::size_t dimension) {
    return " in dimension " + std::to_string(dimension);
  }

  Problem rank() const {
    if (map_.rank == 0 || map_.rank > TensorMap::kMostRank) {
      return "the rank is " + std::to_string(map_.rank) + ", not 1 to 5";
    }
    const bool needsImage = isInterleaved() || map_.mode != TensorMode::Tiled;
    if (needsImage && map_.rank < 3) {
      return "the rank is " + std::to_string(map_.rank) +
             ", but an interleaved layout and im2col need 3 to 5";
    }
    return std::nullopt;
  }

  Problem address() const {
    if (map_.address % alignment() == 0) return std::nullopt;
    return "the address is not a multiple of " + std::to_string(alignment());
  }

  Problem dims() const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
    for (std::size_t k = 0; k < map_.rank; ++k) {
      if (map_.dims[k] == 0 || map_.dims[k] > kMost) {
        return "the tensor has " + std::to_string(map_.dims[k]) + " elements" + in(k) +
               ", not 1 to 2^32";
      }
    }
    const std::uint64_t multiple = isPadded() ? 128 : map_.element == TensorElement::B4x16 ? 2 : 1;
    if (map_.dims[0] % multiple == 0) return std::nullopt;
    return "the tensor has " + std::to_string(map_.dims[0]) + " elements" + in(0) +
           ", not a multiple of " + std::to_string(multiple);
  }

  Problem strides() const {
    for (std::size_t k = 0; k + 1 < map_.rank; ++k) {
      if (map_.strides[k] >= std::uint64_t{1} << 40) {
        return "the stride of dimension " + std::to_string(k + 1) + " is " +
               std::to_string(map_.strides[k]) + " bytes, not less than 2^40";
      }
      if (map_.strides[k] % alignment() != 0) {
        return "the stride of dimension " + std::to_string(k + 1) + " is " +
               std::to_string(map_.strides[k]) + " bytes, not a multiple of " +
               std::to_string(alignment());
      }
    }
    return std::nullopt;
  }

  Problem extent() const {
    if (map_.mode != TensorMode::Tiled) return imageBox();
    for (std::size_t k = 0; k < map_.rank; ++k) {
      if (map_.box[k] == 0 || map_.box[k] > 256) {
        return "the box has " + std::to_string(map_.box[k]) + " elements" + in(k) +
               ", not 1 to 256";
      }
    }
    return innerBox("the box has ");
  }

  Problem innerBox(const std::string& who) const {
    if (isPadded() && map_.box[0] != 128) {
      return who + std::to_string(map_.box[0]) + " elements" + in(0) + ", not 128";
    }
    const std::uint64_t bits =
        std::uint64_t{map_.box[0]} * static_cast<unsigned>(bitsOf(map_.element));
    if (isInterleaved() || bits % 128 == 0) return std::nullopt;
    const std::string bytes =
        bits % 8 == 0 ? std::to_string(bits / 8) + " bytes" : std::to_string(bits) + " bits";
    return who + bytes + in(0) + ", not a multiple of 16 bytes";
  }

  Problem imageBox() const {
    constexpr std::uint32_t kMostChannels = 256;
    constexpr std::uint32_t kMostPixels = 1024;
    if (map_.box[0] == 0 || map_.box[0] > kMostChannels) {
      return std::to_string(map_.box[0]) + " channels per pixel, not 1 to 256";
    }
    if (map_.box[1] == 0 || map_.box[1] > kMostPixels) {
      return std::to_string(map_.box[1]) + " pixels per column, not 1 to 1024";
    }
    if (map_.mode == TensorMode::Im2colWide && isInterleaved()) {
      return "wide im2col does not support an interleaved layout";
    }
    if (auto problem = innerBox("the channels have ")) return problem;
    const bool isWide = map_.mode == TensorMode::Im2colWide;
    const int bits = isWide || map_.rank == 3 ? 16 : map_.rank == 4 ? 8 : 5;
    const std::int32_t most = (1 << (bits - 1)) - 1;
    const std::size_t first = isInterleaved() ? 0 : 1;
    for (std::size_t k = 0; k < map_.imageRank(); ++k) {
      for (const std::int32_t corner : {map_.lower[k], map_.upper[k]}) {
        if (corner >= -most - 1 && corner <= most) continue;
        return "a corner of the bounding box is " + std::to_string(corner) + ", not " +
               std::to_string(-most - 1) + " to " + std::to_string(most);
      }
      const auto size = static_cast<std::int64_t>(map_.dims[k + first]);
      if (map_.lower[k] >= size + map_.upper[k]) return "the bounding box is empty";
    }
    return std::nullopt;
  }

  Problem elementStrides() const {
    // Without interleave that of dimension 0 is ignored.
    for (std::size_t k = isInterleaved() ? 0 : 1; k < map_.rank; ++k) {
      if (map_.elementStrides[k] >= 1 && map_.elementStrides[k] <= 8) continue;
      return "the element stride is " + std::to_string(map_.elementStrides[k]) + in(k) +
             ", not 1 to 8";
    }
    return std::nullopt;
  }

  // The bytes of the box in dimension 0, in shared memory.
  std::uint64_t innerBytes() const {
    if (isPadded()) return map_.box[0];
    return std::uint64_t{map_.box[0]} * static_cast<unsigned>(bitsOf(map_.element)) / 8;
  }

  Problem swizzle() const {
    if (map_.interleave == TensorInterleave::Bytes32 && map_.swizzle != TensorSwizzle::Bytes32) {
      return "an interleaved layout of 32 bytes needs a swizzle of 32 bytes";
    }
    if (isPadded() && isInterleaved()) return "padded elements do not support interleaved layouts";
    const bool isWide = map_.mode == TensorMode::Im2colWide;
    if (isWide && map_.swizzle != TensorSwizzle::Bytes64 &&
        map_.swizzle != TensorSwizzle::Bytes128) {
      return "wide im2col needs a swizzle of 64 or 128 bytes";
    }
    if (map_.swizzle == TensorSwizzle::None) return std::nullopt;
    if (isPadded() && map_.swizzle != TensorSwizzle::Bytes128) {
      return "padded elements need a swizzle of 128 bytes, or none";
    }
    if (map_.atom != TensorAtom::Bytes16 && map_.swizzle != TensorSwizzle::Bytes128) {
      return "a swizzle of less than 128 bytes moves 16 bytes as a whole";
    }
    if ((isPadded() || isWide) && map_.atom == TensorAtom::Bytes32Flip8) {
      return "padded elements and wide im2col do not support the flip of 8 bytes";
    }
    const std::uint32_t most = swizzleBytes(map_.swizzle);
    if (isInterleaved() || innerBytes() <= most) return std::nullopt;
    return "the box has " + std::to_string(innerBytes()) + " bytes" + in(0) +
           ", more than the swizzle of " + std::to_string(most);
  }

  Problem fill() const {
    if (map_.fill == TensorFill::Zero || isFloat(map_.element)) return std::nullopt;
    return "a fill with NaN needs elements of a floating-point type";
  }

  const TensorMap& map_;
};

}  // namespace

std::optional<std::string> problemOf(const TensorMap& map) {
  return Checker(map).check();
}

// ---- the 128 bytes ------------------------------------------------------------------------------

namespace {

constexpr std::uint32_t kTensorMark = 0x50414d54;  // "TMAP"

// Places of the fields.  Dimensions are as tensormap.replace takes them: 2^32 is 0.
struct MapLayout {
  std::uint64_t address = 0;
  std::uint32_t mark = 0;
  std::uint32_t isSet = 0;  // a bit for each field, see fieldBit()
  std::uint64_t strides[4] = {};
  std::uint32_t dims[5] = {};
  std::uint16_t box[5] = {};
  std::uint8_t elementStrides[5] = {};
  std::uint8_t rank = 0;  // less one
  std::uint8_t element = 0;
  std::uint8_t interleave = 0;
  std::uint8_t swizzle = 0;
  std::uint8_t atom = 0;
  std::uint8_t fill = 0;
  std::uint8_t mode = 0;
  std::int16_t lower[3] = {};
  std::int16_t upper[3] = {};
  std::uint8_t unused[26] = {};
};
static_assert(sizeof(MapLayout) == TensorMap::kBytes);

constexpr std::uint32_t fieldBit(TensorField field, std::uint64_t ordinal = 0) {
  switch (field) {
    case TensorField::GlobalAddress:
      return 1u;
    case TensorField::Rank:
      return 1u << 1;
    case TensorField::ElementType:
      return 1u << 2;
    case TensorField::InterleaveLayout:
      return 1u << 3;
    case TensorField::SwizzleMode:
      return 1u << 4;
    case TensorField::FillMode:
      return 1u << 5;
    case TensorField::SwizzleAtomicity:
      return 1u << 6;
    case TensorField::BoxDim:
      return 1u << (7 + ordinal);
    case TensorField::GlobalDim:
      return 1u << (12 + ordinal);
    case TensorField::ElementStride:
      return 1u << (17 + ordinal);
    case TensorField::GlobalStride:
      return 1u << (22 + ordinal);
  }
  return 0;
}

MapLayout readLayout(std::span<const std::uint8_t, TensorMap::kBytes> bytes) {
  MapLayout layout;
  std::memcpy(&layout, bytes.data(), sizeof layout);
  return layout;
}

template <class Small, class Large>
Small saturated(Large value) {
  constexpr auto kMost = static_cast<Large>(std::numeric_limits<Small>::max());
  return static_cast<Small>(std::min(value, kMost));
}

constexpr std::pair<std::string_view, TensorField> kTensorFields[] = {
    {".global_address", TensorField::GlobalAddress},
    {".rank", TensorField::Rank},
    {".box_dim", TensorField::BoxDim},
    {".global_dim", TensorField::GlobalDim},
    {".global_stride", TensorField::GlobalStride},
    {".element_stride", TensorField::ElementStride},
    {".elemtype", TensorField::ElementType},
    {".interleave_layout", TensorField::InterleaveLayout},
    {".swizzle_mode", TensorField::SwizzleMode},
    {".swizzle_atomicity", TensorField::SwizzleAtomicity},
    {".fill_mode", TensorField::FillMode},
};

// Compilers leave these as the zeros say: u8, no interleave, no swizzle, zero fill.
bool mayBeMissing(TensorField field) {
  return field == TensorField::ElementType || field == TensorField::InterleaveLayout ||
         field == TensorField::SwizzleMode || field == TensorField::SwizzleAtomicity ||
         field == TensorField::FillMode;
}

// How many there are of a field in a map of this rank.
std::size_t countOf(TensorField field, std::size_t rank) {
  if (!hasOrdinal(field)) return 1;
  return field == TensorField::GlobalStride ? rank - 1 : rank;
}

// The first field that somebody must set and nobody has; without the dot.
std::optional<std::string> missingField(const MapLayout& layout) {
  const std::size_t rank = std::min(layout.rank + std::size_t{1}, TensorMap::kMostRank);
  for (const auto& [name, field] : kTensorFields) {
    if (mayBeMissing(field)) continue;
    const bool isImage = layout.mode != static_cast<std::uint8_t>(TensorMode::Tiled);
    // im2col has channels and pixels instead of a box.
    const std::size_t all = field == TensorField::BoxDim && isImage ? 2 : countOf(field, rank);
    for (std::size_t k = 0; k < all; ++k) {
      if ((layout.isSet & fieldBit(field, k)) != 0) continue;
      const std::string text(name.substr(1));
      return hasOrdinal(field) ? text + " " + std::to_string(k) : text;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<TensorField> parseTensorField(std::string_view qualifier) {
  for (const auto& [name, field] : kTensorFields) {
    if (name == qualifier) return field;
  }
  return std::nullopt;
}

bool hasOrdinal(TensorField field) {
  return field == TensorField::BoxDim || field == TensorField::GlobalDim ||
         field == TensorField::GlobalStride || field == TensorField::ElementStride;
}

TensorMapBytes encode(const TensorMap& map) {
  MapLayout layout;
  layout.address = map.address;
  layout.mark = kTensorMark;
  layout.rank = static_cast<std::uint8_t>(map.rank - 1);
  layout.element = static_cast<std::uint8_t>(map.element);
  layout.interleave = static_cast<std::uint8_t>(map.interleave);
  layout.swizzle = static_cast<std::uint8_t>(map.swizzle);
  layout.atom = static_cast<std::uint8_t>(map.atom);
  layout.fill = static_cast<std::uint8_t>(map.fill);
  layout.mode = static_cast<std::uint8_t>(map.mode);
  const std::size_t rank = std::clamp<std::size_t>(map.rank, 1, TensorMap::kMostRank);
  for (const auto& [name, field] : kTensorFields) {
    for (std::size_t k = 0; k < countOf(field, rank); ++k) layout.isSet |= fieldBit(field, k);
  }
  for (std::size_t k = 0; k < TensorMap::kMostRank; ++k) {
    layout.dims[k] = static_cast<std::uint32_t>(map.dims[k]);
    layout.box[k] = saturated<std::uint16_t>(map.box[k]);
    layout.elementStrides[k] = saturated<std::uint8_t>(map.elementStrides[k]);
    if (k > 0) layout.strides[k - 1] = map.strides[k - 1];
  }
  for (std::size_t k = 0; k < 3; ++k) {
    layout.lower[k] = static_cast<std::int16_t>(map.lower[k]);
    layout.upper[k] = static_cast<std::int16_t>(map.upper[k]);
  }
  TensorMapBytes bytes{};
  std::memcpy(bytes.data(), &layout, sizeof layout);
  return bytes;
}

std::optional<TensorMap> decodeTensorMap(std::span<const std::uint8_t, TensorMap::kBytes> bytes,
                                         std::string& problem) {
  const MapLayout layout = readLayout(bytes);
  if (layout.mark != kTensorMark) {
    const bool isZero =
        std::all_of(bytes.begin(), bytes.end(), [](auto byte) { return byte == 0; });
    problem = isZero ? "they are all zero" : "they hold something else";
    return std::nullopt;
  }
  if (const auto missing = missingField(layout)) {
    problem = "they do not set " + *missing;
    return std::nullopt;
  }
  if (layout.element >= kTensorElements || layout.interleave > 2 || layout.swizzle > 4 ||
      layout.atom > 3 || layout.fill > 1 || layout.mode > 2) {
    problem = "a field has a value that it cannot have";
    return std::nullopt;
  }
  TensorMap map;
  map.address = layout.address;
  map.rank = layout.rank + std::size_t{1};
  map.element = static_cast<TensorElement>(layout.element);
  map.interleave = static_cast<TensorInterleave>(layout.interleave);
  map.swizzle = static_cast<TensorSwizzle>(layout.swizzle);
  map.atom = static_cast<TensorAtom>(layout.atom);
  map.fill = static_cast<TensorFill>(layout.fill);
  map.mode = static_cast<TensorMode>(layout.mode);
  for (std::size_t k = 0; k < TensorMap::kMostRank; ++k) {
    map.dims[k] = layout.dims[k] == 0 ? std::uint64_t{1} << 32 : layout.dims[k];
    map.box[k] = layout.box[k];
    map.elementStrides[k] = layout.elementStrides[k];
    if (k > 0) map.strides[k - 1] = layout.strides[k - 1];
  }
  std::copy_n(layout.lower, 3, map.lower.begin());
  std::copy_n(layout.upper, 3, map.upper.begin());
  if (auto wrong = problemOf(map)) {
    problem = std::move(*wrong);
    return std::nullopt;
  }
  return map;
}

namespace {

void putField(MapLayout& layout, TensorField field, std::uint64_t at, std::uint64_t value) {
  const auto byte = saturated<std::uint8_t>(value);
  switch (field) {
    case TensorField::GlobalAddress:
      layout.address = value;
      return;
    case TensorField::Rank:
      layout.rank = byte;
      return;
    case TensorField::BoxDim:
      layout.box[at] = saturated<std::uint16_t>(value);
      return;
    case TensorField::GlobalDim:
      layout.dims[at] = static_cast<std::uint32_t>(value);
      return;
    case TensorField::GlobalStride:
      layout.strides[at] = value;
      return;
    case TensorField::ElementStride:
      layout.elementStrides[at] = byte;
      return;
    case TensorField::ElementType:
      layout.element = byte;
      return;
    case TensorField::InterleaveLayout:
      layout.interleave = byte;
      return;
    case TensorField::SwizzleMode:
      layout.swizzle = byte;
      return;
    case TensorField::SwizzleAtomicity:
      layout.atom = byte;
      return;
    case TensorField::FillMode:
      layout.fill = byte;
      return;
  }
}

}  // namespace

bool replaceField(std::span<std::uint8_t, TensorMap::kBytes> bytes, TensorField field,
                  std::uint64_t ordinal, std::uint64_t value, std::string& problem) {
  MapLayout layout = readLayout(bytes);
  const bool isZero = std::all_of(bytes.begin(), bytes.end(), [](auto byte) { return byte == 0; });
  if (layout.mark != kTensorMark && !isZero) {
    problem = "they hold something else";
    return false;
  }
  if (hasOrdinal(field) && ordinal >= countOf(field, TensorMap::kMostRank)) {
    problem = "there is no dimension " + std::to_string(ordinal);
    return false;
  }
  layout.mark = kTensorMark;
  layout.isSet |= fieldBit(field, hasOrdinal(field) ? ordinal : 0);
  putField(layout, field, ordinal, value);
  std::memcpy(bytes.data(), &layout, sizeof layout);
  return true;
}

}  // namespace ptxopt::interp
