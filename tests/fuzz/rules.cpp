// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "kernel_text.h"
#include "random.h"
#include "rule_plan.h"

namespace ptxopt::fuzz {

namespace {

using NodeKind = Node::Kind;
using Where = TrackedMemory::Where;

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kTableWords = 16;
constexpr std::uint32_t kStructureWords = 8;
constexpr std::uint32_t kSpillBytes = 32;  // of each thread: four numbers, two pointers
constexpr std::uint32_t kSpillNumbers = 4;
constexpr std::uint32_t kLocalBytes = 64;
constexpr std::uint32_t kBytesPerThread = 16;  // of arrays
constexpr std::uint32_t kPadding = 64;         // after them: what integers lead to
constexpr std::uint32_t kHandedId = 8;         // of the first barrier with a count
constexpr std::uint64_t kWordMask = 0xffffffff;

// What a register or a name is.
enum class Form : std::uint8_t {
  Number,
  Integer,  // of 64 bits
  Predicate,
  Shared32,
  Shared64,
  Cluster32,
  Cluster64,
  Generic,
  Global,
  Local,
  Constant,
  Parameter,
  Name,  // of a variable or of a parameter
};

bool isPointer(Form form) {
  return form >= Form::Shared32;
}
bool isNarrow(Form form) {
  return form == Form::Shared32 || form == Form::Cluster32;
}

struct Tracked {
  std::string name;
  Form form = Form::Number;
  bool isProtected = false;  // never written again
  bool isHidden = false;     // another register has its name
};

struct Array {
  std::size_t memory = 0;
  std::string space;        // ".shared"
  TrackedId name = 0;       // or, of a buffer, the pointer
  std::uint32_t part = 0;   // bytes of each CTA, of what CTAs share
  std::uint32_t bytes = 0;  // that a CTA, or a thread, uses
  bool isBuffer = false;
};

struct Guard {
  std::optional<TrackedId> predicate;
  bool isNegated = false;
  Mask mask;
  std::string text;  // "@!%p1 "
};

class Maker {
 public:
  Maker(std::uint64_t seed, const GeneratorOptions& options)
      : options_(options), seed_(seed), random_(seed), text_(random_) {
    prefix_ = fmt::format("k{}", seed);
  }

  RandomKernel make();

 private:
  struct Choice {
    std::uint32_t weight;
    void (Maker::*make)();
  };

  // the frame
  void chooseShape();
  void declare();
  void declareArrays();
  void declareTables();
  void declareFunctions();
  std::size_t addMemory(TrackedMemory memory);
  TrackedId addName(const std::string& name, std::size_t memory);
  void begin();
  void readThread();
  void initialize();
  void finish();
  std::string kernelText() const;
  std::string launch() const;

  // nodes
  Node& append(Node node);
  Node& text(std::vector<std::string> lines);
  void rerun();
  template <std::size_t N>
  void choose(const Choice (&choices)[N]);
  void block(std::uint32_t length);
  void construct();
  bool isWhole() const { return now_->isWholeCtas(here()); }
  Mask here() const { return mask_ & now_->alive(); }

  // registers
  TrackedId fresh(Form form);
  const std::string& name(TrackedId id) const { return tracked_[id].name; }
  template <class Test>
  std::optional<TrackedId> find(const Mask& mask, Test&& test);
  TrackedId number(const Mask& mask);
  bool differs(TrackedId id, std::uint32_t size) const;
  std::optional<TrackedId> predicateFor(const Mask& mask);
  std::string numberOr(const Mask& mask, std::optional<TrackedId>& id, std::uint32_t& value);
  TrackedId target(Form form, const Guard& guard);
  Guard someGuard(std::uint32_t percent);
  Guard guardBy(TrackedId predicate);
  Guard noGuard() const { return {std::nullopt, false, here(), ""}; }
  Node& define(const Guard& guard, const std::string& line, std::vector<TrackedId> sources,
               std::vector<TrackedId> results, std::function<void(ThreadValues&)> compute);
  void mixNumber();

  // definitions
  void defineSomething();
  void defineNumber(const Guard& guard);
  void defineArithmetic(const Guard& guard);
  void defineByTable(const Guard& guard);
  void defineBySpill(const Guard& guard);
  void definePair(const Guard& guard);
  void defineSpecial(const Guard& guard);
  void defineByCall(const Guard& guard);
  void definePredicate();
  void compareNumbers(const Guard& guard);
  void combinePredicates(const Guard& guard);
  void definePointer();
  void movePointer(TrackedId pointer);
  void convertPointer(TrackedId pointer);
  void selectPointer(TrackedId pointer);
  using SpillPlace = std::pair<std::uint32_t, std::uint32_t>;  // which, and where in it
  void spillPointer();
  bool canSpill(TrackedId id, SpillPlace place) const;
  void storePointer(TrackedId pointer, SpillPlace where, const Guard& guard);
  std::optional<TrackedId> loadPointer(SpillPlace where, const Guard& guard);
  void useChain();
  void tablePointer();
  void storeNumber();

  // accesses
  TrackedId bounded(TrackedId id, std::uint32_t count, const Mask& mask);
  TrackedId basePointer(const Array& array);
  TrackedId plus(TrackedId base, TrackedId index, std::uint32_t scale, const Guard& guard);
  std::string spaceOf(TrackedId pointer, bool isStore);
  std::string place(TrackedId pointer, std::int64_t offset) const;
  void dataAccess();
  void pointerAccess();
  void emitLoad(TrackedId pointer, std::int64_t offset, std::uint32_t width, const Guard& guard);
  bool emitStore(TrackedId pointer, std::int64_t offset, std::uint32_t width, Guard guard);
  void emitAdd(TrackedId pointer, std::int64_t offset, const Guard& guard);
  std::vector<std::string> mixed(const std::string& word) const;
  Guard leader();

  // control
  void barrier();
  void reducingBarrier();
  std::string barrierText(bool ofCluster);
  void branch();
  void loop();
  std::optional<TrackedId> splitter(bool byWarps);
  TrackedId compareWithOne(TrackedId id);
  TrackedId definePartly(bool byWarps);
  void defineSlot();
  void useSlot();
  void split();
  void exitEarly();
  void callExchange();
  void callBarrier();
  void scope();
  void handOver();
  void poll();
  void fence();
  std::vector<std::string> dataWord(std::string& word);

  const GeneratorOptions& options_;
  std::uint64_t seed_;
  Random random_;
  KernelText text_;
  std::string prefix_;
  RulePlan plan_;
  std::optional<RuleExecution> now_;
  NodeList* list_ = nullptr;
  Mask mask_;
  std::uint32_t depth_ = 0;
  std::uint32_t loops_ = 0;
  std::vector<Tracked> tracked_;
  std::vector<std::string> definitions_;
  std::vector<std::string> declarations_;
  std::vector<Array> arrays_;
  std::array<std::size_t, 2> favourites_{};
  std::vector<TrackedId> slots_;
  std::optional<TrackedId> lastPart_;  // who has the last thing that was defined in part
  std::vector<Array> spills_;
  std::vector<std::array<Form, 2>> spillForms_;
  std::vector<TrackedId> spillOwn_;
  std::vector<std::pair<TrackedId, std::uint32_t>> numberTables_;  // and their words
  std::vector<TrackedId> pointerTables_;                           // of four
  std::vector<Form> pointerTableForms_;

  std::array<std::uint32_t, 3> block_{64, 1, 1};
  bool isClustered_ = false;  // the launch says so
  bool statesBlock_ = false;
  bool statesMost_ = false;
  bool isWild_ = false;
  bool hasStrong_ = false;  // accesses
  bool hasFences_ = false;
  std::uint32_t splits_ = 0;  // that may still come: one alone leaves other barriers alone
  // Barriers stand under conditions that are the same for all threads, but do not look so.
  bool meetsAnywhere_ = false;
  bool wantsUniform_ = false;        // numbers that all threads of a CTA agree on
  std::optional<TrackedId> forced_;  // what is defined next
  bool aliasesParameters_ = false;
  bool aliasesVariables_ = false;
  bool isAlignedApart_ = false;  // an aligned barrier that some threads come to only
  std::uint32_t dynamicShared_ = 0;
  std::uint32_t handed_ = 0;
  std::uint32_t functions_ = 0;
  bool needsFlags_ = false;
  std::uint32_t small_ = 0;  // the parameters that are integers
  std::uint64_t large_ = 0;
  std::uint64_t largeMember_ = 0;
  bool usesM1_ = false;
  bool usesStructure_ = false;
  PointerValue second_;  // m1
  std::vector<std::uint32_t> structure_;
  std::vector<std::string> arguments_;

