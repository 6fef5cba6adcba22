// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/matrix.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"
#include "interp/arithmetic/small_float.h"
#include "interp/matrix_sparse.h"

namespace ptxopt::interp {

namespace {

struct Description {
  std::string_view name;
  int bits;
};
constexpr Description kDescriptions[] = {
    {".f16", 16}, {".bf16", 16}, {".tf32", 32}, {".f32", 32}, {".f64", 64}, {".s32", 32},
    {".s8", 8},   {".u8", 8},    {".s4", 4},    {".u4", 4},   {".b1", 1},   {".e4m3", 8},
    {".e5m2", 8}, {".e3m2", 8},  {".e2m3", 8},  {".e2m1", 4}, {"", 8},
};

std::int64_t integerOf(Element element, std::uint64_t bits) {
  const int width = bitsOf(element);
  const bool isSigned = element == Element::S32 || element == Element::S8 || element == Element::S4;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>(isSigned && (bits & sign) != 0 ? bits - 2 * sign : bits);
}

// d[row][column] = finish(c[row][column], terms of k), where step adds one term.
template <class T, class Decode, class Begin, class Step, class Finish>
void product(const MatrixForm& form, MatrixValues& values, Decode decode, Begin begin, Step step,
             Finish finish) {
  const MatrixShape& shape = form.shape;
  std::vector<T> a(values.a.size());
  std::vector<T> b(values.b.size());  // column by column, for sequential access to memory
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = decode(form.element(MatrixRole::A), values.a[i]);
  }
  for (int k = 0; k < shape.k; ++k) {
    for (int n = 0; n < shape.n; ++n) {
      b[static_cast<std::size_t>(n * shape.k + k)] =
          decode(form.element(MatrixRole::B), values.b[static_cast<std::size_t>(k * shape.n + n)]);
    }
  }
  for (int m = 0; m < shape.m; ++m) {
    for (int n = 0; n < shape.n; ++n) {
      const auto at = static_cast<std::size_t>(m * shape.n + n);
      T sum = begin(values.c[at]);
      const T* const left = a.data() + m * shape.k;
      const T* const right = b.data() + n * shape.k;
      for (int k = 0; k < shape.k; ++k) sum = step(sum, left[k], right[k]);
      values.d[at] = finish(sum);
    }
  }
}

}  // namespace

namespace {

double floatOf(std::uint32_t bits) {
  return static_cast<double>(std::bit_cast<float>(bits));
}

}  // namespace

double realOf(Element element, std::uint64_t bits) {
  switch (element) {
    case Element::F16:
      return toDouble(kF16, bits);
    case Element::BF16:
      return floatOf(static_cast<std::uint32_t>(bits) << 16);
    case Element::TF32:
      return floatOf(static_cast<std::uint32_t>(bits) & 0xffffe000u);  // the others are ignored
    case Element::F32:
      return floatOf(static_cast<std::uint32_t>(bits));
    case Element::E4M3:
      return toDouble(SmallFormat::E4M3, static_cast<std::uint32_t>(bits));
    case Element::E5M2:
      return toDouble(SmallFormat::E5M2, static_cast<std::uint32_t>(bits));
    case Element::E3M2:
      return toDouble(SmallFormat::E3M2, static_cast<std::uint32_t>(bits) & 0x3f);
    case Element::E2M3:
      return toDouble(SmallFormat::E2M3, static_cast<std::uint32_t>(bits) & 0x3f);
    case Element::E2M1:
      return toDouble(SmallFormat::E2M1, static_cast<std::uint32_t>(bits) & 0xf);
    case Element::E2M1InByte:
      return toDouble(SmallFormat::E2M1, static_cast<std::uint32_t>(bits >> 2) & 0xf);
    default:
      return std::bit_cast<double>(bits);
  }
}

std::uint64_t fromReal(Element element, double value) {
  const FloatFormat format = element == Element::F16 ? kF16 : kF32;
  return fromDouble(format, value, Rounding::NearestEven);
}

std::optional<Element> findElement(std::string_view qualifier) {
  for (std::size_t k = 0; k < std::size(kDescriptions); ++k) {
    if (kDescriptions[k].name == qualifier) return static_cast<Element>(k);
  }
  return std::nullopt;
}

