// SPDX-License-Identifier: Apache-2.0
// LSTM kernels with one thread per hidden value of a sample.
#include "core/runtime/cuda/kernels/each.cuh"

namespace pipedeck::runtime::cuda {
namespace {

__device__ float logistic(float x) { return 1.0f / (1.0f + expf(-x)); }

struct Step {
  layers::LstmStep s;
  template <int>
  __device__ void at(std::int64_t index) const {
    const std::int64_t n = index / s.hidden, i = index % s.hidden, h = s.hidden;
    float* gates = s.gates + n * s.gates_stride + i;
    const float before = s.cell_before == nullptr ? 0.0f : s.cell_before[n * s.cell_stride + i];
    const float in = logistic(gates[0]), forget = logistic(gates[h]), candidate = tanhf(gates[2 * h]),
                out = logistic(gates[3 * h]);
    const float cell = forget * before + in * candidate;
    gates[0] = in, gates[h] = forget, gates[2 * h] = candidate, gates[3 * h] = out;
    s.cell[n * s.cell_stride + i] = cell;
    s.output[n * s.output_stride + i] = out * tanhf(cell);
  }
};

struct StepBackward {
  layers::LstmStepBackward s;
  template <int>
  __device__ void at(std::int64_t index) const {
    const std::int64_t n = index / s.hidden, i = index % s.hidden, h = s.hidden;
    float* gates = s.gates + n * s.gates_stride + i;
    float* cell_gradient = s.cell_gradient + index;
    const float before = s.cell_before == nullptr ? 0.0f : s.cell_before[n * s.cell_stride + i];
    const float in = gates[0], forget = gates[h], candidate = gates[2 * h], out = gates[3 * h];
    const float squashed = tanhf(s.cell[n * s.cell_stride + i]), wanted = s.output_gradient[n * s.output_stride + i];
    const float of_cell = *cell_gradient + wanted * out * (1.0f - squashed * squashed);
    gates[0] = of_cell * candidate * in * (1.0f - in);
    gates[h] = of_cell * before * forget * (1.0f - forget);
    gates[2 * h] = of_cell * in * (1.0f - candidate * candidate);
    gates[3 * h] = wanted * squashed * out * (1.0f - out);
    *cell_gradient = of_cell * forget;
  }
};

}  // namespace

void lstm_step(cudaStream_t stream, const layers::LstmStep& step) {
  each<1>(stream, Step{step}, step.samples * step.hidden, true);
}

void lstm_step_backward(cudaStream_t stream, const layers::LstmStepBackward& step) {
  each<1>(stream, StepBackward{step}, step.samples * step.hidden, true);
}

}  // namespace pipedeck::runtime::cuda
