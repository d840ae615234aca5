// SPDX-License-Identifier: Apache-2.0
// LSTM (Hochreiter and Schmidhuber, 1997, with the forget gate of Gers et al., 2000), from the first position to the
// last or in both directions:
//   i, f, g, o = x_t Wx + h_before Wh + bx + bh;   c = sigmoid(f) c_before + sigmoid(i) tanh(g);   h = sigmoid(o)
//   tanh(c)
// oneDNN's own LSTM computes the gradients of input and weights in one go; zero-bubble schedules want them apart. So
// its matrix products are used instead: one over all positions for the input, one a position for the hidden state.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/lstm_kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/cpu/size_reader.hpp"

namespace pipedeck {
namespace {

/// Where each parameter of one direction begins.
struct Offsets {
  std::int64_t input, hidden, input_bias, hidden_bias, end;
  Offsets(std::int64_t in, std::int64_t h)
      : input(0),
        hidden(in * 4 * h),
        input_bias(hidden + h * 4 * h),
        hidden_bias(input_bias + 4 * h),
        end(hidden_bias + 4 * h) {}
};

/// Saved by forward: the input, all directions' outputs side by side as the next layer gets them, then each direction's
/// gates and cells. Left for backward_weight: input, outputs, each direction's gradients of the gates' sums.
enum SavedTensor : std::size_t { x, y, first_direction };

class Lstm final : public LayerKernel {
 public:
  Lstm(std::int64_t in, std::int64_t hidden, std::int64_t sequence, std::int64_t directions)
      : LayerKernel(sequence * in, sequence * directions * hidden, directions * Offsets(in, hidden).end),
        in_(in),
        h_(hidden),
        sequence_(sequence),
        directions_(directions),
        at_(in, hidden) {}

  void initialise(std::span<float> parameters, Random random) const override {
    const float most = 1.0f / std::sqrt(static_cast<float>(h_));  // as PyTorch
    for (float& value : parameters) value = most * (2 * static_cast<float>(random.unit()) - 1);
  }

  Tensor forward(Tensor input, std::span<const float> parameters, Saved& saved) const override {
    auto& s = saved.tensors;
    Tensor output(input.memory(), input.samples(), output_width());
    std::vector<Tensor> states;
    for (std::int64_t d = 0; d < directions_; ++d) {
      states.push_back(input_sums(input, parameters.data() + d * at_.end));
      states.emplace_back(input.memory(), input.samples(), sequence_ * h_);
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
        multiply(rows(gates), in_, 4 * h_, {gates.data(), 4 * h_}, transpose(p + at_.input, 4 * h_), gradient.data(),
                 in_, d == 0 ? 0.0f : 1.0f);
    }
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
      multiply(in_, 4 * h_, rows(gates), transpose(s[x].data(), in_), {gates.data(), 4 * h_}, g + at_.input, 4 * h_, 1);
      multiply(h_, 4 * h_, rows(gates), transpose(before.data(), h_), {gates.data(), 4 * h_}, g + at_.hidden, 4 * h_,
               1);
      add_column_sums(g + at_.input_bias, gates.data(), rows(gates), 4 * h_);
      add_column_sums(g + at_.hidden_bias, gates.data(), rows(gates), 4 * h_);
    }
    saved.tensors.clear();
  }

 private:
  std::int64_t rows(const Tensor& tensor) const { return tensor.samples() * sequence_; }
  /// The position of step `t` of a direction: the second direction begins at the end.
  std::int64_t position(std::int64_t direction, std::int64_t t) const { return direction == 0 ? t : sequence_ - 1 - t; }
  std::int64_t output_stride() const { return sequence_ * directions_ * h_; }  ///< from one sample to the next
  std::int64_t output_at(std::int64_t direction, std::int64_t position) const {
    return (position * directions_ + direction) * h_;
  }

  /// What the input alone adds to the gates' sums, at all positions.
  Tensor input_sums(const Tensor& input, const float* p) const {
    Tensor sums(input.memory(), input.samples(), sequence_ * 4 * h_);
    multiply(rows(input), 4 * h_, in_, {input.data(), in_}, {p + at_.input, 4 * h_}, sums.data(), 4 * h_);
    add_bias(sums.data(), p + at_.input_bias, rows(input), 4 * h_);
    add_bias(sums.data(), p + at_.hidden_bias, rows(input), 4 * h_);
    return sums;
  }

  void run(std::int64_t d, const float* p, Tensor& gates, Tensor& cells, Tensor& output) const {
    for (std::int64_t t = 0; t < sequence_; ++t) {
      const std::int64_t now = position(d, t), before = position(d, t - 1);
      if (t > 0)
        multiply(output.samples(), 4 * h_, h_, {output.data() + output_at(d, before), output_stride()},
                 {p + at_.hidden, 4 * h_}, gates.data() + now * 4 * h_, sequence_ * 4 * h_, 1);
      for (std::int64_t n = 0; n < output.samples(); ++n) {
        float* sample_cells = cells.data() + n * sequence_ * h_;
        lstm_step(gates.data() + (n * sequence_ + now) * 4 * h_, sample_cells + now * h_,
                  output.data() + n * output_stride() + output_at(d, now), t > 0 ? sample_cells + before * h_ : nullptr,
                  h_);
      }
    }
  }

  /// `gates` become the gradients of their sums; of output_gradient this direction's part becomes what each output is
  /// wanted to change by in all.
  void run_backward(std::int64_t d, const float* p, Tensor& gates, const Tensor& cells, Tensor& output_gradient) const {
    Tensor cell_gradient = Tensor::zeros(gates.memory(), gates.samples(), h_);
    for (std::int64_t t = sequence_; t-- > 0;) {
      const std::int64_t now = position(d, t), before = position(d, t - 1);
      for (std::int64_t n = 0; n < gates.samples(); ++n) {
        const float* sample_cells = cells.data() + n * sequence_ * h_;
        lstm_step_backward(gates.data() + (n * sequence_ + now) * 4 * h_, cell_gradient.data() + n * h_,
                           output_gradient.data() + n * output_stride() + output_at(d, now), sample_cells + now * h_,
                           t > 0 ? sample_cells + before * h_ : nullptr, h_);
      }
      if (t > 0)
        multiply(gates.samples(), h_, 4 * h_, {gates.data() + now * 4 * h_, sequence_ * 4 * h_},
                 transpose(p + at_.hidden, 4 * h_), output_gradient.data() + output_at(d, before), output_stride(), 1);
    }
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

  std::int64_t in_, h_, sequence_, directions_;
  Offsets at_;
};

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_lstm(const ModelLayer& layer) {
  SizeReader size(layer);
  const std::int64_t in = size("in"), hidden = size("hidden"), sequence = size("sequence"),
                     directions = size("directions");
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  size.bounded("weights", 8 * real(hidden) * (real(in) + real(hidden) + 2));
  size.bounded("values a sample", real(sequence) * (real(in) + 8 * real(hidden)));
  if (auto read = size.result(); !read) return tl::unexpected(read.error());
  return std::make_unique<Lstm>(in, hidden, sequence, directions);
}

}  // namespace pipedeck
