// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hash of 128 bits for contents: equal ones by chance are not to be feared, an adversary can make
// them.  The function is MurmurHash3 (x64, 128 bits) over numbers of 64 bits, so it is the same on
// every machine.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace ptxopt {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

class Hasher128 {
 public:
  void add(std::uint64_t number) {
    if (count_++ % 2 == 0) {
      first_ = number;
    } else {
      mix(first_, number);
    }
  }
  void add(Hash128 hash) {
    add(hash.high);
    add(hash.low);
  }
  void add(std::string_view text) {
    add(text.size());
    std::uint64_t word = 0;
    unsigned bits = 0;
    for (const char c : text) {
      word |= std::uint64_t{static_cast<unsigned char>(c)} << bits;
      bits = (bits + 8) % 64;
      if (bits != 0) continue;
      add(word);
      word = 0;
    }
    if (bits != 0) add(word);
  }

  Hash128 hash() const {
    Hasher128 end = *this;
    if (count_ % 2 != 0) end.mix(first_, 0);
    std::uint64_t a = end.a_ ^ count_;
    std::uint64_t b = end.b_ ^ count_;
    a += b;
    b += a;
    a = finished(a);
    b = finished(b);
    a += b;
    b += a;
    return {a, b};
  }

 private:
  static constexpr std::uint64_t kFirst = 0x87c37b91114253d5u;
  static constexpr std::uint64_t kSecond = 0x4cf5ad432745937fu;

  void mix(std::uint64_t first, std::uint64_t second) {
    a_ ^= std::rotl(first * kFirst, 31) * kSecond;
    a_ = (std::rotl(a_, 27) + b_) * 5 + 0x52dce729;
    b_ ^= std::rotl(second * kSecond, 33) * kFirst;
    b_ = (std::rotl(b_, 31) + a_) * 5 + 0x38495ab5;
  }
  static std::uint64_t finished(std::uint64_t word) {
    word = (word ^ word >> 33) * 0xff51afd7ed558ccdu;
    word = (word ^ word >> 33) * 0xc4ceb9fe1a85ec53u;
    return word ^ word >> 33;
  }

  std::uint64_t a_ = 0;
  std::uint64_t b_ = 0;
  std::uint64_t first_ = 0;  // waits for the second of its pair
  std::uint64_t count_ = 0;
};

}  // namespace ptxopt
