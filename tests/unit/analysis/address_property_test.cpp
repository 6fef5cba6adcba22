// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges and alias answers against what the interpreter computes.
//
// Random kernels compute addresses from thread ids, parameters and loaded numbers, and write each
// address to a log of their thread, next to an access to it that is never executed.  No number may
// lie outside of its range, and no two addresses may meet where the analysis says that they do not.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "analysis/addresses/alias.h"
#include "analysis/addresses/thread_addresses.h"
#include "analysis/barriers/conflict_witness.h"
#include "interp/launch.h"
#include "value_text.h"

namespace ptxopt::analysis {
namespace {

constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kLogBytes = 1024;  // of each thread: 64 entries of tag and number

class KernelText {
 public:
  // `wraps`: the addresses are wide, and made of sums of 32 bits that often wrap.
  explicit KernelText(std::uint32_t seed, bool wraps = false) : random_(seed), wraps_(wraps) {}

  std::string body() {
    text_ = R"(
      .reg .pred %p<20>; .reg .b32 %r<40>; .reg .b64 %rd<20>;
      ld.param.u64 %rd0, [log]; ld.param.u64 %rd1, [numbers]; ld.param.u32 %r10, [n];
      mov.u32 %r11, %tid.x; mov.u32 %r12, %tid.y; mov.u32 %r13, %ntid.x; mov.u32 %r14, %ctaid.x;
      mad.lo.u32 %r20, %r12, %r13, %r11;
      mul.wide.u32 %rd2, %r20, 4; add.u64 %rd1, %rd1, %rd2;
      mul.wide.u32 %rd2, %r20, 1024; add.u64 %rd0, %rd0, %rd2;
      ld.global.u32 %r15, [%rd1];
      ld.param.u32 %r21, [zero]; setp.ne.u32 %p19, %r21, 0;
      mov.u32 %r16, A; mov.u32 %r23, 0;
    )";
    for (int r = 0; r < 8; ++r) line("mov.u32 %r" + std::to_string(r) + ", " + source() + ";");
    for (int k = 0; k < 3; ++k) line("mov.u64 %rd" + std::to_string(10 + k) + ", 0;");
    statements(6);
    const bool hasBranch = one(2);
    if (hasBranch) {
      comparison("%p0");
      line(pick({"@%p0", "@!%p0"}) + " bra SKIP;");
    }
    const bool hasLoop = one(2);
    if (hasLoop) {
      line("mov.u32 %r22, 0; mov.u32 %r23, " + source() + ";");
      line("mov.u32 %r24, " + pick({"%ntid.x", "4", "1", "64", "-8", "12"}) + ";");
      line("LOOP:");
    }
    statements(3);
    if (hasLoop) line("add.u32 %r" + number(8) + ", %r23, " + source() + ";");
    access();
    statements(2);
    access();
    if (hasLoop) {
      line("add.u32 %r23, %r23, %r24;");
      line("add.u32 %r22, %r22, 1; setp.lt.u32 %p1, %r22, " + pick({"2", "5", "3"}) + ";");
      line("@%p1 bra LOOP;");
    }
    if (hasBranch) line("SKIP:");
    access();
    return text_;
  }

 private:
  bool one(unsigned outOf) { return random_() % outOf == 0; }
  std::string number(unsigned below) { return std::to_string(random_() % below); }
  std::string pick(std::vector<std::string> choices) { return choices[random_() % choices.size()]; }
  void line(const std::string& added) { text_ += "      " + added + "\n"; }

  std::string constant() {
    return pick({"0",    "1",  "2",  "3",          "4",          "5",         "7",   "8",
                 "12",   "16", "31", "32",         "63",         "64",        "255", "256",
                 "1023", "-1", "-4", "0x7fffffff", "0x80000000", "0x40000000"});
  }
  std::string small() { return pick({"0", "1", "2", "3", "4", "8", "16", "31", "32", "40"}); }
  // Thread ids more often than the rest.
  std::string source() {
    if (one(4)) return constant();
    if (one(2)) return "%r" + std::to_string(11 + random_() % 2);
    return "%r" + std::to_string(10 + random_() % 7);
  }
  std::string operand() { return one(2) ? "%r" + number(8) : source(); }
  std::string wide() { return "%rd" + std::to_string(10 + random_() % 3); }

