// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// multimem.ld_reduce, .red and .st of all types, vectors and operations, over three devices with
// random contents.  The reference shares no code with the interpreter: a format is the table of its
// numbers, and rounding looks for the nearest one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "run_ptx.h"

namespace ptxopt::interp {
namespace {

constexpr std::size_t kThreads = 64;
constexpr std::size_t kDevices = 3;

// ---- reference ----------------------------------------------------------------------------------

struct Number {
  double value = 0;
  std::uint32_t code = 0;
};

class Format {
 public:
  // `hasInfinity`: the largest exponent is that of infinities and NaNs; else only its last code is
  // a NaN.
  Format(int exponentBits, int mantissaBits, bool hasInfinity, bool saturates)
      : bits_(1 + exponentBits + mantissaBits), saturates_(saturates) {
    const int bias = (1 << (exponentBits - 1)) - 1;
    const std::uint32_t signBit = 1u << (bits_ - 1);
    for (std::uint32_t code = 0; code < signBit; ++code) {
      const int exponent = static_cast<int>(code >> mantissaBits);
      const double mantissa = code & ((1u << mantissaBits) - 1);
      const bool isLast = exponent == (1 << exponentBits) - 1;
      double value = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                                   : std::ldexp(mantissa + (1 << mantissaBits),
                                                exponent - bias - mantissaBits);
      if (isLast && hasInfinity) value = mantissa == 0 ? INFINITY : NAN;
      if (!hasInfinity && code == signBit - 1) value = NAN;
      values_.push_back(value);
      if (std::isfinite(value)) finite_.push_back({value, code});
    }
  }

  int bits() const { return bits_; }
  double decode(std::uint32_t code) const {
    const std::uint32_t signBit = 1u << (bits_ - 1);
    const double magnitude = values_[code & (signBit - 1)];
    return (code & signBit) != 0 ? -magnitude : magnitude;
  }
  // Only of numbers.
  std::uint32_t encode(double value) const {
    const std::uint32_t sign = std::signbit(value) ? 1u << (bits_ - 1) : 0;
    value = std::fabs(value);
    const auto above = std::find_if(finite_.begin(), finite_.end(),
                                    [&](const Number& number) { return number.value >= value; });
    if (above == finite_.begin()) return sign;
    if (above == finite_.end()) {
      const Number& last = finite_.back();
      const double step = last.value - finite_[finite_.size() - 2].value;
      if (saturates_ || value < last.value + step / 2) return sign | last.code;
      return sign | (last.code + 1);  // infinity
    }
    const Number& below = *std::prev(above);
    const double toBelow = value - below.value;
    const double toAbove = above->value - value;
    if (toBelow != toAbove) return sign | (toBelow < toAbove ? below.code : above->code);
    return sign | (below.code % 2 == 0 ? below.code : above->code);
  }

