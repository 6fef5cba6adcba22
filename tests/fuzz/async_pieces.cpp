// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "async_pieces.h"

#include <iterator>
#include <utility>

#include "async_maker.h"

namespace ptxopt::fuzz::async {

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
    case 2:
    case 3:
      add(Op::ArriveExpect, ring.producer);
      copies(ring.second);
      break;
    default:
      add(Op::Expect, ring.producer);
      copies(ring.producer);
      add(Op::Arrive, ring.second);
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
  const bool isCounted = ring.arrivals == threadsOf(who);
  if (!isCounted || percent(30)) {
    if (isCounted) arrive.count = kWarp;  // one arrives for its warp
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
  const std::uint32_t bytes = tileBytes();
  ring.tile = addTile(std::array{1u, 2u, 2u, 3u, 4u}[below(5)], bytes);
  const std::uint32_t stages = ring.tile.stages;
  ring.producer = ring.second = leader();
  ring.order = below(10);
  if (ring.order / 2 >= 3 && percent(50)) ring.second = leader();
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
  const std::uint32_t bytes = tileBytes();
  const Tile tile = addTile(1 + below(3), bytes);
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
  const std::uint32_t bytes = tileBytes();
  const Tile tile = addTile(1 + below(2), bytes);
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

// A copy ends near the words of the threads, at them, or a few bytes beyond their beginning.
Piece Maker::neighbours() {
  Ring ring;
  ring.tile.bytes = 16 * (8 + below(40));
  ring.tile.array = addArray(ring.tile.bytes + 16 + 4 * plan_.threads);
  ring.full = addMbarriers(1, 1);
  ring.producer = ring.second = leader();
  ring.order = below(8);
  Steps copies = fill(ring, kLoop, false);
  move(copies, waits(ring.full, 1, kLoop));
  move(copies, copyOut(ring.tile, kLoop, leader()));
  Tile words = ring.tile;
  words.bytes = 4 * plan_.threads;
  const std::uint32_t first = ring.tile.bytes - 16 + 16 * below(3);
  Steps accesses;
  accesses.push_back(access(Op::Store, words, kLoop, percent(60) ? all() : someWarps()));
  accesses.push_back(access(Op::Load, words, kLoop, all()));
  for (Step& step : accesses) step.at.offset += first;
  Piece piece;
  piece.body = merged(std::move(accesses), std::move(copies));
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
  if (choice < 83) return exchange();
  if (choice < 89) return neighbours();
  return choice < 95 ? signal() : sharedCopy();
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

// A wait or a fence once more, at once or a few statements later; or a group that is empty, which
// counts.
void Maker::repeat(Steps& steps) {
  constexpr std::array kRepeated = {
      Op::Fence,     Op::Wait,           Op::WarpSync,        Op::BulkWait,    Op::CopyWait,
      Op::WgmmaWait, Op::TensorWaitLoad, Op::TensorWaitStore, Op::NamedBarrier};
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    repeat(step->first);
    repeat(step->second);
    const bool isGroup = step->op == Op::CopyCommit || step->op == Op::BulkCommit;
    if (!isGroup && std::ranges::find(kRepeated, step->op) == kRepeated.end()) continue;
    if (!percent(isGroup ? 3 : 8)) continue;
    auto place = std::next(step);
    for (std::uint32_t k = below(4); k != 0 && place != steps.end(); --k) ++place;
    steps.insert(place, *step);
  }
}

Plan Maker::make() {
  constexpr std::array kThreads = {32u, 64u, 64u, 128u, 128u};
  plan_.threads = family_ == Family::Plain ? random_.pick(kThreads) : percent(85) ? 128 : 256;
  plan_.rounds = std::array{0u, 1u, 2u, 3u, 4u, 5u}[below(6)];
  if (plan_.rounds == 0 && percent(60)) plan_.rounds = 3;
  plan_.roundsAreConstant = percent(25);
  plan_.hasTensorMemory = family_ == Family::Tensor;
  plan_.hasStrictFences = percent(50);
  plan_.hasClusterBarriers = percent(4);
  for (std::uint32_t k = 1 + below(2); k != 0; --k) addGroup();
  if (plan_.warps() > 1 && percent(20)) plan_.steps.push_back(roles());
  frame();
  repeat(plan_.steps);
  return std::move(plan_);
}

Plan drawPlan(Random& random, Family family) {
  return Maker(random, family).make();
}

}  // namespace ptxopt::fuzz::async