  void comparison(const std::string& predicate) {
    const std::string type = pick({"u32", "s32"});
    line("setp." + pick({"lt", "le", "gt", "ge", "eq", "ne"}) + "." + type + " " + predicate +
         ", " + operand() + ", " + pick({constant(), operand()}) + ";");
  }

  // Warps, lanes and partners; of %r20, the linear id, too.
  void ofWarps(const std::string& target) {
    const std::string id = pick({"%r11", "%r11", "%r20", target});
    switch (random_() % 4) {
      case 0:
        return line("shr.u32 " + target + ", " + id + ", " + pick({"5", "5", "4", "3", "6"}) + ";");
      case 1:
        return line("xor.b32 " + target + ", " + id + ", " + pick({"1", "31", "5", "32"}) + ";");
      case 2:
        return line("and.b32 " + target + ", " + id + ", " +
                    pick({"31", "-32", "-2", "32", "63", "48"}) + ";");
      default:
        return line("div.u32 " + target + ", " + id + ", " + pick({"32", "16", "64", "24"}) + ";");
    }
  }

  void statements(unsigned count) {
    for (unsigned k = 0; k < count; ++k) statement();
  }

  void statement() {
    std::string guard;
    if (one(8)) {
      comparison("%p2");
      guard = one(2) ? "@%p2 " : "@!%p2 ";
    }
    const std::string& d = guard;
    const std::string r = " %r" + number(8) + ", ";
    switch (random_() % 16) {
      case 0:
      case 1:
        return line(d + "add.u32" + r + operand() + ", " + operand() + ";");
      case 2:
        return line(d + "sub.u32" + r + operand() + ", " + operand() + ";");
      case 3:
      case 4:
        return line(d + "mad.lo.u32" + r + operand() + ", " + small() + ", " + operand() + ";");
      case 5:
        return line(d + "mul.lo.u32" + r + operand() + ", " + operand() + ";");
      case 6:
        return line(d + "shl.b32" + r + operand() + ", " + small() + ";");
      case 7:
        return line(d + pick({"shr.u32", "shr.s32"}) + r + operand() + ", " + small() + ";");
      case 8:
        return line(d + pick({"and.b32", "or.b32", "xor.b32"}) + r + operand() + ", " + operand() +
                    ";");
      case 9:
        comparison("%p3");
        return line(d + "selp.b32" + r + operand() + ", " + operand() + ", %p3;");
      case 10:
        return line(d + pick({"min.u32", "max.s32", "min.s32", "max.u32"}) + r + operand() + ", " +
                    operand() + ";");
      case 11:
        return line(d + pick({"bfe.u32", "bfe.s32"}) + r + operand() + ", " + small() + ", " +
                    small() + ";");
      case 12:
        return line(d + pick({"rem.u32", "div.u32", "rem.s32", "div.s32"}) + r + operand() + ", " +
                    pick({"3", "8", "64"}) + ";");
      case 13:
        return line(d + pick({"mul.wide.u32 ", "mul.wide.s32 "}) + wide() + ", " + operand() +
                    ", " + small() + ";");
      case 14:
        return line(d + pick({"cvt.u64.u32 ", "cvt.s64.s32 "}) + wide() + ", %r" + number(8) + ";");
      default:
        return line(d + pick({"add.u64 ", "sub.u64 "}) + wide() + ", " + wide() + ", " + wide() +
                    ";");
    }
  }

