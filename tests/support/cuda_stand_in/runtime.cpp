// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime: devices, memory, streams and events.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "tests/support/cuda_stand_in/state.hpp"

namespace cuda_stand_in {

void forget_failures();

namespace {

constexpr const char* stream_kind = "stream";
constexpr const char* event_kind = "event";
constexpr const char* block_kind = "block of device memory";
constexpr const char* host_block_kind = "block of pinned memory";
constexpr int default_devices = 2;
constexpr std::size_t default_memory = std::size_t{1} << 30;
constexpr int runtime_version = CUDART_VERSION;
constexpr std::size_t alignment = 256;

struct Block {
  std::size_t bytes;
  int device;  ///< -1: of the host
};

struct Machine {
  std::mutex mutex;
  int devices = default_devices, driver = CUDART_VERSION, delay = 0;
  std::size_t memory = default_memory;
  std::map<const char*, Block> blocks;
  std::map<int, std::size_t> used;
  cudaError_t lost = cudaSuccess;
  std::map<int, std::string> names;
  std::set<int> hanging;
  int waits = 0;
};

Machine& machine() {
  static Machine one;
  return one;
}

thread_local int current = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t remembered(cudaError_t status) {
  if (status != cudaSuccess && status != cudaErrorNotReady) last_error = status;
  return status;
}

/// What every call that needs the driver gives where there is none, or its devices are lost.
cudaError_t state_of_driver() {
  const std::lock_guard lock(machine().mutex);
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

template <class Body>
cudaError_t runtime_call(const char* function, cudaError_t failed_work, Body body) {
  if (const cudaError_t state = state_of_driver(); state != cudaSuccess) return remembered(state);
  return remembered(call(function, failed_work, cudaErrorInvalidValue, body));
}

void* take_block(std::size_t bytes, int device) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  if (device >= 0 && all.used[device] + bytes > all.memory)
    throw Refused("the device is full", cudaErrorMemoryAllocation);
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  auto* data = static_cast<char*>(std::aligned_alloc(alignment, std::max(whole, alignment)));
  require(data != nullptr, "the host is full", cudaErrorMemoryAllocation);
  std::memset(data, 0xff, whole);  // NaN, in 16 bits and in 32
  all.blocks[data] = {bytes, device};
  if (device >= 0) all.used[device] += bytes;
  made(data, device >= 0 ? block_kind : host_block_kind);
  return data;
}

/// Takes it out of the books; its memory goes with the result.
std::unique_ptr<char, decltype(&std::free)> forget_block(void* data, const char* kind) {
  destroyed(data, kind);
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  const auto found = all.blocks.find(static_cast<char*>(data));
  if (found->second.device >= 0) all.used[found->second.device] -= found->second.bytes;
  all.blocks.erase(found);
  return {static_cast<char*>(data), &std::free};
}

const std::pair<const char* const, Block>* block_with(const void* address) {
  Machine& all = machine();
  auto after = all.blocks.upper_bound(static_cast<const char*>(address));
  if (after == all.blocks.begin()) return nullptr;
  --after;
  return static_cast<const char*>(address) < after->first + std::max<std::size_t>(after->second.bytes, 1) ? &*after
                                                                                                          : nullptr;
}

int device_with(const void* address) {
  const std::lock_guard lock(machine().mutex);
  const auto* block = block_with(address);
  return block ? block->second.device : -2;
}

void run_stream(CUstream_st& stream) {
  current = stream.device;
  std::minstd_rand random(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(&stream) >> 6));
  std::unique_lock lock(lock_of_all());
  for (;;) {
    changed().wait(lock, [&] { return stream.ends || !stream.work.empty(); });
    changed().wait(lock, [&] { return !hangs(stream.device); });
    if (stream.work.empty()) return;
    const auto work = std::move(stream.work.front());
    stream.work.pop_front();
    stream.busy = true;
    lock.unlock();
    int delay = 0;
    {
      const std::lock_guard settings(machine().mutex);
      delay = machine().delay;
    }
    if (delay > 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<unsigned>(delay)));
    try {
      work();
    } catch (const std::exception& error) {
      refused("a kernel", error.what());
      lose_devices(cudaErrorLaunchFailure);
    }
    lock.lock();
    stream.busy = false;
    changed().notify_all();
  }
}