  TrackedId linear_ = 0, warp_ = 0, cta_ = 0, rank_ = 0, isLeader_ = 0, small32_ = 0, large64_ = 0,
            member_ = 0;
  bool isFlagGlobal_ = false;
  std::string sum_, out_, epoch_, flag_;
};

// ---- the frame ---------------------------------------------------------------------------------

void Maker::chooseShape() {
  constexpr std::array<std::uint32_t, 3> kShapes[] = {
      {64, 1, 1}, {64, 1, 1}, {64, 1, 1}, {96, 1, 1}, {128, 1, 1}, {32, 1, 1}, {48, 1, 1},
      {8, 8, 1},  {16, 4, 1}, {33, 2, 1}, {4, 4, 4},  {8, 2, 4},   {32, 1, 2}, {5, 7, 2}};
  constexpr std::array<std::uint32_t, 3> kFew[] = {{64, 1, 1}, {64, 1, 1}, {32, 1, 1},
                                                   {8, 8, 1},  {32, 1, 2}, {16, 2, 1}};
  const std::uint32_t kind = random_.below(100);
  isClustered_ = kind < 30;
  plan_.cluster = kind < 18 ? 2 : kind < 22 ? 4 : 1;
  block_ = plan_.cluster == 1 ? random_.pick(kShapes) : random_.pick(kFew);
  if (plan_.cluster == 4) block_ = {32, 1, 1};
  plan_.threads = block_[0] * block_[1] * block_[2];
  plan_.ctas = plan_.cluster;
  if (random_.percent(20) && 2 * plan_.total() <= kMostThreads / 2) plan_.ctas *= 2;
  statesBlock_ = random_.percent(50);
  statesMost_ = !statesBlock_ && random_.percent(40);
  isWild_ = random_.percent(options_.wildPercent);
  hasStrong_ = random_.percent(15);
  hasFences_ = random_.percent(20);
  splits_ = random_.percent(45) ? 1 : random_.percent(20) ? 4 : 0;
  meetsAnywhere_ = random_.percent(30);
}

std::size_t Maker::addMemory(TrackedMemory memory) {
  plan_.memories.push_back(std::move(memory));
  return plan_.memories.size() - 1;
}

TrackedId Maker::addName(const std::string& name, std::size_t memory) {
  tracked_.push_back({name, Form::Name, true});
  plan_.names.emplace_back(plan_.values, PointerValue{memory, 0, 0}.encoded());
  return plan_.values++;
}

void Maker::declareArrays() {
  const std::uint32_t bytes = std::bit_ceil(plan_.threads) * kBytesPerThread + kPadding;
  const auto add = [&](const std::string& what, Where where, const std::string& space,
                       const std::string& declaration, bool isInKernel) {
    Array array;
    const bool isGlobal = where == Where::Global;
    array.bytes = where == Where::Local ? kLocalBytes : bytes;
    array.part = isGlobal ? bytes : 0;
    array.space = space;
    const std::string name = fmt::format("{}_{}", prefix_, what);
    const std::uint32_t size = array.bytes * (isGlobal ? plan_.ctas : 1);
    array.memory = addMemory({name, where, size});
    (isInKernel ? declarations_ : definitions_)
        .push_back(fmt::format("{}{}{} .align 16 .b8 {}[{}];", isInKernel ? "  " : "", declaration,
                               space, name, declaration.empty() ? std::to_string(size) : ""));
    if (!declaration.empty()) dynamicShared_ = size;
    arrays_.push_back(array);
  };
  add("s0", Where::Shared, ".shared", "", random_.percent(50));
  if (random_.percent(70)) add("s1", Where::Shared, ".shared", "", random_.percent(50));
  if (random_.percent(15)) add("dyn", Where::Shared, ".shared", ".extern ", false);
  if (random_.percent(50)) add("g0", Where::Global, ".global", "", false);
  if (random_.percent(25)) add("g1", Where::Global, ".global", "", false);
  if (random_.percent(40)) add("l0", Where::Local, ".local", "", true);
  for (const char* parameter : {"m0", "m1"}) {
    Array array;
    array.bytes = array.part = bytes;
    array.space = ".global";
    array.isBuffer = true;
    array.memory = addMemory({parameter, Where::Global, bytes * plan_.ctas});
    arrays_.push_back(array);
  }
  constexpr std::string_view kSpaces[] = {".shared", ".global", ".local"};
  constexpr Where kWheres[] = {Where::Shared, Where::Global, Where::Local};
  for (std::size_t k = 0; k < std::size(kSpaces); ++k) {
    if (k != 2 && random_.percent(40)) continue;
    Array array;
    array.space = kSpaces[k];
    array.bytes = kSpillBytes;
    const std::string name = fmt::format("{}_spill{}", prefix_, k);
    const std::uint32_t users = k == 0 ? plan_.threads : k == 1 ? plan_.total() : 1;
    array.memory = addMemory({name, kWheres[k], users * kSpillBytes});
    (k == 1 ? definitions_ : declarations_)
        .push_back(fmt::format("{}{} .align 16 .b8 {}[{}];", k == 1 ? "" : "  ", array.space, name,
                               users * kSpillBytes));
    spills_.push_back(array);
    // Addresses in .shared and .local are a module's own business: the host sees .global.
    constexpr Form kForms[] = {Form::Generic, Form::Global, Form::Shared64, Form::Shared64,
                               Form::Cluster64};
    const auto form = [&] {
      return k == 1 ? (random_.percent(50) ? Form::Generic : Form::Global) : random_.pick(kForms);
    };
    const Form first = form();
    spillForms_.push_back({first, form()});
  }
}

void Maker::declareTables() {
  const auto bytesOf = [](const auto& words) {
    std::vector<std::uint8_t> bytes;
    for (const auto word : words) {
      for (std::size_t k = 0; k < sizeof word; ++k) {
        bytes.push_back(static_cast<std::uint8_t>(word >> (8 * k)));
      }
    }
    return bytes;
  };
  const auto listOf = [](const auto& words) {
    std::string list;
    for (const auto word : words) list += fmt::format("{}{}", list.empty() ? "" : ", ", word);
    return list;
  };
  // Small numbers, the linear id to and fro, and repetitions: what makes slots and leaders.
  const auto someWords = [&](std::uint32_t count) {
    std::vector<std::uint32_t> words;
    const std::uint32_t kind = random_.below(4);
    const std::uint32_t one = random_.below(8);
    for (std::uint32_t k = 0; k < count; ++k) {
      words.push_back(kind == 0   ? k
                      : kind == 1 ? k ^ one
                      : kind == 2 ? one
                                  : random_.below(plan_.threads));
    }
    return words;
  };
  const auto addTable = [&](const std::string& name, const std::vector<std::uint32_t>& words) {
    TrackedMemory memory{name, Where::Constant, static_cast<std::uint32_t>(4 * words.size()), true,
                         bytesOf(words)};
    numberTables_.emplace_back(addMemory(std::move(memory)), words.size());
  };
  const std::vector<std::uint32_t> table = someWords(kTableWords);
  definitions_.push_back(fmt::format(".const .align 16 .b32 {}_table[{}] = {{{}}};", prefix_,
                                     kTableWords, listOf(table)));
  addTable(prefix_ + "_table", table);
  structure_ = someWords(kStructureWords);
  arguments_[6] = "values:u32:" + listOf(structure_);
  std::erase(arguments_[6], ' ');
  addTable("words", structure_);
  std::vector<std::uint32_t> index = someWords(plan_.threads);
  arguments_[3] = fmt::format("buffer:{}:values:u32:{}", 4 * index.size(), listOf(index));
  std::erase(arguments_[3], ' ');
  addTable("index", index);

  // Pointers into variables, and by value in a parameter.
  std::vector<std::pair<std::size_t, bool>> globals;
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    if (arrays_[k].space == ".global") globals.emplace_back(k, arrays_[k].isBuffer);
  }
  const auto addPointers = [&](const std::string& space, const std::string& name, bool isGeneric) {
    std::vector<std::uint64_t> values;
    std::string list;
    for (std::uint32_t k = 0; k < 4; ++k) {
      const Array& array = arrays_[random_.pick(globals).first];
      if (array.isBuffer) return;  // some have none: no variable was picked
      const std::int64_t offset = 16 * random_.below(3);
      values.push_back(PointerValue{array.memory, 0, offset}.encoded());
      const std::string& variable = plan_.memories[array.memory].name;
      list += fmt::format("{}{}+{}", k == 0 ? "" : ", ",
                          isGeneric ? "generic(" + variable + ")" : variable, offset);
    }
    definitions_.push_back(fmt::format("{} .align 8 .u64 {}[4] = {{{}}};", space, name, list));
    pointerTables_.push_back(addMemory(
        {name, space == ".const" ? Where::Constant : Where::Global, 32, true, bytesOf(values)}));
    pointerTableForms_.push_back(isGeneric ? Form::Generic : Form::Global);
  };
  addPointers(".const", prefix_ + "_pointers", random_.percent(60));
  if (random_.percent(50)) addPointers(".global", prefix_ + "_places", random_.percent(60));
}

void Maker::declare() {
  small_ = random_.below(5);
  large_ = 8 * random_.below(5);
  arguments_ = {"", "", "", "", fmt::format("u32:{}", small_), fmt::format("u64:{}", large_),
                "", ""};
  declareArrays();
  declareTables();

  const std::size_t m0 = arrays_.size() - 2;
  const std::uint32_t size = plan_.memories[arrays_[m0].memory].bytes;
  arguments_[0] = fmt::format("buffer:{}", 4 * plan_.total());
  arguments_[1] = fmt::format("buffer:{}:random:u32:{}", size, seed_ % 1000);
  arguments_[2] = fmt::format("buffer:{}:random:u32:{}", size, seed_ % 1000 + 1);
  // m1 is a buffer of its own, which the parameter leads to, the structure, or both; or it is m0,
  // or a variable.
  const std::uint32_t kind = random_.below(100);
  usesM1_ = kind >= 30;
  usesStructure_ = kind < 45;
  second_ = {arrays_[m0 + 1].memory, 0, 0};
  aliasesParameters_ = usesM1_ && usesStructure_;
  if (kind >= 75 && kind < 88) {
    aliasesParameters_ = true;
    second_ = {arrays_[m0].memory, 0, 16 * random_.below(4)};
    arguments_[2] = fmt::format("values:u64:&arg1+{}", second_.offset);
  }
  for (const Array& array : arrays_) {
    if (kind < 88 || array.isBuffer || array.space != ".global") continue;
    aliasesVariables_ = true;
    second_ = {array.memory, 0, 16 * random_.below(4)};
    arguments_[2] =
        fmt::format("values:u64:&{}+{}", plan_.memories[array.memory].name, second_.offset);
  }
  arrays_[m0 + 1].memory = second_.memory;
  largeMember_ = 4 * random_.below(6);
  arguments_[7] = fmt::format("values:u64:{},{},0,0", usesStructure_ ? "&arg2" : "0", largeMember_);

  for (Array& array : arrays_) {
    if (!array.isBuffer) array.name = addName(plan_.memories[array.memory].name, array.memory);
  }
  for (Array& array : spills_) {
    array.name = addName(plan_.memories[array.memory].name, array.memory);
  }
  for (auto& [table, words] : numberTables_) {
    table = addName(plan_.memories[table].name, table);
  }
  for (TrackedId& table : pointerTables_) table = addName(plan_.memories[table].name, table);
  now_.emplace(plan_);
  for (std::size_t& favourite : favourites_) favourite = random_.below(arrays_.size());
}

// What they do is known: `Maker::defineByCall`, `callExchange` and `callBarrier`.
void Maker::declareFunctions() {
  functions_ = random_.below(8);
  definitions_.push_back(fmt::format(R"(.func (.param .b32 out) {0}_pure(.param .b32 x)
{{
  .reg .pred %p;
  .reg .b32 %a, %b;
  ld.param.b32 %a, [x];
  setp.gt.u32 %p, %a, 7;
  mov.u32 %b, %a;
  @%p xor.b32 %b, %a, 5;
  @!%p add.u32 %b, %a, 1;
  st.param.b32 [out], %b;
  ret;
}})",
                                     prefix_));
  definitions_.push_back(fmt::format(
      R"(.func (.param .b32 out) {0}_exchange(.param .b64 to, .param .b64 from, .param .b32 x)
{{
  .reg .b64 %to, %from;
  .reg .b32 %a;
  ld.param.b64 %to, [to];
  ld.param.b64 %from, [from];
  ld.param.b32 %a, [x];
  st{1}.u32 [%to], %a;
  bar.sync 0;
  ld{1}.u32 %a, [%from];
  st.param.b32 [out], %a;
  ret;
}})",
      prefix_, functions_ % 2 == 0 ? ".shared" : ""));
  definitions_.push_back(fmt::format(".func {0}_wait()\n{{\n  {1} 0;\n  ret;\n}}", prefix_,
                                     functions_ < 4 ? "bar.sync" : "barrier.sync"));
}

void Maker::readThread() {
  const auto special = [&](const std::string& line,
                           const std::function<std::uint64_t(std::uint32_t)>& of) {
    const TrackedId id = fresh(Form::Number);
    define(noGuard(),
           fmt::format("{} {};", line.substr(0, line.find(' ')),
                       name(id) + line.substr(line.find(' '))),
           {}, {id}, [=](ThreadValues& values) { values.set(id, of(values.thread())); });
    tracked_[id].isProtected = true;
    return id;
  };
  const std::uint32_t threads = plan_.threads;
  const auto [x, y, z] = block_;
  const auto inCta = [threads](std::uint32_t t) { return t % threads; };
  if (y * z == 1) {
    linear_ = special("mov.u32 , %tid.x", inCta);
  } else {
    const std::uint32_t width = x;
    const std::uint32_t height = y;
    const TrackedId tx =
        special("mov.u32 , %tid.x", [=](std::uint32_t t) { return inCta(t) % width; });
    const TrackedId ty =
        special("mov.u32 , %tid.y", [=](std::uint32_t t) { return inCta(t) / width % height; });
    const TrackedId tz =
        special("mov.u32 , %tid.z", [=](std::uint32_t t) { return inCta(t) / width / height; });
    const std::string nx = text_.newRegister(Kind::B32);
    const std::string ny = text_.newRegister(Kind::B32);
    const std::string row = text_.newRegister(Kind::B32);
    text({fmt::format("mov.u32 {}, %ntid.x;", nx), fmt::format("mov.u32 {}, %ntid.y;", ny),
          fmt::format("mad.lo.u32 {}, {}, {}, {};", row, name(tz), ny, name(ty))});
    linear_ = fresh(Form::Number);
    const TrackedId linear = linear_;
    define(noGuard(), fmt::format("mad.lo.u32 {}, {}, {}, {};", name(linear), row, nx, name(tx)),
           {tx}, {linear},
           [=](ThreadValues& values) { values.set(linear, inCta(values.thread())); });
    tracked_[linear].isProtected = true;
  }
  warp_ = special("shr.u32 , " + name(linear_) + ", 5",
                  [=](std::uint32_t t) { return inCta(t) / kWarp; });
  cta_ = special("mov.u32 , %ctaid.x", [=](std::uint32_t t) { return t / threads; });
  const std::uint32_t cluster = plan_.cluster;
  rank_ =
      special("mov.u32 , %cluster_ctarank", [=](std::uint32_t t) { return t / threads % cluster; });
}

void Maker::begin() {
  out_ = text_.newRegister(Kind::B64);
  sum_ = text_.newRegister(Kind::B32);
  readThread();
  const std::string offset = text_.newRegister(Kind::B32);
  text({fmt::format("mad.lo.u32 {}, {}, {}, {};", offset, name(cta_), plan_.threads, name(linear_)),
        fmt::format("ld.param.u64 {}, [out];", out_),
        fmt::format("mad.wide.u32 {0}, {1}, 4, {0};", out_, offset),
        fmt::format("mad.lo.u32 {}, {}, 0x9e3779b1, 0x85ebca6b;", sum_, offset)});
  isLeader_ = fresh(Form::Predicate);
  const TrackedId linear = linear_;
  const TrackedId is = isLeader_;
  define(noGuard(), fmt::format("setp.eq.u32 {}, {}, 0;", name(is), name(linear)), {linear}, {is},
         [=](ThreadValues& values) { values.set(is, values.get(linear) == 0 ? 1 : 0); });
  tracked_[is].isProtected = true;
  small32_ = fresh(Form::Number);
  large64_ = fresh(Form::Integer);
  const auto parameter = [&](TrackedId id, const std::string& line, std::uint64_t value) {
    define(noGuard(), line, {}, {id}, [=](ThreadValues& values) { values.set(id, value); });
    tracked_[id].isProtected = true;
  };
  parameter(small32_, fmt::format("ld.param.u32 {}, [small];", name(small32_)), small_);
  parameter(large64_, fmt::format("ld.param.u64 {}, [large];", name(large64_)), large_);
  member_ = fresh(Form::Integer);
  parameter(member_, fmt::format("ld.param.u64 {}, [pointers+8];", name(member_)), largeMember_);
  const auto pointer = [&](const PointerValue& value, const char* from) {
    const TrackedId id = fresh(Form::Generic);
    parameter(id, fmt::format("ld.param.u64 {}, [{}];", name(id), from), value.encoded());
    return id;
  };
  Array& first = arrays_[arrays_.size() - 2];
  Array& second = arrays_.back();
  first.name = pointer({first.memory, 0, 0}, "m0");
  if (usesM1_) second.name = pointer(second_, "m1");
  if (usesStructure_) second.name = pointer(second_, "pointers");
  for (auto& [table, words] : numberTables_) {
    if (name(table) != "index") continue;
    const auto value = now_->value(table, 0);
    table = fresh(Form::Global);
    parameter(table, fmt::format("ld.param.u64 {}, [index];", name(table)), value);
  }
  if (needsFlags_) {
    epoch_ = text_.newRegister(Kind::B32);
    text({fmt::format("mov.u32 {}, 0;", epoch_)});
    if (isFlagGlobal_) {
      flag_ = text_.newRegister(Kind::B64);
      text({fmt::format("mov.u64 {}, {}_flags;", flag_, prefix_),
            fmt::format("mad.wide.u32 {0}, {1}, 8, {0};", flag_, name(cta_))});
    } else {
      text({fmt::format("@{} st.shared.u32 [{}_flag], 0;", name(isLeader_), prefix_)});
    }
  }
}

