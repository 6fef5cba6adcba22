// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/launch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"
#include "support/parallel.h"

namespace ptxopt::interp {

namespace {

using isa::Type;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> parseNumber(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return negative ? 0 - value : value;
}

std::optional<double> parseReal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<FloatFormat> formatOf(Type type) {
  switch (type) {
    case Type::F16:
      return kF16;
    case Type::BF16:
      return kBF16;
    case Type::F32:
      return kF32;
    case Type::F64:
      return kF64;
    default:
      return std::nullopt;
  }
}

std::optional<Type> elementType(std::string_view word) {
  const std::string dotted = "." + std::string(word);
  const auto type = isa::parseType(dotted);
  if (!type || isa::bitWidth(*type) == 0 || isa::bitWidth(*type) > 64) return std::nullopt;
  return type;
}

std::optional<std::uint64_t> parseScalar(Type type, std::string_view text) {
  if (const auto format = formatOf(type)) {
    const auto real = parseReal(text);
    if (!real) return std::nullopt;
    return fromDouble(*format, *real, Rounding::NearestEven);
  }
  return parseNumber(text);
}

// Writes element after element; the last one may be cut off.
template <class Element>
void fill(std::vector<std::uint8_t>& bytes, Type type, Element element) {
  const auto size = static_cast<std::size_t>(isa::bitWidth(type)) / 8;
  for (std::size_t at = 0, k = 0; at < bytes.size(); at += size, ++k) {
    const std::uint64_t value = element(k);
    std::memcpy(bytes.data() + at, &value, std::min(size, bytes.size() - at));
  }
}

// The elements of a list `VALUE[*COUNT],...`; addresses are left to the launch.
bool parseValues(Argument& argument, Type type, std::string_view list) {
  constexpr std::uint64_t kMostCopies = 1u << 20;
  const auto size = static_cast<std::size_t>(isa::bitWidth(type)) / 8;
  for (const std::string_view text : split(list, ',')) {
    const std::vector<std::string_view> parts = split(text, '*');
    const auto copies = parts.size() == 2 ? parseNumber(parts[1]) : 1;
    if (parts.size() > 2 || !copies || *copies > kMostCopies) return false;
    std::uint64_t value = 0;
    if (parts[0].starts_with('&')) {
      const std::vector<std::string_view> sum = split(parts[0].substr(1), '+');
      const auto addend = sum.size() == 2 ? parseNumber(sum[1]) : 0;
      if (size != sizeof value || sum.size() > 2 || !addend || *copies != 1) return false;
      argument.addresses.push_back({argument.bytes.size(), std::string(sum[0]), *addend});
    } else {
      const auto scalar = parseScalar(type, parts[0]);
      if (!scalar) return false;
      value = *scalar;
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
    for (std::uint64_t k = 0; k < *copies; ++k) {
      argument.bytes.insert(argument.bytes.end(), bytes, bytes + size);
    }
  }
  return true;
}

bool fillBuffer(Argument& argument, const std::vector<std::string_view>& words,
                std::string& error) {
  std::vector<std::uint8_t>& bytes = argument.bytes;
  if (words.empty() || words[0] == "zero") return true;
  if (words[0] == "file") {
    if (words.size() != 2) return false;
    std::ifstream file{std::string(words[1]), std::ios::binary};
    if (!file) {
      error = "cannot read '" + std::string(words[1]) + "'";
      return false;
    }
    const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
    std::memcpy(bytes.data(), content.data(), std::min(content.size(), bytes.size()));
    return true;
  }
  const auto type = words.size() > 1 ? elementType(words[1]) : Type::U32;
  if (!type) return false;
  const auto format = formatOf(*type);
  if (words[0] == "values") {
    const std::size_t size = bytes.size();
    bytes.clear();
    if (words.size() != 3 || !parseValues(argument, *type, words[2])) return false;
    if (bytes.size() > size) return false;
    bytes.resize(size);
    return true;
  }
  if (words[0] == "iota") {
    const auto start = words.size() > 2 ? parseReal(words[2]) : 0;
    const auto step = words.size() > 3 ? parseReal(words[3]) : 1;
    if (!start || !step || words.size() > 4) return false;
    fill(bytes, *type, [&](std::size_t k) {
      const double value = *start + *step * static_cast<double>(k);
      return format ? fromDouble(*format, value, Rounding::NearestEven)
                    : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    });
    return true;
  }
  if (words[0] == "random" || words[0] == "small") {
    const bool isSmall = words[0] == "small";
    const auto seed = words.size() > 2 ? parseNumber(words[2]) : 1;
    const auto bound = words.size() > 3 ? parseNumber(words[3]) : 64;
    if (!seed || !bound || *bound == 0 || words.size() > (isSmall ? 4 : 3)) return false;
    std::mt19937_64 random(*seed);
    fill(bytes, *type, [&](std::size_t) {
      const std::uint64_t bits = random();
      if (isSmall && format) {
        return fromDouble(*format, static_cast<double>(bits % *bound), Rounding::NearestEven);
      }
      if (!format) return isSmall ? bits % *bound : bits;
      // Few enough bits that every format but the halves is exact.
      const double unit = std::ldexp(static_cast<double>(bits >> 44), -19) - 1.0;
      return fromDouble(*format, unit, Rounding::NearestEven);
    });
    return true;
  }
  if (words[0] == "fill" && words.size() == 3) {
    const auto value = parseScalar(*type, words[2]);
    if (!value) return false;
    fill(bytes, *type, [&](std::size_t) { return *value; });
    return true;
  }
  return false;
}

}  // namespace

std::optional<Argument> parseArgument(std::string_view text, std::string& error) {
  const std::vector<std::string_view> words = split(text, ':');
  error = "'" + std::string(text) + "' is no argument";
  if (words.size() < 2) return std::nullopt;
  Argument argument;
  argument.text = text;
  if (words[0] == "buffer" || words[0] == "zero") {
    constexpr std::uint64_t kLargest = 1u << 30;
    const auto size = parseNumber(words[1]);
    if (!size || *size > kLargest) return std::nullopt;
    argument.bytes.resize(*size);
    argument.isBuffer = words[0] == "buffer";
    if (!argument.isBuffer && words.size() != 2) return std::nullopt;
    if (!fillBuffer(argument, {words.begin() + 2, words.end()}, error)) return std::nullopt;
  } else if (words[0] == "values") {
    const auto type = elementType(words[1]);
    if (!type || words.size() != 3) return std::nullopt;
    if (!parseValues(argument, *type, words[2])) return std::nullopt;
  } else {
    const auto type = elementType(words[0]);
    if (!type || words.size() != 2) return std::nullopt;
    const auto value = parseScalar(*type, words[1]);
    if (!value) return std::nullopt;
    argument.bytes.resize(static_cast<std::size_t>(isa::bitWidth(*type)) / 8);
    std::memcpy(argument.bytes.data(), &*value, argument.bytes.size());
  }
  error.clear();
  return argument;
}

std::optional<Dim3> parseDim3(std::string_view text) {
  const std::vector<std::string_view> words = split(text, ',');
  std::array<std::uint32_t, 3> values{1, 1, 1};
  if (words.size() > 3) return std::nullopt;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto number = parseNumber(words[k]);
    if (!number || *number == 0 || *number > 0x7fffffff) return std::nullopt;
    values[k] = static_cast<std::uint32_t>(*number);
  }
  return Dim3{values[0], values[1], values[2]};
}

namespace {

Dim3 parseDimensions(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return Dim3{value.get<std::uint32_t>()};
  const auto numbers = value.get<std::vector<std::uint32_t>>();
  Dim3 result;
  if (numbers.size() > 0) result.x = numbers[0];
  if (numbers.size() > 1) result.y = numbers[1];
  if (numbers.size() > 2) result.z = numbers[2];
  return result;
}

Argument argumentOf(const nlohmann::json& value) {
  std::string problem;
  auto parsed = parseArgument(value.get<std::string>(), problem);
  if (!parsed) throw std::runtime_error(problem);
  return std::move(*parsed);
}

Launch parseLaunch(std::string_view text) {
  Launch launch;
  const nlohmann::json description = nlohmann::json::parse(text);
  for (const auto& [key, value] : description.items()) {
    if (key == "kernel") {
      launch.kernel = value.get<std::string>();
    } else if (key == "grid") {
      launch.grid = parseDimensions(value);
    } else if (key == "block") {
      launch.block = parseDimensions(value);
    } else if (key == "cluster") {
      launch.cluster = parseDimensions(value);
    } else if (key == "shared") {
      launch.dynamicShared = value.get<std::uint64_t>();
    } else if (key == "print") {
      launch.printed = value.get<std::vector<std::string>>();
    } else if (key == "repeat") {
      launch.repeat = value.get<std::uint32_t>();
    } else if (key == "args") {
      for (const auto& element : value) launch.arguments.push_back(argumentOf(element));
    } else if (key == "set") {
      for (const auto& [name, content] : value.items()) {
        launch.globals.emplace_back(name, argumentOf(content));
      }
    } else if (key == "expect" || key == "broken") {
      launch.isBroken = launch.isBroken || key == "broken";
      for (const auto& element : value) {
        const auto kind = parseFindingKind(element.get<std::string>());
        if (!kind || *kind == FindingKind::Unsupported)
          throw std::runtime_error("unknown finding " + element.dump());
        launch.expected.push_back(*kind);
      }
    } else {
      throw std::runtime_error("unknown key '" + key + "'");
    }
  }
  return launch;
}

}  // namespace

std::vector<Launch> findLaunches(std::string_view source, std::string& error) {
  constexpr std::string_view kMark = "// LAUNCH:";
  std::vector<Launch> launches;
  error.clear();
  for (std::size_t at = source.find(kMark); at != std::string_view::npos;
       at = source.find(kMark, at + 1)) {
    if (at != 0 && source[at - 1] != '\n') continue;
    const std::size_t begin = at + kMark.size();
    try {
      launches.push_back(parseLaunch(source.substr(begin, source.find('\n', begin) - begin)));
    } catch (const std::exception& problem) {
      error = std::string("the launch description is wrong: ") + problem.what();
      return {};
    }
  }
  return launches;
}

std::optional<Launch> findLaunch(std::string_view source, std::string_view kernel,
                                 std::string& error) {
  std::vector<Launch> launches = findLaunches(source, error);
  if (launches.size() > 1 && kernel.empty()) {
    error = "several launches are described: name a kernel";
    for (const Launch& launch : launches) error += ", " + launch.kernel;
    return std::nullopt;
  }
  for (Launch& launch : launches) {
    if (kernel.empty() || launch.kernel.empty() || launch.kernel == kernel) {
      return std::move(launch);
    }
  }
  return std::nullopt;
}

std::vector<Argument> guessArguments(const ir::Function& kernel) {
  constexpr std::size_t kBufferBytes = 65536;
  bool loadsFloats = false;
  for (const ir::Statement& statement : kernel.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || !instruction->is(isa::Opcode::Ld)) continue;
    const isa::Space space = instruction->desc->space;
    const bool fromBuffer = space == isa::Space::Global || space == isa::Space::None;
    loadsFloats = loadsFloats || (fromBuffer && isa::isFloat(instruction->desc->type));
  }
  const std::string content = loadsFloats ? ":random:f32" : ":small:u32";
  std::vector<Argument> arguments;
  for (const ir::Variable* variable : kernel.parameters) {
    std::string text;
    const int width = isa::bitWidth(variable->type);
    if (!variable->dimensions.empty() || width == 0 || width > 64) {
      text = "zero:" + std::to_string(variable->size);
    } else if (isa::isFloat(variable->type)) {
      text = std::string(isa::spelling(variable->type).substr(1)) + ":1.5";
    } else if (width == 64) {
      text = "buffer:" + std::to_string(kBufferBytes) + content;
    } else {
      text = "u" + std::to_string(std::max(width, 8)) + ":64";
    }
    std::string error;
    if (auto argument = parseArgument(text, error)) arguments.push_back(std::move(*argument));
  }
  return arguments;
}