void wait_for(const std::shared_ptr<Mark>& mark) {
  std::unique_lock lock(lock_of_all());
  changed().wait(lock, [&] { return mark->done; });
}

void set_done(const std::shared_ptr<Mark>& mark) {
  const std::lock_guard lock(lock_of_all());
  mark->done = true;
  mark->time = std::chrono::steady_clock::now();
  changed().notify_all();
}

void drain(cudaStream_t stream) {
  std::unique_lock lock(lock_of_all());
  changed().wait(lock, [&] { return stream->work.empty() && !stream->busy; });
}

void check_side(const void* address, std::size_t bytes, bool device, const char* what) {
  if (bytes == 0) return;
  require(address != nullptr, "a null pointer was given to be copied");
  const int found = device_with(address);
  if (!device) return require(found < 0, "memory of a device was said to be the host's");
  check_device_memory(address, bytes, found, what);
}

/// Rows of `width` bytes; copies of pageable memory are done, as far as the host sees, when the call returns.
void copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t rows,
          cudaMemcpyKind kind, cudaStream_t stream) {
  require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice,
          "a copy's direction is said");
  require(width <= to_pitch && width <= from_pitch, "a row is not wider than the pitch");
  if (width == 0 || rows == 0) return;
  check_side(to, to_pitch * (rows - 1) + width, kind != cudaMemcpyDeviceToHost, "a copy's target");
  check_side(from, from_pitch * (rows - 1) + width, kind != cudaMemcpyHostToDevice, "a copy's source");
  const auto move_rows = [=](const char* source, std::size_t pitch) {
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(static_cast<char*>(to) + row * to_pitch, source + row * pitch, width);
  };
  const bool pageable = device_with(kind == cudaMemcpyHostToDevice ? from : to) == -2;
  if (kind == cudaMemcpyHostToDevice && pageable) {
    const auto staged = std::make_shared<std::vector<char>>(from_pitch * (rows - 1) + width);
    std::memcpy(staged->data(), from, staged->size());
    return put(stream, [=] { move_rows(staged->data(), from_pitch); });
  }
  put(stream, [=] { move_rows(static_cast<const char*>(from), from_pitch); });
  if (kind != cudaMemcpyDeviceToDevice && pageable) count_wait();
  if (kind == cudaMemcpyDeviceToHost && pageable) drain(stream);
}

}  // namespace

std::mutex& lock_of_all() {
  static std::mutex one;
  return one;
}
std::condition_variable& changed() {
  static std::condition_variable one;
  return one;
}

int current_device() { return current; }
int device_count() {
  const std::lock_guard lock(machine().mutex);
  return machine().devices;
}

bool is_device_memory(const void* address) { return device_with(address) >= 0; }

void check_device_memory(const void* from, std::size_t bytes, int device, const char* what) {
  if (bytes == 0) return;
  const std::lock_guard lock(machine().mutex);
  const auto* block = from ? block_with(from) : nullptr;
  if (!block || block->second.device < 0) throw Refused(std::string(what) + " is not in a device's memory");
  if (block->second.device != device) throw Refused(std::string(what) + " is in another device's memory");
  if (static_cast<const char*>(from) + bytes > block->first + block->second.bytes)
    throw Refused(std::string(what) + " reaches beyond its block of memory");
}

void check_stream(cudaStream_t stream, int status) {
  require(stream != nullptr, "the default stream was given, which all others wait for", status);
  check_alive(stream, stream_kind, status);
  require(stream->device == current, "the stream is another device's than the current one", status);
}
int device_of(cudaStream_t stream) { return stream->device; }

void put(cudaStream_t stream, std::function<void()> work) {
  const std::lock_guard lock(lock_of_all());
  stream->work.push_back(std::move(work));
  changed().notify_all();
}

void enqueue(cudaStream_t stream, std::function<void()> work) {
  check_stream(stream);
  put(stream, std::move(work));
}

void reset() {
  {
    const std::lock_guard lock(machine().mutex);
    machine().devices = default_devices;
    machine().driver = CUDART_VERSION;
    machine().memory = default_memory;
    machine().delay = 0;
    machine().lost = cudaSuccess;
    machine().names.clear();
    machine().hanging.clear();
  }
  {
    const std::lock_guard lock(lock_of_all());
    changed().notify_all();
  }
  current = 0;
  last_error = cudaSuccess;
  forget_failures();
}

