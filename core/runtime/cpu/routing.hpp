// SPDX-License-Identifier: Apache-2.0
// A mixture of experts in separate steps: the choice of each token's experts, the permutation of tokens into the order
// of their experts, products with each expert's own weights, and the way back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cpu {

struct RouterShape {
  std::int64_t experts, per_token;
  std::int64_t sequence;              ///< tokens of a sample on this rank
  std::int64_t positions;             ///< tokens of a whole sample, on all context ranks
  bool sigmoid;                       ///< scores of single experts (DeepSeek-V3); else a softmax over all of them
  bool normalised;                    ///< the weights of a token's experts sum to `scale`
  float scale;                        ///< of the weights
  float auxiliary;                    ///< coefficient of the loss that balances the experts
  std::int64_t capacity_percent;      ///< of an even share of a sample's tokens that an expert takes; 0: all
  float bias_rate = 0;                ///< by which a step moves the biases of the choice; 0: there are none
  std::int64_t groups = 1;            ///< of equally many experts, one after the other
  std::int64_t groups_per_token = 1;  ///< of which a token's experts are chosen
};

/// Replaces rows of logits by scores.
void score_experts(tensor::Tensor& logits, const RouterShape& shape);

/// Chooses the experts of the highest scores, and their weights: `per_token` of each per row. Ties go to the lower
/// expert. `biases`, one per expert or null, are added to the scores for the choice alone (DeepSeek-V3, arXiv
/// 2412.19437, equation 16). A token's experts are of the groups of the highest scores: a group's is that of its best
/// expert (DeepSeek-V2, arXiv 2405.04434, section 2.2.2), or with biases the sum of its two best (DeepSeek-V3, section
/// 2.1.2, as its published code has it).
void choose_experts(tensor::Tensor& choices, tensor::Tensor& weights, const tensor::Tensor& scores,
                    const RouterShape& shape, const float* biases = nullptr);

/// Adds each expert's choices, also dropped ones, times the number of experts, less the choices of all: whole numbers,
/// which are 0 for an even load.
void add_load_excess(float* excess, const tensor::Tensor& choices, const RouterShape& shape);

/// Returns the number of each expert's choices in the first `split` of a sample's tokens on this rank, and in the
/// others: samples x (2 x experts).
tensor::Tensor count_choices(const tensor::Tensor& choices, const RouterShape& shape, std::int64_t split);

/// Drops the choices beyond an expert's capacity, in the order of a whole sample's positions. A dropped choice is
/// stored as -1 - expert. `before`, shaped as count_choices() returns it, has the choices of all positions before each
/// of the two ranges.
void drop_beyond_capacity(tensor::Tensor& choices, const tensor::Tensor& before, const RouterShape& shape,
                          std::int64_t split);

/// Returns the gradient of the logits from that of the weights (dropped choices: 0). Includes the auxiliary loss
/// E sum_i f_i P_i of each sample, times `auxiliary` and `sample_scale` (Switch Transformer, arXiv 2101.03961, equation
/// 4): f_i is the fraction of choices that fell on expert i, P_i its mean share of a token's scores. `loads`: samples x
/// experts, the number of choices of a whole sample that fell on each expert.
tensor::Tensor router_backward(const tensor::Tensor& weight_gradient, const tensor::Tensor& choices,
                               const tensor::Tensor& scores, const tensor::Tensor& loads, const RouterShape& shape,
                               float sample_scale);

/// The choices that are not dropped, in the order of their experts, and of tokens within an expert.
struct ExpertRows {
  std::vector<std::int64_t> choices;  ///< numbers of choices: token * per_token + rank
  std::vector<std::int64_t> first;    ///< of each expert, and the end
  std::int64_t per_token;

  std::int64_t count() const { return first.back(); }
  std::int64_t token(std::int64_t row) const { return choices[static_cast<std::size_t>(row)] / per_token; }
};
/// The tokens of a rank among those that all tensor-parallel ranks have: every `ranks`-th one.
struct TokenShare {
  int rank = 0, ranks = 1;
};
ExpertRows rows_by_expert(const tensor::Tensor& choices, const RouterShape& shape, TokenShare share = {});

/// Copies the tokens' rows of `width` values into the order of the experts.
tensor::Tensor permute(const tensor::Tensor& tokens, std::int64_t width, const ExpertRows& rows);
/// Adds rows in the order of the experts to those of their tokens, each times its choice's weight; null: times 1.
void add_unpermuted(tensor::Tensor& tokens, const tensor::Tensor& permuted, std::int64_t width, const ExpertRows& rows,
                    const float* weights);
/// Returns the weight of each row's choice, in the order of the experts.
tensor::Tensor row_weights(const tensor::Tensor& weights, const ExpertRows& rows);
/// Multiplies `count` rows by their weights.
void weigh(tensor::Tensor& permuted, std::int64_t width, const tensor::Tensor& weights, std::int64_t count);

// Products of the rows of each expert with its own weights (from x to), which follow each other. `first` is the first
// row of each expert, and the end.
using ExpertEnds = std::span<const std::int64_t>;
tensor::Tensor expert_products(const tensor::Tensor& in, std::int64_t from, std::int64_t to, const float* weights,
                               ExpertEnds first);
tensor::Tensor expert_products_backward(const tensor::Tensor& gradient, std::int64_t from, std::int64_t to,
                                        const float* weights, ExpertEnds first);
void add_expert_gradients(float* sum, const tensor::Tensor& in, std::int64_t from, const tensor::Tensor& gradient,
                          std::int64_t to, ExpertEnds first);

}  // namespace pipedeck::runtime::cpu
