// SPDX-License-Identifier: Apache-2.0
// Shared parts of the stand-in's CUDA runtime: the machine, and the results of its functions.
#pragma once

#include <atomic>
#include <set>

#include "tests/support/cuda_stand_in/state.hpp"

namespace cuda_stand_in {

inline constexpr const char* stream_kind = "stream";
inline constexpr const char* event_kind = "event";
inline constexpr int runtime_version = CUDART_VERSION;
inline constexpr int default_devices = 2;
inline constexpr std::size_t default_memory = std::size_t{1} << 30;

struct Block {
  std::size_t bytes;
  int device;            ///< -1: of the host
  std::uint64_t serial;  ///< of all blocks ever: an address may come again
  bool pooled = false;   ///< from a pool, which has access rights of its own
};

struct Machine {
  std::mutex mutex;
  int devices = default_devices, driver = CUDART_VERSION, delay = 0;
  std::size_t memory = default_memory;
  std::map<const char*, Block> blocks;
  std::uint64_t blocks_made = 0;
  std::map<int, std::size_t> used;
  cudaError_t lost = cudaSuccess;
  std::map<int, std::string> names;
  std::map<int, int> places;
  std::set<int> hanging;
  int waits = 0, streams_made = 0, urgent_streams_made = 0;
  std::map<int, unsigned> streams_of;          ///< made so far, by device
  std::set<std::pair<int, int>> direct;        ///< {from where, to whom}: a device reaches a peer's memory
  std::set<std::pair<int, int>> direct_pools;  ///< the same of its pool
  int copies_through_host = 0;
  PinnedCopies pinned_copies;
  std::size_t most_pinned = 0;
  std::atomic<double> summation_error = 0;
  std::atomic<bool> aligned_products_only = false, plain_products_only = false;
  std::atomic<bool> memory_pools = true;
  Strictness strictness;
  bool driver_began = false, loads_eagerly = false;  ///< since reset()
  unsigned hardware_queues = 8;                      ///< that the driver found at its first call
  int loading_waits = 0;
};
Machine& machine();

void set_current_device(int device);
/// Notes an error for cudaGetLastError.
cudaError_t remembered(cudaError_t status);
/// Returns the result of every call that needs the driver, if there is none or its devices are lost.
cudaError_t state_of_driver();
void count_wait();
bool hangs(int device);

template <class Body>
cudaError_t runtime_call(const char* function, cudaError_t failed_work, Body body) {
  if (const cudaError_t state = state_of_driver(); state != cudaSuccess) return remembered(state);
  return remembered(call(function, failed_work, cudaErrorInvalidValue, body));
}

/// Returns when all of the stream's work is done.
void drain(cudaStream_t stream);
/// Returns when the device is idle, if allocations wait for that.
void wait_for_device(int device);
void forget_loaded();

}  // namespace cuda_stand_in
