// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the values of threads are.  The slots of a warp are interleaved: slot s of its lanes lies
// side by side, so that what they compute together is together in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptxopt::interp {

using Slot = std::uint64_t;

// The slots of one thread, from some slot on.
class Frame {
 public:
  static constexpr std::size_t kLanes = 32;

  Frame() = default;
  explicit Frame(Slot* first) : first_(first) {}

  Slot& operator[](std::size_t slot) const { return first_[kLanes * slot]; }
  // The same slots of the lane `count` lanes further.
  Frame lane(std::size_t count) const { return Frame(first_ + count); }
  // The slots from this one on.
  Frame from(std::size_t slot) const { return Frame(first_ + kLanes * slot); }
  friend bool operator==(Frame, Frame) = default;

 private:
  Slot* first_ = nullptr;
};

// All slots of the lanes of a warp.  Each lane has a stack of frames of its own.
class WarpStack {
 public:
  Frame lane(std::size_t lane) { return Frame(slots_.data() + lane); }
  // The first frame of each lane, with these values.
  void start(const std::vector<Slot>& values) {
    slots_.clear();
    slots_.reserve(values.size() * Frame::kLanes);
    for (const Slot value : values) slots_.insert(slots_.end(), Frame::kLanes, value);
  }
  // Makes room for this many slots of each lane.  True if frames are elsewhere now.
  bool reserve(std::size_t slots) {
    if (slots * Frame::kLanes <= slots_.size()) return false;
    const Slot* const before = slots_.data();
    slots_.resize(slots * Frame::kLanes);
    return slots_.data() != before;
  }

 private:
  std::vector<Slot> slots_;
};

}  // namespace ptxopt::interp
