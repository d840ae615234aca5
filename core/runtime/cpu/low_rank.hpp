// SPDX-License-Identifier: Apache-2.0
// Passes of low-rank adapters (layers/adapters.hpp) on rows of values: v = x A, y += s v B and, from the gradient dy of
// the output, u = s dy B^T, dx += u A^T, dA = x^T u, dB = s v^T dy.
#pragma once

#include <cstdint>
#include <span>

#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cpu {

using layers::HalfWeights;

/// The first row of each product's rows, and the end. A single product has all rows.
using ProductEnds = std::span<const std::int64_t>;

/// Returns v, of `narrow()` values a row.
tensor::Tensor narrow_rows(const layers::AdapterPlace& place, const HalfWeights& p, const tensor::Tensor& in,
                           ProductEnds first);
/// Adds s v B to the product's output.
void add_adapted(const layers::AdapterPlace& place, const HalfWeights& p, tensor::Tensor& out,
                 const tensor::Tensor& narrow, ProductEnds first);
/// Returns u, of `narrow()` values a row.
tensor::Tensor narrow_gradient(const layers::AdapterPlace& place, const HalfWeights& p, const tensor::Tensor& dy,
                               ProductEnds first);
/// Adds u A^T to the gradient of the product's input.
void add_adapter_input_gradient(const layers::AdapterPlace& place, const HalfWeights& p, tensor::Tensor& dx,
                                const tensor::Tensor& narrow, ProductEnds first);
/// Adds the gradients of A and B, from the product's input, the gradient of its output, v and u.
void add_adapter_gradients(const layers::AdapterPlace& place, float* gradients, const tensor::Tensor& in,
                           const tensor::Tensor& dy, const tensor::Tensor& v, const tensor::Tensor& u,
                           ProductEnds first);

}  // namespace pipedeck::runtime::cpu
