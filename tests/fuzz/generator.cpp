// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generator.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "address_kernels.h"
#include "async_kernels.h"
#include "epochs.h"
#include "heap_kernels.h"
#include "kernel_text.h"
#include "odd_forms.h"
#include "pointers.h"
#include "random.h"
#include "repeats.h"
#include "rules.h"
#include "variables.h"

namespace ptxopt::fuzz {

namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kOutputs = 4;  // words that a thread may put out
constexpr std::uint32_t kInputWords = 1024;
constexpr std::uint32_t kTableWords = 16;
// Barriers with these ids are used by some warps only.
constexpr std::uint32_t kPartialId = 8;

struct Array {
  std::string name;
  bool isShared = true;
  std::uint32_t slot = 4;  // bytes
  std::string atomic;      // the one operation that is used on it
};

struct Callee {
  enum class What : std::uint8_t { Pure, Recursive, Slot, Barrier } what = What::Pure;
  std::string name;
  bool hasRegisterParameters = false;
};

struct Address {
  std::string space;
  std::string base;
};

// Calls `target`: the function, or a register that holds its address, with a prototype.
void emitCall(KernelText& text, const Callee& callee, const std::string& target,
              std::string_view call, const std::array<std::string, 2>& arguments,
              const std::string& result) {
  if (callee.hasRegisterParameters) {
    text.emit(
        fmt::format("{} ({}), {}, ({}, {})", call, result, target, arguments[0], arguments[1]));
    return;
  }
  text.raw("  {");
  text.emit(".param .b32 p0");
  text.emit(".param .b32 p1");
  text.emit(".param .b32 back");
  text.emit(fmt::format("st.param.b32 [p0], {}", arguments[0]));
  text.emit(fmt::format("st.param.b32 [p1], {}", arguments[1]));
  if (target == callee.name) {
    text.emit(fmt::format("{} (back), {}, (p0, p1)", call, target));
  } else {
    const std::string prototype = text.newLabel();
    text.emit(prototype + ": .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _)");
    text.emit(fmt::format("{} (back), {}, (p0, p1), {}", call, target, prototype));
  }
  text.emit(fmt::format("ld.param.b32 {}, [back]", result));
  text.raw("  }");
}

class Generator {
 public:
  Generator(std::uint64_t seed, const GeneratorOptions& options)
      : options_(options),
        seed_(seed),
        random_(seed),
        text_(random_),
        variables_(random_, text_),
        pointers_(random_, text_),
        repeats_(random_, text_) {}

  RandomKernel make();

 private:
  struct Choice {
    std::uint32_t weight;
    void (Generator::*make)();
  };

  // the frame of the kernel
  void chooseShape();
  void declareArrays();
  void declareFunctions();
  Callee declareFunction(std::uint32_t number);
  void begin();
  void end();
  void initializeShared();
  void leavingLoop();

  // sequences
  void block(std::uint32_t length);
  void construct();
  template <std::size_t N>
  void choose(const Choice (&choices)[N]);

  // values
  void arithmetic();
  void mix();
  void mix(const std::string& value, Kind kind);
  void assign();
  void warpCollective();
  void specialRegister();
  void table();
  void localMemory();
  void useOwnBytes();
  void bitChain();
  void mixAll(const Repeats::Results& results);
  void useVariable();
  void usePointers();
  void callPlain();
  void callFunction();
  std::string predicate();
  std::string lessThan(const std::string& value, std::uint32_t bound);
  std::string masked(const std::string& value, std::uint32_t size);

  // memory
  std::size_t someArray() { return random_.below(arrays_.size()); }
  bool acquire(std::size_t array, const Usage& usage);
  SlotMap someMap();
  std::string slotIndex(const SlotMap& map);
  Address slotAddress(std::size_t array, const std::string& index);
  Access footprint(std::size_t array, const SlotMap& map, bool writes, std::uint32_t offset,
                   std::uint32_t width) const;
  void load(std::size_t array, const Address& address, Access access, bool exact);
  void store(std::size_t array, const Address& address, Access access);
  Access part(std::size_t array, const SlotMap& map, bool writes);
  void ownStore(std::size_t array, const SlotMap& map);
  void ownLoad(std::size_t array, const SlotMap& map);
  void ownAccess();
  void exchange();
  void anyRead();
  void leaderAccess();
  void atomics();
  void asyncCopy();
  void warpExchange();
  void reduction();
  void inputLoad();
  void output();

  // barriers
  void barrier();
  void plainBarrier();
  void reducingBarrier();
  void splitBarrier();
  void partialBarrier();
  void fence();
  void backToBack();
  void leaderOnBothSides();
  void armsAndJoin();
  void guardedBarrier();
  void strayBarrier();
  void mbarrierExchange();
  void doubleBuffer();

  // control
  void uniformIf();
  void divergentIf();
  void uniformLoop();
  void divergentLoop();
  void irreducible();
  void forwardJumps();
  void switchOver();
  void earlyExit();
  void nested(std::uint32_t length);

  const GeneratorOptions& options_;
  std::uint64_t seed_;
  Random random_;
  KernelText text_;
  Epochs epochs_;
  Variables variables_;  // of Bias::Variables
  Pointers pointers_;    // of Bias::Pointers
  Repeats repeats_;      // of Bias::Redundancy

  std::uint32_t threads_ = 64;
  std::uint32_t columns_ = 64;  // of a block of two dimensions
  std::uint32_t ctas_ = 1;
  std::uint32_t rounds_ = 3;  // the parameter n
  bool statesBlock_ = false;  // .reqntid
  bool isWild_ = false;
  bool isOdd_ = false;  // has barriers that keep a tool from judging any other one

  std::uint32_t survivors_ = 0;  // threads below this have not left yet
  bool uniform_ = true;          // all of them are here
  std::uint32_t depth_ = 0;
  std::uint32_t outputs_ = 1;
  std::uint32_t dynamicShared_ = 0;
  std::string prefix_;
  std::vector<std::string> definitions_;
  std::vector<Array> arrays_;
  std::vector<Callee> callees_;
  std::vector<std::string> entryDeclarations_;
  std::vector<std::size_t> outputStores_;
  bool hasLocal_ = false;
  std::string guard_;  // of the next store
  std::uint32_t mbarriers_ = 0;

