// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/tensor_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "interp/image.h"

namespace ptxopt::interp {

namespace {

using Coordinates = std::array<std::int64_t, TensorMap::kMostRank>;

constexpr std::uint32_t kWide128Pixels = 128;

// What elements are moved in, inside of a line.
struct Unit {
  std::uint32_t elements = 1;
  std::uint32_t bytes = 1;    // of the data, as in global memory
  std::uint32_t stride = 1;   // from one to the next in shared memory
  std::uint32_t aligned = 1;  // the coordinate of dimension 0 is a multiple of this
};

Unit unitOf(const TensorMap& map) {
  if (const std::uint32_t slice = sliceBytes(map.interleave); slice != 0) {
    return {1, slice, slice, 1};
  }
  switch (map.element) {
    case TensorElement::B4x16:
      return {2, 1, 1, 2};
    case TensorElement::B4x16P64:
      return {16, 8, 16, 128};
    case TensorElement::B6x16P32:
      return {16, 12, 16, 128};
    default: {
      const auto bytes = static_cast<std::uint32_t>(bitsOf(map.element)) / 8;
      return {1, bytes, bytes, 1};
    }
  }
}

std::int64_t ceilDivided(std::int64_t value, std::int64_t by) {
  return value >= 0 ? (value + by - 1) / by : -(-value / by);
}

[[noreturn]] void refuse(FindingKind kind, std::string message) {
  throw TensorProblem{kind, std::move(message)};
}

// ---- the rules that the map and the copy must keep ----------------------------------------------

void checkMode(const TensorMap& map, const TensorAccess& access) {
  using enum FindingKind;
  const bool isTile = access.path == TensorPath::Tile || access.path == TensorPath::FourRows;
  const TensorMode mode = isTile                              ? TensorMode::Tiled
                          : access.path == TensorPath::Im2col ? TensorMode::Im2col
                                                              : TensorMode::Im2colWide;
  if (map.rank != access.rank) {
    refuse(TensorMap, "a tensor map of " + std::to_string(map.rank) + " dimensions in a copy of " +
                          std::to_string(access.rank));
  }
  if (map.mode != mode) {
    constexpr const char* kNames[] = {"a tiled tensor map", "an im2col tensor map",
                                      "a wide im2col tensor map"};
    refuse(TensorMap, std::string(kNames[static_cast<std::size_t>(map.mode)]) +
                          " in a copy that needs " + kNames[static_cast<std::size_t>(mode)]);
  }
  if (access.path != TensorPath::FourRows) return;
  if (map.rank != 2 || map.box[1] != 1) {
    refuse(TensorMap,
           "gather4 and scatter4 need a tensor map of two dimensions whose box has one "
           "element in dimension 1");
  }
}

// What the manual leaves open.
void checkSupport(const TensorMap& map) {
  using enum FindingKind;
  if (map.swizzle == TensorSwizzle::Bytes96) {
    refuse(Unsupported, "a tensor map with a swizzle of 96 bytes is not supported");
  }
  if (map.interleave == TensorInterleave::None) return;
  if (map.mode != TensorMode::Tiled) {
    refuse(Unsupported, "im2col of an interleaved layout is not supported");
  }
  if (map.interleave == TensorInterleave::Bytes16 && map.swizzle != TensorSwizzle::None) {
    refuse(Unsupported, "an interleaved layout of 16 bytes with a swizzle is not supported");
  }
  if (map.box[map.rank - 2] != 1) {
    refuse(Unsupported, "a box of several slices of an interleaved layout is not supported");
  }
}

void checkStore(const TensorMap& map, const TensorAccess& access) {
  using enum FindingKind;
  if (std::any_of(access.coordinates.begin(), access.coordinates.end(),
                  [](std::int32_t coordinate) { return coordinate < 0; })) {
    refuse(OutOfBounds, "a tensor copy to global memory that begins at a negative coordinate");
  }
  if (map.element == TensorElement::B4x16P64) {
    refuse(TensorMap, "elements b4x16_p64 in a copy to global memory");
  }
  if (map.swizzle == TensorSwizzle::Bytes128 && map.atom == TensorAtom::Bytes32Flip8) {
    refuse(TensorMap, "a swizzle with a flip of 8 bytes in a copy to global memory");
  }
  const auto isOutside = [&](std::size_t k) { return map.lower[k] < 0 || map.upper[k] > 0; };
  if (map.mode != TensorMode::Tiled && (isOutside(0) || isOutside(1) || isOutside(2))) {
    refuse(TensorMap, "a bounding box that leaves the tensor in a copy to global memory");
  }
}

void checkPlace(const TensorAccess& access, const Unit& unit) {
  using enum FindingKind;
  constexpr std::uint64_t kAlignment = 128;
  if (access.shared % kAlignment != 0) {
    refuse(Misaligned,
           "a tensor copy with an address in shared memory that is not a multiple of 128");
  }
  if (access.coordinates[0] % static_cast<std::int64_t>(unit.aligned) != 0) {
    refuse(Misaligned, "a tensor copy at the coordinate " + std::to_string(access.coordinates[0]) +
                           " in dimension 0, not a multiple of " + std::to_string(unit.aligned));
  }
}

// ---- the walk of im2col -------------------------------------------------------------------------

// Pixels in the order of the data: along W, H, D and N.
class ImageWalk {
 public:
  ImageWalk(const TensorMap& map, const TensorAccess& access) : map_(map), access_(access) {
    std::copy(access.coordinates.begin(), access.coordinates.end(), at_.begin());
    if (isWide()) {
      startWide();
    } else {
      startNarrow();
    }
  }

