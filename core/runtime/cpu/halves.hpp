// SPDX-License-Identifier: Apache-2.0
// The halves of decoder blocks, whole or as a rank's shard (Megatron-LM, arXiv 1909.08053, section 3): products into
// heads or columns are sharded by columns, products out of them by rows. The outputs of the latter are summed, and the
// input gradients of the former. With sequence parallelism (arXiv 2205.05198, section 4.2.2) norms and residuals are of
// the rank's tokens: all-gathers and reduce-scatters take the place of the sums.
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
/// shard. Its parameters begin with the norm's gains. A tensor of tokens is whole, or has the rank's tokens.
class NormedHalf : public layers::BlockHalf {
 public:
  NormedHalf(std::int64_t sequence, std::int64_t hidden, float epsilon, std::int64_t parameters,
             std::optional<layers::TensorParallelGroup> partners)
      : layers::BlockHalf(own_positions(sequence, partners) * hidden, own_positions(sequence, partners) * hidden,
                          parameters),
        sequence_(sequence),
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
    tensor::Tensor output;
    if (computes_own_tokens()) {
      output = compute(parameters.data(), s[normal], s);
    } else {
      output = compute(parameters.data(), *all_tokens(s[normal]), s);
      sum_tokens(output);
    }
    add(output.data(), s[x].data(), output.size());
    return output;
  }

  /// Restores a half by its whole forward if it kept nothing but its input, and otherwise the parts that it discarded.
  void restore(layers::SavedTensors& saved, std::span<const float> parameters,
               const layers::RecomputedParts& parts) const override {
    auto& s = saved.tensors;
    if (s[inverse].empty()) {
      forward(std::move(s[x]), parameters, saved);
      return;
    }
    if (s[normal].empty()) s[normal] = norm_.forward(s[x], parameters.data(), s[inverse]);
    restore_parts(parameters.data(), s, parts);
  }

 protected:
  /// Restores what the half has discarded of its own tensors.
  virtual void restore_parts(const float* p, std::vector<tensor::Tensor>& s,
                             const layers::RecomputedParts& parts) const {
    static_cast<void>(p), static_cast<void>(s), static_cast<void>(parts);
  }
  static void keep_only_input(std::vector<tensor::Tensor>& s) {
    for (std::size_t i = x + 1; i < s.size(); ++i) s[i].release();
  }

  /// The first tensors that forward saves; a half's own ones begin at `first_own`.
  enum Saved : std::size_t { x, inverse, normal, first_own };

  /// Draws the parameters of a half that is no shard.
  virtual void draw(std::span<float> parameters, Random random) const = 0;
  /// Returns true if compute() takes and returns the rank's tokens, and all of their output.
  virtual bool computes_own_tokens() const { return false; }
  /// Returns the rank's part of the output for all tokens without the residual. `in`: the norm's output.
  virtual tensor::Tensor compute(const float* p, const tensor::Tensor& in, std::vector<tensor::Tensor>& s) const = 0;

  void set_whole(std::unique_ptr<NormedHalf> whole, std::vector<layers::ParameterBlock> blocks) {
    whole_ = std::move(whole), blocks_ = std::move(blocks);
  }
  void sum_up(tensor::Tensor& tensor) const {
    if (partners_) partners_->all_reduce(tensor);
  }

  /// A tensor of all tokens: the one that the rank has, or gathered from the ranks.
  struct AllTokens {
    const tensor::Tensor* whole;
    tensor::Tensor gathered;
    const tensor::Tensor& operator*() const { return whole ? *whole : gathered; }
  };
  AllTokens all_tokens(const tensor::Tensor& own) const {
    if (!divides_tokens()) return {&own, {}};
    return {nullptr, partners_->gather_positions(own, sequence_)};
  }
  /// Sums a tensor of all tokens over the ranks, and leaves the rank's tokens.
  void sum_tokens(tensor::Tensor& tensor) const {
    if (!divides_tokens()) return sum_up(tensor);
    tensor = partners_->reduce_scatter_positions(tensor, sequence_);
  }
  /// Leaves the rank's tokens of a tensor that all ranks have.
  void keep_own_tokens(tensor::Tensor& tensor) const {
    if (divides_tokens()) tensor = partners_->scatter_positions(tensor, sequence_);
  }
  /// Replaces the gradient of the rank's tokens by that of all. Returns that of the rank's tokens; empty if it has all.
  tensor::Tensor gather_gradient(tensor::Tensor& dy) const {
    if (!divides_tokens()) return {};
    tensor::Tensor own = std::move(dy);
    dy = partners_->gather_positions(own, sequence_);
    return own;
  }

  /// Returns the gradient of the input, empty if it is not `wanted`, from that of the norm's output, both of the rank's
  /// tokens. Adds to the gradient of the gains.
  tensor::Tensor input_gradient(const tensor::Tensor& dy, const tensor::Tensor& dnormal, const float* p,
                                const std::vector<tensor::Tensor>& s, tensor::Tensor& gains, bool wanted) const {
    tensor::Tensor dx;
    if (wanted) dx = dy.slice(0, dy.samples(), dy.memory());
    norm_.backward(dx, gains.data(), dnormal, s[x], s[inverse], p);
    if (divides_tokens()) partners_->all_reduce(gains.values().first(static_cast<std::size_t>(hidden_)));
    return dx;
  }
  void add_gain_gradient(float* g, const tensor::Tensor& gains) const { add(g, gains.data(), hidden_); }

  /// Leaves these tensors for backward_weight alone.
  template <std::size_t Count>
  static void leave(std::vector<tensor::Tensor>& s, std::array<tensor::Tensor, Count> left) {
    s.assign(std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  }

  bool divides_tokens() const { return partners_ && partners_->shard().tokens; }
  const layers::TensorParallelGroup& partners() const { return *partners_; }

 private:
  static std::int64_t own_positions(std::int64_t sequence, const std::optional<layers::TensorParallelGroup>& partners) {
    return partners && partners->shard().tokens ? partners->local_positions(sequence).count : sequence;
  }

  std::int64_t sequence_, hidden_;
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
/// Some heads on each rank; the narrow vectors are replicated.
Result<std::unique_ptr<layers::BlockHalf>> make_latent_attention_half(const ModelLayer& layer,
                                                                      const layers::LayerSharding* sharding,
                                                                      const layers::ContextShard* context = nullptr);
MakeHalf make_feed_forward_half;  ///< gated; some columns on each rank
/// Some columns of each expert on each rank. With `shard`: some experts, or columns of them, on each rank of its group.
/// With `context`: some positions of every sample.
Result<std::unique_ptr<layers::BlockHalf>> make_experts_half(const ModelLayer& layer,
                                                             const layers::LayerSharding* sharding,
                                                             const layers::ExpertShard* shard = nullptr,
                                                             const layers::ContextShard* context = nullptr);

}  // namespace pipedeck::runtime::cpu
