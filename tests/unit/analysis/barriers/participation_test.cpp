// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/participation.h"

#include <gtest/gtest.h>

#include <deque>

#include "value_text.h"

namespace ptxopt::analysis {
namespace {

constexpr const char* kCode = R"(
    .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;
    mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; ld.param.u64 %d1, [data];
    setp.gt.u32 %p1, %r1, 40; setp.eq.u32 %p2, %r2, 3;
)";

char letterOf(Standing standing) {
  switch (standing) {
    case Standing::Candidate:
      return 'J';
    case Standing::Guarded:
      return 'G';
    case Standing::Partial:
      return 'P';
    case Standing::NotUniform:
      return 'N';
    case Standing::Tainted:
      return 'T';
  }
  return '?';
}

struct Given {
  std::string attributes = "";
  std::string before = "";  // functions
  Assumptions assumptions = {};
};

// How each barrier stands, those of the entry first, then those of functions that are judged with
// it: docs/soundness/ C1.
class Asked {
 public:
  explicit Asked(const std::string& body, const Given& given = {})
      : function_(kCode + body, given.attributes, given.before, ".param .u32 n, .param .u64 data"),
        graph_(function_.module()),
        uses_(function_.module(), graph_),
        known_(functionsWithKnownCallers(uses_, graph_)),
        effects_(graph_) {
    for (const auto& group : functionsThatShareBarriers(graph_, known_)) {
      for (const ir::Function* member : group) {
        if (group.front() == &function_.function()) addBody(*member, given.assumptions);
      }
    }
    if (bodies_.empty()) addBody(function_.function(), given.assumptions);
    participation_.emplace(bodies_, uses_, graph_, known_);
  }

  std::string standings() const {
    std::string text;
    std::uint32_t body = 0;
    for (const Participation::Member& member : participation_->barriers()) {
      if (member.body != body) text += ' ';
      body = member.body;
      text += letterOf(member.standing);
    }
    return text;
  }
  const Participation& participation() const { return *participation_; }
  // Of functions that are not the entry.
  std::string knownCallers() {
    std::string text;
    for (const ir::Function& one : function_.module().functions()) {
      if (!one.isEntry()) text += known_.test(graph_.vertexOf(one)) ? 'y' : 'n';
    }
    return text;
  }

 private:
  void addBody(const ir::Function& function, const Assumptions& assumptions) {
    auto& analyses = analyses_.emplace_back(*function_.module().findFunction(function.nameText()));
    const Cfg& cfg = analyses.get<Cfg>();
    const Liveness& liveness = analyses.get<Liveness>();
    const NonExitedThreads* warps = nullptr;
    if (function.isEntry()) warps = &warps_.emplace_back(cfg, liveness, effects_);
    bodies_.push_back({&cfg, &liveness, assumptions, warps});
  }

