// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace ptxopt::gpu {

namespace {

interp::Dim3 dimensionsOf(const ir::Attribute& attribute) {
  interp::Dim3 result;
  std::uint32_t* const parts[] = {&result.x, &result.y, &result.z};
  for (std::size_t k = 0; k < std::min<std::size_t>(3, attribute.values.size()); ++k) {
    *parts[k] = static_cast<std::uint32_t>(attribute.values[k]);
  }
  return result;
}

struct Failure {
  DeviceError error;
};

// Cooperative groups find the workspace of grid barriers through these registers, which only a
// cooperative launch sets.
bool synchronizesGrid(const std::string& text) {
  return text.find("%envreg") != std::string::npos;
}

// The driver has not taken something: a launch that does not fit the device, say.
void check(const DriverApi& api, CUresult status) {
  if (status != CUDA_SUCCESS) throw Failure{{api.nameOf(status), false, true}};
}

// The driver waited for the kernel.
void checkKernel(const DriverApi& api, CUresult status) {
  if (status != CUDA_SUCCESS) throw Failure{{api.nameOf(status), true, true}};
}

// The buffers of a launch; several modules may use them in turn.
class Buffers {
 public:
  Buffers(const DriverApi& api, const interp::Launch& launch) : api_(api) {
    for (const interp::Argument& argument : launch.arguments) {
      addresses_.push_back(0);
      if (!argument.isBuffer) continue;
      check(api_,
            api_.cuMemAlloc(&addresses_.back(), std::max<std::size_t>(argument.bytes.size(), 1)));
    }
  }
  ~Buffers() {
    for (const CUdeviceptr address : addresses_) {
      if (address != 0) api_.cuMemFree(address);
    }
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  // By argument; 0 for one by value.
  const std::vector<CUdeviceptr>& addresses() const { return addresses_; }

 private:
  const DriverApi& api_;
  std::vector<CUdeviceptr> addresses_;
};

// A loaded module, with all that a launch of its kernel needs.
class Loaded {
 public:
  Loaded(const DriverApi& api, const std::string& text, const ir::Function& kernel,
         const interp::Launch& launch, const Buffers& buffers)
      : api_(api), addresses_(buffers.addresses()) {
    load(text);
    try {
      prepareMemory(launch);
      prepareLaunch(kernel, launch, synchronizesGrid(text));
    } catch (...) {
      api_.cuModuleUnload(module_);
      throw;
    }
  }
  ~Loaded() { api_.cuModuleUnload(module_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  // Buffers, and variables that the description sets, as they are to be before the first launch.
  void fillMemory() const {
    for (const auto& [address, bytes] : contents_) {
      if (!bytes.empty()) check(api_, api_.cuMemcpyHtoD(address, bytes.data(), bytes.size()));
    }
  }

  // From now on fillMemory() puts the other variables back as well.
  void remember(const std::vector<interp::NamedBytes>& wanted) {
    for (const interp::NamedBytes& object : wanted) {
      const CUdeviceptr address = variable(object);
      if (address == 0) continue;
      const bool isKnown =
          std::any_of(contents_.begin(), contents_.end(),
                      [&](const auto& content) { return content.first == address; });
      if (isKnown) continue;
      std::vector<std::uint8_t> bytes(object.bytes.size());
      check(api_, api_.cuMemcpyDtoH(bytes.data(), address, bytes.size()));
      contents_.emplace_back(address, std::move(bytes));
    }
  }

  // Does not wait for its end.
  void launch(CUstream stream) {
    std::vector<void*> parameters;
    for (std::vector<std::uint8_t>& bytes : values_) parameters.push_back(bytes.data());
    config_.attrs = attributes_.data();
    config_.numAttrs = static_cast<unsigned>(attributes_.size());
    config_.hStream = stream;
    check(api_, api_.cuLaunchKernelEx(&config_, function_, parameters.data(), nullptr));
  }

  std::vector<interp::NamedBytes> read(const std::vector<interp::NamedBytes>& wanted) const {
    std::vector<interp::NamedBytes> result;
    for (const interp::NamedBytes& object : wanted) {
      const CUdeviceptr address =
          isArgument(object) ? addresses_.at(std::stoul(object.name.substr(kArgument.size())))
                             : variable(object);
      if (address == 0) continue;
      interp::NamedBytes copy{object.name, std::vector<std::uint8_t>(object.bytes.size())};
      if (!copy.bytes.empty()) {
        checkKernel(api_, api_.cuMemcpyDtoH(copy.bytes.data(), address, copy.bytes.size()));
      }
      result.push_back(std::move(copy));
    }
    return result;
  }

 private:
  static constexpr std::string_view kArgument = "argument ";

  void load(const std::string& text) {
    constexpr std::size_t kLogBytes = 4096;
    std::string log(kLogBytes, '\0');
    std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER,
                                        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(kLogBytes)};
    const CUresult status =
        api_.cuModuleLoadDataEx(&module_, text.c_str(), 2, options.data(), values.data());
    if (status == CUDA_SUCCESS) return;
    const std::string firstLine = log.substr(0, log.find_first_of(std::string("\n\0", 2)));
    throw Failure{{api_.nameOf(status) + (firstLine.empty() ? "" : ": " + firstLine)}};
  }

  void prepareMemory(const interp::Launch& launch) {
    for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
      std::vector<std::uint8_t> bytes = withAddresses(launch.arguments[k]);
      if (launch.arguments[k].isBuffer) {
        contents_.emplace_back(addresses_[k], std::move(bytes));
        bytes.assign(sizeof addresses_[k], 0);
        std::memcpy(bytes.data(), &addresses_[k], bytes.size());
      }
      values_.push_back(std::move(bytes));
    }
    for (const auto& [name, content] : launch.globals) {
      CUdeviceptr address = 0;
      std::size_t size = 0;
      check(api_, api_.cuModuleGetGlobal(&address, &size, module_, name.c_str()));
      std::vector<std::uint8_t> bytes = withAddresses(content);
      bytes.resize(std::min(size, bytes.size()));
      contents_.emplace_back(address, std::move(bytes));
    }
  }

