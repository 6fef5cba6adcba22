// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps: their text, their bytes, what the driver refuses, and maps that are broken.
#include "interp/tensor_map.h"

#include <gtest/gtest.h>

#include <random>

#include "interp/argument.h"
#include "interp/launch.h"
#include "interp/tensor_copy.h"

namespace ptxopt::interp {
namespace {

std::string problemOfText(const std::string& text) {
  std::string problem;
  const auto parsed = parseTensorMap(text, problem);
  return parsed ? "" : problem;
}

TensorMap mapOf(const std::string& text) {
  std::string problem;
  const auto parsed = parseTensorMap(text, problem);
  EXPECT_TRUE(parsed) << text << ": " << problem;
  return parsed ? parsed->map : TensorMap{};
}

TEST(TensorMapTest, TextHasAllFields) {
  std::string problem;
  const auto parsed = parseTensorMap(
      "&a+64:f16:100,50,3:box=64,8,2:strides=256,12800:elementStrides=1,2,3:swizzle=128B_ATOM_64B:"
      "interleave=none:fill=nan:l2=256B",
      problem);
  ASSERT_TRUE(parsed) << problem;
  EXPECT_EQ(parsed->buffer, "a");
  EXPECT_EQ(parsed->addend, 64u);
  const TensorMap& map = parsed->map;
  EXPECT_EQ(map.rank, 3u);
  EXPECT_EQ(map.element, TensorElement::F16);
  EXPECT_EQ(map.dims[1], 50u);
  EXPECT_EQ(map.strides[1], 12800u);
  EXPECT_EQ(map.box[0], 64u);
  EXPECT_EQ(map.elementStrides[2], 3u);
  EXPECT_EQ(map.swizzle, TensorSwizzle::Bytes128);
  EXPECT_EQ(map.atom, TensorAtom::Bytes64);
  EXPECT_EQ(map.fill, TensorFill::NaN);
  EXPECT_EQ(map.mode, TensorMode::Tiled);
}

TEST(TensorMapTest, StridesAreDenseIfNothingIsSaid) {
  EXPECT_EQ(mapOf("&a:f32:8,3,5:box=4,1,1").strides[0], 32u);
  EXPECT_EQ(mapOf("&a:f32:8,3,5:box=4,1,1").strides[1], 96u);
  EXPECT_EQ(mapOf("&a:b4x16:64,3:box=32,1").strides[0], 32u);
  EXPECT_EQ(mapOf("&a:f16:5,3,2:box=5,1,1:interleave=16B").strides[0], 80u);
  EXPECT_EQ(problemOfText("&a:f32:9,3:box=4,1"),
            "the stride of dimension 1 is 36 bytes, not a multiple of 16");
}

TEST(TensorMapTest, ImageFields) {
  const TensorMap map =
      mapOf("&a:f16:64,9,9,2:lower=-1,-2:upper=-1,0:channels=32:pixels=128:elementStrides=1,2,2,1");
  EXPECT_EQ(map.mode, TensorMode::Im2col);
  EXPECT_EQ(map.lower[1], -2);
  EXPECT_EQ(map.upper[0], -1);
  EXPECT_EQ(map.box[0], 32u);
  EXPECT_EQ(map.box[1], 128u);
  EXPECT_EQ(map.imageRank(), 2u);
  const TensorMap wide =
      mapOf("&a:f16:64,9,9,2:lower=-1:upper=0:channels=32:pixels=8:swizzle=64B:wide=1");
  EXPECT_EQ(wide.mode, TensorMode::Im2colWide);
  EXPECT_EQ(wide.imageRank(), 1u);
}

// What cuTensorMapEncodeTiled, -Im2col and -Im2colWide refuse.
TEST(TensorMapTest, DriverRefuses) {
  const std::pair<const char*, const char*> kCases[] = {
      {"&a:f32:8,8,8,8,8,8:box=4,1,1,1,1,1", "a tensor has at most 5 dimensions"},
      {"&a+8:f32:8:box=4", "the address is not a multiple of 16"},
      {"&a+16:f16:8,8,8:box=4,1,1:interleave=32B:swizzle=32B",
       "the address is not a multiple of 32"},
      {"&a:f32:0:box=4", "the tensor has 0 elements in dimension 0, not 1 to 2^32"},
      {"&a:u8:4294967297:box=16",
       "the tensor has 4294967297 elements in dimension 0, not 1 to 2^32"},
      {"&a:b4x16:33:box=32", "the tensor has 33 elements in dimension 0, not a multiple of 2"},
      {"&a:b6x16_p32:64:box=128",
       "the tensor has 64 elements in dimension 0, not a multiple of 128"},
      {"&a:f32:8,8:box=4,1:strides=40",
       "the stride of dimension 1 is 40 bytes, not a multiple of 16"},
      {"&a:f32:8,8:box=4,1:strides=1099511627776",
       "the stride of dimension 1 is 1099511627776 bytes, not less than 2^40"},
      {"&a:f32:8,8:box=4,0", "the box has 0 elements in dimension 1, not 1 to 256"},
      {"&a:f32:8,8:box=4,257", "the box has 257 elements in dimension 1, not 1 to 256"},
      {"&a:f32:8,8:box=3,1", "the box has 12 bytes in dimension 0, not a multiple of 16 bytes"},
      {"&a:b4x16:64:box=31", "the box has 124 bits in dimension 0, not a multiple of 16 bytes"},
      {"&a:b4x16_p64:128:box=64", "the box has 64 elements in dimension 0, not 128"},
      {"&a:f32:8,8:box=4,1:elementStrides=1,9",
       "the element stride is 9 in dimension 1, not 1 to 8"},
      {"&a:f32:8,8:box=4,1:elementStrides=1,0",
       "the element stride is 0 in dimension 1, not 1 to 8"},
      {"&a:f32:64,8:box=64,1:swizzle=128B",
       "the box has 256 bytes in dimension 0, more than the swizzle of 128"},
      {"&a:f16:8,8,8:box=4,1,1:interleave=32B",
       "an interleaved layout of 32 bytes needs a swizzle of 32 bytes"},
      {"&a:f16:8,8:box=4,1:interleave=16B",
       "the rank is 2, but an interleaved layout and im2col need 3 to 5"},
      {"&a:b4x16_p64:128:box=128:swizzle=64B",
       "padded elements need a swizzle of 128 bytes, or none"},
      {"&a:u32:8:box=4:fill=nan", "a fill with NaN needs elements of a floating-point type"},
      {"&a:f16:64,9,9,2:lower=-129,0:upper=0,0:channels=32:pixels=8",
       "a corner of the bounding box is -129, not -128 to 127"},
      {"&a:f16:64,9,9,2,1:lower=0,0,16:upper=0,0,0:channels=32:pixels=8",
       "a corner of the bounding box is 16, not -16 to 15"},
      {"&a:f16:64,9,9,2:lower=3,0:upper=-6,0:channels=32:pixels=8", "the bounding box is empty"},
      {"&a:f16:64,9,9,2:lower=0,0:upper=0,0:channels=257:pixels=8",
       "257 channels per pixel, not 1 to 256"},
      {"&a:f16:64,9,9,2:lower=0,0:upper=0,0:channels=32:pixels=1025",
       "1025 pixels per column, not 1 to 1024"},
      {"&a:f16:64,9,9,2:lower=0:upper=0:channels=32:pixels=8:wide=1",
       "wide im2col needs a swizzle of 64 or 128 bytes"},
  };
  for (const auto& [text, problem] : kCases) EXPECT_EQ(problemOfText(text), problem) << text;
}

TEST(TensorMapTest, TextIsWrong) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "a tensor map is &BUFFER:TYPE:DIM,DIM:box=N,N"},
      {"a:f32:8:box=4", "'a' is not the buffer of a tensor map, such as &arg1 or &NAME+64"},
      {"&:f32:8:box=4", "'&' is not the buffer of a tensor map, such as &arg1 or &NAME+64"},
      {"&a:f8:8:box=4", "'f8' is not a type of tensor elements"},
      {"&a:f32:8:box", "'box' is no KEY=VALUE"},
      {"&a:f32:8:box=x", "'x' is not a number for 'box'"},
      {"&a:f32:8", "a tensor map without 'box'"},
      {"&a:f32:8,8:box=4", "'box' has 1 numbers, not 2"},
      {"&a:f32:8,8:box=4,4:strides=32,32", "'strides' has 2 numbers, not 1"},
      {"&a:f32:8:box=4:swizzle=96B",
       "'96B' is not a value for 'swizzle': none, 32B, 64B, 128B, 128B_ATOM_32B, "
       "128B_ATOM_32B_FLIP_8B, 128B_ATOM_64B"},
      {"&a:f32:8:box=4:colour=1",
       "unknown key 'colour' of a tensor map: box, strides, elementStrides, interleave, swizzle, "
       "fill, l2, lower, upper, channels, pixels, wide"},
      {"&a:f32:8,8,8:lower=0:upper=0:channels=4",
       "im2col needs 'lower', 'upper', 'channels' and 'pixels'"},
      {"&a:f32:8,8,8:lower=0:upper=0:channels=4:pixels=4:box=4,1,1", "im2col has no 'box'"},
  };
  for (const auto& [text, problem] : kCases) EXPECT_EQ(problemOfText(text), problem) << text;
}

