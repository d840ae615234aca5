// SPDX-License-Identifier: Apache-2.0
// cuDNN's LSTM of one layer. Its data for the backward passes begins with their progress, so that a pass out of order
// is refused. There are gaps between weights, so that a caller that does not query their positions finds NaN.
#include <cmath>
#include <cstring>

#include "tests/support/cuda_stand_in/dnn.hpp"

struct cudnnDropoutStruct {
  bool set = false;
};

struct cudnnRNNStruct {
  bool set = false;
  std::int64_t in = 0, hidden = 0, directions = 1;
};

struct cudnnRNNDataStruct {
  bool set = false;
  std::int64_t sequence = 0, samples = 0, width = 0;
  std::size_t bytes() const { return static_cast<std::size_t>(sequence * samples * width) * sizeof(float); }
};

namespace cuda_stand_in {
namespace {

constexpr const char* dropout_kind = "cuDNN dropout descriptor";
constexpr const char* rnn_kind = "cuDNN RNN descriptor";
constexpr const char* data_kind = "cuDNN RNN data descriptor";
constexpr std::int64_t gap = 3;  ///< floats between weights
constexpr std::int64_t header = 4;
constexpr std::size_t workspace_wanted = 512;
constexpr float ran_forward = 1, ran_backward = 2;

const cudnnRNNStruct& living_rnn(cudnnRNNDescriptor_t descriptor) {
  check_alive(descriptor, rnn_kind);
  require(descriptor->set, "an RNN descriptor that was never set");
  return *descriptor;
}
const cudnnRNNDataStruct& living_data(cudnnRNNDataDescriptor_t descriptor) {
  check_alive(descriptor, data_kind);
  require(descriptor->set, "an RNN data descriptor that was never set");
  return *descriptor;
}

/// Where weights lie: of each direction eight matrices (of the input, then of the state before), each with its bias.
struct Weights {
  std::int64_t in, hidden;
  std::int64_t width(int linear) const { return linear < 4 ? in : hidden; }
  std::int64_t matrix(std::int64_t direction, int linear) const {
    std::int64_t at = direction * whole();
    for (int i = 0; i < linear; ++i) at += hidden * width(i) + gap + hidden + gap;
    return at;
  }
  std::int64_t bias(std::int64_t direction, int linear) const {
    return matrix(direction, linear) + hidden * width(linear) + gap;
  }
  std::int64_t whole() const { return 4 * hidden * (in + hidden) + 8 * (hidden + 2 * gap); }
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// One pass over all samples: what the three functions share.
struct Lstm {
  std::int64_t in, hidden, directions, sequence, samples;
  const float *x, *y;
  float* reserve;
  Weights weights() const { return {in, hidden}; }

  /// In `reserve`: of each direction, sample and position four gates (or their gradients) and the cell.
  float* gates(std::int64_t d, std::int64_t n, std::int64_t t) const {
    return reserve + header + ((d * samples + n) * sequence + t) * 5 * hidden;
  }
  float* cell(std::int64_t d, std::int64_t n, std::int64_t t) const { return gates(d, n, t) + 4 * hidden; }
  std::int64_t at(std::int64_t d, std::int64_t step) const { return d == 0 ? step : sequence - 1 - step; }
  std::int64_t output(std::int64_t d, std::int64_t n, std::int64_t t) const {
    return ((n * sequence + t) * directions + d) * hidden;
  }

  void forward(const float* w, float* out) const {
    for (std::int64_t d = 0; d < directions; ++d)
      for (std::int64_t n = 0; n < samples; ++n)
        for (std::int64_t step = 0; step < sequence; ++step) forward_step(w, out, d, n, step);
    reserve[0] = ran_forward;
  }

