// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_text.h"

#include <fmt/format.h>

#include <bit>
#include <map>

#include "kernel_text.h"

namespace ptxopt::fuzz {

namespace {

using Does = Statement::Does;

// A kernel or a function that it calls.
class Body {
 public:
  Body(Plan& plan, const PlanFrame& frame, Random& random)
      : plan_(plan), frame_(frame), random_(random), text_(random) {
    inductions_.resize(plan.loops);
    swapped_.resize(plan.loops);
    leaders_.resize(plan.elections);
    scopes_.emplace_back();
  }

  void beginEntry() {
    out_ = fresh(Kind::B64);
    rounds_ = fresh(Kind::B32);
    emit("ld.param.u64 {}, [out]", out_);
    emit("ld.param.u32 {}, [n]", rounds_);
    cta_ = fresh(Kind::B32);
    emit("mov.u32 {}, %ctaid.x", cta_);
    begin();
    if (plan_.elections != 0) {
      // Two words after those of the threads, for what leaders read: nobody knows who that is.
      ofLeaders_ = fresh(Kind::B64);
      emit("add.s64 {}, {}, {}", ofLeaders_, out_, plan_.threads() * frame_.ctas * 4);
      for (std::string* name : {&sumOfLeader_, &bitsOfLeader_}) {
        *name = fresh(Kind::B32);
        emit("mov.u32 {}, 0", *name);
      }
    }
    const std::string word = fresh(Kind::B32);
    const std::string offset = fresh(Kind::B64);
    emit("mad.lo.u32 {}, {}, {}, {}", word, cta_, plan_.threads(), linear_);
    emit("mul.wide.u32 {}, {}, 4", offset, word);
    emit("add.s64 {}, {}, {}", out_, out_, offset);
    sum_ = fresh(Kind::B32);
    emit("mad.lo.u32 {}, {}, 0x9e3779b1, 0x85ebca6b", sum_, word);
    for (const Array& array : plan_.arrays) {
      if (array.isShared()) {
        bases_.push_back(array.name);
        continue;
      }
      const std::string base = fresh(Kind::B64);
      if (array.where == Array::Where::Parameter) {
        emit("ld.param.u64 {}, [{}]", base, array.name);
        if (random_.percent(60)) emit("cvta.to.global.u64 {}, {}", base, base);
      } else {
        emit("mov.u64 {}, {}", base, array.name);
      }
      // Each CTA has its own copy of the region.
      if (frame_.ctas > 1) {
        const std::string mine = fresh(Kind::B64);
        emit("mul.wide.u32 {}, {}, {}", mine, cta_, plan_.regionBytes[array.region]);
        emit("add.s64 {}, {}, {}", base, base, mine);
      }
      bases_.push_back(base);
    }
  }

  // Arrays that are no shared ones cannot be used in it.
  void beginFunction() {
    sum_ = fresh(Kind::B32);
    rounds_ = fresh(Kind::B32);
    emit("ld.param.b32 {}, [sum]", sum_);
    emit("ld.param.b32 {}, [n]", rounds_);
    begin();
    for (const Array& array : plan_.arrays) bases_.push_back(array.name);
  }

  void end() {
    const std::size_t line = putOut();
    if (!mayEndEarly_) text_.annotate(line, RandomKernel::kNeededStore);
    text_.emit(random_.percent(80) ? "ret" : "exit");
  }
  void endFunction() {
    emit("st.param.b32 [back], {}", sum_);
    text_.emit("ret");
  }

  void sequence(Sequence& sequence) {
    scopes_.emplace_back();
    for (const auto& statement : sequence.statements) write(*statement);
    scopes_.pop_back();
  }

  KernelText& text() { return text_; }

