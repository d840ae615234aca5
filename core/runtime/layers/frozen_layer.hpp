// SPDX-License-Identifier: Apache-2.0
// A layer whose weights are not trained, as a run with adapters has them (adapters.hpp).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/runtime/layers/block_halves.hpp"
#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::layers {

/// A layer of any kind without trained parameters. It leaves nothing for backward_weight.
class FrozenLayer final : public BlockHalf {
 public:
  /// `forward_tensors`: of a half.
  explicit FrozenLayer(std::unique_ptr<LayerKernel> inner, std::size_t forward_tensors = 0)
      : BlockHalf(inner->input_width(), inner->output_width(), 0),
        inner_(std::move(inner)),
        forward_tensors_(forward_tensors) {}

  std::int64_t frozen_parameters() const override { return inner_->parameters(); }
  std::vector<ParameterBlock> frozen_blocks() const override { return inner_->blocks(); }
  std::int64_t replicated_frozen_parameters() const override { return inner_->replicated_parameters(); }
  std::int64_t frozen_expert_parameters() const override { return inner_->expert_parameters(); }
  void initialise_frozen(std::span<float> weights, Random random) const override {
    inner_->initialise(weights, random);
  }
  void initialise(std::span<float>, Random) const override {}
  bool takes_narrow_gradient() const override { return inner_->takes_narrow_gradient(); }

  std::size_t forward_tensors() const override { return forward_tensors_; }
  std::size_t backward_tensors() const override { return 0; }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float>, SavedTensors& saved) const override {
    return inner_->forward(std::move(input), saved.frozen, saved);
  }
  void discard(SavedTensors& saved, const RecomputedParts& parts) const override { inner_->discard(saved, parts); }
  void restore(SavedTensors& saved, std::span<const float>, const RecomputedParts& parts) const override {
    inner_->restore(saved, saved.frozen, parts);
  }
  tensor::Tensor backward_input(tensor::Tensor gradient, std::span<const float>, SavedTensors& saved,
                                bool wanted) const override {
    tensor::Tensor given = inner_->backward_input(std::move(gradient), saved.frozen, saved, wanted);
    saved.tensors.clear();
    return given;
  }
  void backward_weight(SavedTensors& saved, std::span<float>) const override { saved.tensors.clear(); }

 private:
  std::unique_ptr<LayerKernel> inner_;
  std::size_t forward_tensors_;
};

}  // namespace pipedeck::runtime::layers
