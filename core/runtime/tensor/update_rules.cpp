// SPDX-License-Identifier: Apache-2.0
// Compiled without fused multiply-adds: these round the product and the sum once together, on some processors alone.
#include "core/runtime/tensor/update_rules.hpp"

#include <algorithm>
#include <cmath>

#include "core/runtime/tensor/processor_clones.hpp"

namespace pipedeck::runtime::tensor {
namespace {

PIPEDECK_KERNEL void sgd(float* __restrict weight, const float* __restrict gradient, float rate, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) weight[i] -= rate * gradient[i];
}

PIPEDECK_KERNEL void momentum(float* __restrict weight, const float* __restrict gradient, float* __restrict velocity,
                              float rate, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    velocity[i] = 0.9f * velocity[i] + gradient[i];
    weight[i] -= rate * velocity[i];
  }
}

PIPEDECK_KERNEL void rmsprop(float* __restrict weight, const float* __restrict gradient, float* __restrict square,
                             float rate, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    square[i] = 0.99f * square[i] + 0.01f * gradient[i] * gradient[i];
    weight[i] -= rate * gradient[i] / (std::sqrt(square[i]) + 1e-8f);
  }
}

/// Kingma and Ba, 2015, algorithm 1.
PIPEDECK_KERNEL void adam(float* __restrict weight, const float* __restrict gradient, float* __restrict first,
                          float* __restrict second, float rate, float second_correction, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    first[i] = 0.9f * first[i] + 0.1f * gradient[i];
    second[i] = 0.999f * second[i] + 0.001f * gradient[i] * gradient[i];
    weight[i] -= rate * first[i] / (std::sqrt(second[i] * second_correction) + 1e-8f);
  }
}

}  // namespace

void update_on_host(const UpdateRule& rule, const UpdatedValues& v) {
  switch (rule.kind) {
    case Optimizer::none:
      break;
    case Optimizer::sgd:
      sgd(v.weights, v.gradients, rule.rate, v.count);
      break;
    case Optimizer::momentum:
      momentum(v.weights, v.gradients, v.first, rule.rate, v.count);
      break;
    case Optimizer::rmsprop:
      rmsprop(v.weights, v.gradients, v.first, rule.rate, v.count);
      break;
    case Optimizer::adam:
      adam(v.weights, v.gradients, v.first, v.second, rule.rate, rule.second_correction, v.count);
      break;
  }
  std::fill_n(v.gradients, v.count, 0.0f);
}

}  // namespace pipedeck::runtime::tensor