 private:
  template <class... Arguments>
  std::size_t emit(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    return text_.emit(fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  std::string fresh(Kind kind) { return text_.newRegister(kind); }

  void begin() {
    const auto special = [&](std::string_view name) {
      const std::string result = fresh(Kind::B32);
      emit("mov.u32 {}, {}", result, name);
      return result;
    };
    x_ = special("%tid.x");
    y_ = special("%tid.y");
    z_ = special("%tid.z");
    const bool asConstants = random_.percent(40);
    const std::string nx = asConstants ? std::to_string(plan_.block[0]) : special("%ntid.x");
    const std::string ny = asConstants ? std::to_string(plan_.block[1]) : special("%ntid.y");
    if (plan_.block[1] * plan_.block[2] == 1 && random_.percent(60)) {
      linear_ = x_;
      return;
    }
    linear_ = fresh(Kind::B32);
    if (plan_.block[2] == 1 && random_.percent(60)) {
      emit("mad.lo.u32 {}, {}, {}, {}", linear_, y_, nx, x_);
      return;
    }
    const std::string rows = fresh(Kind::B32);
    emit("mad.lo.u32 {}, {}, {}, {}", rows, z_, ny, y_);
    emit("mad.lo.u32 {}, {}, {}, {}", linear_, rows, nx, x_);
  }

  std::size_t putOut() {
    putOutOfLeader("");
    return emit("st.global.u32 [{}], {}", out_, sum_);
  }
  void putOutOfLeader(const std::string& guard) {
    if (ofLeaders_.empty()) return;
    emit("{}red.global.add.u32 [{}], {}", guard, ofLeaders_, sumOfLeader_);
    emit("{}red.global.or.b32 [{}+4], {}", guard, ofLeaders_, bitsOfLeader_);
  }

  // ---- values -----------------------------------------------------------------------------------

  std::string value(const ValuePtr& wanted) {
    const Value& v = *wanted;
    switch (v.op) {
      case Value::Op::Constant:
        return std::to_string(v.constant);
      case Value::Op::TidX:
        return x_;
      case Value::Op::TidY:
        return y_;
      case Value::Op::TidZ:
        return z_;
      case Value::Op::Linear:
        return linear_;
      case Value::Op::Rounds:
        return rounds_;
      case Value::Op::Induction:
        return inductions_[v.loop][v.constant];
      default:
        break;
    }
    for (const auto& scope : scopes_) {
      const auto found = scope.find(wanted);
      if (found != scope.end() && random_.percent(70)) return found->second;
    }
    const std::string result = compute(v);
    if (!dependsOnLoop(v)) scopes_.back()[wanted] = result;
    return result;
  }

  static bool isLeaf(const Value& v) { return v.op <= Value::Op::Rounds; }
  static bool dependsOnLoop(const Value& v) {
    if (v.op == Value::Op::Induction) return true;
    return (v.a && dependsOnLoop(*v.a)) || (v.b && dependsOnLoop(*v.b));
  }

  std::string inRegister(const ValuePtr& v) {
    const std::string text = value(v);
    if (text.front() == '%') return text;
    const std::string result = fresh(Kind::B32);
    emit("mov.u32 {}, {}", result, text);
    return result;
  }

  std::string compute(const Value& v) {
    const std::string a = inRegister(v.a);
    const std::string result = fresh(Kind::B32);
    const bool isPower = v.b->op == Value::Op::Constant && std::has_single_bit(v.b->constant);
    const auto shift = [&] { return std::countr_zero(v.b->constant); };
    if (v.op == Value::Op::Select) {
      const std::string is = fresh(Kind::Pred);
      const std::string b = value(v.b);
      emit("setp.ne.u32 {}, {}, 0", is, a);
      emit("selp.b32 {}, {}, {}, {}", result, b, v.constant, is);
      return result;
    }
    // a * b + c in one instruction
    if (v.op == Value::Op::Add && v.a->op == Value::Op::Multiply && random_.percent(50)) {
      const std::string c = value(v.b);
      const std::string factor = inRegister(v.a->a);
      const std::string other = value(v.a->b);
      emit("mad.lo.s32 {}, {}, {}, {}", result, factor, other, c);
      return result;
    }
    const std::string b = value(v.b);
    switch (v.op) {
      case Value::Op::Add:
        emit("add.{}32 {}, {}, {}", random_.percent(50) ? "s" : "u", result, a, b);
        break;
      case Value::Op::Subtract:
        emit("sub.s32 {}, {}, {}", result, a, b);
        break;
      case Value::Op::Multiply:
        if (isPower && random_.percent(60)) {
          emit("shl.b32 {}, {}, {}", result, a, shift());
        } else if (isLeaf(*v.a) && random_.percent(10)) {
          emit("mul24.lo.u32 {}, {}, {}", result, a, b);
        } else {
          emit("mul.lo.{}32 {}, {}, {}", random_.percent(50) ? "s" : "u", result, a, b);
        }
        break;
      case Value::Op::Xor:
        emit("xor.b32 {}, {}, {}", result, a, b);
        break;
      case Value::Op::And:
        emit("and.b32 {}, {}, {}", result, a, b);
        break;
      case Value::Op::Or:
        emit("or.b32 {}, {}, {}", result, a, b);
        break;
      case Value::Op::ShiftRight:
        if (random_.percent(20)) {
          emit("bfe.u32 {}, {}, {}, 32", result, a, b);
        } else {
          emit("shr.{}32 {}, {}, {}", random_.percent(50) ? "s" : "u", result, a, b);
        }
        break;
      default:
        if (isPower && random_.percent(50)) {
          emit("and.b32 {}, {}, {}", result, a, v.b->constant - 1);
        } else {
          emit("rem.u32 {}, {}, {}", result, a, b);
        }
        break;
    }
    return result;
  }

  // A predicate, or its negation with '!'.
  std::string predicate(const Condition& condition) {
    const std::string own = comparison(condition);
    if (condition.leader == Condition::Leader::Anyone) return own;
    std::string elected = isElected(condition.election);
    if (condition.leader == Condition::Leader::NotElected) elected = negated(elected);
    const bool isBoth = condition.leader != Condition::Leader::OrElected;
    const std::string result = fresh(Kind::Pred);
    if (random_.percent(70)) {
      emit("{}.pred {}, {}, {}", isBoth ? "and" : "or", result, plain(own), plain(elected));
      return result;
    }
    emit("{}.pred {}, {}, {}", isBoth ? "or" : "and", result, plain(negated(own)),
         plain(negated(elected)));
    return "!" + result;
  }

  // Without '!'.
  std::string plain(const std::string& predicate) {
    if (predicate.front() != '!') return predicate;
    const std::string result = fresh(Kind::Pred);
    emit("not.pred {}, {}", result, predicate.substr(1));
    return result;
  }

  // How compilers and libraries pass on who was elected.
  struct Leader {
    std::string predicate;
    std::string flag;         // a number, where there is one
    bool isInverted = false;  // 0 for the leader
  };

  void elect(const Statement& s) {
    Leader& leader = leaders_[s.election];
    leader = {fresh(Kind::Pred), "", false};
    std::string mask = random_.percent(50) ? fmt::format("{:#x}", s.mask)
                                           : std::to_string(static_cast<std::int32_t>(s.mask));
    if (random_.percent(30)) {
      const std::string number = fresh(Kind::B32);
      emit("mov.b32 {}, {}", number, mask);
      mask = number;
    }
    const std::string lane = random_.percent(50) ? "_" : fresh(Kind::B32);
    const std::uint32_t desc = random_.below(7);
    if (desc >= 3) {
      leader.flag = fresh(Kind::B32);
      leader.isInverted = desc >= 5;
    }
    const bool isMoved = desc % 2 == 0;
    if (desc >= 3 && isMoved) emit("mov.u32 {}, {}", leader.flag, leader.isInverted ? 1 : 0);
    emit("elect.sync {}|{}, {}", lane, leader.predicate, mask);
    if (desc < 3) return;
    if (isMoved) {
      emit("@{} mov.s32 {}, {}", leader.predicate, leader.flag, leader.isInverted ? 0 : 1);
    } else {
      emit("selp.u32 {}, {}, {}, {}", leader.flag, leader.isInverted ? 0 : 1,
           leader.isInverted ? 1 : 0, leader.predicate);
    }
  }

  std::string isElected(std::uint32_t election) {
    const Leader& leader = leaders_[election];
    if (leader.flag.empty()) return leader.predicate;
    const std::string result = fresh(Kind::Pred);
    const bool isNotZero = random_.percent(60);
    emit("setp.{}.{}32 {}, {}, 0", isNotZero ? "ne" : "eq", random_.percent(50) ? "s" : "u", result,
         leader.flag);
    return (isNotZero == leader.isInverted ? "!" : "") + result;
  }

  std::string comparison(const Condition& condition) {
    using Test = Condition::Test;
    const std::string result = fresh(Kind::Pred);
    const bool turns = random_.percent(30);
    std::string_view test;
    switch (condition.test) {
      case Test::Equal:
        test = turns ? "ne.u32" : "eq.u32";
        break;
      case Test::NotEqual:
        test = turns ? "eq.s32" : "ne.s32";
        break;
      case Test::Less:
        test = turns ? "ge.u32" : "lt.u32";
        break;
      case Test::GreaterEqual:
        test = turns ? "lt.u32" : "ge.u32";
        break;
    }
    emit("setp.{} {}, {}, {}", test, result, inRegister(condition.value), condition.bound);
    return (turns ? "!" : "") + result;
  }
  static std::string negated(const std::string& predicate) {
    return predicate.front() == '!' ? predicate.substr(1) : "!" + predicate;
  }

  // ---- accesses ---------------------------------------------------------------------------------

  struct Place {
    std::string space;
    std::string text;  // with brackets
  };

  Place placeOf(const Statement& s) {
    const Array& array = plan_.arrays[s.array];
    const std::string base = s.otherArray ? swappedBase(s) : bases_[s.array];
    const std::string plus = s.displacement == 0 ? "" : fmt::format("+{}", s.displacement);
    const bool isConstant = s.at->op == Value::Op::Constant;
    if (array.isShared()) {
      if (isConstant && base.front() != '%' && random_.percent(60)) {
        return {".shared", fmt::format("[{}+{}]", base, s.at->constant + s.displacement)};
      }
      std::string start = base;
      if (base.front() != '%') {
        start = fresh(Kind::B32);
        emit("mov.u32 {}, {}", start, base);
      }
      const std::string address = fresh(Kind::B32);
      if (s.at->op == Value::Op::Multiply && random_.percent(40)) {
        const std::string factor = inRegister(s.at->a);
        const std::string other = value(s.at->b);
        emit("mad.lo.s32 {}, {}, {}, {}", address, factor, other, start);
      } else {
        emit("add.s32 {}, {}, {}", address, start, value(s.at));
      }
      if (random_.percent(92)) return {".shared", fmt::format("[{}{}]", address, plus)};
      const std::string wide = fresh(Kind::B64);
      const std::string generic = fresh(Kind::B64);
      emit("cvt.u64.u32 {}, {}", wide, address);
      emit("cvta.shared.u64 {}, {}", generic, wide);
      return {"", fmt::format("[{}{}]", generic, plus)};
    }
    const std::string address = fresh(Kind::B64);
    const std::string wide = fresh(Kind::B64);
    if (s.at->op == Value::Op::Multiply && random_.percent(60)) {
      const std::string factor = inRegister(s.at->a);
      const std::string other = value(s.at->b);
      emit("mul.wide.s32 {}, {}, {}", wide, factor, other);
    } else {
      emit("cvt.s64.s32 {}, {}", wide, inRegister(s.at));
    }
    emit("add.s64 {}, {}, {}", address, base, wide);
    return {".global", fmt::format("[{}{}]", address, plus)};
  }

  // The array of this round: two registers that a loop swaps.
  std::string swappedBase(const Statement& s) {
    return swapped_[s.loop].at({s.array, *s.otherArray});
  }

  void mix(const std::string& word) { emit("mad.lo.u32 {}, {}, 0x9e3779b1, {}", sum_, sum_, word); }

  void access(const Statement& s) {
    std::string guard;
    if (s.condition) guard = fmt::format("@{} ", predicate(*s.condition));
    const Place place = placeOf(s);
    if (s.isByLeader) return accessByLeader(s, guard, place);
    if (s.does == Does::Add) {
      emit("{}red{}.add.u32 {}, {}", guard, place.space, place.text, sum_);
      return;
    }
    if (s.does == Does::Write) return store(s, guard, place);
    const auto load = [&](std::string_view type, const std::string& to) {
      emit("{}ld{}.{} {}, {}", guard, place.space, type, to, place.text);
    };
    std::vector<std::string> words;
    const auto word = [&] {
      words.push_back(fresh(Kind::B32));
      // Who does not load has something in it as well.
      if (!guard.empty()) emit("mov.u32 {}, 0", words.back());
      return words.back();
    };
    switch (s.width) {
      case 1:
        load("u8", word());
        break;
      case 2:
        load("s16", word());
        break;
      case 4:
        load("u32", word());
        break;
      case 8: {
        const std::string first = word();
        load("v2.u32", fmt::format("{{{}, {}}}", first, word()));
        break;
      }
      default: {
        const std::string first = word();
        const std::string second = word();
        const std::string third = word();
        load("v4.u32", fmt::format("{{{}, {}, {}, {}}}", first, second, third, word()));
        break;
      }
    }
    for (const std::string& each : words) mix(each);
  }

  // Of one word.
  void accessByLeader(const Statement& s, const std::string& guard, const Place& place) {
    const auto number = static_cast<std::uint32_t>(random_.next());
    if (random_.percent(8)) emit("{}membar.{}", guard, random_.percent(50) ? "gl" : "cta");
    if (s.does != Does::Read) {
      const std::string data = fresh(Kind::B32);
      emit("mov.u32 {}, {:#x}", data, number);
      const std::string_view what = s.does == Does::Add ? "red" : "st";
      emit("{}{}{}.{}u32 {}, {}", guard, what, place.space, s.does == Does::Add ? "add." : "",
           place.text, data);
      return;
    }
    const std::string word = fresh(Kind::B32);
    if (!guard.empty()) emit("mov.u32 {}, 0", word);
    emit("{}ld{}.u32 {}, {}", guard, place.space, word, place.text);
    // Two threads may read, or one that is both.
    if (s.condition && s.condition->leader == Condition::Leader::OrElected) {
      emit("or.b32 {}, {}, {}", bitsOfLeader_, bitsOfLeader_, word);
    } else {
      emit("mad.lo.u32 {}, {}, {:#x}, {}", sumOfLeader_, word, number | 1, sumOfLeader_);
    }
  }

  void store(const Statement& s, const std::string& guard, const Place& place) {
    // The sum of a moment ago is a value that has not been there before; it is turned, so that what
    // is read back does not cancel it.
    const std::string v = fresh(Kind::B32);
    emit("shf.l.wrap.b32 {}, {}, {}, {}", v, sum_, sum_, 5 + random_.below(22));
    emit("xor.b32 {}, {}, {:#x}", v, v, static_cast<std::uint32_t>(random_.next()));
    constexpr std::string_view kTypes[] = {"u8", "u16", "u32", "v2.u32", "v4.u32"};
    std::string data = v;
    if (s.width == 2) {
      data = fresh(Kind::B16);
      emit("cvt.u16.u32 {}, {}", data, v);
    } else if (s.width >= 8) {
      const std::string w = fresh(Kind::B32);
      emit("mul.lo.u32 {}, {}, 0x85ebca6b", w, v);
      data = s.width == 8 ? fmt::format("{{{}, {}}}", v, w)
                          : fmt::format("{{{0}, {1}, {1}, {0}}}", v, w);
    }
    const std::string_view type = kTypes[std::countr_zero(s.width)];
    emit("{}st{}.{} {}, {}", guard, place.space, type, place.text, data);
  }

  // ---- statements -------------------------------------------------------------------------------

  void barrier(const Statement& s) {
    constexpr std::string_view kSpellings[] = {
        "bar.sync 0", "bar.sync 0", "bar.sync 0", "barrier.sync 0", "barrier.sync.aligned 0",
        "bar.sync 1"};
    std::string guard;
    if (s.condition) guard = fmt::format("@{} ", predicate(*s.condition));
    const std::size_t line = text_.emit(guard + std::string(random_.pick(kSpellings)));
    if (s.isNeeded) text_.annotate(line, RandomKernel::kNeededBarrier);
  }

  // The two arrays that accesses in the loop swap.
  void findSwaps(const Sequence& sequence, const Statement& loop) {
    for (const auto& s : sequence.statements) {
      if (s->kind == Statement::Kind::Access && s->otherArray && s->loop == loop.loop) {
        swapped_[loop.loop].emplace(std::pair{s->array, *s->otherArray}, "");
      }
      findSwaps(s->first, loop);
      findSwaps(s->second, loop);
    }
  }

  void startInductions(const Statement& s) {
    std::vector<std::string>& registers = inductions_[s.loop];
    registers.clear();
    for (const Induction& induction : s.inductions) {
      const std::string start = value(induction.start);
      registers.push_back(fresh(Kind::B32));
      emit("mov.u32 {}, {}", registers.back(), start);
    }
    swapped_[s.loop].clear();
    findSwaps(s.first, s);
    findSwaps(s.second, s);
    others_.clear();
    for (auto& [arrays, name] : swapped_[s.loop]) {
      const bool isShared = plan_.arrays[arrays.first].isShared();
      const Kind kind = isShared ? Kind::B32 : Kind::B64;
      const std::string_view type = isShared ? "u32" : "u64";
      name = fresh(kind);
      const std::string other = fresh(kind);
      emit("mov.{} {}, {}", type, name, bases_[arrays.first]);
      emit("mov.{} {}, {}", type, other, bases_[arrays.second]);
      others_[name] = other;
    }
  }

  void stepInductions(const Statement& s, const std::map<std::string, std::string>& others) {
    for (std::size_t k = 0; k < s.inductions.size(); ++k) {
      const std::string& name = inductions_[s.loop][k];
      emit("{} {}, {}, {}", s.inductions[k].isXor ? "xor.b32" : "add.s32", name, name,
           s.inductions[k].step);
    }
    for (const auto& [arrays, name] : swapped_[s.loop]) {
      const bool isShared = plan_.arrays[arrays.first].isShared();
      const std::string_view type = isShared ? "u32" : "u64";
      const std::string was = fresh(isShared ? Kind::B32 : Kind::B64);
      const std::string& other = others.at(name);
      emit("mov.{} {}, {}", type, was, name);
      emit("mov.{} {}, {}", type, name, other);
      emit("mov.{} {}, {}", type, other, was);
    }
  }

  void loop(Statement& s) {
    const std::string head = text_.newLabel();
    const std::string done = text_.newLabel();
    startInductions(s);
    const auto others = others_;
    const std::string again = fresh(Kind::Pred);
    const bool isLeave = s.kind == Statement::Kind::Leave;
    const bool strides = s.kind == Statement::Kind::StrideLoop;
    const bool testsFirst = strides || isLeave || random_.percent(40);
    // A counter of its own, unless an address tells the round.
    std::string counter;
    std::string bound;
    if (strides) {
      counter = inductions_[s.loop][0];
      bound = std::to_string(s.bound);
    } else {
      counter = fresh(Kind::B32);
      emit("mov.u32 {}, 0", counter);
      bound = isLeave               ? value(s.condition->value)
              : s.countsToParameter ? rounds_
                                    : std::to_string(s.rounds);
    }
    text_.label(head);
    if (testsFirst) {
      emit("setp.{}.u32 {}, {}, {}", isLeave ? "eq" : "ge", again, counter, bound);
      emit("@{} bra {}", again, done);
    }
    sequence(s.first);
    stepInductions(s, others);
    if (!strides) emit("add.u32 {}, {}, 1", counter, counter);
    if (testsFirst) {
      emit("bra {}", head);
      text_.label(done);
    } else {
      emit("setp.lt.u32 {}, {}, {}", again, counter, bound);
      emit("@{} bra {}", again, head);
    }
    if (isLeave) sequence(s.second);
  }

  void when(Statement& s) {
    const std::string condition = predicate(*s.condition);
    const std::string otherwise = text_.newLabel();
    const std::string join = text_.newLabel();
    const bool hasOther = !s.second.statements.empty();
    emit("@{} bra {}", negated(condition), hasOther ? otherwise : join);
    sequence(s.first);
    if (hasOther) {
      emit("bra {}", join);
      text_.label(otherwise);
      sequence(s.second);
    }
    text_.label(join);
  }

  void skip(Statement& s) {
    const std::string target = text_.newLabel();
    emit("@{} bra {}", predicate(*s.condition), target);
    sequence(s.first);
    text_.label(target);
    sequence(s.second);
  }

  void exit(const Statement& s) {
    mayEndEarly_ = true;
    const std::string condition = predicate(*s.condition);
    const std::string_view ends = random_.percent(60) ? "ret" : "exit";
    if (!s.putsOut) {
      putOutOfLeader(fmt::format("@{} ", condition));
      emit("@{} exit", condition);
      return;
    }
    const std::string stays = text_.newLabel();
    emit("@{} bra {}", negated(condition), stays);
    putOut();
    text_.emit(std::string(ends));
    text_.label(stays);
  }

  void call(const Statement& s) {
    mayEndEarly_ = true;
    text_.raw("  {");
    text_.emit(".param .b32 p0");
    text_.emit(".param .b32 p1");
    text_.emit(".param .b32 back");
    emit("st.param.b32 [p0], {}", sum_);
    emit("st.param.b32 [p1], {}", rounds_);
    emit("call.uni (back), {}_f{}, (p0, p1)", frame_.prefix, s.callee);
    emit("ld.param.b32 {}, [back]", sum_);
    text_.raw("  }");
  }

  void write(Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Access:
        return access(s);
      case Statement::Kind::Barrier:
        return barrier(s);
      case Statement::Kind::When:
        return when(s);
      case Statement::Kind::Loop:
      case Statement::Kind::StrideLoop:
      case Statement::Kind::Leave:
        return loop(s);
      case Statement::Kind::Skip:
        return skip(s);
      case Statement::Kind::Exit:
        return exit(s);
      case Statement::Kind::Call:
        return call(s);
      case Statement::Kind::Elect:
        return elect(s);
    }
  }

  Plan& plan_;
  const PlanFrame& frame_;
  Random& random_;
  KernelText text_;
  std::vector<std::map<ValuePtr, std::string>> scopes_;
  std::vector<std::vector<std::string>> inductions_;                                 // by loop
  std::vector<std::map<std::pair<std::size_t, std::size_t>, std::string>> swapped_;  // by loop
  std::map<std::string, std::string> others_;  // the partner of a swapped register
  std::vector<Leader> leaders_;                // by election
  std::string ofLeaders_, sumOfLeader_, bitsOfLeader_;
  std::vector<std::string> bases_;  // of arrays: a name or a register
  bool mayEndEarly_ = false;
  std::string x_, y_, z_, linear_, rounds_, sum_, out_, cta_;
};

void append(std::string& to, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) to += line + "\n";
}

}  // namespace

RandomKernel write(Plan& plan, const PlanFrame& frame, Random& random) {
  RandomKernel kernel;
  kernel.name = frame.prefix;
  std::string& text = kernel.definitions;
  std::vector<std::string> inEntry;
  std::string parameters = ".param .u64 out, .param .u32 n";
  std::string arguments;
  std::uint64_t dynamic = 0;
  std::map<std::size_t, std::size_t> buffers;  // region -> argument
  std::size_t count = 2;
  bool isAliased = false;
  for (const Array& array : plan.arrays) {
    switch (array.where) {
      case Array::Where::Shared: {
        const std::string declaration =
            fmt::format(".shared .align 16 .b8 {}[{}];", array.name, (array.size + 3) / 4 * 4);
        if (random.percent(50) && plan.callees.empty()) {
          inEntry.push_back("  " + declaration);
        } else {
          text += declaration + "\n";
        }
        break;
      }
      case Array::Where::DynamicShared:
        text += fmt::format(".extern .shared .align 16 .b8 {}[];\n", array.name);
        dynamic = plan.regionBytes[array.region];
        break;
      case Array::Where::Variable:
        text += fmt::format(".global .align 16 .b8 {}[{}];\n", array.name,
                            plan.regionBytes[array.region] * frame.ctas);
        break;
      case Array::Where::Parameter: {
        parameters += fmt::format(", .param .u64 {}", array.name);
        const auto [known, isNew] = buffers.emplace(array.region, count++);
        if (isNew) {
          arguments += fmt::format(", \"buffer:{}:random:u32:{}\"",
                                   plan.regionBytes[array.region] * frame.ctas, array.region);
        } else {
          isAliased = true;
          arguments += fmt::format(", \"values:u64:&arg{}+{}\"", known->second, array.offset);
        }
        break;
      }
    }
  }

  for (std::size_t k = 0; k < plan.callees.size(); ++k) {
    Body body(plan, frame, random);
    body.beginFunction();
    body.sequence(*plan.callees[k]);
    body.endFunction();
    text += fmt::format(".func (.param .b32 back) {}_f{}(.param .b32 sum, .param .b32 n)\n{{\n",
                        frame.prefix, k);
    append(text, body.text().declarations());
    append(text, body.text().lines());
    text += "}\n";
  }

  Body body(plan, frame, random);
  body.beginEntry();
  body.sequence(plan.body);
  body.end();
  text += fmt::format(".visible .entry {}({})\n", kernel.name, parameters);
  if (frame.statesBlock) {
    text += fmt::format(".reqntid {}, {}, {}\n", plan.block[0], plan.block[1], plan.block[2]);
  } else if (frame.statesSize) {
    text += fmt::format(".maxntid {}, 1, 1\n", plan.threads());
  }
  text += "{\n";
  append(text, body.text().declarations());
  append(text, inEntry);
  append(text, body.text().lines());
  text += "}\n";
  kernel.launch = fmt::format(
      "// LAUNCH: {{\"kernel\": \"{}\", \"grid\": [{}], \"block\": [{}, {}, {}], \"shared\": {}, "
      "\"args\": [\"buffer:{}\", \"u32:{}\"{}]}}",
      kernel.name, frame.ctas, plan.block[0], plan.block[1], plan.block[2], dynamic,
      plan.threads() * frame.ctas * 4 + (plan.elections != 0 ? 8 : 0), plan.rounds, arguments);
  kernel.guarantees = {
      "assume-drf",
      "noalias-variables",
      "nc-invariant",
      "relax-trap",
      "relax-timing",
      fmt::format("block-dim={},{},{}", plan.block[0], plan.block[1], plan.block[2])};
  if (!isAliased) kernel.guarantees.push_back("noalias-params");
  return kernel;
}

}  // namespace ptxopt::fuzz
