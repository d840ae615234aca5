// SPDX-License-Identifier: Apache-2.0
// Between layers, and within most of them, values are 32-bit floats for every precision. With bf16, products and
// convolutions take 16-bit copies of their factors. These are created here, temporarily, in the worker's memory.
#pragma once

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/matmul.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cuda {

/// Returns a tensor with room for `count` 16-bit values.
tensor::Tensor make_bf16_buffer(const std::shared_ptr<tensor::DeviceMemory>& memory, std::int64_t count);

/// An operand of a product. It must live until the product is enqueued.
class GemmOperand {
 public:
  /// Creates an operand from floats, rounded if the device's precision is bf16.
  GemmOperand(const std::shared_ptr<tensor::DeviceMemory>& memory, const float* values, std::int64_t count);
  explicit GemmOperand(const tensor::Tensor& tensor) : GemmOperand(tensor.memory(), tensor.data(), tensor.size()) {}
  /// Creates an operand from 16-bit values.
  explicit GemmOperand(const Bf16* values) : data_(values), element_(Element::bf16) {}

  const void* data() const { return data_; }
  Element element() const { return element_; }
  /// Returns a row-major matrix.
  DeviceMatrix matrix(std::int64_t stride) const { return {data_, stride, element_, false}; }
  DeviceMatrix transposed(std::int64_t stride) const { return {data_, stride, element_, true}; }

 private:
  tensor::Tensor copy_;
  const void* data_;
  Element element_;
};

/// A buffer for a library that computes in the device's element, converted to a tensor of floats.
class Bf16Copy {
 public:
  explicit Bf16Copy(tensor::Tensor& to);
  void* data();
  /// Converts the result. Called after the library's work was enqueued.
  void finish();

 private:
  tensor::Tensor& to_;
  tensor::Tensor halves_;  ///< empty: the library writes floats
};

}  // namespace pipedeck::runtime::cuda