// Nothing reads what nobody wrote; what is spilled is known from the start.
void Maker::initialize() {
  for (const Array& array : arrays_) {
    if (array.space == ".global") continue;
    if (array.space == ".local") {
      for (std::uint32_t at = 0; at < kLocalBytes; at += 16) {
        emitStore(array.name, at, 16, noGuard());
      }
      continue;
    }
    const TrackedId base = basePointer(array);
    const TrackedId mine = plus(base, linear_, kBytesPerThread, noGuard());
    emitStore(mine, 0, 16, noGuard());
    const std::uint32_t left = (array.bytes - plan_.threads * kBytesPerThread) / kBytesPerThread;
    for (std::uint32_t done = 0; done < left; done += plan_.threads) {
      Guard some;
      const TrackedId is = fresh(Form::Predicate);
      const TrackedId linear = linear_;
      const std::uint32_t bound = std::min(plan_.threads, left - done);
      define(noGuard(), fmt::format("setp.lt.u32 {}, {}, {};", name(is), name(linear), bound),
             {linear}, {is},
             [=](ThreadValues& values) { values.set(is, values.get(linear) < bound ? 1 : 0); });
      some.predicate = is;
      some.mask = now_->where(is, here());
      some.text = fmt::format("@{} ", name(is));
      emitStore(mine, (plan_.threads + done) * kBytesPerThread, 16, some);
    }
  }
  for (std::size_t k = 0; k < spills_.size(); ++k) {
    const TrackedId base = basePointer(spills_[k]);
    TrackedId index = linear_;
    if (spills_[k].space == ".global") {
      index = fresh(Form::Number);
      const TrackedId linear = linear_;
      const TrackedId cta = cta_;
      const std::uint32_t threads = plan_.threads;
      define(
          noGuard(),
          fmt::format("mad.lo.u32 {}, {}, {}, {};", name(index), name(cta), threads, name(linear)),
          {linear, cta}, {index}, [=](ThreadValues& values) {
            values.set(index, values.get(cta) * threads + values.get(linear));
          });
      tracked_[index].isProtected = true;
    }
    const TrackedId own =
        spills_[k].space == ".local" ? base : plus(base, index, kSpillBytes, noGuard());
    tracked_[own].isProtected = true;
    spillOwn_.push_back(own);
    for (std::uint32_t word = 0; word < kSpillNumbers; ++word) {
      Node store;
      store.kind = NodeKind::Store;
      store.address = own;
      store.offset = 4 * word;
      store.stored = {number(here())};
      store.lines = {fmt::format("st{}.u32 {}, {};", spaceOf(own, true), place(own, 4 * word),
                                 name(store.stored[0]))};
      append(std::move(store));
    }
  }
  Node all;
  all.kind = NodeKind::Barrier;
  all.isFixed = true;
  all.lines = {"bar.sync 0;"};
  if (needsFlags_) append(std::move(all));
  if (plan_.cluster == 1) return;
  Node across;
  across.kind = NodeKind::ClusterBarrier;
  across.isFixed = true;
  across.lines = {barrierText(true)};
  append(std::move(across));
}

void Maker::finish() {
  if (plan_.cluster > 1) {
    // A CTA must be there as long as others read its memory.
    Node across;
    across.kind = NodeKind::ClusterBarrier;
    across.isFixed = true;
    across.lines = {barrierText(true)};
    append(std::move(across));
  }
  text({fmt::format("st.global.u32 [{}], {}; {}", out_, sum_, RandomKernel::kNeededStore),
        random_.percent(80) ? "ret;" : "exit;"});
}

// ---- text --------------------------------------------------------------------------------------

void write(const NodeList& list, std::string& text) {
  const auto lines = [&](const std::vector<std::string>& some) {
    for (const std::string& line : some) {
      text += (line.ends_with(":") ? "" : "  ") + line + "\n";
    }
  };
  for (const NodePtr& pointer : list.nodes) {
    const Node& node = *pointer;
    if (node.isDropped) continue;
    std::vector<std::string> first = node.lines;
    if (node.isNeeded && !first.empty()) {
      first.back() +=
          fmt::format(" {}", node.kind == NodeKind::Barrier ? RandomKernel::kNeededBarrier
                                                            : RandomKernel::kNeededStore);
    }
    lines(first);
    if (node.kind == NodeKind::Split) {
      write(node.lists[0], text);
      lines({node.barriers[0]});
      write(node.lists[2], text);
      lines(node.middle);
      write(node.lists[1], text);
      lines({node.barriers[1]});
      write(node.lists[3], text);
    } else {
      if (!node.lists.empty() && node.lists[0].isOpen) write(node.lists[0], text);
      lines(node.middle);
      if (node.lists.size() > 1) write(node.lists[1], text);
    }
    lines(node.last);
  }
}

std::string Maker::launch() const {
  std::string arguments;
  for (const std::string& argument : arguments_) {
    arguments += fmt::format("{}\"{}\"", arguments.empty() ? "" : ", ", argument);
  }
  return fmt::format(
      "// LAUNCH: {{\"kernel\": \"{}\", \"grid\": [{}], \"block\": [{}, {}, {}], {}\"shared\": {}, "
      "\"args\": [{}]}}",
      prefix_, plan_.ctas, block_[0], block_[1], block_[2],
      isClustered_ ? fmt::format("\"cluster\": [{}], ", plan_.cluster) : "", dynamicShared_,
      arguments);
}

std::string Maker::kernelText() const {
  std::string result;
  for (const std::string& definition : definitions_) result += definition + "\n";
  result += fmt::format(
      ".visible .entry {}(.param .u64 out, .param .u64 m0, .param .u64 m1, .param .u64 index,\n"
      "    .param .u32 small, .param .u64 large, .param .align 16 .b8 words[{}],\n"
      "    .param .align 8 .b8 pointers[32])\n",
      prefix_, 4 * kStructureWords);
  if (statesBlock_) {
    result += fmt::format(".reqntid {}, {}, {}\n", block_[0], block_[1], block_[2]);
  } else if (statesMost_) {
    result += fmt::format(".maxntid {}, 1, 1\n", plan_.threads);
  }
  if (isClustered_) result += fmt::format(".reqnctapercluster {}, 1, 1\n", plan_.cluster);
  result += "{\n";
  for (const std::string& line : text_.declarations()) result += line + "\n";
  for (const std::string& line : declarations_) result += line + "\n";
  write(plan_.body, result);
  return result + "}\n";
}

RandomKernel Maker::make() {
  chooseShape();
  needsFlags_ = plan_.threads > kWarp && random_.percent(20);
  declare();
  declareFunctions();
  isFlagGlobal_ = random_.percent(50);
  if (needsFlags_ && isFlagGlobal_) {
    definitions_.push_back(
        fmt::format(".global .align 8 .u32 {}_flags[{}];", prefix_, 2 * plan_.ctas));
  } else if (needsFlags_) {
    declarations_.push_back(fmt::format("  .shared .align 4 .u32 {0}_flag, {0}_data;", prefix_));
  }
  for (std::size_t t = 0; t < plan_.total(); ++t) mask_.set(t);
  list_ = &plan_.body;
  begin();
  initialize();
  for (std::uint32_t k = 4; k > 0; --k) defineSomething();
  for (std::uint32_t k = random_.below(3); k > 0; --k) defineSlot();
  block(options_.size + random_.below(options_.size));
  finish();
  plan_.repair([&](bool ofCluster) { return barrierText(ofCluster); });
  if (isWild_) {
    plan_.dropBarriers([&] { return random_.percent(25); });
  } else {
    plan_.markNeeded();
  }

  RandomKernel kernel;
  kernel.name = prefix_;
  kernel.target = targetOf(Bias::Rules);
  kernel.isWild = isWild_;
  kernel.launch = launch();
  kernel.definitions = kernelText();
  if (isWild_) return kernel;
  kernel.guarantees = {"assume-drf", "nc-invariant", "relax-trap", "relax-timing",
                       fmt::format("block-dim={},{},{}", block_[0], block_[1], block_[2])};
  if (!aliasesParameters_) kernel.guarantees.emplace_back("noalias-params");
  if (!aliasesVariables_) kernel.guarantees.emplace_back("noalias-variables");
  if (!isAlignedApart_) kernel.guarantees.emplace_back("trust-aligned");
  if (block_[1] * block_[2] == 1) kernel.guarantees.emplace_back("assume-1d");
  if (random_.percent(10)) kernel.guarantees.emplace_back("flat-shared");
  return kernel;
}

// ---- nodes -------------------------------------------------------------------------------------

Node& Maker::append(Node made) {
  list_->nodes.push_back(std::make_unique<Node>(std::move(made)));
  Node& node = *list_->nodes.back();
  for (NodeList& list : node.lists) list.owner = &node;
  now_->step(node, mask_);
  return node;
}

Node& Maker::text(std::vector<std::string> lines) {
  Node node;
  node.lines = std::move(lines);
  return append(std::move(node));
}

// After a loop: with the values after its last round.
void Maker::rerun() {
  now_.emplace(plan_);
  now_->runLeniently(plan_.body, mask_);
}

template <std::size_t N>
void Maker::choose(const Choice (&choices)[N]) {
  std::uint32_t total = 0;
  for (const Choice& choice : choices) total += choice.weight;
  std::uint32_t at = random_.below(total);
  for (const Choice& choice : choices) {
    if (at < choice.weight) return (this->*choice.make)();
    at -= choice.weight;
  }
}

void Maker::block(std::uint32_t length) {
  for (std::uint32_t k = 0; k < length && here().any(); ++k) {
    construct();
    if (random_.percent(14)) barrier();
  }
}

void Maker::construct() {
  const std::uint32_t nest = depth_ < 3 ? 1 : 0;
  const Choice choices[] = {
      {30, &Maker::defineSomething},
      {14, &Maker::definePointer},
      {22, &Maker::dataAccess},
      {14, &Maker::pointerAccess},
      {6, &Maker::mixNumber},
      {5, &Maker::storeNumber},
      {6, &Maker::barrier},
      {1, &Maker::reducingBarrier},
      {6 * nest, &Maker::branch},
      {4 * nest, &Maker::loop},
      {9, &Maker::split},
      {2, &Maker::defineSlot},
      {10, &Maker::useSlot},
      {10, &Maker::useChain},
      {1, &Maker::exitEarly},
      {2, &Maker::callExchange},
      {1, &Maker::callBarrier},
      {2 * nest, &Maker::scope},
      {1, &Maker::handOver},
      {2, &Maker::poll},
      {hasFences_ ? 3u : 0u, &Maker::fence},
  };
  choose(choices);
}

// ---- registers ---------------------------------------------------------------------------------

TrackedId Maker::fresh(Form form) {
  const Kind kind = form == Form::Predicate                  ? Kind::Pred
                    : form == Form::Number || isNarrow(form) ? Kind::B32
                                                             : Kind::B64;
  tracked_.push_back({text_.newRegister(kind), form});
  now_->addValue();
  return plan_.values++;
}

// The latest ones more often.
template <class Test>
std::optional<TrackedId> Maker::find(const Mask& mask, Test&& test) {
  std::vector<TrackedId> found;
  for (TrackedId id = 0; id < tracked_.size(); ++id) {
    if (!tracked_[id].isHidden && now_->isDefined(id, mask) && test(id)) found.push_back(id);
  }
  if (found.empty()) return std::nullopt;
  const std::size_t recent = std::min<std::size_t>(found.size(), 5);
  if (random_.percent(50)) return found[found.size() - 1 - random_.below(recent)];
  return random_.pick(found);
}

TrackedId Maker::number(const Mask& mask) {
  const auto found = find(mask, [&](TrackedId id) {
    return tracked_[id].form == Form::Number && (!wantsUniform_ || !differs(id, plan_.threads));
  });
  return found.value_or(wantsUniform_ ? small32_ : linear_);
}

// In two threads of a CTA, or of a part of it of so many threads.
bool Maker::differs(TrackedId id, std::uint32_t size) const {
  const Mask threads = here();
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    const std::size_t first = t - t % plan_.threads % size;
    if (threads[t] && threads[first] && now_->value(id, t) != now_->value(id, first)) return true;
  }
  return false;
}

std::optional<TrackedId> Maker::predicateFor(const Mask& mask) {
  return find(mask, [&](TrackedId id) { return tracked_[id].form == Form::Predicate; });
}

// A register, or a small number.
std::string Maker::numberOr(const Mask& mask, std::optional<TrackedId>& id, std::uint32_t& value) {
  if (random_.percent(60)) {
    id = number(mask);
    return name(*id);
  }
  constexpr std::uint32_t kNumbers[] = {0, 1, 1, 2, 3, 4, 5, 8, 16, 31, 32, 32, 33, 64};
  value = random_.pick(kNumbers);
  return std::to_string(value);
}

// Under a guard most often one that holds something already, which then shows through.
TrackedId Maker::target(Form form, const Guard& guard) {
  if (form == Form::Number && forced_) return *std::exchange(forced_, std::nullopt);
  if (random_.percent(guard.predicate ? 75 : 30)) {
    const auto known = find(here(), [&](TrackedId id) {
      return tracked_[id].form == form && !tracked_[id].isProtected && guard.predicate != id;
    });
    if (known) return *known;
  }
  return fresh(form);
}

Guard Maker::someGuard(std::uint32_t percent) {
  if (!random_.percent(percent)) return noGuard();
  const auto predicate = predicateFor(here());
  if (!predicate) return noGuard();
  return guardBy(*predicate);
}

Guard Maker::guardBy(TrackedId predicate) {
  Guard guard;
  guard.predicate = predicate;
  guard.isNegated = random_.percent(40);
  const Mask holds = now_->where(predicate, here());
  guard.mask = guard.isNegated ? here() & ~holds : holds;
  guard.text = fmt::format("@{}{} ", guard.isNegated ? "!" : "", name(predicate));
  return guard;
}

Node& Maker::define(const Guard& guard, const std::string& line, std::vector<TrackedId> sources,
                    std::vector<TrackedId> results, std::function<void(ThreadValues&)> compute) {
  Node node;
  node.kind = NodeKind::Define;
  node.lines = {guard.text + line};
  node.guard = guard.predicate;
  node.isNegated = guard.isNegated;
  node.sources = std::move(sources);
  node.results = std::move(results);
  node.compute = std::move(compute);
  return append(std::move(node));
}

std::vector<std::string> Maker::mixed(const std::string& word) const {
  return {fmt::format("mad.lo.u32 {0}, {0}, 0x9e3779b1, {1};", sum_, word)};
}