TEST(TensorMapTest, BytesHoldTheMap) {
  for (const char* const text :
       {"&a:f16:100,50,3:box=64,8,2:strides=256,12800:elementStrides=1,2,3:swizzle=128B:fill=nan",
        "&a:u8:4294967296:box=256", "&a:s64:1,1,1,1,1:box=2,256,256,256,256:strides=16,16,16,16",
        "&a:f16:64,9,9,2:lower=-128,5:upper=127,-1:channels=256:pixels=1024:swizzle=none"}) {
    std::string problem;
    TensorMap map = mapOf(text);
    map.address = 0x123456780;
    const TensorMapBytes bytes = encode(map);
    const auto back = decodeTensorMap(bytes, problem);
    ASSERT_TRUE(back) << text << ": " << problem;
    EXPECT_EQ(back->address, map.address);
    EXPECT_EQ(back->dims[0], map.dims[0]);
    EXPECT_EQ(encode(*back), bytes);
  }
}

TEST(TensorMapTest, BytesAreNoMap) {
  TensorMapBytes bytes{};
  std::string problem;
  EXPECT_FALSE(decodeTensorMap(bytes, problem));
  EXPECT_EQ(problem, "they are all zero");
  bytes[100] = 1;
  EXPECT_FALSE(decodeTensorMap(bytes, problem));
  EXPECT_EQ(problem, "they hold something else");
  EXPECT_FALSE(replaceField(bytes, TensorField::Rank, 0, 1, problem));
}