  std::string tid_, cta_, lane_, in_, out_, sum_, n_;
};

// ---- the frame ---------------------------------------------------------------------------------

void Generator::chooseShape() {
  constexpr std::uint32_t kSizes[] = {64, 64, 64, 64, 64, 96, 96, 128, 128, 32, 48};
  threads_ = random_.pick(kSizes);
  columns_ = threads_ % 16 == 0 && random_.percent(15) ? 16 : threads_;
  ctas_ = random_.percent(70) ? 1 : 2;
  rounds_ = 1 + random_.below(4);
  statesBlock_ = random_.percent(50);
  isWild_ = random_.percent(options_.wildPercent);
  isOdd_ = random_.percent(30);
  survivors_ = threads_;
  prefix_ = fmt::format("k{}", seed_);
  text_.repeats = options_.bias == Bias::Redundancy ? 45 : 8;
}

void Generator::declareArrays() {
  constexpr std::uint32_t kSlots[] = {4, 4, 8, 16};
  constexpr std::string_view kAtomics[] = {"add.u32", "add.u32", "xor.b32",
                                           "or.b32",  "min.u32", "max.s32"};
  const std::uint32_t count = 2 + random_.below(3);
  for (std::uint32_t k = 0; k < count; ++k) {
    Array array;
    array.name = fmt::format("{}_a{}", prefix_, k);
    array.isShared = k == 0 || !random_.percent(30);
    array.slot = random_.pick(kSlots);
    array.atomic = random_.pick(kAtomics);
    const std::uint32_t bytes = threads_ * array.slot * (array.isShared ? 1 : ctas_);
    if (!array.isShared) {
      definitions_.push_back(fmt::format(".global .align 16 .b8 {}[{}];", array.name, bytes));
    } else if (dynamicShared_ == 0 && random_.percent(options_.bias == Bias::Variables ? 4 : 15)) {
      dynamicShared_ = bytes;
      definitions_.push_back(fmt::format(".extern .shared .align 16 .b8 {}[];", array.name));
    } else if (random_.percent(50)) {
      definitions_.push_back(fmt::format(".shared .align 16 .b8 {}[{}];", array.name, bytes));
    } else {
      entryDeclarations_.push_back(
          fmt::format("  .shared .align 16 .b8 {}[{}];", array.name, bytes));
    }
    arrays_.push_back(array);
    epochs_.addArray();
  }
  std::string words;
  for (std::uint32_t k = 0; k < kTableWords; ++k) {
    words += fmt::format("{}{}", k == 0 ? "" : ", ", static_cast<std::uint32_t>(random_.next()));
  }
  definitions_.push_back(
      fmt::format(".const .align 4 .b32 {}_table[{}] = {{{}}};", prefix_, kTableWords, words));
  definitions_.push_back(fmt::format(".global .align 4 .b32 {}_total[4];", prefix_));
}

void Generator::declareFunctions() {
  const std::uint32_t count = random_.below(4);
  for (std::uint32_t k = 0; k < count; ++k) callees_.push_back(declareFunction(k));
}

Callee Generator::declareFunction(std::uint32_t number) {
  Callee callee;
  callee.name = fmt::format("{}_f{}", prefix_, number);
  constexpr Callee::What kWhats[] = {Callee::What::Pure, Callee::What::Recursive,
                                     Callee::What::Slot, Callee::What::Barrier};
  callee.what = random_.pick(kWhats);
  callee.hasRegisterParameters = random_.percent(20);

  KernelText body(random_);
  const std::string first = body.newRegister(Kind::B32);
  const std::string second = body.newRegister(Kind::B32);
  const std::string sum = body.newRegister(Kind::B32);
  const std::string stop = body.newRegister(Kind::Pred);
  std::string head;
  if (callee.hasRegisterParameters) {
    head = fmt::format(".func (.reg .b32 %out) {}(.reg .b32 %x, .reg .b32 %y)", callee.name);
    body.emit(fmt::format("mov.b32 {}, %x", first));
    body.emit(fmt::format("mov.b32 {}, %y", second));
  } else {
    head = fmt::format(".func (.param .b32 out) {}(.param .b32 x, .param .b32 y)", callee.name);
    body.emit(fmt::format("ld.param.b32 {}, [x]", first));
    body.emit(fmt::format("ld.param.b32 {}, [y]", second));
  }
  body.emit(fmt::format("mov.b32 {}, {}", sum, second));
  body.emit(fmt::format("setp.eq.s32 {}, {}, {}", stop, second, random_.below(4)));
  body.add(Kind::B32, second);
  body.add(Kind::B32, sum);
  body.add(Kind::Pred, stop);
  const auto seedValue = [&](Kind kind, std::string_view pattern) {
    const std::string result = body.newRegister(kind);
    body.emit(body.expand(pattern, result));
    body.add(kind, result);
  };
  seedValue(Kind::B64, "cvt.u64.u32 $D, $R");
  seedValue(Kind::B16, "cvt.u16.u32 $D, $R");
  seedValue(Kind::F32, "cvt.rn.f32.u32 $D, $R");
  seedValue(Kind::F64, "cvt.rn.f64.s32 $D, $R");
  const auto fold = [&] {
    const std::string value = body.value(Kind::B32);
    body.emit(fmt::format("mad.lo.u32 {}, {}, 0x9e3779b1, {}", sum, sum, value));
  };
  const std::string skip = body.newLabel();
  if (random_.percent(60)) {
    body.emit(fmt::format("@{} bra {}", stop, skip));
    const auto mark = body.mark();
    for (std::uint32_t k = random_.below(4); k > 0; --k) body.compute();
    fold();
    body.release(mark);
    body.label(skip);
  }
  for (std::uint32_t k = 1 + random_.below(4); k > 0; --k) body.compute();
  fold();
  switch (callee.what) {
    case Callee::What::Pure:
      break;
    case Callee::What::Recursive: {
      // The first parameter counts down.
      const std::string bottom = body.newRegister(Kind::Pred);
      const std::string less = body.newRegister(Kind::B32);
      const std::string result = body.newRegister(Kind::B32);
      const std::string end = body.newLabel();
      body.emit(fmt::format("and.b32 {}, {}, 3", less, first));
      body.emit(fmt::format("setp.eq.u32 {}, {}, 0", bottom, less));
      body.emit(fmt::format("@{} bra {}", bottom, end));
      body.emit(fmt::format("sub.u32 {}, {}, 1", less, less));
      emitCall(body, callee, callee.name, "call", {less, sum}, result);
      body.emit(fmt::format("xor.b32 {}, {}, {}", sum, sum, result));
      body.label(end);
      break;
    }
    case Callee::What::Slot: {
      const std::string old = body.newRegister(Kind::B32);
      body.emit(fmt::format("ld.shared.b32 {}, [{}]", old, first));
      body.emit(fmt::format("xor.b32 {}, {}, {}", sum, sum, old));
      body.emit(fmt::format("st.shared.b32 [{}], {}", first, sum));
      break;
    }
    case Callee::What::Barrier:
      body.emit("bar.sync 0");
      if (random_.percent(50)) fold();
      break;
  }
  body.emit(callee.hasRegisterParameters ? fmt::format("mov.b32 %out, {}", sum)
                                         : fmt::format("st.param.b32 [out], {}", sum));
  body.emit("ret");

  std::string text = head + "\n{\n";
  for (const std::string& line : body.declarations()) text += line + "\n";
  for (const std::string& line : body.lines()) text += line + "\n";
  definitions_.push_back(text + "}");
  return callee;
}

void Generator::begin() {
  const auto fresh = [&](Kind kind) { return text_.newRegister(kind); };
  const auto emit = [&](std::string_view pattern, const std::string& destination) {
    text_.emit(text_.expand(pattern, destination));
  };
  in_ = fresh(Kind::B64);
  out_ = fresh(Kind::B64);
  n_ = fresh(Kind::B32);
  tid_ = fresh(Kind::B32);
  cta_ = fresh(Kind::B32);
  lane_ = fresh(Kind::B32);
  sum_ = fresh(Kind::B32);
  text_.emit(fmt::format("ld.param.u64 {}, [in]", in_));
  text_.emit(fmt::format("ld.param.u64 {}, [out]", out_));
  text_.emit(fmt::format("ld.param.u32 {}, [n]", n_));
  if (random_.percent(50)) {
    text_.emit(fmt::format("cvta.to.global.u64 {}, {}", in_, in_));
    text_.emit(fmt::format("cvta.to.global.u64 {}, {}", out_, out_));
  }
  if (columns_ == threads_) {
    text_.emit(fmt::format("mov.u32 {}, %tid.x", tid_));
  } else {
    const std::string x = fresh(Kind::B32);
    const std::string y = fresh(Kind::B32);
    const std::string width = fresh(Kind::B32);
    text_.emit(fmt::format("mov.u32 {}, %tid.x", x));
    text_.emit(fmt::format("mov.u32 {}, %tid.y", y));
    text_.emit(fmt::format("mov.u32 {}, %ntid.x", width));
    text_.emit(fmt::format("mad.lo.u32 {}, {}, {}, {}", tid_, y, width, x));
  }
  text_.emit(fmt::format("mov.u32 {}, %ctaid.x", cta_));
  text_.emit(fmt::format("and.b32 {}, {}, 31", lane_, tid_));
  text_.add(Kind::B32, tid_);
  text_.add(Kind::B32, lane_);
  text_.addUniform(n_);
  text_.addUniform(cta_);

  // This thread's words of the buffers.
  const std::string global = fresh(Kind::B32);
  const std::string offset = fresh(Kind::B64);
  text_.emit(fmt::format("mad.lo.u32 {}, {}, {}, {}", global, cta_, threads_, tid_));
  text_.emit(fmt::format("mul.wide.u32 {}, {}, 4", offset, global));
  text_.emit(fmt::format("add.s64 {}, {}, {}", out_, out_, offset));
  const std::string mine = fresh(Kind::B64);
  text_.emit(fmt::format("add.s64 {}, {}, {}", mine, in_, offset));
  const std::string word = fresh(Kind::B32);
  text_.emit(fmt::format("ld.global.u32 {}, [{}]", word, mine));
  text_.add(Kind::B32, global);
  text_.add(Kind::B32, word);
  text_.emit(fmt::format("mov.u32 {}, {}", sum_, word));

  const auto seedValue = [&](Kind kind, std::string_view pattern) {
    const std::string result = fresh(kind);
    emit(pattern, result);
    text_.add(kind, result);
  };
  seedValue(Kind::B64, "mad.wide.u32 $D, $R, $R, " + offset);
  seedValue(Kind::B16, "cvt.u16.u32 $D, $R");
  seedValue(Kind::B16, "cvt.u16.u32 $D, $R");
  seedValue(Kind::F32, "cvt.rn.f32.u32 $D, $R");
  seedValue(Kind::F32, "cvt.rn.f32.s32 $D, " + lane_);
  seedValue(Kind::F64, "cvt.rn.f64.s32 $D, $R");
  seedValue(Kind::Pred, "setp.lt.u32 $D, $R, " + word);
  seedValue(Kind::Pred, "setp.ne.s32 $D, " + lane_ + ", $k");
  const std::uint32_t variables = options_.bias == Bias::Phis ? 6 : 3;
  for (std::uint32_t k = 0; k < variables; ++k) {
    const std::string variable = fresh(Kind::B32);
    emit("xor.b32 $D, $R, $r", variable);
    text_.addVariable(variable);
  }
}

// Nothing reads what nobody wrote.
void Generator::initializeShared() {
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    if (!arrays_[k].isShared) continue;
    const SlotMap map = someMap();
    epochs_.enter(k, {Mode::Own, true, map});
    store(k, slotAddress(k, slotIndex(map)), footprint(k, map, true, 0, arrays_[k].slot));
  }
}

