// SPDX-License-Identifier: Apache-2.0
// Values brought to a GPU and back, and how far two lists of them are apart.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/random.hpp"
#include "core/runtime/cuda/context.hpp"

namespace pipedeck::test {

inline std::vector<float> random_values(std::int64_t count, pipedeck::Random& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(2 * random.uniform() - 1);
  return values;
}

inline std::uint16_t bf16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
inline float of_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

inline std::vector<float> rounded(std::vector<float> values, runtime::cuda::Element element) {
  if (element == runtime::cuda::Element::bf16)
    for (float& value : values) value = of_bf16(bf16_of(value));
  return values;
}

/// A list of values in a device's memory, `offset` values behind an address that is aligned to 256 bytes.
class OnDevice {
 public:
  OnDevice(runtime::cuda::Context& context, std::int64_t count,
           runtime::cuda::Element element = runtime::cuda::Element::fp32, std::int64_t offset = 0)
      : context_(context), count_(static_cast<std::size_t>(count)), element_(element) {
    const std::size_t skipped = static_cast<std::size_t>(offset) * runtime::cuda::bytes_of(element);
    runtime::cuda::check(cudaMallocAsync(&block_, skipped + bytes(), context.stream()), "cudaMallocAsync");
    data_ = static_cast<char*>(block_) + skipped;
  }
  OnDevice(runtime::cuda::Context& context, const std::vector<float>& values,
           runtime::cuda::Element element = runtime::cuda::Element::fp32, std::int64_t offset = 0)
      : OnDevice(context, static_cast<std::int64_t>(values.size()), element, offset) {
    write(values);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { static_cast<void>(cudaFreeAsync(block_, context_.stream())); }

  void* data() { return data_; }
  float* floats() { return static_cast<float*>(data_); }
  runtime::cuda::Element element() const { return element_; }

  void write(const std::vector<float>& values) {
    std::vector<std::uint16_t> halves;
    const void* from = values.data();
    if (element_ == runtime::cuda::Element::bf16) {
      std::transform(values.begin(), values.end(), std::back_inserter(halves), bf16_of);
      from = halves.data();
    }
    runtime::cuda::check(cudaMemcpyAsync(data_, from, bytes(), cudaMemcpyHostToDevice, context_.stream()),
                         "cudaMemcpyAsync");
    runtime::cuda::check(cudaStreamSynchronize(context_.stream()), "cudaStreamSynchronize");
  }
  std::vector<float> read() const {
    std::vector<float> values(count_);
    std::vector<std::uint16_t> halves(element_ == runtime::cuda::Element::bf16 ? count_ : 0);
    void* const to = element_ == runtime::cuda::Element::bf16 ? static_cast<void*>(halves.data()) : values.data();
    runtime::cuda::check(cudaMemcpyAsync(to, data_, bytes(), cudaMemcpyDeviceToHost, context_.stream()),
                         "cudaMemcpyAsync");
    runtime::cuda::check(cudaStreamSynchronize(context_.stream()), "cudaStreamSynchronize");
    std::transform(halves.begin(), halves.end(), values.begin(), of_bf16);
    return values;
  }

 private:
  std::size_t bytes() const { return count_ * runtime::cuda::bytes_of(element_); }
  runtime::cuda::Context& context_;
  std::size_t count_;
  runtime::cuda::Element element_;
  void *block_ = nullptr, *data_ = nullptr;
};

/// The largest difference, in units of the largest expected value. Infinite where a value is none, or one is missing.
inline double apart(const std::vector<float>& found, const std::vector<float>& expected) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (found.size() != expected.size()) return infinite;
  double most = 0, largest = 1e-30;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!std::isfinite(found[i]) || !std::isfinite(expected[i])) return infinite;
    most = std::max(most, std::abs(double{found[i]} - double{expected[i]}));
    largest = std::max(largest, std::abs(double{expected[i]}));
  }
  return most / largest;
}

}  // namespace pipedeck::test