TEST(TensorMapTest, FieldsAreReplaced) {
  TensorMapBytes bytes{};
  std::string problem;
  const auto put = [&](const char* name, std::uint64_t ordinal, std::uint64_t value) {
    const auto field = parseTensorField(name);
    ASSERT_TRUE(field) << name;
    ASSERT_TRUE(replaceField(bytes, *field, ordinal, value, problem)) << problem;
  };
  put(".global_address", 0, 0x1000);
  put(".rank", 0, 1);
  for (const std::uint64_t k : {0, 1}) {
    put(".box_dim", k, 8);
    put(".global_dim", k, 64);
    put(".element_stride", k, 1);
  }
  EXPECT_FALSE(decodeTensorMap(bytes, problem));
  EXPECT_EQ(problem, "they do not set global_stride 0");
  put(".global_stride", 0, 128);
  // Zeros are values of the other fields.
  put(".box_dim", 0, 16);
  const auto plain = decodeTensorMap(bytes, problem);
  ASSERT_TRUE(plain) << problem;
  EXPECT_EQ(plain->element, TensorElement::U8);
  EXPECT_EQ(plain->swizzle, TensorSwizzle::None);
  EXPECT_EQ(plain->fill, TensorFill::Zero);
  put(".box_dim", 0, 8);
  put(".elemtype", 0, 10);  // bf16
  put(".interleave_layout", 0, 0);
  put(".swizzle_mode", 0, 3);
  put(".fill_mode", 0, 1);
  put(".swizzle_atomicity", 0, 3);
  const auto map = decodeTensorMap(bytes, problem);
  ASSERT_TRUE(map) << problem;
  EXPECT_EQ(map->rank, 2u);
  EXPECT_EQ(map->address, 0x1000u);
  EXPECT_EQ(map->element, TensorElement::BF16);
  EXPECT_EQ(map->swizzle, TensorSwizzle::Bytes128);
  EXPECT_EQ(map->atom, TensorAtom::Bytes64);
  EXPECT_EQ(map->fill, TensorFill::NaN);
  EXPECT_EQ(map->strides[0], 128u);
  // A value that it cannot have is found when the map is used.
  put(".box_dim", 0, 70000);
  EXPECT_FALSE(decodeTensorMap(bytes, problem));
  put(".box_dim", 0, 8);
  put(".elemtype", 0, 300);
  EXPECT_FALSE(decodeTensorMap(bytes, problem));
  EXPECT_EQ(problem, "a field has a value that it cannot have");
  EXPECT_FALSE(replaceField(bytes, TensorField::BoxDim, 5, 1, problem));
  EXPECT_FALSE(replaceField(bytes, TensorField::GlobalStride, 4, 1, problem));
}

