// SPDX-License-Identifier: Apache-2.0
// The runtime's computation: a layer's passes over one micro-batch. A layer consists of its sizes and its mathematics.
// The caller owns parameters, gradients and saved tensors, so that one layer serves any number of micro-batches.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/runtime/layers/recomputed_parts.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::layers {

/// The tensors that forward saves for the backward passes of one micro-batch. The layer's input is always the first
/// tensor, so that a stage that recomputes can drop the others.
struct SavedTensors {
  std::vector<tensor::Tensor> tensors;
  /// 1 / (samples x positions) of the update's mean loss, for layers that add a loss of their own; 0: they add none.
  float loss_scale = 0;
  /// True if forward's output goes to the loss alone. Its rows may be further apart then than the classes need. The
  /// loss ignores what is between them.
  bool feeds_loss = false;
  /// The weights of the layer that are not trained (LayerKernel::frozen_parameters), for every pass.
  std::span<const float> frozen = {};
  Bytes bytes() const {
    Bytes sum;
    for (const tensor::Tensor& tensor : tensors) sum += tensor.bytes();
    return sum;
  }
};

/// A block of the whole layer's parameters in a kernel that holds a shard: `rows` runs of `columns` floats, `stride`
/// apart. In the kernel's own parameters the blocks are contiguous.
struct ParameterBlock {
  std::int64_t first = 0;
  std::int64_t rows = 1, columns = 0, stride = 0;
  bool operator==(const ParameterBlock&) const = default;
};

/// A range of a layer's parameters that balance the load of experts (DeepSeek-V3, arXiv 2412.19437, section 2.1.2). In
/// the place of its gradient a pass adds an expert's excess of choices. A step moves each value by `rate` against the
/// sign of the excess.
struct BalancedBiases {
  std::int64_t first = 0, count = 0;
  float rate = 0;
};

/// A layer's computation. Widths are floats per sample. New tensors are allocated from the memory of the tensor passed
/// in.
class LayerKernel {
 public:
  LayerKernel(std::int64_t input_width, std::int64_t output_width, std::int64_t parameters)
      : input_width_(input_width), output_width_(output_width), parameters_(parameters) {}
  virtual ~LayerKernel() = default;

  std::int64_t input_width() const { return input_width_; }
  std::int64_t output_width() const { return output_width_; }
  std::int64_t parameters() const { return parameters_; }

  /// Returns the parameters of the whole layer, which are more than parameters() if this kernel holds a shard of them.
  virtual std::int64_t replicated_parameters() const { return parameters_; }
  virtual std::vector<ParameterBlock> blocks() const { return {{0, 1, parameters_, parameters_}}; }
  /// Returns the number of parameters that experts have, which are the last ones, if the ranks of a group divide the
  /// experts: fewer devices have the same ones than have the same other parameters.
  virtual std::int64_t expert_parameters() const { return 0; }
  /// Returns the number of parameters that are rows of the words' table, which are the first ones, if both ends of the
  /// model share it. The blocks of the head's are in the parameters of the whole embedding.
  virtual std::int64_t table_parameters() const { return 0; }

  virtual BalancedBiases balanced_biases() const { return {}; }

  // Weights that are not trained, in addition to parameters(): a layer with adapters has them (adapters.hpp). Passes
  // find them in SavedTensors::frozen.

  virtual std::int64_t frozen_parameters() const { return 0; }
  virtual std::int64_t replicated_frozen_parameters() const { return frozen_parameters(); }  ///< of the whole layer
  virtual std::vector<ParameterBlock> frozen_blocks() const {
    return {{0, 1, frozen_parameters(), frozen_parameters()}};
  }
  virtual std::int64_t frozen_expert_parameters() const { return 0; }  ///< the last ones, as expert_parameters()
  /// Draws them as the parameters of the layer without adapters.
  virtual void initialise_frozen(std::span<float> weights, Random random) const {
    static_cast<void>(weights), static_cast<void>(random);
  }
  /// Adds what the trained parameters of a whole layer change of its frozen weights to these.
  virtual void merge(std::span<const float> parameters, std::span<float> frozen) const {
    static_cast<void>(parameters), static_cast<void>(frozen);
  }

