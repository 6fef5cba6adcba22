// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "async_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

#include "async_writer.h"
#include "generator.h"

namespace ptxopt::fuzz::async {

namespace {

constexpr std::array<const char*, 8> kBarriers = {"bar.sync 0;",
                                                  "bar.sync 0;",
                                                  "bar.sync 0;",
                                                  "bar.sync 0, {};",
                                                  "barrier.sync.aligned 0;",
                                                  "barrier.sync 0;",
                                                  "barrier.cta.sync 0;",
                                                  "bar.cta.sync 0;"};
constexpr std::array<const char*, 3> kFences = {
    "fence.proxy.async.shared::cta;", "fence.proxy.async;", "fence.proxy.async.shared::cta;"};

}  // namespace

// ---- operands -----------------------------------------------------------------------------------

Writer::Number Writer::roundOf(const Step& step) {
  if (!step.round.isOfLoop) return {step.round.shift, ""};
  if (step.round.shift == 0) return {std::nullopt, counter_};
  const std::string sum = newWord();
  emit("add.u32 {}, {}, {};", sum, counter_, step.round.shift);
  return {std::nullopt, sum};
}

Writer::Number Writer::remainder(const Number& number, std::uint32_t divisor) {
  if (divisor == 1) return {0, ""};
  if (number.constant) return {*number.constant % divisor, ""};
  const std::string result = newWord();
  if (std::has_single_bit(divisor)) {
    emit("and.b32 {}, {}, {};", result, number.name, divisor - 1);
  } else {
    emit("rem.u32 {}, {}, {};", result, number.name, divisor);
  }
  return {std::nullopt, result};
}

Writer::Number Writer::quotient(const Number& number, std::uint32_t divisor) {
  if (divisor == 1) return number;
  if (number.constant) return {*number.constant / divisor, ""};
  const std::string result = newWord();
  if (std::has_single_bit(divisor)) {
    emit("shr.u32 {}, {}, {};", result, number.name, std::countr_zero(divisor));
  } else {
    emit("div.u32 {}, {}, {};", result, number.name, divisor);
  }
  return {std::nullopt, result};
}

std::string Writer::threadPart(const Address& address, std::string& pitch) {
  pitch = std::to_string(address.pitch);
  const std::string word = newWord();
  switch (address.form) {
    case Address::Form::Uniform:
      return "";
    case Address::Form::Own:
      return "%t";
    case Address::Form::Reverse:
      emit("sub.u32 {}, {}, %t;", word, plan_.threads - 1);
      return word;
    case Address::Form::Rotate:
      emit("add.u32 {}, %t, {};", word, address.by);
      emit("and.b32 {0}, {0}, {1};", word, plan_.threads - 1);
      return word;
    case Address::Form::InWarp: {
      const std::string first = newWord();
      emit("add.u32 {}, %t, {};", word, address.by);
      emit("and.b32 {0}, {0}, 31;", word);
      emit("and.b32 {}, %t, -32;", first);
      emit("or.b32 {0}, {0}, {1};", word, first);
      return word;
    }
    case Address::Form::Lane:
      emit("and.b32 {}, %t, 31;", word);
      return word;
    case Address::Form::Swizzle: {
      const std::string flip = newWord();
      emit("shl.b32 {}, %t, 4;", word);
      emit("shl.b32 {}, %t, 1;", flip);
      emit("and.b32 {0}, {0}, 112;", flip);
      emit("xor.b32 {0}, {0}, {1};", word, flip);
      pitch = "1";
      return word;
    }
  }
  return "";
}

std::string Writer::address(std::size_t array, const Address& address, const Step& step) {
  const Number stage =
      address.stages == 1 ? Number{0, ""} : remainder(roundOf(step), address.stages);
  std::string pitch;
  const std::string part = threadPart(address, pitch);
  const std::uint32_t fixed =
      address.offset + (stage.constant ? *stage.constant * address.stageBytes : 0);
  const std::string& name = plan_.arrays[array].name;
  if (part.empty() && stage.constant && random_.percent(50))
    return fmt::format("{}+{}", name, fixed);
  const std::string result = newWord();
  emit("mov.u32 {}, {};", result, name);
  if (!part.empty()) emit("mad.lo.u32 {0}, {1}, {2}, {0};", result, part, pitch);
  if (!stage.constant) {
    emit("mad.lo.u32 {0}, {1}, {2}, {0};", result, stage.name, address.stageBytes);
  }
  return fmt::format("{}+{}", result, fixed);
}

std::string Writer::object(const Step& step) {
  const Number number = remainder(roundOf(step), step.objects);
  const std::string& name = plan_.mbarriers[step.object].name;
  if (number.constant && random_.percent(50))
    return fmt::format("{}+{}", name, *number.constant * 8);
  const std::string result = newWord();
  emit("mov.u32 {}, {};", result, name);
  if (number.constant) return fmt::format("{}+{}", result, *number.constant * 8);
  emit("mad.lo.u32 {0}, {1}, 8, {0};", result, number.name);
  return result;
}

// Where a copy reads; `perThread`: bytes from one thread to the next.
std::string Writer::source(const Step& step, const std::string& perThread) {
  const Number round = remainder(roundOf(step), 4);
  const std::string result = newLong();
  if (round.constant) {
    emit("add.u64 {}, %in, {};", result, *round.constant * kShift);
  } else {
    emit("mad.wide.u32 {}, {}, {}, %in;", result, round.name, kShift);
  }
  if (!perThread.empty()) emit("mad.wide.u32 {0}, %t, {1}, {0};", result, perThread);
  return fmt::format("{}+{}", result, step.place);
}

std::string Writer::tensorColumn(const Step& step, const std::string& base) {
  const std::string result = newWord();
  emit("add.u32 {}, {}, {};", result, base, step.column);
  return result;
}

std::string Writer::descriptor(const std::string& address, std::uint32_t offset,
                               const char* strides) {
  const std::string at = newWord();
  const std::string result = newLong();
  emit("add.u32 {}, {}, {};", at, address, offset);
  emit("bfe.u32 {0}, {0}, 4, 14;", at);
  emit("cvt.u64.u32 {}, {};", result, at);
  emit("or.b64 {0}, {0}, {1};", result, strides);
  return result;
}

std::string Writer::registerOf(const Step& step) {
  const std::string place = address(step.array, step.at, step);
  const std::string result = newWord();
  const std::size_t plus = place.find('+');
  if (place.front() == '%') {
    emit("add.u32 {}, {}, {};", result, place.substr(0, plus), place.substr(plus + 1));
  } else {
    emit("mov.u32 {}, {};", result, place);
  }
  return result;
}

// ---- who ----------------------------------------------------------------------------------------

std::string Writer::definePredicate(const Who& who) {
  const std::string result = newPredicate();
  const auto in = [&](std::uint32_t first, std::uint32_t last) {
    if (last == first + 1) {
      setup_ += fmt::format("\tsetp.eq.u32 {}, %w, {};\n", result, first);
      return;
    }
    const std::string word = newWord();
    setup_ += fmt::format("\tsub.u32 {}, %w, {};\n", word, first);
    setup_ += fmt::format("\tsetp.lt.u32 {}, {}, {};\n", result, word, last - first);
  };
  const auto and_ = [&](const std::string& other) {
    setup_ += fmt::format("\tand.pred {0}, {0}, {1};\n", result, other);
  };
  switch (who.kind) {
    case Who::Kind::All:
      break;
    case Who::Kind::Thread:
      setup_ += fmt::format("\tsetp.eq.u32 {}, %t, {};\n", result, who.first);
      break;
    case Who::Kind::Below:
      setup_ += fmt::format("\tsetp.lt.u32 {}, %t, {};\n", result, who.first);
      break;
    case Who::Kind::Warps:
      in(who.first, who.last);
      break;
    case Who::Kind::FirstLanes: {
      in(who.first, who.last);
      const std::string lane = newWord();
      const std::string isFirst = newPredicate();
      setup_ +=
          fmt::format("\tand.b32 {}, %t, 31;\n\tsetp.eq.u32 {}, {}, 0;\n", lane, isFirst, lane);
      and_(isFirst);
      break;
    }
    case Who::Kind::Elected: {
      in(who.first, who.first + 1);
      const std::string isElected = newPredicate();
      setup_ += fmt::format("\telect.sync _|{}, 0xffffffff;\n", isElected);
      and_(isElected);
      break;
    }
  }
  return result;
}

std::string Writer::predicateOf(const Who& who) {
  if (who.kind == Who::Kind::All || (arm_ && *arm_ == who)) return "";
  if (who.kind == Who::Kind::Warps && who.first == 0 && who.last == plan_.warps()) return "";
  const auto found = predicatesOf_.find(who);
  if (found != predicatesOf_.end()) return found->second;
  return predicatesOf_[who] = definePredicate(who);
}

std::string Writer::guardOf(const Step& step) {
  const std::string who = predicateOf(step.who);
  if (!step.onlyBelow) return who;
  const std::string below = newPredicate();
  const Number round = roundOf(step);
  if (round.constant && plan_.roundsAreConstant) {
    emit("setp.lt.u32 {}, %zero, {};", below, *round.constant < plan_.rounds ? 1 : 0);
  } else if (round.constant) {
    emit("setp.gt.u32 {}, %n, {};", below, *round.constant);
  } else {
    emit("setp.lt.u32 {}, {}, %n;", below, round.name);
  }
  if (!who.empty()) emit("and.pred {0}, {0}, {1};", below, who);
  return below;
}

// ---- plain accesses and synchronisation ---------------------------------------------------------

void Writer::mix(const std::string& word) {
  emit("mad.lo.u32 %acc, %acc, 31, {};", word);
}

void Writer::plain(const Step& step) {
  const std::string at = address(step.array, step.at, step);
  if (step.op == Op::Store) {
    if (step.width == 16) {
      const std::string other = newWord();
      emit("xor.b32 {}, %acc, {};", other, random_.below(1000));
      emit("{0}st.shared.v4.u32 [{1}], {{%acc, {2}, %acc, {2}}};", guard_, at, other);
    } else {
      emit("{}st.shared.u32 [{}], %acc;", guard_, at);
    }
    return;
  }
  std::array<std::string, 4> words;
  for (std::string& word : words) {
    word = newWord();
    if (!guard_.empty()) emit("mov.u32 {}, 0;", word);
    if (step.width == 4) break;
  }
  if (step.width == 16) {
    emit("{}ld.shared.v4.u32 {{{}, {}, {}, {}}}, [{}];", guard_, words[0], words[1], words[2],
         words[3], at);
    for (const std::string& word : words) mix(word);
  } else {
    emit("{}ld.shared.u32 {}, [{}];", guard_, words[0], at);
    mix(words[0]);
  }
}

bool Writer::synchronisation(const Step& step) {
  switch (step.op) {
    case Op::Barrier: {
      if (plan_.hasTensorMemory && random_.percent(70)) emit("tcgen05.fence::before_thread_sync;");
      std::string line = fmt::format(fmt::runtime(kBarriers[step.spelling % 8]), plan_.threads);
      if (step.isNeeded) line += " " + std::string(RandomKernel::kNeededBarrier);
      emit("{}", line);
      if (plan_.hasTensorMemory && random_.percent(70)) emit("tcgen05.fence::after_thread_sync;");
      return true;
    }
    case Op::NamedBarrier:
      // One for each set of warps: they may be at different ones at a time.
      emit("{}bar.sync {}, {};", guard_,
           barriersOf_.try_emplace(step.who, barriersOf_.size() + 1).first->second,
           (step.who.last - step.who.first) * kWarp);
      return true;
    case Op::ClusterBarrier:
      emit("barrier.cluster.arrive{};", step.spelling % 2 == 0 ? "" : ".aligned");
      emit("barrier.cluster.wait{};", step.spelling % 2 == 0 ? "" : ".aligned");
      return true;
    case Op::WarpSync:
      emit("{}bar.warp.sync 0xffffffff;", guard_);
      return true;
    case Op::Fence:
      emit("{}{}", guard_, kFences[step.spelling % 3]);
      return true;
    case Op::Note:
      emit("{}", step.text);
      return true;
    default:
      return false;
  }
}

// ---- mbarriers ----------------------------------------------------------------------------------

void Writer::test(const char* what, const Step& step, const std::string& done,
                  const std::string& at, const std::string& parity) {
  if (step.wait == Step::Wait::Token) {
    emit("mbarrier.{}.shared::cta.b64 {}, [{}], %k{};", what, done, at, step.token);
    return;
  }
  const bool isRelaxed = step.wait == Step::Wait::Relaxed;
  const char* order = isRelaxed ? ".relaxed.cta" : step.spelling == 1 ? ".acquire.cta" : "";
  emit("mbarrier.{}.parity{}.shared::cta.b64 {}, [{}], {}{};", what, order, done, at, parity,
       step.wait == Step::Wait::Hinted ? ", 100" : "");
}

void Writer::wait(const Step& step) {
  const std::string at = object(step);
  Number parity = quotient(roundOf(step), step.objects);
  const auto base = static_cast<std::uint32_t>(step.phaseBase) & 1;
  if (parity.constant) {
    parity.constant = (*parity.constant + base) & 1;
  } else {
    const std::string word = newWord();
    emit("add.u32 {}, {}, {};", word, parity.name, base);
    emit("and.b32 {0}, {0}, 1;", word);
    parity.name = word;
  }
  const std::string done = newPredicate();
  const std::string again = newLabel();
  const std::string end = newLabel();
  const char* what = step.wait == Step::Wait::TestLoop ? "test_wait" : "try_wait";
  if (step.wait == Step::Wait::PeekFirst) {
    test("test_wait", step, done, at, parity.text());
    emit("@{} bra {};", done, end);
  }
  const std::string tries = newWord();
  const bool endsEarly = step.wait == Step::Wait::TimeOut;
  if (endsEarly) emit("mov.u32 {}, {};", tries, random_.percent(60) ? 1 : 2 + random_.below(2));
  label(again);
  test(what, step, done, at, parity.text());
  if (endsEarly) {
    const std::string isLeft = newPredicate();
    emit("@{} bra {};", done, end);
    emit("sub.u32 {0}, {0}, 1;", tries);
    emit("setp.ne.u32 {}, {}, 0;", isLeft, tries);
    emit("@{} bra {};", isLeft, again);
  } else {
    emit("@!{} bra {};", done, again);
  }
  label(end);
  if (plan_.hasTensorMemory && random_.percent(70)) emit("tcgen05.fence::after_thread_sync;");
}

bool Writer::onMbarrier(const Step& step) {
  const std::string& name = plan_.mbarriers.empty() ? "" : plan_.mbarriers[step.object].name;
  switch (step.op) {
    case Op::Init:
      for (std::uint32_t k = 0; k < step.objects; ++k) {
        emit("{}mbarrier.init.shared::cta.b64 [{}+{}], {};", guard_, name, 8 * k,
             plan_.mbarriers[step.object].arrivals);
      }
      if (random_.percent(40)) emit("{}fence.mbarrier_init.release.cluster;", guard_);
      return true;
    case Op::Inval:
      for (std::uint32_t k = 0; k < step.objects; ++k) {
        emit("{}mbarrier.inval.shared::cta.b64 [{}+{}];", guard_, name, 8 * k);
      }
      return true;
    case Op::Wait:
      wait(step);
      return true;
    case Op::Arrive:
      emit("{}mbarrier.arrive{}.shared::cta.b64 {}, [{}]{};", guard_,
           step.isRelaxed ? ".relaxed.cta" : "",
           step.token == 0 ? "_" : fmt::format("%k{}", step.token), object(step),
           step.count == 1 ? "" : fmt::format(", {}", step.count));
      return true;
    case Op::ArriveExpect:
      emit("{}mbarrier.arrive.expect_tx.shared::cta.b64 _, [{}], {};", guard_, object(step),
           step.bytes);
      return true;
    case Op::Expect:
      emit("{}mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{}], {};", guard_, object(step),
           step.bytes);
      return true;
    default:
      return false;
  }
}

// ---- structure ----------------------------------------------------------------------------------

void Writer::loop(const Step& step) {
  const std::string outer = std::exchange(counter_, newWord());
  const std::string top = newLabel();
  const std::string end = newLabel();
  const std::string stop = newPredicate();
  const std::string bound = plan_.roundsAreConstant ? std::to_string(plan_.rounds) : "%n";
  const bool testsFirst = random_.percent(50);
  emit("mov.u32 {}, 0;", counter_);
  if (testsFirst) {
    label(top);
    emit("setp.ge.u32 {}, {}, {};", stop, counter_, bound);
    emit("@{} bra {};", stop, end);
  } else {
    emit("setp.ge.u32 {}, {}, {};", stop, counter_, bound);
    emit("@{} bra {};", stop, end);
    label(top);
  }
  write(step.first);
  emit("add.u32 {0}, {0}, 1;", counter_);
  if (testsFirst) {
    emit("bra {};", top);
  } else {
    emit("setp.lt.u32 {}, {}, {};", stop, counter_, bound);
    emit("@{} bra {};", stop, top);
  }
  label(end);
  counter_ = outer;
}

void Writer::branch(const Step& step) {
  const std::string other = newLabel();
  const std::string join = newLabel();
  const std::string condition = newPredicate();
  if (step.isOdd) {
    const std::string odd = newWord();
    emit("and.b32 {}, {}, 1;", odd, counter_);
    emit("setp.ne.u32 {}, {}, 0;", condition, odd);
  } else {
    emit("setp.gt.u32 {}, %n, {};", condition, step.count);
  }
  emit("@!{} bra {};", condition, other);
  write(step.first);
  if (!step.second.empty()) emit("bra {};", join);
  label(other);
  write(step.second);
  if (!step.second.empty()) label(join);
}

void Writer::roles(const Step& step) {
  const std::string other = newLabel();
  const std::string join = newLabel();
  emit("@!{} bra {};", predicateOf(step.who), other);
  arm_ = step.who;
  write(step.first);
  emit("bra {};", join);
  label(other);
  arm_ = warps(step.who.last, plan_.warps());
  write(step.second);
  arm_.reset();
  label(join);
}

void Writer::write(const Steps& steps) {
  for (const Step& step : steps) write(step);
}

void Writer::write(const Step& step) {
  if (step.op == Op::Loop) return loop(step);
  if (step.op == Op::If) return branch(step);
  if (step.op == Op::Roles) return roles(step);
  const std::string guard = guardOf(step);
  const bool branches = step.branches || step.op == Op::Wait;
  const std::string end = !guard.empty() && branches ? newLabel() : "";
  if (!end.empty()) emit("@!{} bra {};", guard, end);
  guard_ = guard.empty() || branches ? "" : "@" + guard + " ";
  if (!synchronisation(step) && !onMbarrier(step) && !copy(step) && !matrix(step) &&
      !tensor(step)) {
    plain(step);
  }
  if (!end.empty()) label(end);
}

void Writer::frame(const std::string& name, std::string& text) {
  text += fmt::format(".visible .entry {}(.param .u64 in, .param .u64 out, .param .u32 n{})\n",
                      name, plan_.boxRows == 0 ? "" : ", .param .align 64 .b8 map[128]");
  if (random_.percent(75)) text += fmt::format(".reqntid {}\n", plan_.threads);
  text += "{\n";
  for (const Array& array : plan_.arrays) {
    text += fmt::format("\t.shared .align 128 .b8 {}[{}];\n", array.name, array.bytes);
  }
  for (const Mbarriers& mbarriers : plan_.mbarriers) {
    text += fmt::format("\t.shared .align 8 .b64 {}[{}];\n", mbarriers.name, mbarriers.objects);
  }
  if (plan_.hasTensorMemory) text += "\t.shared .align 4 .b32 slot;\n";
  text += fmt::format("\t.reg .pred %p<{}>, %yes, %no;\n", predicates_ + 1);
  text += fmt::format("\t.reg .b32 %r<{}>, %t, %w, %acc, %n, %zero, %tm, %tl, %cta;\n", words_ + 1);
  text += fmt::format("\t.reg .b64 %d<{}>, %k<{}>, %in, %out, %sum, %map;\n", longs_ + 1,
                      plan_.tokens + 1);
  text += fmt::format("\t.reg .f32 %f<{}>;\n", floats_ + 1);
}

std::string Writer::kernel(const std::string& name) {
  write(plan_.steps);
  std::string text;
  frame(name, text);
  const auto line = [&](const std::string& content) { text += "\t" + content + "\n"; };
  line("ld.param.u64 %in, [in];");
  line("ld.param.u64 %out, [out];");
  line("ld.param.u32 %n, [n];");
  line("mov.u32 %t, %tid.x;");
  line("shr.u32 %w, %t, 5;");
  line("mov.u32 %cta, %ctaid.x;");
  line(fmt::format("mad.wide.u32 %out, %cta, {}, %out;", outBytesOf(plan_)));
  line("mad.wide.u32 %sum, %t, 4, %out;");
  line(fmt::format("add.u64 %out, %out, {};", 4 * plan_.threads));
  line("mov.u32 %zero, 0;");
  if (plan_.boxRows != 0) {
    line("mov.b64 %map, map;");
    line("cvta.param.u64 %map, %map;");
  }
  for (std::uint32_t k = 0; k < floats_; ++k) line(fmt::format("mov.f32 %f{}, 0f00000000;", k));
  line("setp.ne.u32 %yes, %zero, 1;");
  line("setp.eq.u32 %no, %zero, 1;");
  line("mad.lo.u32 %acc, %t, 77, 1234567;");
  text += setup_ + body_;
  line("st.global.u32 [%sum], %acc; " + std::string(RandomKernel::kNeededStore));
  line("ret;");
  return text + "}\n";
}

std::uint32_t outBytesOf(const Plan& plan) {
  return 4 * plan.threads + plan.outBytes;
}

std::string textOf(const Plan& plan, const std::string& name, Random& random) {
  return Writer(plan, random).kernel(name);
}

}  // namespace ptxopt::fuzz::async