void Maker::mixNumber() {
  const bool isPredicate = random_.percent(35);
  const auto found = find(here(), [&](TrackedId id) {
    return tracked_[id].form == (isPredicate ? Form::Predicate : Form::Number);
  });
  if (!found) return;
  std::string word = name(*found);
  std::vector<std::string> lines;
  if (isPredicate) {
    word = text_.newRegister(Kind::B32);
    lines.push_back(fmt::format("selp.u32 {}, 1, 0, {};", word, name(*found)));
  }
  lines.push_back(mixed(word).front());
  Node& node = define(noGuard(), "", {*found}, {}, [](ThreadValues&) {});
  node.lines = lines;
}

// ---- definitions of numbers and predicates -----------------------------------------------------

void Maker::defineSomething() {
  if (random_.percent(35)) return definePredicate();
  defineNumber(someGuard(45));
}

void Maker::defineNumber(const Guard& guard) {
  const std::uint32_t kind = wantsUniform_ ? 20 + random_.below(80) : random_.below(100);
  if (kind < 38) return defineArithmetic(guard);
  if (kind < 66) return defineByTable(guard);
  if (kind < 78) return defineBySpill(guard);
  if (kind < 86) return definePair(guard);
  if (kind < 94) return defineSpecial(guard);
  defineByCall(guard);
}

void Maker::defineArithmetic(const Guard& guard) {
  struct Operation {
    const char* text;
    std::uint64_t (*compute)(std::uint64_t, std::uint64_t);
  };
  constexpr Operation kOperations[] = {
      {"add.u32", [](std::uint64_t a, std::uint64_t b) { return a + b; }},
      {"sub.s32", [](std::uint64_t a, std::uint64_t b) { return a - b; }},
      {"xor.b32", [](std::uint64_t a, std::uint64_t b) { return a ^ b; }},
      {"xor.b32", [](std::uint64_t a, std::uint64_t b) { return a ^ b; }},
      {"and.b32", [](std::uint64_t a, std::uint64_t b) { return a & b; }},
      {"or.b32", [](std::uint64_t a, std::uint64_t b) { return a | b; }},
      {"min.u32", [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); }},
      {"max.u32", [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); }},
      {"mul.lo.u32", [](std::uint64_t a, std::uint64_t b) { return a * b; }},
      {"shr.u32", [](std::uint64_t a, std::uint64_t b) { return b > 31 ? 0 : a >> b; }},
      {"shl.b32", [](std::uint64_t a, std::uint64_t b) { return b > 31 ? 0 : a << b; }}};
  const TrackedId a = number(guard.mask);
  std::optional<TrackedId> b;
  std::uint32_t constant = 0;
  const std::string right = numberOr(guard.mask, b, constant);
  std::vector<TrackedId> sources = {a};
  if (b) sources.push_back(*b);
  const TrackedId to = target(Form::Number, guard);
  const auto second = [b, constant](const ThreadValues& values) {
    return b ? values.get(*b) : constant;
  };
  switch (random_.below(8)) {
    case 0: {
      std::optional<TrackedId> same;
      define(guard, fmt::format("mov.u32 {}, {};", name(to), right), sources, {to},
             [=](ThreadValues& values) { values.set(to, second(values)); });
      return;
    }
    case 1: {
      const auto predicate = predicateFor(guard.mask);
      if (!predicate) break;
      const TrackedId p = *predicate;
      sources.push_back(p);
      define(guard, fmt::format("selp.u32 {}, {}, {}, {};", name(to), name(a), right, name(p)),
             sources, {to}, [=](ThreadValues& values) {
               values.set(to, values.get(p) != 0 ? values.get(a) : second(values));
             });
      return;
    }
    case 2: {
      const TrackedId c = number(guard.mask);
      sources.push_back(c);
      define(guard, fmt::format("mad.lo.u32 {}, {}, {}, {};", name(to), name(a), right, name(c)),
             sources, {to}, [=](ThreadValues& values) {
               values.set(to, (values.get(a) * second(values) + values.get(c)) & kWordMask);
             });
      return;
    }
    case 3: {
      const bool isSigned = random_.percent(30);
      define(guard,
             fmt::format("cvt.{}.{} {}, {};", isSigned ? "s32" : "u32", isSigned ? "s8" : "u8",
                         name(to), name(a)),
             sources, {to}, [=](ThreadValues& values) {
               const std::uint64_t low = values.get(a) & 0xff;
               values.set(to, (isSigned && low > 127 ? low - 256 : low) & kWordMask);
             });
      return;
    }
    default:
      break;
  }
  const Operation& operation = random_.pick(kOperations);
  const auto compute = operation.compute;
  define(guard, fmt::format("{} {}, {}, {};", operation.text, name(to), name(a), right), sources,
         {to}, [=](ThreadValues& values) {
           values.set(to, compute(values.get(a), second(values)) & kWordMask);
         });
}

// ld.const, ld.param and ld.global, at an address that is the same for all threads or not.
void Maker::defineByTable(const Guard& guard) {
  const auto [table, words] = random_.pick(numberTables_);
  Node load;
  load.kind = NodeKind::Load;
  load.guard = guard.predicate;
  load.isNegated = guard.isNegated;
  load.address = table;
  std::uint32_t count = random_.percent(25) ? 2 : 1;
  if (random_.percent(wantsUniform_ ? 70 : 45)) {
    load.offset = 4 * (random_.below(words / count) * count);
  } else {
    const TrackedId index = bounded(number(guard.mask), std::bit_floor(words), guard.mask);
    TrackedId base = table;
    if (tracked_[table].form == Form::Name) {
      const bool isParameter = name(table) == "words";
      base = fresh(isParameter ? Form::Parameter : Form::Constant);
      const TrackedId made = base;
      define(noGuard(), fmt::format("mov.u64 {}, {};", name(base), name(table)), {table}, {base},
             [=, from = table](ThreadValues& values) { values.set(made, values.get(from)); });
    }
    load.address = plus(base, index, 4, guard);
    count = 1;
  }
  load.width = 4 * count;
  std::string list;
  for (std::uint32_t k = 0; k < count; ++k) {
    TrackedId to = target(Form::Number, guard);
    while (std::ranges::find(load.loaded, to) != load.loaded.end()) to = fresh(Form::Number);
    load.loaded.push_back(to);
    list += fmt::format("{}{}", k == 0 ? "" : ", ", name(to));
  }
  if (count > 1) list = "{" + list + "}";
  const std::string_view hint =
      tracked_[table].form == Form::Global && random_.percent(40) ? ".nc" : "";
  load.lines = {fmt::format("{}ld{}{}{}.u32 {}, {};", guard.text, spaceOf(load.address, false),
                            hint, count > 1 ? ".v2" : "", list, place(load.address, load.offset))};
  if (now_->isGood(load, guard.mask)) append(std::move(load));
}

// What this thread, or another one, has put into memory.
void Maker::defineBySpill(const Guard& guard) {
  const std::size_t spill = random_.below(spills_.size());
  Node load;
  load.kind = NodeKind::Load;
  load.guard = guard.predicate;
  load.isNegated = guard.isNegated;
  load.address = spillOwn_[spill];
  if (spills_[spill].space == ".shared" && random_.percent(35)) {
    const TrackedId index = bounded(number(guard.mask), std::bit_floor(plan_.threads), guard.mask);
    load.address = plus(basePointer(spills_[spill]), index, kSpillBytes, guard);
  }
  const std::uint32_t count = random_.percent(25) ? 2 : 1;
  load.offset = 4 * (random_.below(kSpillNumbers / count) * count);
  load.width = 4 * count;
  std::string list;
  for (std::uint32_t k = 0; k < count; ++k) {
    TrackedId to = target(Form::Number, guard);
    while (std::ranges::find(load.loaded, to) != load.loaded.end()) to = fresh(Form::Number);
    load.loaded.push_back(to);
    list += fmt::format("{}{}", k == 0 ? "" : ", ", name(to));
  }
  load.lines = {fmt::format("{}ld{}{}.u32 {}, {};", guard.text, spaceOf(load.address, false),
                            count > 1 ? ".v2" : "", count > 1 ? "{" + list + "}" : list,
                            place(load.address, load.offset))};
  if (now_->isGood(load, guard.mask)) append(std::move(load));
}

void Maker::storeNumber() {
  const Guard guard = someGuard(30);
  const std::size_t spill = random_.below(spills_.size());
  Node store;
  store.kind = NodeKind::Store;
  store.guard = guard.predicate;
  store.isNegated = guard.isNegated;
  store.address = spillOwn_[spill];
  const std::uint32_t count = random_.percent(25) ? 2 : 1;
  store.offset = 4 * (random_.below(kSpillNumbers / count) * count);
  store.width = 4 * count;
  std::string list;
  for (std::uint32_t k = 0; k < count; ++k) {
    store.stored.push_back(number(guard.mask));
    list += fmt::format("{}{}", k == 0 ? "" : ", ", name(store.stored.back()));
  }
  store.lines = {fmt::format("{}st{}{}.u32 {}, {};", guard.text, spaceOf(store.address, true),
                             count > 1 ? ".v2" : "", place(store.address, store.offset),
                             count > 1 ? "{" + list + "}" : list)};
  append(std::move(store));
  if (random_.percent(50)) defineBySpill(someGuard(40));
}

// Two registers by one instruction.
void Maker::definePair(const Guard& guard) {
  const TrackedId a = number(guard.mask);
  const TrackedId b = number(guard.mask);
  const TrackedId low = target(Form::Number, guard);
  TrackedId high = target(Form::Number, guard);
  if (high == low) high = fresh(Form::Number);
  const std::string wide = text_.newRegister(Kind::B64);
  text({fmt::format("mov.b64 {}, 0;", wide)});
  Node& node = define(guard, fmt::format("mov.b64 {}, {{{}, {}}};", wide, name(a), name(b)), {a, b},
                      {low, high}, [=](ThreadValues& values) {
                        const std::uint64_t first = values.get(a);
                        const std::uint64_t second = values.get(b);
                        values.set(low, first);
                        values.set(high, second);
                      });
  node.lines.push_back(
      fmt::format("{}mov.b64 {{{}, {}}}, {};", guard.text, name(low), name(high), wide));
}

void Maker::defineSpecial(const Guard& guard) {
  const TrackedId to = target(Form::Number, guard);
  const std::uint32_t threads = plan_.threads;
  const auto [x, y, z] = block_;
  const std::uint32_t width = x;
  const std::uint32_t height = y;
  const std::uint32_t depth = z;
  const std::uint32_t ctas = plan_.ctas;
  const std::uint32_t cluster = plan_.cluster;
  struct Special {
    std::string name;
    std::function<std::uint64_t(std::uint32_t)> of;
  };
  const Special specials[] = {
      {"%tid.x", [=](std::uint32_t t) { return t % threads % width; }},
      {"%tid.y", [=](std::uint32_t t) { return t % threads / width % height; }},
      {"%tid.z", [=](std::uint32_t t) { return t % threads / width / height; }},
      {"%ntid.x", [=](std::uint32_t) { return width; }},
      {"%ntid.y", [=](std::uint32_t) { return height; }},
      {"%ntid.z", [=](std::uint32_t) { return depth; }},
      {"%ctaid.x", [=](std::uint32_t t) { return t / threads; }},
      {"%nctaid.x", [=](std::uint32_t) { return ctas; }},
      {"%laneid", [=](std::uint32_t t) { return t % threads % kWarp; }},
      {"%cluster_ctarank", [=](std::uint32_t t) { return t / threads % cluster; }},
      {"%cluster_nctarank", [=](std::uint32_t) { return cluster; }},
      {"%clusterid.x", [=](std::uint32_t t) { return t / threads / cluster; }}};
  const Special& special = random_.pick(specials);
  define(guard, fmt::format("mov.u32 {}, {};", name(to), special.name), {}, {to},
         [to, of = special.of](ThreadValues& values) { values.set(to, of(values.thread())); });
}

void Maker::defineByCall(const Guard& guard) {
  const TrackedId from = number(guard.mask);
  const TrackedId to = target(Form::Number, guard);
  Node& node = define(guard, "", {from}, {to}, [=](ThreadValues& values) {
    const std::uint64_t a = values.get(from);
    values.set(to, (a > 7 ? a ^ 5 : a + 1) & kWordMask);
  });
  node.lines = {"{",
                ".param .b32 argument;",
                ".param .b32 back;",
                fmt::format("st.param.b32 [argument], {};", name(from)),
                fmt::format("call (back), {}_pure, (argument);", prefix_),
                fmt::format("ld.param.b32 {}, [back];", name(to)),
                "}"};
  if (!guard.predicate) return;
  const std::string skip = text_.newLabel();
  node.lines.insert(node.lines.begin(), fmt::format("@{}{} bra {};", guard.isNegated ? "" : "!",
                                                    name(*guard.predicate), skip));
  node.lines.push_back(skip + ":");
}

void Maker::definePredicate() {
  const Guard guard = someGuard(35);
  if (random_.percent(25)) return combinePredicates(guard);
  compareNumbers(guard);
}

