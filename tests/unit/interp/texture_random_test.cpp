// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random textures and fetches, run as kernels and compared with texture_reference.h.
// PTXOPT_TEXTURE_RUNS: how many.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "interp/launch.h"
#include "run_ptx.h"
#include "texture_reference.h"

namespace ptxopt::interp {
namespace {

std::size_t runs() {
  const char* const text = std::getenv("PTXOPT_TEXTURE_RUNS");
  return text != nullptr ? std::strtoul(text, nullptr, 10) : 600;
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  TextureCase texture() {
    static constexpr const char* kTypes[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
    static constexpr const char* kModes[] = {"clamp", "border", "wrap", "mirror"};
    TextureCase result;
    const int type = below(8);
    result.type = kTypes[type];
    result.channels = 1 << below(3);
    const int rank = 1 + below(3);
    for (int k = 0; k < rank; ++k) result.dims.push_back(1 + below(5));
    if (rank < 3 && below(3) == 0) result.layers = 1 + below(3);
    result.mode = kModes[below(4)];
    result.normalized = below(2) == 0;
    result.readsNormalized = type < 4 && below(2) == 0;
    result.linear = result.isFloat() && below(3) != 0;
    int texels = std::max(1, result.layers);
    for (const int size : result.dims) texels *= size;
    result.bytes.resize(static_cast<std::size_t>(texels * result.texelBytes()));
    fill(result);
    return result;
  }

 private:
  // Small numbers where they are floating-point ones, and any bytes else.
  void fill(TextureCase& texture) {
    for (std::size_t at = 0; at < texture.bytes.size();) {
      if (texture.type == "f32") {
        const float value = static_cast<float>(below(2000) - 1000) / 8;
        std::memcpy(&texture.bytes[at], &value, sizeof value);
        at += sizeof value;
      } else if (texture.type == "f16") {
        const int bits = below(0x7c00) | below(2) << 15;
        texture.bytes[at++] = static_cast<std::uint8_t>(bits);
        texture.bytes[at++] = static_cast<std::uint8_t>(bits >> 8);
      } else {
        texture.bytes[at++] = static_cast<std::uint8_t>(below(256));
      }
    }
  }

  std::mt19937_64 random_;
};

struct Fetch {
  std::vector<std::int64_t> at;
  int layer = 0;
  bool isInteger = false;
};

Fetch fetchOf(Maker& maker, const TextureCase& texture) {
  Fetch fetch;
  fetch.isInteger = !texture.normalized && maker.below(3) == 0;
  fetch.layer = maker.below(4);
  for (const int size : texture.dims) {
    const int range = texture.normalized ? 6 * kUnit : (size + 4) * kUnit;
    std::int64_t at = maker.below(range) - (texture.normalized ? 3 * kUnit : 2 * kUnit);
    if (maker.below(4) == 0) at = at / (kUnit / 4) * (kUnit / 4);  // an edge or a middle
    if (fetch.isInteger) at = at / kUnit * kUnit;
    fetch.at.push_back(at);
  }
  return fetch;
}

std::string kernelOf(const TextureCase& texture, const Fetch& fetch) {
  const auto number = [&](std::int64_t at) {
    if (fetch.isInteger) return std::to_string(at / kUnit);
    char text[16];
    const float value = static_cast<float>(at) / kUnit;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    std::snprintf(text, sizeof text, "0f%08X", bits);
    return std::string(text);
  };
  const std::string type = texture.isFloat() ? "f32" : texture.type[0] == 's' ? "s32" : "u32";
  std::vector<std::string> at;
  std::string head;
  if (texture.layers != 0) {
    head += "mov.b32 %l, " + std::to_string(fetch.layer) + ";\n";
    at.push_back("%l");
  }
  for (std::size_t k = 0; k < fetch.at.size(); ++k) {
    const std::string name = "%c" + std::to_string(k);
    head += "mov.b32 " + name + ", " + number(fetch.at[k]) + ";\n";
    at.push_back(name);
  }
  while (at.size() == 3) at.push_back(at.back());
  std::string list;
  for (const std::string& word : at) list += (list.empty() ? "" : ", ") + word;
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 out, .param .u64 t)\n{\n"
         ".reg .b64 %o, %t;\n.reg .b32 %l, %c<4>, %r<4>;\n"
         "ld.param.u64 %o, [out];\nld.param.u64 %t, [t];\n" +
         head + "tex." + (texture.layers != 0 ? "a" : "") + std::to_string(texture.dims.size()) +
         "d.v4." + type + (fetch.isInteger ? ".s32" : ".f32") + " {%r0, %r1, %r2, %r3}, [%t, {" +
         list +
         "}];\n"
         "st.global.v4.b32 [%o], {%r0, %r1, %r2, %r3};\nret;\n}\n";
}

std::vector<std::uint32_t> resultOf(const TextureCase& texture, const std::string& text) {
  Launch launch;
  launch.block = Dim3{1};
  std::string error;
  Argument content = *parseArgument("buffer:" + std::to_string(texture.bytes.size()), error);
  content.bytes = texture.bytes;
  launch.buffers.emplace_back("t", content);
  launch.arguments.push_back(*parseArgument("buffer:16", error));
  const auto argument = parseArgument(texture.text("t"), error);
  if (!argument) throw std::runtime_error(error);
  launch.arguments.push_back(*argument);
  const auto module = parseText("k.ptx", text);
  const auto outcome = run(*module, launch, {}, error);
  if (!outcome) throw std::runtime_error(error);
  for (const Finding& finding : outcome->findings) throw std::runtime_error(finding.message);
  std::vector<std::uint32_t> words(4);
  std::memcpy(words.data(), outcome->memory.at(0).bytes.data(), 16);
  return words;
}

TEST(TextureRandomTest, FetchesAreWeightedSums) {
  Maker maker(7);
  for (std::size_t run = 0; run < runs(); ++run) {
    const TextureCase texture = maker.texture();
    const Fetch fetch = fetchOf(maker, texture);
    const std::string kernel = kernelOf(texture, fetch);
    SCOPED_TRACE(texture.text("t") + "\n" + kernel);
    const std::vector<std::uint32_t> got = resultOf(texture, kernel);
    TextureCase used = texture;
    if (fetch.isInteger) used.linear = false;
    const std::vector<double> wanted = fetched(used, fetch.at, fetch.layer);
    for (std::size_t k = 0; k < 4; ++k) {
      if (!texture.isFloat()) {
        ASSERT_EQ(got[k], static_cast<std::uint32_t>(wanted[k])) << "channel " << k;
        continue;
      }
      float value = 0;
      std::memcpy(&value, &got[k], sizeof value);
      const double allowed = std::abs(wanted[k]) * std::ldexp(1.0, -23) + 1e-12;
      ASSERT_NEAR(static_cast<double>(value), wanted[k], allowed) << "channel " << k;
    }
  }
}

// ---- text ---------------------------------------------------------------------------------------

TEST(TextureTextTest, DriverRefuses) {
  const std::pair<const char*, const char*> kCases[] = {
      {"texture:&a:f64:8",
       "'f64' is not a value for 'the type of texels': u8, s8, u16, s16, u32, "
       "s32, f16, f32"},
      {"texture:&a:f32x3:8", "'3' is not a value for 'the channels': 1, 2, 4"},
      {"texture:&a:f32:8,8,8,8", "a texture has at most 3 dimensions"},
      {"texture:&a:f32:0", "a dimension of 0 texels"},
      {"texture:&a+8:f32:8", "the address is not a multiple of 16"},
      {"texture:a:f32:8", "'a' is not the buffer of a texture, such as &arg1 or &NAME+64"},
      {"texture:&a:f32", "a texture is &BUFFER:TYPExCHANNELS:DIM,DIM"},
      {"texture:&a:u32:8:filter=linear",
       "a linear filter needs floating-point texels, or read=normalized"},
      {"texture:&a:u32:8:read=normalized",
       "only integers of 8 and 16 bits are read as normalised numbers"},
      {"texture:&a:f32:8,8:pitch=16",
       "the pitch is 16 bytes, not a multiple of the texel and at least 32"},
      {"texture:&a:f32:8,4:cube=1", "a cube has two dimensions of the same size"},
      {"texture:&a:f32:8,4,4:layers=2", "layers of three dimensions"},
      {"texture:&a:f32:8:levels=2",
       "unknown key 'levels' of a texture: filter, address, normalized, read, layers, cube, pitch"},
      {"surface:&a:f32:8:filter=linear", "unknown key 'filter' of a surface: layers, cube, pitch"},
      {"sampler:layers=2", "unknown key 'layers' of a sampler: filter, address, normalized"},
      {"sampler:address=round",
       "'round' is not a value for 'address': wrap, mirror, clamp, border"}};
  for (const auto& [text, message] : kCases) {
    std::string error;
    EXPECT_FALSE(parseArgument(text, error)) << text;
    EXPECT_EQ(error, "'" + std::string(text) + "': " + message);
  }
}

TEST(TextureTextTest, BufferIsLargeEnough) {
  TextureCase texture;
  texture.type = "f32";
  texture.dims = {4, 4};
  texture.bytes.resize(60);
  EXPECT_THROW(resultOf(texture, kernelOf(texture, {{0, 0}, 0, true})), std::runtime_error);
  texture.bytes.resize(64);
  EXPECT_NO_THROW(resultOf(texture, kernelOf(texture, {{0, 0}, 0, true})));
}

}  // namespace
}  // namespace ptxopt::interp