  // The access, which is never executed, and the log.
  void access() {
    const std::string tag = std::to_string(tags_++);
    const std::string size = pick({"u8", "u32", "u64"});
    if (wraps_) {
      const std::string address = wrappingAddress();
      line("@%p19 st.global." + size + " [" + address + "], 0;");
      line("mov.u64 %rd3, " + address + ";");
    } else if (one(4)) {
      const std::string address = wide();
      if (!one(3)) {
        const std::string index = "%r" + number(8);
        line("add.u32 " + index + ", " + pick({"%r20", "%r11"}) + ", " + source() + ";");
        line(pick({"mul.wide.u32 ", "mul.wide.s32 "}) + address + ", " + index + ", " +
             pick({"1", "4", "8"}) + ";");
      }
      line("@%p19 st.shared." + size + " [" + address + "], 0;");
      line("mov.u64 %rd3, " + address + ";");
    } else {
      const std::string address = "%r" + number(8);
      // Often a slot of the thread, or a little beside it; or one of its warp.
      if (one(3)) {
        ofWarps(address);
        if (one(3)) ofWarps(address);
        line("mad.lo.u32 " + address + ", " + address + ", " + pick({"4", "4", "8", "128", "132"}) +
             ", " + pick({"0", "%r16", "%r16", "4", "%r23"}) + ";");
        if (one(2)) {
          const std::string lane = "%r" + number(8);
          ofWarps(lane);
          line("mad.lo.u32 " + address + ", " + lane + ", " + pick({"4", "4", "1", "128"}) + ", " +
               address + ";");
        }
      } else if (!one(3)) {
        const std::string index = pick({"%r20", "%r20", "%r11", address});
        line("mad.lo.u32 " + address + ", " + index + ", " + pick({"4", "8", "12", "32"}) + ", " +
             pick({"0", "%r16", "%r10", "%r14", "4", "%r23"}) + ";");
      }
      if (one(2))
        line("mad.lo.u32 " + address + ", " + address + ", " + pick({"4", "8"}) + ", %r16;");
      line("@%p19 st.shared." + size + " [" + address + "], 0;");
      line("cvt.u64.u32 %rd3, " + address + ";");
    }
    line("st.global.v2.u64 [%rd0], {" + tag + ", %rd3}; add.u64 %rd0, %rd0, 16;");
  }

  // Something of the thread and a multiple of something of the CTA; a block may be of that size.
  std::string wrappingAddress() {
    const std::string index = "%r" + number(8);
    switch (random_() % 5) {
      case 0:
        ofWarps(index);
        break;
      case 1:
        line("xor.b32 " + index + ", %r20, " + pick({"1", "63", "5", "32"}) + ";");
        break;
      case 2:
        line("sub.u32 " + index + ", " + pick({"63", "31", "0"}) + ", %r20;");
        break;
      case 3:
        line("add.u32 " + index + ", %r20, " + small() + ";");
        break;
      default:
        line("mov.u32 " + index + ", " + pick({"%r20", "%r20", "%r11", "0"}) + ";");
    }
    line("mad.lo.u32 " + index + ", " + pick({"%r10", "%r10", "%r14", "%r15"}) + ", " +
         pick({"64", "64", "128", "32", "48", "96", "1"}) + ", " + index + ";");
    if (one(4)) line("add.u32 " + index + ", " + index + ", " + pick({"16", "-1", "64"}) + ";");
    if (one(4)) line("and.b32 " + index + ", " + index + ", " + pick({"63", "31", "127"}) + ";");
    const std::string address = wide();
    line(pick({"mul.wide.u32 ", "mul.wide.s32 "}) + address + ", " + index + ", " +
         pick({"4", "4", "8", "1"}) + ";");
    // What makes up for a sum that has wrapped.
    if (one(4)) {
      line("shr.u32 %r38, %r20, " + pick({"4", "5", "0", "3"}) + "; cvt.u64.u32 %rd3, %r38;");
      line("shl.b64 %rd3, %rd3, " + pick({"32", "34", "34", "35"}) + ";");
      line(pick({"add.u64 ", "sub.u64 "}) + address + ", " + address + ", %rd3;");
    }
    if (one(2)) {
      line("add.u64 " + address + ", " + address + ", " +
           pick({"256", "128", "-4", "64", "-64", "512"}) + ";");
    }
    return address;
  }

