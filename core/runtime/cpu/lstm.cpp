// SPDX-License-Identifier: Apache-2.0
// LSTM (Hochreiter and Schmidhuber, 1997, with the forget gate of Gers et al., 2000), from the first position to the
// last or in both directions:
//   i, f, g, o = x_t Wx + h_before Wh + bx + bh;   c = sigmoid(f) c_before + sigmoid(i) tanh(g);   h = sigmoid(o)
//   tanh(c)
// oneDNN's own LSTM computes the gradients of input and weights in one go; zero-bubble schedules want them apart. So
// its matrix products are used instead: one over all positions for the input, one a position for the hidden state.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/lstm_kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/cpu/size_reader.hpp"

namespace pipedeck {
namespace {

/// Where each parameter of one direction begins; of `h` hidden values `own` are at hand.
struct Offsets {
  std::int64_t input, hidden, input_bias, hidden_bias, end;
  Offsets(std::int64_t in, std::int64_t h, std::int64_t own)
      : input(0),
        hidden(in * 4 * own),
        input_bias(hidden + h * 4 * own),
        hidden_bias(input_bias + 4 * own),
        end(hidden_bias + 4 * own) {}
};

/// A rank of a tensor-parallel group has some of the hidden values and their gates. Each step's outputs are gathered,
/// for the next step takes all of them; backward sums what each step wants of the outputs before it, and at last the
/// input's gradient.
///
/// Saved by forward: the input, all directions' outputs side by side as the next layer gets them, then each direction's
/// gates and cells. Left for backward_weight: input, outputs, each direction's gradients of the gates' sums.
enum SavedTensor : std::size_t { x, y, first_direction };

class Lstm final : public LayerKernel {
 public:
  Lstm(std::int64_t in, std::int64_t hidden, std::int64_t sequence, std::int64_t directions)
      : Lstm(in, hidden, {0, hidden}, sequence, directions, std::nullopt) {}

  /// A rank's part.
  Lstm(std::int64_t in, std::int64_t hidden, std::int64_t sequence, std::int64_t directions, const Partners& partners)
      : Lstm(in, hidden, partners.own(hidden), sequence, directions, partners) {
    whole_ = std::make_unique<Lstm>(in, hidden, sequence, directions);
  }

  std::int64_t whole_parameters() const override { return whole_ ? whole_->parameters() : parameters(); }
  /// All parameters lie in rows of four gates, of h_ values each.
  std::vector<ParameterBlock> blocks() const override {
    return {{own_.first, whole_parameters() / h_, own_.count, h_}};
  }

  void initialise(std::span<float> parameters, Random random) const override {
    if (whole_) return initialise_part(*whole_, blocks(), parameters, random);
    const float most = 1.0f / std::sqrt(static_cast<float>(h_));  // as PyTorch
    for (float& value : parameters) value = most * (2 * static_cast<float>(random.unit()) - 1);
  }

  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    auto& s = saved.tensors;
    Tensor output(input.memory(), input.samples(), output_width());
    std::vector<Tensor> states;
    for (std::int64_t d = 0; d < directions_; ++d) {
      states.push_back(input_sums(input, parameters.data() + d * at_.end));
      states.emplace_back(input.memory(), input.samples(), sequence_ * l_);
      run(d, parameters.data() + d * at_.end, states[states.size() - 2], states.back(), output);
    }
    s.push_back(std::move(input));
    s.push_back(output.slice(0, output.samples(), output.memory()));
    for (Tensor& state : states) s.push_back(std::move(state));
    return output;
  }

  Tensor backward_input(Tensor output_gradient, std::span<const float> parameters, Saved& saved,
                        bool wanted) const override {
    auto& s = saved.tensors;
    Tensor gradient;
    if (wanted) gradient = s[x].like();
    for (std::int64_t d = 0; d < directions_; ++d) {
      const float* p = parameters.data() + d * at_.end;
      Tensor& gates = s[first_direction + 2 * static_cast<std::size_t>(d)];
      Tensor& cells = s[first_direction + 2 * static_cast<std::size_t>(d) + 1];
      run_backward(d, p, gates, cells, output_gradient);
      cells.release();
      if (wanted)
        multiply(rows(gates), in_, 4 * l_, {gates.data(), 4 * l_}, transpose(p + at_.input, 4 * l_), gradient.data(),
                 in_, d == 0 ? 0.0f : 1.0f);
    }
    if (partners_ && wanted) partners_->reduce(gradient);
    if (directions_ == 2) std::swap(s[first_direction + 1], s[first_direction + 2]);
    s.resize(first_direction + static_cast<std::size_t>(directions_));
    return gradient;
  }

