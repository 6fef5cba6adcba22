// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace ptxopt::fuzz {

ValuePtr constant(std::uint32_t number) {
  return std::make_shared<const Value>(Value{.constant = number});
}
ValuePtr leaf(Value::Op op) {
  return std::make_shared<const Value>(Value{.op = op});
}
ValuePtr binary(Value::Op op, ValuePtr a, ValuePtr b) {
  return std::make_shared<const Value>(Value{.op = op, .a = std::move(a), .b = std::move(b)});
}

bool Condition::of(std::uint32_t number) const {
  switch (test) {
    case Test::Equal:
      return number == bound;
    case Test::NotEqual:
      return number != bound;
    case Test::Less:
      return number < bound;
    case Test::GreaterEqual:
      return number >= bound;
  }
  return false;
}

namespace {

using Does = Statement::Does;

struct Event {
  std::uint32_t thread = 0;
  Statement* access = nullptr;
  Statement* call = nullptr;
  std::size_t region = 0;
  std::int64_t begin = 0;  // in the region
  std::uint32_t epoch = 0;
};

// Who comes to an election: the lanes of each warp, by the election and how often they came before.
using Participants =
    std::map<std::pair<const Statement*, std::uint32_t>, std::vector<std::uint32_t>>;

// One thread after the other.
class Execution {
 public:
  using Leaders = Plan::Leaders;

  Execution(const Plan& plan, const Statement* without, Leaders leaders = Leaders::Anyone)
      : plan_(plan), without_(without), leaders_(leaders) {
    rounds_.resize(plan.loops);
    open_.resize(plan.loops);
    elected_.resize(plan.elections);
    if (plan.elections == 0) return;
    isRecording_ = true;
    for (std::uint32_t thread = 0; thread < plan.threads(); ++thread) run(thread);
    isRecording_ = false;
  }

  void start(std::uint32_t thread) {
    thread_ = identity_ = thread;
    epoch_ = 0;
    events.clear();
    visits_.clear();
  }
  void run(std::uint32_t thread) {
    start(thread);
    isAlive_ = true;
    run(plan_.body);
  }

  std::uint32_t value(const Value& v) const {
    const auto a = [&] { return value(*v.a); };
    const auto b = [&] { return value(*v.b); };
    switch (v.op) {
      case Value::Op::Constant:
        return v.constant;
      case Value::Op::TidX:
        return thread_ % plan_.block[0];
      case Value::Op::TidY:
        return thread_ / plan_.block[0] % plan_.block[1];
      case Value::Op::TidZ:
        return thread_ / (plan_.block[0] * plan_.block[1]);
      case Value::Op::Linear:
        return thread_;
      case Value::Op::Rounds:
        return plan_.rounds;
      case Value::Op::Induction: {
        if (open_[v.loop] == nullptr) return 0;
        const Induction& induction = open_[v.loop]->inductions[v.constant];
        const std::uint32_t round = rounds_[v.loop];
        const std::uint32_t first = value(*induction.start);
        if (induction.isXor) return round % 2 == 0 ? first : first ^ induction.step;
        return first + round * induction.step;
      }
      case Value::Op::Add:
        return a() + b();
      case Value::Op::Subtract:
        return a() - b();
      case Value::Op::Multiply:
        return a() * b();
      case Value::Op::Xor:
        return a() ^ b();
      case Value::Op::And:
        return a() & b();
      case Value::Op::Or:
        return a() | b();
      case Value::Op::ShiftRight:
        return a() >> b();
      case Value::Op::Remainder:
        return a() % b();
      case Value::Op::Select:
        return a() != 0 ? b() : v.constant;
    }
    return 0;
  }

  std::vector<Event> events;
  std::uint32_t barriers() const { return epoch_; }

 private:
  // Who is the leader of these is one thread more.
  struct Elected {
    bool isIt = false;
    std::uint32_t identity = 0;
  };

  bool holds(const Condition& condition) const {
    const bool isMet = condition.of(value(*condition.value));
    const bool isUnknown = leaders_ == Leaders::Anyone;
    switch (condition.leader) {
      case Condition::Leader::Anyone:
        return isMet;
      case Condition::Leader::Elected:
        return isMet && (isUnknown || elected_[condition.election].isIt);
      case Condition::Leader::NotElected:
        return isMet && (isUnknown || !elected_[condition.election].isIt);
      case Condition::Leader::OrElected:
        return isMet || isUnknown || elected_[condition.election].isIt;
    }
    return false;
  }