  std::mt19937 random_;
  bool wraps_ = false;
  std::string text_;
  int tags_ = 1;
};

struct Event {
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
};

std::uint64_t wordAt(const std::vector<std::uint8_t>& bytes, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

constexpr std::array<Threads, 4> kQuestions = {Threads::Different, Threads::OfOneRow,
                                               Threads::DifferentWarps, Threads::Same};

// That make a sum of 32 bits wrap here and there when multiplied by the size of a block.
constexpr std::array<std::uint32_t, 8> kWrappingNumbers = {
    0x03ffffff, 0x07ffffff, 0x01ffffff, 0xffffffff, 0x05555555, 0x02aaaaab, 0x0aaaaaaa, 3};

// Of so many kernels.
void compareAnswers(std::uint32_t seeds, bool wraps) {
  const std::array<std::array<std::uint32_t, 3>, 4> blocks = {
      {{64, 1, 1}, {16, 4, 1}, {8, 8, 1}, {32, 2, 1}}};
  std::map<AliasRule, std::size_t> answers;
  std::size_t ranges = 0;
  std::size_t tried = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    KernelText kernel(seed, wraps);
    const std::string body = kernel.body();
    const std::array<std::uint32_t, 3> block = blocks[seed % blocks.size()];
    const std::string dimensions =
        std::to_string(block[0]) + ", " + std::to_string(block[1]) + ", 1";
    const std::string attributes =
        seed % 3 == 0 ? "" : (seed % 3 == 1 ? ".reqntid " : ".maxntid ") + dimensions;
    test::ValueFunction f(body, attributes, ".shared .align 16 .b8 A[4096];",
                          ".param .u64 log, .param .u64 numbers, .param .u32 n, .param .u32 zero");

    interp::Launch launch;
    launch.block = interp::Dim3{block[0], block[1], block[2]};
    std::string error;
    for (const std::string& argument :
         {"buffer:" + std::to_string(kThreads * kLogBytes),
          "buffer:256:small:u32:" + std::to_string(seed) + ":40",
          "u32:" + std::to_string(wraps           ? kWrappingNumbers[seed % kWrappingNumbers.size()]
                                  : seed % 5 == 0 ? 0xfffffff0u
                                                  : seed % 100),
          std::string("u32:0")}) {
      launch.arguments.push_back(*interp::parseArgument(argument, error));
    }
    interp::MachineOptions options;
    options.detectsRaces = false;
    const auto outcome = interp::run(f.module(), launch, options, error);
    ASSERT_TRUE(outcome) << error;
    ASSERT_TRUE(outcome->completed);

    // By tag.
    std::map<std::uint64_t, std::vector<Event>> events;
    const std::vector<std::uint8_t>& log = outcome->memory[0].bytes;
    for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
      for (std::size_t at = thread * kLogBytes; at < (thread + 1) * kLogBytes; at += 16) {
        if (const std::uint64_t tag = wordAt(log, at); tag != 0) {
          events[tag].push_back({thread, wordAt(log, at + 8)});
        }
      }
    }

    std::vector<const Access*> accesses;
    for (const Access& access : f.analyses().get<Addresses>().all()) {
      const bool isTested = wraps ? static_cast<bool>(access.instruction->guard)
                                  : access.spaces.isOnly(isa::Space::Shared);
      if (isTested) accesses.push_back(&access);
    }
    const Ssa& ssa = f.analyses().get<Ssa>();
    const ValueRanges& known = f.analyses().get<ValueRanges>();
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      // The never executed access and the log stand in one block.
      const Access& a = *accesses[i];
      const ValueRange range = known.at(ssa.use(*a.instruction, *a.operand), a.instruction->block);
      for (const Event& event : events[i + 1]) {
        ASSERT_GE(event.address, range.lowest) << body;
        ASSERT_LE(event.address, range.highest) << body;
        ASSERT_EQ(event.address & range.zeros, 0u) << body;
        ASSERT_EQ(event.address & range.ones, range.ones) << body;
        ASSERT_GE(signedResidue(event.address, range.bits), range.signedLowest) << body;
        ASSERT_LE(signedResidue(event.address, range.bits), range.signedHighest) << body;
        const std::array<std::uint32_t, 2> id = {event.thread % block[0], event.thread / block[0]};
        ASSERT_TRUE(a.thread[0].contains(id[0])) << body;
        ASSERT_TRUE(a.thread[1].contains(id[1])) << body;
        ranges += std::size_t{range != ValueRange::all(range.bits)};
      }
      for (std::size_t j = i; j < accesses.size(); ++j) {
        const Access& b = *accesses[j];
        for (const Threads threads : kQuestions) {
          if (threads == Threads::OfOneRow && block[1] != 1) continue;
          AliasRule rule = disjoint(a, b, threads);
          const bool isTried = threads != Threads::Same && threads != Threads::OfOneRow;
          if (rule == AliasRule::None && isTried) {
            std::uint64_t budget = 1'000'000;
            auto forms = ThreadForms::of(*a.origin);
            const auto ofA = forms ? ThreadAddresses::of(a, *forms, budget) : std::nullopt;
            const auto ofB = forms ? ThreadAddresses::of(b, *forms, budget) : std::nullopt;
            if (ofA && ofB && ofA->isSeparateFrom(*ofB, threads)) {
              rule = AliasRule::Injective;
              ++tried;
            }
          }
          ++answers[rule];
          if (rule == AliasRule::None) continue;
          for (const Event& x : events[i + 1]) {
            for (const Event& y : events[j + 1]) {
              if ((x.thread == y.thread) != (threads == Threads::Same)) continue;
              const bool isOneWarp = x.thread / 32 == y.thread / 32;
              if (threads == Threads::DifferentWarps && isOneWarp) continue;
              if (i == j && &x == &y) continue;
              const bool meet = rule == AliasRule::OneThread || rule == AliasRule::OneWarp ||
                                (x.address < y.address + b.size && y.address < x.address + a.size);
              ASSERT_FALSE(meet) << spelling(rule) << " " << i << " " << j << " threads "
                                 << x.thread << " " << y.thread << " addresses " << x.address << " "
                                 << y.address << "\n"
                                 << attributes << "\n"
                                 << body;
            }
          }
        }
      }
    }
  }
  if (wraps) {
    EXPECT_GT(answers[AliasRule::None], seeds / 2);
    EXPECT_GT(answers[AliasRule::Ranges], seeds / 10);
    EXPECT_GT(answers[AliasRule::Injective], seeds / 4);
    EXPECT_GT(answers[AliasRule::WarpInjective], seeds / 10);
    EXPECT_GT(tried, seeds / 100);
    return;
  }
  EXPECT_GT(ranges, 10000u);
  EXPECT_GT(answers[AliasRule::None], 1000u);
  EXPECT_GT(answers[AliasRule::Ranges], 100u);
  EXPECT_GT(answers[AliasRule::Residues], 20u);
  EXPECT_GT(answers[AliasRule::Injective], 100u);
  EXPECT_GT(tried, 100u);
  EXPECT_GT(answers[AliasRule::OneWarp], 10u);
  EXPECT_GT(answers[AliasRule::WarpInjective], 100u);
}