  std::vector<Coordinates> pixels() {
    std::vector<Coordinates> result;
    for (std::uint32_t k = 0; k < count_; ++k) {
      Coordinates pixel = at_;
      for (std::size_t axis = 0; axis < shift_.size(); ++axis) pixel[axis + 1] += shift_[axis];
      result.push_back(pixel);
      advance();
    }
    return result;
  }

 private:
  bool isWide() const { return access_.path != TensorPath::Im2col; }

  void startNarrow() {
    const int bits = map_.rank == 3 ? 16 : map_.rank == 4 ? 8 : 5;
    const std::uint32_t most = (1u << bits) - 1;
    for (std::size_t k = 0; k < map_.imageRank(); ++k) {
      if (access_.offsets[k] > most) {
        refuse(FindingKind::OutOfBounds, "an im2col offset of " +
                                             std::to_string(access_.offsets[k]) + ", not 0 to " +
                                             std::to_string(most));
      }
      lower_[k] = map_.lower[k];
      upper_[k] = static_cast<std::int64_t>(map_.dims[k + 1]) + map_.upper[k];
      shift_[k] = access_.offsets[k];
      if (at_[k + 1] < lower_[k] || at_[k + 1] >= upper_[k]) refuseStart(k);
    }
    count_ = map_.box[1];
  }

  void startWide() {
    constexpr std::uint32_t kMostOffset = 31;
    const bool is128 = access_.path == TensorPath::Im2colW128;
    const std::uint32_t halo = access_.offsets[0];
    const std::uint32_t offset = access_.offsets[1];
    const std::uint32_t mostHalo = is128 ? 31 : 511;
    if (halo > mostHalo || offset > kMostOffset) {
      refuse(FindingKind::OutOfBounds, "a wHalo of " + std::to_string(halo) + " and a wOffset of " +
                                           std::to_string(offset) + ", not 0 to " +
                                           std::to_string(mostHalo) + " and 0 to 31");
    }
    if (is128 && halo != 0) {
      refuse(FindingKind::Unsupported, "im2col::w::128 with a wHalo is not supported");
    }
    lower_[0] = std::int64_t{map_.lower[0]} + offset;
    upper_[0] = static_cast<std::int64_t>(map_.dims[1]) + map_.upper[0] + offset;
    at_[1] += offset;
    if (at_[1] >= upper_[0]) refuseStart(0);
    count_ = (is128 ? kWide128Pixels : map_.box[1]) + halo;
  }

  [[noreturn]] void refuseStart(std::size_t axis) const {
    refuse(FindingKind::OutOfBounds,
           "an im2col copy that begins at " + std::to_string(at_[axis + 1]) + " in dimension " +
               std::to_string(axis + 1) + ", outside of the bounding box of " +
               std::to_string(lower_[axis]) + " to " + std::to_string(upper_[axis] - 1));
  }

  void advance() {
    for (std::size_t k = 0; k < map_.imageRank(); ++k) {
      at_[k + 1] += map_.elementStrides[k + 1];
      if (at_[k + 1] < upper_[k]) return;
      at_[k + 1] = lower_[k];
    }
    at_[map_.rank - 1] += map_.elementStrides[map_.rank - 1];
  }

  const TensorMap& map_;
  const TensorAccess& access_;
  Coordinates at_{};
  std::array<std::int64_t, 3> lower_{};
  std::array<std::int64_t, 3> upper_{};  // the first after it
  std::array<std::int64_t, 3> shift_{};
  std::uint32_t count_ = 0;
};

// ---- lines --------------------------------------------------------------------------------------

class Planner {
 public:
  Planner(const TensorMap& map, const TensorAccess& access)
      : map_(map), access_(access), unit_(unitOf(map)) {}