// Warps leave one after the other; those that are left meet at the barrier (docs/soundness/
// A1.11).
void Generator::leavingLoop() {
  if (!epochs_.isIdle()) barrier();
  const std::string left = text_.newRegister(Kind::B32);
  const std::string gone = text_.newRegister(Kind::Pred);
  const std::string head = text_.newLabel();
  const std::string done = text_.newLabel();
  text_.emit(fmt::format("shr.u32 {}, {}, 5", left, tid_));
  text_.label(head);
  text_.emit(fmt::format("setp.eq.u32 {}, {}, 0", gone, left));
  text_.emit(fmt::format("@{} bra {}", gone, done));
  uniform_ = false;
  epochs_.beginUncertain();
  const auto mark = text_.mark();
  for (std::uint32_t k = random_.below(3); k > 0; --k) arithmetic();
  mix();
  if (threads_ % kWarp == 0 && random_.percent(60)) {
    const std::string other = text_.newRegister(Kind::B32);
    text_.emit(fmt::format("shfl.sync.bfly.b32 {}, {}, {}, 31, -1", other, sum_,
                           1 + random_.below(kWarp - 1)));
    mix(other, Kind::B32);
  }
  const SlotMap map = someMap();
  const std::size_t array = someArray();
  if (acquire(array, {Mode::Own, true, map})) ownStore(array, map);
  text_.emit("bar.sync 0");
  epochs_.separate(std::nullopt);
  text_.release(mark);
  epochs_.endUncertain();
  text_.emit(fmt::format("sub.u32 {}, {}, 1", left, left));
  text_.emit("bra " + head);
  text_.label(done);
}

void Generator::end() {
  if (uniform_ && random_.percent(options_.bias == Bias::Barriers ? 40 : 10)) barrier();
  outputStores_.push_back(text_.emit(fmt::format("st.global.u32 [{}], {}", out_, sum_)));
  if (uniform_ && random_.percent(options_.bias == Bias::Barriers ? 30 : 8)) {
    barrier();
  }
  text_.emit(random_.percent(80) ? "ret" : "exit");
}

RandomKernel Generator::make() {
  chooseShape();
  declareArrays();
  declareFunctions();
  begin();
  const bool hasVariables = options_.bias == Bias::Variables;
  if (hasVariables) {
    variables_.declare({prefix_, threads_, ctas_, tid_, cta_}, definitions_, entryDeclarations_);
  }
  if (options_.bias == Bias::Pointers) {
    const Pointers::Hooks hooks{[this](const std::string& word) { mix(word, Kind::B32); },
                                [this] { callPlain(); }};
    pointers_.declare({prefix_, threads_, ctas_, tid_, cta_}, hooks, definitions_,
                      entryDeclarations_);
  }
  if (random_.percent(options_.bias == Bias::Barriers ? 40 : 10)) barrier();
  initializeShared();
  block(options_.size / 2 + random_.below(options_.size));
  if (isOdd_ && survivors_ == threads_ && random_.percent(30)) leavingLoop();
  end();

  const Claims claims = epochs_.finish();
  for (const std::size_t line : claims.barriers) {
    text_.annotate(line, RandomKernel::kNeededBarrier);
  }
  for (const std::size_t line : claims.stores) text_.annotate(line, RandomKernel::kNeededStore);
  for (const std::size_t line : outputStores_) text_.annotate(line, RandomKernel::kNeededStore);

  RandomKernel kernel;
  kernel.name = prefix_;
  kernel.isWild = isWild_;
  const std::string block = columns_ == threads_
                                ? fmt::format("[{}]", threads_)
                                : fmt::format("[{}, {}]", columns_, threads_ / columns_);
  kernel.launch = fmt::format(
      "// LAUNCH: {{\"kernel\": \"{}\", \"grid\": [{}], \"block\": {}, \"shared\": {}, {}\"args\": "
      "[\"buffer:{}:random:u32:{}\", \"buffer:{}\", \"u32:{}\"]}}",
      kernel.name, ctas_, block, dynamicShared_, hasVariables ? "\"repeat\": 2, " : "",
      kInputWords * 4, seed_ % 1000, kOutputs * threads_ * ctas_ * 4, rounds_);
  if (!isWild_) {
    kernel.guarantees = {"assume-drf",
                         "noalias-params",
                         "noalias-variables",
                         "nc-invariant",
                         "relax-trap",
                         "relax-timing",
                         fmt::format("block-dim={},{},1", columns_, threads_ / columns_)};
  }
  std::string& text = kernel.definitions;
  for (const std::string& definition : definitions_) text += definition + "\n";
  text += fmt::format(".visible .entry {}(.param .u64 in, .param .u64 out, .param .u32 n)\n",
                      kernel.name);
  if (statesBlock_) {
    text += fmt::format(".reqntid {}, {}, 1\n", columns_, threads_ / columns_);
  } else if (random_.percent(30)) {
    text += fmt::format(".maxntid {}, 1, 1\n", threads_);
  }
  text += "{\n";
  for (const std::string& line : text_.declarations()) text += line + "\n";
  for (const std::string& line : entryDeclarations_) text += line + "\n";
  for (const std::string& line : text_.lines()) text += line + "\n";
  text += "}\n";
  return kernel;
}

// ---- sequences ---------------------------------------------------------------------------------

template <std::size_t N>
void Generator::choose(const Choice (&choices)[N]) {
  std::uint32_t total = 0;
  for (const Choice& choice : choices) total += choice.weight;
  std::uint32_t at = random_.below(total);
  for (const Choice& choice : choices) {
    if (at < choice.weight) return (this->*choice.make)();
    at -= choice.weight;
  }
}

void Generator::block(std::uint32_t length) {
  const std::uint32_t extraBarriers = options_.bias == Bias::Barriers ? 30 : 6;
  for (std::uint32_t k = 0; k < length; ++k) {
    construct();
    if (uniform_ && random_.percent(extraBarriers)) barrier();
  }
}

void Generator::construct() {
  const bool barriers = options_.bias == Bias::Barriers;
  const bool phis = options_.bias == Bias::Phis;
  const std::uint32_t nest = depth_ < 3 ? (phis ? 12 : 5) : 0;
  const Choice everywhere[] = {
      {options_.bias == Bias::Redundancy ? 50u : 22u, &Generator::arithmetic},
      {10, &Generator::mix},
      {options_.bias == Bias::Variables ? 60u : 0u, &Generator::useVariable},
      {options_.bias == Bias::Pointers ? 60u : 0u, &Generator::usePointers},
      {phis ? 25u : 8u, &Generator::assign},
      {14, &Generator::ownAccess},
      {5, &Generator::anyRead},
      {3, &Generator::leaderAccess},
      {3, &Generator::atomics},
      {4, &Generator::inputLoad},
      {2, &Generator::table},
      {2, &Generator::localMemory},
      {options_.bias == Bias::Redundancy ? 14u : 0u, &Generator::useOwnBytes},
      {options_.bias == Bias::Redundancy ? 14u : 0u, &Generator::bitChain},
      {2, &Generator::specialRegister},
      {1, &Generator::fence},
      {isWild_ ? 2u : 0u, &Generator::strayBarrier},
      {nest, &Generator::divergentIf},
      {nest / 2, &Generator::divergentLoop},
      {nest / 3, &Generator::irreducible},
      {nest / 2, &Generator::forwardJumps},
      {nest / 3, &Generator::switchOver},
  };
  const Choice together[] = {
      {22, &Generator::exchange},
      {8, &Generator::warpCollective},
      {6, &Generator::callFunction},
      {5, &Generator::asyncCopy},
      {4, &Generator::warpExchange},
      {4, &Generator::reduction},
      {3, &Generator::reducingBarrier},
      {2, &Generator::splitBarrier},
      {2, &Generator::partialBarrier},
      {3, &Generator::output},
      {2, &Generator::earlyExit},
      {nest, &Generator::uniformIf},
      {nest, &Generator::uniformLoop},
      {barriers ? 5u : 1u, &Generator::backToBack},
      {barriers ? 5u : 1u, &Generator::leaderOnBothSides},
      {barriers ? 5u : 1u, &Generator::armsAndJoin},
      {barriers ? 3u : 1u, &Generator::guardedBarrier},
      {barriers ? 4u : 1u, &Generator::doubleBuffer},
      {1, &Generator::mbarrierExchange},
  };
  if (uniform_ && random_.percent(barriers ? 60 : 45)) {
    choose(together);
  } else {
    choose(everywhere);
  }
}

void Generator::nested(std::uint32_t length) {
  ++depth_;
  const auto mark = text_.mark();
  block(1 + random_.below(length));
  mix();
  text_.release(mark);
  --depth_;
}

// ---- values ------------------------------------------------------------------------------------

void Generator::arithmetic() {
  if (random_.percent(12)) return text_.computeUniform();
  for (std::uint32_t k = 1 + random_.below(3); k > 0; --k) text_.compute();
}

void Generator::mix() {
  constexpr Kind kKindsToMix[] = {Kind::B32, Kind::B32, Kind::B32, Kind::B64,
                                  Kind::F32, Kind::F64, Kind::B16, Kind::Pred};
  const Kind kind = random_.pick(kKindsToMix);
  mix(text_.value(kind), kind);
}

// Two different values give two different sums, whatever the sum was.
void Generator::mix(const std::string& value, Kind kind) {
  const auto convert = [&](std::string_view instruction) {
    const std::string result = text_.newRegister(Kind::B32);
    text_.emit(fmt::format("{} {}, {}", instruction, result, value));
    return result;
  };
  std::string word = value;
  switch (kind) {
    case Kind::B32:
      break;
    case Kind::B16:
      word = convert("cvt.u32.u16");
      break;
    case Kind::F32:
      word = convert("mov.b32");
      break;
    case Kind::B64:
    case Kind::F64: {
      const std::string high = text_.newRegister(Kind::B32);
      word = text_.newRegister(Kind::B32);
      text_.emit(fmt::format("mov.b64 {{{}, {}}}, {}", word, high, value));
      text_.emit(fmt::format("mad.lo.u32 {}, {}, 0xc2b2ae35, {}", sum_, sum_, high));
      break;
    }
    case Kind::Pred:
      word = text_.newRegister(Kind::B32);
      text_.emit(fmt::format("selp.u32 {}, 1, 0, {}", word, value));
      break;
  }
  text_.emit(fmt::format("mad.lo.u32 {}, {}, 0x9e3779b1, {}", sum_, sum_, word));
}