  void backward_weight(Saved& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    for (std::int64_t d = 0; d < directions_; ++d) {
      const Tensor& gates = s[first_direction + static_cast<std::size_t>(d)];
      float* g = gradients.data() + d * at_.end;
      const Tensor before = outputs_before(d, s[y]);
      multiply(in_, 4 * l_, rows(gates), transpose(s[x].data(), in_), {gates.data(), 4 * l_}, g + at_.input, 4 * l_, 1);
      multiply(h_, 4 * l_, rows(gates), transpose(before.data(), h_), {gates.data(), 4 * l_}, g + at_.hidden, 4 * l_,
               1);
      add_column_sums(g + at_.input_bias, gates.data(), rows(gates), 4 * l_);
      add_column_sums(g + at_.hidden_bias, gates.data(), rows(gates), 4 * l_);
    }
    saved.tensors.clear();
  }

 private:
  Lstm(std::int64_t in, std::int64_t hidden, ColumnRange own, std::int64_t sequence, std::int64_t directions,
       std::optional<Partners> partners)
      : LayerKernel(sequence * in, sequence * directions * hidden, directions * Offsets(in, hidden, own.count).end),
        in_(in),
        h_(hidden),
        l_(own.count),
        sequence_(sequence),
        directions_(directions),
        own_(own),
        at_(in, hidden, own.count),
        partners_(std::move(partners)) {}

  std::int64_t rows(const Tensor& tensor) const { return tensor.samples() * sequence_; }
  /// The position of step `t` of a direction: the second direction begins at the end.
  std::int64_t position(std::int64_t direction, std::int64_t t) const { return direction == 0 ? t : sequence_ - 1 - t; }
  std::int64_t output_stride() const { return sequence_ * directions_ * h_; }  ///< from one sample to the next
  std::int64_t output_at(std::int64_t direction, std::int64_t position) const {
    return (position * directions_ + direction) * h_;
  }

  /// What the input alone adds to the gates' sums, at all positions.
  Tensor input_sums(const Tensor& input, const float* p) const {
    Tensor sums(input.memory(), input.samples(), sequence_ * 4 * l_);
    multiply(rows(input), 4 * l_, in_, {input.data(), in_}, {p + at_.input, 4 * l_}, sums.data(), 4 * l_);
    add_bias(sums.data(), p + at_.input_bias, rows(input), 4 * l_);
    add_bias(sums.data(), p + at_.hidden_bias, rows(input), 4 * l_);
    return sums;
  }

  void run(std::int64_t d, const float* p, Tensor& gates, Tensor& cells, Tensor& output) const {
    for (std::int64_t t = 0; t < sequence_; ++t) {
      const std::int64_t now = position(d, t), before = position(d, t - 1);
      if (t > 0)
        multiply(output.samples(), 4 * l_, h_, {output.data() + output_at(d, before), output_stride()},
                 {p + at_.hidden, 4 * l_}, gates.data() + now * 4 * l_, sequence_ * 4 * l_, 1);
      for (std::int64_t n = 0; n < output.samples(); ++n) {
        float* sample_cells = cells.data() + n * sequence_ * l_;
        lstm_step(gates.data() + (n * sequence_ + now) * 4 * l_, sample_cells + now * l_,
                  output.data() + n * output_stride() + output_at(d, now) + own_.first,
                  t > 0 ? sample_cells + before * l_ : nullptr, l_);
      }
      if (partners_) gather(output, output_at(d, now));
    }
  }

  /// `gates` become the gradients of their sums; of output_gradient this direction's part becomes what each output is
  /// wanted to change by in all.
  void run_backward(std::int64_t d, const float* p, Tensor& gates, const Tensor& cells, Tensor& output_gradient) const {
    Tensor cell_gradient = Tensor::zeros(gates.memory(), gates.samples(), l_);
    for (std::int64_t t = sequence_; t-- > 0;) {
      const std::int64_t now = position(d, t), before = position(d, t - 1);
      for (std::int64_t n = 0; n < gates.samples(); ++n) {
        const float* sample_cells = cells.data() + n * sequence_ * l_;
        lstm_step_backward(gates.data() + (n * sequence_ + now) * 4 * l_, cell_gradient.data() + n * l_,
                           output_gradient.data() + n * output_stride() + output_at(d, now) + own_.first,
                           sample_cells + now * l_, t > 0 ? sample_cells + before * l_ : nullptr, l_);
      }
      if (t > 0) add_gradient_before(output_gradient, output_at(d, before), gates, now, p);
    }
  }