int bitsOf(Element element) {
  return kDescriptions[static_cast<std::size_t>(element)].bits;
}

int perRegister(Element element) {
  return std::max(1, 32 / bitsOf(element));
}

std::optional<MatrixShape> parseShape(std::string_view qualifier) {
  MatrixShape shape;
  const std::pair<char, int*> parts[] = {{'m', &shape.m}, {'n', &shape.n}, {'k', &shape.k}};
  if (!qualifier.starts_with('.')) return std::nullopt;
  qualifier.remove_prefix(1);
  for (const auto& [letter, size] : parts) {
    if (!qualifier.starts_with(letter)) return std::nullopt;
    const char* const end = qualifier.data() + qualifier.size();
    const auto [rest, error] = std::from_chars(qualifier.data() + 1, end, *size);
    if (error != std::errc{}) return std::nullopt;
    qualifier = std::string_view(rest, static_cast<std::size_t>(end - rest));
  }
  if (!qualifier.empty()) return std::nullopt;
  return shape;
}

bool MatrixForm::fits(MatrixRole role) const {
  const int elementsOfWarp =
      static_cast<int>(slotsOf(role).size()) * perRegister(element(role)) * 32;
  const int needed = shape.rows(role) * columns(role) * (isQuad ? 4 : 1);
  if (needed == 0 || needed > MatrixShape::kLargest) return false;
  return isWmma ? elementsOfWarp != 0 && elementsOfWarp % needed == 0 : elementsOfWarp == needed;
}

MatrixPosition positionOf(const MatrixForm& form, MatrixRole role, int lane, int r, int j) {
  const int e = perRegister(form.element(role));
  if (form.isWmma) {
    const int registers = static_cast<int>(form.slotsOf(role).size());
    const int columns = form.shape.columns(role);
    const int index = ((lane * registers + r) * e + j) % (form.shape.rows(role) * columns);
    return {index / columns, index % columns};
  }
  if (form.isQuad) return quadPosition(form, role, lane, r * e + j);
  const int g = lane / 4;
  const int t = lane % 4;
  switch (role) {
    case MatrixRole::A:
      return {g + 8 * (r % 2), t * e + j + 4 * e * (r / 2)};
    case MatrixRole::B:
      return {t * e + j + 4 * e * r, g};
    default: {
      const int i = r * e + j;
      return {g + 8 * (i >> 1 & 1), 8 * (i >> 2) + 2 * t + (i & 1)};
    }
  }
}

void multiply(const MatrixForm& form, MatrixValues& values) {
  const Element left = form.element(MatrixRole::A);
  const Element c = form.element(MatrixRole::C);
  const Element d = form.element(MatrixRole::D);
  if (left == Element::F64) {
    const auto value = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
    product<double>(
        form, values, [&](Element, std::uint64_t bits) { return value(bits); }, value,
        [&](double sum, double x, double y) { return fusedMultiplyAdd(x, y, sum, form.rounding); },
        [](double sum) { return std::bit_cast<std::uint64_t>(sum); });
    return;
  }
  if (d != Element::S32) {
    product<double>(
        form, values, realOf, [&](std::uint64_t bits) { return realOf(c, bits); },
        [](double sum, double x, double y) { return sum + x * y; },
        [&](double sum) { return fromReal(d, sum); });
    return;
  }
  const auto begin = [&](std::uint64_t bits) { return integerOf(c, bits); };
  const auto finish = [&](std::int64_t sum) {
    if (form.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
    return truncated(static_cast<std::uint64_t>(sum), 32);
  };
  if (left == Element::B1) {
    const bool isConjunction = form.isConjunction;
    product<std::int64_t>(
        form, values, [](Element, std::uint64_t bits) { return static_cast<std::int64_t>(bits); },
        begin,
        [=](std::int64_t sum, std::int64_t x, std::int64_t y) {
          return sum + (isConjunction ? x & y : x ^ y);
        },
        finish);
    return;
  }
  product<std::int64_t>(
      form, values, integerOf, begin,
      [](std::int64_t sum, std::int64_t x, std::int64_t y) { return sum + x * y; }, finish);
}

}  // namespace ptxopt::interp