std::string Generator::predicate() {
  const std::string value = text_.value(Kind::Pred);
  return (random_.percent(50) ? "" : "!") + value;
}

void Generator::assign() {
  const std::string guard = random_.percent(50) ? fmt::format("@{} ", predicate()) : "";
  const std::string variable = text_.variable();
  constexpr std::string_view kPatterns[] = {"mov.u32 $D, $R", "mov.u32 $D, $K",
                                            "add.u32 $D, $R, $r", "xor.b32 $D, $R, $R",
                                            "mad.lo.u32 $D, $R, $K, $R"};
  text_.emit(guard + text_.expand(random_.pick(kPatterns), variable));
}

void Generator::warpCollective() {
  if (survivors_ != threads_ || threads_ % kWarp != 0) return arithmetic();
  const std::string result = text_.newRegister(Kind::B32);
  constexpr std::string_view kPatterns[] = {
      "shfl.sync.bfly.b32 $D, $R, $k, 31, -1", "shfl.sync.idx.b32 $D, $R, $k, 31, 0xffffffff",
      "shfl.sync.up.b32 $D, $R, $k, 0, -1",    "shfl.sync.down.b32 $D, $R, 1, 31, -1",
      "vote.sync.ballot.b32 $D, $p, -1",       "redux.sync.add.u32 $D, $R, 0xffffffff",
      "redux.sync.xor.b32 $D, $R, 0xffffffff", "match.any.sync.b32 $D, $R, -1"};
  if (random_.percent(10)) {
    const std::string yes = text_.newRegister(Kind::Pred);
    text_.emit(text_.expand(
        random_.percent(50) ? "vote.sync.any.pred $D, $p, -1" : "vote.sync.all.pred $D, !$p, -1",
        yes));
    return text_.add(Kind::Pred, yes);
  }
  text_.emit(text_.expand(random_.pick(kPatterns), result));
  text_.add(Kind::B32, result);
  mix(result, Kind::B32);
}

void Generator::specialRegister() {
  constexpr std::string_view kSame[] = {"%ntid.x", "%nctaid.x", "%ctaid.x", "%ntid.y"};
  constexpr std::string_view kVarying[] = {"%laneid", "%lanemask_lt", "%lanemask_ge", "%tid.x",
                                           "%tid.y"};
  const std::string result = text_.newRegister(Kind::B32);
  if (random_.percent(10)) {
    // When it runs must not show.
    text_.emit(fmt::format("mov.u32 {}, %clock", result));
    text_.emit(fmt::format("and.b32 {}, {}, 0", result, result));
    return mix(result, Kind::B32);
  }
  const bool same = random_.percent(50);
  text_.emit(
      fmt::format("mov.u32 {}, {}", result, same ? random_.pick(kSame) : random_.pick(kVarying)));
  if (same) return text_.addUniform(result);
  text_.add(Kind::B32, result);
}

std::string Generator::masked(const std::string& value, std::uint32_t size) {
  const std::string result = text_.newRegister(Kind::B32);
  text_.emit(fmt::format("and.b32 {}, {}, {}", result, value, std::bit_floor(size) - 1));
  return result;
}

void Generator::table() {
  const bool same = random_.percent(50);
  const std::string index = masked(same ? text_.uniform() : text_.value(Kind::B32), kTableWords);
  const std::string base = text_.newRegister(Kind::B64);
  const std::string address = text_.newRegister(Kind::B64);
  const std::string result = text_.newRegister(Kind::B32);
  text_.emit(fmt::format("mov.u64 {}, {}_table", base, prefix_));
  text_.emit(fmt::format("mad.wide.u32 {}, {}, 4, {}", address, index, base));
  text_.emit(fmt::format("ld.const.u32 {}, [{}]", result, address));
  if (same) return text_.addUniform(result);
  text_.add(Kind::B32, result);
}

void Generator::localMemory() {
  constexpr std::uint32_t kWords = 4;
  if (!hasLocal_) {
    entryDeclarations_.push_back(fmt::format("  .local .align 16 .b8 {}_local[16];", prefix_));
    hasLocal_ = true;
  }
  const std::string base = text_.newRegister(Kind::B64);
  text_.emit(fmt::format("mov.u64 {}, {}_local", base, prefix_));
  // Arguments of one call may be evaluated in any order: never two random ones.
  std::string words;
  for (std::uint32_t k = 0; k < kWords; ++k) {
    words = text_.value(Kind::B32) + (k == 0 ? "" : ", ") + words;
  }
  text_.emit(fmt::format("st.local.v4.u32 [{}], {{{}}}", base, words));
  const std::string at = text_.newRegister(Kind::B64);
  text_.emit(
      fmt::format("mad.wide.u32 {}, {}, 4, {}", at, masked(text_.value(Kind::B32), kWords), base));
  if (random_.percent(50)) {
    text_.emit(fmt::format("st.local.u32 [{}], {}", at, text_.value(Kind::B32)));
  }
  const std::string result = text_.newRegister(Kind::B32);
  const bool indexed = random_.percent(50);
  text_.emit(indexed ? fmt::format("ld.local.u32 {}, [{}]", result, at)
                     : fmt::format("ld.local.u32 {}, [{}+8]", result, base));
  text_.add(Kind::B32, result);
  mix(result, Kind::B32);
}

void Generator::useOwnBytes() {
  repeats_.declare(prefix_, entryDeclarations_);
  mixAll(random_.percent(75) ? repeats_.storesAndLoads() : repeats_.fork());
}

void Generator::bitChain() {
  mixAll(repeats_.bitChain());
}

void Generator::mixAll(const Repeats::Results& results) {
  for (const auto& [kind, result] : results) {
    text_.add(kind, result);
    mix(result, kind);
  }
}

void Generator::useVariable() {
  const std::string result = variables_.use();
  if (result.empty()) return;
  text_.add(Kind::B32, result);
  mix(result, Kind::B32);
}

void Generator::usePointers() {
  pointers_.use();
}

// By any threads, at any time.
void Generator::callPlain() {
  for (const Callee& callee : callees_) {
    if (callee.what != Callee::What::Pure && callee.what != Callee::What::Recursive) continue;
    const std::string first = text_.value(Kind::B32);
    const std::string second = text_.value(Kind::B32);
    const std::string result = text_.newRegister(Kind::B32);
    emitCall(text_, callee, callee.name, "call", {first, second}, result);
    return mix(result, Kind::B32);
  }
}

void Generator::callFunction() {
  if (callees_.empty()) return arithmetic();
  const Callee& callee = random_.pick(callees_);
  std::string first = text_.value(Kind::B32);
  if (callee.what == Callee::What::Slot) {
    const std::size_t array = someArray();
    const SlotMap map = someMap();
    if (!arrays_[array].isShared || !acquire(array, {Mode::Own, true, map})) return arithmetic();
    // A plain shared address; that of a generic or a global one is no argument.
    const std::string base = text_.newRegister(Kind::B32);
    const std::string address = text_.newRegister(Kind::B32);
    const std::string index = slotIndex(map);
    text_.emit(fmt::format("mov.u32 {}, {}", base, arrays_[array].name));
    text_.emit(fmt::format("mad.lo.u32 {}, {}, {}, {}", address, index, arrays_[array].slot, base));
    epochs_.record(footprint(array, map, false, 0, 4), std::nullopt, true);
    epochs_.record(footprint(array, map, true, 0, 4), std::nullopt, false);
    first = address;
  }
  const std::string second = text_.value(Kind::B32);
  const std::string result = text_.newRegister(Kind::B32);
  std::string target = callee.name;
  // What is called through a register may be anything: it cannot be known for a barrier.
  if (!callee.hasRegisterParameters && callee.what == Callee::What::Pure && random_.percent(20)) {
    target = text_.newRegister(Kind::B64);
    text_.emit(fmt::format("mov.u64 {}, {}", target, callee.name));
  }
  emitCall(text_, callee, target, "call.uni", {first, second}, result);
  if (callee.what == Callee::What::Barrier) epochs_.separate(std::nullopt);
  text_.add(Kind::B32, result);
  mix(result, Kind::B32);
}

std::string Generator::lessThan(const std::string& value, std::uint32_t bound) {
  const std::string result = text_.newRegister(Kind::Pred);
  text_.emit(fmt::format("setp.lt.u32 {}, {}, {}", result, value, bound));
  return result;
}

// ---- memory ------------------------------------------------------------------------------------

// Makes room for such an access, with a barrier if need be and possible.
bool Generator::acquire(std::size_t array, const Usage& usage) {
  if (!epochs_.allows(array, usage)) {
    if (!uniform_) return false;
    const bool forgets = isWild_ && random_.percent(30);
    if (forgets) {
      epochs_.separate(std::nullopt);
    } else {
      barrier();
    }
  }
  epochs_.enter(array, usage);
  return true;
}

