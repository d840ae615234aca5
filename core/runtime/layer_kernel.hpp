// SPDX-License-Identifier: Apache-2.0
// What the runtime can compute: a layer's passes over one micro-batch. A layer is its sizes and its mathematics;
// parameters, gradients and saved tensors belong to whoever calls, so that one layer serves any number of
// micro-batches.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/domain/model.hpp"
#include "core/domain/random.hpp"
#include "core/domain/result.hpp"
#include "core/runtime/tensor.hpp"

namespace pipedeck {

/// What forward keeps for the backward passes of one micro-batch. The layer's input is always the first tensor, so that
/// a stage that recomputes can drop the others.
struct Saved {
  std::vector<Tensor> tensors;
  Bytes bytes() const {
    Bytes sum;
    for (const Tensor& tensor : tensors) sum += tensor.bytes();
    return sum;
  }
};

/// Where parameters of a kernel that holds a part of its layer lie in those of the whole layer: `rows` runs of
/// `columns` floats, `stride` apart. In the kernel's own parameters the blocks follow each other without gaps.
struct ParameterBlock {
  std::int64_t first = 0;
  std::int64_t rows = 1, columns = 0, stride = 0;
  bool operator==(const ParameterBlock&) const = default;
};

/// Widths are floats a sample. New tensors are taken from the memory of the tensor passed in.
class LayerKernel {
 public:
  LayerKernel(std::int64_t input_width, std::int64_t output_width, std::int64_t parameters)
      : input_width_(input_width), output_width_(output_width), parameters_(parameters) {}
  virtual ~LayerKernel() = default;

  std::int64_t input_width() const { return input_width_; }
  std::int64_t output_width() const { return output_width_; }
  std::int64_t parameters() const { return parameters_; }

  /// Of the whole layer; differs from parameters() where this kernel is one of a tensor-parallel group's.
  virtual std::int64_t whole_parameters() const { return parameters_; }
  virtual std::vector<ParameterBlock> blocks() const { return {{0, 1, parameters_, parameters_}}; }

  virtual void initialise(std::span<float> parameters, Random random) const = 0;
  virtual Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const = 0;
  /// The input's gradient, empty where it is not `wanted` (the model's first layer). Afterwards `saved` holds what
  /// backward_weight needs and no more.
  virtual Tensor backward_input(Tensor output_gradient, std::span<const float> parameters, Saved& saved,
                                bool wanted) const = 0;
  /// Adds to `gradients`; `saved` is empty afterwards.
  virtual void backward_weight(Saved& saved, std::span<float> gradients) const = 0;

 private:
  std::int64_t input_width_, output_width_, parameters_;
};

using KernelFactory = std::function<Result<std::unique_ptr<LayerKernel>>(const ModelLayer&)>;

struct LayerSharding;
using ShardedFactory = std::function<Result<std::unique_ptr<LayerKernel>>(const ModelLayer&, const LayerSharding&)>;

/// The kinds of layers that a backend has kernels for.
struct Kernels {
  std::map<std::string, KernelFactory> layers;
  std::map<std::string, ShardedFactory> sharded;  ///< a rank's part of a layer (sharding.hpp)
  std::string where = "the CPU";                  ///< in errors
};

/// The CPU's kinds.
Kernels cpu_kernels();

/// bad_input names the layer that has no kernel (and the kinds there are) or lacks a size.
Result<std::unique_ptr<LayerKernel>> make_layer(const ModelLayer& layer, const Kernels& kernels);

/// The model's layers without its loss, each fed by the one before it. bad_input names the layer that has no kernel
/// (and the kinds there are), lacks a size, or does not take what the layer before it gives.
Result<std::vector<std::unique_ptr<LayerKernel>>> make_layers(const ModelSpec& model, const Kernels& kernels);

/// sizes[key], at least `least`.
Result<std::int64_t> size_of(const ModelLayer& layer, const std::string& key, std::int64_t least = 1);

}  // namespace pipedeck