 private:
  int bits_;
  bool saturates_;
  std::vector<double> values_;
  std::vector<Number> finite_;  // ascending
};

const Format& formatOf(const std::string& type) {
  static const Format kHalf(5, 10, true, false);
  static const Format kBrain(8, 7, true, false);
  static const Format kE4M3(4, 3, false, true);
  static const Format kE5M2(5, 2, true, true);
  if (type.starts_with("f16")) return kHalf;
  if (type.starts_with("bf16")) return kBrain;
  return type.starts_with("e4m3") ? kE4M3 : kE5M2;
}

struct Case {
  std::string type;
  std::string vector;       // "", ".v2", ...
  std::string accumulator;  // "", ".acc::f32", ".acc::f16"
  std::string operation;
};

double chosen(const std::string& operation, double x, double y) {
  if (x == 0 && y == 0) return std::signbit(x) == (operation == "min") ? x : y;  // -0 is less
  return operation == "min" ? std::fmin(x, y) : std::fmax(x, y);
}

// The combination of the numbers of the devices, in their order.
std::uint32_t reduceFloats(const Case& test, const std::vector<std::uint32_t>& codes) {
  const Format& format = formatOf(test.type);
  double value = format.decode(codes[0]);
  for (std::size_t k = 1; k < codes.size(); ++k) {
    const double next = format.decode(codes[k]);
    if (test.operation != "add") {
      value = chosen(test.operation, value, next);
    } else if (test.accumulator == ".acc::f32") {
      value = static_cast<double>(static_cast<float>(value + next));
    } else {
      const Format& kept = test.accumulator.empty() ? format : formatOf("f16");
      value = kept.decode(kept.encode(value + next));
    }
  }
  return format.encode(value);
}

template <class T>
T reduceIntegers(const std::string& operation, T x, T y) {
  using Bits = std::make_unsigned_t<T>;
  const auto a = static_cast<Bits>(x);
  const auto b = static_cast<Bits>(y);
  if (operation == "add") return static_cast<T>(a + b);
  if (operation == "min") return x < y ? x : y;
  if (operation == "max") return x < y ? y : x;
  if (operation == "and") return static_cast<T>(a & b);
  return static_cast<T>(operation == "or" ? a | b : a ^ b);
}

// Of plain numbers of the host.
template <class T, class Combine>
void combineAs(const std::vector<std::vector<std::uint8_t>>& devices, std::size_t at,
               std::vector<std::uint8_t>& result, Combine combine) {
  T value;
  std::memcpy(&value, devices[0].data() + at, sizeof value);
  for (std::size_t k = 1; k < devices.size(); ++k) {
    T next;
    std::memcpy(&next, devices[k].data() + at, sizeof next);
    value = combine(value, next);
  }
  std::memcpy(result.data() + at, &value, sizeof value);
}

std::size_t numberBytes(const std::string& type) {
  if (type == "f64" || type.ends_with("64")) return 8;
  if (type == "f32" || type.ends_with("32")) return 4;
  return static_cast<std::size_t>(formatOf(type).bits()) / 8;
}

std::vector<std::uint8_t> reduceReference(const Case& test,
                                          const std::vector<std::vector<std::uint8_t>>& devices) {
  std::vector<std::uint8_t> result(devices[0].size());
  const auto integers = [&]<class T>(std::size_t at, T) {
    combineAs<T>(devices, at, result,
                 [&](T x, T y) { return reduceIntegers<T>(test.operation, x, y); });
  };
  const std::size_t bytes = numberBytes(test.type);
  for (std::size_t at = 0; at < result.size(); at += bytes) {
    if (test.type == "f32") {
      combineAs<float>(devices, at, result, [](float x, float y) { return x + y; });
    } else if (test.type == "f64") {
      combineAs<double>(devices, at, result, [](double x, double y) { return x + y; });
    } else if (test.type == "s32") {
      integers(at, std::int32_t{});
    } else if (test.type == "s64") {
      integers(at, std::int64_t{});
    } else if (bytes == 4) {
      integers(at, std::uint32_t{});
    } else if (bytes == 8) {
      integers(at, std::uint64_t{});
    } else {
      std::vector<std::uint32_t> codes;
      for (const auto& device : devices) {
        std::uint32_t code = 0;
        std::memcpy(&code, device.data() + at, bytes);
        codes.push_back(code);
      }
      const std::uint32_t code = reduceFloats(test, codes);
      std::memcpy(result.data() + at, &code, bytes);
    }
  }
  return result;
}

// ---- cases --------------------------------------------------------------------------------------

// The registers, and how many bytes one has.
std::pair<std::string, std::size_t> registerOf(const std::string& type) {
  if (type == "f64") return {"g", 8};
  if (type == "f32") return {"f", 4};
  if (type.ends_with("64")) return {"d", 8};
  if (type.ends_with("32") || type.ends_with("x4") || type == "f16x2" || type == "bf16x2") {
    return {"r", 4};
  }
  if (type == "e4m3" || type == "e5m2") return {"c", 1};
  return {"h", 2};
}

std::size_t widthOf(const std::string& vector) {
  return vector.empty() ? 1 : static_cast<std::size_t>(vector[2] - '0');
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& type, const std::vector<std::string>& vectors,
                       const std::vector<std::string>& operations, const std::string& wide) {
    for (const std::string& vector : vectors) {
      for (const std::string& operation : operations) {
        cases.push_back({type, vector, "", operation});
        if (operation == "add" && !wide.empty()) cases.push_back({type, vector, wide, operation});
      }
    }
  };
  const std::vector<std::string> kOrdered = {"add", "min", "max"};
  for (const std::string type : {"f16", "bf16"}) {
    add(type, {".v2", ".v4", ".v8"}, kOrdered, ".acc::f32");
    add(type + "x2", {"", ".v2", ".v4"}, kOrdered, ".acc::f32");
  }
  for (const std::string type : {"e4m3", "e5m2"}) {
    add(type, {".v4", ".v8"}, kOrdered, ".acc::f16");
    add(type + "x2", {".v2", ".v4", ".v8"}, kOrdered, ".acc::f16");
    add(type + "x4", {"", ".v2", ".v4"}, kOrdered, ".acc::f16");
  }
  add("f32", {"", ".v2", ".v4"}, {"add"}, "");
  add("f64", {""}, {"add"}, "");
  for (const std::string type : {"u32", "s32", "u64"}) add(type, {""}, kOrdered, "");
  add("s64", {""}, {"min", "max"}, "");
  for (const std::string type : {"b32", "b64"}) add(type, {""}, {"and", "or", "xor"}, "");
  return cases;
}

using Random = std::mt19937_64;

// Bits of numbers near each other, since few sums would be finite and exact else.
std::vector<std::uint8_t> chooseBytes(const std::string& type, std::size_t size, Random& random) {
  std::vector<std::uint8_t> bytes(size);
  const std::size_t step = numberBytes(type);
  for (std::size_t at = 0; at < size; at += step) {
    std::uint64_t bits = random();
    if (type == "f32") {
      bits = (bits & 0x807fffff) | (120 + random() % 16) << 23;
    } else if (type == "f64") {
      bits = (bits & 0x800fffffffffffff) | (1000 + random() % 40) << 52;
    } else if (type.starts_with("bf16")) {
      bits = (bits & 0x807f) | (120 + random() % 16) << 7;
    } else if (!std::strchr("usb", type[0])) {
      while (!std::isfinite(
          formatOf(type).decode(static_cast<std::uint32_t>(bits & ((1u << (8 * step)) - 1))))) {
        bits = random();
      }
    }
    std::memcpy(bytes.data() + at, &bits, step);
  }
  return bytes;
}

std::string registers(const Case& test) {
  const std::string name = registerOf(test.type).first;
  std::string text = "%" + name + "0";
  for (std::size_t k = 1; k < widthOf(test.vector); ++k) text += ", %" + name + std::to_string(k);
  return test.vector.empty() ? text : "{" + text + "}";
}

// Every thread moves its own bytes.  `loads`: from the multimem address to `out`, else from `out`
// to the multimem address.
std::string kernelOf(const Case& test, const std::string& instruction, bool loads) {
  const auto [name, bytes] = registerOf(test.type);
  const std::size_t count = widthOf(test.vector);
  std::string text = R"(.version 8.8
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 all)
{
  .reg .b8 %c<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<8>, %t;
  .reg .b64 %d<8>, %o, %a, %out, %all;
  .reg .f32 %f<8>;
  .reg .f64 %g<8>;
  ld.param.u64 %out, [out];
  ld.param.u64 %all, [all];
  mov.u32 %t, %tid.x;
)";
  const std::string size = std::to_string(bytes * count);
  text += "  mad.wide.u32 %o, %t, " + size + ", %out;\n";
  text += "  mad.wide.u32 %a, %t, " + size + ", %all;\n";
  std::string moves;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string type = ".global.b" + std::to_string(8 * bytes) + " ";
    const std::string address = "[%o+" + std::to_string(k * bytes) + "]";
    const std::string reg = "%" + name + std::to_string(k);
    moves += loads ? "  st" + type + address + ", " + reg + ";\n"
                   : "  ld" + type + reg + ", " + address + ";\n";
  }
  const std::string access = "  " + instruction + test.vector + "." + test.type + " " +
                             (loads ? registers(test) + ", [%a]" : "[%a], " + registers(test)) +
                             ";\n";
  return text + (loads ? access + moves : moves + access) + "  ret;\n}\n";
}

