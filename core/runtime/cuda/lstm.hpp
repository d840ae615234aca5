// SPDX-License-Identifier: Apache-2.0
// The passes of a one-layer LSTM through cuDNN, with separate gradients of input and weights. Parameters are stored as
// in core/runtime/cpu/lstm.cpp, for each direction: the input's weights [in][4 hidden], the hidden state's [hidden][4
// hidden], and two biases [4 hidden]. The order of gates is input, forget, candidate, output. All values are 32-bit
// floats; products use tf32 unless the context's precision is fp32.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/runtime/cuda/context.hpp"

namespace pipedeck::runtime::cuda {

struct LstmShape {
  std::int64_t in, hidden, sequence, directions;
  std::int64_t in_values() const { return sequence * in; }                    ///< per sample
  std::int64_t out_values() const { return sequence * directions * hidden; }  ///< per sample
  std::int64_t direction_parameters() const { return 4 * hidden * (in + hidden + 2); }
};

/// An LSTM. All functions enqueue on the context's stream; they throw CudaError, OutOfMemory.
class Lstm {
 public:
  Lstm(Context& context, const LstmShape& shape);
  ~Lstm();

  /// Returns the bytes that forward saves for both backward passes of one micro-batch.
  std::size_t saved_bytes(int samples);

  void forward(float* out, void* kept, const float* in, const float* parameters, int samples);
  /// Runs before backward_weight. in_gradient may be null if it is not needed.
  void backward_input(float* in_gradient, void* kept, const float* out_gradient, const float* out,
                      const float* parameters, int samples);
  /// gradients += the parameters'.
  void backward_weight(float* gradients, void* kept, const float* in, const float* out, int samples);

 private:
  struct Description;
  struct Data;
  struct Place {
    std::int64_t matrix, bias;  ///< bytes from the beginning of cuDNN's weights
  };

  const Data& data(int samples);
  void find_places(void* weights);
  void pack(void* to, const float* parameters);
  void add_unpacked(float* gradients, void* from);
  /// Calls work(place, offset of its gate's columns in `parameters`, rows of the matrix, offset of the bias).
  template <class Work>
  void each_gate(const Work& work) const;

  Context& context_;
  LstmShape shape_;
  std::unique_ptr<Description> description_;
  std::size_t weight_bytes_ = 0;
  std::vector<Place> places_;  ///< by direction and linear layer, once known
  std::map<int, std::unique_ptr<Data>> by_samples_;
};

}  // namespace pipedeck::runtime::cuda
