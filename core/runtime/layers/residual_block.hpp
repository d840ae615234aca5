// SPDX-License-Identifier: Apache-2.0
// Residual blocks (He et al., 2015): y = relu(path(x) + shortcut(x)). The path consists of convolutions, each with a
// batch norm after it, and relu between them. The shortcut is x itself, or a convolution with a batch norm if the shape
// changes. `Ops` is the device's operations (cpu/cpu_ops.hpp).
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/shapes.hpp"
#include "core/runtime/layers/shard.hpp"

namespace pipedeck::runtime::layers {

/// The convolutions of a block's units, and the shortcut's, if there is one.
struct BlockShape {
  std::vector<ConvolutionShape> path;
  std::optional<ConvolutionShape> projection;

  std::int64_t parameters() const {
    std::int64_t sum = projection ? projection->weights() + 2 * projection->out : 0;
    for (const ConvolutionShape& unit : path) sum += unit.weights() + 2 * unit.out;
    return sum;
  }
};

/// A rank's channels in a block: of the output of each unit of the path except the last, and of the projection.
/// Convolutions into them are sharded by columns and the last one of the path by rows, like Megatron-LM's feed-forward.
/// A unit in between gathers the other ranks' channels. The last norm is replicated on all ranks.
struct BlockPart {
  BlockShape whole;
  TensorParallelGroup partners;

  ShardRange out(std::size_t unit) const {
    const std::int64_t channels = whole.path[unit].out;
    return unit + 1 < whole.path.size() ? partners.local_range(channels) : ShardRange{0, channels};
  }
  ShardRange in(std::size_t unit) const {
    const std::int64_t channels = whole.path[unit].in;
    return unit + 1 < whole.path.size() ? ShardRange{0, channels} : partners.local_range(channels);
  }
  ShardRange projected() const { return partners.local_range(whole.projection->out); }

  /// Returns the convolutions of the shard.
  BlockShape shape() const {
    BlockShape part = whole;
    for (std::size_t i = 0; i < part.path.size(); ++i) part.path[i].in = in(i).count, part.path[i].out = out(i).count;
    if (part.projection) part.projection->out = projected().count;
    return part;
  }

  std::vector<ParameterBlock> blocks() const {
    std::vector<ParameterBlock> blocks;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < whole.path.size(); ++i) add_unit(blocks, first, whole.path[i], in(i), out(i));
    if (whole.projection) add_unit(blocks, first, *whole.projection, {0, whole.projection->in}, projected());
    return blocks;
  }

 private:
  static void add_unit(std::vector<ParameterBlock>& blocks, std::int64_t& first, const ConvolutionShape& shape,
                       ShardRange in, ShardRange out) {
    const std::int64_t window = shape.kernel * shape.kernel;
    if (out.count == shape.out)  // all or some rows of each window
      blocks.push_back({first + in.first * shape.out, window, in.count * shape.out, shape.in * shape.out});
    else
      blocks.push_back({first + out.first, window * shape.in, out.count, shape.out});
    first += shape.weights();
    blocks.push_back({first + out.first, 2, out.count, shape.out});
    first += 2 * shape.out;
  }
};

/// Returns the shape of a "residual" (two 3 x 3 convolutions) or "bottleneck" block (1 x 1, 3 x 3, 1 x 1; the stride in
/// the 3 x 3, v1.5), by its sizes. Fails like make_layer.
Result<BlockShape> block_shape(const ModelLayer& layer);
/// Returns a rank's shard of a block; bad_input if it has fewer channels than ranks.
Result<BlockPart> block_part(const ModelLayer& layer, const TensorParallelGroup& partners);

/// A convolution without bias (its norm would cancel it) and the norm after it. In a rank's shard of a block the
/// convolution has some of its input or output channels. With some of the input channels, its output is summed over the
/// ranks before it is normalised.
template <class Ops>
class ResidualUnit {
 public:
  ResidualUnit(const ConvolutionShape& shape, std::int64_t offset, const TensorParallelGroup* summed = nullptr)
      : convolution_(shape, false), norm_(shape.out), offset_(offset), summed_(summed) {}

  const ConvolutionShape& shape() const { return convolution_.shape(); }
  std::int64_t parameters() const { return convolution_.parameters() + norm_.parameters(); }

  void initialise(float* block, Random& random) const {
    const auto inputs = static_cast<float>(shape().kernel * shape().kernel * shape().in);
    float* weights = block + offset_;
    for (std::int64_t i = 0; i < shape().weights(); ++i) weights[i] = std::sqrt(2.0f / inputs) * random.normal();
    norm_.initialise(weights + shape().weights());
  }