struct Buffers {
  std::vector<std::uint8_t> out;
  std::vector<std::vector<std::uint8_t>> devices;
};

Argument bufferOf(const std::vector<std::uint8_t>& bytes) {
  std::string error;
  Argument result = *parseArgument("buffer:" + std::to_string(bytes.size()), error);
  result.bytes = bytes;
  return result;
}

void run(const std::string& kernel, Buffers& buffers) {
  const auto module = parseText("k.ptx", kernel);
  Launch launch;
  launch.kernel = "k";
  launch.block = Dim3{kThreads};
  std::string error;
  std::string all = "multicast:";
  for (std::size_t k = 0; k < buffers.devices.size(); ++k) {
    const std::string name = "device" + std::to_string(k);
    launch.buffers.emplace_back(name, bufferOf(buffers.devices[k]));
    all += (k == 0 ? "&" : ",&") + name;
  }
  launch.arguments = {bufferOf(buffers.out), *parseArgument(all, error)};
  const auto outcome = interp::run(*module, launch, MachineOptions{}, error);
  ASSERT_TRUE(outcome) << error << kernel;
  for (const Finding& finding : outcome->findings) FAIL() << format(*module, finding) << kernel;
  buffers.out = findObject(*outcome, "arg0")->bytes;
  for (std::size_t k = 0; k < buffers.devices.size(); ++k) {
    buffers.devices[k] = findObject(*outcome, "device" + std::to_string(k))->bytes;
  }
}

