// SPDX-License-Identifier: Apache-2.0
// The passes of an LSTM of one layer through cuDNN, the gradients of input and weights apart. Parameters lie as in
// core/runtime/cpu/lstm.cpp: of each direction the input's weights [in][4 hidden], the hidden state's
// [hidden][4 hidden], and two biases [4 hidden], gates in the order input, forget, candidate, output. All is 32-bit
// floats, products in tf32 unless the context's precision is fp32.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/runtime/cuda/context.hpp"

namespace pipedeck::cuda {

struct LstmShape {
  std::int64_t in, hidden, sequence, directions;
  std::int64_t in_values() const { return sequence * in; }                    ///< a sample
  std::int64_t out_values() const { return sequence * directions * hidden; }  ///< a sample
  std::int64_t direction_parameters() const { return 4 * hidden * (in + hidden + 2); }
};

/// All functions put work on the context's stream; they throw CudaError, OutOfMemory.
class Lstm {
 public:
  Lstm(Context& context, const LstmShape& shape);
  ~Lstm();

  /// What forward keeps for both backward passes of one micro-batch, in bytes.
  std::size_t kept_bytes(int samples);

  void forward(float* out, void* kept, const float* in, const float* parameters, int samples);
  /// Before backward_weight. in_gradient may be null where nobody wants it.
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
  /// work(place, where its gate's columns begin in `parameters`, rows of the matrix, the bias there)
  template <class Work>
  void each_gate(const Work& work) const;

  Context& context_;
  LstmShape shape_;
  std::unique_ptr<Description> description_;
  std::size_t weight_bytes_ = 0;
  std::vector<Place> places_;  ///< by direction and linear layer, once known
  std::map<int, std::unique_ptr<Data>> by_samples_;
};

}  // namespace pipedeck::cuda
