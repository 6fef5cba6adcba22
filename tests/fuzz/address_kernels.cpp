// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "address_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "plan.h"
#include "plan_text.h"
#include "random.h"

namespace ptxopt::fuzz {

namespace {

using Op = Value::Op;
using Kind = Statement::Kind;
using Does = Statement::Does;
using Test = Condition::Test;

constexpr std::uint32_t kMostBytes = 6144;  // of an array
constexpr std::uint32_t kTries = 20;

// What accesses have in common: they come back to it with other offsets, widths and guards.
struct Theme {
  std::size_t array = 0;
  std::optional<std::size_t> otherArray;
  ValuePtr at;
  std::uint32_t scale = 4;  // bytes from one element to the next
};

// Where a statement is made.
struct Context {
  std::vector<const Statement*> loops;  // whose rounds it may use
  bool isCallee = false;
  std::vector<std::uint32_t> elections;  // that all who come here have taken part in
  bool isDivergent = false;              // not all threads of a warp come here
};

class Maker {
 public:
  Maker(std::uint64_t seed, const GeneratorOptions& options) : options_(options), random_(seed) {
    frame_.prefix = fmt::format("k{}", seed);
  }

  RandomKernel make() {
    chooseShape();
    declareArrays();
    plan_.body.isUniform = true;
    for (std::uint32_t k = 3 + random_.below(3); k > 0; --k) themes_.push_back(newTheme({}));
    if (hasLeaders()) {
      for (std::uint32_t k = 1 + random_.below(3); k > 0; --k) leaderThemes_.push_back(oneWord());
    }
    fill(plan_.body, options_.size / 2 + random_.below(options_.size), 0);
    if (random_.percent(35)) terminate();
    initialize();
    if (!plan_.measure(kMostBytes)) throw std::logic_error(frame_.prefix + ": an address is wrong");
    plan_.repair();
    plan_.markNeeded();
    return write(plan_, frame_, random_);
  }

 private:
  bool hasLeaders() const { return options_.bias == Bias::Leaders; }

  // ---- the frame --------------------------------------------------------------------------------

  void chooseShape() {
    constexpr std::array<std::uint32_t, 3> kShapes[] = {
        {64, 1, 1}, {64, 1, 1}, {96, 1, 1}, {128, 1, 1}, {32, 1, 1}, {48, 1, 1},
        {8, 8, 1},  {16, 4, 1}, {32, 2, 1}, {33, 2, 1},  {16, 6, 1}, {4, 4, 4},
        {8, 2, 4},  {2, 8, 4},  {32, 1, 2}, {1, 64, 1},  {64, 2, 1}, {5, 7, 2}};
    constexpr std::array<std::uint32_t, 3> kWarps[] = {{64, 1, 1}, {96, 1, 1}, {128, 1, 1},
                                                       {32, 1, 1}, {48, 1, 1}, {64, 2, 1}};
    plan_.block =
        hasLeaders() && random_.percent(75) ? random_.pick(kWarps) : random_.pick(kShapes);
    plan_.rounds = 1 + random_.below(3);
    frame_.ctas = random_.percent(80) ? 1 : 2;
    frame_.statesBlock = options_.isStated || random_.percent(65);
    frame_.statesSize = random_.percent(30);
  }

  void declareArrays() {
    const std::uint32_t count = 1 + random_.below(3);
    const bool hasGlobal = !options_.isStated && random_.percent(20);
    const bool isDynamic = random_.percent(20);
    std::size_t regions = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      Array array;
      array.name = fmt::format("{}_s{}", frame_.prefix, k);
      array.region = regions;
      if (isDynamic && k + 1 == count) array.where = Array::Where::DynamicShared;
      plan_.arrays.push_back(array);
      if (array.where == Array::Where::DynamicShared && random_.percent(40)) {
        array.name += "_again";  // another name of the same bytes
        plan_.arrays.push_back(array);
      }
      ++regions;
    }
    if (!hasGlobal) return;
    const bool isParameter = random_.percent(60);
    Array array;
    array.where = isParameter ? Array::Where::Parameter : Array::Where::Variable;
    array.name = isParameter ? "m0" : fmt::format("{}_g", frame_.prefix);
    array.region = regions;
    plan_.arrays.push_back(array);
    if (isParameter && random_.percent(50)) {
      array.name = "m1";
      if (random_.percent(50)) {
        array.offset = 16 * random_.below(20);
      } else {
        array.region = ++regions;
      }
      plan_.arrays.push_back(array);
    }
  }

