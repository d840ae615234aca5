// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/row_products.hpp"

#include "core/runtime/cpu/matmul.hpp"

namespace pipedeck::runtime::cpu {

tensor::Tensor rows_like(const tensor::Tensor& like, std::int64_t from, std::int64_t to) {
  return tensor::Tensor(like.memory(), like.samples(), like.width() / from * to);
}

tensor::Tensor project(const tensor::Tensor& in, std::int64_t from, std::int64_t to, const float* weight) {
  tensor::Tensor out = rows_like(in, from, to);
  multiply(in.size() / from, to, from, {in.data(), from}, {weight, to}, out.data(), to);
  return out;
}

tensor::Tensor project_backward(const tensor::Tensor& gradient, std::int64_t from, std::int64_t to,
                                const float* weight) {
  tensor::Tensor out = rows_like(gradient, to, from);
  multiply(gradient.size() / to, from, to, {gradient.data(), to}, tensor::transpose(weight, to), out.data(), from);
  return out;
}

void add_project_backward(tensor::Tensor& sum, const tensor::Tensor& gradient, std::int64_t from, std::int64_t to,
                          const float* weight) {
  multiply(gradient.size() / to, from, to, {gradient.data(), to}, tensor::transpose(weight, to), sum.data(), from, 1);
}

void add_weight_gradient(float* sum, const tensor::Tensor& in, std::int64_t from, const tensor::Tensor& gradient,
                         std::int64_t to) {
  multiply(from, to, in.size() / from, tensor::transpose(in.data(), from), {gradient.data(), to}, sum, to, 1);
}

}  // namespace pipedeck::runtime::cpu
