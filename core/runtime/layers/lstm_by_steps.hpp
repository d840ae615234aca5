// SPDX-License-Identifier: Apache-2.0
// LSTM (Hochreiter and Schmidhuber, 1997, with the forget gate of Gers et al., 2000), from the first position to the
// last or in both directions:
//   i, f, g, o = x_t Wx + h_before Wh + bx + bh;   c = sigmoid(f) c_before + sigmoid(i) tanh(g);   h = sigmoid(o)
//   tanh(c)
// The input has one product over all positions, the hidden state one per position. Libraries compute the gradients of
// input and weights together, or the whole sequence at once. Zero-bubble schedules need the gradients separately, and a
// shard gathers each position's outputs. `Ops` is the device's operations (cpu/cpu_ops.hpp).
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/lstm_step.hpp"
#include "core/runtime/layers/shard.hpp"
#include "core/runtime/tensor/matrix.hpp"

namespace pipedeck::runtime::layers {

/// The sizes of a product: rows x inner times inner x columns.
struct ProductRows {
  std::int64_t rows, columns, inner;
};

/// The offsets of the parameters of one direction; a rank has `own` of `h` hidden values.
struct LstmOffsets {
  std::int64_t input, hidden, input_bias, hidden_bias, end;
  LstmOffsets(std::int64_t in, std::int64_t h, std::int64_t own)
      : input(0),
        hidden(in * 4 * own),
        input_bias(hidden + h * 4 * own),
        hidden_bias(input_bias + 4 * own),
        end(hidden_bias + 4 * own) {}
};

/// An LSTM layer, whole or a shard. A rank of a tensor-parallel group has some of the hidden values and their gates.
/// Each step's outputs are gathered, because the next step takes all of them. Backward sums over the ranks each step's
/// gradient of the previous outputs, and finally the input's gradient.
///
/// Forward saves the input, the outputs of all directions side by side as the next layer gets them, then each
/// direction's gates and cells. For backward_weight there remain input, outputs, and each direction's gradients of the
/// gates' sums.
template <class Ops>
class UnrolledLstm final : public LayerKernel {
 public:
  UnrolledLstm(std::int64_t in, std::int64_t hidden, std::int64_t sequence, std::int64_t directions)
      : UnrolledLstm(in, hidden, {0, hidden}, sequence, directions, std::nullopt) {}

  /// Creates a rank's shard.
  UnrolledLstm(std::int64_t in, std::int64_t hidden, std::int64_t sequence, std::int64_t directions,
               const TensorParallelGroup& partners)
      : UnrolledLstm(in, hidden, partners.local_range(hidden), sequence, directions, partners) {
    whole_ = std::make_unique<UnrolledLstm>(in, hidden, sequence, directions);
  }

  std::int64_t replicated_parameters() const override { return whole_ ? whole_->parameters() : parameters(); }
  /// All parameters are stored in rows of four gates, of h_ values each.
  std::vector<ParameterBlock> blocks() const override {
    return {{own_.first, replicated_parameters() / h_, own_.count, h_}};
  }

  void initialise(std::span<float> parameters, Random random) const override {
    if (whole_) return initialise_part(*whole_, blocks(), parameters, random);
    const float most = 1.0f / std::sqrt(static_cast<float>(h_));  // as PyTorch
    for (float& value : parameters) value = most * (2 * static_cast<float>(random.uniform()) - 1);
  }

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters, SavedTensors& saved) const override {
    auto& s = saved.tensors;
    tensor::Tensor output(input.memory(), input.samples(), output_width());
    std::vector<tensor::Tensor> states;
    for (std::int64_t d = 0; d < directions_; ++d) {
      states.push_back(input_sums(input, parameters.data() + d * at_.end));
      states.emplace_back(input.memory(), input.samples(), sequence_ * l_);
      run(d, parameters.data() + d * at_.end, states[states.size() - 2], states.back(), output);
    }
    s.push_back(std::move(input));
    s.push_back(output.slice(0, output.samples(), output.memory()));
    for (tensor::Tensor& state : states) s.push_back(std::move(state));
    return output;
  }

