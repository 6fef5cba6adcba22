// mma.sync and ldmatrix (PTX ISA 9.7.16).
//
// All fragments of one register width follow one rule.  With e elements in a register, g = lane / 4
// and t = lane % 4:
//   register r of a:  row g + 8 (r % 2),  columns t e .. t e + e-1, plus 4 e (r / 2)
//   register r of b:  column g,           rows    t e .. t e + e-1, plus 4 e r
//   element i of d:   row g + 8 (i / 2),  column  2 t + i % 2
//
// How a sum of products is rounded is left open by the manual.  Here products are exact; their sum
// is taken in double, in the order of k, and rounded once; integers and f64 have no freedom.
#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"
#include "interp/arithmetic/integer.h"
#include "interp/machine.h"

namespace ptxopt::interp {

namespace {

constexpr int kMaxRows = 16;
constexpr int kColumns = 8;
constexpr int kMaxDepth = 32;

using isa::Type;

double floatElement(Type type, std::uint64_t bits) {
  switch (type) {
    case Type::F16:
      return toDouble(kF16, bits);
    case Type::BF16:
      return toDouble(kBF16, bits);
    case Type::TF32:
      return toDouble(kF32, bits & 0xffffe000u);  // the rest is not looked at
    case Type::F32:
      return toDouble(kF32, bits);
    default:
      return std::bit_cast<double>(bits);
  }
}

std::uint64_t floatBits(Type type, double value) {
  switch (type) {
    case Type::F16:
      return fromDouble(kF16, value, Rounding::NearestEven);
    case Type::F32:
      return fromDouble(kF32, value, Rounding::NearestEven);
    default:
      return std::bit_cast<std::uint64_t>(value);
  }
}

}  // namespace

void Machine::runMatrix(Cta& cta, std::uint32_t warp, const Op& op) {
  const std::span<Thread> threads = lanesOf(cta, warp);
  if (static_cast<CollectiveKind>(op.detail) == CollectiveKind::MatrixLoad) {
    return loadMatrix(threads, op);
  }
  const std::uint32_t* const counts = threads[0].code->lists.data() + op.index;
  const std::uint32_t* const d = counts + 4;
  const std::uint32_t* const a = d + counts[0];
  const std::uint32_t* const b = a + counts[1];
  const std::uint32_t* const c = b + counts[2];
  const int bits = isa::bitWidth(op.sourceType);
  const int perRegister = bits == 64 ? 1 : 32 / bits;
  const int depth = 4 * perRegister * static_cast<int>(counts[2]);
  // Elements of c and d in a register: f16 comes in pairs.
  const int packed = op.type == Type::F16 ? 2 : 1;
  const int elements = static_cast<int>(counts[0]) * packed;
  const bool fits = depth <= kMaxDepth && (elements == 4 || elements == 2) &&
                    counts[3] == counts[0] &&
                    static_cast<int>(counts[1]) * perRegister * 32 == elements * 4 * depth;
  if (!fits) fault(FindingKind::Unsupported, op, "fragments of this shape are not supported");

  std::uint64_t left[kMaxRows][kMaxDepth] = {};
  std::uint64_t right[kMaxDepth][kColumns] = {};
  for (const Thread& thread : threads) {
    const int g = static_cast<int>(thread.lane()) / 4;
    const int t = static_cast<int>(thread.lane()) % 4;
    const auto element = [&](std::uint32_t slot, int j) {
      return truncated(thread.frame[slot] >> (j * bits), bits);
    };
    for (int r = 0; r < static_cast<int>(counts[1]); ++r) {
      for (int j = 0; j < perRegister; ++j) {
        left[g + 8 * (r % 2)][t * perRegister + j + 4 * perRegister * (r / 2)] = element(a[r], j);
      }
    }
    for (int r = 0; r < static_cast<int>(counts[2]); ++r) {
      for (int j = 0; j < perRegister; ++j) {
        right[t * perRegister + j + 4 * perRegister * r][g] = element(b[r], j);
      }
    }
  }

  const bool isInteger = !isa::isFloat(op.sourceType) && op.sourceType != Type::TF32;
  for (Thread& thread : threads) {
    const int g = static_cast<int>(thread.lane()) / 4;
    const int t = static_cast<int>(thread.lane()) % 4;
    std::uint64_t results[4] = {};
    for (int i = 0; i < elements; ++i) {
      const int row = g + 8 * (i / 2);
      const int column = 2 * t + i % 2;
      const int width = packed == 2 ? 16 : isa::bitWidth(op.type);
      const std::uint64_t addend =
          truncated(thread.frame[c[i / packed]] >> (i % packed * 16), width);
      if (isInteger) {
        std::int64_t sum = static_cast<std::int32_t>(addend);
        for (int k = 0; k < depth; ++k) {
          const auto value = [](std::uint64_t byte, bool isSigned) -> std::int64_t {
            return static_cast<std::int64_t>(extended(isSigned ? Type::S8 : Type::U8, byte));
          };
          sum += value(left[row][k], (op.width & 1) != 0) *
                 value(right[k][column], (op.width & 2) != 0);
        }
        if (op.is(kSecond)) {
          sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
        }
        results[i] = truncated(static_cast<std::uint64_t>(sum), 32);
      } else if (op.type == Type::F64) {
        double sum = std::bit_cast<double>(addend);
        for (int k = 0; k < depth; ++k) {
          sum = fusedMultiplyAdd(std::bit_cast<double>(left[row][k]),
                                 std::bit_cast<double>(right[k][column]), sum, op.rounding);
        }
        results[i] = std::bit_cast<std::uint64_t>(sum);
      } else {
        double sum = floatElement(op.type, addend);
        for (int k = 0; k < depth; ++k) {
          sum += floatElement(op.sourceType, left[row][k]) *
                 floatElement(op.sourceType, right[k][column]);
        }
        results[i] = floatBits(op.type, sum);
      }
    }
    for (int r = 0; r < static_cast<int>(counts[0]); ++r) {
      thread.frame[d[r]] = packed == 2 ? results[2 * r] | results[2 * r + 1] << 16 : results[r];
    }
  }
}

// Lane 8 m + r gives the address of row r of matrix m; every lane gets two neighbours of a row, or
// of a column where it is transposed.
void Machine::loadMatrix(std::span<Thread> threads, const Op& op) {
  constexpr int kSide = 8;
  constexpr std::uint32_t kRowBytes = 16;
  const std::uint32_t* const counts = threads[0].code->lists.data() + op.index;
  const std::uint32_t* const d = counts + 4;
  for (std::uint32_t matrix = 0; matrix < counts[0]; ++matrix) {
    std::uint16_t values[kSide][kSide];
    for (std::uint32_t row = 0; row < kSide; ++row) {
      Thread& thread = threads[matrix * kSide + row];
      const Place place = resolve(thread, op, op.space, addressOf(thread, op), kRowBytes, false);
      if (place.segment != nullptr && options_.detectsRaces) {
        check(thread, op, place, kRowBytes, false, false);
      }
      std::memcpy(values[row], place.data, kRowBytes);
    }
    for (Thread& thread : threads) {
      const std::uint32_t g = thread.lane() / 4;
      const std::uint32_t t = thread.lane() % 4 * 2;
      const bool transposed = op.is(kSecond);
      const std::uint32_t low = transposed ? values[t][g] : values[g][t];
      const std::uint32_t high = transposed ? values[t + 1][g] : values[g][t + 1];
      thread.frame[d[matrix]] = low | high << 16;
    }
  }
}

}  // namespace ptxopt::interp