  /// The tensors that forward saves in addition to its input, which the caller saves.
  struct Kept {
    tensor::Tensor convolved;
    ColumnStatistics statistics;
  };
  tensor::Tensor forward(const tensor::Tensor& input, const float* block, Kept& kept) const {
    kept.convolved = convolution_.forward(input, block + offset_);
    if (summed_) summed_->all_reduce(kept.convolved);
    return norm_.forward(kept.convolved, block + offset_ + shape().weights(), kept.statistics);
  }

  /// Replaces `gradient` (of the norm's output) by that of the convolution's output. Returns those of gains and shifts.
  tensor::Tensor backward_norm(tensor::Tensor& gradient, Kept kept, const float* block) const {
    return norm_.backward(gradient, kept.convolved, kept.statistics, block + offset_ + shape().weights());
  }
  tensor::Tensor backward_convolution(const tensor::Tensor& gradient, const float* block) const {
    return convolution_.backward_input(gradient, block + offset_);
  }
  void backward_weight(const tensor::Tensor& input, const tensor::Tensor& gradient, const tensor::Tensor& norms,
                       float* block) const {
    convolution_.backward_weight(input, gradient, block + offset_);
    norms.memory()->device().add(block + offset_ + shape().weights(), norms.data(), norm_.parameters());
  }

 private:
  typename Ops::Convolution convolution_;
  typename Ops::Norm norm_;
  std::int64_t offset_;  ///< of its parameters in the block's
  const TensorParallelGroup* summed_;
};

/// A residual block. Forward saves the input of each unit of the path (the block's own first), the saved tensors of
/// each unit (three; the projection's last), and the input of the last relu. For backward_weight there remain the
/// units' inputs, then each unit's gradient and its norm's (the projection's last).
template <class Ops>
class Residual final : public LayerKernel {
 public:
  using Unit = ResidualUnit<Ops>;

  explicit Residual(const BlockShape& shape) : Residual(shape, std::nullopt) {}
  explicit Residual(const BlockPart& part) : Residual(part.shape(), part) {
    whole_ = std::make_unique<Residual>(part.whole);
  }

  std::int64_t replicated_parameters() const override { return whole_ ? whole_->parameters() : parameters(); }
  std::vector<ParameterBlock> blocks() const override { return part_ ? part_->blocks() : LayerKernel::blocks(); }