  void forward_step(const float* w, float* out, std::int64_t d, std::int64_t n, std::int64_t step) const {
    const std::int64_t t = at(d, step);
    const float* before = step > 0 ? out + output(d, n, at(d, step - 1)) : nullptr;
    float* g = gates(d, n, t);
    for (int gate = 0; gate < 4; ++gate)
      for (std::int64_t j = 0; j < hidden; ++j) {
        double sum = double{w[weights().bias(d, gate) + j]} + double{w[weights().bias(d, 4 + gate) + j]};
        for (std::int64_t i = 0; i < in; ++i)
          sum += double{w[weights().matrix(d, gate) + j * in + i]} * double{x[(n * sequence + t) * in + i]};
        for (std::int64_t i = 0; before && i < hidden; ++i)
          sum += double{w[weights().matrix(d, 4 + gate) + j * hidden + i]} * double{before[i]};
        g[gate * hidden + j] = static_cast<float>(gate == 2 ? std::tanh(sum) : sigmoid(sum));
      }
    for (std::int64_t j = 0; j < hidden; ++j) {
      const double c_before = step > 0 ? double{cell(d, n, at(d, step - 1))[j]} : 0;
      const double c = double{g[hidden + j]} * c_before + double{g[j]} * double{g[2 * hidden + j]};
      cell(d, n, t)[j] = static_cast<float>(c);
      out[output(d, n, t) + j] = static_cast<float>(double{g[3 * hidden + j]} * std::tanh(c));
    }
  }

  void backward_data(const float* w, const float* dy, float* dx) const {
    std::vector<double> sums(static_cast<std::size_t>(samples * sequence * in));
    for (std::int64_t d = 0; d < directions; ++d)
      for (std::int64_t n = 0; n < samples; ++n) {
        std::vector<double> wanted(static_cast<std::size_t>(hidden)), cells(wanted);
        for (std::int64_t step = sequence; step-- > 0;) {
          gate_gradients(dy, d, n, step, wanted, cells);
          spread(w, d, n, at(d, step), wanted, sums);
        }
      }
    for (std::size_t i = 0; i < sums.size(); ++i) dx[i] = static_cast<float>(sums[i]);
    reserve[0] = ran_backward;
  }

  /// The gates become their sums' gradients; `wanted` is what the step after wants of the output.
  void gate_gradients(const float* dy, std::int64_t d, std::int64_t n, std::int64_t step,
                      const std::vector<double>& wanted, std::vector<double>& cells) const {
    const std::int64_t t = at(d, step);
    float* g = gates(d, n, t);
    for (std::int64_t j = 0; j < hidden; ++j) {
      const auto k = static_cast<std::size_t>(j);
      const double i = g[j], f = g[hidden + j], c = g[2 * hidden + j], o = g[3 * hidden + j];
      const double squashed = std::tanh(double{cell(d, n, t)[j]});
      const double c_before = step > 0 ? double{cell(d, n, at(d, step - 1))[j]} : 0;
      const double out = double{dy[output(d, n, t) + j]} + wanted[k];
      const double dc = cells[k] + out * o * (1 - squashed * squashed);
      g[j] = static_cast<float>(dc * c * i * (1 - i));
      g[hidden + j] = static_cast<float>(dc * c_before * f * (1 - f));
      g[2 * hidden + j] = static_cast<float>(dc * i * (1 - c * c));
      g[3 * hidden + j] = static_cast<float>(out * squashed * o * (1 - o));
      cells[k] = dc * f;
    }
  }

  void spread(const float* w, std::int64_t d, std::int64_t n, std::int64_t t, std::vector<double>& wanted,
              std::vector<double>& sums) const {
    const float* g = gates(d, n, t);
    std::fill(wanted.begin(), wanted.end(), 0.0);
    for (int gate = 0; gate < 4; ++gate)
      for (std::int64_t j = 0; j < hidden; ++j) {
        const double gradient = g[gate * hidden + j];
        for (std::int64_t i = 0; i < in; ++i)
          sums[static_cast<std::size_t>((n * sequence + t) * in + i)] +=
              gradient * double{w[weights().matrix(d, gate) + j * in + i]};
        for (std::int64_t i = 0; i < hidden; ++i)
          wanted[static_cast<std::size_t>(i)] += gradient * double{w[weights().matrix(d, 4 + gate) + j * hidden + i]};
      }
  }

