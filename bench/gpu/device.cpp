#include "device.h"

#include <algorithm>
#include <array>
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

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Cooperative groups find the workspace of grid barriers through these registers, which only a
// cooperative launch sets.
bool synchronizesGrid(const std::string& text) {
  return text.find("%envreg") != std::string::npos;
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

// What one run holds on the device.
class Device::Session {
 public:
  Session(const DriverApi& api, const std::string& text) : api_(api) {
    constexpr std::size_t kLogBytes = 4096;
    std::string log(kLogBytes, '\0');
    std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER,
                                        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(kLogBytes)};
    const CUresult status =
        api_.cuModuleLoadDataEx(&module_, text.c_str(), 2, options.data(), values.data());
    if (status == CUDA_SUCCESS) return;
    const std::string firstLine = log.substr(0, log.find_first_of(std::string("\n\0", 2)));
    throw Failure(api_.nameOf(status) + (firstLine.empty() ? "" : ": " + firstLine));
  }
  ~Session() {
    for (const CUdeviceptr buffer : buffers_) api_.cuMemFree(buffer);
    if (module_ != nullptr) api_.cuModuleUnload(module_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void launch(const ir::Function& kernel, const interp::Launch& launch, bool isCooperative) {
    for (const interp::Argument& argument : launch.arguments) {
      CUdeviceptr buffer = 0;
      if (argument.isBuffer) {
        check(api_.cuMemAlloc(&buffer, std::max<std::size_t>(argument.bytes.size(), 1)));
      }
      addresses_.push_back(buffer);
      if (buffer != 0) buffers_.push_back(buffer);
    }
    std::vector<std::vector<std::uint8_t>> values;
    for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
      std::vector<std::uint8_t> bytes = withAddresses(launch.arguments[k]);
      if (launch.arguments[k].isBuffer) {
        if (!bytes.empty()) check(api_.cuMemcpyHtoD(addresses_[k], bytes.data(), bytes.size()));
        bytes.resize(sizeof addresses_[k]);
        std::memcpy(bytes.data(), &addresses_[k], bytes.size());
      }
      values.push_back(std::move(bytes));
    }
    for (const auto& [name, content] : launch.globals) {
      CUdeviceptr address = 0;
      std::size_t size = 0;
      check(api_.cuModuleGetGlobal(&address, &size, module_, name.c_str()));
      const std::vector<std::uint8_t> bytes = withAddresses(content);
      check(api_.cuMemcpyHtoD(address, bytes.data(), std::min(size, bytes.size())));
    }
    std::vector<void*> parameters;
    for (std::vector<std::uint8_t>& bytes : values) parameters.push_back(bytes.data());

    CUfunction function = nullptr;
    check(api_.cuModuleGetFunction(&function, module_, std::string(kernel.nameText()).c_str()));
    const interp::Geometry geometry = geometryOf(kernel, launch);
    if (geometry.dynamicShared != 0) {
      check(api_.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(geometry.dynamicShared)));
    }
    std::vector<CUlaunchAttribute> attributes;
    if (geometry.isExplicitCluster) {
      CUlaunchAttribute cluster{};
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim.x = geometry.cluster.x;
      cluster.value.clusterDim.y = geometry.cluster.y;
      cluster.value.clusterDim.z = geometry.cluster.z;
      attributes.push_back(cluster);
    }
    if (isCooperative) {
      CUlaunchAttribute cooperative{};
      cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      cooperative.value.cooperative = 1;
      attributes.push_back(cooperative);
    }
    CUlaunchConfig config{};
    config.gridDimX = geometry.grid.x;
    config.gridDimY = geometry.grid.y;
    config.gridDimZ = geometry.grid.z;
    config.blockDimX = geometry.block.x;
    config.blockDimY = geometry.block.y;
    config.blockDimZ = geometry.block.z;
    config.sharedMemBytes = static_cast<unsigned>(geometry.dynamicShared);
    config.attrs = attributes.data();
    config.numAttrs = static_cast<unsigned>(attributes.size());
    for (std::uint32_t k = 0; k < launch.repeat; ++k) {
      check(api_.cuLaunchKernelEx(&config, function, parameters.data(), nullptr));
      check(api_.cuCtxSynchronize());
    }
  }

  std::vector<interp::NamedBytes> read(const std::vector<interp::NamedBytes>& wanted) const {
    std::vector<interp::NamedBytes> result;
    for (const interp::NamedBytes& object : wanted) {
      constexpr std::string_view kArgument = "argument ";
      CUdeviceptr address = 0;
      if (object.name.starts_with(kArgument)) {
        address = addresses_.at(std::stoul(object.name.substr(kArgument.size())));
      } else {
        std::size_t size = 0;
        const CUresult status =
            api_.cuModuleGetGlobal(&address, &size, module_, object.name.c_str());
        if (status != CUDA_SUCCESS || size != object.bytes.size()) continue;
      }
      interp::NamedBytes copy{object.name, std::vector<std::uint8_t>(object.bytes.size())};
      if (!copy.bytes.empty()) {
        check(api_.cuMemcpyDtoH(copy.bytes.data(), address, copy.bytes.size()));
      }
      result.push_back(std::move(copy));
    }
    return result;
  }

 private:
  void check(CUresult status) const {
    if (status != CUDA_SUCCESS) throw Failure(api_.nameOf(status));
  }

  std::vector<std::uint8_t> withAddresses(const interp::Argument& argument) const {
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
      throw Failure("the driver gives no address of '" + name + "'");
    }
    return address;
  }

  const DriverApi& api_;
  CUmodule module_ = nullptr;
  std::vector<CUdeviceptr> addresses_;  // by argument; 0 for one by value
  std::vector<CUdeviceptr> buffers_;
};

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

// After a fault in a kernel everything in the context is lost.
void Device::reset() {
  CUcontext context = nullptr;
  api_->cuDevicePrimaryCtxReset(device_);
  api_->cuDevicePrimaryCtxRetain(&context, device_);
  api_->cuCtxSetCurrent(context);
}

std::optional<std::vector<interp::NamedBytes>> Device::run(
    const std::string& text, const ir::Function& kernel, const interp::Launch& launch,
    const std::vector<interp::NamedBytes>& wanted, std::string& error) {
  try {
    Session session(*api_, text);
    session.launch(kernel, launch, synchronizesGrid(text));
    return session.read(wanted);
  } catch (const Failure& failure) {
    error = failure.what();
  }
  reset();
  return std::nullopt;
}

}  // namespace ptxopt::gpu