  // Who does what a condition guards that is met.
  std::uint32_t identityUnder(const Condition& condition) const {
    const bool isLeader = condition.leader == Condition::Leader::Elected ||
                          (condition.leader == Condition::Leader::OrElected &&
                           !condition.of(value(*condition.value)));
    return leaders_ == Leaders::Anyone && isLeader ? elected_[condition.election].identity
                                                   : identity_;
  }

  void elect(const Statement& s) {
    const std::uint32_t warp = thread_ / 32;
    std::vector<std::uint32_t>& lanes = participants_[{&s, visits_[&s]++}];
    lanes.resize((plan_.threads() + 31) / 32);
    if (isRecording_) {
      lanes[warp] |= 1u << (thread_ % 32);
      return;
    }
    const int lane = leaders_ == Leaders::Highest ? 31 - std::countl_zero(lanes[warp])
                                                  : std::countr_zero(lanes[warp]);
    const auto [known, isNew] =
        identities_.try_emplace({warp, s.mask, lanes[warp]},
                                plan_.threads() + static_cast<std::uint32_t>(identities_.size()));
    elected_[s.election] = {static_cast<int>(thread_ % 32) == lane, known->second};
  }

  void run(const Sequence& sequence) {
    for (const auto& statement : sequence.statements) {
      if (!isAlive_) return;
      run(*statement);
    }
  }

  void run(Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Access: {
        if (s.condition && !holds(*s.condition)) return;
        const bool isOther = s.otherArray && rounds_[s.loop] % 2 != 0;
        const Array& array = plan_.arrays[isOther ? *s.otherArray : s.array];
        const std::uint32_t at = value(*s.at) + s.displacement;
        const auto push = [&](std::uint32_t thread) {
          events.push_back({thread, &s, call_, array.region,
                            std::int64_t{static_cast<std::int32_t>(at)} + array.offset, epoch_});
        };
        push(s.condition ? identityUnder(*s.condition) : identity_);
        if (s.condition && s.condition->leader == Condition::Leader::OrElected &&
            leaders_ == Leaders::Anyone) {
          push(elected_[s.condition->election].identity);
        }
        return;
      }
      case Statement::Kind::Barrier:
        if (&s != without_ && (!s.condition || holds(*s.condition))) ++epoch_;
        return;
      case Statement::Kind::When: {
        const bool isMet = holds(*s.condition);
        const std::uint32_t outside = identity_;
        if (isMet) identity_ = identityUnder(*s.condition);
        run(isMet ? s.first : s.second);
        identity_ = outside;
        return;
      }
      case Statement::Kind::Elect:
        return elect(s);
      case Statement::Kind::Loop:
        open_[s.loop] = &s;
        for (rounds_[s.loop] = 0; rounds_[s.loop] < s.rounds && isAlive_; ++rounds_[s.loop]) {
          run(s.first);
        }
        open_[s.loop] = nullptr;
        return;
      case Statement::Kind::StrideLoop: {
        open_[s.loop] = &s;
        const Value counter{.op = Value::Op::Induction, .loop = s.loop};
        for (rounds_[s.loop] = 0; value(counter) < s.bound && isAlive_; ++rounds_[s.loop]) {
          run(s.first);
        }
        open_[s.loop] = nullptr;
        return;
      }
      case Statement::Kind::Leave: {
        open_[s.loop] = &s;
        const std::uint32_t last = value(*s.condition->value);
        for (rounds_[s.loop] = 0; rounds_[s.loop] != last && isAlive_; ++rounds_[s.loop]) {
          run(s.first);
        }
        run(s.second);
        open_[s.loop] = nullptr;
        isAlive_ = false;
        return;
      }
      case Statement::Kind::Skip:
        if (!holds(*s.condition)) run(s.first);
        run(s.second);
        isAlive_ = false;
        return;
      case Statement::Kind::Exit:
        if (holds(*s.condition)) isAlive_ = false;
        return;
      case Statement::Kind::Call:
        call_ = &s;
        run(*plan_.callees[s.callee]);
        call_ = nullptr;
        return;
    }
  }

