// SPDX-License-Identifier: Apache-2.0
// Calls kernels on memory between guards, in several orders of their threads, and compares with references.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::test {

// Where the tests run: memory_on_host.cpp or memory_on_gpu.cpp.
/// Empty where they can.
std::string why_no_device();
void* allocate_on_device(std::size_t bytes);
void free_on_device(void* memory) noexcept;
void upload(void* to, const void* from, std::size_t bytes);
/// After everything that was queued.
void download(void* to, const void* from, std::size_t bytes);
/// Calls `run` once for each order in which threads can be made to run.
void in_every_order(const std::function<void()>& run);

/// Values on the device. Adjacent values are NaN: a read of them shows in the result, a write is detected.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values, std::size_t apart_from_aligned = 0)
      : count_(values.size()), lead_(guard + apart_from_aligned), bytes_((values.size() + lead_ + guard) * sizeof(T)) {
    std::vector<unsigned char> whole(bytes_, 0xff);
    std::memcpy(whole.data() + lead_ * sizeof(T), values.data(), values.size() * sizeof(T));
    memory_ = allocate_on_device(bytes_);
    upload(memory_, whole.data(), bytes_);
  }
  ~OnDevice() { free_on_device(memory_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  T* data() { return static_cast<T*>(memory_) + lead_; }

  /// Throws where a guard was written.
  std::vector<T> values() const {
    std::vector<unsigned char> whole(bytes_);
    download(whole.data(), memory_, bytes_);
    const std::size_t first = lead_ * sizeof(T), end = first + count_ * sizeof(T);
    for (std::size_t i = 0; i < bytes_; ++i)
      if ((i < first || i >= end) && whole[i] != 0xff) throw std::runtime_error("a kernel wrote outside its arrays");
    std::vector<T> values(count_);
    std::memcpy(values.data(), whole.data() + first, count_ * sizeof(T));
    return values;
  }

 private:
  static constexpr std::size_t guard = 64;
  std::size_t count_, lead_, bytes_;
  void* memory_ = nullptr;
};

inline double to_double(float value) { return static_cast<double>(value); }
inline double to_double(double value) { return value; }
inline double to_double(runtime::cuda::Bf16 value) { return static_cast<double>(__bfloat162float(value)); }

template <class T>
std::vector<T> rounded_to(const std::vector<double>& values) {
  std::vector<T> rounded;
  rounded.reserve(values.size());
  for (const double value : values) {
    if constexpr (sizeof(T) == 2)
      rounded.push_back(__float2bfloat16_rn(static_cast<float>(value)));
    else
      rounded.push_back(static_cast<T>(value));
  }
  return rounded;
}

template <class T>
std::vector<double> doubles(const std::vector<T>& values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const T value : values) result.push_back(to_double(value));
  return result;
}

/// Random numbers of another seed in every run; PIPEDECK_TEST_SEED gives one again.
class Fresh {
 public:
  Fresh();
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
  }
  std::vector<double> normal(std::int64_t count, double deviation = 1) {
    std::normal_distribution<double> draw(0, deviation);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = draw(engine_);
    return values;
  }
  /// Values that T can hold.
  template <class T>
  std::vector<T> of(std::int64_t count, double deviation = 1) {
    return rounded_to<T>(normal(count, deviation));
  }
  std::string seed_text() const { return "PIPEDECK_TEST_SEED=" + std::to_string(seed_); }

 private:
  std::uint64_t seed_;
  std::mt19937_64 engine_;
};

template <class T>
constexpr double tolerance() {
  return sizeof(T) == 2 ? 1e-2 : 1e-5;
}

/// Empty, or where `found` is further from `expected` than `tolerance` times the larger of the value and the root mean
/// square of all, or than 0.1 where both are less.
std::string difference(const std::vector<double>& found, const std::vector<double>& expected, double tolerance);

template <class T>
std::string difference(const std::vector<T>& found, const std::vector<double>& expected, double tolerance) {
  return difference(doubles(found), expected, tolerance);
}

/// The length of found - expected, by that of expected.
double distance(const std::vector<double>& found, const std::vector<double>& expected);

inline std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

/// Throws where values differ by more than `allowed` (difference).
template <class T>
void expect(const char* what, const std::vector<T>& found, const std::vector<double>& expected, double allowed) {
  const std::string apart = difference(found, expected, allowed);
  if (!apart.empty()) throw std::runtime_error(std::string(what) + ": " + apart);
}

using Bytes = std::vector<unsigned char>;

/// Returns the result of a call, byte for byte.
template <class... T>
Bytes bytes_of(const std::vector<T>&... lists) {
  Bytes bytes;
  const auto append = [&](const auto& list) {
    const auto* from = reinterpret_cast<const unsigned char*>(list.data());
    bytes.insert(bytes.end(), from, from + list.size() * sizeof(list[0]));
  };
  (append(lists), ...);
  return bytes;
}

/// `run` calls kernels on fresh arrays and returns the bytes of all it got. Throws where two orders give other bytes.
void same_in_every_order(const std::function<Bytes()>& run);

}  // namespace pipedeck::test
