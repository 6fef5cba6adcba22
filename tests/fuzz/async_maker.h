// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws a plan (async_pieces.h): what is done with a tile is in async_tiles.cpp, what fills it in
// async_pieces.cpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "async_pieces.h"
#include "async_plan.h"
#include "random.h"

namespace ptxopt::fuzz::async {

inline constexpr std::uint32_t kMostRounds = 8;  // there is room for the results of so many

// Stages of an array, each with so many bytes in use.
struct Tile {
  std::size_t array = 0;
  std::uint32_t stages = 1;
  std::uint32_t stageBytes = 0;
  std::uint32_t bytes = 0;
};

// What one thing does before, in and behind a loop.
struct Piece {
  Steps before;
  Steps body;
  Steps after;
};

inline void move(Steps& to, Steps from) {
  to.splice(to.end(), from);
}

inline constexpr Round kLoop = {true, 0};
inline Round later(std::uint32_t shift) {
  return {true, shift};
}
inline Round at(std::uint32_t number) {
  return {false, number};
}

inline Step make(Op op, Who who, Round round) {
  Step step;
  step.op = op;
  step.who = who;
  step.round = round;
  return step;
}

class Maker {
 public:
  Maker(Random& random, Family family) : random_(random), family_(family) {}

  Plan make();

 private:
  // ---- choices ----------------------------------------------------------------------------------

  bool percent(std::uint32_t chance) { return random_.percent(chance); }
  std::uint32_t below(std::uint32_t bound) { return random_.below(bound); }

  // One thread; what it does must not depend on who it is.
  Who leader() {
    const std::uint32_t warp = percent(60) ? 0 : below(plan_.warps());
    if (percent(25)) return {Who::Kind::Elected, warp, 0};
    return thread(percent(80) ? warp * kWarp : below(plan_.threads));
  }
  Who someWarps() {
    const std::uint32_t first = below(plan_.warps());
    return warps(first, first + 1 + below(plan_.warps() - first));
  }
  std::uint32_t threadsOf(const Who& who) const {
    std::uint32_t count = 0;
    for (std::uint32_t t = 0; t < plan_.threads; ++t) count += who.has(t, 0) ? 1 : 0;
    return count;
  }

  std::size_t addArray(std::uint32_t bytes) {
    plan_.arrays.push_back({fmt::format("A{}", plan_.arrays.size()), bytes});
    return plan_.arrays.size() - 1;
  }
  std::size_t addMbarriers(std::uint32_t objects, std::uint32_t arrivals) {
    plan_.mbarriers.push_back({fmt::format("M{}", plan_.mbarriers.size()), objects, arrivals});
    return plan_.mbarriers.size() - 1;
  }
  Tile addTile(std::uint32_t stages, std::uint32_t bytes) {
    Tile tile{0, stages, (bytes + 127) / 128 * 128, bytes};
    tile.array = addArray(stages * tile.stageBytes);
    return tile;
  }
  // Large enough for a product, for a row of each thread, or for a word of each.
  std::uint32_t tileBytes() {
    if (family_ == Family::Wgmma && percent(45)) return kWgmmaA + kWgmmaB;
    if (family_ == Family::Tensor && percent(35)) return kMmaA + kWgmmaB;
    if (family_ == Family::Tensor && percent(30)) return kCopyRows;
    return percent(50) ? 16 * plan_.threads : std::max(4 * plan_.threads, 512u);
  }
  Address in(const Tile& tile) {
    Address address;
    address.form = Address::Form::Uniform;
    address.stages = tile.stages;
    address.stageBytes = tile.stageBytes;
    return address;
  }
  // A word or a row of each thread.
  Address slot(const Tile& tile, std::uint32_t width) {
    constexpr std::array kForms = {Address::Form::Own, Address::Form::Reverse,
                                   Address::Form::Rotate, Address::Form::InWarp};
    Address address = in(tile);
    address.form = random_.pick(kForms);
    address.pitch = width;
    address.by = 1 + below(plan_.threads - 1);
    if (width == 16 && percent(30)) address.form = Address::Form::Swizzle;
    return address;
  }
  // Room for `rounds` results in the buffer.
  std::uint32_t addOut(std::uint32_t bytes, std::uint32_t rounds = kMostRounds) {
    const std::uint32_t place = plan_.outBytes;
    plan_.outBytes += bytes * rounds;
    return place;
  }

  // ---- what is done with a tile -----------------------------------------------------------------

  Steps consume(const Tile& tile, Round round, const Who& who);
  Steps consumeOnce(const Tile& tile, Round round, const Who& who);
  Step access(Op op, const Tile& tile, Round round, const Who& who);
  Step matrix(Op op, const Tile& tile, Round round, const Who& who);
  Steps copyOut(const Tile& tile, Round round, const Who& who);
  Steps wgmma(const Tile& tile, Round round);
  Steps product(Op op, const Tile& tile, Round round);
  Steps tensorLoad(std::uint32_t column, std::uint32_t count, Round round);

  Step wait(std::size_t object, std::uint32_t objects, Round round, const Who& who,
            std::int32_t base = 0);
  Steps waits(std::size_t object, std::uint32_t objects, Round round);

  // ---- pieces -----------------------------------------------------------------------------------

  struct Ring {
    Tile tile;
    std::size_t full = 0;
    std::size_t empty = 0;
    bool hasEmpty = false;
    std::uint32_t arrivals = 1;  // of `empty`
    Who producer;
    std::uint32_t order = 0;  // of copy, expectation and arrival
    Who second;               // who copies, where that is another thread
    std::uint32_t place = 0;
    std::uint32_t spelling = 0;
    bool isTensor = false;
  };
  bool useMap(const Tile& tile);
  Steps fill(const Ring& ring, Round round, bool onlyBelow);
  Steps leave(const Ring& ring, Round round, const Who& who);

  Piece loadRing();
  Piece laggingProducts();
  Piece releasedByProducts();
  Piece storeRing();
  Piece copyRing();
  Piece copyOnMbarrier();
  Piece exchange();
  Piece signal();
  Piece neighbours();
  Piece sharedCopy();
  Piece tensorPiece();
  Step roles();
  Piece any();
  Steps merged(Steps a, Steps b);
  void addGroup();
  void frame();
  void repeat(Steps& steps);

  Random& random_;
  Family family_;
  Plan plan_;
};

}  // namespace ptxopt::fuzz::async