  tensor::Tensor backward_input(tensor::Tensor output_gradient, std::span<const float> parameters, SavedTensors& saved,
                                bool wanted) const override {
    auto& s = saved.tensors;
    tensor::Tensor gradient;
    if (wanted) gradient = s[x].empty_like();
    for (std::int64_t d = 0; d < directions_; ++d) {
      const float* p = parameters.data() + d * at_.end;
      tensor::Tensor& gates = s[first_direction + 2 * static_cast<std::size_t>(d)];
      tensor::Tensor& cells = s[first_direction + 2 * static_cast<std::size_t>(d) + 1];
      run_backward(d, p, gates, cells, output_gradient);
      cells.release();
      if (wanted)
        Ops::multiply(gates, {rows(gates), in_, 4 * l_}, {gates.data(), 4 * l_},
                      tensor::transpose(p + at_.input, 4 * l_), gradient.data(), in_, d == 0 ? 0.0f : 1.0f);
    }
    if (partners_ && wanted) partners_->all_reduce(gradient);
    if (directions_ == 2) std::swap(s[first_direction + 1], s[first_direction + 2]);
    s.resize(first_direction + static_cast<std::size_t>(directions_));
    return gradient;
  }

  void backward_weight(SavedTensors& saved, std::span<float> gradients) const override {
    const auto& s = saved.tensors;
    for (std::int64_t d = 0; d < directions_; ++d) {
      const tensor::Tensor& gates = s[first_direction + static_cast<std::size_t>(d)];
      float* g = gradients.data() + d * at_.end;
      const tensor::Tensor before = outputs_before(d, s[y]);
      const tensor::Matrix sums{gates.data(), 4 * l_};
      Ops::multiply(gates, {in_, 4 * l_, rows(gates)}, tensor::transpose(s[x].data(), in_), sums, g + at_.input, 4 * l_,
                    1);
      Ops::multiply(gates, {h_, 4 * l_, rows(gates)}, tensor::transpose(before.data(), h_), sums, g + at_.hidden,
                    4 * l_, 1);
      Ops::add_column_sums(g + at_.input_bias, gates, 4 * l_);
      Ops::add_column_sums(g + at_.hidden_bias, gates, 4 * l_);
    }
    saved.tensors.clear();
  }

 private:
  enum SavedTensor : std::size_t { x, y, first_direction };

  UnrolledLstm(std::int64_t in, std::int64_t hidden, ShardRange own, std::int64_t sequence, std::int64_t directions,
               std::optional<TensorParallelGroup> partners)
      : LayerKernel(sequence * in, sequence * directions * hidden, directions * LstmOffsets(in, hidden, own.count).end),
        in_(in),
        h_(hidden),
        l_(own.count),
        sequence_(sequence),
        directions_(directions),
        own_(own),
        at_(in, hidden, own.count),
        partners_(std::move(partners)) {}

  static tensor::ComputeDevice& device_of(const tensor::Tensor& tensor) { return tensor.memory()->device(); }
  std::int64_t rows(const tensor::Tensor& tensor) const { return tensor.samples() * sequence_; }
  /// Returns the position of step `t` of a direction: the second direction begins at the end.
  std::int64_t position(std::int64_t direction, std::int64_t t) const { return direction == 0 ? t : sequence_ - 1 - t; }
  std::int64_t output_stride() const { return sequence_ * directions_ * h_; }  ///< from one sample to the next
  std::int64_t output_at(std::int64_t direction, std::int64_t position) const {
    return (position * directions_ + direction) * h_;
  }

  /// Returns the input's part of the gates' sums, at all positions.
  tensor::Tensor input_sums(const tensor::Tensor& input, const float* p) const {
    tensor::Tensor sums(input.memory(), input.samples(), sequence_ * 4 * l_);
    Ops::multiply(sums, {rows(input), 4 * l_, in_}, {input.data(), in_}, {p + at_.input, 4 * l_}, sums.data(), 4 * l_);
    Ops::add_bias(sums, p + at_.input_bias, 4 * l_);
    Ops::add_bias(sums, p + at_.hidden_bias, 4 * l_);
    return sums;
  }

