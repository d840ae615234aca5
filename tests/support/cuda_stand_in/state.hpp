// SPDX-License-Identifier: Apache-2.0
// Shared parts of the stand-in's files: living objects, the devices' memory, and the planned failures.
#pragma once

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <utility>

#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <nccl.h>

#include "tests/support/cuda_stand_in/stand_in.hpp"

namespace cuda_stand_in {

/// Why a call is refused.
struct Refused : std::runtime_error {
  explicit Refused(const std::string& why, int code = 0) : std::runtime_error(why), status(code) {}
  int status;  ///< 0: the library's "invalid value"
};
void require(bool holds, const char* why, int status = 0);

/// 0, or the status that this call is to fail with. Counts the call.
int entered(const char* function, int status_of_failed_work);
void refused(const char* function, const char* why);

/// One function of a library: counts the call, runs `body`, turns what it throws into the library's status.
template <class Status, class Body>
Status call(const char* function, Status failed_work, Status invalid, Body body) {
  if (const int code = entered(function, static_cast<int>(failed_work)); code != 0) return static_cast<Status>(code);
  try {
    body();
    return Status{};
  } catch (const Refused& why) {
    refused(function, why.what());
    return why.status != 0 ? static_cast<Status>(why.status) : invalid;
  }
}

// ---- objects

void made(const void* object, const char* kind);
/// Refuses what is null, was destroyed, or is of another kind.
void check_alive(const void* object, const char* kind, int status = 0);
void destroyed(const void* object, const char* kind, int status = 0);

// ---- devices and their memory

int current_device();
int device_count();
/// Refuses what is not wholly inside one living block of this device.
void check_device_memory(const void* from, std::size_t bytes, int device, const char* what);
bool is_device_memory(const void* address);
void check_aligned(const void* address, std::size_t bytes, const char* what);

// ---- streams

/// A point in a stream's work.
struct Mark {
  bool done = false;
  std::chrono::steady_clock::time_point time{};
};

/// Everything about streams and communicators, and the only lock of both.
std::mutex& lock_of_all();
std::condition_variable& changed();
/// Refuses a null stream, and one of another device than the current one.
void check_stream(cudaStream_t stream, int status = 0);
int device_of(cudaStream_t stream);
/// With `device` current on the stream's thread.
void put(cudaStream_t stream, std::function<void()> work);
/// Puts a kernel that may have to be loaded first. `kernel` identifies it.
void put_kernel(cudaStream_t stream, std::size_t kernel, std::function<void()> work);
template <class Work>
void put_kernel(cudaStream_t stream, Work work) {
  put_kernel(stream, typeid(Work).hash_code(), std::function<void()>(std::move(work)));
}

// ---- graphs

/// Memory that a call was given, which may be freed before the graph that the call is part of is launched.
struct Operand {
  const void* from;
  std::size_t bytes;
  int device;
  std::uint64_t serial;  ///< of its block
};
bool is_valid(const Operand& operand);
/// Records an operand of the graph that this thread captures, if it does.
void note_operand(const Operand& operand);

/// Refuses calls that a thread must not make while it captures a stream, and calls that are invalid for a captured
/// stream. The capture is lost then.
void forbid_in_capture();
void forbid_on_captured(cudaStream_t stream);
/// Returns true if this thread captures a stream and the test refuses this function then; the capture is lost.
bool refused_in_capture(const char* function);
void lose_capture(cudaStream_t stream);
/// Returns true if this thread captures it.
bool captures(cudaStream_t stream);
/// With lock_of_all held.
void add_to_capture(cudaStream_t stream, std::function<void()> work);

// ---- values in memory

/// Reads and writes an array of any type as double precision.
class Values {
 public:
  enum class Type { f32, bf16 };
  Values(const void* data, Type type) : data_(const_cast<void*>(data)), type_(type) {}
  double get(std::int64_t at) const {
    return type_ == Type::f32 ? static_cast<const float*>(data_)[at]
                              : static_cast<double>(__bfloat162float(static_cast<const __nv_bfloat16*>(data_)[at]));
  }
  void set(std::int64_t at, double value) {
    if (type_ == Type::f32)
      static_cast<float*>(data_)[at] = static_cast<float>(value);
    else
      static_cast<__nv_bfloat16*>(data_)[at] = __float2bfloat16(static_cast<float>(value));
  }
  /// As the libraries' alpha and beta: value is alpha * value, plus beta times what is there unless beta is 0.
  void blend(std::int64_t at, double alpha, double value, double beta) {
    set(at, alpha * value + (beta == 0 ? 0 : beta * get(at)));
  }

 private:
  void* data_;
  Type type_;
};
/// A sum of products (set_summation_error).
class Sum {
 public:
  void add(double term) { value_ += term, size_ += std::abs(term); }
  /// `place`: among the results of one call.
  double result(std::uint64_t place) const;

 private:
  double value_ = 0, size_ = 0;
};
inline std::size_t bytes_of(Values::Type type) { return type == Values::Type::f32 ? 4 : 2; }

}  // namespace cuda_stand_in

namespace cuda_stand_in {

/// A piece of a stream's work, and its place in the stream's hardware queue.
struct StreamWork {
  std::function<void()> run;
  std::uint64_t ticket = 0;  ///< 0: without a queue
  bool waits = false;        ///< keeps its place until it ends, not until it begins
};

}  // namespace cuda_stand_in

struct CUstream_st {
  int device = 0;
  unsigned number = 0;  ///< of the device's streams
  std::deque<cuda_stand_in::StreamWork> work;
  bool ends = false, busy = false;
  CUgraph_st* captured = nullptr;  ///< what it is given becomes part of this
  std::thread thread;
};

struct CUevent_st {
  int device = 0;
  bool timed = false, captured = false;
  std::shared_ptr<cuda_stand_in::Mark> mark;
};
