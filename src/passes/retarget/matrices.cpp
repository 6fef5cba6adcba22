// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of 8 x 8 elements of 16 bits between memory and registers, by shuffles; and products of
// integers as smaller products.
//
// Lane 8 i + r gives the address of row r of matrix i.  Lane 4 g + t has elements 2 t and 2 t + 1
// of row g, or of column g if the matrix is transposed.
#include "passes/retarget/families.h"

namespace ptxopt::passes {

namespace {

constexpr std::string_view kAllLanes = "-1";

// ---- ldmatrix and stmatrix ----------------------------------------------------------------------

std::size_t matrixCount(const Expansion& text) {
  if (text.has(".x4")) return 4;
  return text.has(".x2") ? 2 : 1;
}

// The address of operand k in shared memory, which needs only 32 bits.  "" for a variable whose
// address would have to become generic first.
std::string sharedAddress(Expansion& text, std::size_t k) {
  const bool isGeneric = !text.has(".shared") && !text.has(".shared::cta");
  if (isGeneric && !text.hasRegisterBase(k)) return {};
  const bool isWide = text.addressBits(k) == 64;
  std::string address = text.addressRegister(k);
  if (isGeneric && isWide) address = text.b64("cvta.to.shared.u64", address);
  if (isGeneric && !isWide) address = text.b32("cvta.to.shared.u32", address);
  return isWide ? text.b32("cvt.u32.u64", address) : address;
}

std::string ofLane(Expansion& text, const std::string& value, const std::string& lane) {
  std::string there = text.newB32();
  text.effect("shfl.sync.idx.b32", there, value, lane, 31, kAllLanes);
  return there;
}

// The places of the elements that a lane has of each matrix.
class Places {
 public:
  // `isTransposed`: two halves of 16 bits, else one word.
  Places(Expansion& text, std::string address, bool isTransposed)
      : text_(text), address_(std::move(address)), isTransposed_(isTransposed) {
    const std::string lane = text.b32("mov.u32", "%laneid");
    const std::string group = text.b32("shr.u32", lane, 2);
    const std::string inGroup = text.b32("and.b32", lane, 3);
    row_ = isTransposed ? text.b32("shl.b32", inGroup, 1) : group;
    offset_ = isTransposed ? text.b32("shl.b32", group, 1) : text.b32("shl.b32", inGroup, 2);
  }

  std::vector<std::string> of(std::size_t matrix) {
    std::vector<std::string> places;
    for (std::size_t k = 0; k < (isTransposed_ ? 2U : 1U); ++k) {
      const std::string lane = text_.b32("add.u32", row_, 8 * matrix + k);
      const std::string at = text_.b32("add.u32", ofLane(text_, address_, lane), offset_);
      places.push_back('[' + at + ']');
    }
    return places;
  }

 private:
  Expansion& text_;
  std::string address_;
  bool isTransposed_;
  std::string row_;
  std::string offset_;
};

// What a row's own lane wrote or writes is now another lane's to read or to overwrite.
void orderLanes(Expansion& text) {
  text.effect("bar.warp.sync", kAllLanes);
}

bool loadMatrices(Expansion& text) {
  const std::vector<std::string> results = text.elements(0);
  const std::string address = sharedAddress(text, 1);
  if (address.empty() || results.size() != matrixCount(text)) return false;
  Places places(text, address, text.has(".trans"));
  orderLanes(text);
  std::vector<std::string> loaded;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const std::vector<std::string> from = places.of(k);
    std::string word = text.newB32();
    if (from.size() == 1) {
      text.effect("ld.shared.b32", word, from[0]);
    } else {
      const std::string lower = text.newB16();
      const std::string upper = text.newB16();
      text.effect("ld.shared.b16", lower, from[0]);
      text.effect("ld.shared.b16", upper, from[1]);
      text.own("mov.b32", word, fmt::format("{{{}, {}}}", lower, upper));
    }
    loaded.push_back(std::move(word));
  }
  orderLanes(text);
  for (std::size_t k = 0; k < results.size(); ++k) text.assignTo(results[k], loaded[k]);
  return true;
}

bool storeMatrices(Expansion& text) {
  const std::vector<std::string> values = text.elements(1);
  const std::string address = sharedAddress(text, 0);
  if (address.empty() || values.size() != matrixCount(text)) return false;
  Places places(text, address, text.has(".trans"));
  orderLanes(text);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::vector<std::string> to = places.of(k);
    if (to.size() == 1) {
      text.effect("st.shared.b32", to[0], values[k]);
      continue;
    }
    const std::string lower = text.newB16();
    const std::string upper = text.newB16();
    text.own("mov.b32", fmt::format("{{{}, {}}}", lower, upper), values[k]);
    text.effect("st.shared.b16", to[0], lower);
    text.effect("st.shared.b16", to[1], upper);
  }
  orderLanes(text);
  return true;
}

