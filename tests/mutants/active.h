// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included before each file of src/analysis and src/passes in a build with mutants (README.md).
// The environment says which one is active, so that one build has all of them.
#ifndef PTXOPT_TESTS_MUTANTS_ACTIVE_H
#define PTXOPT_TESTS_MUTANTS_ACTIVE_H

#include <cstdio>
#include <cstdlib>
#include <string>

namespace ptxopt_mutants {

constexpr int kMost = 1 << 16;

// PTXOPT_MUTANT is the number of the mutant that is active; without it, none is.
// PTXOPT_MUTANTS_REACHED names a file; the numbers of the mutants that were asked for go after what
// is in it when the program ends.
struct State {
  State() {
    const char* number = std::getenv("PTXOPT_MUTANT");
    if (number != nullptr) active = std::atoi(number);
  }
  ~State() {
    const char* path = std::getenv("PTXOPT_MUTANTS_REACHED");
    if (path == nullptr) return;
    std::string text;
    for (int n = 0; n < kMost; ++n) {
      if (isReached[n]) text += std::to_string(n) + "\n";
    }
    std::FILE* file = std::fopen(path, "a");
    if (file == nullptr) return;
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }
  int active = -1;
  bool isReached[kMost] = {};
};

inline State state;

inline bool is(int number) {
  state.isReached[number] = true;
  return number == state.active;
}

template <typename A, typename B>
bool less(int number, const A& a, const B& b) {
  return is(number) ? a <= b : a < b;
}
template <typename A, typename B>
bool lessOrEqual(int number, const A& a, const B& b) {
  return is(number) ? a < b : a <= b;
}
template <typename A, typename B>
bool greater(int number, const A& a, const B& b) {
  return is(number) ? a >= b : a > b;
}
template <typename A, typename B>
bool greaterOrEqual(int number, const A& a, const B& b) {
  return is(number) ? a > b : a >= b;
}

}  // namespace ptxopt_mutants

#endif  // PTXOPT_TESTS_MUTANTS_ACTIVE_H
