// SPDX-License-Identifier: Apache-2.0
// The products of a half of a block, x + f(norm(x)): from the norm's output into heads or columns, and out of them. x
// and sums over ranks are floats. Values between products are of T: floats, or 16-bit values.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/products.hpp"
#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::cuda {

/// The partners have the other heads or columns. Their parts of a product out of them, and of the gradient of a product
/// into them, are summed.
template <class T>
class BlockProducts {
 public:
  /// `hidden`: the width of x; `sequence`: positions of a sample.
  BlockProducts(std::int64_t hidden, std::int64_t sequence, std::optional<layers::TensorParallelGroup> partners)
      : hidden_(hidden), sequence_(sequence), partners_(std::move(partners)) {}

  std::int64_t hidden() const { return hidden_; }
  std::int64_t rows(const tensor::Tensor& of_floats) const { return of_floats.samples() * sequence_; }

  /// Returns a tensor of floats, `width` per position.
  tensor::Tensor wide(const tensor::Tensor& like, std::int64_t width) const {
    return tensor::Tensor(like.memory(), like.samples(), sequence_ * width);
  }
  /// Returns a tensor of T, `width` values per position. Its own width is meaningless.
  tensor::Tensor inner(const tensor::Tensor& like, std::int64_t width) const {
    if constexpr (std::is_same_v<T, float>)
      return wide(like, width);
    else
      return make_bf16_buffer(like.memory(), rows(like) * width);
  }
  static T* values(tensor::Tensor& of_t) { return reinterpret_cast<T*>(of_t.data()); }
  static const T* values(const tensor::Tensor& of_t) { return reinterpret_cast<const T*>(of_t.data()); }
  static GemmOperand factor(const tensor::Tensor& of_t, std::int64_t rows, std::int64_t width) {
    return GemmOperand(of_t.memory(), values(of_t), {rows, width});
  }

  static GemmOperand weights(const tensor::Tensor& beside, const float* parameters, std::int64_t in, std::int64_t out) {
    return GemmOperand::of_weights(beside.memory(), parameters, {in, out});
  }

  /// A gradient between layers, of floats, and its values as T, which several products take.
  class Gradient {
   public:
    Gradient(const BlockProducts& of, CudaDevice& device, tensor::Tensor floats) : of_(of), floats_(std::move(floats)) {
      if constexpr (!std::is_same_v<T, float>) {
        rounded_ = of_.inner(floats_, of_.hidden_);
        convert(device.stream(), values(rounded_), std::as_const(floats_).data(), floats_.size());
      }
    }
    const tensor::Tensor& floats() const { return floats_; }
    GemmOperand factor() const {
      return BlockProducts::factor(rounded_.empty() ? floats_ : rounded_, of_.rows(floats_), of_.hidden_);
    }
    /// Returns the values as T, and releases the others.
    tensor::Tensor for_products() && {
      if (rounded_.empty()) return std::move(floats_);
      floats_.release();
      return std::move(rounded_);
    }

   private:
    const BlockProducts& of_;
    tensor::Tensor floats_, rounded_;  ///< rounded: empty if T is float
  };

  /// Returns, as T, in (rows x hidden) * weight (hidden x to) + bias, which may be null.
  tensor::Tensor into(CudaDevice& device, const tensor::Tensor& like, const tensor::Tensor& in, std::int64_t to,
                      const float* weight, const float* bias = nullptr) const {
    tensor::Tensor out = inner(like, to);
    product(device, {rows(like), hidden_, to}, values(out), factor(in, rows(like), hidden_),
            weights(like, weight, hidden_, to), bias);
    return out;
  }
  /// Returns, from T, in (rows x from) * weight (from x hidden), summed over the ranks, + bias, which may be null.
  tensor::Tensor out_of(CudaDevice& device, const tensor::Tensor& like, const tensor::Tensor& in, std::int64_t from,
                        const float* weight, const float* bias = nullptr) const {
    tensor::Tensor out = wide(like, hidden_);
    product(device, {rows(like), from, hidden_}, out.data(), factor(in, rows(like), from),
            weights(like, weight, from, hidden_), partners_ ? nullptr : bias);
    sum_up(out);
    if (partners_ && bias) add_bias(device.stream(), out.data(), bias, rows(out), hidden_);
    return out;
  }
  /// Returns this rank's part of the gradient of into's input, from its output's.
  tensor::Tensor into_backward(CudaDevice& device, const tensor::Tensor& like, const tensor::Tensor& gradient,
                               std::int64_t to, const float* weight) const {
    tensor::Tensor out = wide(like, hidden_);
    product_backward(device, {rows(like), hidden_, to}, out.data(), factor(gradient, rows(like), to),
                     weights(like, weight, hidden_, to));
    return out;
  }
  /// Returns, as T, the gradient of out_of's input, from its output's.
  tensor::Tensor out_of_backward(CudaDevice& device, const Gradient& gradient, std::int64_t from,
                                 const float* weight) const {
    const tensor::Tensor& like = gradient.floats();
    tensor::Tensor out = inner(like, from);
    product_backward(device, {rows(like), from, hidden_}, values(out), gradient.factor(),
                     weights(like, weight, from, hidden_));
    return out;
  }

  void sum_up(tensor::Tensor& tensor) const {
    if (partners_) partners_->all_reduce(tensor);
  }

 private:
  std::int64_t hidden_, sequence_;
  std::optional<layers::TensorParallelGroup> partners_;
};

}  // namespace pipedeck::runtime::cuda