  const Plan& plan_;
  const Statement* without_;
  const Leaders leaders_;
  bool isRecording_ = false;
  Participants participants_;
  std::map<const Statement*, std::uint32_t> visits_;  // of the thread, to elections
  std::vector<Elected> elected_;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> identities_;  // by warp, mask and lanes
  std::uint32_t thread_ = 0;
  std::uint32_t identity_ = 0;
  std::uint32_t epoch_ = 0;
  bool isAlive_ = true;
  Statement* call_ = nullptr;
  std::vector<std::uint32_t> rounds_;
  std::vector<const Statement*> open_;
};

void linkSequence(Sequence& sequence, Statement* owner) {
  sequence.owner = owner;
  for (std::size_t k = 0; k < sequence.statements.size(); ++k) {
    Statement& s = *sequence.statements[k];
    s.within = &sequence;
    s.position = k;
    linkSequence(s.first, &s);
    linkSequence(s.second, &s);
  }
}

template <class Function>
void forEach(Sequence& sequence, Function&& function) {
  for (const auto& statement : sequence.statements) {
    function(*statement);
    forEach(statement->first, function);
    forEach(statement->second, function);
  }
}

// From the outermost sequence to the statement.
std::vector<Statement*> chainOf(Statement* statement) {
  std::vector<Statement*> chain;
  for (; statement != nullptr; statement = statement->within->owner) chain.push_back(statement);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

bool isBarrier(const Statement& statement) {
  return statement.kind == Statement::Kind::Barrier && !statement.condition;
}

std::unique_ptr<Statement> newBarrier() {
  auto barrier = std::make_unique<Statement>();
  barrier->kind = Statement::Kind::Barrier;
  return barrier;
}

bool insertBarrier(Sequence& sequence, std::size_t position) {
  auto& statements = sequence.statements;
  const bool isAfter = position > 0 && isBarrier(*statements[position - 1]);
  const bool isBefore = position < statements.size() && isBarrier(*statements[position]);
  if (isAfter || isBefore) return false;
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(position), newBarrier());
  return true;
}

// A place for a barrier between the two, and a new one in it.
bool separate(const Race& race) {
  const std::vector<Statement*> a = chainOf(race.aCall != nullptr ? race.aCall : race.a);
  const std::vector<Statement*> b = chainOf(race.bCall != nullptr ? race.bCall : race.b);
  std::size_t depth = 0;
  while (depth + 1 < std::min(a.size(), b.size()) && a[depth] == b[depth] &&
         a[depth + 1]->within == b[depth + 1]->within) {
    ++depth;
  }
  // Directly in one after the other.
  for (std::size_t k = depth + 1; k-- > 0;) {
    Sequence& sequence = *a[k]->within;
    if (&sequence != b[k]->within || !sequence.isUniform) continue;
    const auto [low, high] = std::minmax(a[k]->position, b[k]->position);
    if (low != high) {
      const auto first = sequence.statements.begin() + static_cast<std::ptrdiff_t>(low);
      const auto last = sequence.statements.begin() + static_cast<std::ptrdiff_t>(high);
      const bool hasOne = std::any_of(first, last, [](const auto& s) { return isBarrier(*s); });
      if (!hasOne && insertBarrier(sequence, high)) return true;
    }
    // Round after round.
    const Statement* owner = sequence.owner;
    if (owner != nullptr && &sequence == &owner->first &&
        (owner->kind == Statement::Kind::Loop || owner->kind == Statement::Kind::Leave)) {
      const bool hasOne = std::any_of(sequence.statements.begin(), sequence.statements.end(),
                                      [](const auto& s) { return isBarrier(*s); });
      if ((low == high || hasOne || a[k] == b[k]) &&
          insertBarrier(sequence, sequence.statements.size())) {
        return true;
      }
    }
    // The thread that leaves meets another barrier first.
    if (race.isLeft) {
      for (std::size_t at = low + 1; at < sequence.statements.size(); ++at) {
        const Statement::Kind kind = sequence.statements[at]->kind;
        const bool mayEnd = kind == Statement::Kind::Exit || kind == Statement::Kind::Skip ||
                            kind == Statement::Kind::Leave || kind == Statement::Kind::Call;
        if (mayEnd && insertBarrier(sequence, at)) return true;
      }
    }
  }
  return false;
}

}  // namespace

