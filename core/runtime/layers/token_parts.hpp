// SPDX-License-Identifier: Apache-2.0
// Sequence parallelism (Korthikanti et al., arXiv 2205.05198, section 4.2.2): between layers each tensor-parallel rank
// has a range of the tokens of every sample. Where a layer before or after can't have that, tensors are whole there.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::layers {

/// Returns true for layers that treat each token by itself and whose backward_input leaves the gradient of their
/// parameters as the only tensor.
inline bool is_norm(const ModelLayer& layer) { return layer.kind == "layer_norm" || layer.kind == "rms_norm"; }

/// A layer of some tokens at an end of the layers that have them: the tensor there is whole. A norm's gradients are
/// those of the rank's tokens, and are summed over the ranks.
class TokenPart final : public LayerKernel {
 public:
  struct Ends {
    bool whole_input = false, whole_output = false, norm = false;
    bool any() const { return whole_input || whole_output || norm; }
  };
  TokenPart(std::unique_ptr<LayerKernel> inner, TensorParallelGroup partners, std::int64_t sequence, Ends ends)
      : LayerKernel(width(inner->input_width(), partners, sequence, ends.whole_input),
                    width(inner->output_width(), partners, sequence, ends.whole_output), inner->parameters()),
        inner_(std::move(inner)),
        partners_(std::move(partners)),
        sequence_(sequence),
        ends_(ends) {}

  std::int64_t replicated_parameters() const override { return inner_->replicated_parameters(); }
  std::vector<ParameterBlock> blocks() const override { return inner_->blocks(); }
  std::int64_t expert_parameters() const override { return inner_->expert_parameters(); }
  BalancedBiases balanced_biases() const override { return inner_->balanced_biases(); }
  void initialise(std::span<float> parameters, Random random) const override { inner_->initialise(parameters, random); }
  std::int64_t frozen_parameters() const override { return inner_->frozen_parameters(); }
  std::int64_t replicated_frozen_parameters() const override { return inner_->replicated_frozen_parameters(); }
  std::vector<ParameterBlock> frozen_blocks() const override { return inner_->frozen_blocks(); }
  std::int64_t frozen_expert_parameters() const override { return inner_->frozen_expert_parameters(); }
  void initialise_frozen(std::span<float> weights, Random random) const override {
    inner_->initialise_frozen(weights, random);
  }

  /// Saves the rank's tokens of the input, which suffice to run it again.
  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters, SavedTensors& saved) const override {
    if (input.width() != inner_->input_width()) input = partners_.scatter_positions(input, sequence_);
    tensor::Tensor output = inner_->forward(std::move(input), parameters, saved);
    return ends_.whole_output ? partners_.gather_positions(output, sequence_) : std::move(output);
  }

  void discard(SavedTensors& saved, const RecomputedParts& parts) const override { inner_->discard(saved, parts); }
  void restore(SavedTensors& saved, std::span<const float> parameters, const RecomputedParts& parts) const override {
    inner_->restore(saved, parameters, parts);
  }

  tensor::Tensor backward_input(tensor::Tensor gradient, std::span<const float> parameters, SavedTensors& saved,
                                bool wanted) const override {
    if (ends_.whole_output) gradient = partners_.scatter_positions(gradient, sequence_);
    tensor::Tensor given = inner_->backward_input(std::move(gradient), parameters, saved, wanted);
    if (ends_.norm && inner_->parameters() > 0) partners_.all_reduce(saved.tensors.front());
    return ends_.whole_input && !given.empty() ? partners_.gather_positions(given, sequence_) : std::move(given);
  }

  void backward_weight(SavedTensors& saved, std::span<float> gradients) const override {
    inner_->backward_weight(saved, gradients);
  }

 private:
  static std::int64_t width(std::int64_t own, const TensorParallelGroup& partners, std::int64_t sequence, bool whole) {
    return whole ? own / partners.local_positions(sequence).count * sequence : own;
  }

  std::unique_ptr<LayerKernel> inner_;
  TensorParallelGroup partners_;
  std::int64_t sequence_;
  Ends ends_;
};

}  // namespace pipedeck::runtime::layers