  void initialise(std::span<float> parameters, Random random) const override {
    if (whole_) return initialise_part(*whole_, blocks(), parameters, random);
    for (const auto& unit : path_) unit->initialise(parameters.data(), random);
    if (projection_) projection_->initialise(parameters.data(), random);
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters, SavedTensors& saved) const override {
    auto& s = saved.tensors;
    s.push_back(std::move(input));
    std::vector<typename Unit::Kept> kept(path_.size() + (projection_ ? 1 : 0));
    for (std::size_t i = 0; i + 1 < path_.size(); ++i) {
      tensor::Tensor next = path_[i]->forward(s[i], parameters.data(), kept[i]);
      Ops::relu_in_place(next);
      if (gathers(i)) next = part_->partners.all_gather(next, part_->whole.path[i].out);
      s.push_back(std::move(next));
    }
    tensor::Tensor sum = path_.back()->forward(s.back(), parameters.data(), kept[path_.size() - 1]);
    add_shortcut(sum, s.front(), parameters.data(), kept);
    for (typename Unit::Kept& unit : kept) keep(s, std::move(unit));
    tensor::Tensor output = Ops::activate(Activation::relu, sum);
    s.push_back(std::move(sum));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor gradient, std::span<const float> parameters, SavedTensors& saved,
                                bool wanted) const override {
    auto& s = saved.tensors;
    Ops::activate_backward(Activation::relu, gradient, s.back());
    s.pop_back();
    tensor::Tensor shortcut = shortcut_gradient(gradient, wanted);
    std::vector<tensor::Tensor> gradients(path_.size()), norms(path_.size());
    for (std::size_t i = path_.size(); i-- > 0;) {
      norms[i] = path_[i]->backward_norm(gradient, take(s, i), parameters.data());
      tensor::Tensor before;
      if (i > 0 || wanted) before = path_[i]->backward_convolution(gradient, parameters.data());
      if (i > 0) before = relu_gradient(std::move(before), s[i], i - 1);
      gradients[i] = std::exchange(gradient, std::move(before));
    }
    if (projection_) {
      norms.push_back(projection_->backward_norm(shortcut, take(s, path_.size()), parameters.data()));
      gradients.push_back(std::move(shortcut));
      if (wanted) shortcut = projection_->backward_convolution(gradients.back(), parameters.data());
    }
    if (wanted) gradient = joined(std::move(gradient), shortcut);
    s.resize(path_.size());
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      s.push_back(std::move(gradients[i]));
      s.push_back(std::move(norms[i]));
    }
    return gradient;
  }

  void backward_weight(SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    std::size_t next = path_.size();
    for (std::size_t i = 0; i < path_.size(); ++i, next += 2)
      path_[i]->backward_weight(s[i], s[next], s[next + 1], gradients.data());
    if (projection_) projection_->backward_weight(s[0], s[next], s[next + 1], gradients.data());
    saved.tensors.clear();
  }

 private:
  Residual(const BlockShape& shape, std::optional<BlockPart> part)
      : LayerKernel(shape.path.front().in_values(), shape.path.back().out_values(), shape.parameters()),
        part_(std::move(part)) {
    std::int64_t offset = 0;
    const auto unit = [&](const ConvolutionShape& convolution, const TensorParallelGroup* summed) {
      auto made = std::make_unique<Unit>(convolution, offset, summed);
      offset += made->parameters();
      return made;
    };
    for (std::size_t i = 0; i < shape.path.size(); ++i)
      path_.push_back(unit(shape.path[i], part_ && i + 1 == shape.path.size() ? &part_->partners : nullptr));
    if (shape.projection) projection_ = unit(*shape.projection, nullptr);
  }

  /// True if this unit has some channels, and the next unit takes all of them.
  bool gathers(std::size_t i) const { return part_ && i + 2 < path_.size(); }

  /// Returns the gradient of unit `i`'s norm, from that of the next unit's input.
  tensor::Tensor relu_gradient(tensor::Tensor gradient, const tensor::Tensor& input, std::size_t i) const {
    if (gathers(i)) part_->partners.all_reduce(gradient);
    Ops::activate_backward(Activation::relu, gradient, input);
    return gathers(i) ? part_->partners.scatter(gradient, part_->whole.path[i].out) : std::move(gradient);
  }

  /// Returns the sum of the path's and the shortcut's gradients of the input. A rank's gradients are its summands of
  /// it, except if the shortcut is x itself.
  tensor::Tensor joined(tensor::Tensor path, const tensor::Tensor& shortcut) const {
    if (part_ && !projection_) part_->partners.all_reduce(path);
    add(path, shortcut);
    if (part_ && projection_) part_->partners.all_reduce(path);
    return path;
  }

  void add_shortcut(tensor::Tensor& sum, const tensor::Tensor& input, const float* parameters,
                    std::vector<typename Unit::Kept>& kept) const {
    if (!projection_) return add(sum, input);
    tensor::Tensor projected = projection_->forward(input, parameters, kept.back());
    if (part_) projected = part_->partners.all_gather(projected, part_->whole.projection->out);
    add(sum, projected);
  }

  /// Returns the shortcut's copy of the sum's gradient, which the path's passes overwrite.
  tensor::Tensor shortcut_gradient(const tensor::Tensor& gradient, bool wanted) const {
    if (!projection_ && !wanted) return {};
    if (projection_ && part_) return part_->partners.scatter(gradient, part_->whole.projection->out);
    return gradient.slice(0, gradient.samples(), gradient.memory());
  }

  static void add(tensor::Tensor& to, const tensor::Tensor& from) {
    to.memory()->device().add(to.data(), from.data(), to.size());
  }

  static void keep(std::vector<tensor::Tensor>& tensors, typename Unit::Kept unit) {
    tensors.push_back(std::move(unit.convolved));
    tensors.push_back(std::move(unit.statistics.mean));
    tensors.push_back(std::move(unit.statistics.inv_std));
  }
  typename Unit::Kept take(std::vector<tensor::Tensor>& tensors, std::size_t unit) const {
    tensor::Tensor* first = tensors.data() + path_.size() + 3 * unit;
    return {std::move(first[0]), {std::move(first[1]), std::move(first[2])}};
  }

  std::optional<BlockPart> part_;  ///< first member: units use its partners
  std::vector<std::unique_ptr<Unit>> path_;
  std::unique_ptr<Unit> projection_;
  std::unique_ptr<Residual> whole_;  ///< of a shard
};

}  // namespace pipedeck::runtime::layers
