// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A texture or surface instruction, decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/isa.h"

namespace ptxopt::interp {

enum class AtomicOperation : std::uint8_t;

enum class TextureAction : std::uint8_t {
  Fetch,   // tex
  Gather,  // tld4
  Load,    // suld.b
  Store,   // sust
  Reduce,  // sured
  Query,   // txq, suq
  IsKind,  // istypep
};

enum class SurfaceClamp : std::uint8_t { Trap, Clamp, Zero };

enum class TextureQuery : std::uint8_t {
  Width,
  Height,
  Depth,
  ChannelDataType,
  ChannelOrder,
  NormalizedCoords,
  ForceUnnormalizedCoords,
  FilterMode,
  AddressMode0,
  AddressMode1,
  AddressMode2,
  ArraySize,
  MipmapLevels,
  Samples,
  MemoryLayout,
};

// Operands are slots.
struct TextureForm {
  TextureAction action = TextureAction::Fetch;
  std::uint32_t rank = 1;  // coordinates: of a cube 3
  bool isArray = false;
  bool isCube = false;
  bool isInteger = false;     // coordinates of .s32
  bool isFormatted = false;   // .p: coordinates are texels, and values are converted
  std::uint32_t object = 0;   // the handle
  std::uint32_t sampler = 0;  // the handle; 0: the texture has its own
  std::uint32_t layer = 0;
  std::vector<std::uint32_t> coordinates;
  std::vector<std::uint32_t> offsets;
  isa::Type type = isa::Type::None;  // of the elements
  std::vector<std::uint32_t> results;
  std::vector<std::uint32_t> values;  // what is stored or combined
  std::uint32_t resident = 0;         // p of d|p; 0: none
  std::uint32_t component = 0;        // of tld4
  SurfaceClamp clamp = SurfaceClamp::Trap;
  std::optional<AtomicOperation> reduction;
  TextureQuery query = TextureQuery::Width;
  bool queriesTexture = true;  // txq, not suq
  std::uint8_t kind = 0;       // TextureKind of istypep

  std::vector<std::uint32_t> sources() const {
    std::vector<std::uint32_t> all = coordinates;
    all.insert(all.end(), offsets.begin(), offsets.end());
    all.insert(all.end(), values.begin(), values.end());
    all.insert(all.end(), {object, sampler, layer});
    return all;
  }
};

}  // namespace ptxopt::interp
