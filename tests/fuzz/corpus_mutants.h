// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of a corpus, with one to four things changed at random.
//
// What compilers and people write has shapes that no generator makes up; changed a little, it is
// still near them, and still does most of what it did.  A change is to the text: a constant, a
// guard, the type of an access, an offset, the order of two instructions, a barrier, operands, a
// register, the space of an access, a comparison.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ptxopt::fuzz {

struct CorpusMutant {
  std::string name;  // of the file it comes from, and the kernel's
  std::string text;  // one kernel, what it needs, and one launch description
  std::vector<std::string> changes;
};

class Corpus {
 public:
  // All launch descriptions of all .ptx files below the folder, but of files of more than 64 KiB.
  // Throws std::runtime_error if there are none.
  Corpus(const std::string& folder, std::uint64_t mostSteps);

  std::size_t size() const { return bases_.size(); }
  // The same for the same seed.  None where no change of several tries gives valid PTX.  May be
  // called from several threads at once.
  std::optional<CorpusMutant> make(std::uint64_t seed);

 private:
  struct Base {
    std::string path;
    std::string launch;  // the line
    bool isPrepared = false;
    std::string kernel;
    std::string text;  // empty: it takes too many steps, or cannot be run
  };
  const Base& prepared(std::size_t k);
  void prepare(Base& base) const;

  std::uint64_t mostSteps_;
  std::mutex mutex_;
  std::vector<Base> bases_;
};

}  // namespace ptxopt::fuzz