void set_devices(int count) {
  const std::lock_guard lock(machine().mutex);
  machine().devices = count;
}
void set_memory(std::size_t bytes) {
  const std::lock_guard lock(machine().mutex);
  machine().memory = bytes;
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
void set_driver(int version) {
  const std::lock_guard lock(machine().mutex);
  machine().driver = version;
}
void set_delay(int microseconds) {
  const std::lock_guard lock(machine().mutex);
  machine().delay = microseconds;
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
        *value = 1;
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
    if (const auto found = machine().names.find(device); found != machine().names.end())
      std::snprintf(properties->name, sizeof properties->name, "%s", found->second.c_str());
  });
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return runtime_call("cudaMemGetInfo", cudaErrorUnknown, [&] {
    const std::lock_guard lock(machine().mutex);
    *total = machine().memory;
    *free = *total - std::min(*total, machine().used[current]);
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
  });
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  return runtime_call("cudaMalloc", cudaErrorMemoryAllocation, [&] {
    require(data != nullptr, "nowhere to put the address");
    *data = bytes == 0 ? nullptr : take_block(bytes, current);
  });
}
cudaError_t cudaFree(void* data) {
  if (data == nullptr) return cudaSuccess;
  count_wait();
  return remembered(call("cudaFree", cudaSuccess, cudaErrorInvalidValue, [&] {
    // It waits for all of the device's work, as the real one does.
    std::unique_lock lock(lock_of_all());
    lock.unlock();
    forget_block(data, block_kind);
  }));
}
cudaError_t cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t stream) {
  return runtime_call("cudaMallocAsync", cudaErrorMemoryAllocation, [&] {
    require(data != nullptr, "nowhere to put the address");
    check_stream(stream, cudaErrorInvalidResourceHandle);
    *data = bytes == 0 ? nullptr : take_block(bytes, current);
  });
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  return remembered(call("cudaFreeAsync", cudaSuccess, cudaErrorInvalidValue, [&] {
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    // Calls from now on may not name it; work that was given before still finds it.
    const std::shared_ptr<char> kept = forget_block(data, block_kind);
    put(stream, [kept] {});
  }));
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  return runtime_call("cudaHostAlloc", cudaErrorMemoryAllocation, [&] { *data = take_block(bytes, -1); });
}
cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
  return runtime_call("cudaMallocHost", cudaErrorMemoryAllocation, [&] { *data = take_block(bytes, -1); });
}
cudaError_t cudaFreeHost(void* data) {
  if (data == nullptr) return cudaSuccess;
  return remembered(
      call("cudaFreeHost", cudaSuccess, cudaErrorInvalidValue, [&] { forget_block(data, host_block_kind); }));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return runtime_call("cudaMemcpyAsync", cudaErrorIllegalAddress, [&] {
    check_stream(stream, cudaErrorInvalidResourceHandle);
    copy(to, bytes, from, bytes, bytes, 1, kind, stream);
  });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
  return runtime_call("cudaMemcpy2DAsync", cudaErrorIllegalAddress, [&] {
    check_stream(stream, cudaErrorInvalidResourceHandle);
    copy(to, to_pitch, from, from_pitch, width, rows, kind, stream);
  });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  return runtime_call("cudaMemcpyPeerAsync", cudaErrorIllegalAddress, [&] {
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    check_device_memory(to, bytes, to_device, "a copy's target");
    check_device_memory(from, bytes, from_device, "a copy's source");
    put(stream, [=] { std::memcpy(to, from, bytes); });
  });
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  return runtime_call("cudaMemsetAsync", cudaErrorIllegalAddress, [&] {
    check_stream(stream, cudaErrorInvalidResourceHandle);
    check_device_memory(data, bytes, current, "what is set");
    put(stream, [=] { std::memset(data, value, bytes); });
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return runtime_call("cudaStreamCreateWithFlags", cudaErrorMemoryAllocation, [&] {
    require(flags == cudaStreamNonBlocking, "a stream that waits for the default stream");
    auto one = std::make_unique<CUstream_st>();
    one->device = current;
    one->thread = std::thread([&it = *one] { run_stream(it); });
    made(one.get(), stream_kind);
    *stream = one.release();
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return remembered(call("cudaStreamDestroy", cudaSuccess, cudaErrorInvalidResourceHandle, [&] {
    destroyed(stream, stream_kind);
    {
      const std::lock_guard lock(lock_of_all());
      stream->ends = true;
      changed().notify_all();
    }
    stream->thread.join();
    delete stream;
  }));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  count_wait();
  const cudaError_t status = runtime_call("cudaStreamSynchronize", cudaErrorLaunchFailure, [&] {
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    drain(stream);
  });
  return status != cudaSuccess ? status : remembered(state_of_driver());
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  bool idle = true;
  const cudaError_t status = runtime_call("cudaStreamQuery", cudaErrorLaunchFailure, [&] {
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    const std::lock_guard lock(lock_of_all());
    idle = stream->work.empty() && !stream->busy;
  });
  return status == cudaSuccess && !idle ? cudaErrorNotReady : status;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return runtime_call("cudaStreamWaitEvent", cudaErrorLaunchFailure, [&] {
    require(flags == 0, "no flag is known");
    require(stream != nullptr, "the default stream was given", cudaErrorInvalidResourceHandle);
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    check_alive(event, event_kind, cudaErrorInvalidResourceHandle);
    if (event->mark) put(stream, [mark = event->mark] { wait_for(mark); });
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return runtime_call("cudaLaunchHostFunc", cudaErrorLaunchFailure, [&] {
    check_stream(stream, cudaErrorInvalidResourceHandle);
    put(stream, [=] { function(data); });
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return runtime_call("cudaEventCreateWithFlags", cudaErrorMemoryAllocation, [&] {
    require((flags & ~unsigned{cudaEventDisableTiming | cudaEventBlockingSync}) == 0, "an unknown flag");
    auto one = std::make_unique<CUevent_st>();
    one->device = current;
    one->timed = (flags & cudaEventDisableTiming) == 0;
    made(one.get(), event_kind);
    *event = one.release();
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return remembered(call("cudaEventDestroy", cudaSuccess, cudaErrorInvalidResourceHandle, [&] {
    destroyed(event, event_kind);
    delete event;
  }));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return runtime_call("cudaEventRecord", cudaErrorLaunchFailure, [&] {
    check_alive(event, event_kind, cudaErrorInvalidResourceHandle);
    require(stream != nullptr, "the default stream was given", cudaErrorInvalidResourceHandle);
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    require(event->device == stream->device, "event and stream are of two devices", cudaErrorInvalidResourceHandle);
    event->mark = std::make_shared<Mark>();
    put(stream, [mark = event->mark] { set_done(mark); });
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  bool done = true;
  const cudaError_t status = runtime_call("cudaEventQuery", cudaErrorLaunchFailure, [&] {
    check_alive(event, event_kind, cudaErrorInvalidResourceHandle);
    const std::lock_guard lock(lock_of_all());
    done = !event->mark || event->mark->done;
  });
  return status == cudaSuccess && !done ? cudaErrorNotReady : status;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  count_wait();
  const cudaError_t status = runtime_call("cudaEventSynchronize", cudaErrorLaunchFailure, [&] {
    check_alive(event, event_kind, cudaErrorInvalidResourceHandle);
    if (event->mark) wait_for(event->mark);
  });
  return status != cudaSuccess ? status : remembered(state_of_driver());
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  bool done = true;
  const cudaError_t status = runtime_call("cudaEventElapsedTime", cudaErrorLaunchFailure, [&] {
    check_alive(from, event_kind, cudaErrorInvalidResourceHandle);
    check_alive(to, event_kind, cudaErrorInvalidResourceHandle);
    require(from->timed && to->timed && from->mark && to->mark, "events without times, or not recorded",
            cudaErrorInvalidResourceHandle);
    const std::lock_guard lock(lock_of_all());
    done = from->mark->done && to->mark->done;
    *milliseconds = std::chrono::duration<float, std::milli>(to->mark->time - from->mark->time).count();
  });
  return status == cudaSuccess && !done ? cudaErrorNotReady : status;
}

}  // extern "C"
