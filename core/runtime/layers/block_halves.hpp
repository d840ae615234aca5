// SPDX-License-Identifier: Apache-2.0
// A block of two halves, each with its norm and residual: attention, then a feed-forward or experts.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::layers {

/// A half of a block: x + f(norm(x)). It saves a fixed number of tensors, so that the two halves can share a list.
class BlockHalf : public LayerKernel {
 public:
  using LayerKernel::LayerKernel;
  virtual std::size_t forward_tensors() const = 0;   ///< saved by forward
  virtual std::size_t backward_tensors() const = 0;  ///< left by backward_input
};

/// A layer that is one half after the other. Parameters, blocks and saved tensors are the first one's, then the second
/// one's.
class TwoHalves final : public LayerKernel {
 public:
  TwoHalves(std::unique_ptr<BlockHalf> first, std::unique_ptr<BlockHalf> second)
      : LayerKernel(first->input_width(), second->output_width(), first->parameters() + second->parameters()),
        first_(std::move(first)),
        second_(std::move(second)) {}

  std::int64_t replicated_parameters() const override {
    return first_->replicated_parameters() + second_->replicated_parameters();
  }
  std::vector<ParameterBlock> blocks() const override {
    return joined(first_->blocks(), second_->blocks(), first_->replicated_parameters());
  }

  void initialise(std::span<float> parameters, Random random) const override {
    first_->initialise(parameters.first(split()), random);
    second_->initialise(parameters.subspan(split()), Random(random.next(), 1));
  }

  std::int64_t frozen_parameters() const override { return first_->frozen_parameters() + second_->frozen_parameters(); }
  std::int64_t replicated_frozen_parameters() const override {
    return first_->replicated_frozen_parameters() + second_->replicated_frozen_parameters();
  }
  std::vector<ParameterBlock> frozen_blocks() const override {
    return joined(first_->frozen_blocks(), second_->frozen_blocks(), first_->replicated_frozen_parameters());
  }
  void initialise_frozen(std::span<float> weights, Random random) const override {
    first_->initialise_frozen(weights.first(frozen_split()), random);
    second_->initialise_frozen(weights.subspan(frozen_split()), Random(random.next(), 1));
  }
  void merge(std::span<const float> parameters, std::span<float> frozen) const override {
    first_->merge(parameters.first(split()), frozen.first(frozen_split()));
    second_->merge(parameters.subspan(split()), frozen.subspan(frozen_split()));
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters, SavedTensors& saved) const override {
    SavedTensors second{{}, saved.loss_scale, false, frozen_of_second(saved)};
    const FirstFrozen first(saved, frozen_split());
    tensor::Tensor middle = first_->forward(std::move(input), parameters.first(split()), saved);
    tensor::Tensor output = second_->forward(std::move(middle), parameters.subspan(split()), second);
    append(saved, std::move(second));
    return output;
  }

  void discard(SavedTensors& saved, const RecomputedParts& parts) const override {
    SavedTensors second = cut(saved, first_->forward_tensors());
    first_->discard(saved, parts), second_->discard(second, parts);
    append(saved, std::move(second));
  }

  void restore(SavedTensors& saved, std::span<const float> parameters, const RecomputedParts& parts) const override {
    SavedTensors second = cut(saved, first_->forward_tensors());
    const FirstFrozen first(saved, frozen_split());
    first_->restore(saved, parameters.first(split()), parts);
    second_->restore(second, parameters.subspan(split()), parts);
    append(saved, std::move(second));
  }

  tensor::Tensor backward_input(tensor::Tensor gradient, std::span<const float> parameters, SavedTensors& saved,
                                bool wanted) const override {
    SavedTensors second = cut(saved, first_->forward_tensors());
    const FirstFrozen first(saved, frozen_split());
    gradient = second_->backward_input(std::move(gradient), parameters.subspan(split()), second, true);
    gradient = first_->backward_input(std::move(gradient), parameters.first(split()), saved, wanted);
    append(saved, std::move(second));
    return gradient;
  }

  void backward_weight(SavedTensors& saved, std::span<float> gradients) const override {
    SavedTensors second = cut(saved, first_->backward_tensors());
    second_->backward_weight(second, gradients.subspan(split()));
    first_->backward_weight(saved, gradients.first(split()));
  }

 private:
  /// The frozen weights of the first half, in the place of those of both while this object exists.
  class FirstFrozen {
   public:
    FirstFrozen(SavedTensors& saved, std::size_t count) : saved_(saved), both_(saved.frozen) {
      saved.frozen = both_.first(std::min(count, both_.size()));
    }
    ~FirstFrozen() { saved_.frozen = both_; }
    FirstFrozen(const FirstFrozen&) = delete;
    FirstFrozen& operator=(const FirstFrozen&) = delete;

   private:
    SavedTensors& saved_;
    std::span<const float> both_;
  };

  std::size_t split() const { return static_cast<std::size_t>(first_->parameters()); }
  std::size_t frozen_split() const { return static_cast<std::size_t>(first_->frozen_parameters()); }
  std::span<const float> frozen_of_second(const SavedTensors& saved) const {
    return saved.frozen.subspan(std::min(frozen_split(), saved.frozen.size()));
  }

  static std::vector<ParameterBlock> joined(std::vector<ParameterBlock> first, std::vector<ParameterBlock> second,
                                            std::int64_t offset) {
    for (ParameterBlock& block : second) {
      block.first += offset;
      first.push_back(block);
    }
    return first;
  }

  static void append(SavedTensors& to, SavedTensors from) {
    to.tensors.insert(to.tensors.end(), std::make_move_iterator(from.tensors.begin()),
                      std::make_move_iterator(from.tensors.end()));
  }
  /// Moves the tensors from `first` on out of `saved`.
  SavedTensors cut(SavedTensors& saved, std::size_t first) const {
    const auto from = saved.tensors.begin() + static_cast<std::ptrdiff_t>(first);
    SavedTensors rest{{std::make_move_iterator(from), std::make_move_iterator(saved.tensors.end())},
                      saved.loss_scale,
                      false,
                      frozen_of_second(saved)};
    saved.tensors.resize(first);
    return rest;
  }

  std::unique_ptr<BlockHalf> first_, second_;
};

}  // namespace pipedeck::runtime::layers