TEST(AddressProperty, NoAnswerContradictsTheInterpreter) {
  compareAnswers(2000, false);
}

TEST(AddressProperty, NoAnswerAboutWrappingSumsContradictsTheInterpreter) {
  compareAnswers(2000, true);
}

// By tag: what each thread logged.
std::map<std::uint64_t, std::vector<Event>> eventsOf(ir::Module& module,
                                                     std::array<std::uint32_t, 3> block,
                                                     std::uint32_t n, std::uint32_t seed) {
  interp::Launch launch;
  launch.block = interp::Dim3{block[0], block[1], block[2]};
  std::string error;
  for (const std::string& argument : {"buffer:" + std::to_string(kThreads * kLogBytes),
                                      "buffer:256:small:u32:" + std::to_string(seed) + ":40",
                                      "u32:" + std::to_string(n), std::string("u32:0")}) {
    launch.arguments.push_back(*interp::parseArgument(argument, error));
  }
  interp::MachineOptions options;
  options.detectsRaces = false;
  const auto outcome = interp::run(module, launch, options, error);
  EXPECT_TRUE(outcome && outcome->completed) << error;
  std::map<std::uint64_t, std::vector<Event>> events;
  if (!outcome) return events;
  const std::vector<std::uint8_t>& log = outcome->memory[0].bytes;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    for (std::size_t at = thread * kLogBytes; at < (thread + 1) * kLogBytes; at += 16) {
      if (const std::uint64_t tag = wordAt(log, at); tag != 0) {
        events[tag].push_back({thread, wordAt(log, at + 8)});
      }
    }
  }
  return events;
}