  TensorPlan plan() {
    checkMode(map_, access_);
    checkSupport(map_);
    if (!access_.toShared) checkStore(map_, access_);
    checkPlace(access_, unit_);
    layOut();
    switch (access_.path) {
      case TensorPath::Tile:
        planBox();
        break;
      case TensorPath::FourRows:
        planRows();
        break;
      default:
        for (const Coordinates& pixel : pixels_) addLine(pixel);
        break;
    }
    return std::move(plan_);
  }

 private:
  std::uint64_t step(std::size_t k) const {
    const bool isFixed = k == 0 && map_.interleave == TensorInterleave::None;
    return isFixed || map_.mode != TensorMode::Tiled ? 1 : map_.elementStrides[k];
  }
  std::uint64_t countOf(std::size_t k) const { return (map_.box[k] + step(k) - 1) / step(k); }

  // Finds how many lines there are, and how they lie in shared memory.
  void layOut() {
    units_ = static_cast<std::uint32_t>(countOf(0) / unit_.elements);
    std::uint64_t lines = 1;
    if (access_.path == TensorPath::FourRows) {
      lines = 4;
    } else if (access_.path == TensorPath::Tile) {
      for (std::size_t k = 1; k < map_.rank; ++k) lines *= countOf(k);
    } else {
      pixels_ = ImageWalk(map_, access_).pixels();
      lines = pixels_.size();
    }
    swizzle_ = swizzleBytes(map_.swizzle);
    pitch_ = std::max(units_ * unit_.stride, swizzle_);
    // 256^4 lines of 2 KiB at most: no overflow.
    if (lines * pitch_ > kMostShared) {
      refuse(FindingKind::OutOfBounds, "a tensor copy of " + std::to_string(lines * pitch_) +
                                           " bytes, more than any shared memory");
    }
    plan_.extent = static_cast<std::uint32_t>(lines) * pitch_;
    plan_.bytes = static_cast<std::uint32_t>(lines) * units_ * unit_.bytes;
    plan_.unpacksSix = !access_.toShared && map_.element == TensorElement::B6x16P32;
    chunk_ = map_.atom == TensorAtom::Bytes32Flip8 ? 8 : 16;
  }

  void planBox() {
    Coordinates start{};
    std::copy(access_.coordinates.begin(), access_.coordinates.end(), start.begin());
    std::array<std::uint64_t, TensorMap::kMostRank> index{};
    while (true) {
      Coordinates at = start;
      for (std::size_t k = 1; k < map_.rank; ++k) {
        at[k] += static_cast<std::int64_t>(index[k] * step(k));
      }
      addLine(at);
      std::size_t k = 1;
      for (; k < map_.rank; ++k) {
        if (++index[k] < countOf(k)) break;
        index[k] = 0;
      }
      if (k == map_.rank) return;
    }
  }

  void planRows() {
    for (std::size_t row = 0; row < 4; ++row) {
      addLine({access_.coordinates[0], access_.coordinates[row + 1]});
    }
  }

  // The line that begins at these coordinates.
  void addLine(const Coordinates& at) {
    std::uint64_t global = map_.address;
    bool isInside = true;
    for (std::size_t k = 1; k < map_.rank; ++k) {
      isInside = isInside && at[k] >= 0 && static_cast<std::uint64_t>(at[k]) < map_.dims[k];
      global += static_cast<std::uint64_t>(at[k]) * map_.strides[k - 1];
    }
    const std::uint32_t line = line_++;
    if (!isInside) return addUnits(line, 0, units_, global, at[0], false);
    // Units begin[0] up to begin[1] are inside.
    const auto across = static_cast<std::int64_t>(unit_.elements * step(0));
    const auto clamp = [&](std::int64_t value) {
      return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, units_));
    };
    const std::uint32_t begin = clamp(ceilDivided(-at[0], across));
    const std::uint32_t end = std::max(
        begin, clamp(ceilDivided(static_cast<std::int64_t>(map_.dims[0]) - at[0], across)));
    addUnits(line, 0, begin, global, at[0], false);
    addUnits(line, begin, end, global, at[0], true);
    addUnits(line, end, units_, global, at[0], false);
  }