  // Nothing reads what nobody wrote.
  void initialize() {
    std::vector<std::size_t> done;
    auto& statements = plan_.body.statements;
    plan_.measure(kMostBytes);
    std::size_t position = 0;
    for (std::size_t k = 0; k < plan_.arrays.size(); ++k) {
      const Array& array = plan_.arrays[k];
      if (!array.isShared() || std::count(done.begin(), done.end(), array.region) != 0) continue;
      done.push_back(array.region);
      auto loop = std::make_unique<Statement>();
      loop->kind = Kind::StrideLoop;
      loop->loop = plan_.loops++;
      // Another name of the region may reach further.
      const std::uint32_t bytes = array.where == Array::Where::Shared
                                      ? (array.size + 3) / 4 * 4
                                      : plan_.regionBytes[array.region];
      loop->inductions.push_back({leaf(Op::Linear), plan_.threads(), false});
      loop->bound = bytes / 4;
      auto store = std::make_unique<Statement>();
      store->does = Does::Write;
      store->array = k;
      store->at = binary(Op::Multiply, induction(*loop, 0), constant(4));
      loop->first.statements.push_back(std::move(store));
      statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(position++),
                        std::move(loop));
    }
    statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(position), newBarrier());
  }

  // ---- values -----------------------------------------------------------------------------------

  static ValuePtr induction(const Statement& loop, std::uint32_t number) {
    return std::make_shared<const Value>(
        Value{.op = Op::Induction, .constant = number, .loop = loop.loop});
  }

  ValuePtr someId() {
    switch (random_.below(10)) {
      case 0:
        return leaf(Op::TidX);
      case 1:
        return leaf(Op::TidY);
      case 2: {
        // A row of its own for each y, or not quite.
        const std::uint32_t pitch = plan_.block[0] + random_.below(3) - 1;
        return binary(Op::Add, binary(Op::Multiply, leaf(Op::TidY), constant(std::max(pitch, 1u))),
                      leaf(Op::TidX));
      }
      case 3: {
        const std::uint32_t pitch = plan_.block[1] + random_.below(2);
        return binary(Op::Add, binary(Op::Multiply, leaf(Op::TidX), constant(pitch)),
                      leaf(Op::TidY));
      }
      case 4: {
        const std::uint32_t columns = plan_.block[0] + random_.below(2);
        const std::uint32_t plane = columns * plan_.block[1] + random_.below(2);
        const ValuePtr rows = binary(Op::Add, binary(Op::Multiply, leaf(Op::TidZ), constant(plane)),
                                     binary(Op::Multiply, leaf(Op::TidY), constant(columns)));
        return binary(Op::Add, rows, leaf(Op::TidX));
      }
      default:
        return leaf(Op::Linear);
    }
  }

  ValuePtr someIndex(const Context& context) {
    const std::uint32_t threads = plan_.threads();
    const ValuePtr id = someId();
    switch (random_.below(16)) {
      case 0:
        return binary(Op::Xor, id, constant(1u << random_.below(6)));
      case 1:
        return binary(Op::Add, id, constant(1 + random_.below(40)));
      case 2:
        return binary(Op::And, id, constant((1u << (1 + random_.below(6))) - 1));
      case 3:
        return binary(Op::ShiftRight, id, constant(1 + random_.below(5)));
      case 4:
        return binary(Op::Subtract, constant(threads - 1), leaf(Op::Linear));
      case 5:
        return binary(Op::And, binary(Op::Add, id, constant(random_.below(threads))),
                      constant(std::bit_floor(threads) - 1));
      case 6:
        return binary(Op::Remainder, id, constant(2 + random_.below(threads)));
      case 7:
        return constant(random_.below(threads + 8));
      case 8:
        return binary(Op::Add,
                      binary(Op::Multiply, binary(Op::ShiftRight, leaf(Op::Linear), constant(5)),
                             constant(32 + random_.below(2))),
                      binary(Op::And, leaf(Op::Linear), constant(31)));
      case 9:
        return binary(Op::Or, binary(Op::And, id, constant(~7u)), constant(random_.below(8)));
      case 10:
      case 11:
        if (!context.loops.empty()) return byRound(context, id);
        [[fallthrough]];
      default:
        return id;
    }
  }

  ValuePtr byRound(const Context& context, const ValuePtr& id) {
    const Statement& loop = *random_.pick(context.loops);
    const ValuePtr round = induction(loop, random_.below(loop.inductions.size()));
    const std::uint32_t threads = plan_.threads();
    switch (random_.below(5)) {
      case 0:
        return round;
      case 1:
        return binary(Op::Add, binary(Op::Multiply, round, constant(threads)), id);
      case 2:
        return binary(Op::Add,
                      binary(Op::Multiply, binary(Op::And, round, constant(1)), constant(threads)),
                      id);
      case 3:
        return binary(Op::Add, id, round);
      default:
        return binary(Op::Xor, id, round);
    }
  }

  Theme newTheme(const Context& context) {
    constexpr std::uint32_t kScales[] = {4, 4, 4, 4, 8, 16, 12, 20, 2, 1};
    Theme theme;
    do {
      theme.array = random_.below(plan_.arrays.size());
    } while (context.isCallee && !plan_.arrays[theme.array].isShared());
    theme.scale = random_.pick(kScales);
    theme.at = someIndex(context);
    if (theme.scale != 1) theme.at = binary(Op::Multiply, theme.at, constant(theme.scale));
    return theme;
  }

  // ---- conditions -------------------------------------------------------------------------------

  Condition someCondition() {
    const std::uint32_t threads = plan_.threads();
    switch (random_.below(8)) {
      case 0:
        return {Test::Equal, leaf(Op::TidX), random_.below(plan_.block[0])};
      case 1:
        return {Test::Less, leaf(Op::TidX), 1 + random_.below(plan_.block[0])};
      case 2:
        return {Test::Less, leaf(Op::Linear), 1 + random_.below(threads)};
      case 3:
        return {Test::GreaterEqual, leaf(Op::Linear), random_.below(threads)};
      case 4:
        return {random_.percent(50) ? Test::Equal : Test::NotEqual,
                binary(Op::And, leaf(Op::Linear), constant(1u << random_.below(4))), 0};
      case 5:
        return {Test::Equal, binary(Op::ShiftRight, leaf(Op::Linear), constant(5)),
                random_.below((threads + 31) / 32)};
      default:
        return {Test::Equal, leaf(Op::Linear), random_.percent(70) ? 0 : random_.below(threads)};
    }
  }

  Condition uniformCondition() {
    return {random_.percent(50) ? Test::Less : Test::NotEqual, leaf(Op::Rounds), random_.below(4)};
  }

  // ---- statements -------------------------------------------------------------------------------

  static std::unique_ptr<Statement> newBarrier() {
    auto barrier = std::make_unique<Statement>();
    barrier->kind = Kind::Barrier;
    return barrier;
  }

  void fill(Sequence& sequence, std::uint32_t length, std::uint32_t depth, Context context = {}) {
    for (std::uint32_t k = 0; k < length; ++k) {
      if (sequence.isUniform && random_.percent(45)) sequence.statements.push_back(newBarrier());
      if (hasLeaders() && !context.isCallee && random_.percent(60)) {
        addOfLeader(sequence, context);
        continue;
      }
      if (auto statement = someStatement(sequence.isUniform, depth, context)) {
        // Leaders may have ended.
        if (statement->kind == Kind::Exit) context.elections.clear();
        sequence.statements.push_back(std::move(statement));
      }
    }
    if (sequence.isUniform && random_.percent(45)) sequence.statements.push_back(newBarrier());
  }

  std::unique_ptr<Statement> someStatement(bool isUniform, std::uint32_t depth,
                                           const Context& context) {
    const std::uint32_t dice = random_.below(100);
    if (dice < 55 || depth > 2) return access(context);
    if (dice < 68) return when(depth, context);
    if (dice < 75) return strideLoop(context);
    if (!isUniform) return access(context);
    if (dice < 87) return loop(depth, context);
    if (dice < 91 && !options_.isStated) return uniformWhen(depth, context);
    if (dice < 94 && !options_.isStated && !context.isCallee) return call();
    if (dice < 96 && depth == 0) return exit();
    if (dice < 98 && !options_.isStated) {
      auto barrier = newBarrier();
      barrier->condition = uniformCondition();
      return barrier;
    }
    return doubleBuffer(context);
  }

  // Null where no address fits.
  std::unique_ptr<Statement> access(const Context& context) {
    for (std::uint32_t k = 0; k < kTries; ++k) {
      if (random_.percent(10) || themes_.empty()) themes_.push_back(newTheme({}));
      if (hasLeaders() && random_.percent(20)) themes_.push_back(random_.pick(leaderThemes_));
      const bool isKnown = random_.percent(context.loops.empty() ? 85 : 50);
      Theme theme = isKnown ? random_.pick(themes_) : newTheme(context);
      if (context.isCallee && !plan_.arrays[theme.array].isShared()) continue;
      auto result = accessOf(theme);
      if (fits(*result, context)) return result;
    }
    return nullptr;
  }

  std::unique_ptr<Statement> accessOf(const Theme& theme) {
    auto result = std::make_unique<Statement>();
    result->array = theme.array;
    result->otherArray = theme.otherArray;
    result->at = theme.at;
    const std::uint32_t dice = random_.below(100);
    result->does = dice < 48 ? Does::Write : dice < 97 ? Does::Read : Does::Add;
    constexpr std::uint32_t kWidths[] = {4, 4, 4, 8, 16, 1, 2};
    result->width = random_.percent(60) ? std::min(theme.scale & (~theme.scale + 1), 16u)
                                        : random_.pick(kWidths);
    if (random_.percent(45)) {
      // Another part of the element, its neighbour, or about where the others end.
      const std::uint32_t elements = random_.percent(50)   ? 0
                                     : random_.percent(50) ? random_.below(4)
                                                           : plan_.threads() + random_.below(3) - 1;
      result->displacement = elements * theme.scale;
      if (random_.percent(50)) result->displacement += random_.below(theme.scale + 4);
      result->displacement = result->displacement / result->width * result->width;
    }
    if (result->does == Does::Add) {
      result->width = 4;
      result->displacement = result->displacement / 4 * 4;
    }
    if (random_.percent(12)) result->condition = someCondition();
    return result;
  }

  // Every thread that may come here is aligned and in bounds, in every round.
  bool fits(const Statement& access, const Context& context) {
    Plan probe;
    probe.block = plan_.block;
    probe.rounds = plan_.rounds;
    probe.arrays = plan_.arrays;
    probe.loops = plan_.loops;
    const auto copy = [&] {
      auto result = std::make_unique<Statement>();
      result->array = access.array;
      result->otherArray = access.otherArray;
      result->at = access.at;
      result->displacement = access.displacement;
      result->width = access.width;
      result->condition = access.condition;
      result->loop = access.loop;
      return result;
    };
    auto inner = copy();
    for (auto loop = context.loops.rbegin(); loop != context.loops.rend(); ++loop) {
      auto around = std::make_unique<Statement>();
      around->kind = (*loop)->kind;
      around->loop = (*loop)->loop;
      around->rounds = (*loop)->rounds;
      around->bound = (*loop)->bound;
      around->inductions = (*loop)->inductions;
      around->condition = (*loop)->condition;
      around->first.statements.push_back(std::move(inner));
      if (around->kind == Kind::Leave) around->second.statements.push_back(copy());
      inner = std::move(around);
    }
    probe.body.statements.push_back(std::move(inner));
    return probe.measure(kMostBytes);
  }

  std::unique_ptr<Statement> when(std::uint32_t depth, const Context& context) {
    auto result = std::make_unique<Statement>();
    result->kind = Kind::When;
    result->condition = someCondition();
    Context inside = context;
    inside.elections.clear();  // some of those that took part do not come here
    inside.isDivergent = true;
    fill(result->first, 1 + random_.below(3), depth + 1, inside);
    if (random_.percent(30)) fill(result->second, 1 + random_.below(2), depth + 1, inside);
    return result;
  }

  std::unique_ptr<Statement> uniformWhen(std::uint32_t depth, const Context& context) {
    auto result = std::make_unique<Statement>();
    result->kind = Kind::When;
    result->condition = uniformCondition();
    result->first.isUniform = result->second.isUniform = true;
    fill(result->first, 1 + random_.below(3), depth + 1, context);
    if (random_.percent(60)) fill(result->second, 1 + random_.below(3), depth + 1, context);
    return result;
  }

  // The counter, and perhaps an address or two that go along with it.
  void addInductions(Statement& loop) {
    loop.inductions.push_back({constant(0), 1, false});
    if (random_.percent(40)) {
      constexpr std::uint32_t kSteps[] = {1, 2, 4, 16, 32};
      const bool isBlock = random_.percent(50);
      loop.inductions.push_back(
          {someId(), isBlock ? plan_.threads() : random_.pick(kSteps), false});
    }
    if (random_.percent(25)) loop.inductions.push_back({someId(), 64, true});
  }

  std::unique_ptr<Statement> newLoop() {
    auto result = std::make_unique<Statement>();
    result->kind = Kind::Loop;
    result->loop = plan_.loops++;
    result->countsToParameter = !options_.isStated && random_.percent(50);
    result->rounds = result->countsToParameter ? plan_.rounds : 1 + random_.below(3);
    result->first.isUniform = true;
    return result;
  }

  std::unique_ptr<Statement> loop(std::uint32_t depth, const Context& context) {
    auto result = newLoop();
    addInductions(*result);
    Context inside = context;
    inside.loops.push_back(result.get());
    fill(result->first, 1 + random_.below(4), depth + 1, inside);
    return result;
  }

  // Every element by the thread that owns it modulo the size of the block.
  std::unique_ptr<Statement> strideLoop(const Context& context) {
    auto result = std::make_unique<Statement>();
    result->kind = Kind::StrideLoop;
    result->loop = plan_.loops++;
    const std::uint32_t threads = plan_.threads();
    const std::uint32_t step = random_.percent(80) ? threads : threads + random_.below(3) - 1;
    result->inductions.push_back({leaf(Op::Linear), step, false});
    result->bound = random_.below(3 * threads);
    Context inside = context;
    inside.loops.push_back(result.get());
    constexpr std::uint32_t kScales[] = {4, 4, 4, 8, 16};
    Theme theme;
    do {
      theme.array = random_.below(plan_.arrays.size());
    } while (context.isCallee && !plan_.arrays[theme.array].isShared());
    theme.scale = random_.pick(kScales);
    theme.at = binary(Op::Multiply, induction(*result, 0), constant(theme.scale));
    for (std::uint32_t k = 1 + random_.below(2); k > 0; --k) {
      auto statement = accessOf(theme);
      if (fits(*statement, inside)) result->first.statements.push_back(std::move(statement));
    }
    return result;
  }

  // In turn into one of two arrays, and out of the other.
  std::unique_ptr<Statement> doubleBuffer(const Context& context) {
    std::vector<std::size_t> shared;
    for (std::size_t k = 0; k < plan_.arrays.size(); ++k) {
      if (plan_.arrays[k].isShared()) shared.push_back(k);
    }
    auto result = newLoop();
    result->inductions.push_back({constant(0), 1, false});
    Context inside = context;
    inside.loops.push_back(result.get());
    Theme theme = newTheme({{}, true});
    theme.array = shared.front();
    theme.otherArray = shared.back();
    for (std::uint32_t k = 0; k < 2; ++k) {
      auto statement = accessOf(theme);
      statement->loop = result->loop;
      statement->does = k == 0 ? Does::Write : Does::Read;
      if (statement->does == Does::Read && random_.percent(60)) {
        std::swap(statement->array, *statement->otherArray);
      }
      if (random_.percent(60)) result->first.statements.push_back(newBarrier());
      if (fits(*statement, inside)) result->first.statements.push_back(std::move(statement));
    }
    return result;
  }

  // ---- leaders ----------------------------------------------------------------------------------

  // At one address for all threads.
  Theme oneWord() {
    Theme theme;
    theme.array = random_.below(plan_.arrays.size());
    theme.at = constant(4 * random_.below(16));
    return theme;
  }

  // Met by all threads of a warp or by none; for each warp another leader meets it.
  Condition someWarp(const Context& context) {
    const std::uint32_t warps = (plan_.threads() + 31) / 32;
    const std::uint32_t warp = random_.percent(70) ? 0 : random_.below(warps);
    const ValuePtr linear = leaf(Op::Linear);
    const ValuePtr number = binary(Op::ShiftRight, linear, constant(5));
    const bool areRows = plan_.block[1] * plan_.block[2] == 1 || plan_.block[0] % 32 == 0;
    switch (random_.below(10)) {
      case 0:
        return {Test::GreaterEqual, linear, 0};
      case 1:
        return {Test::Equal, binary(Op::And, linear, constant(~31u)), 32 * warp};
      case 2:
        return {Test::Equal, binary(Op::Subtract, number, leaf(Op::Rounds)), 0};
      case 3:
        if (!context.loops.empty() && context.loops.back()->kind == Kind::Loop) {
          return {Test::Equal, binary(Op::Subtract, number, induction(*context.loops.back(), 0)),
                  0};
        }
        return {Test::Equal, number, warp};
      case 4:
      case 5:
      case 6:
        return {Test::Less, areRows ? leaf(Op::TidX) : linear, 32};
      default:
        return {Test::Equal, number, warp};
    }
  }

  // An election, what its leader does, or what others do there.
  void addOfLeader(Sequence& sequence, Context& context) {
    const bool canElect = !context.isDivergent;
    if (context.elections.empty() || random_.percent(25)) {
      if (!canElect) return;
      if (random_.percent(15)) return sequence.statements.push_back(ofSomeLanes(context));
      sequence.statements.push_back(election(context, ~0u));
    }
    if (sequence.isUniform && random_.percent(40)) return addTurns(sequence, context);
    if (random_.percent(60)) return sequence.statements.push_back(accessByLeader(context));
    auto branch = std::make_unique<Statement>();
    branch->kind = Kind::When;
    branch->condition = someWarp(context);
    Context inside = context;
    if (canElect && random_.percent(40)) {
      branch->first.statements.push_back(election(inside, ~0u));
    } else if (random_.percent(50)) {
      elect(*branch->condition, context);
      inside.elections.clear();
    }
    for (std::uint32_t k = 1 + random_.below(2); k > 0; --k) {
      branch->first.statements.push_back(accessByLeader(inside));
    }
    sequence.statements.push_back(std::move(branch));
  }

  // One leader after the other, or always the same.
  void addTurns(Sequence& sequence, Context& context) {
    const Condition usual = someWarp(context);
    for (std::uint32_t k = 2 + random_.below(4); k > 0; --k) {
      if (random_.percent(40)) sequence.statements.push_back(election(context, ~0u));
      auto turn = accessByLeader(context);
      if (random_.percent(90)) {
        turn->condition = usual;
        elect(*turn->condition, context);
      }
      sequence.statements.push_back(std::move(turn));
      if (random_.percent(80)) sequence.statements.push_back(newBarrier());
    }
  }

  std::unique_ptr<Statement> election(Context& context, std::uint32_t mask) {
    auto result = std::make_unique<Statement>();
    result->kind = Kind::Elect;
    result->election = plan_.elections++;
    result->mask = mask;
    context.elections.push_back(result->election);
    return result;
  }

  // Half of each warp has a leader of its own.
  std::unique_ptr<Statement> ofSomeLanes(const Context& context) {
    auto result = std::make_unique<Statement>();
    result->kind = Kind::When;
    result->condition = Condition{Test::Equal, binary(Op::And, leaf(Op::Linear), constant(16)), 0};
    Context inside = context;
    inside.elections.clear();
    result->first.statements.push_back(election(inside, 0xffff));
    result->first.statements.push_back(accessByLeader(inside));
    return result;
  }

  void elect(Condition& condition, const Context& context) {
    using Leader = Condition::Leader;
    condition.leader = Leader::Elected;
    condition.election =
        random_.percent(60) ? context.elections.back() : random_.pick(context.elections);
  }

  std::unique_ptr<Statement> accessByLeader(const Context& context) {
    auto result = std::make_unique<Statement>();
    const Theme theme = random_.pick(leaderThemes_);
    result->array = theme.array;
    result->at = theme.at;
    result->isByLeader = true;
    const std::uint32_t dice = random_.below(100);
    result->does = dice < 48 ? Does::Write : dice < 95 ? Does::Read : Does::Add;
    if (context.elections.empty()) return result;
    using Leader = Condition::Leader;
    result->condition = someWarp(context);
    elect(*result->condition, context);
    const std::uint32_t kind = random_.below(100);
    if (kind < 5) {
      result->condition->leader = Leader::NotElected;
    } else if (kind < 10) {
      result->condition = Condition{Test::Equal, leaf(Op::Linear), random_.below(plan_.threads()),
                                    Leader::OrElected, result->condition->election};
      if (result->does == Does::Add) result->does = Does::Read;  // once, or twice
    } else if (kind < 15) {
      result->condition = Condition{Test::Equal, leaf(Op::Linear), 0};
    }
    return result;
  }

  std::unique_ptr<Statement> exit() {
    auto result = std::make_unique<Statement>();
    result->kind = Kind::Exit;
    result->condition = leaving();
    result->putsOut = random_.percent(60);
    return result;
  }

  // Met by some threads, seldom by all.
  Condition leaving() {
    Condition condition = someCondition();
    if (random_.percent(40)) {
      condition = {Test::GreaterEqual, leaf(Op::Linear), 1 + random_.below(plan_.threads())};
    }
    return condition;
  }

  std::unique_ptr<Statement> call() {
    auto result = std::make_unique<Statement>();
    result->kind = Kind::Call;
    if (plan_.callees.size() < 2 && random_.percent(70)) {
      auto body = std::make_unique<Sequence>();
      body->isUniform = random_.percent(50);
      Context context;
      context.isCallee = true;
      fill(*body, 1 + random_.below(3), 2, context);
      if (random_.percent(30) && !hasLeaders()) {
        auto end = exit();
        end->putsOut = false;
        body->statements.push_back(std::move(end));
        if (random_.percent(50)) fill(*body, 1, 2, context);
      }
      plan_.callees.push_back(std::move(body));
    }
    if (plan_.callees.empty()) return nullptr;
    result->callee = random_.below(plan_.callees.size());
    return result;
  }

  // The kernel ends in code that threads come to at different times.
  void terminate() {
    auto result = std::make_unique<Statement>();
    Context context;
    result->first.isUniform = true;
    if (random_.percent(50)) {
      result->kind = Kind::Skip;
      result->condition = leaving();
      fill(result->first, 2 + random_.below(5), 1);
    } else {
      result->kind = Kind::Leave;
      result->loop = plan_.loops++;
      addInductions(*result);
      const ValuePtr rounds = random_.percent(50)
                                  ? binary(Op::ShiftRight, leaf(Op::Linear), constant(5))
                                  : binary(Op::And, leaf(Op::Linear), constant(3));
      result->condition = Condition{Test::Equal, rounds, 0};
      context.loops.push_back(result.get());
      fill(result->first, 2 + random_.below(4), 1, context);
    }
    context.isDivergent = true;
    fill(result->second, random_.below(3), 3, context);
    plan_.body.statements.push_back(std::move(result));
  }

  const GeneratorOptions& options_;
  Random random_;
  Plan plan_;
  PlanFrame frame_;
  std::vector<Theme> themes_;
  std::vector<Theme> leaderThemes_;
};

}  // namespace

RandomKernel generateAddresses(std::uint64_t seed, const GeneratorOptions& options) {
  RandomKernel kernel = Maker(seed, options).make();
  kernel.target = targetOf(options.bias);
  return kernel;
}

}  // namespace ptxopt::fuzz
