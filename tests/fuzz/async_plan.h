// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel with asynchronous operations whose every footprint and every phase is known, as a list
// of steps: async_model.h executes it without PTX, async_text.h writes it down.
//
// All steps of the list are reached by all threads, and each says who executes it; but the arms of
// a step Roles are executed by warps of their own, at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace ptxopt::fuzz::async {

inline constexpr std::uint32_t kWarp = 32;

// ---- who and when -------------------------------------------------------------------------------

struct Who {
  enum class Kind : std::uint8_t {
    All,
    Thread,      // number `first`
    Warps,       // from `first` to before `last`
    FirstLanes,  // lane 0 of these warps
    Below,       // threads with a number less than `first`
    Elected,     // the one that elect.sync chooses in warp `first`
  } kind = Kind::All;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  // `elected`: the lane that elections choose.
  bool has(std::uint32_t thread, std::uint32_t elected) const;
  bool isOneThread() const { return kind == Kind::Thread || kind == Kind::Elected; }
  auto operator<=>(const Who&) const = default;
};
Who all();
Who thread(std::uint32_t number);
Who warps(std::uint32_t first, std::uint32_t last);

// The number of a round: of the loop that the step is in, plus `shift`; outside of loops `shift`.
struct Round {
  bool isOfLoop = false;
  std::uint32_t shift = 0;
};

// ---- memory -------------------------------------------------------------------------------------

struct Array {
  std::string name;
  std::uint32_t bytes = 0;
};

// Objects of 8 bytes in a row.
struct Mbarriers {
  std::string name;
  std::uint32_t objects = 1;
  std::uint32_t arrivals = 1;  // the count of each
};

// Bytes from the beginning of an array: offset + stageBytes * (round mod stages) + a function of
// the thread's number t and the number T of threads.
struct Address {
  enum class Form : std::uint8_t {
    Uniform,  // 0
    Own,      // pitch * t
    Reverse,  // pitch * (T - 1 - t)
    Rotate,   // pitch * ((t + by) mod T); T is a power of two
    InWarp,   // pitch * (the warp's first thread + (lane + by) mod 32)
    Lane,     // pitch * lane
    Swizzle,  // (16 * t) xor (16 * (t / 8 mod 8))
  } form = Form::Own;
  std::uint32_t offset = 0;
  std::uint32_t stages = 1;
  std::uint32_t stageBytes = 0;
  std::uint32_t pitch = 4;
  std::uint32_t by = 0;
  std::uint32_t of(std::uint32_t thread, std::uint32_t threads, std::uint32_t round) const;
};

// ---- steps --------------------------------------------------------------------------------------

enum class Op : std::uint8_t {
  // threads
  Store,
  Load,
  Barrier,
  NamedBarrier,  // of the warps in `who`
  ClusterBarrier,
  WarpSync,
  Fence,  // fence.proxy.async
  Note,   // `text`, of no effect on anything here
  // mbarrier
  Init,
  Inval,
  Wait,
  Arrive,
  ArriveExpect,  // `bytes`
  Expect,
  // copies
  BulkIn,
  BulkOut,
  BulkReduce,
  BulkShared,  // from `array` to `other`
  BulkCommit,
  BulkWait,
  CopyAsync,
  CopyCommit,
  CopyWait,
  CopyArrive,
  // matrices
  LoadMatrix,
  StoreMatrix,
  Wgmma,  // fence, product and commit; A is at `at`, B behind it
  WgmmaWait,
  // tensor memory
  Alloc,
  Base,  // its address is read from shared memory
  Dealloc,
  TensorLoad,
  TensorStore,
  TensorWaitLoad,
  TensorWaitStore,
  Mma,  // A is at `at`, B behind it
  TensorCopy,
  Commit,
  // structure
  Loop,   // `first`, as often as the plan says
  If,     // `first` if there are more than `count` rounds, or this one is odd; else `second`
  Roles,  // `first` by `who`, `second` by all other warps
};

struct Step;
using Steps = std::list<Step>;  // a step stays where it is in memory

struct Step {
  Op op = Op::Note;
  Who who;
  Round round;
  bool onlyBelow = false;  // only if the round is less than the number of rounds
  bool branches = false;   // who does not execute it jumps over it

  std::size_t array = 0;
  std::size_t other = 0;
  Address at;
  Address otherAt;
  std::uint32_t width = 4;  // of a thread's access
  std::uint32_t bytes = 0;  // of a bulk copy
  std::uint32_t place = 0;  // in the buffer that a copy reads or writes

  std::size_t object = 0;     // mbarriers: the one with number round mod objects
  std::uint32_t objects = 1;  // how many of them take turns
  std::int32_t phaseBase =
      0;  // it is about phase base + round / objects, -1 being before the first

  enum class Wait : std::uint8_t { Loop, TestLoop, PeekFirst, Hinted, Token, Relaxed, TimeOut };
  Wait wait = Wait::Loop;
  std::uint32_t groups = 0;  // that may be left
  bool onlyReads = false;    // .read
  bool noIncrement = false;  // .noinc
  bool isTensor = false;     // of a bulk copy to shared memory: by the tensor map
  bool isOdd = false;        // of an If: it asks for the round
  std::uint32_t token = 0;   // of an arrival, and of the wait that tests the state it has returned
  bool isRelaxed = false;    // of an arrival
  bool accumulates = false;
  std::uint32_t column = 0;    // of tensor memory
  std::uint32_t count = 1;     // matrices of ldmatrix, columns of tcgen05.ld, arrivals of a thread
  std::uint32_t spelling = 0;  // which of several texts
  std::string text{};

  Steps first{};
  Steps second{};
  bool isNeeded = false;   // a barrier
  bool isPlanted = false;  // a barrier that no step asked for
};

// ---- the plan -----------------------------------------------------------------------------------

struct Plan {
  std::uint32_t threads = 64;
  std::uint32_t rounds = 2;
  bool roundsAreConstant = false;  // and not the parameter n
  std::vector<Array> arrays;
  std::vector<Mbarriers> mbarriers;
  bool hasTensorMemory = false;
  std::uint32_t columns = 32;
  std::uint32_t outBytes = 0;  // of a CTA, behind the sums of its threads
  // Of a box of the tensor map, each of kRowBytes; 0: there is no map.
  std::uint32_t boxRows = 0;
  std::uint32_t tokens = 0;
  // Copies that overwrite what threads have read or written need a fence too, not only those that
  // read it.
  bool hasStrictFences = false;
  bool hasClusterBarriers = false;  // a cluster is one CTA
  Steps steps;

  std::uint32_t warps() const { return threads / kWarp; }
};

inline constexpr std::uint32_t kRowBytes = 64;
inline constexpr std::uint32_t kWgmmaA = 2048;    // 64 rows of 16 halves
inline constexpr std::uint32_t kWgmmaB = 256;     // 8 columns of 16 halves
inline constexpr std::uint32_t kMmaA = 4096;      // 128 rows of 16 halves
inline constexpr std::uint32_t kMmaColumns = 8;   // of D
inline constexpr std::uint32_t kCopyRows = 2048;  // 128 rows of 16 bytes
inline constexpr std::uint32_t kCopyColumns = 4;

}  // namespace ptxopt::fuzz::async