  void prepareLaunch(const ir::Function& kernel, const interp::Launch& launch, bool isCooperative) {
    check(api_,
          api_.cuModuleGetFunction(&function_, module_, std::string(kernel.nameText()).c_str()));
    const interp::Geometry geometry = geometryOf(kernel, launch);
    if (geometry.dynamicShared != 0) {
      check(api_,
            api_.cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(geometry.dynamicShared)));
    }
    if (geometry.isExplicitCluster) {
      CUlaunchAttribute cluster{};
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim.x = geometry.cluster.x;
      cluster.value.clusterDim.y = geometry.cluster.y;
      cluster.value.clusterDim.z = geometry.cluster.z;
      attributes_.push_back(cluster);
    }
    if (isCooperative) {
      CUlaunchAttribute cooperative{};
      cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      cooperative.value.cooperative = 1;
      attributes_.push_back(cooperative);
    }
    config_.gridDimX = geometry.grid.x;
    config_.gridDimY = geometry.grid.y;
    config_.gridDimZ = geometry.grid.z;
    config_.blockDimX = geometry.block.x;
    config_.blockDimY = geometry.block.y;
    config_.blockDimZ = geometry.block.z;
    config_.sharedMemBytes = static_cast<unsigned>(geometry.dynamicShared);
  }

  static bool isArgument(const interp::NamedBytes& object) {
    return object.name.starts_with(kArgument);
  }

  // 0 for what is none, or is of another size or not given out by the driver.
  CUdeviceptr variable(const interp::NamedBytes& object) const {
    CUdeviceptr address = 0;
    std::size_t size = 0;
    if (isArgument(object)) return 0;
    const CUresult status = api_.cuModuleGetGlobal(&address, &size, module_, object.name.c_str());
    return status == CUDA_SUCCESS && size == object.bytes.size() ? address : 0;
  }

  std::vector<std::uint8_t> withAddresses(const interp::Argument& argument) const {
    // Its bytes are the interpreter's own.
    if (argument.text.find("tensormap:") != std::string::npos) {
      throw Failure{{"a tensor map, which is not made for the driver"}};
    }
    std::vector<std::uint8_t> bytes = argument.bytes;
    for (const interp::Argument::Address& address : argument.addresses) {
      const std::uint64_t value = addressOf(address.name) + address.addend;
      std::memcpy(bytes.data() + address.offset, &value, sizeof value);
    }
    return bytes;
  }