SlotMap Generator::someMap() {
  if (random_.percent(60)) return {};
  const bool isPower = std::has_single_bit(threads_);
  switch (random_.below(3)) {
    case 0:
      if (isPower) return {SlotMap::Kind::Xor, 1 + random_.below(threads_ - 1)};
      [[fallthrough]];
    case 1:
      if (isPower) return {SlotMap::Kind::Rotate, 1 + random_.below(threads_ - 1)};
      [[fallthrough]];
    default:
      return {SlotMap::Kind::Reverse, 0};
  }
}

std::string Generator::slotIndex(const SlotMap& map) {
  if (map.kind == SlotMap::Kind::Identity) return tid_;
  const std::string result = text_.newRegister(Kind::B32);
  switch (map.kind) {
    case SlotMap::Kind::Xor:
      text_.emit(fmt::format("xor.b32 {}, {}, {}", result, tid_, map.amount));
      break;
    case SlotMap::Kind::Rotate: {
      const std::string turned = text_.newRegister(Kind::B32);
      text_.emit(fmt::format("add.u32 {}, {}, {}", turned, tid_, map.amount));
      text_.emit(fmt::format("and.b32 {}, {}, {}", result, turned, threads_ - 1));
      break;
    }
    default:
      text_.emit(fmt::format("sub.u32 {}, {}, {}", result, threads_ - 1, tid_));
      break;
  }
  return result;
}

Address Generator::slotAddress(std::size_t which, const std::string& index) {
  const Array& array = arrays_[which];
  if (!array.isShared) {
    const std::string whole = text_.newRegister(Kind::B32);
    const std::string base = text_.newRegister(Kind::B64);
    const std::string address = text_.newRegister(Kind::B64);
    text_.emit(fmt::format("mad.lo.u32 {}, {}, {}, {}", whole, cta_, threads_, index));
    text_.emit(fmt::format("mov.u64 {}, {}", base, array.name));
    text_.emit(fmt::format("mad.wide.u32 {}, {}, {}, {}", address, whole, array.slot, base));
    return {".global", address};
  }
  const std::string base = text_.newRegister(Kind::B32);
  const std::string address = text_.newRegister(Kind::B32);
  text_.emit(fmt::format("mov.u32 {}, {}", base, array.name));
  if (random_.percent(50)) {
    text_.emit(fmt::format("mad.lo.u32 {}, {}, {}, {}", address, index, array.slot, base));
  } else {
    const std::string offset = text_.newRegister(Kind::B32);
    text_.emit(fmt::format("shl.b32 {}, {}, {}", offset, index, std::countr_zero(array.slot)));
    text_.emit(fmt::format("add.u32 {}, {}, {}", address, base, offset));
  }
  if (random_.percent(88)) return {".shared", address};
  const std::string wide = text_.newRegister(Kind::B64);
  const std::string generic = text_.newRegister(Kind::B64);
  text_.emit(fmt::format("cvt.u64.u32 {}, {}", wide, address));
  text_.emit(fmt::format("cvta.shared.u64 {}, {}", generic, wide));
  return {"", generic};
}

Access Generator::footprint(std::size_t array, const SlotMap& map, bool writes,
                            std::uint32_t offset, std::uint32_t width) const {
  Access access{array, writes, width, {}};
  for (std::uint32_t t = 0; t < threads_; ++t) {
    const std::uint32_t at = map.at(t, threads_) * arrays_[array].slot + offset;
    access.offsets.push_back(t < survivors_ ? static_cast<std::int32_t>(at) : kNotExecuted);
  }
  return access;
}

// Some bytes of the slot.
Access Generator::part(std::size_t array, const SlotMap& map, bool writes) {
  const std::uint32_t slot = arrays_[array].slot;
  std::uint32_t width = slot;
  if (random_.percent(slot == 4 ? 15 : 50)) {
    width = random_.percent(60) ? 4 : 1u << random_.below(3);
  }
  const std::uint32_t offset = random_.below(slot / width) * width;
  return footprint(array, map, writes, offset, width);
}

namespace {
std::uint32_t offsetInSlot(const Access& access, std::uint32_t slot) {
  for (const std::int32_t offset : access.offsets) {
    if (offset != kNotExecuted) return static_cast<std::uint32_t>(offset) % slot;
  }
  return 0;
}
std::string addressText(const Address& address, std::uint32_t offset) {
  return offset == 0 ? fmt::format("[{}]", address.base)
                     : fmt::format("[{}+{}]", address.base, offset);
}
}  // namespace

// `exact`: `access` says what every thread reads.
void Generator::load(std::size_t array, const Address& address, Access access, bool exact) {
  const std::string at = addressText(address, offsetInSlot(access, arrays_[array].slot));
  const std::string isVolatile = random_.percent(5) ? ".volatile" : "";
  // First by a relaxed load, for some.
  const bool isTwice = options_.bias == Bias::Redundancy && random_.percent(12);
  const auto fresh = [&](Kind kind) { return text_.newRegister(kind); };
  const auto emit = [&](std::string_view type, const std::string& to) {
    text_.emit(fmt::format("ld{}{}.{} {}, {}", isVolatile, address.space, type, to, at));
  };
  const auto whole = [&](Kind kind, std::string_view type) {
    if (isTwice) {
      const std::string relaxed = fresh(kind);
      text_.emit(fmt::format("ld.relaxed.cta{}.{} {}, {}", address.space, type, relaxed, at));
      mix(relaxed, kind);
    }
    const std::string result = fresh(kind);
    emit(type, result);
    text_.add(kind, result);
    mix(result, kind);
  };
  const auto several = [&](std::size_t count, Kind kind, std::string_view type) {
    std::vector<std::string> parts;
    std::string list;
    for (std::size_t k = 0; k < count; ++k) {
      parts.push_back(fresh(kind));
      list += (k == 0 ? "{" : ", ") + parts.back();
    }
    emit(type, list + "}");
    for (const std::string& each : parts) {
      text_.add(kind, each);
      mix(each, kind);
    }
  };
  switch (access.width) {
    case 1:
      whole(Kind::B32, random_.percent(50) ? "u8" : "s8");
      break;
    case 2:
      if (random_.percent(50)) {
        whole(Kind::B16, "b16");
      } else {
        whole(Kind::B32, "s16");
      }
      break;
    case 4:
      if (random_.percent(20)) {
        whole(Kind::F32, "f32");
      } else {
        whole(Kind::B32, "u32");
      }
      break;
    case 8:
      if (random_.percent(50)) {
        whole(Kind::B64, "b64");
      } else {
        several(2, Kind::B32, "v2.u32");
      }
      break;
    default:
      if (random_.percent(60)) {
        several(4, Kind::B32, "v4.u32");
      } else {
        several(2, Kind::B64, "v2.b64");
      }
      break;
  }
  if (!exact) access.offsets.clear();
  epochs_.record(std::move(access), std::nullopt, exact);
}

void Generator::store(std::size_t array, const Address& address, Access access) {
  const std::string at = addressText(address, offsetInSlot(access, arrays_[array].slot));
  const std::string isVolatile = random_.percent(5) ? ".volatile" : "";
  // The sum of a moment ago is a value that has not been there before.  It is turned, because a sum
  // s that becomes s*odd + (s xor c) loses a bit each time.
  const std::string turned = text_.newRegister(Kind::B32);
  const std::string value = text_.newRegister(Kind::B32);
  text_.emit(
      fmt::format("shf.l.wrap.b32 {}, {}, {}, {}", turned, sum_, sum_, 5 + random_.below(22)));
  text_.emit(fmt::format("xor.b32 {}, {}, {:#x}", value, turned,
                         static_cast<std::uint32_t>(random_.next())));
  const auto another = [&] {
    const std::string result = text_.newRegister(Kind::B32);
    text_.emit(fmt::format("mul.lo.u32 {}, {}, 0x85ebca6b", result, value));
    return result;
  };
  std::string type;
  std::string data = value;
  switch (access.width) {
    case 1:
      type = "u8";
      break;
    case 2:
      type = "u16";
      data = text_.newRegister(Kind::B16);
      text_.emit(fmt::format("cvt.u16.u32 {}, {}", data, value));
      break;
    case 4:
      type = "u32";
      break;
    case 8:
      if (random_.percent(50)) {
        type = "v2.u32";
        data = fmt::format("{{{}, {}}}", value, another());
      } else {
        type = "b64";
        data = text_.newRegister(Kind::B64);
        text_.emit(fmt::format("mul.wide.u32 {}, {}, 0x9e3779b1", data, value));
      }
      break;
    default:
      type = "v4.u32";
      data = fmt::format("{{{0}, {1}, {1}, {0}}}", value, another());
      break;
  }
  const std::size_t line = text_.emit(
      fmt::format("{}st{}{}.{} {}, {}", guard_, isVolatile, address.space, type, at, data));
  epochs_.record(std::move(access), line, false);
}

void Generator::ownStore(std::size_t array, const SlotMap& map) {
  const Access access = part(array, map, true);
  store(array, slotAddress(array, slotIndex(map)), access);
}

void Generator::ownLoad(std::size_t array, const SlotMap& map) {
  const Access access = part(array, map, false);
  load(array, slotAddress(array, slotIndex(map)), access, true);
}