Buffers chooseBuffers(const Case& test, Random& random) {
  const std::size_t size = kThreads * registerOf(test.type).second * widthOf(test.vector);
  Buffers buffers;
  buffers.out = chooseBytes(test.type, size, random);
  for (std::size_t k = 0; k < kDevices; ++k) {
    buffers.devices.push_back(chooseBytes(test.type, size, random));
  }
  return buffers;
}

TEST(Multimem, LoadsCombineAllDevices) {
  Random random(1);
  const std::vector<Case> cases = allCases();
  ASSERT_EQ(cases.size(), 133u);
  for (const Case& test : cases) {
    SCOPED_TRACE(test.operation + test.accumulator + test.vector + "." + test.type);
    Buffers buffers = chooseBuffers(test, random);
    const auto before = buffers.devices;
    run(kernelOf(test, "multimem.ld_reduce.weak.global." + test.operation + test.accumulator, true),
        buffers);
    EXPECT_EQ(buffers.devices, before);
    EXPECT_EQ(buffers.out, reduceReference(test, before));
  }
}

TEST(Multimem, ReductionsChangeEachDevice) {
  Random random(2);
  for (const Case& test : allCases()) {
    const bool isSmall = test.type.starts_with("e");
    const bool isFloat = test.type.find('f') != std::string::npos;
    if (isSmall || !test.accumulator.empty() || (isFloat && test.operation != "add")) continue;
    SCOPED_TRACE(test.operation + test.vector + "." + test.type);
    Buffers buffers = chooseBuffers(test, random);
    const auto before = buffers.devices;
    run(kernelOf(test, "multimem.red.global." + test.operation, false), buffers);
    for (std::size_t k = 0; k < kDevices; ++k) {
      EXPECT_EQ(buffers.devices[k], reduceReference(test, {before[k], buffers.out})) << k;
    }
  }
}

TEST(Multimem, StoresReachEachDevice) {
  Random random(3);
  for (const Case& test : allCases()) {
    if (!test.accumulator.empty()) continue;
    SCOPED_TRACE(test.vector + "." + test.type);
    Buffers buffers = chooseBuffers(test, random);
    run(kernelOf(test, "multimem.st.weak.global", false), buffers);
    for (std::size_t k = 0; k < kDevices; ++k) EXPECT_EQ(buffers.devices[k], buffers.out) << k;
  }
}

TEST(Multimem, WrongTextsAreErrors) {
  const auto errorOf = [](const std::string& text) {
    std::string error;
    EXPECT_FALSE(parseArgument(text, error));
    return error;
  };
  EXPECT_EQ(errorOf("multicast:"),
            "'multicast:': '' is not the buffer of a multicast object, such as &arg1 or &NAME+64");
  EXPECT_EQ(errorOf("multicast:&a,b"),
            "'multicast:&a,b': 'b' is not the buffer of a multicast "
            "object, such as &arg1 or &NAME+64");
  EXPECT_EQ(errorOf("multicast:&a+8"), "'multicast:&a+8': the address is not a multiple of 16");
}

std::string problemOf(const std::string& launch) {
  const std::string text = "// LAUNCH: " + launch + R"(
.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 all)
{
  ret;
}
)";
  const auto module = parseText("k.ptx", text);
  std::string error;
  const auto found = findLaunch(text, "", error);
  if (!found) return error;
  EXPECT_FALSE(interp::run(*module, *found, MachineOptions{}, error));
  return error;
}

TEST(Multimem, WrongObjectsAreErrors) {
  EXPECT_EQ(problemOf(R"({"args": ["multicast:&a"]})"), "'multicast:&a': there is no buffer 'a'");
  EXPECT_EQ(problemOf(R"({"buffers": {"a": "buffer:64"}, "args": ["multicast:&a,&a+16"]})"),
            "'multicast:&a,&a+16': the buffer 'a' is there twice");
  EXPECT_EQ(problemOf(R"({"buffers": {"a": "buffer:64"}, "args": ["multicast:&a+64"]})"),
            "'multicast:&a+64': the buffer 'a' ends before that");
  EXPECT_EQ(problemOf(R"({"args": [{"multicast": ["&a"], "dims": [1]}]})"),
            "1:11: error: the launch description is wrong: a multicast object with other keys");
}

}  // namespace
}  // namespace ptxopt::interp
