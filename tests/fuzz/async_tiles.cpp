// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include "async_maker.h"

namespace ptxopt::fuzz::async {

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

}  // namespace ptxopt::fuzz::async
