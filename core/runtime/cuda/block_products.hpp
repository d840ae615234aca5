// SPDX-License-Identifier: Apache-2.0
// The products of a half of a block, x + f(norm(x)): from the norm's output into heads or columns, and out of them. x
// and sums over ranks are floats. Values between products are of T: floats, or 16-bit values. With sequence parallelism
// (arXiv 2205.05198, section 4.2.2) x and the norm's output are of the rank's tokens: products take those of all ranks.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/products.hpp"
#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::cuda {

/// The partners have the other heads or columns. Their parts of a product out of them, and of the gradient of a product
/// into them, are summed, or reduce-scattered where each has some tokens.
template <class T>
class BlockProducts {
 public:
  /// `hidden`: the width of x; `sequence`: positions of a sample.
  BlockProducts(std::int64_t hidden, std::int64_t sequence, std::optional<layers::TensorParallelGroup> partners)
      : hidden_(hidden), sequence_(sequence), partners_(std::move(partners)) {}

  std::int64_t hidden() const { return hidden_; }
  std::int64_t rows(const tensor::Tensor& of_floats) const { return of_floats.samples() * sequence_; }
  bool divides_tokens() const { return partners_ && partners_->shard().tokens; }
  /// Returns the rank's rows between products.
  std::int64_t own_rows(const tensor::Tensor& like) const { return like.samples() * own_positions(); }

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
  /// Does the same as wide and inner for the rank's tokens. Samples of 16-bit values begin at whole floats.
  tensor::Tensor own_wide(const tensor::Tensor& like, std::int64_t width) const {
    return tensor::Tensor(like.memory(), like.samples(), own_positions() * width);
  }
  tensor::Tensor own_inner(const tensor::Tensor& like, std::int64_t width) const {
    if (!divides_tokens()) return inner(like, width);
    if constexpr (std::is_same_v<T, float>)
      return own_wide(like, width);
    else
      return tensor::Tensor(like.memory(), like.samples(), (own_positions() * width + 1) / 2);
  }
  static T* values(tensor::Tensor& of_t) { return reinterpret_cast<T*>(of_t.data()); }
  static const T* values(const tensor::Tensor& of_t) { return reinterpret_cast<const T*>(of_t.data()); }
  static GemmOperand factor(const tensor::Tensor& of_t, std::int64_t rows, std::int64_t width) {
    return GemmOperand(of_t.memory(), values(of_t), {rows, width});
  }

  static GemmOperand weights(const tensor::Tensor& beside, const float* parameters, std::int64_t in, std::int64_t out) {
    return GemmOperand::of_weights(beside.memory(), parameters, {in, out});
  }

  /// Returns rms(x) as T of the rank's tokens. `inverse` becomes the factor of each row.
  tensor::Tensor rms(CudaDevice& device, const tensor::Tensor& x, tensor::Tensor& inverse, const float* gains,
                     float epsilon) const {
    tensor::Tensor normal = own_inner(x, hidden_);
    inverse = own_wide(x, 1);
    rms_norm(device.stream(), values(normal), inverse.data(), x.data(), gains, epsilon, own_rows(x), hidden_);
    return normal;
  }
  /// Returns the gradient of x in x + f(rms(x)), empty if it is not `wanted`, from dy and that of rms(x), both of the
  /// rank's tokens. `of_gains` becomes the gradient of the gains, of all tokens if it is used: `trains`.
  tensor::Tensor rms_backward(CudaDevice& device, const tensor::Tensor& dy, const tensor::Tensor& dnormal,
                              const tensor::Tensor& x, const tensor::Tensor& inverse, const float* gains,
                              tensor::Tensor& of_gains, bool wanted, bool trains = true) const {
    of_gains = tensor::Tensor::zeros(dy.memory(), 1, hidden_);
    tensor::Tensor dx;
    if (wanted) dx = dy.empty_like();
    rms_norm_backward(device.stream(), dx.data(), dy.data(), of_gains.data(), dnormal.data(), x.data(), inverse.data(),
                      gains, device.context().workspace(column_sums_scratch(own_rows(dy), hidden_)), own_rows(dy),
                      hidden_);
    if (trains) sum_own_gradients(of_gains);
    return dx;
  }

