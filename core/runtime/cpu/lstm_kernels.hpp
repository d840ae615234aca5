// SPDX-License-Identifier: Apache-2.0
// The element-wise part of an LSTM's step, for one sample. Gates lie input, forget, candidate, output.
#pragma once

#include <cstdint>

namespace pipedeck {

/// `gates` (sums, in; gates, out), the cell and the output from the cell before (null at the first step).
void lstm_step(float* gates, float* cell, float* output, const float* cell_before, std::int64_t hidden);

/// `gates` become the gradients of their sums; `cell_gradient` (in: what later steps want) becomes that of the cell
/// before. `output_gradient` is all that is wanted of the output.
void lstm_step_backward(float* gates, float* cell_gradient, const float* output_gradient, const float* cell,
                        const float* cell_before, std::int64_t hidden);

}  // namespace pipedeck
