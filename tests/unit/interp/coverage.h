// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One warp that runs a piece of PTX, for the tests of instruction coverage.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "run_ptx.h"

namespace ptxopt::interp {

// Runs `body` in every lane of one warp.  It finds its lane in %r1, a buffer of 4 KiB for results
// in %rd1 and one of 4 KiB with `input` in %rd2; 16 KiB of shared memory are `smem`.
inline std::vector<std::uint8_t> runWarp(const std::string& body,
                                         const std::vector<std::uint8_t>& input = {},
                                         std::uint32_t schedule = 0) {
  const std::string text = R"(
.version 8.8
.target sm_100a
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u64 in)
{
  .reg .pred %p<16>;
  .reg .b8 %b<8>;
  .reg .b16 %h<64>;
  .reg .b32 %r<128>;
  .reg .b64 %rd<64>;
  .reg .b128 %q<8>;
  .reg .f32 %f<64>;
  .reg .f64 %fd<32>;
  .shared .align 128 .b8 smem[16384];
  mov.u32 %r1, %laneid;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
)" + body + "\n  ret;\n}\n";
  constexpr std::size_t kBytes = 4096;
  const auto module = parseText("test.ptx", text);
  Launch launch;
  std::string error;
  for (int k = 0; k < 2; ++k) launch.arguments.push_back(*parseArgument("buffer:4096", error));
  std::copy(input.begin(),
            input.begin() + static_cast<std::ptrdiff_t>(std::min(kBytes, input.size())),
            launch.arguments[1].bytes.begin());
  const auto outcome = run(*module, launch, interp::schedule({}, schedule), error);
  if (!outcome) throw std::runtime_error(error);
  for (const Finding& finding : outcome->findings) {
    throw std::runtime_error(format(*module, finding));
  }
  return outcome->memory[0].bytes;
}

template <class T>
std::vector<T> as(const std::vector<std::uint8_t>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class T>
std::vector<std::uint8_t> bytesOf(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// What one lane leaves in %r0.
inline std::uint32_t word(const std::string& body) {
  return as<std::uint32_t>(
      runWarp(body + "\n  mad.wide.u32 %rd1, %r1, 4, %rd1;\n  st.global.u32 [%rd1], %r0;"))[5];
}

}  // namespace ptxopt::interp
