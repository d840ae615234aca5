// SPDX-License-Identifier: Apache-2.0
// The router of a mixture of experts: a warp has each token. A lane has the experts whose numbers are its own
// modulo 32.
#include "core/runtime/cuda/expert_kernels.hpp"
#include "core/runtime/cuda/kernels/each.cuh"
#include "core/runtime/cuda/kernels/rows.cuh"

namespace pipedeck::runtime::cuda {
namespace {

constexpr unsigned lanes = 32, tokens_at_once = 4;
constexpr float smallest_sum = 1e-20f;  ///< sigmoids may all be 0

struct Candidate {
  float score;
  int expert;
  /// True if this one is chosen before the other.
  __device__ bool before(const Candidate& other) const {
    return score > other.score || (score == other.score && expert < other.expert);
  }
};

/// Replaces a lane's logits by scores.
__device__ void score_token(float* scores, const float* logits, const ExpertRouting& routing) {
  if (routing.sigmoid) {
    for (std::int64_t i = threadIdx.x; i < routing.experts; i += lanes) scores[i] = 1.0f / (1.0f + expf(-logits[i]));
    return;
  }
  float most = -INFINITY, sum = 0;
  for (std::int64_t i = threadIdx.x; i < routing.experts; i += lanes) most = Larger{}(most, logits[i]);
  most = warp_reduce(most, Larger{});
  for (std::int64_t i = threadIdx.x; i < routing.experts; i += lanes) {
    scores[i] = expf(logits[i] - most);
    sum += scores[i];
  }
  sum = warp_reduce(sum, Adding{});
  for (std::int64_t i = threadIdx.x; i < routing.experts; i += lanes) scores[i] /= sum;
}

/// Returns the best candidate of all lanes that comes after `last`; its expert is negative if there is none. Biases may
/// be null.
__device__ Candidate best_after(const Candidate& last, const float* scores, const float* biases, std::int64_t experts) {
  Candidate best{-INFINITY, -1};
  for (std::int64_t i = threadIdx.x; i < experts; i += lanes) {
    const Candidate one{biases != nullptr ? scores[i] + biases[i] : scores[i], static_cast<int>(i)};
    if (last.before(one) && one.before(best)) best = one;
  }
  PIPEDECK_UNROLL
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    const Candidate other{__shfl_xor_sync(full_warp_mask, best.score, distance),
                          __shfl_xor_sync(full_warp_mask, best.expert, distance)};
    if (other.before(best)) best = other;
  }
  return best;
}

__global__ void __launch_bounds__(lanes* tokens_at_once)
    choose_experts_kernel(float* scores, int* choices, float* weights, const float* logits, const float* biases,
                          ExpertRouting routing) {
  const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * tokens_at_once + threadIdx.y;
  if (token >= routing.tokens()) return;
  scores += token * routing.experts, choices += token * routing.per_token, weights += token * routing.per_token;
  score_token(scores, logits + token * routing.experts, routing);
  __syncwarp();  // the first lane reads the scores of others
  Candidate last{INFINITY, -1};
  float sum = smallest_sum;
  for (int j = 0; j < routing.per_token; ++j) {
    last = best_after(last, scores, biases, routing.experts);
    if (threadIdx.x != 0) continue;
    const float score = last.expert < 0 ? NAN : scores[last.expert];
    sum += score;
    choices[j] = last.expert < 0 ? j : last.expert;
    weights[j] = score;
  }
  if (threadIdx.x != 0) return;
  const float factor = routing.normalised ? routing.scale / sum : routing.scale;
  for (int j = 0; j < routing.per_token; ++j) weights[j] *= factor;
}

struct RouterBackward {
  float* logit_gradient;
  const float* weight_gradient;
  const int* choices;
  const float* scores;
  const int* loads;
  float factor;
  ExpertRouting routing;
};

/// The sums over a token's chosen experts.
struct ChosenSums {
  float scores, projection;
};
__device__ ChosenSums sums_of_chosen(const float* weight_gradient, const int* choices, const float* scores,
                                     const ExpertRouting& routing) {
  ChosenSums sums{smallest_sum, 0};
  for (int j = 0; j < routing.per_token; ++j) {
    const float score = scores[choices[j]];
    sums.scores += score;
    sums.projection += weight_gradient[j] * score;
  }
  return sums;
}

/// Returns the gradient of a score from those of the weights.
__device__ float choice_gradient(int expert, const ChosenSums& sums, const float* weight_gradient, const int* choices,
                                 const ExpertRouting& routing) {
  float gradient = 0;
  for (int j = 0; j < routing.per_token; ++j) {
    if (choices[j] != expert) continue;
    const float own = weight_gradient[j];
    gradient += routing.scale * (routing.normalised ? (own - sums.projection / sums.scores) / sums.scores : own);
  }
  return gradient;
}

__global__ void __launch_bounds__(lanes* tokens_at_once) router_backward_kernel(RouterBackward work) {
  const ExpertRouting& routing = work.routing;
  const std::int64_t token = static_cast<std::int64_t>(blockIdx.x) * tokens_at_once + threadIdx.y;
  if (token >= routing.tokens()) return;
  const std::int64_t k = routing.per_token, e = routing.experts;
  float* const to = work.logit_gradient + token * e;
  const float* const scores = work.scores + token * e;
  const int* const choices = work.choices + token * k;
  const float* const weight_gradient = work.weight_gradient + token * k;
  const std::int64_t sample = token / routing.sequence * e;
  const auto fraction = [&](std::int64_t i) {
    return static_cast<float>(work.loads[sample + i]) / static_cast<float>(routing.sample_choices());
  };
  float sum = 1, mean = 0;
  if (routing.sigmoid && work.factor != 0) {
    float all = 0, product = 0;
    for (std::int64_t i = threadIdx.x; i < e; i += lanes) all += scores[i], product += fraction(i) * scores[i];
    sum = warp_reduce(all, Adding{}) + smallest_sum;
    mean = warp_reduce(product, Adding{}) / sum;
  }
  const ChosenSums sums = sums_of_chosen(weight_gradient, choices, scores, routing);
  float projection = 0;
  for (std::int64_t i = threadIdx.x; i < e; i += lanes) {
    float gradient = choice_gradient(static_cast<int>(i), sums, weight_gradient, choices, routing);
    if (work.factor != 0) gradient += work.factor * (fraction(i) - mean) / sum;
    to[i] = gradient;
    projection += gradient * scores[i];
  }
  if (!routing.sigmoid) projection = warp_reduce(projection, Adding{});
  for (std::int64_t i = threadIdx.x; i < e; i += lanes)
    to[i] = scores[i] * (routing.sigmoid ? to[i] * (1.0f - scores[i]) : to[i] - projection);
}

/// One thread for each expert.
struct LoadExcess {
  float* excess;
  const int* loads;
  ExpertRouting routing;
  template <int Width>
  __device__ void at(std::int64_t expert) const {
    std::int64_t own = 0;
    for (std::int64_t sample = 0; sample < routing.samples; ++sample) own += loads[sample * routing.experts + expert];
    excess[expert] += static_cast<float>(own * routing.experts - routing.samples * routing.sample_choices());
  }
};

struct Balance {
  float *biases, *excess;
  float rate;
  template <int Width>
  __device__ void at(std::int64_t i) const {
    const float more = excess[i];
    if (more != 0.0f) biases[i] -= more > 0.0f ? rate : -rate;
    excess[i] = 0.0f;
  }
};

Shape shape_of(const ExpertRouting& routing) {
  return {static_cast<unsigned>(divided_up(routing.tokens(), tokens_at_once)), {lanes, tokens_at_once}};
}

}  // namespace

void choose_experts(cudaStream_t stream, float* scores, int* choices, float* weights, const float* logits,
                    const float* biases, const ExpertRouting& routing) {
  if (routing.tokens() <= 0) return;
  launch(choose_experts_kernel, shape_of(routing), stream, scores, choices, weights, logits, biases, routing);
}

void add_load_excess(cudaStream_t stream, float* excess, const int* loads, const ExpertRouting& routing) {
  if (routing.tokens() <= 0) return;
  each<1>(stream, LoadExcess{excess, loads, routing}, routing.experts, true);
}

void balance_biases(cudaStream_t stream, float* biases, float* excess, float rate, std::int64_t count) {
  each<1>(stream, Balance{biases, excess, rate}, count, true);
}

void router_backward(cudaStream_t stream, float* logit_gradient, const float* weight_gradient, const int* choices,
                     const float* scores, const int* loads, float factor, const ExpertRouting& routing) {
  if (routing.tokens() <= 0) return;
  launch(router_backward_kernel, shape_of(routing), stream,
         RouterBackward{logit_gradient, weight_gradient, choices, scores, loads, factor, routing});
}

}  // namespace pipedeck::runtime::cuda