  /// Returns true if backward_input takes a narrow gradient of the loss (LossKernel).
  virtual bool takes_narrow_gradient() const { return false; }

  virtual void initialise(std::span<float> parameters, Random random) const = 0;
  virtual tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                                 SavedTensors& saved) const = 0;
  /// Discards the saved tensors of these parts of a block, of those that it has.
  virtual void discard(SavedTensors&, const RecomputedParts&) const {}
  /// Restores what discard() took, before backward_input.
  virtual void restore(SavedTensors&, std::span<const float> parameters, const RecomputedParts&) const {
    static_cast<void>(parameters);
  }
  /// Returns the input's gradient, empty if it is not `wanted` (the model's first layer). Afterwards `saved` holds
  /// exactly the tensors that backward_weight needs.
  virtual tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float> parameters,
                                        SavedTensors& saved, bool wanted) const = 0;
  /// Adds to `gradients` and empties `saved`.
  virtual void backward_weight(SavedTensors& saved, std::span<float> gradients) const = 0;

 private:
  std::int64_t input_width_, output_width_, parameters_;
};

using KernelFactory = std::function<Result<std::unique_ptr<LayerKernel>>(const ModelLayer&)>;

struct LayerSharding;
using ShardedFactory = std::function<Result<std::unique_ptr<LayerKernel>>(const ModelLayer&, const LayerSharding&)>;

struct ContextShard;
/// Creates a kernel for some positions of every sample. The layer's `sequence` is the number of them. The sharding of a
/// tensor-parallel rank is null without one.
using ContextFactory =
    std::function<Result<std::unique_ptr<LayerKernel>>(const ModelLayer&, const ContextShard&, const LayerSharding*)>;

struct ExpertShard;
/// The places of a rank in its groups; null where it has none: its columns, its positions of every sample, and its
/// experts of a layer.
struct RankPlaces {
  const LayerSharding* sharding = nullptr;
  const ContextShard* context = nullptr;
  const ExpertShard* experts = nullptr;
};
/// Creates a kernel for some experts of a layer, with `experts` and perhaps the others.
using ExpertFactory = std::function<Result<std::unique_ptr<LayerKernel>>(const ModelLayer&, const RankPlaces&)>;

/// The layer kinds for which a backend has kernels.
struct KernelRegistry {
  std::map<std::string, KernelFactory> layers;
  std::map<std::string, ShardedFactory> sharded;  ///< a rank's shard of a layer (sharding.hpp)
  std::map<std::string, ContextFactory> context;  ///< kinds that use several positions of a sample (context.hpp)
  std::map<std::string, ExpertFactory> experts;   ///< kinds with experts that ranks divide (expert_exchange.hpp)
  bool adapters = false;                          ///< layers take adapters next to frozen weights (adapters.hpp)
  bool tied_ends = false;                         ///< a model's head may share its embedding's table
  std::set<std::string> tokens;   ///< kinds of which a tensor-parallel rank may have some tokens (token_parts.hpp)
  std::string where = "the CPU";  ///< in errors
};

/// Creates a layer's kernel. bad_input names a layer that has no kernel (and the known kinds) or lacks a size.
Result<std::unique_ptr<LayerKernel>> make_layer(const ModelLayer& layer, const KernelRegistry& kernels);

/// Returns the kernel, with frozen weights if the layer is one of a model with adapters and has none itself.
std::unique_ptr<LayerKernel> frozen_if_asked(const ModelLayer& layer, std::unique_ptr<LayerKernel> made);

/// Creates the kernels of the model's layers without its loss; each takes the output of the one before. bad_input names
/// a layer that has no kernel (and the known kinds), lacks a size, or does not accept the previous layer's output.
Result<std::vector<std::unique_ptr<LayerKernel>>> make_layers(const ModelSpec& model, const KernelRegistry& kernels);

/// Returns the number of layers that the runtime divides into stages: the model's without its loss. Equals the layers
/// of profile_from_shapes.
int plannable_layers(const ModelSpec& model);

/// Returns sizes[key], which must be `least` or more.
Result<std::int64_t> size_of(const ModelLayer& layer, const std::string& key, std::int64_t least = 1);

}  // namespace pipedeck::runtime::layers