// Element c of row r is in lane 4 r + c / 2: the upper half if c is odd.
bool transpose(Expansion& text) {
  const std::string value = text.b32("mov.b32", text.operand(1));
  const std::string lane = text.b32("mov.u32", "%laneid");
  const std::string group = text.b32("shr.u32", lane, 2);
  const std::string inGroup = text.b32("and.b32", lane, 3);
  const std::string from =
      text.b32("mad.lo.u32", inGroup, 8, text.b32("shr.u32", group, 1));  // of row 2 t
  const std::string lower = ofLane(text, value, from);
  const std::string upper = ofLane(text, value, text.b32("add.u32", from, 4));
  const std::string isOdd = text.pred("setp.ne.u32", text.b32("and.b32", group, 1), 0);
  const std::string halves = text.b32("selp.b32", 0x7632, 0x5410, isOdd);
  text.assign(0, text.b32("prmt.b32", lower, upper, halves));
  return true;
}

// ---- mma ----------------------------------------------------------------------------------------

// "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32" for the types of the instruction.
std::string smallProduct(const Expansion& text) {
  std::string types;
  for (const std::string_view word : text.desc().qualifiers) {
    if (word == ".u8" || word == ".s8" || word == ".u4" || word == ".s4" || word == ".b1") {
      types += word;
    }
  }
  std::string_view shape = ".m8n8k16";
  if (types.ends_with("4")) shape = ".m8n8k32";
  if (types.ends_with("1")) shape = ".m8n8k128";
  return fmt::format("mma.sync.aligned{}.row.col.s32{}.s32{}", shape, types,
                     text.has(".xor") ? ".xor.popc" : "");
}

// The upper and the lower eight rows, and for each one or two steps along the sum.  Sums of
// integers wrap, so their order does not matter.
bool multiply(Expansion& text) {
  const std::vector<std::string> results = text.elements(0);
  const std::vector<std::string> a = text.elements(1);
  const std::vector<std::string> b = text.elements(2);
  const std::vector<std::string> c = text.elements(3);
  if (results.size() != 4 || c.size() != 4 || a.size() != 2 * b.size()) return false;
  const std::string mnemonic = smallProduct(text);
  std::vector<std::string> sums;
  for (std::size_t half = 0; half < 2; ++half) {
    std::string sum = fmt::format("{{{}, {}}}", c[2 * half], c[2 * half + 1]);
    for (std::size_t step = 0; step < b.size(); ++step) {
      const std::string first = text.newB32();
      const std::string second = text.newB32();
      const std::string next = fmt::format("{{{}, {}}}", first, second);
      text.effect(mnemonic, next, '{' + a[2 * step + half] + '}', '{' + b[step] + '}', sum);
      sum = next;
      if (step + 1 == b.size()) sums.insert(sums.end(), {first, second});
    }
  }
  for (std::size_t k = 0; k < results.size(); ++k) text.assignTo(results[k], sums[k]);
  return true;
}

constexpr std::string_view kShuffles = "shfl.sync of the addresses, and accesses of each lane";
constexpr std::string_view kProducts = "mma of 8 rows";

constexpr Lowering kMatrices[] = {
    // clang-format off
    {"ldmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 =d*, [a]",
     ".num=.x1,.x2,.x4 .ss=.shared,.shared::cta", {6, 0}, "30", loadMatrices, kShuffles,
     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [smem];"},
    {"stmatrix.sync.aligned.m8n8.num{.trans}{.ss}.b16 [a], d*",
     ".num=.x1,.x2,.x4 .ss=.shared,.shared::cta", {6, 0}, "30", storeMatrices, kShuffles,
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [smem], {%r0};"},
    {"movmatrix.sync.aligned.m8n8.trans.b16 =d, a", "", {6, 0}, "30", transpose,
     "two shfl.sync", "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;"},
    {"mma.sync.aligned.shape.row.col.s32.atype.btype.s32 =d*, a*, b*, c*",
     ".shape=.m16n8k16,.m16n8k32 .atype=.u8,.s8 .btype=.u8,.s8", {6, 5}, "75", multiply, kProducts,
     "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%r0, %r1, %r2, %r3}, {%r10, %r11}, {%r20}, "
     "{%r30, %r31, %r32, %r33};"},
    {"mma.sync.aligned.shape.row.col.s32.atype.btype.s32 =d*, a*, b*, c*",
     ".shape=.m16n8k32,.m16n8k64 .atype=.u4,.s4 .btype=.u4,.s4", {6, 5}, "75", multiply, kProducts,
     "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32 {%r0, %r1, %r2, %r3}, {%r10, %r11}, {%r20}, "
     "{%r30, %r31, %r32, %r33};"},
    {"mma.sync.aligned.shape.row.col.s32.b1.b1.s32.xor.popc =d*, a*, b*, c*",
     ".shape=.m16n8k128,.m16n8k256", {7, 0}, "75", multiply, kProducts,
     "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {%r0, %r1, %r2, %r3}, "
     "{%r10, %r11}, {%r20}, {%r30, %r31, %r32, %r33};"},
    // clang-format on
};

}  // namespace

std::span<const Lowering> matrices() {
  return kMatrices;
}

}  // namespace ptxopt::passes
