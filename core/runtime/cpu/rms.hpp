// SPDX-License-Identifier: Apache-2.0
// Root-mean-square normalisation of a tensor's rows (Zhang and Sennrich, arXiv 1910.07467), for the layers that have
// one.
#pragma once

#include <cstdint>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/row_products.hpp"

namespace pipedeck::runtime::cpu {

/// Returns the epsilon of a layer's size.
inline float epsilon_of(std::int64_t billionths) { return static_cast<float>(1e-9 * static_cast<double>(billionths)); }

class Rms {
 public:
  Rms(std::int64_t width, float epsilon) : width_(width), epsilon_(epsilon) {}

  /// Returns the norm of `in`; `inverse` becomes its factors, one per row.
  tensor::Tensor forward(const tensor::Tensor& in, const float* gain, tensor::Tensor& inverse) const {
    tensor::Tensor out = in.empty_like();
    inverse = rows_like(in, width_, 1);
    rms_norm(out.data(), inverse.data(), in.data(), gain, epsilon_, rows(in), width_);
    return out;
  }

  /// Adds to the gradient of `in`, unless that is empty, and to that of the gains.
  void backward(tensor::Tensor& in_gradient, float* gain_gradient, const tensor::Tensor& out_gradient,
                const tensor::Tensor& in, const tensor::Tensor& inverse, const float* gain) const {
    rms_norm_backward(in_gradient.data(), gain_gradient, out_gradient.data(), in.data(), inverse.data(), gain, rows(in),
                      width_);
  }

 private:
  std::int64_t rows(const tensor::Tensor& tensor) const { return tensor.size() / width_; }

  std::int64_t width_;
  float epsilon_;
};

}  // namespace pipedeck::runtime::cpu
