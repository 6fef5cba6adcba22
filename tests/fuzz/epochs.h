// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of a CTA may do to each array between two barriers, so that no two of them race;
// and which barriers and stores are needed for what the kernel puts out.
//
// Between two barriers (an epoch) every array has a mode: each thread has slots of its own, or all
// only read, or one thread does everything, or all do atomics that commute.  An access in another
// mode has to wait for a barrier.  On the way, the accesses that every run makes for certain are
// noted with the bytes that each thread touches.  From them follows, without running anything,
//   - that a barrier is needed: two threads touch the same byte, one before it and one after it,
//   one
//     of them writes, and no other barrier stands between;
//   - that a store is needed: some thread reads these bytes before anything else writes them, and
//     what it reads goes into the output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxopt::fuzz {

// A bijection of the threads 0 .. size-1.
struct SlotMap {
  enum class Kind : std::uint8_t { Identity, Xor, Rotate, Reverse } kind = Kind::Identity;
  std::uint32_t amount = 0;
  std::uint32_t at(std::uint32_t thread, std::uint32_t size) const;
  friend bool operator==(const SlotMap&, const SlotMap&) = default;
};

enum class Mode : std::uint8_t {
  Idle,    // not touched in this epoch
  Own,     // each thread its slot under `map`
  Read,    // nobody writes
  Leader,  // thread `leader` alone
  Atomic,
  Warp,   // exchange inside warps, between bar.warp.sync
  Mixed,  // it depends on a branch what happened: nothing more before a barrier
};

struct Usage {
  Mode mode = Mode::Idle;
  bool writes = false;
  SlotMap map{};
  std::uint32_t leader = 0;
};
bool compatible(const Usage& a, const Usage& b);
Usage combine(const Usage& a, const Usage& b);  // of two that are compatible

inline constexpr std::int32_t kNotExecuted = -1;

struct Access {
  std::size_t array = 0;
  bool writes = false;
  std::uint32_t width = 4;            // bytes
  std::vector<std::int32_t> offsets;  // by thread; empty: not known, or not in every run
  bool certain() const { return !offsets.empty(); }
};

struct Claims {
  std::vector<std::size_t> barriers;  // lines
  std::vector<std::size_t> stores;
};

class Epochs {
 public:
  void addArray() {
    usages_.emplace_back();
    lastStores_.emplace_back();
  }
  const std::vector<Usage>& usages() const { return usages_; }
  void setUsages(std::vector<Usage> usages) { usages_ = std::move(usages); }
  bool isIdle() const;

  bool allows(std::size_t array, const Usage& usage) const;
  void enter(std::size_t array, const Usage& usage);

  // A barrier of all threads.  `line`: an instruction that could be deleted.
  void separate(std::optional<std::size_t> line);
  // `line`: the store.  `shows`: what is read goes into the output.
  void record(Access access, std::optional<std::size_t> line, bool shows);
  // Something in this epoch may order threads in a way that is not looked at.
  void taint() { tainted_ = true; }
  // The threads of each warp have met in this epoch.
  void meetInWarps() { warpsMet_ = true; }

  // Between them is code that some runs do not come to.
  void beginUncertain() { ++uncertain_; }
  void endUncertain() { --uncertain_; }
  bool isCertain() const { return uncertain_ == 0; }

  // Around the body of a loop; true if the second round may start where the first one ends.
  void beginLoop();
  bool endLoop();

  // At the end of the kernel.
  Claims finish();

 private:
  struct Barrier {
    std::size_t line = 0;
    bool tainted = false;
    bool warpsMet = false;
    std::vector<Access> above;
    std::vector<Access> below;
  };
  struct Loop {
    std::vector<Usage> first;  // before the first barrier of the body
    bool separated = false;
    int uncertain = 0;
  };
  struct Store {
    std::size_t line = 0;
    Access access;
  };
  void closeBarrier();

  std::vector<Usage> usages_;
  std::vector<Access> since_;  // the last barrier
  std::optional<Barrier> open_;
  std::vector<std::optional<Store>> lastStores_;
  std::vector<Loop> loops_;
  Claims claims_;
  int uncertain_ = 0;
  bool tainted_ = false;
  bool warpsMet_ = false;
};

}  // namespace ptxopt::fuzz