void Maker::compareNumbers(const Guard& guard) {
  struct Comparison {
    const char* text;
    bool (*holds)(std::uint64_t, std::uint64_t);
  };
  constexpr Comparison kComparisons[] = {
      {"eq.u32", [](std::uint64_t a, std::uint64_t b) { return a == b; }},
      {"ne.u32", [](std::uint64_t a, std::uint64_t b) { return a != b; }},
      {"lt.u32", [](std::uint64_t a, std::uint64_t b) { return a < b; }},
      {"ge.u32", [](std::uint64_t a, std::uint64_t b) { return a >= b; }},
      {"hi.u32", [](std::uint64_t a, std::uint64_t b) { return a > b; }},
      {"le.s32", [](std::uint64_t a, std::uint64_t b) {
         return static_cast<std::int32_t>(a) <= static_cast<std::int32_t>(b);
       }}};
  constexpr std::pair<const char*, int> kJoins[] = {{"", 0},     {"", 0},    {"", 0},
                                                    {".and", 1}, {".or", 2}, {".xor", 3}};
  const Comparison& comparison = random_.pick(kComparisons);
  TrackedId a = number(guard.mask);
  if (random_.percent(25)) a = warp_;
  std::optional<TrackedId> b;
  std::uint32_t constant = 0;
  const std::string right = numberOr(guard.mask, b, constant);
  std::vector<TrackedId> sources = {a};
  if (b) sources.push_back(*b);
  const auto [join, how] = random_.pick(kJoins);
  const auto third = predicateFor(guard.mask);
  const bool isJoined = how != 0 && third;
  if (isJoined) sources.push_back(*third);
  const bool isNegated = random_.percent(30);
  const TrackedId yes = target(Form::Predicate, guard);
  std::vector<TrackedId> results = {yes};
  if (random_.percent(40)) {
    TrackedId no = target(Form::Predicate, guard);
    if (no == yes) no = fresh(Form::Predicate);
    results.push_back(no);
  }
  const auto holds = comparison.holds;
  std::string line = fmt::format("setp.{} {}{}, {}, {}", comparison.text, name(yes),
                                 results.size() == 2 ? "|" + name(results[1]) : "", name(a), right);
  if (isJoined) {
    const std::string text = comparison.text;
    line = fmt::format("setp.{}{}{} {}{}, {}, {}, {}{}", text.substr(0, 2), join, text.substr(2),
                       name(yes), results.size() == 2 ? "|" + name(results[1]) : "", name(a), right,
                       isNegated ? "!" : "", name(*third));
  }
  define(
      guard, line + ";", sources, results, [=, joined = isJoined ? how : 0](ThreadValues& values) {
        const bool is = holds(values.get(a), b ? values.get(*b) : constant);
        const bool c = joined != 0 && (values.get(*third) != 0) != isNegated;
        const auto combined = [&](bool side) {
          return joined == 0 ? side : joined == 1 ? side && c : joined == 2 ? side || c : side != c;
        };
        values.set(yes, combined(is) ? 1 : 0);
        if (results.size() == 2) values.set(results[1], combined(!is) ? 1 : 0);
      });
}

void Maker::combinePredicates(const Guard& guard) {
  const auto a = predicateFor(guard.mask);
  const auto b = predicateFor(guard.mask);
  if (!a || !b) return;
  const TrackedId to = target(Form::Predicate, guard);
  const std::uint32_t kind = random_.below(5);
  constexpr const char* kNames[] = {"and", "or", "xor", "not", "mov"};
  const bool isBinary = kind < 3;
  define(guard,
         fmt::format("{}.pred {}, {}{};", kNames[kind], name(to), name(*a),
                     isBinary ? ", " + name(*b) : ""),
         {*a, *b}, {to}, [=, x = *a, y = *b](ThreadValues& values) {
           const bool p = values.get(x) != 0;
           const bool q = values.get(y) != 0;
           const bool is = kind == 0   ? p && q
                           : kind == 1 ? p || q
                           : kind == 2 ? p != q
                           : kind == 3 ? !p
                                       : p;
           values.set(to, is ? 1 : 0);
         });
}

// ---- pointers ----------------------------------------------------------------------------------

TrackedId Maker::bounded(TrackedId id, std::uint32_t count, const Mask& mask) {
  bool isSmall = true;
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    if (mask[t] && now_->value(id, t) >= count) isSmall = false;
  }
  if (isSmall && random_.percent(85)) return id;
  const TrackedId to = fresh(Form::Number);
  define(noGuard(), fmt::format("and.b32 {}, {}, {};", name(to), name(id), count - 1), {id}, {to},
         [=](ThreadValues& values) { values.set(to, values.get(id) & (count - 1)); });
  return to;
}

// To the first byte of the array that the CTA uses, in any form.
TrackedId Maker::basePointer(const Array& array) {
  const auto pointsThere = [&](TrackedId id) {
    if (!isPointer(tracked_[id].form) || tracked_[id].form == Form::Name) return false;
    for (std::size_t t = 0; t < plan_.total(); ++t) {
      if (!here()[t]) continue;
      const auto value = PointerValue::decoded(now_->value(id, t));
      const std::uint32_t cta = static_cast<std::uint32_t>(t) / plan_.threads;
      if (!value || value->memory != array.memory || value->place != PointerValue::kOwn ||
          value->offset != std::int64_t{cta} * array.part) {
        return false;
      }
    }
    return true;
  };
  if (random_.percent(50)) {
    if (const auto known = find(here(), pointsThere)) return *known;
  }
  const TrackedId from = array.name;
  const auto copy = [&](Form form, const std::string& line) {
    const TrackedId to = fresh(form);
    define(noGuard(), line.substr(0, line.find('$')) + name(to) + line.substr(line.find('$') + 1),
           {from}, {to}, [=](ThreadValues& values) { values.set(to, values.get(from)); });
    return to;
  };
  TrackedId base = from;
  if (array.isBuffer) {
    if (random_.percent(40)) {
      base = copy(Form::Global, fmt::format("cvta.to.global.u64 $, {};", name(from)));
    }
  } else if (array.space == ".shared" && random_.percent(55)) {
    return copy(Form::Shared32, fmt::format("mov.u32 $, {};", name(from)));
  } else {
    base = copy(array.space == ".shared"   ? Form::Shared64
                : array.space == ".global" ? Form::Global
                                           : Form::Local,
                fmt::format("mov.u64 $, {};", name(from)));
    if (random_.percent(35)) {
      constexpr std::string_view kWindows[] = {".shared", ".shared::cta", ".shared::cluster"};
      const TrackedId to = fresh(Form::Generic);
      define(noGuard(),
             fmt::format("cvta{}.u64 {}, {};",
                         array.space == ".shared" ? random_.pick(kWindows) : array.space, name(to),
                         name(base)),
             {base}, {to},
             [=, was = base](ThreadValues& values) { values.set(to, values.get(was)); });
      base = to;
    }
  }
  if (array.part == 0) return base;
  const TrackedId to = fresh(tracked_[base].form);
  const TrackedId cta = cta_;
  const std::uint32_t part = array.part;
  define(noGuard(),
         fmt::format("mad.wide.u32 {}, {}, {}, {};", name(to), name(cta), part, name(base)),
         {base, cta}, {to},
         [=](ThreadValues& values) { values.set(to, values.get(base) + values.get(cta) * part); });
  return to;
}

TrackedId Maker::plus(TrackedId base, TrackedId index, std::uint32_t scale, const Guard&) {
  const Form form = tracked_[base].form;
  const TrackedId to = fresh(form);
  const auto compute = [=](ThreadValues& values) {
    values.set(to, values.get(base) + values.get(index) * scale);
  };
  const std::string& b = name(base);
  const std::string& i = name(index);
  const int shift = std::countr_zero(scale);
  if (isNarrow(form)) {
    if (random_.percent(50)) {
      define(noGuard(), fmt::format("mad.lo.u32 {}, {}, {}, {};", name(to), i, scale, b),
             {base, index}, {to}, compute);
    } else {
      const std::string step = text_.newRegister(Kind::B32);
      Node& node = define(noGuard(), fmt::format("shl.b32 {}, {}, {};", step, i, shift),
                          {base, index}, {to}, compute);
      node.lines.push_back(fmt::format("add.u32 {}, {}, {};", name(to), b, step));
    }
    return to;
  }
  if (random_.percent(40)) {
    define(noGuard(), fmt::format("mad.wide.u32 {}, {}, {}, {};", name(to), i, scale, b),
           {base, index}, {to}, compute);
    return to;
  }
  const std::string step = text_.newRegister(Kind::B64);
  const bool isWide = random_.percent(50);
  Node& node = define(noGuard(),
                      isWide ? fmt::format("mul.wide.u32 {}, {}, {};", step, i, scale)
                             : fmt::format("cvt.u64.u32 {}, {};", step, i),
                      {base, index}, {to}, compute);
  if (!isWide) node.lines.push_back(fmt::format("shl.b64 {0}, {0}, {1};", step, shift));
  node.lines.push_back(random_.percent(50) ? fmt::format("add.s64 {}, {}, {};", name(to), b, step)
                                           : fmt::format("add.s64 {}, {}, {};", name(to), step, b));
  return to;
}

void Maker::definePointer() {
  if (random_.percent(25)) return spillPointer();
  if (random_.percent(20)) return tablePointer();
  const auto pointer = find(here(), [&](TrackedId id) {
    return isPointer(tracked_[id].form) && tracked_[id].form < Form::Local;
  });
  if (!pointer || random_.percent(20)) {
    basePointer(random_.pick(arrays_));
    return;
  }
  switch (random_.below(3)) {
    case 0:
      return movePointer(*pointer);
    case 1:
      return convertPointer(*pointer);
    default:
      return selectPointer(*pointer);
  }
}

// By a number, or by an integer that is a parameter.
void Maker::movePointer(TrackedId from) {
  const Guard guard = someGuard(30);
  const Form form = tracked_[from].form;
  const bool isPartial = guard.predicate && !tracked_[from].isProtected;
  const TrackedId to = isPartial ? from : fresh(form);
  const bool isNarrowForm = isNarrow(form);
  const char* bits = isNarrowForm ? "32" : "64";
  const auto step = [&](const std::string& line, std::vector<TrackedId> sources, std::uint64_t by) {
    sources.push_back(from);
    define(guard, line, std::move(sources), {to},
           [=](ThreadValues& values) { values.set(to, values.get(from) + by); });
  };
  const std::uint32_t kind = random_.below(100);
  if (kind < 30) {
    const std::uint32_t by = 4 * random_.below(5);
    const bool isLess = random_.percent(20);
    return step(
        fmt::format("{}.s{} {}, {}, {};", isLess ? "sub" : "add", bits, name(to), name(from), by),
        {}, isLess ? std::uint64_t{0} - by : by);
  }
  if (isNarrowForm) {
    return step(fmt::format("mad.lo.u32 {}, {}, 4, {};", name(to), name(small32_), name(from)),
                {small32_}, 4 * small_);
  }
  if (kind < 70) {
    const bool isMember = random_.percent(30);
    const TrackedId integer = isMember ? member_ : large64_;
    const std::uint64_t by = isMember ? largeMember_ : large_;
    return step(random_.percent(50)
                    ? fmt::format("add.s64 {}, {}, {};", name(to), name(from), name(integer))
                    : fmt::format("add.u64 {}, {}, {};", name(to), name(integer), name(from)),
                {integer}, by);
  }
  step(fmt::format("mad.wide.u32 {}, {}, 4, {};", name(to), name(small32_), name(from)), {small32_},
       4 * small_);
}

void Maker::convertPointer(TrackedId from) {
  const Form form = tracked_[from].form;
  // Of all that it may be, what it is for all threads here.
  bool isShared = true;
  bool isGlobal = true;
  bool isOwn = true;
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    if (!here()[t]) continue;
    const auto value = PointerValue::decoded(now_->value(from, t));
    if (!value) return;
    const Where where = plan_.memories[value->memory].where;
    isShared = isShared && where == Where::Shared;
    isGlobal = isGlobal && where == Where::Global;
    isOwn = isOwn && value->place == PointerValue::kOwn;
  }
  const auto convert = [&](Form to, const std::string& instruction) {
    const TrackedId made = fresh(to);
    define(noGuard(), fmt::format("{} {}, {};", instruction, name(made), name(from)), {from},
           {made}, [=](ThreadValues& values) { values.set(made, values.get(from)); });
  };
  constexpr std::string_view kWindows[] = {".shared", ".shared::cta", ".shared::cluster"};
  const bool maps = random_.percent(plan_.cluster > 1 ? 40 : 20);
  if (maps && isShared &&
      (form == Form::Shared32 || form == Form::Shared64 || (form == Form::Generic && isOwn))) {
    // In the own CTA or in another one.
    const bool isNarrowForm = isNarrow(form);
    const TrackedId made = fresh(form == Form::Shared32   ? Form::Cluster32
                                 : form == Form::Shared64 ? Form::Cluster64
                                                          : Form::Generic);
    TrackedId rank = rank_;
    if (plan_.cluster > 1 && random_.percent(70)) {
      rank = fresh(Form::Number);
      const TrackedId own = rank_;
      const std::uint32_t by = 1 + random_.below(plan_.cluster - 1);
      define(noGuard(), fmt::format("xor.b32 {}, {}, {};", name(rank), name(own), by), {own},
             {rank}, [=](ThreadValues& values) { values.set(rank, values.get(own) ^ by); });
    }
    define(noGuard(),
           fmt::format("mapa{}.u{} {}, {}, {};", form == Form::Generic ? "" : ".shared::cluster",
                       isNarrowForm ? 32 : 64, name(made), name(from), name(rank)),
           {from, rank}, {made}, [=](ThreadValues& values) {
             auto value = PointerValue::decoded(values.get(from));
             if (!value) return;
             value->place = static_cast<std::uint32_t>(values.get(rank)) + 1;
             values.set(made, value->encoded());
           });
    return;
  }
  switch (form) {
    case Form::Shared32:
      return convert(Form::Shared64, "cvt.u64.u32");
    case Form::Cluster32:
      return convert(Form::Cluster64, "cvt.u64.u32");
    case Form::Shared64:
      if (random_.percent(30)) return convert(Form::Shared32, "cvt.u32.u64");
      return convert(Form::Generic, fmt::format("cvta{}.u64", random_.pick(kWindows)));
    case Form::Cluster64:
      return convert(Form::Generic, "cvta.shared::cluster.u64");
    case Form::Global:
      return convert(Form::Generic, "cvta.global.u64");
    case Form::Generic:
      if (isGlobal) return convert(Form::Global, "cvta.to.global.u64");
      if (!isShared) return;
      if (isOwn && random_.percent(60)) return convert(Form::Shared64, "cvta.to.shared.u64");
      return convert(Form::Cluster64, "cvta.to.shared::cluster.u64");
    default:
      return;
  }
}

