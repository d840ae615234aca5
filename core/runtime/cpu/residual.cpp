// SPDX-License-Identifier: Apache-2.0
// Residual blocks (He et al., 2015): y = relu(path(x) + shortcut(x)). The path is two 3 x 3 convolutions ("residual"),
// or 1 x 1, 3 x 3, 1 x 1 ("bottleneck"; the stride in the 3 x 3, v1.5); behind each a batch norm, between them relu.
// The shortcut is x itself, or a 1 x 1 convolution with a batch norm where the shape changes.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/runtime/cpu/batch_norm_passes.hpp"
#include "core/runtime/cpu/convolution_passes.hpp"
#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/size_reader.hpp"

namespace pipedeck {
namespace {

/// A convolution without bias (its norm would take it away again) and the norm behind it. In a rank's part of a block
/// the convolution has some of its channels, in or out; with some of those that go in, its output is summed before it
/// is normalised.
class Unit {
 public:
  Unit(const ConvolutionShape& shape, std::int64_t offset, const Partners* summed = nullptr)
      : convolution_(shape, false), norm_(shape.out), offset_(offset), summed_(summed) {}

  const ConvolutionShape& shape() const { return convolution_.shape(); }
  std::int64_t parameters() const { return convolution_.parameters() + norm_.parameters(); }

  void initialise(float* block, Random& random) const {
    const auto inputs = static_cast<float>(shape().kernel * shape().kernel * shape().in);
    float* weights = block + offset_;
    for (std::int64_t i = 0; i < shape().weights(); ++i) weights[i] = std::sqrt(2.0f / inputs) * random.bell();
    norm_.initialise(weights + shape().weights());
  }

  /// What forward keeps beside its input, which the caller keeps.
  struct Kept {
    Tensor convolved;
    ColumnStatistics statistics;
  };
  Tensor forward(const Tensor& input, const float* block, Kept& kept) const {
    kept.convolved = convolution_.forward(input, block + offset_);
    if (summed_) summed_->reduce(kept.convolved);
    kept.statistics = norm_.statistics(kept.convolved);
    Tensor output = kept.convolved.like();
    norm_.forward(output, kept.convolved, kept.statistics, block + offset_ + shape().weights());
    return output;
  }

  /// `gradient`, the norm's output's, becomes the convolution's output's; returns those of gains and shifts.
  Tensor backward_norm(Tensor& gradient, Kept kept, const float* block) const {
    return norm_.backward(gradient, kept.convolved, kept.statistics, block + offset_ + shape().weights());
  }
  Tensor backward_convolution(const Tensor& gradient, const float* block) const {
    return convolution_.backward_input(gradient, block + offset_);
  }
  void backward_weight(const Tensor& input, const Tensor& gradient, const Tensor& norms, float* block) const {
    convolution_.backward_weight(input, gradient, block + offset_);
    add(block + offset_ + shape().weights(), norms.data(), norm_.parameters());
  }

 private:
  ConvolutionPasses convolution_;
  BatchNormPasses norm_;
  std::int64_t offset_;  ///< of its parameters in the block's
  const Partners* summed_;
};

/// The units' convolutions; the shortcut's last, where there is one.
struct BlockShape {
  std::vector<ConvolutionShape> path;
  std::optional<ConvolutionShape> projection;

  std::int64_t parameters() const {
    std::int64_t sum = projection ? projection->weights() + 2 * projection->out : 0;
    for (const ConvolutionShape& unit : path) sum += unit.weights() + 2 * unit.out;
    return sum;
  }
};

/// The channels that a rank has of what goes through a block: of the output of each unit of the path but the last, and
/// of the projection. Convolutions into them are cut by columns and the last one of the path by rows, as Megatron-LM
/// cuts a feed-forward; what a unit between needs of the others is gathered. The last norm is alike on all ranks.
struct BlockPart {
  BlockShape whole;
  Partners partners;

  ColumnRange out(std::size_t unit) const {
    const std::int64_t channels = whole.path[unit].out;
    return unit + 1 < whole.path.size() ? partners.own(channels) : ColumnRange{0, channels};
  }
  ColumnRange in(std::size_t unit) const {
    const std::int64_t channels = whole.path[unit].in;
    return unit + 1 < whole.path.size() ? ColumnRange{0, channels} : partners.own(channels);
  }
  ColumnRange projected() const { return partners.own(whole.projection->out); }