  void backward_weights(float* dw) const {
    for (std::int64_t d = 0; d < directions; ++d)
      for (std::int64_t n = 0; n < samples; ++n)
        for (std::int64_t step = 0; step < sequence; ++step) {
          const float* before = step > 0 ? y + output(d, n, at(d, step - 1)) : nullptr;
          add_step(dw, gates(d, n, at(d, step)), x + (n * sequence + at(d, step)) * in, before, d);
        }
  }
  void add_step(float* dw, const float* g, const float* input, const float* before, std::int64_t d) const {
    for (int gate = 0; gate < 4; ++gate)
      for (std::int64_t j = 0; j < hidden; ++j) {
        const float gradient = g[gate * hidden + j];
        for (std::int64_t i = 0; i < in; ++i) dw[weights().matrix(d, gate) + j * in + i] += gradient * input[i];
        for (std::int64_t i = 0; before && i < hidden; ++i)
          dw[weights().matrix(d, 4 + gate) + j * hidden + i] += gradient * before[i];
        dw[weights().bias(d, gate) + j] += gradient;
        dw[weights().bias(d, 4 + gate) + j] += gradient;
      }
  }
};

std::size_t weight_bytes(const cudnnRNNStruct& rnn) {
  return static_cast<std::size_t>(rnn.directions * Weights{rnn.in, rnn.hidden}.whole()) * sizeof(float);
}
std::size_t reserve_bytes(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x) {
  return static_cast<std::size_t>(header + rnn.directions * x.samples * x.sequence * 5 * rnn.hidden) * sizeof(float);
}

Lstm checked(const cudnnContext& owner, const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x_desc,
             const cudnnRNNDataStruct& y_desc, const void* x, const void* y, std::size_t weights,
             const void* weight_space, std::size_t work, const void* workspace, std::size_t reserved,
             void* reserve_space) {
  require(x_desc.width == rnn.in && y_desc.width == rnn.hidden * rnn.directions, "the widths do not fit the RNN");
  require(x_desc.samples == y_desc.samples && x_desc.sequence == y_desc.sequence, "input and output do not fit");
  require(weights == weight_bytes(rnn), "the weights are of another size");
  check_space(owner, weight_space, weights, "the weights");
  check_workspace(owner, workspace, work, workspace_wanted);
  require(reserved >= reserve_bytes(rnn, x_desc), "what is kept for the backward passes is too small");
  check_space(owner, reserve_space, reserved, "what is kept for the backward passes");
  if (x) check_space(owner, x, x_desc.bytes(), "the input");
  check_space(owner, y, y_desc.bytes(), "the output");
  return {rnn.in,
          rnn.hidden,
          rnn.directions,
          x_desc.sequence,
          x_desc.samples,
          static_cast<const float*>(x),
          static_cast<const float*>(y),
          static_cast<float*>(reserve_space)};
}

void check_state(cudnnTensorDescriptor_t descriptor, const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x) {
  const auto& state = described(descriptor);
  require(state.list[0] == rnn.directions && state.list[1] == x.samples && state.list[2] == rnn.hidden,
          "a state is directions x samples x hidden");
}

/// As a GPU's work would go wrong, not as a call is refused: only then is it known what ran before.
void expect(const Lstm& lstm, float passes) {
  if (lstm.reserve[0] != passes) throw Refused("the passes of an LSTM ran in another order");
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* descriptor) {
  return dnn_call("cudnnCreateDropoutDescriptor", [&] { make_descriptor(descriptor, dropout_kind); });
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t descriptor) {
  return dnn_destroy("cudnnDestroyDropoutDescriptor", [&] { destroy_descriptor(descriptor, dropout_kind); });
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float dropout,
                                        void* states, std::size_t bytes, unsigned long long) {
  return dnn_call("cudnnSetDropoutDescriptor", [&] {
    living(handle);
    check_alive(descriptor, dropout_kind);
    require(dropout == 0 && states == nullptr && bytes == 0, "nothing is dropped here");
    descriptor->set = true;
  });
}

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* descriptor) {
  return dnn_call("cudnnCreateRNNDescriptor", [&] { make_descriptor(descriptor, rnn_kind); });
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t descriptor) {
  return dnn_destroy("cudnnDestroyRNNDescriptor", [&] { destroy_descriptor(descriptor, rnn_kind); });
}
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input, cudnnDataType_t type, cudnnDataType_t compute,
                                       cudnnMathType_t math, std::int32_t in, std::int32_t hidden,
                                       std::int32_t projection, std::int32_t layers, cudnnDropoutDescriptor_t dropout,
                                       std::uint32_t flags) {
  return dnn_call("cudnnSetRNNDescriptor_v8", [&] {
    check_alive(descriptor, rnn_kind);
    check_alive(dropout, dropout_kind);
    require(dropout->set, "a dropout descriptor that was never set");
    require(algorithm == CUDNN_RNN_ALGO_STANDARD && mode == CUDNN_LSTM && bias == CUDNN_RNN_DOUBLE_BIAS &&
                input == CUDNN_LINEAR_INPUT,
            "the stand-in knows the plain LSTM with two biases", CUDNN_STATUS_NOT_SUPPORTED);
    require(type == CUDNN_DATA_FLOAT && compute == CUDNN_DATA_FLOAT, "another type", CUDNN_STATUS_NOT_SUPPORTED);
    require(math == CUDNN_FMA_MATH || math == CUDNN_DEFAULT_MATH, "32-bit floats must not become 16-bit ones");
    require(in > 0 && hidden > 0 && projection == hidden && layers == 1, "a size is none");
    require((flags & CUDNN_RNN_PADDED_IO_ENABLED) != 0, "samples one after the other need padded input and output");
    *descriptor = {true, in, hidden, direction == CUDNN_BIDIRECTIONAL ? 2 : 1};
  });
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* descriptor) {
  return dnn_call("cudnnCreateRNNDataDescriptor", [&] { make_descriptor(descriptor, data_kind); });
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor) {
  return dnn_destroy("cudnnDestroyRNNDataDescriptor", [&] { destroy_descriptor(descriptor, data_kind); });
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int longest, int samples, int width,
                                        const int lengths[], void* padding) {
  return dnn_call("cudnnSetRNNDataDescriptor", [&] {
    check_alive(descriptor, data_kind);
    require(type == CUDNN_DATA_FLOAT, "another type", CUDNN_STATUS_NOT_SUPPORTED);
    require(layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED, "the stand-in knows samples one after the other");
    require(longest > 0 && samples > 0 && width > 0 && lengths && padding, "a size, or a list, is none");
    for (int i = 0; i < samples; ++i) require(lengths[i] == longest, "all samples are of one length here");
    *descriptor = {true, longest, samples, width};
  });
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x, std::size_t* work, std::size_t* reserve) {
  return dnn_call("cudnnGetRNNTempSpaceSizes", [&] {
    living(handle);
    require(mode == CUDNN_FWD_MODE_TRAINING, "this is training");
    *work = workspace_wanted;
    *reserve = reserve_bytes(living_rnn(rnn), living_data(x));
  });
}
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, std::size_t* bytes) {
  return dnn_call("cudnnGetRNNWeightSpaceSize", [&] {
    living(handle);
    *bytes = weight_bytes(living_rnn(rnn));
  });
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, std::int32_t layer,
                                      std::size_t bytes, const void* weights, std::int32_t linear,
                                      cudnnTensorDescriptor_t matrix, void** matrix_address,
                                      cudnnTensorDescriptor_t bias, void** bias_address) {
  return dnn_call("cudnnGetRNNWeightParams", [&] {
    const auto& owner = living(handle);
    const auto& rnn = living_rnn(descriptor);
    require(layer >= 0 && layer < rnn.directions && linear >= 0 && linear < 8, "no such matrix");
    require(bytes == weight_bytes(rnn), "the weights are of another size");
    check_space(owner, weights, bytes, "the weights");
    check_alive(matrix, tensor_kind);
    check_alive(bias, tensor_kind);
    const Weights at{rnn.in, rnn.hidden};
    auto* floats = static_cast<float*>(const_cast<void*>(weights));
    *matrix_address = floats + at.matrix(layer, linear);
    *bias_address = floats + at.bias(layer, linear);
    const auto hidden = static_cast<int>(rnn.hidden);
    for (auto* tensor : {matrix, bias}) tensor->set = true;
    matrix->list = {1, hidden, static_cast<int>(at.width(linear))};
    bias->list = {1, hidden, 1};
  });
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnForwardMode_t mode,
                              const std::int32_t*, cudnnRNNDataDescriptor_t x_desc, const void* x,
                              cudnnRNNDataDescriptor_t y_desc, void* y, cudnnTensorDescriptor_t h, const void* hx,
                              void* hy, cudnnTensorDescriptor_t c, const void* cx, void* cy, std::size_t weights,
                              const void* weight_space, std::size_t work, void* workspace, std::size_t reserved,
                              void* reserve_space) {
  return dnn_call("cudnnRNNForward", [&] {
    const auto& owner = living(handle);
    const auto& rnn = living_rnn(descriptor);
    require(mode == CUDNN_FWD_MODE_TRAINING, "this is training");
    require(!hx && !hy && !cx && !cy, "states begin at 0, and nobody wants the last");
    check_state(h, rnn, living_data(x_desc));
    check_state(c, rnn, living_data(x_desc));
    require(x != nullptr, "the input is missing");
    const Lstm lstm = checked(owner, rnn, living_data(x_desc), living_data(y_desc), x, y, weights, weight_space, work,
                              workspace, reserved, reserve_space);
    put_kernel(owner.stream, [=] { lstm.forward(static_cast<const float*>(weight_space), static_cast<float*>(y)); });
  });
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, const std::int32_t*,
                                      cudnnRNNDataDescriptor_t y_desc, const void* y, const void* dy,
                                      cudnnRNNDataDescriptor_t x_desc, void* dx, cudnnTensorDescriptor_t h,
                                      const void* hx, const void* dhy, void* dhx, cudnnTensorDescriptor_t c,
                                      const void* cx, const void* dcy, void* dcx, std::size_t weights,
                                      const void* weight_space, std::size_t work, void* workspace, std::size_t reserved,
                                      void* reserve_space) {
  return dnn_call("cudnnRNNBackwardData_v8", [&] {
    const auto& owner = living(handle);
    const auto& rnn = living_rnn(descriptor);
    require(!hx && !dhy && !dhx && !cx && !dcy && !dcx, "states begin at 0, and nobody wants their gradients");
    check_state(h, rnn, living_data(x_desc));
    check_state(c, rnn, living_data(x_desc));
    const Lstm lstm = checked(owner, rnn, living_data(x_desc), living_data(y_desc), nullptr, y, weights, weight_space,
                              work, workspace, reserved, reserve_space);
    check_space(owner, dy, living_data(y_desc).bytes(), "the output's gradient");
    check_space(owner, dx, living_data(x_desc).bytes(), "the input's gradient");
    put_kernel(owner.stream, [=] {
      expect(lstm, ran_forward);
      lstm.backward_data(static_cast<const float*>(weight_space), static_cast<const float*>(dy),
                         static_cast<float*>(dx));
    });
  });
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnWgradMode_t mode,
                                         const std::int32_t*, cudnnRNNDataDescriptor_t x_desc, const void* x,
                                         cudnnTensorDescriptor_t h, const void* hx, cudnnRNNDataDescriptor_t y_desc,
                                         const void* y, std::size_t weights, void* dweights, std::size_t work,
                                         void* workspace, std::size_t reserved, void* reserve_space) {
  return dnn_call("cudnnRNNBackwardWeights_v8", [&] {
    const auto& owner = living(handle);
    const auto& rnn = living_rnn(descriptor);
    require(mode == CUDNN_WGRAD_MODE_ADD, "gradients are added, nothing else is there", CUDNN_STATUS_NOT_SUPPORTED);
    require(!hx && x, "states begin at 0, and the input is there");
    check_state(h, rnn, living_data(x_desc));
    const Lstm lstm = checked(owner, rnn, living_data(x_desc), living_data(y_desc), x, y, weights, dweights, work,
                              workspace, reserved, reserve_space);
    put_kernel(owner.stream, [=] {
      expect(lstm, ran_backward);
      lstm.backward_weights(static_cast<float*>(dweights));
    });
  });
}

}  // extern "C"
