// SPDX-License-Identifier: Apache-2.0
// Products of a tensor's rows with a matrix of weights (from x to), as the halves of a block use them.
#pragma once

#include <cstdint>

#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cpu {

/// Returns a tensor of the samples of `like`, whose rows of `from` values become rows of `to` values.
tensor::Tensor rows_like(const tensor::Tensor& like, std::int64_t from, std::int64_t to);

/// Returns in * weight.
tensor::Tensor project(const tensor::Tensor& in, std::int64_t from, std::int64_t to, const float* weight);

/// Returns the gradient of project's input, from that of its output.
tensor::Tensor project_backward(const tensor::Tensor& gradient, std::int64_t from, std::int64_t to,
                                const float* weight);
/// Adds the gradient of project's input to `sum`.
void add_project_backward(tensor::Tensor& sum, const tensor::Tensor& gradient, std::int64_t from, std::int64_t to,
                          const float* weight);

/// Adds the gradient of the weights, from project's input and the gradient of its output.
void add_weight_gradient(float* sum, const tensor::Tensor& in, std::int64_t from, const tensor::Tensor& gradient,
                         std::int64_t to);

}  // namespace pipedeck::runtime::cpu