  /// Its convolutions.
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
                       ColumnRange in, ColumnRange out) {
    const std::int64_t window = shape.kernel * shape.kernel;
    if (out.count == shape.out)  // some rows of each window, or all
      blocks.push_back({first + in.first * shape.out, window, in.count * shape.out, shape.in * shape.out});
    else
      blocks.push_back({first + out.first, window * shape.in, out.count, shape.out});
    first += shape.weights();
    blocks.push_back({first + out.first, 2, out.count, shape.out});
    first += 2 * shape.out;
  }
};

/// Saved by forward: the input of each unit of the path (the block's own first), what each unit keeps (three tensors;
/// the projection's last), and what goes into the last relu. Left for backward_weight: the units' inputs, then each
/// unit's gradient and its norm's (the projection's last).
class Residual final : public LayerKernel {
 public:
  explicit Residual(const BlockShape& shape) : Residual(shape, std::nullopt) {}
  explicit Residual(const BlockPart& part) : Residual(part.shape(), part) {
    whole_ = std::make_unique<Residual>(part.whole);
  }

  std::int64_t whole_parameters() const override { return whole_ ? whole_->parameters() : parameters(); }
  std::vector<ParameterBlock> blocks() const override { return part_ ? part_->blocks() : LayerKernel::blocks(); }

  void initialise(std::span<float> parameters, Random random) const override {
    if (whole_) return initialise_part(*whole_, blocks(), parameters, random);
    for (const auto& unit : path_) unit->initialise(parameters.data(), random);
    if (projection_) projection_->initialise(parameters.data(), random);
  }

  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    auto& s = saved.tensors;
    s.push_back(std::move(input));
    std::vector<Unit::Kept> kept(path_.size() + (projection_ ? 1 : 0));
    for (std::size_t i = 0; i + 1 < path_.size(); ++i) {
      Tensor next = path_[i]->forward(s[i], parameters.data(), kept[i]);
      relu_in_place(next.data(), next.size());
      if (gathers(i)) next = part_->partners.gather(next, part_->whole.path[i].out);
      s.push_back(std::move(next));
    }
    Tensor sum = path_.back()->forward(s.back(), parameters.data(), kept[path_.size() - 1]);
    add_shortcut(sum, s.front(), parameters.data(), kept);
    for (Unit::Kept& unit : kept) keep(s, std::move(unit));
    Tensor output = sum.like();
    relu(output.data(), sum.data(), sum.size());
    s.push_back(std::move(sum));
    return output;
  }

