// SPDX-License-Identifier: Apache-2.0
// Between layers, and in most of them, values are 32-bit floats whatever the precision. Where it is bf16, products and
// convolutions take copies of their factors in 16 bits: made here, in the memory of the worker, and gone afterwards.
#pragma once

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/matmul.hpp"
#include "core/runtime/tensor.hpp"

namespace pipedeck::cuda {

/// A tensor with room for so many 16-bit values.
Tensor halves(const std::shared_ptr<DeviceMemory>& memory, std::int64_t count);

/// Values as a product takes them. Lives until the product is queued.
class Factor {
 public:
  /// Floats, rounded where the device's precision is bf16.
  Factor(const std::shared_ptr<DeviceMemory>& memory, const float* values, std::int64_t count);
  explicit Factor(const Tensor& tensor) : Factor(tensor.memory(), tensor.data(), tensor.size()) {}
  /// In 16 bits already.
  explicit Factor(const Bf16* values) : data_(values), element_(Element::bf16) {}

  const void* data() const { return data_; }
  Element element() const { return element_; }
  /// As a row-major matrix.
  DeviceMatrix matrix(std::int64_t stride) const { return {data_, stride, element_, false}; }
  DeviceMatrix transposed(std::int64_t stride) const { return {data_, stride, element_, true}; }

 private:
  Tensor copy_;
  const void* data_;
  Element element_;
};

/// Where a library that computes in the device's element writes what becomes a tensor of floats.
class Rounded {
 public:
  explicit Rounded(Tensor& to);
  void* data();
  /// After the library's work was queued.
  void finish();

 private:
  Tensor& to_;
  Tensor halves_;  ///< empty: it writes floats
};

}  // namespace pipedeck::cuda
