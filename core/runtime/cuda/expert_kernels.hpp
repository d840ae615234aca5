// SPDX-License-Identifier: Apache-2.0
// Kernels of a mixture of experts, in the terms of core/runtime/cpu/routing.hpp. The rules of kernels.hpp apply: calls
// enqueue and return, T is float or Bf16, and equal calls give equal bits. Whole numbers on the device are 32-bit.
//
// A choice is one of a token's experts. Choice c is number c % per_token of token c / per_token. A place is the row of
// a choice in the order of experts, then of choices; -1 if the expert drops it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

namespace pipedeck::runtime::cuda {

struct ExpertRouting {
  std::int64_t samples, sequence, experts, per_token;
  bool sigmoid;           ///< scores of single experts (DeepSeek-V3); else a softmax over all of them
  bool normalised;        ///< the weights of a token's experts sum to `scale`
  float scale;            ///< of the weights
  std::int64_t capacity;  ///< choices of a sample that an expert takes; further ones are dropped
  __host__ __device__ std::int64_t tokens() const { return samples * sequence; }
  __host__ __device__ std::int64_t sample_choices() const { return sequence * per_token; }
  std::int64_t choices() const { return tokens() * per_token; }
};

// ---- the router: kernels/router.cu

/// scores (tokens x experts) = those of the logits; choices and weights (tokens x per_token) = the experts of the
/// highest scores, and their weights. Ties go to the lower expert. Where scores are NaN the choices are any experts.
/// `biases`, one per expert or null, are added to the scores for the choice alone (DeepSeek-V3, arXiv 2412.19437,
/// equation 16).
void choose_experts(cudaStream_t stream, float* scores, int* choices, float* weights, const float* logits,
                    const float* biases, const ExpertRouting& routing);
/// excess (one per expert) += its choices by `loads` (samples x experts), times the number of experts, less all
/// choices: whole numbers, which are 0 for an even load.
void add_load_excess(cudaStream_t stream, float* excess, const int* loads, const ExpertRouting& routing);
/// biases -= rate * sign(excess), excess = 0. A bias whose excess is 0 stays.
void balance_biases(cudaStream_t stream, float* biases, float* excess, float rate, std::int64_t count);
/// logit_gradient = that of the scores' logits, from that of the weights (dropped choices: 0), which includes the
/// gradient of factor * sum_i f_i p_i for each token (Switch Transformer, arXiv 2101.03961, equation 4). f_i is the
/// fraction of a sample's choices that fell on expert i, by `loads` (samples x experts), and p_i the expert's share of
/// the token's scores. A factor of 0 needs no loads.
void router_backward(cudaStream_t stream, float* logit_gradient, const float* weight_gradient, const int* choices,
                     const float* scores, const int* loads, float factor, const ExpertRouting& routing);

// ---- rows in the order of experts: kernels/expert_rows.cu

std::size_t place_choices_scratch(const ExpertRouting& routing);
/// loads (samples x experts) = each sample's choices of each expert, the dropped ones included. Throws
/// std::invalid_argument for 2^31 choices or more.
void count_choices(cudaStream_t stream, int* loads, const int* choices, void* scratch, const ExpertRouting& routing);
/// places = the place of each choice; first (experts + 1) = the first row of each expert, and the end; loads as
/// count_choices. `earlier` (samples x experts) = the choices of each sample that other ranks have before these: an
/// expert takes as many fewer. Null: there are none.
void place_choices(cudaStream_t stream, int* places, int* first, int* loads, const int* earlier, const int* choices,
                   void* scratch, const ExpertRouting& routing);
/// earlier = the sums of `gathered` (ranks x count) over the ranks before `rank`, all = those over all ranks.
void sum_loads(cudaStream_t stream, int* earlier, int* all, const int* gathered, std::int64_t count, int ranks,
               int rank);

/// `tokens` rows of `width` values, and per_token choices of each.
struct ChosenRows {
  std::int64_t tokens, per_token, width;
};
/// Copies each token's row of `in` to the places of its choices, times their weights unless these are null. Exists for
/// equal types, and from float to Bf16.
template <class To, class From>
void permute_rows(cudaStream_t stream, To* out, const From* in, const int* places, const float* weights,
                  const ChosenRows& shape);
/// Adds to each token's row of `out` the rows at the places of its choices, times their weights unless these are null.
template <class T>
void add_unpermuted_rows(cudaStream_t stream, float* out, const T* rows, const int* places, const float* weights,
                         const ChosenRows& shape);
/// Computes the gradients of weight * silu(gate) * up at the places, from `out_gradient`, that of the weighted outputs.
/// Rows of `in` are gates, then ups (silu_gate); those of `out` are its results; shape.width is that of `out`.
/// in_gradient = that of `in`; weight_gradient = each choice's, 0 if it is dropped.
template <class T>
void expert_gate_backward(cudaStream_t stream, T* in_gradient, float* weight_gradient, const T* out_gradient,
                          const T* in, const T* out, const int* places, const float* weights, const ChosenRows& shape);

}  // namespace pipedeck::runtime::cuda