// Bytes of all kinds are refused, or make a plan that stays in its bounds.
TEST(TensorMapTest, BrokenBytesDoNoHarm) {
  std::mt19937_64 random(1);
  const TensorMap whole = mapOf("&a:f16:100,50,3:box=64,8,2:strides=256,12800:swizzle=128B");
  const TensorMap image =
      mapOf("&a:f16:64,9,9,2:lower=-1,-1:upper=-1,-1:channels=32:pixels=128:swizzle=64B");
  std::size_t plans = 0;
  std::size_t refused = 0;
  for (int k = 0; k < 200'000; ++k) {
    TensorMapBytes bytes = encode(random() % 2 == 0 ? whole : image);
    // All but the mark and the bits that say what is set, most of the time.
    for (std::uint64_t left = 1 + random() % 3; left > 0; --left) {
      const std::size_t at = random() % 20 == 0 ? random() % 128 : 16 + random() % 90;
      bytes[at] = static_cast<std::uint8_t>(random() % 4 == 0 ? random() : random() % 8);
    }
    std::string problem;
    const auto map = decodeTensorMap(bytes, problem);
    if (!map) {
      ++refused;
      continue;
    }
    TensorAccess access;
    access.path = static_cast<TensorPath>(random() % 5);
    access.toShared = random() % 2 == 0;
    access.rank = random() % 10 == 0 ? 1 + random() % 5 : map->rank;
    access.shared = 1024 + 128 * (random() % 8);
    const std::size_t count = access.path == TensorPath::FourRows ? 5 : access.rank;
    for (std::size_t j = 0; j < count; ++j) {
      const auto small = static_cast<std::int32_t>(random() % 16) - 4;
      access.coordinates.push_back(random() % 20 == 0 ? static_cast<std::int32_t>(random())
                                                      : small);
    }
    access.offsets.assign(3, static_cast<std::uint32_t>(random() % 4));
    TensorProblem found;
    const auto plan = planTensorCopy(*map, access, found);
    if (!plan) {
      EXPECT_NE(found.message, "");
      continue;
    }
    ++plans;
    for (const TensorPiece& piece : plan->pieces) {
      ASSERT_LE(piece.payload + piece.size, plan->bytes);
      ASSERT_LE(piece.shared + piece.size, plan->extent);
    }
  }
  EXPECT_GT(plans, 5000u);
  EXPECT_GT(refused, 5000u);
}