void Generator::ownAccess() {
  const std::size_t array = someArray();
  // Most often the slots that are in use already.
  const Usage& now = epochs_.usages()[array];
  const SlotMap map = now.mode == Mode::Own && random_.percent(80) ? now.map : someMap();
  const bool writes = random_.percent(60);
  if (!acquire(array, {Mode::Own, writes, map})) return arithmetic();
  if (writes) {
    const bool isGuarded = random_.percent(15);
    if (isGuarded) {
      guard_ = fmt::format("@{} ", predicate());
      epochs_.beginUncertain();
    }
    ownStore(array, map);
    if (isGuarded) epochs_.endUncertain();
    guard_.clear();
    if (random_.percent(30)) ownLoad(array, map);
  } else {
    ownLoad(array, map);
  }
}

// Each thread writes its slot and then reads that of another thread.
void Generator::exchange() {
  const std::size_t array = someArray();
  const SlotMap map = someMap();
  if (!acquire(array, {Mode::Own, true, map})) return arithmetic();
  ownStore(array, map);
  if (random_.percent(30)) arithmetic();
  if (random_.percent(15)) ownAccess();
  if (!acquire(array, {Mode::Read, false})) return;
  const SlotMap other = someMap();
  const Access access = part(array, other, false);
  load(array, slotAddress(array, slotIndex(other)), access, true);
}

void Generator::anyRead() {
  const std::size_t array = someArray();
  if (!acquire(array, {Mode::Read, false})) return arithmetic();
  const std::string index = masked(text_.value(Kind::B32), threads_);
  const Access access = part(array, {}, false);
  load(array, slotAddress(array, index), access, false);
}

void Generator::leaderAccess() {
  const std::size_t array = someArray();
  const std::uint32_t leader = random_.percent(60) ? 0 : random_.below(survivors_);
  const bool writes = random_.percent(70);
  if (!acquire(array, {Mode::Leader, writes, {}, leader})) return arithmetic();
  const std::string is = text_.newRegister(Kind::Pred);
  const std::string skip = text_.newLabel();
  text_.emit(fmt::format("setp.ne.u32 {}, {}, {}", is, tid_, leader));
  text_.emit(fmt::format("@{} bra {}", is, skip));
  const auto mark = text_.mark();
  const std::uint32_t slot = random_.below(threads_);
  const Address address = slotAddress(array, std::to_string(slot));
  Access access = part(array, {}, writes);
  const std::uint32_t offset = offsetInSlot(access, arrays_[array].slot);
  access.offsets.assign(threads_, kNotExecuted);
  access.offsets[leader] = static_cast<std::int32_t>(slot * arrays_[array].slot + offset);
  if (writes) {
    store(array, address, access);
  } else {
    load(array, address, access, true);
  }
  text_.release(mark);
  text_.label(skip);
}

void Generator::atomics() {
  if (random_.percent(30)) {
    const std::string base = text_.newRegister(Kind::B64);
    text_.emit(fmt::format("mov.u64 {}, {}_total", base, prefix_));
    const std::string value = text_.value(Kind::B32);
    text_.emit(fmt::format("red.global.add.u32 [{}+{}], {}", base, 4 * random_.below(4), value));
    return;
  }
  const std::size_t array = someArray();
  if (!acquire(array, {Mode::Atomic, true})) return arithmetic();
  const Address address = slotAddress(array, masked(text_.value(Kind::B32), threads_));
  if (random_.percent(70)) {
    text_.emit(fmt::format("red{}.{} [{}], {}", address.space, arrays_[array].atomic, address.base,
                           text_.value(Kind::B32)));
  } else {
    text_.emit(fmt::format("atom{}.{} {}, [{}], {}", address.space, arrays_[array].atomic,
                           text_.newRegister(Kind::B32), address.base, text_.value(Kind::B32)));
  }
  epochs_.record({array, true, 4, {}}, std::nullopt, false);
}

void Generator::asyncCopy() {
  const std::size_t array = someArray();
  const SlotMap map = someMap();
  if (!arrays_[array].isShared || !acquire(array, {Mode::Own, true, map})) return arithmetic();
  const std::uint32_t width = arrays_[array].slot;
  const std::string index = slotIndex(map);
  const std::string base = text_.newRegister(Kind::B32);
  const std::string to = text_.newRegister(Kind::B32);
  const std::string from = text_.newRegister(Kind::B64);
  const std::string source = masked(text_.value(Kind::B32), kInputWords * 4 / width);
  text_.emit(fmt::format("mov.u32 {}, {}", base, arrays_[array].name));
  text_.emit(fmt::format("mad.lo.u32 {}, {}, {}, {}", to, index, width, base));
  text_.emit(fmt::format("mad.wide.u32 {}, {}, {}, {}", from, source, width, in_));
  text_.emit(fmt::format("cp.async.ca.shared.global [{}], [{}], {}", to, from, width));
  const bool inGroup = random_.percent(60);
  if (inGroup) text_.emit("cp.async.commit_group");
  for (std::uint32_t k = random_.below(3); k > 0; --k) arithmetic();
  if (random_.percent(20)) {
    barrier();  // orders nothing of the copy: docs/soundness/ A6.1
    epochs_.enter(array, {Mode::Own, true, map});
  }
  text_.emit(inGroup ? "cp.async.wait_group 0" : "cp.async.wait_all");
  epochs_.record(footprint(array, map, true, 0, width), std::nullopt, false);
  if (random_.percent(30)) return ownLoad(array, map);
  if (!acquire(array, {Mode::Read, false})) return;
  const SlotMap other = someMap();
  const Access access = part(array, other, false);
  load(array, slotAddress(array, slotIndex(other)), access, true);
}

void Generator::warpExchange() {
  const std::size_t array = someArray();
  const bool fits = survivors_ == threads_ && threads_ % kWarp == 0;
  if (!fits || !acquire(array, {Mode::Warp, true})) return arithmetic();
  const Address mine = slotAddress(array, tid_);
  store(array, mine, footprint(array, {}, true, 0, 4));
  epochs_.meetInWarps();
  text_.emit("bar.warp.sync 0xffffffff");
  const SlotMap map{SlotMap::Kind::Xor, 1 + random_.below(kWarp - 1)};
  load(array, slotAddress(array, slotIndex(map)), footprint(array, map, false, 0, 4), true);
  text_.emit("bar.warp.sync -1");
}

// A tree: in each step the lower half adds what the upper half has.
void Generator::reduction() {
  const std::size_t array = someArray();
  if (!std::has_single_bit(threads_) || survivors_ != threads_ ||
      !acquire(array, {Mode::Own, true, {}})) {
    return arithmetic();
  }
  const Address mine = slotAddress(array, tid_);
  const std::uint32_t slot = arrays_[array].slot;
  store(array, mine, footprint(array, {}, true, 0, 4));
  for (std::uint32_t half = threads_ / 2; half > 0; half /= 2) {
    barrier();
    const std::string active = lessThan(tid_, half);
    const std::string skip = text_.newLabel();
    text_.emit(fmt::format("@!{} bra {}", active, skip));
    const std::string left = text_.newRegister(Kind::B32);
    const std::string right = text_.newRegister(Kind::B32);
    const std::string both = text_.newRegister(Kind::B32);
    const auto step = [&](bool writes, std::uint32_t distance) {
      Access access{array, writes, 4, {}};
      for (std::uint32_t t = 0; t < threads_; ++t) {
        const std::uint32_t at = (t + distance) * slot;
        access.offsets.push_back(t < half ? static_cast<std::int32_t>(at) : kNotExecuted);
      }
      return access;
    };
    text_.emit(fmt::format("ld{}.u32 {}, [{}]", mine.space, left, mine.base));
    text_.emit(fmt::format("ld{}.u32 {}, [{}+{}]", mine.space, right, mine.base, half * slot));
    text_.emit(fmt::format("add.u32 {}, {}, {}", both, left, right));
    const std::size_t line =
        text_.emit(fmt::format("st{}.u32 [{}], {}", mine.space, mine.base, both));
    text_.label(skip);
    epochs_.record(step(false, 0), std::nullopt, true);
    epochs_.record(step(false, half), std::nullopt, true);
    epochs_.record(step(true, 0), line, false);
    // Read by others and written in one epoch: nothing else before the next barrier.
    epochs_.enter(array, {Mode::Mixed, true});
    if (options_.bias != Bias::Barriers && half <= 8 && random_.percent(30)) break;
  }
  const Usage whole{Mode::Read, false};
  if (!acquire(array, whole)) return;
  Access root{array, false, 4, {}};
  root.offsets.assign(threads_, 0);
  load(array, slotAddress(array, "0"), root, true);
}

void Generator::inputLoad() {
  const std::string index = masked(text_.value(Kind::B32), kInputWords);
  const std::string address = text_.newRegister(Kind::B64);
  const std::string result = text_.newRegister(Kind::B32);
  constexpr std::string_view kLoads[] = {"ld.global.u32", "ld.global.nc.u32", "ld.global.u32",
                                         "ld.global.ca.u32"};
  text_.emit(fmt::format("mad.wide.u32 {}, {}, 4, {}", address, index, in_));
  text_.emit(fmt::format("{} {}, [{}]", random_.pick(kLoads), result, address));
  text_.add(Kind::B32, result);
  if (random_.percent(50)) mix(result, Kind::B32);
}

void Generator::output() {
  if (depth_ != 0 || outputs_ == kOutputs) return arithmetic();
  const std::size_t line = text_.emit(
      fmt::format("st.global.u32 [{}+{}], {}", out_, outputs_++ * threads_ * ctas_ * 4, sum_));
  outputStores_.push_back(line);
}

