// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime: devices, and the errors that its calls leave.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/base/random.hpp"
#include "tests/support/cuda_stand_in/machine.hpp"

namespace cuda_stand_in {

void forget_failures();
void forget_captures();
void forget_fused_attention();

namespace {

thread_local int current = 0;
thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

Machine& machine() {
  static Machine one;
  return one;
}

cudaError_t remembered(cudaError_t status) {
  if (status != cudaSuccess && status != cudaErrorNotReady) last_error = status;
  return status;
}

/// The driver reads its environment once, at a program's first call.
void begin_driver(Machine& all) {
  if (std::exchange(all.driver_began, true)) return;
  const char* loading = std::getenv("CUDA_MODULE_LOADING");
  all.loads_eagerly = loading != nullptr && std::string_view(loading) == "EAGER";
  const char* queues = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  all.hardware_queues = queues != nullptr ? static_cast<unsigned>(std::clamp(std::atoi(queues), 1, 32)) : 8;
}

cudaError_t state_of_driver() {
  const std::lock_guard lock(machine().mutex);
  begin_driver(machine());
  if (machine().driver < runtime_version / 1000 * 1000) return cudaErrorInsufficientDriver;
  return machine().lost;
}

void count_wait() {
  const std::lock_guard lock(machine().mutex);
  ++machine().waits;
}

bool hangs(int device) {
  const std::lock_guard lock(machine().mutex);
  return machine().hanging.contains(device);
}

int current_device() { return current; }
void set_current_device(int device) { current = device; }
int device_count() {
  const std::lock_guard lock(machine().mutex);
  return machine().devices;
}

void reset() {
  forget_loaded();
  {
    const std::lock_guard lock(machine().mutex);
    machine().devices = default_devices;
    machine().driver = CUDART_VERSION;
    machine().memory = default_memory;
    machine().delay = 0;
    machine().lost = cudaSuccess;
    machine().names.clear();
    machine().places.clear();
    machine().hanging.clear();
    machine().direct.clear();
    machine().direct_pools.clear();
    machine().copies_through_host = 0;
    machine().pinned_copies = {};
    machine().most_pinned = 0;
    machine().strictness = {};
    machine().driver_began = false;
    machine().loading_waits = 0;
    machine().summation_error = 0;
    machine().aligned_products_only = machine().plain_products_only = false;
    machine().memory_pools = true;
  }
  {
    const std::lock_guard lock(lock_of_all());
    changed().notify_all();
  }
  current = 0;
  last_error = cudaSuccess;
  forget_failures();
  forget_captures();
  forget_fused_attention();
}

void set_devices(int count) {
  const std::lock_guard lock(machine().mutex);
  machine().devices = count;
}
void set_memory(std::size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  machine().memory = bytes;
}
void set_pinned_memory(std::size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  machine().most_pinned = bytes;
}
void set_place(int device, int place) {
  const std::lock_guard lock(machine().mutex);
  machine().places[device] = place;
}
void set_name(int device, const std::string& name) {
  const std::lock_guard lock(machine().mutex);
  machine().names[device] = name;
}
void hang_device(int device) {
  const std::lock_guard lock(machine().mutex);
  machine().hanging.insert(device);
}
int waiting_calls() {
  const std::lock_guard lock(machine().mutex);
  return machine().waits;
}
int copies_through_host() {
  const std::lock_guard lock(machine().mutex);
  return machine().copies_through_host;
}
void set_driver(int version) {
  const std::lock_guard lock(machine().mutex);
  machine().driver = version;
}
void set_delay(int microseconds) {
  const std::lock_guard lock(machine().mutex);
  machine().delay = microseconds;
}
void refuse_unaligned_products() { machine().aligned_products_only = true; }
void refuse_epilogues() { machine().plain_products_only = true; }
void refuse_memory_pools() { machine().memory_pools = false; }
void set_strictness(const Strictness& strictness) {
  const std::lock_guard all(lock_of_all());
  const std::lock_guard lock(machine().mutex);
  machine().strictness = strictness;
  changed().notify_all();
}
int loading_waits() {
  const std::lock_guard lock(machine().mutex);
  return machine().loading_waits;
}
void set_summation_error(double units) { machine().summation_error = units * 0x1p-24; }

double Sum::result(std::uint64_t place) const {
  const double error = machine().summation_error;
  if (error == 0) return value_;
  pipedeck::Random random(place, std::bit_cast<std::uint64_t>(value_));
  return value_ + error * size_ * (2 * random.uniform() - 1);
}

void lose_devices(cudaError_t status) {
  const std::lock_guard lock(machine().mutex);
  machine().lost = status;
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    default:
      return "an error of the stand-in";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorECCUncorrectable:
      return "uncorrectable ECC error encountered";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated:
      return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureIsolation:
      return "dependency created on uncaptured work in another stream";
    case cudaErrorStreamCaptureWrongThread:
      return "attempt to terminate a thread-local capture sequence from another thread";
    case cudaErrorCapturedEvent:
      return "operation not permitted on an event last recorded in a capturing stream";
    default:
      return "unknown error";
  }
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaDriverGetVersion(int* version) {
  const std::lock_guard lock(machine().mutex);
  *version = machine().driver;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = runtime_version;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  return runtime_call("cudaGetDeviceCount", cudaErrorUnknown, [&] {
    require(device_count() > 0, "there is no device", cudaErrorNoDevice);
    *count = device_count();
  });
}
cudaError_t cudaSetDevice(int device) {
  return runtime_call("cudaSetDevice", cudaErrorDevicesUnavailable, [&] {
    require(device >= 0 && device < device_count(), "no such device", cudaErrorInvalidDevice);
    current = device;
  });
}
cudaError_t cudaGetDevice(int* device) {
  if (state_of_driver() == cudaErrorInsufficientDriver) return remembered(cudaErrorInsufficientDriver);
  *device = current;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  return runtime_call("cudaDeviceSynchronize", cudaErrorLaunchFailure, [] {
    forbid_in_capture();
    throw Refused("it waits for the work of every worker on the device", cudaErrorNotSupported);
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return runtime_call("cudaDeviceGetAttribute", cudaErrorUnknown, [&] {
    require(device >= 0 && device < device_count(), "no such device", cudaErrorInvalidDevice);
    switch (attribute) {
      case cudaDevAttrComputeCapabilityMajor:
        *value = 9;
        break;
      case cudaDevAttrComputeCapabilityMinor:
        *value = 0;
        break;
      case cudaDevAttrMultiProcessorCount:
        *value = 4;
        break;
      case cudaDevAttrMemoryPoolsSupported:
        *value = machine().memory_pools ? 1 : 0;
        break;
      default:
        throw Refused("the stand-in does not know this attribute");
    }
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return runtime_call("cudaGetDeviceProperties", cudaErrorUnknown, [&] {
    require(device >= 0 && device < device_count(), "no such device", cudaErrorInvalidDevice);
    *properties = {};
    std::strcpy(properties->name, "Stand-in for a GPU");
    properties->major = 9;
    properties->multiProcessorCount = 4;
    const std::lock_guard lock(machine().mutex);
    properties->totalGlobalMem = machine().memory;
    const auto moved = machine().places.find(device);
    properties->pciBusID = 1 + (moved == machine().places.end() ? device : moved->second);
    properties->uuid.bytes[15] = static_cast<char>(properties->pciBusID);
    if (const auto found = machine().names.find(device); found != machine().names.end())
      std::snprintf(properties->name, sizeof properties->name, "%s", found->second.c_str());
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return runtime_call("cudaDeviceCanAccessPeer", cudaErrorUnknown, [&] {
    require(std::max(device, peer) < device_count() && std::min(device, peer) >= 0, "no such device",
            cudaErrorInvalidDevice);
    *can = device != peer;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return runtime_call("cudaDeviceEnablePeerAccess", cudaErrorUnknown, [&] {
    require(flags == 0 && peer != current && peer >= 0 && peer < device_count(), "no such peer",
            cudaErrorInvalidDevice);
    const std::lock_guard lock(machine().mutex);
    require(machine().direct.emplace(current, peer).second, "it is enabled", cudaErrorPeerAccessAlreadyEnabled);
  });
}

}  // extern "C"