// Ties go to the even number.
TEST(TensorMapTest, LoadedTf32IsRounded) {
  const std::pair<std::uint32_t, std::uint32_t> kCases[] = {
      {0x3f800000, 0x3f800000}, {0x3f801000, 0x3f800000}, {0x3f803000, 0x3f804000},
      {0x3f800fff, 0x3f800000}, {0x3f801001, 0x3f802000}, {0xbf803000, 0xbf804000},
      {0x7f7fffff, 0x7f800000}, {0x7f800000, 0x7f800000}, {0xff800000, 0xff800000},
      {0x7f800001, 0x7fffe000}, {0xffc00000, 0x7fffe000}, {0x00001000, 0x00000000},
      {0x00003000, 0x00004000}, {0x80000001, 0x80000000}};
  for (const auto& [from, to] : kCases) {
    for (const TensorElement element : {TensorElement::TF32, TensorElement::TF32Ftz}) {
      std::uint32_t value = from;
      convertLoaded(element, reinterpret_cast<std::uint8_t*>(&value), sizeof value);
      EXPECT_EQ(value, to) << std::hex << from;
    }
    std::uint32_t value = from;
    convertLoaded(TensorElement::F32Ftz, reinterpret_cast<std::uint8_t*>(&value), sizeof value);
    EXPECT_EQ(value, from);
  }
}

TEST(TensorMapTest, ArgumentsHoldMaps) {
  std::string error;
  const auto value = parseArgument("tensormap:&a+16:f32:8:box=4", error);
  ASSERT_TRUE(value) << error;
  EXPECT_EQ(value->bytes.size(), TensorMap::kBytes);
  EXPECT_FALSE(value->isBuffer);
  ASSERT_EQ(value->addresses.size(), 1u);
  EXPECT_EQ(value->addresses[0].name, "a");
  EXPECT_EQ(value->addresses[0].addend, 16u);
  const auto buffer = parseArgument("buffer:256:tensormap:&a:f32:8:box=4", error);
  ASSERT_TRUE(buffer) << error;
  EXPECT_TRUE(buffer->isBuffer);
  EXPECT_EQ(buffer->bytes.size(), 256u);
  EXPECT_FALSE(parseArgument("buffer:64:tensormap:&a:f32:8:box=4", error));
  EXPECT_EQ(error, "'buffer:64:tensormap:&a:f32:8:box=4': a tensor map has 128 bytes");
  EXPECT_FALSE(parseArgument("tensormap:&a:f32:8:box=3", error));
  EXPECT_EQ(error,
            "'tensormap:&a:f32:8:box=3': the box has 12 bytes in dimension 0, not a multiple of 16 "
            "bytes");
}

TEST(TensorMapTest, DescriptionsHoldObjects) {
  std::string error;
  const auto launches = findLaunches(
      "// LAUNCH: {\"args\": [{\"tensormap\": \"&a\", \"type\": \"f16\", \"dims\": [64, 9, 9, 2], "
      "\"lower\": [-1, -1], \"upper\": [0, 0], \"channels\": 32, \"pixels\": 8}]}\n",
      error);
  ASSERT_EQ(launches.size(), 1u) << error;
  EXPECT_EQ(launches[0].arguments[0].text,
            "tensormap:&a:f16:64,9,9,2:channels=32:lower=-1,-1:pixels=8:upper=0,0");
  EXPECT_TRUE(
      findLaunches("// LAUNCH: {\"args\": [{\"tensormap\": \"&a\", \"dims\": [8]}]}\n", error)
          .empty());
  EXPECT_EQ(error, "1:11: error: the launch description is wrong: a tensor map without 'type'");
}

}  // namespace
}  // namespace ptxopt::interp