  /// Adds what the step at position `now` wants of the outputs before it.
  void add_gradient_before(Tensor& output_gradient, std::int64_t before, const Tensor& gates, std::int64_t now,
                           const float* p) const {
    const Matrix steps{gates.data() + now * 4 * l_, sequence_ * 4 * l_}, weights = transpose(p + at_.hidden, 4 * l_);
    float* to = output_gradient.data() + before;
    if (!partners_) return multiply(gates.samples(), h_, 4 * l_, steps, weights, to, output_stride(), 1);
    Tensor sums(gates.memory(), gates.samples(), h_);
    multiply(gates.samples(), h_, 4 * l_, steps, weights, sums.data(), h_);
    partners_->reduce(sums);
    for (std::int64_t n = 0; n < sums.samples(); ++n) add(to + n * output_stride(), sums.data() + n * h_, h_);
  }

  /// One step's outputs of all ranks, at `at` of each sample.
  void gather(Tensor& output, std::int64_t at) const {
    Tensor mine(output.memory(), output.samples(), l_);
    for (std::int64_t n = 0; n < mine.samples(); ++n)
      std::copy_n(output.data() + n * output_stride() + at + own_.first, l_, mine.data() + n * l_);
    const Tensor all = partners_->gather(mine, h_);
    for (std::int64_t n = 0; n < mine.samples(); ++n)
      std::copy_n(all.data() + n * h_, h_, output.data() + n * output_stride() + at);
  }

  /// What each position's step got from the one before it: zeros at the first.
  Tensor outputs_before(std::int64_t d, const Tensor& outputs) const {
    Tensor shifted(outputs.memory(), outputs.samples(), sequence_ * h_);
    for (std::int64_t n = 0; n < outputs.samples(); ++n)
      for (std::int64_t t = 0; t < sequence_; ++t) {
        float* to = shifted.data() + (n * sequence_ + position(d, t)) * h_;
        if (t == 0)
          std::fill_n(to, h_, 0.0f);
        else
          std::copy_n(outputs.data() + n * output_stride() + output_at(d, position(d, t - 1)), h_, to);
      }
    return shifted;
  }

  std::int64_t in_, h_, l_, sequence_, directions_;  ///< h_ hidden values, l_ of them at hand
  ColumnRange own_;
  Offsets at_;
  std::optional<Partners> partners_;
  std::unique_ptr<Lstm> whole_;  ///< where this is a part
};

struct LstmSize {
  std::int64_t in, hidden, sequence, directions;
};

Result<LstmSize> size_of_lstm(const ModelLayer& layer) {
  SizeReader size(layer);
  const LstmSize lstm{size("in"), size("hidden"), size("sequence"), size("directions")};
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  size.bounded("weights", 8 * real(lstm.hidden) * (real(lstm.in) + real(lstm.hidden) + 2));
  size.bounded("values a sample", real(lstm.sequence) * (real(lstm.in) + 8 * real(lstm.hidden)));
  if (auto read = size.result(); !read) return tl::unexpected(read.error());
  return lstm;
}

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_lstm(const ModelLayer& layer) {
  const auto size = size_of_lstm(layer);
  if (!size) return tl::unexpected(size.error());
  return std::make_unique<Lstm>(size->in, size->hidden, size->sequence, size->directions);
}

Result<std::unique_ptr<LayerKernel>> make_sharded_lstm(const ModelLayer& layer, const LayerSharding& sharding) {
  const auto size = size_of_lstm(layer);
  if (!size) return tl::unexpected(size.error());
  const auto enough = enough_for(layer, size->hidden, "hidden values", sharding.partners.shard());
  if (!enough) return tl::unexpected(enough.error());
  return std::make_unique<Lstm>(size->in, size->hidden, size->sequence, size->directions, sharding.partners);
}

}  // namespace pipedeck
