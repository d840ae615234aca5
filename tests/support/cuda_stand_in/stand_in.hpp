// SPDX-License-Identifier: Apache-2.0
// Stands in for the CUDA runtime, cublasLt, cuDNN and NCCL where there is no GPU: the functions that core/runtime/cuda
// calls, declared by NVIDIA's own headers, computed by the processor in plain loops. Each stream is a thread, so that
// work which lacks an event between two streams goes wrong here, too; memory of a device is full of NaN until it is
// written. Arguments are checked as NVIDIA's pages state them: what a GPU would refuse, or go wrong with, is refused.
// Speed, and which algorithm a library would take, can't be seen here.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <cuda_runtime_api.h>

namespace cuda_stand_in {

/// Resets everything to the start of a program: two GPUs of 1 GiB, no failures. Living objects stay counted.
void reset();

/// 0: as without a GPU. NCCL takes one rank a GPU.
void set_devices(int count);
void set_memory(std::size_t bytes);  ///< of each
/// Sets the most bytes that the host may pin, until reset(); 0 at first: any.
void set_pinned_memory(std::size_t bytes);
void set_name(int device, const std::string& name);
/// Where CUDA finds a device in the machine (CUDA_VISIBLE_DEVICES changes that): its bus is `place` + 1, and the last
/// byte of its UUID. At first the device's own number.
void set_place(int device, int place);
/// As with a driver for another version of CUDA (13000: 13.0; 0: none). An older one than the runtime's fails all
/// calls.
void set_driver(int version);
/// Sets NCCL's reported version (22809: 2.28.9); initially that of its headers.
void set_nccl(int version);

/// Delays each later piece of work on a stream by up to this many microseconds.
void set_delay(int microseconds);

/// Behaviour that GPUs and libraries may show. At first none of it.
struct Strictness {
  /// The first launch of a kernel on a device loads it: it waits for all work of the device, and other threads' calls
  /// wait for it. Not where the driver found CUDA_MODULE_LOADING=EAGER at its first call since reset().
  bool lazy_loading = false;
  /// A device has as many hardware queues as the driver found in CUDA_DEVICE_MAX_CONNECTIONS at that call, else 8. Its
  /// streams share them in turn. Work begins after all earlier work of its queue has begun; a wait has to end.
  bool hardware_queues = false;
  /// Allocating and freeing memory waits for all work of the device.
  bool allocation_waits = false;
  /// No convolution gives the same bits every time.
  bool unsteady_convolutions = false;
};
void set_strictness(const Strictness& strictness);
/// Loads since reset() that waited for work.
int loading_waits();

/// Sets an error of later sums of products: up to `units` of 2^-24 of the sum of its terms' sizes, by its place and
/// value alone. 1 is the possible error of 32-bit floats added in another order; initially 0.
void set_summation_error(double units);

/// From now on, until reset(), cublasLt has no algorithm for matrices whose rows do not begin at multiples of 16 bytes.
void refuse_unaligned_products();
/// From now on, until reset(), cublasLt has no algorithm for products with an epilogue.
void refuse_epilogues();
/// From now on, until reset(), no GPU has pools of memory: cudaMallocAsync fails.
void refuse_memory_pools();

/// Makes the nth later call (1: the next) of a function fail with the library's own status. An empty name: any function
/// that allocates or computes, with its library's status for failed work.
void fail_call(int nth, const std::string& function = {}, int status = 0);
bool failed();  ///< returns true if that call has come
/// Loses the device: every later call returns this status (cudaErrorECCUncorrectable, for example), as on a GPU.
void lose_devices(cudaError_t status);

/// From now on the device does nothing any more, without an error, until reset().
void hang_device(int device);

/// Calls so far that make the host wait for a device: synchronisations, freed memory, copies of pageable memory.
int waiting_calls();

/// Streams so far, and those of the greatest priority.
int streams_made();
int urgent_streams_made();

/// Copies between devices since reset() of which neither reaches the other's memory (cudaDeviceEnablePeerAccess).
int copies_through_host();

/// Bytes copied between devices and pinned memory of the host since reset().
struct PinnedCopies {
  std::size_t to_host = 0, to_device = 0;
};
PinnedCopies pinned_copies();
/// Bytes of pinned memory that were allocated and not freed.
std::size_t pinned_bytes();

/// Connections so far that a rank made by its first call to a peer, or of a kind. Each takes long on a GPU.
int connections();

/// Makes NCCL's communicators report the loss of another rank on later queries.
void lose_peers();

/// From now on, until reset(), this function fails, and the capture with it, when it is called while a stream is
/// captured: as a library's that can't be captured.
void refuse_in_captures(const std::string& function);
/// From now on, until reset(), cuDNN has no engine for attention: as on an older GPU.
void refuse_fused_attention();
/// Passes of attention that cuDNN's graphs were given since reset().
int fused_attention_passes();
/// Graphs that were made ready to be launched since reset(), and launches.
int graphs_made();
int graphs_launched();

/// Handles, descriptors, communicators and blocks of memory that were made and not destroyed.
int alive();
/// Returns the kinds of living objects as text, for the message of a test.
std::string alive_words();

/// Returns the reason of the last refused call or failed work on a stream. Empty: none yet.
std::string last_refusal();

/// Runs the work of a kernel in the stream's order; `kernel` identifies it. An exception makes the device fail with
/// cudaErrorLaunchFailure.
void enqueue(cudaStream_t stream, std::function<void()> work, std::size_t kernel = 0);

}  // namespace cuda_stand_in
