// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "async_pieces.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace ptxopt::fuzz::async {

namespace {

constexpr std::uint32_t kMostRounds = 8;  // there is room for the results of so many

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

void move(Steps& to, Steps from) {
  to.splice(to.end(), from);
}

constexpr Round kLoop = {true, 0};
Round later(std::uint32_t shift) {
  return {true, shift};
}
Round at(std::uint32_t number) {
  return {false, number};
}

Step make(Op op, Who who, Round round) {
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
  Piece sharedCopy();
  Piece tensorPiece();
  Step roles();
  Piece any();
  Steps merged(Steps a, Steps b);
  void addGroup();
  void frame();

  Random& random_;
  Family family_;
  Plan plan_;
};

// ---- tiles --------------------------------------------------------------------------------------

Step Maker::access(Op op, const Tile& tile, Round round, const Who& who) {
  Step step = async::make(op, who, round);
  step.array = tile.array;
  step.width = tile.bytes >= 16 * plan_.threads && percent(40) ? 16 : 4;
  step.at = slot(tile, step.width);
  // A few bytes more or less than another thread's.
  if (op == Op::Load && percent(15)) step.at.form = Address::Form::Uniform;
  if (op == Op::Load && step.width == 16 && percent(15)) {
    step.width = 4;
    step.at.offset = 4 * below(4);
  }
  step.branches = percent(30);
  return step;
}

Step Maker::matrix(Op op, const Tile& tile, Round round, const Who& who) {
  Step step = async::make(op, who, round);
  step.array = tile.array;
  step.count = std::array{1u, 2u, 4u}[below(3)];
  step.at = in(tile);
  step.at.pitch = 16;
  if (op == Op::StoreMatrix || (tile.bytes >= 16 * plan_.threads && percent(60))) {
    step.at.form = percent(30) ? Address::Form::Swizzle : Address::Form::Own;
  } else {
    step.at.form = Address::Form::Lane;
  }
  return step;
}

// By one thread, which waits for it.
Steps Maker::copyOut(const Tile& tile, Round round, const Who& who) {
  Steps steps;
  Step copy = async::make(percent(20) ? Op::BulkReduce : Op::BulkOut, who, round);
  copy.array = tile.array;
  copy.at = in(tile);
  copy.bytes = percent(50) ? tile.bytes : 16 * (1 + below(tile.bytes / 16));
  copy.place = addOut(copy.bytes);
  copy.branches = percent(40);
  steps.push_back(copy);
  steps.push_back(async::make(Op::BulkCommit, who, round));
  Step wait = async::make(Op::BulkWait, who, round);
  wait.onlyReads = percent(50);
  steps.push_back(wait);
  return steps;
}

Steps Maker::wgmma(const Tile& tile, Round round) {
  Steps steps;
  Step product = async::make(Op::Wgmma, all(), round);
  product.array = tile.array;
  product.at = in(tile);
  steps.push_back(product);
  steps.push_back(async::make(Op::WgmmaWait, all(), round));
  return steps;
}

Steps Maker::tensorLoad(std::uint32_t column, std::uint32_t count, Round round) {
  Steps steps;
  Step load = async::make(Op::TensorLoad, percent(70) ? all() : warps(0, 4), round);
  load.column = column;
  load.count = count;
  steps.push_back(load);
  steps.push_back(async::make(Op::TensorWaitLoad, load.who, round));
  return steps;
}

// By one thread, on an mbarrier of its own.
Steps Maker::product(Op op, const Tile& tile, Round round) {
  const Who who = leader();
  const std::size_t object = addMbarriers(1, 1);
  Steps steps;
  Step product = async::make(op, who, round);
  product.array = tile.array;
  product.at = in(tile);
  product.column = op == Op::Mma ? 0 : 8;
  steps.push_back(product);
  if (op == Op::Mma && percent(30)) {
    product.accumulates = true;
    steps.push_back(product);
  }
  Step commit = async::make(Op::Commit, who, round);
  commit.object = object;
  steps.push_back(commit);
  move(steps, waits(object, 1, round));
  move(steps, tensorLoad(product.column, 4, round));
  return steps;
}

// Not the same in odd rounds.
Steps Maker::consume(const Tile& tile, Round round, const Who& who) {
  if (!round.isOfLoop || who.kind != Who::Kind::All || !percent(12)) {
    return consumeOnce(tile, round, who);
  }
  Step choice = async::make(Op::If, all(), round);
  choice.isOdd = true;
  choice.first = consumeOnce(tile, round, who);
  if (percent(60)) choice.second = consumeOnce(tile, round, who);
  Steps steps;
  steps.push_back(std::move(choice));
  return steps;
}

Steps Maker::consumeOnce(const Tile& tile, Round round, const Who& who) {
  Steps steps;
  const bool isAll = who.kind == Who::Kind::All;
  for (std::uint32_t k = 1 + below(2); k != 0; --k) {
    const std::uint32_t choice = below(100);
    if (isAll && family_ == Family::Wgmma && tile.bytes >= kWgmmaA + kWgmmaB && choice < 60) {
      move(steps, wgmma(tile, round));
    } else if (isAll && family_ == Family::Tensor && tile.bytes >= kMmaA + kWgmmaB && choice < 60) {
      move(steps, product(Op::Mma, tile, round));
    } else if (isAll && family_ == Family::Tensor && tile.bytes >= kCopyRows && choice < 50) {
      move(steps, product(Op::TensorCopy, tile, round));
    } else if (choice < 20) {
      steps.push_back(matrix(Op::LoadMatrix, tile, round, who));
    } else if (isAll && choice < 35) {
      move(steps, copyOut(tile, round, leader()));
    } else if (isAll && choice < 42) {
      steps.push_back(access(Op::Store, tile, round, who));
    } else {
      steps.push_back(access(Op::Load, tile, round, isAll && percent(20) ? someWarps() : who));
    }
  }
  return steps;
}

// ---- waits --------------------------------------------------------------------------------------

Step Maker::wait(std::size_t object, std::uint32_t objects, Round round, const Who& who,
                 std::int32_t base) {
  constexpr std::array kWaits = {Step::Wait::Loop, Step::Wait::Loop, Step::Wait::TestLoop,
                                 Step::Wait::PeekFirst, Step::Wait::Hinted};
  Step step = async::make(Op::Wait, who, round);
  step.object = object;
  step.objects = objects;
  step.phaseBase = base;
  step.wait = random_.pick(kWaits);
  step.spelling = below(4);
  return step;
}

// By all; or by some only, or by all in a way that tells them nothing.
Steps Maker::waits(std::size_t object, std::uint32_t objects, Round round) {
  Steps steps;
  const std::uint32_t choice = below(100);
  if (choice < 65) {
    steps.push_back(wait(object, objects, round, all()));
  } else if (choice < 80) {
    steps.push_back(wait(object, objects, round, leader()));
  } else if (choice < 90) {
    steps.push_back(wait(object, objects, round, someWarps()));
  } else {
    Step weak = wait(object, objects, round, percent(70) ? all() : someWarps());
    weak.wait = percent(50) ? Step::Wait::TimeOut : Step::Wait::Relaxed;
    steps.push_back(weak);
    steps.push_back(wait(object, objects, round, leader()));
    if (percent(50)) std::swap(steps.front(), steps.back());
  }
  return steps;
}

// ---- rings --------------------------------------------------------------------------------------

Steps Maker::fill(const Ring& ring, Round round, bool onlyBelow) {
  Steps steps;
  const auto add = [&](Op op, const Who& who) -> Step& {
    Step step = async::make(op, who, round);
    step.object = ring.full;
    step.objects = ring.tile.stages;
    step.array = ring.tile.array;
    step.at = in(ring.tile);
    step.bytes = ring.tile.bytes;
    step.place = ring.place;
    step.spelling = ring.spelling;
    steps.push_back(step);
    return steps.back();
  };
  if (ring.hasEmpty) {
    steps.push_back(wait(ring.empty, ring.tile.stages, round, ring.producer, -1));
  }
  const auto copies = [&](const Who& who) {
    if (ring.isTensor) {
      add(Op::BulkIn, who).isTensor = true;
      return;
    }
    if (ring.order % 2 == 0 || ring.tile.bytes < 32) {
      add(Op::BulkIn, who);
      return;
    }
    const std::uint32_t half = ring.tile.bytes / 32 * 16;
    add(Op::BulkIn, who).bytes = half;
    Step& rest = add(Op::BulkIn, who);
    rest.at.offset += half;
    rest.bytes -= half;
    rest.place += half;
  };
  switch (ring.order / 2) {
    case 0:
      copies(ring.producer);
      add(Op::ArriveExpect, ring.producer);
      break;
    case 1:
      add(Op::Expect, ring.producer);
      copies(ring.producer);
      add(Op::Arrive, ring.producer);
      break;
    default:
      add(Op::ArriveExpect, ring.producer);
      copies(ring.second);
      break;
  }
  for (Step& step : steps) step.onlyBelow = onlyBelow;
  return steps;
}

// The consumers are done with a stage.
Steps Maker::leave(const Ring& ring, Round round, const Who& who) {
  Steps steps;
  Step arrive = async::make(Op::Arrive, who, round);
  arrive.object = ring.empty;
  arrive.objects = ring.tile.stages;
  if (ring.arrivals != threadsOf(who)) {
    steps.push_back(async::make(Op::WarpSync, who, round));
    const bool isAll = who.kind == Who::Kind::All;
    arrive.who = {Who::Kind::FirstLanes, isAll ? 0 : who.first, isAll ? plan_.warps() : who.last};
  }
  steps.push_back(arrive);
  return steps;
}

// There is one map in a kernel; its boxes have one size.
bool Maker::useMap(const Tile& tile) {
  constexpr std::uint32_t kMostRows = 256;
  const std::uint32_t rows = tile.bytes / kRowBytes;
  if (tile.bytes % kRowBytes != 0 || rows > kMostRows) return false;
  if (plan_.boxRows == 0) plan_.boxRows = rows;
  return plan_.boxRows == rows;
}

// A product is waited for one round later, and then its stage is filled again.
Piece Maker::laggingProducts() {
  Ring ring;
  ring.tile = addTile(2 + below(3), kWgmmaA + kWgmmaB);
  ring.producer = ring.second = leader();
  ring.order = below(8);
  ring.full = addMbarriers(ring.tile.stages, 1);
  ring.isTensor = percent(25) && useMap(ring.tile);
  const std::uint32_t ahead = ring.tile.stages - 1;
  Piece piece;
  for (std::uint32_t k = 0; k < ahead; ++k) move(piece.before, fill(ring, at(k), true));
  move(piece.body, waits(ring.full, ring.tile.stages, kLoop));
  Step product = async::make(Op::Wgmma, all(), kLoop);
  product.array = ring.tile.array;
  product.at = in(ring.tile);
  product.accumulates = percent(50);
  piece.body.push_back(product);
  Step wait = async::make(Op::WgmmaWait, all(), kLoop);
  wait.groups = 1;
  piece.body.push_back(wait);
  move(piece.body, fill(ring, later(ahead), true));
  wait.groups = 0;
  wait.round = at(0);
  piece.after.push_back(wait);
  return piece;
}

// One thread waits for a stage and multiplies; the commit says that the stage may be filled again.
Piece Maker::releasedByProducts() {
  Ring ring;
  ring.tile = addTile(1 + below(3), kMmaA + kWgmmaB);
  const std::uint32_t stages = ring.tile.stages;
  ring.producer = ring.second = leader();
  ring.order = below(8);
  ring.full = addMbarriers(stages, 1);
  ring.hasEmpty = true;
  ring.empty = addMbarriers(stages, 1);
  const std::size_t done = addMbarriers(1, 1);
  const Who who = percent(50) ? ring.producer : leader();
  Piece piece;
  Step store = async::make(Op::TensorStore, warps(0, 4), at(0));
  store.count = 4;
  piece.before.push_back(store);
  piece.before.push_back(async::make(Op::TensorWaitStore, warps(0, 4), at(0)));
  const std::uint32_t ahead = below(stages + 1);
  for (std::uint32_t k = 0; k < ahead; ++k) move(piece.before, fill(ring, at(k), true));
  if (ahead < stages) move(piece.body, fill(ring, later(ahead), ahead != 0));
  piece.body.push_back(wait(ring.full, stages, kLoop, percent(50) ? who : all()));
  Step product = async::make(Op::Mma, who, kLoop);
  product.array = ring.tile.array;
  product.at = in(ring.tile);
  piece.body.push_back(product);
  Step commit = async::make(Op::Commit, who, kLoop);
  commit.object = ring.empty;
  commit.objects = stages;
  piece.body.push_back(commit);
  if (ahead == stages) move(piece.body, fill(ring, later(ahead), true));
  commit.object = done;
  commit.objects = 1;
  commit.round = at(0);
  piece.after.push_back(commit);
  move(piece.after, waits(done, 1, at(0)));
  move(piece.after, tensorLoad(0, 4, at(0)));
  return piece;
}

Piece Maker::loadRing() {
  Ring ring;
  ring.tile = addTile(std::array{1u, 2u, 2u, 3u, 4u}[below(5)], tileBytes());
  const std::uint32_t stages = ring.tile.stages;
  ring.producer = ring.second = leader();
  ring.order = below(8);
  if (ring.order / 2 == 3 && percent(30)) ring.second = leader();
  ring.full = addMbarriers(stages, 1);
  ring.hasEmpty = percent(35);
  ring.arrivals = percent(50) ? plan_.threads : plan_.warps();
  if (ring.hasEmpty) ring.empty = addMbarriers(stages, ring.arrivals);
  ring.place = 64 * below(8);
  ring.spelling = below(2);
  ring.isTensor = percent(25) && useMap(ring.tile);
  const bool isLast = percent(50);  // refills at the end of a round
  const std::uint32_t ahead = below(isLast ? stages + 1 : stages);
  Piece piece;
  for (std::uint32_t k = 0; k < ahead; ++k) move(piece.before, fill(ring, at(k), true));
  const Round refill = later(ahead);
  if (!isLast || ahead == 0) move(piece.body, fill(ring, refill, ahead != 0));
  move(piece.body, waits(ring.full, stages, kLoop));
  move(piece.body, consume(ring.tile, kLoop, all()));
  if (ring.hasEmpty) move(piece.body, leave(ring, kLoop, all()));
  if (isLast && ahead != 0) move(piece.body, fill(ring, refill, true));
  return piece;
}

Piece Maker::storeRing() {
  const Tile tile = addTile(1 + below(3), tileBytes());
  const Who who = leader();
  Piece piece;
  Step wait = async::make(Op::BulkWait, who, kLoop);
  wait.groups = tile.stages - 1;
  wait.onlyReads = percent(70);
  piece.body.push_back(wait);
  const bool isMatrix = tile.bytes >= 16 * plan_.threads && percent(35);
  piece.body.push_back(isMatrix ? matrix(Op::StoreMatrix, tile, kLoop, all())
                                : access(Op::Store, tile, kLoop, all()));
  Step copy = async::make(percent(25) ? Op::BulkReduce : Op::BulkOut, who, kLoop);
  copy.array = tile.array;
  copy.at = in(tile);
  copy.bytes = isMatrix ? 16 * plan_.threads : piece.body.back().width * plan_.threads;
  // Only what has been written, or a part of it.
  if (piece.body.back().count != 4 && isMatrix) copy.bytes = 128;
  copy.place = addOut(copy.bytes);
  piece.body.push_back(copy);
  piece.body.push_back(async::make(Op::BulkCommit, who, kLoop));
  Step last = async::make(Op::BulkWait, who, at(0));
  last.onlyReads = percent(50);
  piece.after.push_back(last);
  return piece;
}

Piece Maker::copyRing() {
  const std::uint32_t width = percent(70) ? 16 : 4;
  Tile tile = addTile(1 + below(4), std::max(width * plan_.threads, 512u));
  tile.bytes = width * plan_.threads;
  const std::uint32_t ahead = 1 + below(std::max(tile.stages - 1, 1u));
  const auto fill = [&](Round round) {
    Step copy = async::make(Op::CopyAsync, all(), round);
    copy.array = tile.array;
    copy.width = width;
    copy.at = in(tile);
    copy.at.form = Address::Form::Own;
    copy.at.pitch = width;
    copy.onlyBelow = true;
    Steps steps{copy};
    steps.push_back(async::make(Op::CopyCommit, all(), round));
    return steps;
  };
  Piece piece;
  for (std::uint32_t k = 0; k < ahead; ++k) move(piece.before, fill(at(k)));
  const bool isLast = tile.stages == ahead || percent(50);
  if (!isLast) move(piece.body, fill(later(ahead)));
  Step wait = async::make(Op::CopyWait, all(), kLoop);
  wait.groups = isLast ? ahead - 1 : ahead;
  piece.body.push_back(wait);
  move(piece.body, consume(tile, kLoop, all()));
  if (isLast) move(piece.body, fill(later(ahead)));
  if (percent(50)) piece.after.push_back(async::make(Op::CopyWait, all(), at(0)));
  return piece;
}

Piece Maker::copyOnMbarrier() {
  const std::uint32_t width = percent(70) ? 16 : 4;
  Tile tile = addTile(1 + below(2), std::max(width * plan_.threads, 512u));
  tile.bytes = width * plan_.threads;
  const std::size_t object = addMbarriers(tile.stages, plan_.threads);
  Piece piece;
  Step copy = async::make(Op::CopyAsync, all(), kLoop);
  copy.array = tile.array;
  copy.width = width;
  copy.at = in(tile);
  copy.at.form = Address::Form::Own;
  copy.at.pitch = width;
  piece.body.push_back(copy);
  Step arrive = async::make(Op::CopyArrive, all(), kLoop);
  arrive.object = object;
  arrive.objects = tile.stages;
  arrive.noIncrement = percent(60);
  piece.body.push_back(arrive);
  if (!arrive.noIncrement) {
    arrive.op = Op::Arrive;
    piece.body.push_back(arrive);
  }
  move(piece.body, waits(object, tile.stages, kLoop));
  move(piece.body, consume(tile, kLoop, all()));
  return piece;
}

// ---- without a ring -----------------------------------------------------------------------------

Piece Maker::exchange() {
  const Tile tile = addTile(1 + below(2), tileBytes());
  Piece piece;
  for (std::uint32_t k = 1 + below(2); k != 0; --k) {
    const Who who = percent(70) ? all() : percent(50) ? someWarps() : thread(below(plan_.threads));
    const bool isMatrix = tile.bytes >= 16 * plan_.threads && who.kind != Who::Kind::Thread;
    piece.body.push_back(isMatrix && percent(30) ? matrix(Op::StoreMatrix, tile, kLoop, who)
                                                 : access(Op::Store, tile, kLoop, who));
    move(piece.body, consume(tile, kLoop, all()));
  }
  return piece;
}

// Some threads store and arrive, and some wait.
Piece Maker::signal() {
  const Tile tile = addTile(1 + below(2), std::max(4 * plan_.threads, 512u));
  const Who who = percent(50) ? all() : someWarps();
  const std::size_t object = addMbarriers(tile.stages, threadsOf(who));
  Piece piece;
  piece.body.push_back(access(Op::Store, tile, kLoop, percent(70) ? who : someWarps()));
  Step arrive = async::make(Op::Arrive, who, kLoop);
  arrive.object = object;
  arrive.objects = tile.stages;
  arrive.isRelaxed = percent(15);
  const bool hasToken = percent(25);
  if (hasToken) arrive.token = ++plan_.tokens;
  piece.body.push_back(arrive);
  if (hasToken) {
    Step wait = this->wait(object, tile.stages, kLoop, who);
    wait.wait = Step::Wait::Token;
    wait.token = arrive.token;
    piece.body.push_back(wait);
  } else {
    move(piece.body, waits(object, tile.stages, kLoop));
  }
  move(piece.body, consume(tile, kLoop, all()));
  return piece;
}

// A copy inside shared memory, on an mbarrier.
Piece Maker::sharedCopy() {
  Ring ring;
  ring.tile = addTile(1, std::max(4 * plan_.threads, 512u));
  ring.full = addMbarriers(1, 1);
  ring.producer = leader();
  const Tile from = addTile(1, ring.tile.bytes);
  Piece piece;
  piece.body.push_back(access(Op::Store, from, kLoop, all()));
  Step expect = async::make(Op::ArriveExpect, ring.producer, kLoop);
  expect.object = ring.full;
  expect.bytes = percent(50) ? ring.tile.bytes : 64;
  piece.body.push_back(expect);
  Step copy = expect;
  copy.op = Op::BulkShared;
  copy.array = from.array;
  copy.at = in(from);
  copy.other = ring.tile.array;
  copy.otherAt = in(ring.tile);
  piece.body.push_back(copy);
  move(piece.body, waits(ring.full, 1, kLoop));
  move(piece.body, consume(ring.tile, kLoop, all()));
  return piece;
}

// What warps do to their own lanes, and to those of others where there are eight.
Piece Maker::tensorPiece() {
  Piece piece;
  const Who who = percent(60) ? all() : someWarps();
  const std::uint32_t column = 16 + 4 * below(3);
  Step store = async::make(Op::TensorStore, warps(0, 4), kLoop);
  store.column = column;
  store.count = 4;
  piece.body.push_back(store);
  piece.body.push_back(async::make(Op::TensorWaitStore, warps(0, 4), kLoop));
  Step load = store;
  load.op = Op::TensorLoad;
  load.who = who;
  load.count = 1 + 3 * below(2);
  piece.body.push_back(load);
  piece.body.push_back(async::make(Op::TensorWaitLoad, who, kLoop));
  return piece;
}

// The last warp fills, the others empty; the results go out through a staging tile.
Step Maker::roles() {
  const std::uint32_t last = plan_.warps() - 1;
  const Who consumers = warps(0, last);
  Ring ring;
  ring.tile = addTile(1 + below(3), std::max(16 * plan_.threads, 512u));
  ring.producer = ring.second =
      percent(50) ? thread(last * kWarp) : Who{Who::Kind::Elected, last, 0};
  ring.order = below(8);
  ring.full = addMbarriers(ring.tile.stages, 1);
  ring.hasEmpty = true;
  ring.arrivals = percent(50) ? kWarp * last : last;
  ring.empty = addMbarriers(ring.tile.stages, ring.arrivals);
  Step step = async::make(Op::Roles, consumers, at(0));
  Step empty = async::make(Op::Loop, consumers, at(0));
  empty.first.push_back(wait(ring.full, ring.tile.stages, kLoop, consumers));
  move(empty.first, consume(ring.tile, kLoop, consumers));
  move(empty.first, leave(ring, kLoop, consumers));
  if (percent(40)) {
    const Tile out = addTile(1, std::max(4 * plan_.threads, 512u));
    const auto barrier = [&] { return async::make(Op::NamedBarrier, consumers, kLoop); };
    const Who who = thread(kWarp * below(last));
    empty.first.push_back(access(Op::Store, out, kLoop, consumers));
    empty.first.back().at.form = Address::Form::Own;
    empty.first.push_back(async::make(Op::Fence, consumers, kLoop));
    empty.first.push_back(barrier());
    Tile written = out;
    written.bytes = 4 * kWarp * last;
    move(empty.first, copyOut(written, kLoop, who));
    empty.first.push_back(barrier());
  }
  Step filling = async::make(Op::Loop, warps(last, last + 1), at(0));
  move(filling.first, fill(ring, kLoop, false));
  step.first.push_back(std::move(empty));
  step.second.push_back(std::move(filling));
  return step;
}

// ---- the whole ----------------------------------------------------------------------------------

Piece Maker::any() {
  const std::uint32_t choice = below(100);
  if (family_ == Family::Tensor && choice < 15) return tensorPiece();
  if (family_ == Family::Wgmma && choice < 12) return laggingProducts();
  if (family_ == Family::Tensor && choice < 30) return releasedByProducts();
  if (choice < 45) return loadRing();
  if (choice < 57) return storeRing();
  if (choice < 70) return copyRing();
  if (choice < 78) return copyOnMbarrier();
  if (choice < 87) return exchange();
  return choice < 94 ? signal() : sharedCopy();
}

// In any order that keeps the order of each.
Steps Maker::merged(Steps a, Steps b) {
  Steps result;
  while (!a.empty() || !b.empty()) {
    Steps& from = b.empty() || (!a.empty() && percent(50)) ? a : b;
    result.splice(result.end(), from, from.begin());
  }
  return result;
}

// A loop with one piece in it, or two.
void Maker::addGroup() {
  Piece piece = any();
  if (percent(35)) {
    Piece other = any();
    move(piece.before, std::move(other.before));
    piece.body = merged(std::move(piece.body), std::move(other.body));
    move(piece.after, std::move(other.after));
  }
  Steps group = std::move(piece.before);
  Step loop = async::make(Op::Loop, all(), at(0));
  loop.first = std::move(piece.body);
  group.push_back(std::move(loop));
  move(group, std::move(piece.after));
  if (!percent(10)) return move(plan_.steps, std::move(group));
  Step choice = async::make(Op::If, all(), at(0));
  choice.count = below(3);
  choice.first = std::move(group);
  plan_.steps.push_back(std::move(choice));
}

// What comes before and behind all else.
void Maker::frame() {
  Steps first;
  const Who who = percent(80) ? thread(0) : leader();
  for (std::size_t k = 0; k < plan_.mbarriers.size(); ++k) {
    Step init = async::make(Op::Init, who, at(0));
    init.object = k;
    init.objects = plan_.mbarriers[k].objects;
    first.push_back(init);
    if (!percent(15)) continue;
    init.op = Op::Inval;
    init.who = leader();
    plan_.steps.push_back(init);
  }
  if (plan_.hasTensorMemory) {
    const std::uint32_t warp = below(plan_.warps());
    first.push_back(async::make(Op::Alloc, warps(warp, warp + 1), at(0)));
    first.push_back(async::make(Op::Base, all(), at(0)));
    plan_.steps.push_back(async::make(Op::Dealloc, warps(warp, warp + 1), at(0)));
  }
  plan_.steps.splice(plan_.steps.begin(), first);
}

Plan Maker::make() {
  constexpr std::array kThreads = {32u, 64u, 64u, 128u, 128u};
  plan_.threads = family_ == Family::Plain ? random_.pick(kThreads) : percent(85) ? 128 : 256;
  plan_.rounds = std::array{0u, 1u, 2u, 3u, 4u, 5u}[below(6)];
  if (plan_.rounds == 0 && percent(60)) plan_.rounds = 3;
  plan_.roundsAreConstant = percent(25);
  plan_.hasTensorMemory = family_ == Family::Tensor;
  plan_.hasStrictFences = percent(50);
  for (std::uint32_t k = 1 + below(2); k != 0; --k) addGroup();
  if (plan_.warps() > 1 && percent(20)) plan_.steps.push_back(roles());
  frame();
  return std::move(plan_);
}

}  // namespace

Plan drawPlan(Random& random, Family family) {
  return Maker(random, family).make();
}

}  // namespace ptxopt::fuzz::async