// ---- barriers ----------------------------------------------------------------------------------

void Generator::barrier() {
  if (random_.percent(4)) return reducingBarrier();
  plainBarrier();
}

void Generator::plainBarrier() {
  std::string text = "bar.sync 0";
  switch (random_.below(20)) {
    case 0:
      text = "barrier.sync 0";
      break;
    case 1:
      text = "barrier.sync.aligned 0";
      break;
    case 2:
      text = "bar.cta.sync 0";
      break;
    case 3:
      text = fmt::format("bar.sync {}", random_.below(kPartialId));
      break;
    case 4:
      if (survivors_ == threads_ && threads_ % kWarp == 0) {
        text = fmt::format("bar.sync 7, {}", threads_);
      }
      break;
    case 5: {
      if (!isOdd_) break;
      const std::string id = text_.newRegister(Kind::B32);
      text_.emit(fmt::format("mov.u32 {}, {}", id, random_.below(kPartialId - 1)));
      text = fmt::format("bar.sync {}", id);
      break;
    }
    default:
      break;
  }
  epochs_.separate(text_.emit(text));
}

void Generator::reducingBarrier() {
  if (random_.percent(50)) {
    const std::string result = text_.newRegister(Kind::B32);
    text_.emit(text_.expand("bar.red.popc.u32 $D, 0, $p", result));
    text_.addUniform(result);
    mix(result, Kind::B32);
  } else {
    const std::string result = text_.newRegister(Kind::Pred);
    text_.emit(text_.expand(
        random_.percent(50) ? "barrier.red.or.pred $D, 0, $p" : "bar.red.and.pred $D, 1, !$p",
        result));
    text_.add(Kind::Pred, result);
  }
  epochs_.separate(std::nullopt);
}

// Some warps meet the others at another place of the program.
void Generator::splitBarrier() {
  if (!isOdd_ || threads_ <= kWarp) return barrier();
  const std::string low = lessThan(tid_, kWarp);
  const std::string other = text_.newLabel();
  const std::string join = text_.newLabel();
  text_.emit(fmt::format("@!{} bra {}", low, other));
  const auto mark = text_.mark();
  uniform_ = false;
  epochs_.beginUncertain();
  if (random_.percent(50)) arithmetic();
  mix();
  text_.emit("barrier.sync 0");
  text_.emit("bra " + join);
  text_.release(mark);
  text_.label(other);
  mix();
  text_.emit("barrier.sync 0");
  text_.release(mark);
  epochs_.endUncertain();
  uniform_ = true;
  text_.label(join);
  epochs_.separate(std::nullopt);
}

// One warp hands something to another one.
void Generator::partialBarrier() {
  const std::size_t array = someArray();
  const bool fits = survivors_ == threads_ && threads_ % kWarp == 0 && threads_ > kWarp;
  if (!fits || !acquire(array, {Mode::Mixed, true})) return barrier();
  const std::uint32_t id = kPartialId + random_.below(16 - kPartialId);
  const std::string warp = text_.newRegister(Kind::B32);
  const std::string first = text_.newRegister(Kind::Pred);
  const std::string second = text_.newRegister(Kind::Pred);
  const std::string consume = text_.newLabel();
  const std::string join = text_.newLabel();
  epochs_.taint();
  epochs_.beginUncertain();
  text_.emit(fmt::format("shr.u32 {}, {}, 5", warp, tid_));
  text_.emit(fmt::format("setp.eq.u32 {}, {}, 0", first, warp));
  text_.emit(fmt::format("setp.eq.u32 {}, {}, 1", second, warp));
  text_.emit(fmt::format("@!{} bra {}", first, consume));
  const auto mark = text_.mark();
  store(array, slotAddress(array, lane_), {array, true, 4, {}});
  text_.emit(fmt::format("bar.{} {}, 64", random_.percent(60) ? "arrive" : "sync", id));
  text_.emit("bra " + join);
  text_.release(mark);
  text_.label(consume);
  text_.emit(fmt::format("@!{} bra {}", second, join));
  text_.emit(fmt::format("bar.sync {}, 64", id));
  load(array, slotAddress(array, lane_), {array, false, 4, {}}, false);
  text_.release(mark);
  text_.label(join);
  epochs_.endUncertain();
  // The next generation of this barrier must not mix with this one.
  barrier();
}

void Generator::fence() {
  constexpr std::string_view kFences[] = {"membar.cta", "membar.gl", "fence.acq_rel.cta",
                                          "fence.acq_rel.gpu", "fence.sc.cta"};
  text_.emit(std::string(random_.pick(kFences)));
  epochs_.taint();
}

void Generator::backToBack() {
  for (std::uint32_t k = 2 + random_.below(3); k > 0; --k) {
    plainBarrier();
    if (random_.percent(30)) arithmetic();
    if (random_.percent(20)) warpCollective();
  }
}

void Generator::leaderOnBothSides() {
  const std::size_t array = someArray();
  if (!acquire(array, {Mode::Leader, true, {}, 0})) return arithmetic();
  const auto byLeader = [&](bool writes) {
    const std::string is = text_.newRegister(Kind::Pred);
    const std::string skip = text_.newLabel();
    text_.emit(fmt::format("setp.ne.u32 {}, {}, 0", is, tid_));
    text_.emit(fmt::format("@{} bra {}", is, skip));
    const auto mark = text_.mark();
    Access access{array, writes, 4, std::vector<std::int32_t>(threads_, kNotExecuted)};
    access.offsets[0] = 0;
    if (writes) {
      store(array, slotAddress(array, "0"), access);
    } else {
      load(array, slotAddress(array, "0"), access, true);
    }
    text_.release(mark);
    text_.label(skip);
  };
  byLeader(true);
  plainBarrier();
  epochs_.enter(array, {Mode::Leader, true, {}, 0});
  byLeader(random_.percent(50));
}

void Generator::armsAndJoin() {
  const std::string condition = text_.newRegister(Kind::Pred);
  text_.emit(text_.expand("setp.lt.u32 $D, $u, $K", condition));
  const std::string otherwise = text_.newLabel();
  const std::string join = text_.newLabel();
  epochs_.beginUncertain();
  text_.emit(fmt::format("@!{} bra {}", condition, otherwise));
  ++depth_;
  const auto mark = text_.mark();
  const std::vector<Usage> before = epochs_.usages();
  mix();
  plainBarrier();
  text_.emit("bra " + join);
  text_.release(mark);
  text_.label(otherwise);
  epochs_.setUsages(before);
  if (random_.percent(50)) exchange();
  plainBarrier();
  text_.release(mark);
  --depth_;
  epochs_.endUncertain();
  text_.label(join);
  if (random_.percent(60)) plainBarrier();
}

// Executed by all threads or by none.
void Generator::guardedBarrier() {
  const std::string condition = text_.newRegister(Kind::Pred);
  text_.emit(text_.expand("setp.ge.u32 $D, $u, $K", condition));
  const std::vector<Usage> before = epochs_.usages();
  epochs_.beginUncertain();
  text_.emit(fmt::format("@{} bar.sync 0", condition));
  epochs_.separate(std::nullopt);
  epochs_.endUncertain();
  epochs_.setUsages(before);
}

// Of a wild kernel: some threads may come here, or all, or none.
void Generator::strayBarrier() {
  text_.emit(random_.percent(50) ? "barrier.sync 0" : "bar.sync 0");
}

// Arrives at an mbarrier and waits for its phase, in place of a barrier.
void Generator::mbarrierExchange() {
  const std::size_t array = someArray();
  const SlotMap map = someMap();
  if (depth_ != 0 || survivors_ != threads_ || !arrays_[array].isShared) return arithmetic();
  const std::string object = fmt::format("{}_m{}", prefix_, mbarriers_++);
  entryDeclarations_.push_back(fmt::format("  .shared .align 8 .b64 {};", object));
  const std::string other = text_.newRegister(Kind::Pred);
  const std::string done = text_.newRegister(Kind::Pred);
  const std::string state = text_.newRegister(Kind::B64);
  const std::string skip = text_.newLabel();
  const std::string wait = text_.newLabel();
  text_.emit(fmt::format("setp.ne.u32 {}, {}, 0", other, tid_));
  text_.emit(fmt::format("@{} bra {}", other, skip));
  text_.emit(fmt::format("mbarrier.init.shared.b64 [{}], {}", object, threads_));
  text_.label(skip);
  plainBarrier();
  epochs_.taint();
  epochs_.enter(array, {Mode::Own, true, map});
  ownStore(array, map);
  text_.emit(fmt::format("mbarrier.arrive.shared.b64 {}, [{}]", state, object));
  text_.label(wait);
  text_.emit(fmt::format("mbarrier.test_wait.shared.b64 {}, [{}], {}", done, object, state));
  text_.emit(fmt::format("@!{} bra {}", done, wait));
  epochs_.setUsages(std::vector<Usage>(arrays_.size(), {Mode::Mixed, true}));
  ownLoad(array, someMap());
}

