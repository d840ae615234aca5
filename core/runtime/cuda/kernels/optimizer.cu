// SPDX-License-Identifier: Apache-2.0
// Optimizer kernels. Every rule reads and writes each list once: weights, gradients (which become 0) and its state.
#include "core/runtime/cuda/kernels/each.cuh"

namespace pipedeck::runtime::cuda {
namespace {

struct Sgd {
  static constexpr int states = 0;
  float rate;
  __device__ float step(float gradient, float*) const { return rate * gradient; }
};

struct Momentum {
  static constexpr int states = 1;
  float rate;
  __device__ float step(float gradient, float* velocity) const {
    velocity[0] = 0.9f * velocity[0] + gradient;
    return rate * velocity[0];
  }
};

struct RmsProp {
  static constexpr int states = 1;
  float rate;
  __device__ float step(float gradient, float* square) const {
    square[0] = 0.99f * square[0] + 0.01f * gradient * gradient;
    return rate * gradient / (sqrtf(square[0]) + 1e-8f);
  }
};

/// Kingma and Ba, 2015, algorithm 1.
struct Adam {
  static constexpr int states = 2;
  AdamFactors factors;
  __device__ float step(float gradient, float* state) const {
    state[0] = 0.9f * state[0] + 0.1f * gradient;
    state[1] = 0.999f * state[1] + 0.001f * gradient * gradient;
    return factors.rate * state[0] / (sqrtf(state[1] * factors.second_correction) + 1e-8f);
  }
};

template <class Rule>
struct Update {
  Rule rule;
  float *weight, *gradient, *state[2];
  Bf16* rounded;
  template <int Width>
  __device__ void at(std::int64_t i) const {
    auto weights = load<Width>(weight + i);
    const auto gradients = load<Width>(gradient + i);
    Pack<Width> states[2]{};
    PIPEDECK_UNROLL
    for (int s = 0; s < Rule::states; ++s) states[s] = load<Width>(state[s] + i);
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k) {
      float own[2] = {states[0].value[k], states[1].value[k]};
      weights.value[k] -= rule.step(gradients.value[k], own);
      states[0].value[k] = own[0];
      states[1].value[k] = own[1];
    }
    store(weight + i, weights);
    store(gradient + i, Pack<Width>{});
    PIPEDECK_UNROLL
    for (int s = 0; s < Rule::states; ++s) store(state[s] + i, states[s]);
    if (rounded != nullptr) store(rounded + i, weights);
  }
};

template <class Rule>
void update(cudaStream_t stream, const Update<Rule>& work, std::int64_t count) {
  constexpr int width = full_width<float>;
  each<width>(stream, work, count,
              are_aligned<width>(work.weight, work.gradient, work.state[0], work.state[1], work.rounded));
}

}  // namespace

void sgd_update(cudaStream_t stream, float* weight, float* gradient, Bf16* rounded, float rate, std::int64_t count) {
  update(stream, Update<Sgd>{{rate}, weight, gradient, {nullptr, nullptr}, rounded}, count);
}

void momentum_update(cudaStream_t stream, float* weight, float* gradient, float* velocity, Bf16* rounded, float rate,
                     std::int64_t count) {
  update(stream, Update<Momentum>{{rate}, weight, gradient, {velocity, nullptr}, rounded}, count);
}

void rmsprop_update(cudaStream_t stream, float* weight, float* gradient, float* square, Bf16* rounded, float rate,
                    std::int64_t count) {
  update(stream, Update<RmsProp>{{rate}, weight, gradient, {square, nullptr}, rounded}, count);
}

void adam_update(cudaStream_t stream, float* weight, float* gradient, float* first, float* second, Bf16* rounded,
                 AdamFactors factors, std::int64_t count) {
  update(stream, Update<Adam>{{factors}, weight, gradient, {first, second}, rounded}, count);
}

}  // namespace pipedeck::runtime::cuda