std::uint32_t Plan::valueIn(const ValuePtr& value, std::uint32_t thread) const {
  Execution execution(*this, nullptr);
  execution.start(thread);
  return execution.value(*value);
}

void Plan::link() {
  linkSequence(body, nullptr);
  for (const auto& callee : callees) linkSequence(*callee, nullptr);
}

bool Plan::measure(std::uint32_t limit) {
  for (Array& array : arrays) array.size = std::max(array.size, 16u);
  Execution execution(*this, nullptr);
  for (std::uint32_t thread = 0; thread < threads(); ++thread) {
    execution.run(thread);
    for (const Event& event : execution.events) {
      Statement& access = *event.access;
      // Which of its arrays it was can be told by the region; both grow where it cannot.
      const auto grow = [&](std::size_t index) {
        Array& array = arrays[index];
        if (array.region != event.region) return true;
        const std::int64_t begin = event.begin - array.offset;
        const std::int64_t end = begin + access.width;
        if (begin < 0 || end > limit || begin % access.width != 0) return false;
        array.size = std::max(array.size, static_cast<std::uint32_t>(end));
        return true;
      };
      if (!grow(access.array) || (access.otherArray && !grow(*access.otherArray))) return false;
    }
  }
  for (const Array& array : arrays) {
    if (regionBytes.size() <= array.region) regionBytes.resize(array.region + 1);
    std::uint32_t& bytes = regionBytes[array.region];
    bytes = std::max(bytes, (array.offset + array.size + 15) / 16 * 16);
  }
  return true;
}

std::optional<Race> Plan::race(const Statement* without, Leaders leaders) {
  struct Touch {
    std::uint32_t thread;
    std::uint32_t epoch;
    Statement* access;
    Statement* call;
    bool isLast;  // after the last barrier that the thread arrives at
  };
  struct Byte {
    std::vector<Touch> reads;
    std::vector<Touch> writes;
  };
  std::vector<std::vector<Byte>> bytes(regionBytes.size());
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k].resize(regionBytes[k]);

  const auto unordered = [](const Touch& touch, const std::vector<Touch>& others) -> const Touch* {
    for (const Touch& t : others) {
      const bool isAtomic = touch.access->does == Does::Add && t.access->does == Does::Add;
      if (t.thread == touch.thread || isAtomic) continue;
      const bool isOrdered = t.epoch < touch.epoch   ? !t.isLast
                             : touch.epoch < t.epoch ? !touch.isLast
                                                     : false;
      if (!isOrdered) return &t;
    }
    return nullptr;
  };
  Execution execution(*this, without, leaders);
  for (std::uint32_t thread = 0; thread < threads(); ++thread) {
    execution.run(thread);
    for (const Event& event : execution.events) {
      const Touch touch{event.thread, event.epoch, event.access, event.call,
                        event.epoch == execution.barriers()};
      const bool writes = event.access->does != Does::Read;
      for (std::uint32_t k = 0; k < event.access->width; ++k) {
        Byte& byte = bytes[event.region][static_cast<std::size_t>(event.begin) + k];
        const Touch* other = unordered(touch, byte.writes);
        if (other == nullptr && writes) other = unordered(touch, byte.reads);
        if (other != nullptr) {
          const bool isFirst = touch.epoch < other->epoch;
          const Touch& a = isFirst ? touch : *other;
          const Touch& b = isFirst ? *other : touch;
          return Race{a.access, a.call, b.access, b.call, a.epoch != b.epoch};
        }
        (writes ? byte.writes : byte.reads).push_back(touch);
      }
    }
  }
  return std::nullopt;
}

void Plan::repair() {
  link();
  while (const std::optional<Race> found = race()) {
    if (!separate(*found)) {
      Statement& victim = found->b->does != Does::Read ? *found->b : *found->a;
      victim.does = Does::Read;
    }
    link();
  }
}

void Plan::markNeeded() {
  const auto mark = [&](Statement& statement) {
    if (!isBarrier(statement)) return;
    statement.isNeeded = elections == 0 ? race(&statement).has_value()
                                        : race(&statement, Leaders::Lowest).has_value() &&
                                              race(&statement, Leaders::Highest).has_value();
  };
  forEach(body, mark);
  for (const auto& callee : callees) forEach(*callee, mark);
}

}  // namespace ptxopt::fuzz