  Tensor backward_input(Tensor gradient, std::span<const float> parameters, Saved& saved, bool wanted) const override {
    auto& s = saved.tensors;
    relu_backward(gradient.data(), s.back().data(), gradient.size());
    s.pop_back();
    Tensor shortcut = shortcut_gradient(gradient, wanted);
    std::vector<Tensor> gradients(path_.size()), norms(path_.size());
    for (std::size_t i = path_.size(); i-- > 0;) {
      norms[i] = path_[i]->backward_norm(gradient, take(s, i), parameters.data());
      Tensor before;
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

  void backward_weight(Saved& saved, std::span<float> gradients) const override {
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
    const auto unit = [&](const ConvolutionShape& convolution, const Partners* summed) {
      auto made = std::make_unique<Unit>(convolution, offset, summed);
      offset += made->parameters();
      return made;
    };
    for (std::size_t i = 0; i < shape.path.size(); ++i)
      path_.push_back(unit(shape.path[i], part_ && i + 1 == shape.path.size() ? &part_->partners : nullptr));
    if (shape.projection) projection_ = unit(*shape.projection, nullptr);
  }

  /// Whether the unit behind unit `i` takes all of its channels, where this one has some.
  bool gathers(std::size_t i) const { return part_ && i + 2 < path_.size(); }

  /// The gradient of unit `i`'s norm, from that of the input of the one behind it.
  Tensor relu_gradient(Tensor gradient, const Tensor& input, std::size_t i) const {
    if (gathers(i)) part_->partners.reduce(gradient);
    relu_backward(gradient.data(), input.data(), gradient.size());
    return gathers(i) ? part_->partners.take(gradient, part_->whole.path[i].out) : std::move(gradient);
  }

  /// The sum of the path's and the shortcut's gradients of the input. A part's are its own share of the sum, but for a
  /// shortcut that is x itself.
  Tensor joined(Tensor path, const Tensor& shortcut) const {
    if (part_ && !projection_) part_->partners.reduce(path);
    add(path.data(), shortcut.data(), path.size());
    if (part_ && projection_) part_->partners.reduce(path);
    return path;
  }

  void add_shortcut(Tensor& sum, const Tensor& input, const float* parameters, std::vector<Unit::Kept>& kept) const {
    if (!projection_) return add(sum.data(), input.data(), sum.size());
    Tensor projected = projection_->forward(input, parameters, kept.back());
    if (part_) projected = part_->partners.gather(projected, part_->whole.projection->out);
    add(sum.data(), projected.data(), sum.size());
  }

  /// The path's passes overwrite the sum's gradient; the shortcut needs it once more.
  Tensor shortcut_gradient(const Tensor& gradient, bool wanted) const {
    if (!projection_ && !wanted) return {};
    if (projection_ && part_) return part_->partners.take(gradient, part_->whole.projection->out);
    return gradient.slice(0, gradient.samples(), gradient.memory());
  }

  static void keep(std::vector<Tensor>& tensors, Unit::Kept unit) {
    tensors.push_back(std::move(unit.convolved));
    tensors.push_back(std::move(unit.statistics.mean));
    tensors.push_back(std::move(unit.statistics.inverse));
  }
  Unit::Kept take(std::vector<Tensor>& tensors, std::size_t unit) const {
    Tensor* first = tensors.data() + path_.size() + 3 * unit;
    return {std::move(first[0]), {std::move(first[1]), std::move(first[2])}};
  }

  std::optional<BlockPart> part_;  ///< first: units look at its partners
  std::vector<std::unique_ptr<Unit>> path_;
  std::unique_ptr<Unit> projection_;
  std::unique_ptr<Residual> whole_;  ///< where this is a part
};

ConvolutionShape behind(const ConvolutionShape& before, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return {before.out, out, kernel, stride, kernel / 2, before.out_height(), before.out_width()};
}

BlockShape with_shortcut(SizeReader& size, BlockShape shape) {
  const ConvolutionShape &first = shape.path.front(), &last = shape.path.back();
  if (first.in != last.out || first.height != last.out_height() || first.width != last.out_width()) {
    const std::int64_t stride = size("stride");
    shape.projection = ConvolutionShape{first.in, last.out, 1, stride, 0, first.height, first.width};
  }
  return shape;
}

/// Bounded well enough for every product of the block: its convolutions are 3 wide at most.
Result<void> check(SizeReader& size) {
  const auto real = [&](const char* key) { return static_cast<double>(size(key)); };
  const double widest = std::max({real("in"), real("out")});
  size.bounded("values a sample", widest * real("height") * real("width"));
  size.bounded("weights", 9 * widest * widest);
  return size.result();
}

Result<BlockShape> residual_shape(const ModelLayer& layer) {
  SizeReader size(layer);
  const std::int64_t out = size("out");
  if (auto fine = check(size); !fine) return tl::unexpected(fine.error());
  const ConvolutionShape first{size("in"), out, 3, size("stride"), 1, size("height"), size("width")};
  return with_shortcut(size, {{first, behind(first, out, 3, 1)}, {}});
}

Result<BlockShape> bottleneck_shape(const ModelLayer& layer) {
  SizeReader size(layer);
  const std::int64_t middle = size("middle");
  size.bounded("values a sample",
               static_cast<double>(middle) * static_cast<double>(size("height")) * static_cast<double>(size("width")));
  size.bounded("weights", 9.0 * static_cast<double>(middle) * static_cast<double>(middle));
  if (auto fine = check(size); !fine) return tl::unexpected(fine.error());
  const ConvolutionShape first{size("in"), middle, 1, 1, 0, size("height"), size("width")};
  const ConvolutionShape second = behind(first, middle, 3, size("stride"));
  return with_shortcut(size, {{first, second, behind(second, size("out"), 1, 1)}, {}});
}

Result<std::unique_ptr<LayerKernel>> make_block(const Result<BlockShape>& shape) {
  if (!shape) return tl::unexpected(shape.error());
  return std::make_unique<Residual>(*shape);
}

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_residual(const ModelLayer& layer) {
  return make_block(residual_shape(layer));
}
Result<std::unique_ptr<LayerKernel>> make_bottleneck(const ModelLayer& layer) {
  return make_block(bottleneck_shape(layer));
}

Result<std::unique_ptr<LayerKernel>> make_sharded_block(const ModelLayer& layer, const LayerSharding& sharding) {
  const auto shape = layer.kind == "residual" ? residual_shape(layer) : bottleneck_shape(layer);
  if (!shape) return tl::unexpected(shape.error());
  const Shard& shard = sharding.partners.shard();
  for (const ConvolutionShape& unit : shape->path)
    if (const auto enough = enough_for(layer, unit.out, "channels", shard); !enough)
      return tl::unexpected(enough.error());
  return std::make_unique<Residual>(BlockPart{*shape, sharding.partners});
}

}  // namespace pipedeck
