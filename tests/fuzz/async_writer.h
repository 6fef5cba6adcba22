// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a plan down (async_text.h): operands and structure in async_text.cpp, copies, matrices and
// tensor memory in async_copy_text.cpp.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async_plan.h"
#include "random.h"

namespace ptxopt::fuzz::async {

// Bytes between what two rounds copy.
inline constexpr std::uint32_t kShift = 256;

class Writer {
 public:
  Writer(const Plan& plan, Random& random) : plan_(plan), random_(random) {}

  std::string kernel(const std::string& name);

 private:
  // ---- lines ------------------------------------------------------------------------------------

  template <class... Values>
  void emit(fmt::format_string<Values...> format, Values&&... values) {
    body_ += "\t" + fmt::format(format, std::forward<Values>(values)...) + "\n";
  }
  void label(const std::string& name) { body_ += name + ":\n"; }
  std::string newLabel() { return fmt::format("L{}", labels_++); }
  std::string newWord() { return fmt::format("%r{}", words_++); }
  std::string newLong() { return fmt::format("%d{}", longs_++); }
  std::string newPredicate() { return fmt::format("%p{}", predicates_++); }
  std::string newFloat() { return fmt::format("%f{}", floats_++); }

  // ---- operands ---------------------------------------------------------------------------------

  // A number, or the register that has it.
  struct Number {
    std::optional<std::uint32_t> constant;
    std::string name;
    std::string text() const { return constant ? std::to_string(*constant) : name; }
  };
  Number roundOf(const Step& step);
  Number remainder(const Number& number, std::uint32_t divisor);
  Number quotient(const Number& number, std::uint32_t divisor);
  // The part of an address that depends on the thread; empty if none does.
  std::string threadPart(const Address& address, std::string& pitch);
  // A register with the address, and what to add to it.
  std::string address(std::size_t array, const Address& address, const Step& step);
  std::string object(const Step& step);
  std::string source(const Step& step, const std::string& perThread = "");
  std::string tensorColumn(const Step& step, const std::string& base);
  std::string descriptor(const std::string& address, std::uint32_t offset, const char* strides);
  std::string registerOf(const Step& step);

  // ---- who --------------------------------------------------------------------------------------

  std::string predicateOf(const Who& who);
  std::string definePredicate(const Who& who);
  // "", or "@%p3 "; in front of a step.
  std::string guardOf(const Step& step);

  // ---- steps ------------------------------------------------------------------------------------

  void write(const Steps& steps);
  void write(const Step& step);
  void loop(const Step& step);
  void branch(const Step& step);
  void roles(const Step& step);
  bool synchronisation(const Step& step);
  bool onMbarrier(const Step& step);
  bool copy(const Step& step);
  bool matrix(const Step& step);
  bool tensor(const Step& step);
  void plain(const Step& step);
  void wait(const Step& step);
  void test(const char* what, const Step& step, const std::string& done, const std::string& at,
            const std::string& parity);
  void bulkOut(const Step& step);
  void tensorCopy(const Step& step, const std::string& to);
  void mix(const std::string& word);
  void frame(const std::string& name, std::string& text);

  const Plan& plan_;
  Random& random_;
  std::string body_;
  std::string setup_;  // what comes before: who threads are
  std::map<Who, std::string> predicatesOf_;
  std::map<Who, std::size_t> barriersOf_;
  std::string guard_;  // of the step that is being written
  std::string counter_;
  std::optional<Who> arm_;
  std::vector<std::pair<const Step*, std::string>> pendingMixes_;
  std::uint32_t labels_ = 0;
  std::uint32_t words_ = 0;
  std::uint32_t longs_ = 0;
  std::uint32_t predicates_ = 0;
  std::uint32_t floats_ = 0;
};

}  // namespace ptxopt::fuzz::async