// One of two of a form, by a predicate.
void Maker::selectPointer(TrackedId from) {
  const Form form = tracked_[from].form;
  const auto other =
      find(here(), [&](TrackedId id) { return tracked_[id].form == form && id != from; });
  const auto predicate = predicateFor(here());
  if (!other || !predicate) return;
  const char* bits = isNarrow(form) ? "32" : "64";
  const TrackedId second = *other;
  const TrackedId p = *predicate;
  if (random_.percent(50)) {
    const TrackedId to = fresh(form);
    define(
        noGuard(),
        fmt::format("selp.b{} {}, {}, {}, {};", bits, name(to), name(from), name(second), name(p)),
        {from, second, p}, {to}, [=](ThreadValues& values) {
          values.set(to, values.get(p) != 0 ? values.get(from) : values.get(second));
        });
    return;
  }
  if (tracked_[second].isProtected) return;
  define(someGuard(100), fmt::format("mov.b{} {}, {};", bits, name(second), name(from)), {from},
         {second}, [=](ThreadValues& values) { values.set(second, values.get(from)); });
}

// Through memory.
void Maker::spillPointer() {
  const auto place = std::pair{random_.below(spills_.size()), random_.below(2)};
  const auto pointer = find(here(), [&](TrackedId id) { return canSpill(id, place); });
  if (pointer && random_.percent(75)) storePointer(*pointer, place, someGuard(25));
  loadPointer(place, someGuard(20));
}

// Into a part of memory that the thread has for addresses of the form.
bool Maker::canSpill(TrackedId id, SpillPlace place) const {
  const auto [spill, slot] = place;
  if (tracked_[id].form != spillForms_[spill][slot]) return false;
  const bool isHosts = spills_[spill].space == ".global";
  for (std::size_t t = 0; isHosts && t < plan_.total(); ++t) {
    if (!here()[t]) continue;
    const auto value = PointerValue::decoded(now_->value(id, t));
    if (!value || plan_.memories[value->memory].where != Where::Global) return false;
  }
  return true;
}

void Maker::storePointer(TrackedId pointer, SpillPlace where, const Guard& guard) {
  const TrackedId own = spillOwn_[where.first];
  Node store;
  store.kind = NodeKind::Store;
  store.guard = guard.predicate;
  store.isNegated = guard.isNegated;
  store.address = own;
  store.offset = 16 + 8 * where.second;
  store.width = 8;
  store.stored = {pointer};
  store.lines = {fmt::format("{}st{}.u64 {}, {};", guard.text, spaceOf(own, true),
                             place(own, store.offset), name(pointer))};
  append(std::move(store));
}

std::optional<TrackedId> Maker::loadPointer(SpillPlace where, const Guard& guard) {
  const TrackedId own = spillOwn_[where.first];
  Node load;
  load.kind = NodeKind::Load;
  load.guard = guard.predicate;
  load.isNegated = guard.isNegated;
  load.address = own;
  load.offset = 16 + 8 * where.second;
  load.width = 8;
  const TrackedId to = target(spillForms_[where.first][where.second], guard);
  load.loaded = {to};
  load.lines = {fmt::format("{}ld{}.u64 {}, {};", guard.text, spaceOf(own, false), name(to),
                            place(own, load.offset))};
  if (!now_->isGood(load, guard.mask)) return std::nullopt;
  append(std::move(load));
  return to;
}

// An address goes a long way, and is used beside the short one.
void Maker::useChain() {
  const Array& array = arrays_[favourites_[random_.below(2)]];
  const TrackedId base = basePointer(array);
  const TrackedId straight = plus(base, linear_, 4, noGuard());
  TrackedId pointer = straight;
  for (std::uint32_t k = 1 + random_.below(5); k > 0; --k) {
    const std::size_t known = tracked_.size();
    const std::uint32_t kind = random_.below(100);
    if (kind < 40) {
      convertPointer(pointer);
    } else if (kind < 60) {
      movePointer(pointer);
    } else {
      std::vector<SpillPlace> places;
      for (std::uint32_t spill = 0; spill < spills_.size(); ++spill) {
        for (const std::uint32_t slot : {0u, 1u}) {
          if (canSpill(pointer, {spill, slot})) places.emplace_back(spill, slot);
        }
      }
      if (places.empty()) continue;
      const SpillPlace where = random_.pick(places);
      storePointer(pointer, where, noGuard());
      if (const auto loaded = loadPointer(where, noGuard())) pointer = *loaded;
      continue;
    }
    if (tracked_.size() != known && isPointer(tracked_.back().form) &&
        now_->isDefined(tracked_.size() - 1, here())) {
      pointer = tracked_.size() - 1;
    }
  }
  // How far it has come.
  std::optional<std::int64_t> apart;
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    if (!here()[t]) continue;
    const auto from = PointerValue::decoded(now_->value(straight, t));
    const auto to = PointerValue::decoded(now_->value(pointer, t));
    if (!from || !to || from->memory != to->memory) return;
    if (apart && *apart != to->offset - from->offset) return;
    apart = to->offset - from->offset;
  }
  if (!apart) return;
  switch (random_.below(3)) {
    case 0:
      emitLoad(straight, *apart, 4, noGuard());
      emitStore(pointer, 0, 4, someGuard(30));
      return emitLoad(straight, *apart, 4, noGuard());
    case 1:
      emitStore(straight, *apart, 4, someGuard(30));
      return emitLoad(pointer, 0, 4, noGuard());
    default: {
      emitStore(pointer, 0, 4, someGuard(30));
      const TrackedId other = fresh(Form::Number);
      const TrackedId linear = linear_;
      const std::uint32_t by = 1 + random_.below(std::bit_floor(plan_.threads) - 1);
      define(noGuard(), fmt::format("xor.b32 {}, {}, {};", name(other), name(linear), by), {linear},
             {other}, [=](ThreadValues& values) { values.set(other, values.get(linear) ^ by); });
      return emitLoad(plus(base, other, 4, noGuard()), *apart, 4, noGuard());
    }
  }
}

void Maker::tablePointer() {
  if (pointerTables_.empty()) return;
  const std::size_t which = random_.below(pointerTables_.size());
  const TrackedId table = pointerTables_[which];
  const Guard guard = someGuard(25);
  Node load;
  load.kind = NodeKind::Load;
  load.guard = guard.predicate;
  load.isNegated = guard.isNegated;
  load.address = table;
  load.width = 8;
  if (random_.percent(50)) {
    load.offset = 8 * random_.below(4);
  } else {
    const TrackedId base =
        fresh(name(table).ends_with("_pointers") ? Form::Constant : Form::Global);
    define(noGuard(), fmt::format("mov.u64 {}, {};", name(base), name(table)), {table}, {base},
           [=](ThreadValues& values) { values.set(base, values.get(table)); });
    load.address = plus(base, bounded(number(guard.mask), 4, guard.mask), 8, guard);
  }
  load.loaded = {target(pointerTableForms_[which], guard)};
  load.lines = {fmt::format("{}ld{}.u64 {}, {};", guard.text, spaceOf(load.address, false),
                            name(load.loaded[0]), place(load.address, load.offset))};
  if (now_->isGood(load, guard.mask)) append(std::move(load));
}

// ---- accesses ----------------------------------------------------------------------------------

std::string Maker::spaceOf(TrackedId pointer, bool isStore) {
  switch (tracked_[pointer].form) {
    case Form::Shared32:
    case Form::Shared64:
      // What is in the own CTA is in the cluster too.
      return random_.percent(10)   ? ".shared::cluster"
             : random_.percent(10) ? ".shared::cta"
                                   : ".shared";
    case Form::Cluster32:
    case Form::Cluster64:
      return ".shared::cluster";
    case Form::Global:
      return ".global";
    case Form::Local:
      return ".local";
    case Form::Constant:
      return ".const";
    case Form::Parameter:
      return ".param";
    case Form::Name: {
      const auto value = PointerValue::decoded(now_->value(pointer, 0));
      const TrackedMemory& memory = plan_.memories[value->memory];
      if (memory.name == "words") return ".param";
      switch (memory.where) {
        case Where::Shared:
          return ".shared";
        case Where::Global:
          return ".global";
        case Where::Local:
          return ".local";
        case Where::Constant:
          return ".const";
      }
      return "";
    }
    default:
      return isStore ? "" : "";
  }
}

std::string Maker::place(TrackedId pointer, std::int64_t offset) const {
  return offset == 0 ? fmt::format("[{}]", name(pointer))
                     : fmt::format("[{}+{}]", name(pointer), offset);
}

// A predicate that holds for one thread of the CTA, or for a few.
Guard Maker::leader() {
  Guard guard;
  const TrackedId is = compareWithOne(random_.percent(60) ? linear_ : number(here()));
  guard.predicate = is;
  guard.mask = now_->where(is, here());
  guard.text = fmt::format("@{} ", name(is));
  return guard;
}

void Maker::dataAccess() {
  // Most of it happens in a few, or every barrier would be needed.
  const Array& array =
      random_.percent(70) ? arrays_[favourites_[random_.below(2)]] : random_.pick(arrays_);
  const Guard guard = someGuard(30);
  constexpr std::uint32_t kWidths[] = {4, 4, 4, 4, 8, 8, 16, 2, 1};
  const std::uint32_t width = random_.pick(kWidths);
  TrackedId pointer = array.name;
  std::int64_t offset = 0;
  if (tracked_[array.name].form == Form::Name && array.part == 0 && random_.percent(25)) {
    offset =
        width * random_.below((array.bytes - (array.bytes > kLocalBytes ? kPadding : 0)) / width);
  } else {
    const std::uint32_t scale = std::max(width, random_.percent(60) ? 4u : 4u << random_.below(3));
    const std::uint32_t bytes =
        array.space == ".local" ? kLocalBytes : std::bit_ceil(plan_.threads) * kBytesPerThread;
    const std::uint32_t count = random_.percent(30) ? std::bit_ceil(plan_.threads) : bytes / scale;
    const auto slot =
        find(here(), [&](TrackedId id) { return std::ranges::count(slots_, id) != 0; });
    const TrackedId chosen = slot && random_.percent(50) ? *slot
                             : random_.percent(40)       ? linear_
                                                         : number(here());
    const TrackedId index = bounded(chosen, std::min(count, bytes / scale), here());
    pointer = plus(basePointer(array), index, scale, guard);
    offset = width * random_.below(scale / width);
  }
  const std::uint32_t kind = random_.below(100);
  if (kind < 48 && emitStore(pointer, offset, width, guard)) return;
  if (kind >= 92 && width == 4 && array.space != ".local") return emitAdd(pointer, offset, guard);
  emitLoad(pointer, offset, width, guard);
}

// By a pointer that has been made before.
void Maker::pointerAccess() {
  const auto isData = [&](TrackedId id) {
    if (!isPointer(tracked_[id].form) || tracked_[id].form == Form::Name) return false;
    for (std::size_t t = 0; t < plan_.total(); ++t) {
      if (!here()[t]) continue;
      const auto value = PointerValue::decoded(now_->value(id, t));
      if (!value || std::ranges::none_of(arrays_, [&](const Array& array) {
            return array.memory == value->memory;
          })) {
        return false;
      }
    }
    return true;
  };
  const auto pointer = find(here(), isData);
  if (!pointer) return;
  const Guard guard = someGuard(30);
  constexpr std::uint32_t kWidths[] = {4, 4, 4, 8, 16, 2, 1};
  const std::uint32_t width = random_.pick(kWidths);
  const std::int64_t offset = width * random_.below(16 / width);
  if (random_.percent(45) && emitStore(*pointer, offset, width, guard)) return;
  emitLoad(*pointer, offset, width, guard);
}

void Maker::emitLoad(TrackedId pointer, std::int64_t offset, std::uint32_t width,
                     const Guard& guard) {
  Node load;
  load.kind = NodeKind::Load;
  load.guard = guard.predicate;
  load.isNegated = guard.isNegated;
  load.address = pointer;
  load.offset = offset;
  load.width = width;
  load.shows = true;
  if (!now_->isGood(load, guard.mask)) return;
  std::vector<std::string> words;
  std::string list;
  std::string type = width == 1 ? "u8" : width == 2 ? "s16" : "u32";
  const bool isWide = width >= 8 && random_.percent(40);
  const std::uint32_t count = width < 8 ? 1 : width / (isWide ? 8 : 4);
  if (width >= 8)
    type =
        fmt::format("{}{}", count == 1 ? "" : fmt::format("v{}.", count), isWide ? "b64" : "u32");
  for (std::uint32_t k = 0; k < count; ++k) {
    words.push_back(text_.newRegister(isWide ? Kind::B64 : Kind::B32));
    list += fmt::format("{}{}", k == 0 ? "" : ", ", words.back());
    if (guard.predicate) {
      load.lines.push_back(fmt::format("mov.b{} {}, 0;", isWide ? 64 : 32, words.back()));
    }
  }
  const std::string space = spaceOf(pointer, false);
  constexpr std::string_view kStrengths[] = {".volatile", ".relaxed.cta", ".relaxed.gpu"};
  const bool isStrong = hasStrong_ && random_.percent(12) && space != ".local" && width <= 8;
  load.lines.push_back(fmt::format("{}ld{}{}.{} {}, {};", guard.text,
                                   isStrong ? random_.pick(kStrengths) : "", space, type,
                                   count == 1 ? list : "{" + list + "}", place(pointer, offset)));
  for (const std::string& word : words) {
    if (!isWide) {
      load.lines.push_back(mixed(word).front());
      continue;
    }
    const std::string low = text_.newRegister(Kind::B32);
    const std::string high = text_.newRegister(Kind::B32);
    load.lines.push_back(fmt::format("mov.b64 {{{}, {}}}, {};", low, high, word));
    load.lines.push_back(mixed(low).front());
    load.lines.push_back(mixed(high).front());
  }
  append(std::move(load));
}