// ---- running
// -------------------------------------------------------------------------------------

bool Outcome::has(FindingKind kind) const {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& finding) { return finding.kind == kind; });
}

std::uint64_t Outcome::checksum() const {
  // FNV-1a, 64 bits.
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint8_t byte) {
    hash ^= byte;
    hash *= 0x100000001b3;
  };
  for (const NamedBytes& object : memory) {
    if (!object.isChanged) continue;
    for (const char letter : object.name) add(static_cast<std::uint8_t>(letter));
    for (const std::uint8_t byte : object.bytes) add(byte);
  }
  std::vector<std::string_view> lines = split(printed, '\n');
  std::sort(lines.begin(), lines.end());
  for (const std::string_view line : lines) {
    for (const char letter : line) add(static_cast<std::uint8_t>(letter));
    add('\n');
  }
  return hash;
}

namespace {

const ir::Function* findKernel(const ir::Module& module, const std::string& name,
                               std::string& error) {
  const ir::Function* found = nullptr;
  for (const ir::Function& function : module.functions()) {
    if (!function.isEntry() || !function.hasBody()) continue;
    if (!name.empty() && function.nameText() != name) continue;
    if (found != nullptr && name.empty()) {
      error = "the module has several kernels: name one";
      return nullptr;
    }
    found = &function;
  }
  if (found == nullptr) error = name.empty() ? "no kernel" : "no kernel '" + name + "'";
  return found;
}

Dim3 dimensionsOf(const ir::Attribute& attribute) {
  Dim3 result;
  std::uint32_t* const parts[] = {&result.x, &result.y, &result.z};
  for (std::size_t k = 0; k < std::min<std::size_t>(3, attribute.values.size()); ++k) {
    *parts[k] = static_cast<std::uint32_t>(attribute.values[k]);
  }
  return result;
}

bool fits(const Geometry& geometry, std::string& error) {
  constexpr std::uint64_t kLargestBlock = 1024;
  constexpr std::uint64_t kLargestCluster = 16;
  if (geometry.block.count() == 0 || geometry.block.count() > kLargestBlock) {
    error = "a block has 1 to 1024 threads";
  } else if (geometry.cluster.count() == 0 || geometry.cluster.count() > kLargestCluster) {
    error = "a cluster has 1 to 16 CTAs";
  } else if (geometry.grid.count() == 0 || geometry.grid.x % geometry.cluster.x != 0 ||
             geometry.grid.y % geometry.cluster.y != 0 ||
             geometry.grid.z % geometry.cluster.z != 0) {
    error = "the grid is no multiple of the cluster";
  }
  return error.empty();
}

// Of the buffer "argK", of a variable or of a function.
std::optional<std::uint64_t> addressOf(const ir::Module& module, const Image& image,
                                       const std::vector<Segment*>& buffers,
                                       const std::string& name) {
  if (name.starts_with("arg")) {
    const auto index = parseNumber(std::string_view(name).substr(3));
    if (index && *index < buffers.size() && buffers[*index] != nullptr) {
      return buffers[*index]->base;
    }
  }
  if (const ImageObject* object = image.find(name)) return object->address;
  for (const ir::Function& function : module.functions()) {
    if (function.hasBody() && function.nameText() == name) return image.addressOf(function);
  }
  return std::nullopt;
}

}  // namespace

