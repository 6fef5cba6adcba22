// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a kernel while it is made: its lines, its registers, and the values at hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "random.h"

namespace ptxopt::fuzz {

enum class Kind : std::uint8_t { B16, B32, B64, F32, F64, Pred };
inline constexpr std::size_t kKinds = 6;

class KernelText {
 public:
  explicit KernelText(Random& random) : random_(random) {}

  // ---- lines ------------------------------------------------------------------------------------
  std::size_t emit(std::string text);  // the index of the line
  void raw(std::string line) { lines_.push_back(std::move(line)); }
  void label(const std::string& name) { raw(name + ":"); }
  std::string newLabel();
  void annotate(std::size_t line, std::string_view comment);
  const std::vector<std::string>& lines() const { return lines_; }

  // ---- registers --------------------------------------------------------------------------------
  std::string newRegister(Kind kind);
  std::vector<std::string> declarations() const;

  // ---- values -----------------------------------------------------------------------------------
  // Registers that hold something here.  What a scope adds goes when it ends.
  struct Mark {
    std::array<std::size_t, kKinds> sizes;
    std::size_t uniform;
    std::size_t computed;
  };
  Mark mark() const;
  void release(const Mark& mark);

  void add(Kind kind, std::string name) { values_[index(kind)].push_back(std::move(name)); }
  // A register of 32 bits with the same value in all threads of the CTA.
  void addUniform(std::string name);
  // May be written again, anywhere; holds 32 bits.
  void addVariable(std::string name) { variables_.push_back(std::move(name)); }

  std::string value(Kind kind);
  std::string uniform() { return random_.pick(uniform_); }
  const std::string& variable() { return random_.pick(variables_); }
  std::string immediate();

  // Replaces $D by a new register of the kind, and the other letters by values: $R a register of 32
  // bits, $r one or an immediate, $q 64 bits, $h 16 bits, $f and $d floats, $p a predicate, $u a
  // uniform register, $k 0 to 31, $K any immediate, $N a small positive one, $L 0 to 255.
  std::string expand(std::string_view pattern, std::string_view destination);

  // One random computation; the result is among the values from then on.
  void compute();
  // The same for a result of 32 bits that all threads agree on.
  void computeUniform();
  // Computes something again that was computed before (percent).
  std::uint32_t repeats = 5;

 private:
  struct Computed {
    std::string text;  // with $D
    Kind kind;
  };
  static std::size_t index(Kind kind) { return static_cast<std::size_t>(kind); }
  void carryChain();
  void unpack();
  void twoPredicates();

  Random& random_;
  std::vector<std::string> lines_;
  std::uint32_t labels_ = 0;
  std::array<std::uint32_t, kKinds> registers_{};
  std::array<std::vector<std::string>, kKinds> values_;
  std::vector<std::string> uniform_;
  std::vector<std::string> variables_;
  std::vector<Computed> computed_;
};

}  // namespace ptxopt::fuzz