  /// Returns the hidden values of all tokens, as T, from those of the rank's tokens, which own_inner made. Two 16-bit
  /// values travel as one float if rows are of whole floats.
  tensor::Tensor gathered(CudaDevice& device, const tensor::Tensor& own) const {
    if constexpr (!std::is_same_v<T, float>) {
      if (hidden_ % 2 != 0) {
        tensor::Tensor floats = own_wide(own, hidden_);
        convert(device.stream(), floats.data(), values(own), floats.size());
        const tensor::Tensor all = partners_->gather_positions(floats, sequence_);
        tensor::Tensor rounded = inner(all, hidden_);
        convert(device.stream(), values(rounded), all.data(), all.size());
        return rounded;
      }
    }
    return partners_->gather_positions(own, sequence_);
  }
  /// Returns `own` if the rank has all tokens, otherwise `room`, which becomes those of all ranks.
  const tensor::Tensor& all_tokens(CudaDevice& device, const tensor::Tensor& own, tensor::Tensor& room) const {
    if (!divides_tokens()) return own;
    room = gathered(device, own);
    return room;
  }

  /// A gradient between layers, of floats, and its values as T of all tokens, which several products take.
  class Gradient {
   public:
    Gradient(const BlockProducts& of, CudaDevice& device, tensor::Tensor floats) : of_(of), floats_(std::move(floats)) {
      if constexpr (!std::is_same_v<T, float>) {
        rounded_ = of_.own_inner(floats_, of_.hidden_);
        convert(device.stream(), values(rounded_), std::as_const(floats_).data(), floats_.size());
      }
      if (of_.divides_tokens()) rounded_ = of_.gathered(device, rounded_.empty() ? floats_ : rounded_);
    }
    const tensor::Tensor& floats() const { return floats_; }
    GemmOperand factor() const {
      return BlockProducts::factor(rounded_.empty() ? floats_ : rounded_, of_.rows(floats_), of_.hidden_);
    }
    /// Returns the values as T of all tokens, and releases the others.
    tensor::Tensor for_products() && {
      if (rounded_.empty()) return std::move(floats_);
      floats_.release();
      return std::move(rounded_);
    }

   private:
    const BlockProducts& of_;
    tensor::Tensor floats_, rounded_;  ///< rounded: empty if T is float and the rank has all tokens
  };

  /// Returns, as T, in (rows x hidden) * weight (hidden x to) + bias, which may be null.
  tensor::Tensor into(CudaDevice& device, const tensor::Tensor& like, const tensor::Tensor& in, std::int64_t to,
                      const float* weight, const float* bias = nullptr) const {
    tensor::Tensor out = inner(like, to);
    product(device, {rows(like), hidden_, to}, values(out), factor(in, rows(like), hidden_),
            weights(like, weight, hidden_, to), bias);
    return out;
  }
  /// Returns, from T, in (rows x from) * weight (from x hidden) + bias, which may be null: this rank's part.
  tensor::Tensor part_out_of(CudaDevice& device, const tensor::Tensor& like, const tensor::Tensor& in,
                             std::int64_t from, const float* weight, const float* bias = nullptr) const {
    tensor::Tensor out = wide(like, hidden_);
    product(device, {rows(like), from, hidden_}, out.data(), factor(in, rows(like), from),
            weights(like, weight, from, hidden_), bias);
    return out;
  }
  /// Returns, from T, in (rows x from) * weight (from x hidden), summed over the ranks, + bias, which may be null, of
  /// the rank's tokens.
  tensor::Tensor out_of(CudaDevice& device, const tensor::Tensor& like, const tensor::Tensor& in, std::int64_t from,
                        const float* weight, const float* bias = nullptr) const {
    tensor::Tensor out = part_out_of(device, like, in, from, weight, partners_ ? nullptr : bias);
    sum_tokens(out);
    if (partners_ && bias) add_bias(device.stream(), out.data(), bias, own_rows(out), hidden_);
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

  /// Returns rows of floats of all tokens from those of the rank's tokens.
  tensor::Tensor all_rows(tensor::Tensor own) const {
    return divides_tokens() ? partners_->gather_positions(own, sequence_) : std::move(own);
  }
  void sum_up(tensor::Tensor& tensor) const {
    if (partners_) partners_->all_reduce(tensor);
  }
  /// Sums floats of all tokens over the ranks, and leaves the rank's tokens.
  void sum_tokens(tensor::Tensor& tensor) const {
    if (!divides_tokens()) return sum_up(tensor);
    tensor = partners_->reduce_scatter_positions(tensor, sequence_);
  }
  /// Sums the gradient of a norm's weights, which each rank has of its tokens.
  void sum_own_gradients(tensor::Tensor& of_norms) const {
    if (divides_tokens()) sum_up(of_norms);
  }

 private:
  std::int64_t own_positions() const {
    return divides_tokens() ? partners_->local_positions(sequence_).count : sequence_;
  }

  std::int64_t hidden_, sequence_;
  std::optional<layers::TensorParallelGroup> partners_;
};

}  // namespace pipedeck::runtime::cuda
