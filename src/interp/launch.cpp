// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/launch.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include "isa/block.h"
#include "support/demangle.h"
#include "support/parallel.h"

namespace ptxopt::interp {

// ---- names --------------------------------------------------------------------------------------

namespace {

struct Problem {
  std::string message;
};

// ": a, b, c", or nothing.
std::string listOf(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    text += k == 0 ? ": " : ", ";
    if (k == kMost) return text + "...";
    text += names[k];
  }
  return text;
}

bool isNamed(const ir::Function& function, std::string_view name) {
  const std::string symbol(function.nameText());
  return demangled(symbol) == name || functionName(demangled(symbol)) == name;
}

}  // namespace

const ir::Function* findKernel(const ir::Module& module, std::string_view name,
                               std::string& error) {
  std::vector<std::string> names;
  std::vector<const ir::Function*> kernels, matches;
  for (const ir::Function& function : module.functions()) {
    if (!function.isEntry() || !function.hasBody()) continue;
    if (function.nameText() == name) return &function;
    kernels.push_back(&function);
    names.emplace_back(function.nameText());
    if (name.empty() || isNamed(function, name)) matches.push_back(&function);
  }
  if (matches.size() == 1) return matches.front();
  if (kernels.empty()) {
    error = "no kernel";
  } else if (matches.empty()) {
    error = "no kernel '" + std::string(name) + "'; name one with --kernel" + listOf(names);
  } else {
    error = name.empty() ? "the module has several kernels: name one with --kernel"
                         : "several kernels have the name '" + std::string(name) + "'";
    error += listOf(names);
  }
  return nullptr;
}

// ---- running ------------------------------------------------------------------------------------

