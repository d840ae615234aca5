// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime: memory, and copies.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "tests/support/cuda_stand_in/machine.hpp"

namespace cuda_stand_in {
namespace {

constexpr const char* block_kind = "block of device memory";
constexpr const char* host_block_kind = "block of pinned memory";
constexpr std::size_t alignment = 256;

/// The caller holds the lock.
std::size_t pinned_now() {
  std::size_t bytes = 0;
  for (const auto& [data, block] : machine().blocks)
    if (block.device < 0) bytes += block.bytes;
  return bytes;
}

void* take_block(std::size_t bytes, int device, bool pooled = false) {
  forbid_in_capture();
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  if (device >= 0 && all.used[device] + bytes > all.memory)
    throw Refused("the device is full", cudaErrorMemoryAllocation);
  if (device < 0 && all.most_pinned > 0 && pinned_now() + bytes > all.most_pinned)
    throw Refused("the host may pin no more", cudaErrorMemoryAllocation);
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  auto* data = static_cast<char*>(std::aligned_alloc(alignment, std::max(whole, alignment)));
  require(data != nullptr, "the host is full", cudaErrorMemoryAllocation);
  std::memset(data, 0xff, whole);  // NaN, in 16 bits and in 32
  all.blocks[data] = {bytes, device, ++all.blocks_made, pooled};
  if (device >= 0) all.used[device] += bytes;
  made(data, device >= 0 ? block_kind : host_block_kind);
  return data;
}

/// Takes it out of the books; its memory goes with the result.
std::unique_ptr<char, decltype(&std::free)> forget_block(void* data, const char* kind) {
  forbid_in_capture();
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
/// Pageable memory is not known here.
void check_pinned(const void* from, std::size_t bytes, const char* what) {
  const std::lock_guard lock(machine().mutex);
  const auto* block = block_with(from);
  if (block && static_cast<const char*>(from) + bytes > block->first + block->second.bytes)
    throw Refused(std::string(what) + " reaches beyond its block of pinned memory");
}

void check_side(const void* address, std::size_t bytes, bool device, const char* what) {
  if (bytes == 0) return;
  require(address != nullptr, "a null pointer was given to be copied");
  const int found = device_with(address);
  if (!device) {
    require(found < 0, "memory of a device was said to be the host's");
    return check_pinned(address, bytes, what);
  }
  check_device_memory(address, bytes, found, what);
}

/// True if the device accesses the block directly.
bool reaches(int device, const Block& block) {
  const auto& allowed = block.pooled ? machine().direct_pools : machine().direct;
  return device == block.device || allowed.contains({device, block.device});
}

/// The device of either side may do the copy.
void count_copy(const void* from, const void* to) {
  const std::lock_guard lock(machine().mutex);
  const Block &source = block_with(from)->second, &target = block_with(to)->second;
  if (!reaches(target.device, source) && !reaches(source.device, target)) ++machine().copies_through_host;
}

void count_pinned(std::size_t bytes, bool to_host) {
  const std::lock_guard lock(machine().mutex);
  (to_host ? machine().pinned_copies.to_host : machine().pinned_copies.to_device) += bytes;
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
  // When the graph is launched what was there may be gone.
  if (kind != cudaMemcpyDeviceToDevice) forbid_on_captured(stream);
  const bool pageable = device_with(kind == cudaMemcpyHostToDevice ? from : to) == -2;
  if (kind == cudaMemcpyHostToDevice && pageable) {
    const auto staged = std::make_shared<std::vector<char>>(from_pitch * (rows - 1) + width);
    std::memcpy(staged->data(), from, staged->size());
    return put(stream, [=] { move_rows(staged->data(), from_pitch); });
  }
  if (kind == cudaMemcpyDeviceToDevice)
    count_copy(from, to);
  else if (!pageable)
    count_pinned(width * rows, kind == cudaMemcpyDeviceToHost);
  put(stream, [=] { move_rows(static_cast<const char*>(from), from_pitch); });
  if (kind != cudaMemcpyDeviceToDevice && pageable) count_wait();
  if (kind == cudaMemcpyDeviceToHost && pageable) drain(stream);
}

}  // namespace

PinnedCopies pinned_copies() {
  const std::lock_guard lock(machine().mutex);
  return machine().pinned_copies;
}

std::size_t pinned_bytes() {
  const std::lock_guard lock(machine().mutex);
  return pinned_now();
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
  note_operand({from, bytes, device, block->second.serial});
}

bool is_valid(const Operand& operand) {
  const std::lock_guard lock(machine().mutex);
  const auto* block = block_with(operand.from);
  return block && block->second.serial == operand.serial;
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return runtime_call("cudaMemGetInfo", cudaErrorUnknown, [&] {
    const std::lock_guard lock(machine().mutex);
    *total = machine().memory;
    *free = *total - std::min(*total, machine().used[current_device()]);
  });
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  return runtime_call("cudaMalloc", cudaErrorMemoryAllocation, [&] {
    require(data != nullptr, "nowhere to put the address");
    wait_for_device(current_device());
    *data = bytes == 0 ? nullptr : take_block(bytes, current_device());
  });
}
cudaError_t cudaFree(void* data) {
  if (data == nullptr) return cudaSuccess;
  count_wait();
  return remembered(call("cudaFree", cudaSuccess, cudaErrorInvalidValue, [&] {
    wait_for_device(device_with(data));
    forget_block(data, block_kind);
  }));
}
/// A device's own pool is named by its number.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return runtime_call("cudaDeviceGetDefaultMemPool", cudaErrorUnknown, [&] {
    require(machine().memory_pools, "the device has no pools of memory", cudaErrorNotSupported);
    int devices = 0;
    cudaGetDeviceCount(&devices);
    require(device >= 0 && device < devices, "no such device", cudaErrorInvalidDevice);
    *pool = reinterpret_cast<cudaMemPool_t>(static_cast<std::uintptr_t>(device) + 1);
  });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, std::size_t count) {
  return runtime_call("cudaMemPoolSetAccess", cudaErrorUnknown, [&] {
    const int owner = static_cast<int>(reinterpret_cast<std::uintptr_t>(pool)) - 1;
    const std::lock_guard lock(machine().mutex);
    for (const cudaMemAccessDesc& one : std::span(access, count)) {
      require(one.location.type == cudaMemLocationTypeDevice && one.location.id != owner,
              "a pool's own device always has access, and only devices are known");
      require(one.flags == cudaMemAccessFlagsProtReadWrite, "access that the stand-in does not know");
      machine().direct_pools.emplace(one.location.id, owner);
    }
  });
}
cudaError_t cudaMallocAsync(void** data, std::size_t bytes, cudaStream_t stream) {
  return runtime_call("cudaMallocAsync", cudaErrorMemoryAllocation, [&] {
    require(data != nullptr, "nowhere to put the address");
    require(machine().memory_pools, "the device has no pools of memory", cudaErrorNotSupported);
    check_stream(stream, cudaErrorInvalidResourceHandle);
    forbid_on_captured(stream);
    *data = bytes == 0 ? nullptr : take_block(bytes, current_device(), true);
  });
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  return remembered(call("cudaFreeAsync", cudaSuccess, cudaErrorInvalidValue, [&] {
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    forbid_on_captured(stream);
    // Calls from now on may not name it; work that was given before still finds it.
    const std::shared_ptr<char> kept = forget_block(data, block_kind);
    put(stream, [kept] {});
  }));
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  return runtime_call("cudaHostAlloc", cudaErrorMemoryAllocation, [&] {
    wait_for_device(current_device());
    *data = take_block(bytes, -1);
  });
}
cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
  return runtime_call("cudaMallocHost", cudaErrorMemoryAllocation, [&] {
    wait_for_device(current_device());
    *data = take_block(bytes, -1);
  });
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
    check_device_memory(data, bytes, current_device(), "what is set");
    put(stream, [=] { std::memset(data, value, bytes); });
  });
}

}  // extern "C"