// A value that has not been there before, made of the sum (generator.cpp).
std::vector<std::string> Maker::dataWord(std::string& word) {
  const std::string turned = text_.newRegister(Kind::B32);
  word = text_.newRegister(Kind::B32);
  return {fmt::format("shf.l.wrap.b32 {}, {}, {}, {};", turned, sum_, sum_, 5 + random_.below(22)),
          fmt::format("xor.b32 {}, {}, {:#x};", word, turned,
                      static_cast<std::uint32_t>(random_.next()))};
}

bool Maker::emitStore(TrackedId pointer, std::int64_t offset, std::uint32_t width, Guard guard) {
  Node store;
  store.kind = NodeKind::Store;
  store.address = pointer;
  store.offset = offset;
  store.width = width;
  const auto fits = [&] {
    return now_->isGood(store, guard.mask) && !now_->collides(store, guard.mask);
  };
  for (int k = 0; k < 3 && !fits(); ++k) guard = k == 1 ? leader() : someGuard(100);
  if (!fits()) return false;
  store.guard = guard.predicate;
  store.isNegated = guard.isNegated;
  std::string word;
  store.lines = dataWord(word);
  std::string type = "u32";
  std::string data = word;
  const auto another = [&](const std::string& of) {
    const std::string result = text_.newRegister(Kind::B32);
    store.lines.push_back(fmt::format("mul.lo.u32 {}, {}, 0x85ebca6b;", result, of));
    return result;
  };
  if (width <= 2) {
    type = width == 1 ? "u8" : "u16";
    if (width == 2) {
      data = text_.newRegister(Kind::B16);
      store.lines.push_back(fmt::format("cvt.u16.u32 {}, {};", data, word));
    }
  } else if (width >= 8 && random_.percent(40)) {
    const std::string wide = text_.newRegister(Kind::B64);
    store.lines.push_back(fmt::format("mul.wide.u32 {}, {}, 0x9e3779b1;", wide, word));
    type = width == 8 ? "b64" : "v2.b64";
    data = width == 8 ? wide : fmt::format("{{{0}, {0}}}", wide);
  } else if (width >= 8) {
    const std::string second = another(word);
    type = fmt::format("v{}.u32", width / 4);
    data = width == 8 ? fmt::format("{{{}, {}}}", word, second)
                      : fmt::format("{{{0}, {1}, {1}, {0}}}", word, second);
  }
  const std::string space = spaceOf(pointer, true);
  const bool isStrong = hasStrong_ && random_.percent(12) && space != ".local" && width <= 8;
  constexpr std::string_view kStrengths[] = {".volatile", ".relaxed.cta", ".relaxed.gpu"};
  store.lines.push_back(fmt::format("{}st{}{}.{} {}, {};", guard.text,
                                    isStrong ? random_.pick(kStrengths) : "", space, type,
                                    place(pointer, offset), data));
  append(std::move(store));
  return true;
}

void Maker::emitAdd(TrackedId pointer, std::int64_t offset, const Guard& guard) {
  Node add;
  add.kind = NodeKind::Add;
  add.guard = guard.predicate;
  add.isNegated = guard.isNegated;
  add.address = pointer;
  add.offset = offset;
  if (!now_->isGood(add, guard.mask)) return;
  std::string word;
  add.lines = dataWord(word);
  std::string space = spaceOf(pointer, true);
  add.lines.push_back(
      fmt::format("{}red{}.add.u32 {}, {};", guard.text, space, place(pointer, offset), word));
  append(std::move(add));
}

// ---- control -----------------------------------------------------------------------------------

std::string Maker::barrierText(bool ofCluster) {
  if (ofCluster) {
    constexpr std::string_view kSpellings[] = {
        "barrier.cluster.arrive; barrier.cluster.wait;",
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;"};
    return std::string(random_.pick(kSpellings));
  }
  constexpr std::string_view kSpellings[] = {"bar.sync 0;",         "bar.sync 0;",
                                             "bar.sync 0;",         "bar.sync 0;",
                                             "barrier.sync 0;",     "barrier.sync.aligned 0;",
                                             "barrier.cta.sync 0;", "bar.sync 1;"};
  return std::string(random_.pick(kSpellings));
}

void Maker::barrier() {
  if (!list_->takesBarriers) return;
  const bool ofCluster = plan_.cluster > 1 && random_.percent(20);
  if (ofCluster ? !now_->isWholeClusters(here()) : !isWhole()) return;
  Node node;
  node.kind = ofCluster ? NodeKind::ClusterBarrier : NodeKind::Barrier;
  const bool isAll = here().count() == plan_.total() && plan_.threads % kWarp == 0;
  node.lines = {!ofCluster && isAll && random_.percent(6)
                    ? fmt::format("bar.sync 2, {};", plan_.threads)
                    : barrierText(ofCluster)};
  append(std::move(node));
}

void Maker::reducingBarrier() {
  if (!isWhole() || !list_->takesBarriers) return;
  const std::string count = text_.newRegister(Kind::B32);
  Node node;
  node.kind = NodeKind::Barrier;
  node.isFixed = true;
  node.lines = {fmt::format("bar.red.popc.u32 {}, 0, {};", count, name(isLeader_)),
                mixed(count).front()};
  append(std::move(node));
}

void Maker::branch() {
  const auto predicate = predicateFor(here());
  if (!predicate) return;
  const std::string otherwise = text_.newLabel();
  const std::string join = text_.newLabel();
  const bool hasOther = random_.percent(50);
  Node made;
  made.kind = NodeKind::If;
  made.guard = predicate;
  made.isNegated = random_.percent(50);
  made.lists.resize(2);
  made.lines = {fmt::format("@{}{} bra {};", made.isNegated ? "" : "!", name(*predicate),
                            hasOther ? otherwise : join)};
  if (hasOther) {
    made.middle = {fmt::format("bra {};", join), otherwise + ":"};
  }
  made.last = {join + ":"};
  Node& node = append(std::move(made));
  const Mask outer = mask_;
  NodeList* const list = list_;
  const Mask holds = now_->where(*predicate, here());
  const Mask first = node.isNegated ? here() & ~holds : holds;
  for (NodeList& inner : node.lists) inner.takesBarriers = list->takesBarriers && meetsAnywhere_;
  ++depth_;
  const auto arm = [&](std::size_t k, const Mask& mask) {
    list_ = &node.lists[k];
    mask_ = mask;
    block(1 + random_.below(4));
  };
  const Mask second = here() & ~first;
  arm(0, first);
  if (hasOther) arm(1, second);
  --depth_;
  list_ = list;
  mask_ = outer;
}

void Maker::loop() {
  const std::string head = text_.newLabel();
  const std::string end = text_.newLabel();
  const std::string test = text_.newRegister(Kind::Pred);
  Node made;
  made.kind = NodeKind::Loop;
  made.lists.resize(1);
  made.testsFirst = random_.percent(40);
  made.counter = fresh(Form::Number);
  made.rounds = 1 + random_.below(3);
  std::string bound = std::to_string(made.rounds);
  if (random_.percent(40)) {
    made.bound = bounded(number(here()), 4, here());
    bound = name(*made.bound);
  }
  const std::string counter = name(made.counter);
  tracked_[made.counter].isProtected = true;
  made.lines = {fmt::format("mov.u32 {}, 0;", counter), head + ":"};
  if (made.testsFirst) {
    made.lines.push_back(fmt::format("setp.ge.u32 {}, {}, {};", test, counter, bound));
    made.lines.push_back(fmt::format("@{} bra {};", test, end));
  }
  made.middle = {fmt::format("add.u32 {0}, {0}, 1;", counter)};
  if (made.testsFirst) {
    made.middle.push_back(fmt::format("bra {};", head));
  } else {
    made.middle.push_back(fmt::format("setp.lt.u32 {}, {}, {};", test, counter, bound));
    made.middle.push_back(fmt::format("@{} bra {};", test, head));
  }
  made.last = {end + ":"};
  // It is executed below, when there is something in it.
  list_->nodes.push_back(std::make_unique<Node>(std::move(made)));
  Node& node = *list_->nodes.back();
  node.lists[0].owner = &node;
  NodeList* const list = list_;
  const Mask outer = mask_;
  Mask rounds;
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    const bool skips = node.testsFirst && node.bound && now_->value(*node.bound, t) == 0;
    if (here()[t] && !skips) rounds.set(t);
  }
  now_->set(node.counter, here(), 0);
  const bool looksUniform = !node.bound || meetsAnywhere_;
  node.lists[0].takesBarriers = list->takesBarriers && looksUniform;
  list_ = &node.lists[0];
  mask_ = rounds;
  ++depth_;
  ++loops_;
  block(2 + random_.below(4));
  if (random_.percent(30) && (meetsAnywhere_ || !list_->takesBarriers)) {
    const Guard guard = someGuard(100);
    if (guard.predicate) {
      Node leave;
      leave.kind = NodeKind::Break;
      leave.guard = guard.predicate;
      leave.isNegated = guard.isNegated;
      leave.lines = {fmt::format("{}bra {};", guard.text, end)};
      list_->nodes.push_back(std::make_unique<Node>(std::move(leave)));
      const Mask left = mask_ & ~guard.mask;
      if (left.any()) {
        mask_ = left;
        block(1 + random_.below(2));
      }
    }
  }
  --loops_;
  --depth_;
  list_ = list;
  mask_ = outer;
  if (depth_ == 0) rerun();
}

// A predicate that tells threads of a CTA apart, or whole warps.
std::optional<TrackedId> Maker::splitter(bool byWarps) {
  const auto tells = [&](TrackedId id, Form form) {
    return tracked_[id].form == form && differs(id, plan_.threads) &&
           !(byWarps && differs(id, kWarp));
  };
  const auto known = [&](Form form) {
    return find(here(), [&](TrackedId id) { return id != linear_ && tells(id, form); });
  };
  if (random_.percent(30)) return known(Form::Predicate);
  std::optional<TrackedId> number = known(Form::Number);
  if (!number || random_.percent(60)) number = definePartly(byWarps);
  return tells(*number, Form::Number) ? compareWithOne(*number) : known(Form::Predicate);
}

// A number is what it is in some thread.
TrackedId Maker::compareWithOne(TrackedId id) {
  std::vector<std::size_t> threads;
  for (std::size_t t = 0; t < plan_.total(); ++t) {
    if (here()[t]) threads.push_back(t);
  }
  const std::uint64_t chosen = now_->value(id, random_.pick(threads));
  const TrackedId is = fresh(Form::Predicate);
  define(noGuard(), fmt::format("setp.eq.u32 {}, {}, {};", name(is), name(id), chosen), {id}, {is},
         [=](ThreadValues& values) { values.set(is, values.get(id) == chosen ? 1 : 0); });
  return is;
}

// A register with something that all threads agree on, and then, in some of them, with something
// else that these agree on.
TrackedId Maker::definePartly(bool byWarps) {
  std::optional<TrackedId> predicate = find(here(), [&](TrackedId id) {
    return tracked_[id].form == Form::Predicate && differs(id, plan_.threads) &&
           !(byWarps && differs(id, kWarp));
  });
  if (!predicate) {
    predicate = compareWithOne(byWarps && plan_.threads > kWarp ? warp_ : linear_);
  }
  wantsUniform_ = true;
  const TrackedId to = fresh(Form::Number);
  const auto give = [&](const Guard& guard) {
    forced_ = to;
    defineNumber(guard);
    if (std::exchange(forced_, std::nullopt) && !guard.predicate) {
      define(guard, fmt::format("mov.u32 {}, 3;", name(to)), {}, {to},
             [=](ThreadValues& values) { values.set(to, 3); });
    }
  };
  give(noGuard());
  if (!now_->isDefined(to, here())) give(noGuard());
  give(guardBy(*predicate));
  wantsUniform_ = false;
  lastPart_ = predicate;
  return to;
}

// Each thread writes its slot, if it is one, or those do that a predicate chooses; and reads it.
void Maker::useSlot() {
  const Array& array =
      arrays_[random_.percent(70) ? favourites_[0] : random_.below(arrays_.size())];
  if (random_.percent(60)) defineSlot();
  const auto slot = find(here(), [&](TrackedId id) { return std::ranges::count(slots_, id) != 0; });
  if (!slot) return;
  const std::uint32_t most = array.bytes - (array.bytes > kLocalBytes ? kPadding : 0);
  const std::uint32_t scale = random_.percent(70) ? 4 : 8;
  const TrackedId index = bounded(*slot, most / scale, here());
  const TrackedId pointer = plus(basePointer(array), index, scale, noGuard());
  const auto access = [&] {
    Guard guard = someGuard(25);
    if (random_.percent(50) && lastPart_ && !tracked_[*lastPart_].isHidden &&
        now_->isDefined(*lastPart_, here())) {
      guard = guardBy(*lastPart_);
    }
    return guard;
  };
  if (random_.percent(70)) emitStore(pointer, 0, 4, access());
  if (random_.percent(30)) construct();
  if (random_.percent(30)) barrier();
  emitLoad(pointer, 0, 4, random_.percent(50) ? noGuard() : access());
}