namespace {

Dim3 dimensionsOf(const ir::Attribute& attribute) {
  Dim3 result;
  std::uint32_t* const parts[] = {&result.x, &result.y, &result.z};
  for (std::size_t k = 0; k < std::min<std::size_t>(3, attribute.values.size()); ++k) {
    *parts[k] = static_cast<std::uint32_t>(attribute.values[k]);
  }
  return result;
}

bool fits(const Geometry& geometry, std::string& error) {
  constexpr std::uint64_t kLargestCluster = 16;
  if (geometry.block.count() == 0 || geometry.block.count() > isa::kMostThreads) {
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

}  // namespace

Dim3 blockOf(const ir::Function& kernel, const Launch& launch) {
  if (launch.block) return *launch.block;
  if (const auto required = kernel.requiredBlock()) {
    return {(*required)[0], (*required)[1], (*required)[2]};
  }
  if (const ir::Attribute* maximum = kernel.attribute(".maxntid")) return dimensionsOf(*maximum);
  return Dim3{32};
}

namespace {

// A launch with a block that the kernel excludes fails.
void refuseAsTheDriver(const ir::Function& kernel, const Dim3& block) {
  const auto text = [](const Dim3& extents) {
    return std::to_string(extents.x) + "," + std::to_string(extents.y) + "," +
           std::to_string(extents.z);
  };
  const ir::Attribute* const required = kernel.attribute(".reqntid");
  const ir::Attribute* const most = kernel.attribute(".maxntid");
  if (required != nullptr && text(dimensionsOf(*required)) != text(block)) {
    throw Problem{"the kernel takes a block of " + text(dimensionsOf(*required)) +
                  " only (.reqntid), not of " + text(block)};
  }
  if (most != nullptr && dimensionsOf(*most).count() < block.count()) {
    throw Problem{"the kernel takes a block of at most " +
                  std::to_string(dimensionsOf(*most).count()) + " threads (.maxntid), not of " +
                  text(block)};
  }
}

Geometry geometryOf(const ir::Function& kernel, const Launch& launch) {
  Geometry geometry;
  geometry.grid = launch.grid;
  geometry.dynamicShared = launch.dynamicShared;
  geometry.block = blockOf(kernel, launch);
  if (const ir::Attribute* required = kernel.attribute(".reqnctapercluster")) {
    geometry.cluster = dimensionsOf(*required);
    geometry.isExplicitCluster = true;
  }
  if (launch.cluster) {
    geometry.cluster = *launch.cluster;
    geometry.isExplicitCluster = true;
  }
  std::string error;
  if (!fits(geometry, error)) throw Problem{error};
  refuseAsTheDriver(kernel, geometry.block);
  return geometry;
}

std::string parametersOf(const Program& program) {
  std::vector<std::string> names;
  for (const EntryParameter& parameter : program.parameters()) {
    const ir::Variable& variable = *parameter.variable;
    const bool isStructure = !variable.dimensions.empty();
    names.push_back(std::string(program.module().text(variable.name)) + " (" +
                    (isStructure ? std::to_string(variable.size) + " bytes"
                                 : std::string(isa::spelling(variable.type))) +
                    ")");
  }
  return listOf(names);
}

void checkRoom(const Program& program, const Geometry& geometry) {
  const std::uint64_t dynamic = geometry.dynamicShared;
  if (dynamic > kMostShared || program.sharedBytes(dynamic) > kMostShared) {
    throw Problem{"a CTA has at most " + std::to_string(kMostShared) +
                  " bytes of shared memory, but the kernel needs " +
                  std::to_string(program.staticSharedBytes()) + " for variables and " +
                  std::to_string(dynamic) + " of dynamic shared memory"};
  }
  if (program.code(0).localBytes > kMostLocal) {
    throw Problem{"a thread has at most " + std::to_string(kMostLocal) +
                  " bytes of local memory, but the kernel needs " +
                  std::to_string(program.code(0).localBytes)};
  }
}

// A claim that was false for another machine is no news.
void addFindings(Outcome& outcome, const Machine& machine) {
  for (const Finding& finding : machine.findings()) {
    const bool isKnown = finding.kind == FindingKind::FalseFact && !outcome.audit.isFalse.empty() &&
                         outcome.audit.isFalse[finding.claim];
    if (!isKnown) outcome.findings.push_back(finding);
  }
  if (machine.auditCounts() != nullptr) outcome.audit.add(*machine.auditCounts());
}

// One run of a scenario.
class Session {
 public:
  Session(const ir::Module& module, const Scenario& scenario, const MachineOptions& options)
      : module_(module), scenario_(scenario), options_(options), image_(module) {}

  Outcome run();

 private:
  struct Buffer {
    std::string name;
    Segment* segment = nullptr;
    const Argument* content = nullptr;
    std::size_t launch = 0;  // that it is an argument of; kShared: of none
  };
  static constexpr std::size_t kShared = ~std::size_t{0};

  void allocate();
  void allocate(std::string name, const Argument& content, std::size_t launch);
  void makeTextures();
  void makeTexture(const Argument& argument, std::uint64_t handle, std::size_t launch);
  void makeMulticasts();
  void makeMulticast(const Argument& argument, std::size_t launch);
  void fillVariables();
  std::optional<std::uint64_t> addressOf(const std::string& name, std::size_t launch) const;
  void fillAddresses(const Argument& argument, std::uint8_t* bytes, std::size_t launch) const;
  std::vector<std::uint8_t> bind(const Program& program, const Launch& launch, std::size_t index);
  void bindOne(const Program& program, const Argument& argument, std::size_t k, std::size_t index,
               std::uint8_t* at) const;
  void launch(const Launch& launch, std::size_t index);
  void keepAccesses();
  void collect();

  const ir::Module& module_;
  const Scenario& scenario_;
  const MachineOptions& options_;
  Image image_;
  GlobalMemory memory_;
  std::vector<Buffer> buffers_;
  TextureTable textures_;
  MulticastTable multicasts_;
  bool isFirst_ = true;      // no launch has ended
  LaunchAccesses accesses_;  // of the last one, if some launch depends on another
  // Of those in `textures_` and `multicasts_`.
  std::map<const Argument*, std::uint64_t> handles_;
  std::vector<std::pair<const Segment*, NamedBytes>> variables_;
  Outcome outcome_;
};

void Session::allocate(std::string name, const Argument& content, std::size_t launch) {
  Segment& segment = memory_.allocate(name, content.bytes.size());
  segment.bytes = content.bytes;
  buffers_.push_back({std::move(name), &segment, &content, launch});
}

// Variables and all buffers, so that any of them can be named.
void Session::allocate() {
  for (const ImageObject& object : image_.objects()) {
    memory_.place(object.name, object.address, object.bytes, object.isConstant);
  }
  memory_.setNext(image_.end());
  for (std::size_t index = 0; index < scenario_.launches.size(); ++index) {
    const Launch& launch = scenario_.launches[index];
    const std::string prefix = index == 0 ? "" : "launch " + std::to_string(index) + " ";
    for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
      const Argument& argument = launch.arguments[k];
      if (argument.isBuffer) {
        allocate(prefix + "argument " + std::to_string(k), argument, index);
      }
    }
  }
  for (const auto& [name, content] : scenario_.buffers) {
    if (content.isBuffer) allocate(name, content, kShared);
  }
  makeTextures();
  makeMulticasts();
  for (const Buffer& buffer : buffers_) {
    fillAddresses(*buffer.content, buffer.segment->bytes.data(), buffer.launch);
  }
}

void Session::makeTexture(const Argument& argument, std::uint64_t handle, std::size_t launch) {
  TextureObject object = argument.texture->object;
  const std::string& buffer = argument.texture->buffer;
  if (!buffer.empty()) {
    const auto base = addressOf(buffer, launch);
    const Segment* segment = base ? memory_.find(*base, 1) : nullptr;
    if (segment == nullptr) {
      throw Problem{"'" + argument.text + "': there is no buffer '" + buffer + "'"};
    }
    object.address = *base + argument.texture->addend;
    if (!segment->contains(object.address, object.bytes())) {
      throw Problem{"'" + argument.text + "' needs " +
                    std::to_string(object.bytes() + argument.texture->addend) +
                    " bytes, the buffer '" + buffer + "' has " +
                    std::to_string(segment->bytes.size())};
    }
  }
  textures_[handle] = object;
  handles_[&argument] = handle;
}

// Those of arguments, and those that have a name.
void Session::makeTextures() {
  std::uint64_t handle = kTextureHandles;
  const auto make = [&](const Argument& argument, std::size_t launch) {
    if (argument.texture) makeTexture(argument, handle += kHandleStep, launch);
  };
  for (std::size_t index = 0; index < scenario_.launches.size(); ++index) {
    for (const Argument& argument : scenario_.launches[index].arguments) make(argument, index);
  }
  for (const auto& [name, content] : scenario_.buffers) make(content, kShared);
}

void Session::makeMulticast(const Argument& argument, std::size_t launch) {
  const auto refuse = [&](const std::string& what) {
    throw Problem{"'" + argument.text + "': " + what};
  };
  if (module_.addressSize != 64) refuse("a multicast object needs .address_size 64");
  MulticastObject object;
  object.bytes = kMulticastStep;
  std::vector<const Segment*> segments;
  for (const MulticastText::Member& member : argument.multicast->members) {
    const auto base = addressOf(member.buffer, launch);
    const Segment* segment = base ? memory_.find(*base, 1) : nullptr;
    if (segment == nullptr) refuse("there is no buffer '" + member.buffer + "'");
    if (std::count(segments.begin(), segments.end(), segment) != 0) {
      refuse("the buffer '" + member.buffer + "' is there twice");
    }
    const std::uint64_t begin = *base + member.addend;
    if (!segment->contains(begin, 1)) refuse("the buffer '" + member.buffer + "' ends before that");
    segments.push_back(segment);
    object.bytes = std::min(object.bytes, segment->base + segment->bytes.size() - begin);
    object.replicas.push_back(begin);
  }
  const std::uint64_t address = kMulticastBase + kMulticastStep * multicasts_.size();
  multicasts_[address] = std::move(object);
  handles_[&argument] = address;
}

// Those of arguments and variables, and those that have a name.
void Session::makeMulticasts() {
  for (const auto& [name, content] : scenario_.buffers) {
    if (content.multicast) makeMulticast(content, kShared);
  }
  for (const auto& [name, content] : scenario_.globals) {
    if (content.multicast) makeMulticast(content, 0);
  }
  for (std::size_t index = 0; index < scenario_.launches.size(); ++index) {
    for (const Argument& argument : scenario_.launches[index].arguments) {
      if (argument.multicast) makeMulticast(argument, index);
    }
  }
}

void Session::fillVariables() {
  for (const auto& [name, content] : scenario_.globals) {
    const ImageObject* object = image_.find(name);
    if (object == nullptr) {
      std::vector<std::string> names;
      for (const ImageObject& known : image_.objects()) names.push_back(known.name);
      throw Problem{"no variable '" + name + "'" + (names.empty() ? "" : "; there are") +
                    listOf(names)};
    }
    if (content.texture) {
      makeTexture(content, object->address, 0);
      continue;
    }
    Segment* segment = memory_.find(object->address, 1);
    std::vector<std::uint8_t> bytes = content.bytes;
    if (content.isBare) {
      bytes = bytesOfNumber(object->variable->type, content.text).value_or(bytes);
    }
    if (segment == nullptr || bytes.size() > segment->bytes.size()) {
      throw Problem{"'" + content.text + "' has " + std::to_string(bytes.size()) +
                    " bytes, the variable '" + name + "' " + std::to_string(object->bytes.size())};
    }
    if (content.multicast) std::memcpy(bytes.data(), &handles_.at(&content), bytes.size());
    fillAddresses(content, bytes.data(), 0);
    std::copy(bytes.begin(), bytes.end(), segment->bytes.begin());
  }
  for (const ImageObject& object : image_.objects()) {
    if (scenario_.ownsVariables || object.isConstant || object.bytes.empty()) continue;
    const Segment* segment = memory_.find(object.address, 1);
    variables_.push_back({segment, {object.name, segment->bytes, true, object.variable->type}});
  }
}

// Of a buffer, of a variable or of a function; "argK" is the buffer of argument K of the launch.
std::optional<std::uint64_t> Session::addressOf(const std::string& name, std::size_t launch) const {
  for (const Buffer& buffer : buffers_) {
    const bool isArgument = buffer.launch == launch && launch != kShared &&
                            name.starts_with("arg") &&
                            buffer.name.ends_with("argument " + name.substr(3));
    if (isArgument || (buffer.launch == kShared && buffer.name == name)) {
      return buffer.segment->base;
    }
  }
  for (const auto& [known, content] : scenario_.buffers) {
    const auto handle = handles_.find(&content);
    if (known == name && handle != handles_.end()) return handle->second;
  }
  if (const ImageObject* object = image_.find(name)) return object->address;
  for (const ir::Function& function : module_.functions()) {
    if (function.hasBody() && function.nameText() == name) return image_.addressOf(function);
  }
  return std::nullopt;
}

void Session::fillAddresses(const Argument& argument, std::uint8_t* bytes,
                            std::size_t launch) const {
  for (const Argument::Address& address : argument.addresses) {
    const auto base = addressOf(address.name, launch);
    if (!base) {
      std::vector<std::string> names;
      for (const Buffer& buffer : buffers_) {
        const std::size_t number = buffer.name.rfind("argument ");
        if (buffer.launch == kShared) names.push_back(buffer.name);
        if (buffer.launch == launch) names.push_back("arg" + buffer.name.substr(number + 9));
      }
      for (const ImageObject& object : image_.objects()) names.push_back(object.name);
      throw Problem{"no '" + address.name + "' to take the address of" +
                    (names.empty() ? "" : "; there are") + listOf(names)};
    }
    const std::uint64_t value = *base + address.addend;
    std::memcpy(bytes + address.offset, &value, sizeof value);
  }
}

void Session::bindOne(const Program& program, const Argument& argument, std::size_t k,
                      std::size_t index, std::uint8_t* at) const {
  const ir::Variable& variable = *program.parameters()[k].variable;
  std::vector<std::uint8_t> bytes = argument.bytes;
  const std::string who = "argument " + std::to_string(k) + " ('" + argument.text + "')";
  const std::string parameter = "the parameter '" +
                                std::string(program.module().text(variable.name)) + "' " +
                                std::to_string(interp::parameterBytes(variable));
  if (argument.texture || argument.multicast) {
    std::memcpy(bytes.data(), &handles_.at(&argument), bytes.size());
  }
  if (argument.isBare) {
    const auto number = bytesOfNumber(variable.type, argument.text);
    if (!number || !variable.dimensions.empty()) {
      throw Problem{who + " is no " + std::string(isa::spelling(variable.type)) + " for " +
                    parameter + " bytes"};
    }
    bytes = *number;
  }
  if (bytes.size() != interp::parameterBytes(variable)) {
    throw Problem{who + " has " + std::to_string(bytes.size()) + " bytes, " + parameter};
  }
  std::copy(bytes.begin(), bytes.end(), at);
  fillAddresses(argument, at, index);
}

std::vector<std::uint8_t> Session::bind(const Program& program, const Launch& launch,
                                        std::size_t index) {
  const std::size_t count = program.parameters().size();
  if (launch.arguments.size() != count) {
    throw Problem{"the kernel has " + std::to_string(count) + " parameters, " +
                  std::to_string(launch.arguments.size()) + " arguments were given" +
                  parametersOf(program) + "; --guess makes some up, such as" +
                  textOf(guessArguments(program.kernel()))};
  }
  std::vector<std::uint8_t> parameters(program.parameterBytes());
  for (std::size_t k = 0; k < count; ++k) {
    const EntryParameter& parameter = program.parameters()[k];
    std::uint8_t* const at = parameters.data() + parameter.offset;
    if (!launch.arguments[k].isBuffer) {
      bindOne(program, launch.arguments[k], k, index, at);
      continue;
    }
    const std::uint64_t base = *addressOf("arg" + std::to_string(k), index);
    const std::size_t bytes = program.module().addressSize / 8;
    if (parameter.variable->size < bytes) {
      throw Problem{"argument " + std::to_string(k) + " ('" + launch.arguments[k].text +
                    "') is a buffer, but the parameter '" +
                    std::string(program.module().text(parameter.variable->name)) + "' has " +
                    std::to_string(parameter.variable->size) + " bytes: no room for its address"};
    }
    std::memcpy(at, &base, std::min(parameter.variable->size, sizeof base));
  }
  return parameters;
}

void Session::launch(const Launch& launch, std::size_t index) {
  std::string error;
  const ir::Function* kernel = findKernel(module_, launch.kernel, error);
  if (kernel == nullptr) throw Problem{error};
  Geometry geometry = geometryOf(*kernel, launch);
  Program program(module_, *kernel, image_, options_.claims);
  checkRoom(program, geometry);
  const std::vector<std::uint8_t> parameters = bind(program, launch, index);
  if (program.usesGridWorkspace()) {
    // The size, and the word of the barrier of the grid; as the driver leaves it before a launch.
    constexpr std::uint64_t kWorkspaceBytes = 64;
    geometry.gridWorkspace = memory_.allocate("the workspace of the grid", kWorkspaceBytes).base;
  }
  const std::uint64_t clusters = geometry.grid.count() / geometry.cluster.count();
  const bool inParts = !options_.detectsRaces && program.canRunInParts();
  const auto parts = static_cast<std::uint32_t>(
      inParts ? std::clamp<std::uint64_t>(options_.jobs, 1, clusters) : 1);
  for (std::uint32_t k = 0; k < launch.repeat; ++k) {
    if (options_.progress != nullptr) {
      options_.progress->ctas = geometry.grid.count();
      options_.progress->doneCtas = 0;
    }
    MachineOptions own = options_;
    own.seed += k;
    own.textures = &textures_;
    own.multicasts = &multicasts_;
    if (launch.isDependent && !isFirst_) own.before = &accesses_;
    std::vector<std::unique_ptr<Machine>> machines;
    for (std::uint32_t part = 0; part < parts; ++part) {
      machines.push_back(std::make_unique<Machine>(program, memory_, geometry, parameters, own,
                                                   Share{part, parts}));
    }
    parallelFor(parts, parts, [&](std::size_t part) { machines[part]->run(); });
    outcome_.completed = true;
    for (const auto& machine : machines) {
      addFindings(outcome_, *machine);
      outcome_.printed += machine->printed();
      outcome_.steps += machine->steps();
      outcome_.readsUndefined = outcome_.readsUndefined || machine->readsUndefined();
      outcome_.completed = outcome_.completed && machine->completed();
    }
    if (!outcome_.completed) return;
    keepAccesses();
  }
}

// While the last launch is in memory: for one that need not wait for its end.
void Session::keepAccesses() {
  isFirst_ = false;
  accesses_.clear();
  const auto isDependent = [](const Launch& launch) { return launch.isDependent; };
  if (std::none_of(scenario_.launches.begin(), scenario_.launches.end(), isDependent)) return;
  for (Segment& segment : memory_.segments()) {
    if (segment.shadow != nullptr) accesses_[segment.base] = segment.shadow->touched();
  }
}

void Session::collect() {
  for (const Buffer& buffer : buffers_) {
    outcome_.memory.push_back({buffer.name, buffer.segment->bytes, true, buffer.content->type});
  }
  for (const ImageObject& object : image_.objects()) {
    if (!object.isConstant || object.bytes.empty()) continue;
    outcome_.constants.push_back(
        {object.name, memory_.find(object.address, 1)->bytes, false, object.variable->type});
  }
  for (auto& [segment, variable] : variables_) {
    variable.isChanged = variable.bytes != segment->bytes;
    variable.bytes = segment->bytes;
    outcome_.memory.push_back(std::move(variable));
  }
  for (const Launch& launch : scenario_.launches) {
    for (const std::string& name : launch.printed) {
      if (findObject(outcome_, name) == nullptr) throw Problem{noObject(outcome_, name)};
    }
  }
}

Outcome Session::run() {
  allocate();
  fillVariables();
  for (std::size_t index = 0; index < scenario_.launches.size(); ++index) {
    launch(scenario_.launches[index], index);
    if (!outcome_.completed) break;
  }
  collect();
  return std::move(outcome_);
}

}  // namespace

std::optional<Outcome> run(const ir::Module& module, const Scenario& scenario,
                           const MachineOptions& options, std::string& error) {
  error.clear();
  try {
    return Session(module, scenario, options).run();
  } catch (const Problem& problem) {
    error = problem.message;
    return std::nullopt;
  } catch (const std::length_error& problem) {
    error = problem.what();
    return std::nullopt;
  }
}

Scenario scenarioOf(const Launch& launch) {
  return {launch.buffers, launch.globals, {launch}, {}, launch.ownsVariables};
}

std::optional<Outcome> run(const ir::Module& module, const Launch& launch,
                           const MachineOptions& options, std::string& error) {
  return run(module, scenarioOf(launch), options, error);
}

MachineOptions schedule(MachineOptions options, std::uint32_t k) {
  options.policy = kPolicies[(static_cast<std::size_t>(options.policy) + k) % kPolicies.size()];
  options.seed += k;
  return options;
}

}  // namespace ptxopt::interp
