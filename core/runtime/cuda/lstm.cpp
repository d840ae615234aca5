// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/lstm.hpp"

#include <array>

#include "core/base/result.hpp"
#include "core/runtime/cuda/dnn.hpp"
#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::runtime::cuda {
namespace {

using RnnDescriptor = DnnDescriptor<cudnnRNNStruct, cudnnDestroyRNNDescriptor>;
using RnnDataDescriptor = DnnDescriptor<cudnnRNNDataStruct, cudnnDestroyRNNDataDescriptor>;
using DropoutDescriptor = DnnDescriptor<cudnnDropoutStruct, cudnnDestroyDropoutDescriptor>;

constexpr int gates = 4;
constexpr int linear_layers = 2 * gates;  ///< in cuDNN: each gate's of the input, then each gate's of the hidden state

TensorDescriptor state_descriptor(std::int64_t directions, int samples, std::int64_t hidden) {
  auto made = make_descriptor<TensorDescriptor>(cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor");
  const std::array<int, 3> sizes{dnn_size(directions), samples, dnn_size(hidden)};
  const std::array<int, 3> strides{dnn_size(samples * hidden), sizes[2], 1};
  check(cudnnSetTensorNdDescriptor(made.get(), CUDNN_DATA_FLOAT, 3, sizes.data(), strides.data()),
        "cudnnSetTensorNdDescriptor");
  return made;
}

RnnDataDescriptor data_descriptor(std::int64_t sequence, int samples, std::int64_t width) {
  auto made = make_descriptor<RnnDataDescriptor>(cudnnCreateRNNDataDescriptor, "cudnnCreateRNNDataDescriptor");
  const std::vector<int> lengths(static_cast<std::size_t>(samples), dnn_size(sequence));
  float padding = 0;
  check(cudnnSetRNNDataDescriptor(made.get(), CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED,
                                  dnn_size(sequence), samples, dnn_size(width), lengths.data(), &padding),
        "cudnnSetRNNDataDescriptor");
  return made;
}

}  // namespace

struct Lstm::Description {
  Description(Context& context, const LstmShape& s)
      : dropout(make_descriptor<DropoutDescriptor>(cudnnCreateDropoutDescriptor, "cudnnCreateDropoutDescriptor")),
        rnn(make_descriptor<RnnDescriptor>(cudnnCreateRNNDescriptor, "cudnnCreateRNNDescriptor")) {
    check(cudnnSetDropoutDescriptor(dropout.get(), context.dnn(), 0, nullptr, 0, 0), "cudnnSetDropoutDescriptor");
    const auto math = context.precision() == Precision::fp32 ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
    const int hidden = dnn_size(s.hidden);
    check(cudnnSetRNNDescriptor_v8(rnn.get(), CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                   s.directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
                                   CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT, math, dnn_size(s.in), hidden, hidden, 1,
                                   dropout.get(), CUDNN_RNN_PADDED_IO_ENABLED),
          "cudnnSetRNNDescriptor_v8");
  }
  DropoutDescriptor dropout;
  RnnDescriptor rnn;
};

struct Lstm::Data {
  Data(Context& context, const Description& description, const LstmShape& s, int samples)
      : in(data_descriptor(s.sequence, samples, s.in)),
        out(data_descriptor(s.sequence, samples, s.directions * s.hidden)),
        state(state_descriptor(s.directions, samples, s.hidden)) {
    check(cudnnGetRNNTempSpaceSizes(context.dnn(), description.rnn.get(), CUDNN_FWD_MODE_TRAINING, in.get(), &workspace,
                                    &kept),
          "cudnnGetRNNTempSpaceSizes");
  }
  RnnDataDescriptor in, out;
  TensorDescriptor state;
  std::size_t workspace = 0, kept = 0;
};

Lstm::Lstm(Context& context, const LstmShape& shape)
    : context_(context), shape_(shape), description_(std::make_unique<Description>(context, shape)) {
  ensure(shape.directions == 1 || shape.directions == 2, "an LSTM has one direction or two");
  check(cudnnGetRNNWeightSpaceSize(context_.dnn(), description_->rnn.get(), &weight_bytes_),
        "cudnnGetRNNWeightSpaceSize");
}
Lstm::~Lstm() = default;

const Lstm::Data& Lstm::data(int samples) {
  auto& kept = by_samples_[samples];
  if (!kept) kept = std::make_unique<Data>(context_, *description_, shape_, samples);
  return *kept;
}

std::size_t Lstm::saved_bytes(int samples) { return data(samples).kept; }

/// Asks cuDNN for the position of each matrix. It needs the address of enough memory.
void Lstm::find_places(void* weights) {
  if (!places_.empty()) return;
  const auto matrix = make_descriptor<TensorDescriptor>(cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor");
  const auto bias = make_descriptor<TensorDescriptor>(cudnnCreateTensorDescriptor, "cudnnCreateTensorDescriptor");
  std::vector<Place> places;
  for (int direction = 0; direction < shape_.directions; ++direction)
    for (int linear = 0; linear < linear_layers; ++linear) {
      void *matrix_at = nullptr, *bias_at = nullptr;
      check(cudnnGetRNNWeightParams(context_.dnn(), description_->rnn.get(), direction, weight_bytes_, weights, linear,
                                    matrix.get(), &matrix_at, bias.get(), &bias_at),
            "cudnnGetRNNWeightParams");
      const auto from_beginning = [&](void* at) { return static_cast<char*>(at) - static_cast<char*>(weights); };
      places.push_back({from_beginning(matrix_at), from_beginning(bias_at)});
    }
  places_ = std::move(places);
}

template <class Work>
void Lstm::each_gate(const Work& work) const {
  const std::int64_t wide = gates * shape_.hidden;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto direction = static_cast<std::int64_t>(i) / linear_layers,
               linear = static_cast<std::int64_t>(i) % linear_layers;
    const bool of_input = linear < gates;
    const std::int64_t begin = direction * shape_.direction_parameters(), gate = linear % gates * shape_.hidden;
    const std::int64_t biases = begin + wide * (shape_.in + shape_.hidden);
    work(places_[i], begin + (of_input ? 0 : wide * shape_.in) + gate, of_input ? shape_.in : shape_.hidden,
         biases + (of_input ? 0 : wide) + gate);
  }
}

void Lstm::pack(void* to, const float* parameters) {
  find_places(to);
  const std::int64_t h = shape_.hidden;
  each_gate([&](const Place& place, std::int64_t matrix, std::int64_t rows, std::int64_t bias) {
    auto* const bytes = static_cast<char*>(to);
    transpose(context_.stream(), reinterpret_cast<float*>(bytes + place.matrix), rows, parameters + matrix, gates * h,
              rows, h);
    check(cudaMemcpyAsync(bytes + place.bias, parameters + bias, static_cast<std::size_t>(h) * sizeof(float),
                          cudaMemcpyDeviceToDevice, context_.stream()),
          "cudaMemcpyAsync");
  });
}

void Lstm::add_unpacked(float* gradients, void* from) {
  const std::int64_t h = shape_.hidden;
  each_gate([&](const Place& place, std::int64_t matrix, std::int64_t rows, std::int64_t bias) {
    const auto* const bytes = static_cast<const char*>(from);
    add_transpose(context_.stream(), gradients + matrix, gates * h,
                  reinterpret_cast<const float*>(bytes + place.matrix), rows, h, rows);
    // A column becomes a row.
    add_transpose(context_.stream(), gradients + bias, h, reinterpret_cast<const float*>(bytes + place.bias), 1, h, 1);
  });
}

void Lstm::forward(float* out, void* kept, const float* in, const float* parameters, int samples) {
  const Data& d = data(samples);
  SharedWorkspace space;
  const std::size_t weights = space.add(weight_bytes_), scratch = space.add(d.workspace);
  space.take(context_);
  pack(space.at(weights), parameters);
  check(cudnnRNNForward(context_.dnn(), description_->rnn.get(), CUDNN_FWD_MODE_TRAINING, nullptr, d.in.get(), in,
                        d.out.get(), out, d.state.get(), nullptr, nullptr, d.state.get(), nullptr, nullptr,
                        weight_bytes_, space.at(weights), d.workspace, space.at(scratch), d.kept, kept),
        "cudnnRNNForward");
}

void Lstm::backward_input(float* in_gradient, void* kept, const float* out_gradient, const float* out,
                          const float* parameters, int samples) {
  const Data& d = data(samples);
  SharedWorkspace space;
  const std::size_t weights = space.add(weight_bytes_), scratch = space.add(d.workspace);
  // The pass also computes data for backward_weight
  const std::size_t unwanted =
      space.add(in_gradient ? 0 : static_cast<std::size_t>(samples * shape_.in_values()) * sizeof(float));
  space.take(context_);
  pack(space.at(weights), parameters);
  check(cudnnRNNBackwardData_v8(context_.dnn(), description_->rnn.get(), nullptr, d.out.get(), out, out_gradient,
                                d.in.get(), in_gradient ? in_gradient : space.at(unwanted), d.state.get(), nullptr,
                                nullptr, nullptr, d.state.get(), nullptr, nullptr, nullptr, weight_bytes_,
                                space.at(weights), d.workspace, space.at(scratch), d.kept, kept),
        "cudnnRNNBackwardData_v8");
}

void Lstm::backward_weight(float* gradients, void* kept, const float* in, const float* out, int samples) {
  const Data& d = data(samples);
  SharedWorkspace space;
  const std::size_t weights = space.add(weight_bytes_), scratch = space.add(d.workspace);
  space.take(context_);
  find_places(space.at(weights));
  check(cudaMemsetAsync(space.at(weights), 0, weight_bytes_, context_.stream()), "cudaMemsetAsync");
  check(cudnnRNNBackwardWeights_v8(context_.dnn(), description_->rnn.get(), CUDNN_WGRAD_MODE_ADD, nullptr, d.in.get(),
                                   in, d.state.get(), nullptr, d.out.get(), out, weight_bytes_, space.at(weights),
                                   d.workspace, space.at(scratch), d.kept, kept),
        "cudnnRNNBackwardWeights_v8");
  add_unpacked(gradients, space.at(weights));
}

}  // namespace pipedeck::runtime::cuda