// The thread's own slot, or nearly: the thread id and something that may look as if all agreed on
// it.
void Maker::defineSlot() {
  const TrackedId by = random_.percent(60) ? definePartly(random_.percent(50)) : number(here());
  if (!now_->isDefined(by, here())) return;
  const TrackedId to = fresh(Form::Number);
  const TrackedId linear = linear_;
  const std::uint32_t kind = random_.below(100);
  const std::string line =
      kind < 55   ? fmt::format("add.u32 {}, {}, {};", name(to), name(linear), name(by))
      : kind < 75 ? fmt::format("add.s32 {}, {}, {};", name(to), name(by), name(linear))
      : kind < 88 ? fmt::format("mad.lo.u32 {}, {}, 2, {};", name(to), name(linear), name(by))
                  : fmt::format("xor.b32 {}, {}, {};", name(to), name(linear), name(by));
  define(noGuard(), line, {linear, by}, {to}, [=](ThreadValues& values) {
    const std::uint64_t t = values.get(linear);
    const std::uint64_t b = values.get(by);
    values.set(to, (kind < 75 ? t + b : kind < 88 ? 2 * t + b : t ^ b) & kWordMask);
  });
  tracked_[to].isProtected = true;
  slots_.push_back(to);
}

// Some threads meet the others at another place of the program.
void Maker::split() {
  if (!isWhole() || !list_->takesBarriers || splits_ == 0) return;
  --splits_;
  const bool byWarps = random_.percent(75);
  const std::optional<TrackedId> predicate = splitter(byWarps);
  if (!predicate) return definePredicate();
  const std::string otherwise = text_.newLabel();
  const std::string join = text_.newLabel();
  Node made;
  made.kind = NodeKind::Split;
  made.guard = predicate;
  made.isNegated = random_.percent(50);
  made.lists.resize(4);
  for (NodeList& list : made.lists) list.isOpen = list.takesBarriers = false;
  made.lines = {
      fmt::format("@{}{} bra {};", made.isNegated ? "" : "!", name(*predicate), otherwise)};
  made.middle = {fmt::format("bra {};", join), otherwise + ":"};
  made.last = {join + ":"};
  const bool isAligned = byWarps && random_.percent(25);
  if (isAligned) isAlignedApart_ = true;
  const std::uint32_t id = random_.percent(80) ? 0 : 3;
  made.barriers.assign(2, fmt::format("{} {};", isAligned ? "bar.sync" : "barrier.sync", id));
  const bool isQuiet = random_.percent(40);
  if (random_.percent(40)) barrier();
  Node& node = append(std::move(made));
  NodeList* const list = list_;
  const Mask outer = mask_;
  const Mask holds = now_->where(*predicate, here());
  const Mask first = node.isNegated ? here() & ~holds : holds;
  const Mask second = here() & ~first;
  depth_ += 3;  // nothing inside that takes a barrier
  for (std::size_t k = 0; k < 4; ++k) {
    list_ = &node.lists[k];
    mask_ = k % 2 == 0 ? first : second;
    if (mask_.none()) continue;
    // What one side hands to the other.
    const bool isTurn = isQuiet ? k == 0 || k == 3 : random_.percent(50);
    for (std::uint32_t n = isTurn ? 1 + random_.below(2) : 0; n > 0; --n) {
      random_.percent(70) ? dataAccess() : random_.percent(50) ? pointerAccess() : mixNumber();
    }
  }
  depth_ -= 3;
  list_ = list;
  mask_ = outer;
}

// They put out what they have; the others go on without them.
void Maker::exitEarly() {
  if (depth_ != 0 || plan_.cluster != 1 || !isWhole()) return;
  const Guard guard = someGuard(100);
  if (!guard.predicate || guard.mask.none() || guard.mask == here()) return;
  if (random_.percent(80)) barrier();
  const std::string go = text_.newLabel();
  Node node;
  node.kind = NodeKind::Exit;
  node.guard = guard.predicate;
  node.isNegated = guard.isNegated;
  node.lines = {
      fmt::format("@{}{} bra {};", guard.isNegated ? "" : "!", name(*guard.predicate), go),
      fmt::format("st.global.u32 [{}], {}; {}", out_, sum_, RandomKernel::kNeededStore),
      random_.percent(60) ? "ret;" : "exit;", go + ":"};
  append(std::move(node));
}

void Maker::callExchange() {
  if (!isWhole() || !list_->takesBarriers) return;
  const auto array = std::ranges::find(arrays_, ".shared", &Array::space);
  const bool isShared = functions_ % 2 == 0;
  const auto pointer = [&] {
    const Form form = isShared ? Form::Shared64 : Form::Generic;
    const TrackedId base = fresh(form);
    const TrackedId from = array->name;
    const std::string address = text_.newRegister(Kind::B64);
    Node& node = define(noGuard(), "", {from}, {base},
                        [=](ThreadValues& values) { values.set(base, values.get(from)); });
    node.lines = {
        fmt::format("mov.u64 {}, {};", address, name(from)),
        fmt::format("{} {}, {};", isShared ? "mov.b64" : "cvta.shared.u64", name(base), address)};
    const TrackedId index = random_.percent(50) ? linear_ : number(here());
    return plus(base, bounded(index, std::bit_ceil(plan_.threads), here()), 4, noGuard());
  };
  const TrackedId to = pointer();
  const TrackedId from = pointer();
  Node group;
  group.kind = NodeKind::Group;
  group.lists.resize(1);
  group.lists[0].isOpen = false;
  Node store;
  store.kind = NodeKind::Store;
  store.address = to;
  if (!now_->isGood(store, here()) || now_->collides(store, here())) return;
  Node load;
  load.kind = NodeKind::Load;
  load.address = from;
  load.shows = true;
  Node meet;
  meet.kind = NodeKind::Barrier;
  meet.isFixed = true;
  group.lists[0].nodes.push_back(std::make_unique<Node>(std::move(store)));
  group.lists[0].nodes.push_back(std::make_unique<Node>(std::move(meet)));
  group.lists[0].nodes.push_back(std::make_unique<Node>(std::move(load)));
  std::string word;
  group.lines = dataWord(word);
  const std::string result = text_.newRegister(Kind::B32);
  for (const std::string& line :
       {std::string("{"), std::string(".param .b64 to; .param .b64 from; .param .b32 x;"),
        std::string(".param .b32 back;"), fmt::format("st.param.b64 [to], {};", name(to)),
        fmt::format("st.param.b64 [from], {};", name(from)),
        fmt::format("st.param.b32 [x], {};", word),
        fmt::format("call.uni (back), {}_exchange, (to, from, x);", prefix_),
        fmt::format("ld.param.b32 {}, [back];", result), std::string("}"), mixed(result).front()}) {
    group.lines.push_back(line);
  }
  append(std::move(group));
}

void Maker::callBarrier() {
  if (!isWhole() || !list_->takesBarriers) return;
  Node group;
  group.kind = NodeKind::Group;
  group.lists.resize(1);
  group.lists[0].isOpen = false;
  Node meet;
  meet.kind = NodeKind::Barrier;
  meet.isFixed = true;
  group.lists[0].nodes.push_back(std::make_unique<Node>(std::move(meet)));
  group.lines = {fmt::format("call.uni {}_wait, ();", prefix_)};
  append(std::move(group));
}

// A register of the scope has the name of one outside.
void Maker::scope() {
  const auto hidden = find(here(), [&](TrackedId id) {
    return (tracked_[id].form == Form::Number || tracked_[id].form == Form::Predicate) &&
           !tracked_[id].isProtected;
  });
  if (!hidden) return;
  const Form form = tracked_[*hidden].form;
  tracked_.push_back({name(*hidden), form});
  now_->addValue();
  const TrackedId inner = plan_.values++;
  tracked_[*hidden].isHidden = true;
  Node made;
  made.kind = NodeKind::Group;
  made.lists.resize(1);
  made.lines = {"{",
                fmt::format(".reg .{} {};", form == Form::Number ? "b32" : "pred", name(inner))};
  made.last = {"}"};
  Node& node = append(std::move(made));
  NodeList* const list = list_;
  node.lists[0].takesBarriers = list->takesBarriers;
  list_ = &node.lists[0];
  const TrackedId a = number(here());
  if (form == Form::Number) {
    define(noGuard(), fmt::format("xor.b32 {}, {}, 1;", name(inner), name(a)), {a}, {inner},
           [=](ThreadValues& values) { values.set(inner, values.get(a) ^ 1); });
  } else {
    define(noGuard(), fmt::format("setp.ne.u32 {}, {}, 2;", name(inner), name(a)), {a}, {inner},
           [=](ThreadValues& values) { values.set(inner, values.get(a) != 2 ? 1 : 0); });
  }
  ++depth_;
  block(2 + random_.below(4));
  --depth_;
  list_ = list;
  tracked_[inner].isHidden = true;
  tracked_[*hidden].isHidden = false;
}

void Maker::fence() {
  constexpr std::string_view kFences[] = {"membar.cta;",        "membar.gl;",
                                          "fence.acq_rel.cta;", "fence.acq_rel.gpu;",
                                          "fence.sc.cta;",      "fence.acq_rel.cluster;"};
  text({std::string(random_.pick(kFences))});
}

// One warp hands something to another one, at a barrier for these two.
void Maker::handOver() {
  const bool fits = plan_.threads % kWarp == 0 && plan_.threads > kWarp &&
                    here().count() == plan_.total() && list_->takesBarriers && handed_ < 8;
  if (!fits) return;
  plan_.hasOtherSync = true;
  const std::uint32_t id = kHandedId + handed_;
  const std::string buffer = fmt::format("{}_h{}", prefix_, handed_++);
  declarations_.push_back(fmt::format("  .shared .align 4 .b8 {}[{}];", buffer, 4 * kWarp));
  const std::string slot = text_.newRegister(Kind::B32);
  const std::string is = text_.newRegister(Kind::Pred);
  const std::string result = text_.newRegister(Kind::B32);
  const std::string consume = text_.newLabel();
  const std::string join = text_.newLabel();
  const bool isAligned = random_.percent(50);
  if (isAligned) isAlignedApart_ = true;
  const std::string opcode = isAligned ? "bar" : "barrier";
  std::string word;
  std::vector<std::string> lines = dataWord(word);
  for (const std::string& line :
       {fmt::format("mov.u32 {}, {};", slot, buffer),
        fmt::format("and.b32 {}, {}, 31;", result, name(linear_)),
        fmt::format("mad.lo.u32 {0}, {1}, 4, {0};", slot, result),
        fmt::format("setp.ne.u32 {}, {}, 0;", is, name(warp_)),
        fmt::format("@{} bra {};", is, consume), fmt::format("st.shared.u32 [{}], {};", slot, word),
        fmt::format("{}.{} {}, 64;", opcode, random_.percent(60) ? "arrive" : "sync", id),
        fmt::format("bra {};", join), consume + ":",
        fmt::format("setp.ne.u32 {}, {}, 1;", is, name(warp_)),
        fmt::format("@{} bra {};", is, join), fmt::format("{}.sync {}, 64;", opcode, id),
        fmt::format("ld.shared.u32 {}, [{}];", result, slot), mixed(result).front(), join + ":"}) {
    lines.push_back(line);
  }
  Node node;
  node.kind = NodeKind::Together;
  node.isWhole = true;
  node.lines = std::move(lines);
  append(std::move(node));
  Node all;
  all.kind = NodeKind::Barrier;
  all.isFixed = true;
  all.lines = {"bar.sync 0;"};
  append(std::move(all));
}

// All warps but the first wait for a word that thread 0 writes.
void Maker::poll() {
  if (!needsFlags_ || !list_->takesBarriers || here().count() != plan_.total()) return;
  plan_.hasOtherSync = true;
  const std::string wait = text_.newLabel();
  const std::string spin = text_.newLabel();
  const std::string done = text_.newLabel();
  const std::string seen = text_.newRegister(Kind::B32);
  const std::string is = text_.newRegister(Kind::Pred);
  constexpr std::array<std::string_view, 4> kWays[] = {
      {"st.volatile", "ld.volatile", "membar.cta;", "membar.cta;"},
      {"st.relaxed.cta", "ld.relaxed.cta", "fence.acq_rel.cta;", "fence.acq_rel.cta;"},
      {"st.relaxed.gpu", "ld.relaxed.gpu", "membar.gl;", "membar.gl;"},
      {"st.release.cta", "ld.acquire.cta", "", ""}};
  const auto& [store, load, before, after] = random_.pick(kWays);
  const bool isGlobal = isFlagGlobal_;
  const std::string space = isGlobal ? ".global" : ".shared";
  const std::string flag = isGlobal ? flag_ : prefix_ + "_flag";
  const std::string data = isGlobal ? flag_ + "+4" : prefix_ + "_data";
  std::string word;
  std::vector<std::string> lines = dataWord(word);
  for (const std::string& line :
       {fmt::format("add.u32 {0}, {0}, 1;", epoch_),
        fmt::format("@!{} bra {};", name(isLeader_), wait),
        fmt::format("st{}.u32 [{}], {};", space, data, word), std::string(before),
        fmt::format("{}{}.u32 [{}], {};", store, space, flag, epoch_), fmt::format("bra {};", done),
        wait + ":", fmt::format("setp.lt.u32 {}, {}, {};", is, name(linear_), kWarp),
        fmt::format("@{} bra {};", is, done), spin + ":",
        fmt::format("{}{}.u32 {}, [{}];", load, space, seen, flag),
        fmt::format("setp.ne.u32 {}, {}, {};", is, seen, epoch_),
        fmt::format("@{} bra {};", is, spin), std::string(after),
        fmt::format("ld{}.u32 {}, [{}];", space, seen, data), mixed(seen).front(), done + ":"}) {
    if (!line.empty()) lines.push_back(line);
  }
  Node node;
  node.kind = NodeKind::Together;
  node.isWhole = true;
  node.lines = std::move(lines);
  append(std::move(node));
  Node all;
  all.kind = NodeKind::Barrier;
  all.isFixed = true;
  all.lines = {"bar.sync 0;"};
  append(std::move(all));
}

}  // namespace

RandomKernel generateRules(std::uint64_t seed, const GeneratorOptions& options) {
  return Maker(seed, options).make();
}

}  // namespace ptxopt::fuzz