  test::ValueFunction function_;
  CallGraph graph_;
  BarrierUses uses_;
  BitSet known_;
  CallEffects effects_;
  std::deque<FunctionAnalyses> analyses_;
  std::deque<NonExitedThreads> warps_;
  std::vector<Participation::Body> bodies_;
  std::optional<Participation> participation_;
};

std::string standings(const std::string& body, const Given& given = {}) {
  return Asked(body, given).standings();
}

// C1.2.7, C1.2.8
TEST(Participation, BarriersUnderControl) {
  EXPECT_EQ(standings("bar.sync 0; ret;"), "J");
  EXPECT_EQ(standings("barrier.sync 0; barrier.sync.aligned 1; ret;"), "JJ");
  EXPECT_EQ(standings("@%p2 bar.sync 0; ret;"), "G");
  EXPECT_EQ(standings("@!%p1 bar.sync 0; ret;"), "N");
  EXPECT_EQ(standings("@%p2 bra L; bar.sync 0; L: ret;"), "J");
  EXPECT_EQ(standings("@%p1 bra L; bar.sync 0; L: bar.sync 1; ret;"), "NJ");
  // The last path ends without a barrier: an exit (C1.3, C1.5).
  EXPECT_EQ(standings("@%p1 bra L; bar.sync 0; L: ret;"), "J");
  EXPECT_EQ(standings("@%p1 exit; bar.sync 0; ret;"), "J");
}

// C1.1, C1.4
TEST(Participation, OneThatIsNotFullTaintsItsId) {
  EXPECT_EQ(standings("bar.sync 0; @%p1 bar.sync 0; ret;"), "TN");
  EXPECT_EQ(standings("bar.sync 0; @%p1 bar.sync 1; ret;"), "JN");
  EXPECT_EQ(standings("bar.sync 0; bar.sync 0, 64; ret;"), "TP");
  EXPECT_EQ(standings("bar.sync 0; bar.arrive 0, 64; bar.sync 1; ret;"), "TPJ");
  EXPECT_EQ(standings("@%p2 bar.sync 0; bar.sync 0, 64; ret;"), "TP");
  // An id in a register may be any.
  EXPECT_EQ(standings("bar.sync 3; bar.sync %r2; ret;"), "TP");
  // Nobody gets to it.
  EXPECT_EQ(standings("bar.sync 0; ret; bar.sync 0, 64; ret;"), "JP");
  // What is not known may be any barrier (A7.2.1).
  EXPECT_EQ(standings("bar.sync 3; future.instruction %r1; ret;"), "T");
  EXPECT_EQ(standings("bar.future 3; bar.sync 2; ret;"), "T");
}

TEST(Participation, Ids) {
  const auto ids = [](const std::string& text) {
    test::ValueFunction f(".reg .b32 %r<3>; " + text);
    return ir::ctaBarrier(*f.instructions()[0])->ids;
  };
  EXPECT_EQ(ids("bar.sync 0;"), 1u);
  EXPECT_EQ(ids("bar.sync 15;"), 0x8000u);
  EXPECT_EQ(ids("bar.sync 16;"), kAllBarrierIds);
  EXPECT_EQ(ids("bar.sync %r1;"), kAllBarrierIds);
}

// A2.1
TEST(Participation, CountsOfTheWholeBlock) {
  const Given given{".reqntid 8, 4, 2"};
  EXPECT_EQ(standings("bar.sync 0, 64; ret;", given), "J");
  EXPECT_EQ(standings("bar.sync 0, 32; ret;", given), "P");
  EXPECT_EQ(standings("bar.sync 0, %r2; ret;", given), "P");
  EXPECT_EQ(standings("bar.sync %r2, 64; ret;", given), "P");
  EXPECT_EQ(standings("bar.arrive 0, 64; ret;", given), "P");
  EXPECT_EQ(standings("@%p2 bra L; bar.sync 0, 64; L: ret;", given), "J");
  EXPECT_EQ(standings("bar.sync 0, 64; ret;", {".maxntid 8, 4, 2"}), "P");
  EXPECT_EQ(standings("bar.sync 0, 64; ret;"), "P");
  // It waits for so many: those that have ended never come.
  EXPECT_EQ(standings("@%p1 exit; bar.sync 0, 64; ret;", given), "P");
  EXPECT_EQ(standings("@%p1 bra L; bar.sync 0, 64; L: bar.sync 1; ret;", given), "PJ");
}

// C1.2.4, C1.2.5
TEST(Participation, ValuesThatDependOnTheWay) {
  EXPECT_EQ(standings(R"(
      bar.sync 0; mov.u32 %r3, 0; @!%p1 bra SKIP; mov.u32 %r3, 1;
      SKIP: setp.eq.u32 %p3, %r3, 1; @!%p3 bra ELSE; barrier.sync 0; bra JOIN;
      ELSE: barrier.sync 0;
      JOIN: ret;)"),
            "TNN");
  EXPECT_EQ(standings(R"(
      mov.u32 %r3, 0;
      LOOP: add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, %r1; @%p3 bra LOOP;
      setp.eq.u32 %p4, %r3, 7; @%p4 bra END; bar.sync 0; END: bar.sync 1; ret;)"),
            "NJ");
}

// C1.2.2, C1.2.6
TEST(Participation, ReductionsAgreeIfAllTakePart) {
  const std::string reduce = "barrier.cta.red.popc.u32 %r3, 0, %p1; setp.eq.u32 %p3, %r3, 7;";
  EXPECT_EQ(standings(reduce + "@%p3 bra L; bar.sync 1; L: bar.sync 2; ret;"), "JJJ");
  EXPECT_EQ(standings("bar.red.or.pred %p3, 0, %p1; @%p3 bra L; bar.sync 1; L: bar.sync 2; ret;"),
            "JJJ");
  // Partial ones, and those that something else can meet, do not.
  EXPECT_EQ(standings("bar.red.or.pred %p3, 0, 64, %p1; @%p3 bra L; bar.sync 1;"
                      "L: bar.sync 2; ret;"),
            "PNJ");
  EXPECT_EQ(standings("@%p1 bar.arrive 0, 64;" + reduce +
                      "@%p3 bra L; bar.sync 1;"
                      "L: bar.sync 2; ret;"),
            "PTNJ");
  EXPECT_EQ(standings("@%p1 bra M;" + reduce + "@%p3 bra M; bar.sync 1; M: bar.sync 2; ret;"),
            "NNJ");
  // The one that it lets some skip is on its own id.
  EXPECT_EQ(standings("bar.red.or.pred %p3, 0, 64, %p1;" + reduce +
                      "@%p3 bra L; bar.sync 1;"
                      "L: bar.sync 2; ret;"),
            "PTNJ");
}

// C10.1
TEST(Participation, TrustedWhereOnlyDataDecides) {
  Given trusting;
  trusting.assumptions.add(Assumption::TrustAligned);
  const auto under = [](const std::string& load, const std::string& barrier) {
    return load + " setp.eq.u32 %p3, %r3, 0; @%p3 bra L; " + barrier + " L: bar.sync 7; ret;";
  };
  const std::string global = "ld.global.u32 %r3, [%d1];";
  EXPECT_EQ(standings(under(global, "bar.sync 0;")), "NJ");
  EXPECT_EQ(standings(under(global, "bar.sync 0;"), trusting), "JJ");
  EXPECT_EQ(standings(under(global, "barrier.sync.aligned 0;"), trusting), "JJ");
  EXPECT_EQ(standings(under(global, "barrier.sync 0;"), trusting), "NJ");
  EXPECT_EQ(standings(under("ld.global.nc.u32 %r3, [%d1];", "bar.sync 0;"), trusting), "JJ");
  EXPECT_EQ(standings(under("ld.volatile.global.u32 %r3, [%d1];", "bar.sync 0;"), trusting), "JJ");
  EXPECT_EQ(standings(under("ld.acquire.gpu.global.u32 %r3, [%d1];", "bar.sync 0;"), trusting),
            "JJ");
  // The thread id decides.
  EXPECT_EQ(standings(under("mov.u32 %r3, %tid.y;", "bar.sync 0;"), trusting), "NJ");
  EXPECT_EQ(standings(under("atom.global.add.u32 %r3, [%d1], 1;", "bar.sync 0;"), trusting), "NJ");
  // Memory of its own is as good as registers.
  EXPECT_EQ(standings(".local .b32 x; st.local.u32 [x], %r1;" +
                          under("ld.local.u32 %r3, [x];", "bar.sync 0;"),
                      trusting),
            "NJ");
  EXPECT_EQ(standings(".local .b32 x; mov.u64 %d2, x; cvta.local.u64 %d3, %d2; st.u32 [%d3], %r1;" +
                          under("ld.u32 %r3, [%d3];", "bar.sync 0;"),
                      trusting),
            "NJ");
  EXPECT_EQ(standings(under("ld.u32 %r3, [%d1];", "bar.sync 0;"), trusting), "JJ");
  // Code that is not known spoils all of them; an unknown load is no barrier (A7.2).
  EXPECT_EQ(standings(under("future.instruction %r4; ld.u32 %r3, [%d1];", "bar.sync 0;"), trusting),
            "NT");
  EXPECT_EQ(standings(under("ld.future.u32 %r3, [%d1];", "bar.sync 0;"), trusting), "NJ");
}

// C1.6
TEST(Participation, FunctionsThatAllEnter) {
  const std::string f = ".func f() { bar.sync 1; ret; }";
  EXPECT_EQ(standings("bar.sync 0; call f; ret;", {"", f}), "J J");
  EXPECT_EQ(standings("@%p2 bra L; call f; L: bar.sync 0; ret;", {"", f}), "J J");
  EXPECT_EQ(standings("@%p1 bra L; call f; L: bar.sync 0; ret;", {"", f}), "J N");
  EXPECT_EQ(standings("@%p1 call f; bar.sync 0; bar.sync 1; ret;", {"", f}), "JT N");
  EXPECT_EQ(standings("call f; call g; ret;", {"", f + ".func g() { call f; bar.sync 2; ret; }"}),
            " J J");
  // By way of another function, on some threads only.
  EXPECT_EQ(standings("@%p1 call g; bar.sync 0; ret;", {"", f + ".func g() { call f; ret; }"}),
            "J N");
  // What returns goes on to the barriers of the caller: no end.
  EXPECT_EQ(standings("call f; bar.sync 0; ret;",
                      {"",
                       ".func f() { .reg .pred %p<2>; .reg .b32 %r<2>; mov.u32 %r1, %tid.x;"
                       "setp.gt.u32 %p1, %r1, 40; @%p1 ret; bar.sync 1; ret; }"}),
            "J N");
}

TEST(Participation, FunctionsThatCodeOutsideMayCall) {
  const auto taints = [](const std::string& function, const std::string& call = "call f;") {
    return standings("bar.sync 1; bar.sync 0;" + call + " ret;", {"", function});
  };
  EXPECT_EQ(taints(".visible .func f() { bar.sync 1; ret; }"), "TJ");
  EXPECT_EQ(taints(".weak .func f() { bar.sync 1; ret; }"), "TT");
  EXPECT_EQ(taints(".extern .func f();"), "TT");
  EXPECT_EQ(taints(".func f() { bar.sync 1, 64; ret; }"), "TJ P");
  EXPECT_EQ(taints(".func f() { .reg .b32 %r<2>; mov.u32 %r1, 1; bar.sync %r1; ret; }"), "TT P");
  EXPECT_EQ(taints(".func f() { future.instruction; ret; }"), "TT");
  EXPECT_EQ(taints(".func f() { ret; }"), "JJ");
  // Recursive, and named by an instruction that is not known (A7.2).
  EXPECT_EQ(taints(".func f() { bar.sync 1; call f; ret; }"), "TJ");
  EXPECT_EQ(taints(".func f() { bar.sync 1; ret; }", "future.call f;"), "TT");
  // One of several.
  EXPECT_EQ(taints(".func f() { bar.sync 1; ret; } .func g() { ret; }",
                   "T: .calltargets f, g; mov.u64 %d2, f; call %d2, T;"),
            "TJ");
}

TEST(Participation, KnownCallers) {
  const auto known = [](const std::string& functions, const std::string& calls) {
    return Asked(calls + " ret;", {"", functions}).knownCallers();
  };
  EXPECT_EQ(known(".func f() { bar.sync 1; ret; }", "call f;"), "y");
  EXPECT_EQ(known(".func f() { ret; }", "call f;"), "n");
  EXPECT_EQ(known(".visible .func f() { bar.sync 1; ret; }", "call f;"), "n");
  EXPECT_EQ(known(".func f() { bar.sync 1; ret; } .func g() { call f; ret; }", "call g;"), "yy");
  EXPECT_EQ(known(".func f() { bar.sync 1; ret; } .visible .func g() { call f; ret; }", "call g;"),
            "nn");
  EXPECT_EQ(known(".func f() { bar.sync 1; ret; }", "call f; mov.u64 %d2, f;"), "n");
  EXPECT_EQ(known(".func f() { future.instruction; ret; }", "call f;"), "y");
}

TEST(Participation, Questions) {
  EXPECT_TRUE(Asked("@%p2 bar.sync 0; ret;").participation().hasCandidates());
  EXPECT_FALSE(Asked("bar.sync 0, 64; ret;").participation().hasCandidates());
  EXPECT_EQ(Asked("ret;").participation().uniformity(0), nullptr);
  EXPECT_NE(Asked("bar.sync 0; ret;").participation().uniformity(0), nullptr);
}

}  // namespace
}  // namespace ptxopt::analysis
