// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who has accessed what in a plan, and what each thread knows of that (async_model.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "async_model.h"

namespace ptxopt::fuzz::async {

// What has happened before something, as far as it is ordered.
struct Known {
  std::vector<std::uint16_t> times;   // by thread: what it did at this time or earlier
  std::vector<std::uint64_t> done;    // operations that are complete, a bit for each
  std::vector<std::uint16_t> phases;  // by mbarrier object: so many are complete

  void join(const Known& other);
  void addDone(std::uint32_t operation);
  bool isDone(std::uint32_t operation) const {
    return operation / 64 < done.size() && (done[operation / 64] >> operation % 64 & 1) != 0;
  }
};

struct Knowledge {
  Known known;
  Known fenced;  // of it, what is in front of a proxy fence
};

struct Event {
  std::size_t item = 0;
  const Step* step = nullptr;
  std::uint32_t warp = 0;
  bool isGeneric = true;                 // by the generic proxy
  std::uint32_t issuer = 0;              // of an operation
  std::vector<std::uint16_t> laneTimes;  // of an access by a warp: any of its lanes may do it
};

struct Access {
  enum class By : std::uint8_t { Nobody, Thread, Operation, Warp } by = By::Nobody;
  std::uint32_t number = 0;
  std::uint16_t time = 0;
  std::uint32_t event = 0;
};

// Who makes an access: each of `threads` must know what came before.
struct Actor {
  Access access;
  std::vector<std::uint32_t> threads;
  bool isGeneric = true;
};

// Throws a Violation at an access that is not ordered behind an earlier one.
class History {
 public:
  static constexpr std::uint32_t kLanes = 128;  // of tensor memory

  History(Plan& plan, const ModelOptions& options);

  Plan& plan() { return plan_; }
  const ModelOptions& options() const { return options_; }
  Knowledge& knowledge(std::uint32_t thread) { return knowledge_[thread]; }
  const Known& nothing() const { return nothing_; }
  void setItem(std::size_t item) { item_ = item; }

  [[noreturn]] void fail(Violation::Kind kind, const Step* step) const;
  [[noreturn]] void fail(Violation::Kind kind, std::uint32_t first, std::uint32_t second) const;

  // ---- who accesses -----------------------------------------------------------------------------
  Actor byThread(const Step& step, std::uint32_t thread);
  Actor byWarp(const Step& step, std::uint32_t warp);
  // Asynchronous; knows what its issuers know.
  Actor operation(const Step& step, std::vector<std::uint32_t> issuers, bool isGeneric);

  // ---- what is accessed -------------------------------------------------------------------------
  void array(const Actor& actor, std::size_t array, std::uint32_t offset, std::uint32_t bytes,
             bool isWrite);
  void object(const Actor& actor, std::size_t number, bool isWrite) {
    access(actor, objectCells_ + number, isWrite);
  }
  void slot(const Actor& actor, bool isWrite) { access(actor, slotCell_, isWrite); }
  void tensor(const Actor& actor, std::uint32_t lane, std::uint32_t lanes, std::uint32_t column,
              std::uint32_t columns, bool isWrite);

 private:
  struct Cell {  // four bytes, or an object
    Access write;
    std::vector<Access> reads;
  };

  std::uint32_t newEvent(const Step& step, std::uint32_t thread, bool isGeneric = true);
  bool covers(const Known& known, const Access& access) const;
  bool isKnown(const Actor& actor, const Access& access, bool isFenced) const;
  bool isPipelined(const Access& first, const Access& second) const;
  void order(const Actor& actor, const Access& first, bool isWrite, bool wrote, bool hasProxies);
  void access(const Actor& actor, std::size_t cell, bool isWrite);
  static void addRead(Cell& cell, const Access& access);

  Plan& plan_;
  const ModelOptions& options_;
  std::size_t item_ = 0;
  std::vector<Knowledge> knowledge_;
  Known nothing_;
  std::vector<Cell> cells_;
  std::vector<std::size_t> arrayCells_;
  std::size_t objectCells_ = 0;
  std::size_t slotCell_ = 0;
  std::size_t tensorCells_ = 0;
  std::vector<Event> events_;
  std::uint32_t operations_ = 0;
};

}  // namespace ptxopt::fuzz::async
