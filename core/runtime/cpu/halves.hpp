// SPDX-License-Identifier: Apache-2.0
// The halves of decoder blocks, whole or as a rank's shard (Megatron-LM, arXiv 1909.08053, section 3): products into
// heads or columns are sharded by columns, products out of them by rows. The outputs of the latter are summed, and the
// input gradients of the former.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/rms.hpp"
#include "core/runtime/layers/block_halves.hpp"
#include "core/runtime/layers/sharding.hpp"

namespace pipedeck::runtime::cpu {

/// A half with the parts that all of them have: norm, sum over the ranks, residual, and the whole of which it is a
/// shard. Its parameters begin with the norm's gains.
class NormedHalf : public layers::BlockHalf {
 public:
  NormedHalf(std::int64_t sequence, std::int64_t hidden, float epsilon, std::int64_t parameters,
             std::optional<layers::TensorParallelGroup> partners)
      : layers::BlockHalf(sequence * hidden, sequence * hidden, parameters),
        hidden_(hidden),
        norm_(hidden, epsilon),
        partners_(std::move(partners)) {}

  std::int64_t replicated_parameters() const override { return whole_ ? whole_->parameters() : parameters(); }
  std::vector<layers::ParameterBlock> blocks() const override {
    return whole_ ? blocks_ : layers::LayerKernel::blocks();
  }
  void initialise(std::span<float> parameters, Random random) const override {
    whole_ ? layers::initialise_part(*whole_, blocks_, parameters, random) : draw(parameters, random);
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    saved.tensors.resize(forward_tensors());
    auto& s = saved.tensors;
    s[x] = std::move(input);
    s[normal] = norm_.forward(s[x], parameters.data(), s[inverse]);
    tensor::Tensor output = compute(parameters.data(), s);
    sum_up(output);
    add(output.data(), s[x].data(), output.size());
    return output;
  }

 protected:
  /// The first tensors that forward saves; a half's own ones begin at `first_own`.
  enum Saved : std::size_t { x, inverse, normal, first_own };

  /// Draws the parameters of a half that is no shard.
  virtual void draw(std::span<float> parameters, Random random) const = 0;
  /// Returns the rank's part of the output without the residual, from s[normal].
  virtual tensor::Tensor compute(const float* p, std::vector<tensor::Tensor>& s) const = 0;

  void set_whole(std::unique_ptr<NormedHalf> whole, std::vector<layers::ParameterBlock> blocks) {
    whole_ = std::move(whole), blocks_ = std::move(blocks);
  }
  void sum_up(tensor::Tensor& tensor) const {
    if (partners_) partners_->all_reduce(tensor);
  }

  /// Returns the gradient of the input, empty if it is not `wanted`, from that of the norm's output. Adds to the
  /// gradient of the gains.
  tensor::Tensor input_gradient(const tensor::Tensor& dy, const tensor::Tensor& dnormal, const float* p,
                                const std::vector<tensor::Tensor>& s, tensor::Tensor& gains, bool wanted) const {
    tensor::Tensor dx;
    if (wanted) dx = dy.slice(0, dy.samples(), dy.memory());
    norm_.backward(dx, gains.data(), dnormal, s[x], s[inverse], p);
    return dx;
  }
  void add_gain_gradient(float* g, const tensor::Tensor& gains) const { add(g, gains.data(), hidden_); }

  /// Leaves these tensors for backward_weight alone.
  template <std::size_t Count>
  static void leave(std::vector<tensor::Tensor>& s, std::array<tensor::Tensor, Count> left) {
    s.assign(std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  }

 private:
  std::int64_t hidden_;
  Rms norm_;
  std::optional<layers::TensorParallelGroup> partners_;
  std::unique_ptr<NormedHalf> whole_;  ///< of a shard
  std::vector<layers::ParameterBlock> blocks_;
};

/// Each makes the kernel of a layer's sizes; with `sharding`, a rank's shard of it. bad_input names a size that does
/// not fit, or a count that cannot be cut over the ranks.
using MakeHalf = Result<std::unique_ptr<layers::BlockHalf>>(const ModelLayer& layer,
                                                            const layers::LayerSharding* sharding);

/// Grouped heads, rotary positions; some key-value heads on each rank. With `context`: some positions of every sample.
Result<std::unique_ptr<layers::BlockHalf>> make_attention_half(const ModelLayer& layer,
                                                               const layers::LayerSharding* sharding,
                                                               const layers::ContextShard* context = nullptr);
MakeHalf make_latent_attention_half;  ///< some heads on each rank; the narrow vectors are replicated
MakeHalf make_feed_forward_half;      ///< gated; some columns on each rank
/// Some columns of each expert on each rank. With `shard`: some experts, or columns of them, on each rank of its group.
Result<std::unique_ptr<layers::BlockHalf>> make_experts_half(const ModelLayer& layer,
                                                             const layers::LayerSharding* sharding,
                                                             const layers::ExpertShard* shard = nullptr);

}  // namespace pipedeck::runtime::cpu