  void addUnits(std::uint32_t line, std::uint32_t begin, std::uint32_t end, std::uint64_t global,
                std::int64_t first, bool isInside) {
    if (begin == end || (!isInside && !access_.toShared)) return;
    const bool isDense = unit_.stride == unit_.bytes && step(0) == 1;
    const std::uint32_t together = isDense ? end - begin : 1;
    for (std::uint32_t k = begin; k < end; k += together) {
      TensorPiece piece;
      piece.shared = line * pitch_ + k * unit_.stride;
      piece.payload = (line * units_ + k) * unit_.bytes;
      piece.size = together * unit_.bytes;
      piece.isInside = isInside;
      if (isInside) {
        const std::int64_t element =
            first + static_cast<std::int64_t>(std::uint64_t{k} * unit_.elements * step(0));
        piece.global = global + static_cast<std::uint64_t>(element) / unit_.elements * unit_.bytes;
      }
      addSwizzled(piece);
    }
  }

  // Chunks of a swizzle change places inside of their 128 bytes.
  void addSwizzled(TensorPiece piece) {
    if (swizzle_ == 0) return add(piece);
    for (std::uint32_t left = piece.size; left != 0;) {
      const std::uint32_t size = std::min(left, chunk_ - piece.shared % chunk_);
      TensorPiece part = piece;
      part.size = size;
      part.shared = swizzled(piece.shared);
      add(part);
      piece.shared += size;
      piece.payload += size;
      if (piece.isInside) piece.global += size;
      left -= size;
    }
  }

  // The number of the chunk is combined with bits of the address from bit 7 on.
  std::uint32_t swizzled(std::uint32_t offset) const {
    const auto address = static_cast<std::uint32_t>(access_.shared) + offset;
    const std::uint32_t atom = atomBytes(map_.atom);
    const std::uint32_t row = address >> 7;
    std::uint32_t flipped = (row & (swizzle_ / atom - 1)) * atom;
    if (map_.atom == TensorAtom::Bytes32Flip8) flipped |= (row & 1) * 8;
    return offset ^ flipped;
  }

  void add(const TensorPiece& piece) {
    if (!plan_.pieces.empty()) {
      TensorPiece& last = plan_.pieces.back();
      const bool follows = last.shared + last.size == piece.shared &&
                           last.payload + last.size == piece.payload &&
                           last.isInside == piece.isInside && !plan_.unpacksSix &&
                           (!piece.isInside || last.global + last.size == piece.global);
      if (follows) {
        last.size += piece.size;
        return;
      }
    }
    plan_.pieces.push_back(piece);
  }

  const TensorMap& map_;
  const TensorAccess& access_;
  Unit unit_;
  TensorPlan plan_;
  std::vector<Coordinates> pixels_;
  std::uint32_t units_ = 0;    // of a line
  std::uint32_t pitch_ = 0;    // bytes of shared memory from one line to the next
  std::uint32_t swizzle_ = 0;  // bytes; 0: none
  std::uint32_t chunk_ = 16;
  std::uint32_t line_ = 0;
};

}  // namespace

std::optional<TensorPlan> planTensorCopy(const TensorMap& map, const TensorAccess& access,
                                         TensorProblem& problem) {
  try {
    return Planner(map, access).plan();
  } catch (const TensorProblem& found) {
    problem = found;
    return std::nullopt;
  }
}

// ---- data ---------------------------------------------------------------------------------------

void fillOutside(TensorFill fill, std::uint8_t* to, std::size_t bytes) {
  constexpr std::uint8_t kOutOfBounds[] = {0xf7, 0x7f};  // each 16 bits are 0x7ff7
  for (std::size_t k = 0; k < bytes; ++k) {
    to[k] = fill == TensorFill::Zero ? 0 : kOutOfBounds[k % 2];
  }
}

void convertLoaded(TensorElement element, std::uint8_t* data, std::size_t bytes) {
  if (element != TensorElement::TF32 && element != TensorElement::TF32Ftz) return;
  constexpr std::uint32_t kInfinity = 0x7f800000;
  constexpr std::uint32_t kNaN = 0x7fffe000;
  constexpr std::uint32_t kDropped = 0x1fff;
  for (std::size_t at = 0; at + 4 <= bytes; at += 4) {
    std::uint32_t value = 0;
    std::memcpy(&value, data + at, 4);
    if ((value & 0x7fffffff) > kInfinity) {
      value = kNaN;
    } else {
      value += kDropped / 2 + (value >> 13 & 1);
      value &= ~kDropped;
    }
    std::memcpy(data + at, &value, 4);
  }
}

void packSix(const std::uint8_t* from, std::uint8_t* to) {
  for (std::size_t group = 0; group < 4; ++group) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      bits |= static_cast<std::uint32_t>(from[4 * group + k] & 0x3f) << (6 * k);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      to[3 * group + k] = static_cast<std::uint8_t>(bits >> (8 * k));
    }
  }
}

}  // namespace ptxopt::interp
