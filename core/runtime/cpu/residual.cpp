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

/// A convolution without bias (its norm would take it away again) and the norm behind it.
class Unit {
 public:
  Unit(const ConvolutionShape& shape, std::int64_t offset)
      : convolution_(shape, false), norm_(shape.out), offset_(offset) {}

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

/// Saved by forward: the input of each unit of the path (the block's own first), what each unit keeps (three tensors;
/// the projection's last), and what goes into the last relu. Left for backward_weight: the units' inputs, then each
/// unit's gradient and its norm's (the projection's last).
class Residual final : public LayerKernel {
 public:
  explicit Residual(const BlockShape& shape)
      : LayerKernel(shape.path.front().in_values(), shape.path.back().out_values(), shape.parameters()) {
    std::int64_t offset = 0;
    const auto unit = [&](const ConvolutionShape& convolution) {
      auto made = std::make_unique<Unit>(convolution, offset);
      offset += made->parameters();
      return made;
    };
    for (const ConvolutionShape& convolution : shape.path) path_.push_back(unit(convolution));
    if (shape.projection) projection_ = unit(*shape.projection);
  }

  void initialise(std::span<float> parameters, Random random) const override {
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
      if (i > 0) relu_backward(before.data(), s[i].data(), before.size());
      gradients[i] = std::exchange(gradient, std::move(before));
    }
    if (projection_) {
      norms.push_back(projection_->backward_norm(shortcut, take(s, path_.size()), parameters.data()));
      gradients.push_back(std::move(shortcut));
      if (wanted) shortcut = projection_->backward_convolution(gradients.back(), parameters.data());
    }
    if (wanted) add(gradient.data(), shortcut.data(), gradient.size());
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
  void add_shortcut(Tensor& sum, const Tensor& input, const float* parameters, std::vector<Unit::Kept>& kept) const {
    if (!projection_) return add(sum.data(), input.data(), sum.size());
    const Tensor projected = projection_->forward(input, parameters, kept.back());
    add(sum.data(), projected.data(), sum.size());
  }

  /// The path's passes overwrite the sum's gradient; the shortcut needs it once more.
  Tensor shortcut_gradient(const Tensor& gradient, bool wanted) const {
    if (!projection_ && !wanted) return {};
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

  std::vector<std::unique_ptr<Unit>> path_;
  std::unique_ptr<Unit> projection_;
};

ConvolutionShape behind(const ConvolutionShape& before, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return {before.out, out, kernel, stride, kernel / 2, before.out_height(), before.out_width()};
}

Result<std::unique_ptr<LayerKernel>> make_block(SizeReader& size, BlockShape shape) {
  const ConvolutionShape &first = shape.path.front(), &last = shape.path.back();
  if (first.in != last.out || first.height != last.out_height() || first.width != last.out_width()) {
    const std::int64_t stride = size("stride");
    shape.projection = ConvolutionShape{first.in, last.out, 1, stride, 0, first.height, first.width};
  }
  return std::make_unique<Residual>(shape);
}

/// Bounded well enough for every product of the block: its convolutions are 3 wide at most.
Result<void> check(SizeReader& size) {
  const auto real = [&](const char* key) { return static_cast<double>(size(key)); };
  const double widest = std::max({real("in"), real("out")});
  size.bounded("values a sample", widest * real("height") * real("width"));
  size.bounded("weights", 9 * widest * widest);
  return size.result();
}

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_residual(const ModelLayer& layer) {
  SizeReader size(layer);
  const std::int64_t out = size("out");
  if (auto fine = check(size); !fine) return tl::unexpected(fine.error());
  const ConvolutionShape first{size("in"), out, 3, size("stride"), 1, size("height"), size("width")};
  return make_block(size, {{first, behind(first, out, 3, 1)}, {}});
}

Result<std::unique_ptr<LayerKernel>> make_bottleneck(const ModelLayer& layer) {
  SizeReader size(layer);
  const std::int64_t middle = size("middle");
  size.bounded("values a sample",
               static_cast<double>(middle) * static_cast<double>(size("height")) * static_cast<double>(size("width")));
  size.bounded("weights", 9.0 * static_cast<double>(middle) * static_cast<double>(middle));
  if (auto fine = check(size); !fine) return tl::unexpected(fine.error());
  const ConvolutionShape first{size("in"), middle, 1, 1, 0, size("height"), size("width")};
  const ConvolutionShape second = behind(first, middle, 3, size("stride"));
  return make_block(size, {{first, second, behind(second, size("out"), 1, 1)}, {}});
}

}  // namespace pipedeck