namespace {

// A claim that was false for another machine is no news.
void addFindings(Outcome& outcome, const Machine& machine) {
  for (const Finding& finding : machine.findings()) {
    const bool isKnown = finding.kind == FindingKind::FalseFact && !outcome.audit.isFalse.empty() &&
                         outcome.audit.isFalse[finding.claim];
    if (!isKnown) outcome.findings.push_back(finding);
  }
  if (machine.auditCounts() != nullptr) outcome.audit.add(*machine.auditCounts());
}

}  // namespace

std::optional<Outcome> run(const ir::Module& module, const Launch& launch,
                           const MachineOptions& options, std::string& error) {
  error.clear();
  const ir::Function* kernel = findKernel(module, launch.kernel, error);
  if (kernel == nullptr) return std::nullopt;

  Geometry geometry;
  geometry.grid = launch.grid;
  geometry.dynamicShared = launch.dynamicShared;
  geometry.block = Dim3{32};
  if (const ir::Attribute* maximum = kernel->attribute(".maxntid")) {
    geometry.block = dimensionsOf(*maximum);
  }
  if (const auto required = kernel->requiredBlock()) {
    geometry.block = {(*required)[0], (*required)[1], (*required)[2]};
  }
  if (launch.block) geometry.block = *launch.block;
  if (const ir::Attribute* required = kernel->attribute(".reqnctapercluster")) {
    geometry.cluster = dimensionsOf(*required);
    geometry.isExplicitCluster = true;
  }
  if (launch.cluster) {
    geometry.cluster = *launch.cluster;
    geometry.isExplicitCluster = true;
  }
  if (!fits(geometry, error)) return std::nullopt;

  const Image image(module);
  Program program(module, *kernel, image, options.claims);
  if (launch.arguments.size() != program.parameters().size()) {
    error = "the kernel has " + std::to_string(program.parameters().size()) + " parameters, " +
            std::to_string(launch.arguments.size()) + " arguments were given";
    return std::nullopt;
  }

  GlobalMemory memory;
  for (const ImageObject& object : image.objects()) {
    memory.place(object.name, object.address, object.bytes, object.isConstant);
  }
  memory.setNext(image.end());
  std::vector<Segment*> buffers(launch.arguments.size());
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const Argument& argument = launch.arguments[k];
    if (!argument.isBuffer) continue;
    buffers[k] = &memory.allocate("argument " + std::to_string(k), argument.bytes.size());
    buffers[k]->bytes = argument.bytes;
  }
  const auto fillAddresses = [&](const Argument& argument, std::uint8_t* bytes) {
    for (const Argument::Address& address : argument.addresses) {
      const auto base = addressOf(module, image, buffers, address.name);
      if (!base) {
        error = "no '" + address.name + "' to take the address of";
        return false;
      }
      const std::uint64_t value = *base + address.addend;
      std::memcpy(bytes + address.offset, &value, sizeof value);
    }
    return true;
  };
  for (const auto& [name, content] : launch.globals) {
    const ImageObject* object = image.find(name);
    if (object == nullptr) {
      error = "no variable '" + name + "'";
      return std::nullopt;
    }
    Segment* segment = memory.find(object->address, 1);
    if (segment == nullptr) continue;
    std::vector<std::uint8_t> bytes = content.bytes;
    if (!fillAddresses(content, bytes.data())) return std::nullopt;
    std::copy_n(bytes.begin(), std::min(bytes.size(), segment->bytes.size()),
                segment->bytes.begin());
  }
  std::vector<std::pair<const Segment*, NamedBytes>> variables;
  for (const ImageObject& object : image.objects()) {
    if (launch.ownsVariables || object.isConstant || object.bytes.empty()) continue;
    const Segment* segment = memory.find(object.address, 1);
    variables.push_back({segment, {object.name, segment->bytes}});
  }
  std::vector<std::uint8_t> parameters(program.parameterBytes());
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const Argument& argument = launch.arguments[k];
    const EntryParameter& parameter = program.parameters()[k];
    std::uint8_t* const at = parameters.data() + parameter.offset;
    if (argument.isBuffer) {
      if (!fillAddresses(argument, buffers[k]->bytes.data())) return std::nullopt;
      std::memcpy(at, &buffers[k]->base, std::min<std::uint64_t>(parameter.variable->size, 8));
    } else {
      if (argument.bytes.size() != parameter.variable->size) {
        error = "argument " + std::to_string(k) + " ('" + argument.text + "') has " +
                std::to_string(argument.bytes.size()) + " bytes, the parameter " +
                std::to_string(parameter.variable->size);
        return std::nullopt;
      }
      std::copy(argument.bytes.begin(), argument.bytes.end(), at);
      if (!fillAddresses(argument, at)) return std::nullopt;
    }
  }

  if (program.usesGridWorkspace()) {
    // The size, and the word of the barrier of the grid; as the driver leaves it before a launch.
    constexpr std::uint64_t kWorkspaceBytes = 64;
    geometry.gridWorkspace = memory.allocate("the workspace of the grid", kWorkspaceBytes).base;
  }
  const std::uint64_t clusters = geometry.grid.count() / geometry.cluster.count();
  const bool inParts = !options.detectsRaces && program.canRunInParts();
  const auto parts = static_cast<std::uint32_t>(
      inParts ? std::clamp<std::uint64_t>(options.jobs, 1, clusters) : 1);
  Outcome outcome;
  for (std::uint32_t k = 0; k < launch.repeat; ++k) {
    MachineOptions own = options;
    own.seed += k;
    std::vector<std::unique_ptr<Machine>> machines;
    for (std::uint32_t part = 0; part < parts; ++part) {
      machines.push_back(std::make_unique<Machine>(program, memory, geometry, parameters, own,
                                                   Share{part, parts}));
    }
    parallelFor(parts, parts, [&](std::size_t part) { machines[part]->run(); });
    outcome.completed = true;
    for (const auto& machine : machines) {
      addFindings(outcome, *machine);
      outcome.printed += machine->printed();
      outcome.steps += machine->steps();
      outcome.completed = outcome.completed && machine->completed();
    }
    if (!outcome.completed) break;
  }
  for (const Segment* segment : buffers) {
    if (segment != nullptr) outcome.memory.push_back({segment->name, segment->bytes});
  }
  for (auto& [segment, variable] : variables) {
    variable.isChanged = variable.bytes != segment->bytes;
    variable.bytes = segment->bytes;
    outcome.memory.push_back(std::move(variable));
  }
  for (const std::string& name : launch.printed) {
    const bool isThere = std::any_of(outcome.memory.begin(), outcome.memory.end(),
                                     [&](const NamedBytes& object) { return object.name == name; });
    if (isThere) continue;
    error = "there is no '" + name + "' to print";
    return std::nullopt;
  }
  return outcome;
}

MachineOptions schedule(MachineOptions options, std::uint32_t k) {
  options.policy = kPolicies[(static_cast<std::size_t>(options.policy) + k) % kPolicies.size()];
  options.seed += k;
  return options;
}

}  // namespace ptxopt::interp
