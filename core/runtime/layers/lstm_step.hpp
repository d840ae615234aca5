// SPDX-License-Identifier: Apache-2.0
// The element-wise part of an LSTM's step for all samples of a micro-batch, as layers pass it to a device. Pointers
// refer to the first sample; the next one is `..._stride` floats later. The order of gates is input, forget, candidate,
// output.
#pragma once

#include <cstdint>

namespace pipedeck::runtime::layers {

/// Arguments of a step: `gates` (sums, in; gates, out), the new cell and output, and the previous cell (null at the
/// first step).
struct LstmStep {
  float* gates;
  float* cell;
  const float* cell_before;
  float* output;
  std::int64_t gates_stride, cell_stride, output_stride;
  std::int64_t samples, hidden;
};

/// Arguments of a backward step. `gates` become the gradients of their sums. `cell_gradient` (in: from later steps;
/// `hidden` floats per sample) becomes that of the previous cell. `output_gradient` is the output's total gradient.
struct LstmStepBackward {
  float* gates;
  float* cell_gradient;
  const float* output_gradient;
  const float* cell;
  const float* cell_before;
  std::int64_t gates_stride, cell_stride, output_stride;
  std::int64_t samples, hidden;
};

}  // namespace pipedeck::runtime::layers