  CUdeviceptr addressOf(const std::string& name) const {
    for (std::size_t k = 0; k < addresses_.size(); ++k) {
      if (name == "arg" + std::to_string(k)) return addresses_[k];
    }
    CUdeviceptr address = 0;
    std::size_t size = 0;
    if (api_.cuModuleGetGlobal(&address, &size, module_, name.c_str()) != CUDA_SUCCESS) {
      throw Failure{{"the driver gives no address of '" + name + "'"}};
    }
    return address;
  }

  const DriverApi& api_;
  const std::vector<CUdeviceptr>& addresses_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUlaunchConfig config_{};
  std::vector<CUlaunchAttribute> attributes_;
  std::vector<std::vector<std::uint8_t>> values_;  // of the parameters
  std::vector<std::pair<CUdeviceptr, std::vector<std::uint8_t>>> contents_;
};

// A stream with two events, and what is launched between them.
class Stopwatch {
 public:
  explicit Stopwatch(const DriverApi& api) : api_(api) {
    check(api_, api_.cuStreamCreate(&stream_, CU_STREAM_DEFAULT));
    check(api_, api_.cuEventCreate(&start_, CU_EVENT_DEFAULT));
    check(api_, api_.cuEventCreate(&end_, CU_EVENT_DEFAULT));
  }
  ~Stopwatch() {
    if (end_ != nullptr) api_.cuEventDestroy(end_);
    if (start_ != nullptr) api_.cuEventDestroy(start_);
    if (stream_ != nullptr) api_.cuStreamDestroy(stream_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  CUstream stream() const { return stream_; }

  // Microseconds, after one launch that is not measured, on memory that is put back.
  template <class Work>
  double measure(Loaded& module, Work&& work) {
    module.fillMemory();
    module.launch(stream_);
    check(api_, api_.cuEventRecord(start_, stream_));
    work();
    check(api_, api_.cuEventRecord(end_, stream_));
    checkKernel(api_, api_.cuEventSynchronize(end_));
    float milliseconds = 0;
    checkKernel(api_, api_.cuEventElapsedTime(&milliseconds, start_, end_));
    return 1000.0 * milliseconds;
  }

 private:
  const DriverApi& api_;
  CUstream stream_ = nullptr;
  CUevent start_ = nullptr;
  CUevent end_ = nullptr;
};

// Launches of one module, one after the other.
class Batch {
 public:
  Batch(const DriverApi& api, Loaded& module, std::uint32_t launches, CUstream stream, bool byGraph)
      : api_(api), module_(module), launches_(launches), stream_(stream) {
    if (!byGraph || launches == 1) return;
    CUgraph graph = nullptr;
    check(api_, api_.cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    launchAll();
    check(api_, api_.cuStreamEndCapture(stream_, &graph));
    const CUresult status = api_.cuGraphInstantiate(&graph_, graph, 0);
    api_.cuGraphDestroy(graph);
    check(api_, status);
  }
  ~Batch() {
    if (graph_ != nullptr) api_.cuGraphExecDestroy(graph_);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Microseconds of one launch.
  double measure(Stopwatch& watch) {
    const double all = watch.measure(module_, [this] {
      if (graph_ == nullptr) {
        launchAll();
      } else {
        check(api_, api_.cuGraphLaunch(graph_, stream_));
      }
    });
    return all / launches_;
  }

 private:
  void launchAll() {
    for (std::uint32_t k = 0; k < launches_; ++k) module_.launch(stream_);
  }

  const DriverApi& api_;
  Loaded& module_;
  std::uint32_t launches_;
  CUstream stream_;
  CUgraphExec graph_ = nullptr;
};

constexpr double kBatchMicroseconds = 1000;
constexpr double kMostLaunches = 500;

std::uint32_t launchesOfBatch(Stopwatch& watch, Loaded& module) {
  constexpr std::uint32_t kTrials = 4;
  const double each = watch.measure(module, [&] {
    for (std::uint32_t k = 0; k < kTrials; ++k) module.launch(watch.stream());
  }) / kTrials;
  const double wanted = std::ceil(kBatchMicroseconds / std::max(each, 0.1));
  return static_cast<std::uint32_t>(std::clamp(wanted, 1.0, kMostLaunches));
}

}  // namespace

interp::Geometry geometryOf(const ir::Function& kernel, const interp::Launch& launch) {
  interp::Geometry geometry;
  geometry.grid = launch.grid;
  geometry.dynamicShared = launch.dynamicShared;
  geometry.block = interp::Dim3{32};
  if (const ir::Attribute* most = kernel.attribute(".maxntid"))
    geometry.block = dimensionsOf(*most);
  if (const auto required = kernel.requiredBlock()) {
    geometry.block = {(*required)[0], (*required)[1], (*required)[2]};
  }
  if (launch.block) geometry.block = *launch.block;
  if (launch.cluster) {
    geometry.cluster = *launch.cluster;
    geometry.isExplicitCluster = true;
  }
  return geometry;
}

std::unique_ptr<Device> Device::open(std::string& problem) {
  auto device = std::make_unique<Device>();
  device->api_ = DriverApi::load(problem);
  if (device->api_ == nullptr) return nullptr;
  const DriverApi& api = *device->api_;
  int count = 0;
  CUresult status = api.cuInit(0);
  if (status == CUDA_SUCCESS) status = api.cuDeviceGetCount(&count);
  if (status != CUDA_SUCCESS) {
    problem = api.nameOf(status);
    return nullptr;
  }
  if (count == 0) {
    problem = "the driver knows no device";
    return nullptr;
  }
  std::array<char, 256> name{};
  int major = 0;
  int minor = 0;
  const bool isKnown =
      api.cuDeviceGet(&device->device_, 0) == CUDA_SUCCESS &&
      api.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device->device_) ==
          CUDA_SUCCESS &&
      api.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                               device->device_) == CUDA_SUCCESS &&
      api.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                               device->device_) == CUDA_SUCCESS &&
      api.cuDriverGetVersion(&device->driverVersion_) == CUDA_SUCCESS;
  if (!isKnown) {
    problem = "the first device does not answer";
    return nullptr;
  }
  device->name_ = name.data();
  device->sm_ = 10 * major + minor;
  CUcontext context = nullptr;
  status = api.cuDevicePrimaryCtxRetain(&context, device->device_);
  if (status == CUDA_SUCCESS) status = api.cuCtxSetCurrent(context);
  if (status != CUDA_SUCCESS) {
    problem = api.nameOf(status);
    return nullptr;
  }
  return device;
}

std::optional<std::vector<interp::NamedBytes>> Device::run(
    const std::string& text, const ir::Function& kernel, const interp::Launch& launch,
    const std::vector<interp::NamedBytes>& wanted, DeviceError& error) {
  try {
    const Buffers buffers(*api_, launch);
    Loaded module(*api_, text, kernel, launch, buffers);
    module.fillMemory();
    for (std::uint32_t k = 0; k < launch.repeat; ++k) {
      module.launch(nullptr);
      checkKernel(*api_, api_->cuCtxSynchronize());
    }
    return module.read(wanted);
  } catch (const Failure& failure) {
    error = failure.error;
    return std::nullopt;
  }
}

std::optional<Times> Device::time(const std::string& before, const std::string& after,
                                  const ir::Function& kernel, const interp::Launch& launch,
                                  const std::vector<interp::NamedBytes>& wanted,
                                  std::uint32_t pairs, bool byGraph, DeviceError& error) {
  try {
    const Buffers buffers(*api_, launch);
    Loaded first(*api_, before, kernel, launch, buffers);
    Loaded second(*api_, after, kernel, launch, buffers);
    first.remember(wanted);
    second.remember(wanted);
    Stopwatch watch(*api_);
    launchesOfBatch(watch, second);  // warms up
    Times times;
    times.launches = launchesOfBatch(watch, first);
    Batch a(*api_, first, times.launches, watch.stream(), byGraph);
    Batch b(*api_, second, times.launches, watch.stream(), byGraph);
    a.measure(watch);
    b.measure(watch);
    for (std::uint32_t k = 0; k < pairs; ++k) {
      Times::Pair pair;
      if (k % 2 == 0) pair.before = a.measure(watch);
      pair.after = b.measure(watch);
      if (k % 2 != 0) pair.before = a.measure(watch);
      times.pairs.push_back(pair);
    }
    return times;
  } catch (const Failure& failure) {
    error = failure.error;
    return std::nullopt;
  }
}

}  // namespace ptxopt::gpu