// A witness that chooses no loaded number can be replayed: the two threads must go where it says.
TEST(AddressProperty, WitnessesMeetInTheInterpreter) {
  const std::array<std::array<std::uint32_t, 3>, 4> blocks = {
      {{64, 1, 1}, {16, 4, 1}, {8, 8, 1}, {32, 2, 1}}};
  std::size_t replayed = 0;
  std::size_t certain = 0;
  std::size_t withRounds = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    const std::string body = KernelText(seed).body();
    // To the analysis the accesses are executed.
    std::string unguarded = body;
    for (std::size_t at = 0; (at = unguarded.find("@%p19 st.")) != std::string::npos;) {
      unguarded.erase(at, std::string("@%p19 ").size());
    }
    const std::array<std::uint32_t, 3> block = blocks[seed % blocks.size()];
    const std::string attributes = seed % 3 == 0 ? ""
                                                 : ".reqntid " + std::to_string(block[0]) + ", " +
                                                       std::to_string(block[1]) + ", 1";
    const char* const kBefore = ".shared .align 16 .b8 A[4096];";
    const char* const kParameters =
        ".param .u64 log, .param .u64 numbers, .param .u32 n, .param .u32 zero";
    test::ValueFunction f(unguarded, attributes, kBefore, kParameters);
    test::ValueFunction executed(body + "mov.u64 %rd3, A; st.global.v2.u64 [%rd0], {99, %rd3};",
                                 attributes, kBefore, kParameters);
    const auto& addresses = f.analyses().get<Addresses>();
    std::vector<const Access*> accesses;
    for (const Access& access : addresses.all()) {
      if (access.spaces.isOnly(isa::Space::Shared)) accesses.push_back(&access);
    }
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      for (std::size_t j = i; j < accesses.size(); ++j) {
        WitnessQuestion question;
        question.first = accesses[i];
        question.second = accesses[j];
        question.postDominators = &f.analyses().get<PostDominators>();
        // No barrier tells rounds apart.
        question.mayMeetInRounds = [](LoopId, std::int64_t, std::int64_t) { return true; };
        const auto witness = findWitness(question);
        if (!witness) continue;
        ASSERT_TRUE(mayOverlap(*accesses[i], *accesses[j], Threads::Different)) << body;
        std::uint32_t n = seed % 100;
        bool canReplay = witness->isSameBase && witness->isControlKnown;
        bool hasRounds = false;
        for (const ConflictWitness::Choice& choice : witness->choices) {
          hasRounds |= choice.loop != LoopId::None;
          if (choice.loop != LoopId::None) continue;
          const std::string name = addresses.leafText(choice.leaf);
          if (name == "[n]") n = static_cast<std::uint32_t>(*choice.first);
          if (name == "ctaid.x") canReplay &= choice.first == 0;
          canReplay &= name == "[n]" || name == "ctaid.x";
        }
        const std::array<std::uint32_t, 3> shape = witness->block.value_or(block);
        // Logs are of threads of two dimensions.
        if (!canReplay || shape[0] * shape[1] != kThreads || shape[2] != 1) continue;
        ++replayed;
        certain += std::size_t{witness->isCertain};
        withRounds += std::size_t{hasRounds};
        auto events = eventsOf(executed.module(), shape, n, seed);
        ASSERT_FALSE(events[99].empty());
        const auto start = static_cast<std::int64_t>(events[99].front().address);
        const auto goesThere = [&](std::uint64_t tag, const ConflictWitness::Side& side) {
          const std::uint32_t thread =
              side.thread[0] + shape[0] * (side.thread[1] + shape[1] * side.thread[2]);
          return std::ranges::any_of(events[tag], [&](const Event& event) {
            // Shared memory has addresses of 32 bits.
            return event.thread == thread &&
                   residue(event.address, 32) ==
                       residue(side.bytes.lowest + (side.base == LeafId::None ? 0 : start), 32);
          });
        };
        EXPECT_NE(witness->first.thread, witness->second.thread);
        EXPECT_FALSE(intersection(witness->first.bytes, witness->second.bytes).isEmpty());
        ASSERT_TRUE(goesThere(i + 1, witness->first) && goesThere(j + 1, witness->second))
            << i << " " << j << " " << witness->first.bytes.lowest << " "
            << witness->second.bytes.lowest << " n " << n << "\n"
            << attributes << body;
      }
    }
  }
  EXPECT_GT(replayed, 300u);
  EXPECT_GT(certain, 50u);
  EXPECT_GT(withRounds, 20u);
}

}  // namespace
}  // namespace ptxopt::analysis
