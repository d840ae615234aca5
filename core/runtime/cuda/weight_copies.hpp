// SPDX-License-Identifier: Apache-2.0
// Copies of weights that stay between passes: all of them in 16 bits, which the optimizer's kernel writes, and matrices
// of odd widths with rows at multiples of 16 bytes, which are made once per step.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/precision.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cuda {

class CudaDevice;
struct MatrixRows;

/// A list of the copies that a device's weights have. Only the worker's thread uses it.
class WeightCopies {
 public:
  explicit WeightCopies(CudaDevice& device) : device_(device) {}
  WeightCopies(const WeightCopies&) = delete;
  WeightCopies& operator=(const WeightCopies&) = delete;

  /// Returns a copy of these weights, which is found until it is destroyed.
  std::unique_ptr<tensor::WeightCopy> make(const tensor::Tensor& weights);

  /// Returns `count` weights in 16 bits; null if there is no copy, or it is not up to date.
  const Bf16* rounded(const float* weights, std::int64_t count) const;
  /// Returns the rows of a matrix of weights in the device's element, with the pitch of row_pitch; null if there is no
  /// copy of these weights. The first call makes the copy of the rows, unless during a capture.
  const void* rows(const float* weights, const MatrixRows& of);
  /// Returns where an update of `count` weights writes them in 16 bits, or null, and notes that they change.
  Bf16* begin_update(const float* weights, std::int64_t count);
  /// Returns the bytes of all copies.
  Bytes bytes() const;

 private:
  class Copy;
  Copy* find(const float* weights, std::int64_t count) const;

  CudaDevice& device_;
  std::vector<Copy*> copies_;
};

}  // namespace pipedeck::runtime::cuda