// Two arrays in turn: one barrier in each round, where one array would need two.
void Generator::doubleBuffer() {
  std::size_t front = someArray();
  std::size_t back = someArray();
  if (front == back) return exchange();
  if (!acquire(front, {Mode::Own, true, {}})) return;
  ownStore(front, {});
  for (std::uint32_t round = 1 + random_.below(3); round > 0; --round) {
    plainBarrier();
    epochs_.enter(front, {Mode::Read, false});
    ownLoad(front, someMap());
    if (!acquire(back, {Mode::Own, true, {}})) return;
    ownStore(back, {});
    std::swap(front, back);
  }
}

// ---- control -----------------------------------------------------------------------------------

void Generator::uniformIf() {
  const std::string condition = text_.newRegister(Kind::Pred);
  text_.emit(text_.expand(random_.percent(50) ? "setp.gt.u32 $D, $u, $u" : "setp.lt.s32 $D, $u, $K",
                          condition));
  const std::string otherwise = text_.newLabel();
  const std::string join = text_.newLabel();
  const bool hasOther = random_.percent(60);
  epochs_.beginUncertain();
  text_.emit(fmt::format("@{} bra {}", condition, hasOther ? otherwise : join));
  const std::vector<Usage> before = epochs_.usages();
  nested(4);
  const std::vector<Usage> first = epochs_.usages();
  epochs_.setUsages(before);
  if (hasOther) {
    text_.emit("bra.uni " + join);
    text_.label(otherwise);
    nested(4);
  }
  text_.label(join);
  epochs_.endUncertain();
  std::vector<Usage> merged = epochs_.usages();
  for (std::size_t k = 0; k < merged.size(); ++k) {
    if (compatible(merged[k], first[k])) {
      merged[k] = combine(merged[k], first[k]);
    } else {
      merged[k].mode = Mode::Mixed;
    }
  }
  epochs_.setUsages(merged);
}

void Generator::divergentIf() {
  const std::string condition = predicate();
  const std::string otherwise = text_.newLabel();
  const std::string join = text_.newLabel();
  const bool hasOther = random_.percent(50);
  const bool wasUniform = std::exchange(uniform_, false);
  epochs_.beginUncertain();
  text_.emit(fmt::format("@{} bra {}", condition, hasOther ? otherwise : join));
  nested(4);
  if (hasOther) {
    text_.emit("bra " + join);
    text_.label(otherwise);
    nested(4);
  }
  text_.label(join);
  epochs_.endUncertain();
  uniform_ = wasUniform;
}

// As often for every thread, once at least.
void Generator::uniformLoop() {
  const std::string i = text_.newRegister(Kind::B32);
  const std::string again = text_.newRegister(Kind::Pred);
  const std::string head = text_.newLabel();
  const std::string end = text_.newLabel();
  const std::string bound = random_.percent(50) ? n_ : std::to_string(1 + random_.below(3));
  const bool testsFirst = random_.percent(40);
  text_.emit(fmt::format("mov.u32 {}, 0", i));
  text_.label(head);
  const auto mark = text_.mark();
  if (testsFirst) {
    text_.emit(fmt::format("setp.ge.u32 {}, {}, {}", again, i, bound));
    text_.emit(fmt::format("@{} bra {}", again, end));
  }
  text_.addUniform(i);
  epochs_.beginLoop();
  nested(4);
  if (!epochs_.endLoop()) barrier();
  text_.release(mark);
  text_.emit(fmt::format("add.u32 {}, {}, 1", i, i));
  if (testsFirst) {
    text_.emit("bra.uni " + head);
    text_.label(end);
  } else {
    text_.emit(fmt::format("setp.lt.u32 {}, {}, {}", again, i, bound));
    text_.emit(fmt::format("@{} bra {}", again, head));
  }
}

void Generator::divergentLoop() {
  const std::string left = text_.newRegister(Kind::B32);
  const std::string again = text_.newRegister(Kind::Pred);
  const std::string head = text_.newLabel();
  const std::string end = text_.newLabel();
  const bool wasUniform = std::exchange(uniform_, false);
  text_.emit(fmt::format("and.b32 {}, {}, 3", left, text_.value(Kind::B32)));
  epochs_.beginUncertain();
  text_.label(head);
  nested(3);
  if (random_.percent(40)) text_.emit(fmt::format("@{} bra {}", predicate(), end));
  if (random_.percent(40)) nested(2);
  text_.emit(fmt::format("setp.ne.u32 {}, {}, 0", again, left));
  text_.emit(fmt::format("sub.u32 {}, {}, 1", left, left));
  text_.emit(fmt::format("@{} bra {}", again, head));
  text_.label(end);
  epochs_.endUncertain();
  uniform_ = wasUniform;
}

// A loop with two entries.
void Generator::irreducible() {
  const std::string left = text_.newRegister(Kind::B32);
  const std::string again = text_.newRegister(Kind::Pred);
  const std::string head = text_.newLabel();
  const std::string middle = text_.newLabel();
  const bool wasUniform = std::exchange(uniform_, false);
  epochs_.beginUncertain();
  text_.emit(fmt::format("and.b32 {}, {}, 3", left, text_.value(Kind::B32)));
  text_.emit(fmt::format("@{} bra {}", predicate(), middle));
  text_.label(head);
  nested(3);
  assign();
  text_.label(middle);
  nested(3);
  text_.emit(fmt::format("setp.ne.u32 {}, {}, 0", again, left));
  text_.emit(fmt::format("sub.u32 {}, {}, 1", left, left));
  text_.emit(fmt::format("@{} bra {}", again, head));
  epochs_.endUncertain();
  uniform_ = wasUniform;
}

void Generator::forwardJumps() {
  const std::uint32_t count = 3 + random_.below(3);
  std::vector<std::string> labels;
  for (std::uint32_t k = 0; k <= count; ++k) labels.push_back(text_.newLabel());
  const bool wasUniform = std::exchange(uniform_, false);
  epochs_.beginUncertain();
  for (std::uint32_t k = 0; k < count; ++k) {
    if (k != 0) text_.label(labels[k]);
    nested(2);
    const std::uint32_t target = k + 1 + random_.below(count - k);
    text_.emit(fmt::format("@{} bra {}", predicate(), labels[target]));
    if (random_.percent(20)) {
      text_.emit("bra " + labels[k + 1 + random_.below(count - k)]);
    }
  }
  text_.label(labels[count]);
  epochs_.endUncertain();
  uniform_ = wasUniform;
}

void Generator::switchOver() {
  const std::uint32_t count = 2 + random_.below(3);
  const std::string index = text_.newRegister(Kind::B32);
  const std::string list = text_.newLabel();
  const std::string join = text_.newLabel();
  std::vector<std::string> labels;
  std::string targets;
  for (std::uint32_t k = 0; k < count; ++k) {
    labels.push_back(text_.newLabel());
    targets += (k == 0 ? "" : ", ") + labels.back();
  }
  const bool wasUniform = std::exchange(uniform_, false);
  epochs_.beginUncertain();
  text_.emit(fmt::format("rem.u32 {}, {}, {}", index, text_.value(Kind::B32), count));
  text_.emit(fmt::format("{}: .branchtargets {}", list, targets));
  text_.emit(fmt::format("brx.idx {}, {}", index, list));
  for (const std::string& label : labels) {
    text_.label(label);
    nested(3);
    if (random_.percent(80)) text_.emit("bra " + join);
  }
  text_.label(join);
  epochs_.endUncertain();
  uniform_ = wasUniform;
}

// Some threads put out what they have and leave; the others go on without them.
void Generator::earlyExit() {
  if (depth_ != 0 || survivors_ != threads_ || threads_ <= kWarp) return arithmetic();
  if (!epochs_.isIdle()) barrier();  // the exit orders nothing by itself
  const std::uint32_t stay =
      random_.percent(60) ? threads_ - kWarp : 1 + random_.below(threads_ - 1);
  const std::string stays = lessThan(tid_, stay);
  const std::string go = text_.newLabel();
  text_.emit(fmt::format("@{} bra {}", stays, go));
  const auto mark = text_.mark();
  if (random_.percent(40)) mix();
  outputStores_.push_back(text_.emit(fmt::format("st.global.u32 [{}], {}", out_, sum_)));
  text_.emit(random_.percent(60) ? "ret" : "exit");
  text_.release(mark);
  text_.label(go);
  survivors_ = stay;
}

}  // namespace

std::string_view targetOf(Bias bias) {
  return bias == Bias::Leaders || bias == Bias::Rules ? "sm_90" : "sm_80";
}

std::string moduleHeader(std::string_view target) {
  return fmt::format(".version {}\n.target {}\n.address_size 64\n",
                     target.ends_with("a") ? "8.6" : "8.5", target);
}

std::string RandomKernel::text() const {
  return launch + "\n" + moduleHeader(target) + definitions;
}

namespace {

RandomKernel generatePlain(std::uint64_t seed, const GeneratorOptions& options) {
  if (options.bias == Bias::Addresses || options.bias == Bias::Leaders) {
    return generateAddresses(seed, options);
  }
  if (options.bias == Bias::Rules) return generateRules(seed, options);
  if (options.bias == Bias::Async) return generateAsync(seed, options);
  if (options.bias == Bias::Heap) return generateHeap(seed, options);
  return Generator(seed, options).make();
}

}  // namespace

RandomKernel generate(std::uint64_t seed, const GeneratorOptions& options) {
  RandomKernel kernel = generatePlain(seed, options);
  if (options.isOdd) kernel.definitions = inOddForms(kernel.definitions, seed);
  return kernel;
}

}  // namespace ptxopt::fuzz