  void run(std::int64_t d, const float* p, tensor::Tensor& gates, tensor::Tensor& cells, tensor::Tensor& output) const {
    for (std::int64_t t = 0; t < sequence_; ++t) {
      const std::int64_t now = position(d, t), before = position(d, t - 1);
      if (t > 0)
        Ops::multiply(output, {output.samples(), 4 * l_, h_}, {output.data() + output_at(d, before), output_stride()},
                      {p + at_.hidden, 4 * l_}, gates.data() + now * 4 * l_, sequence_ * 4 * l_, 1);
      Ops::lstm_step(
          output, {gates.data() + now * 4 * l_, cells.data() + now * l_, t > 0 ? cells.data() + before * l_ : nullptr,
                   output.data() + output_at(d, now) + own_.first, sequence_ * 4 * l_, sequence_ * l_, output_stride(),
                   output.samples(), l_});
      if (partners_) gather(output, output_at(d, now));
    }
  }

  /// Replaces `gates` by the gradients of their sums. This direction's part of output_gradient becomes the total
  /// gradient of each output.
  void run_backward(std::int64_t d, const float* p, tensor::Tensor& gates, const tensor::Tensor& cells,
                    tensor::Tensor& output_gradient) const {
    tensor::Tensor cell_gradient = tensor::Tensor::zeros(gates.memory(), gates.samples(), l_);
    for (std::int64_t t = sequence_; t-- > 0;) {
      const std::int64_t now = position(d, t), before = position(d, t - 1);
      Ops::lstm_step_backward(gates, {gates.data() + now * 4 * l_, cell_gradient.data(),
                                      output_gradient.data() + output_at(d, now) + own_.first, cells.data() + now * l_,
                                      t > 0 ? cells.data() + before * l_ : nullptr, sequence_ * 4 * l_, sequence_ * l_,
                                      output_stride(), gates.samples(), l_});
      if (t > 0) add_gradient_before(output_gradient, output_at(d, before), gates, now, p);
    }
  }

  /// Adds the gradient of the previous outputs from the step at position `now`.
  void add_gradient_before(tensor::Tensor& output_gradient, std::int64_t before, const tensor::Tensor& gates,
                           std::int64_t now, const float* p) const {
    const tensor::Matrix steps{gates.data() + now * 4 * l_, sequence_ * 4 * l_},
        weights = tensor::transpose(p + at_.hidden, 4 * l_);
    float* to = output_gradient.data() + before;
    const ProductRows wanted{gates.samples(), h_, 4 * l_};
    if (!partners_) return Ops::multiply(gates, wanted, steps, weights, to, output_stride(), 1);
    tensor::Tensor sums(gates.memory(), gates.samples(), h_);
    Ops::multiply(gates, wanted, steps, weights, sums.data(), h_);
    partners_->all_reduce(sums);
    for (std::int64_t n = 0; n < sums.samples(); ++n)
      device_of(sums).add(to + n * output_stride(), sums.data() + n * h_, h_);
  }

  /// Gathers one step's outputs of all ranks, at `at` of each sample.
  void gather(tensor::Tensor& output, std::int64_t at) const {
    tensor::Tensor mine(output.memory(), output.samples(), l_);
    device_of(output).copy_rows(mine.data(), l_, output.data() + at + own_.first, output_stride(), mine.samples(), l_);
    const tensor::Tensor all = partners_->all_gather(mine, h_);
    device_of(output).copy_rows(output.data() + at, output_stride(), all.data(), h_, all.samples(), h_);
  }

  /// Returns the previous outputs of each position's step: zeros at the first.
  tensor::Tensor outputs_before(std::int64_t d, const tensor::Tensor& outputs) const {
    tensor::Tensor shifted(outputs.memory(), outputs.samples(), sequence_ * h_);
    const std::int64_t first = position(d, 0), moved = d == 0 ? 1 : 0;  // the step before is one back, or ahead
    for (std::int64_t n = 0; n < outputs.samples(); ++n) {
      float* to = shifted.data() + n * sequence_ * h_;
      device_of(shifted).zero({to + first * h_, static_cast<std::size_t>(h_)});
      device_of(shifted).copy_rows(to + moved * h_, h_, outputs.data() + n * output_stride() + output_at(d, 1 - moved),
                                   directions_ * h_, sequence_ - 1, h_);
    }
    return shifted;
  }

  std::int64_t in_, h_, l_, sequence_, directions_;  ///< h_ hidden values, l_ of them local
  ShardRange own_;
  LstmOffsets at_;
  std::optional<TensorParallelGroup> partners_;
  std::unique_ptr<UnrolledLstm> whole_;  ///< of a shard
};

}  // namespace pipedeck::runtime::layers
