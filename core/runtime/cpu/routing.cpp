// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/routing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/cpu/row_products.hpp"

namespace pipedeck::runtime::cpu {
namespace {

constexpr float smallest_sum = 1e-20f;  // sigmoids may all be 0

std::int64_t expert_of(float choice) {
  const auto stored = static_cast<std::int64_t>(choice);
  return stored < 0 ? -1 - stored : stored;
}

/// Returns f_i of Switch Transformer's equation 4: the fraction of each expert in the choices of a whole sample.
std::vector<float> fractions(const float* loads, const RouterShape& shape) {
  std::vector<float> f(loads, loads + shape.experts);
  for (float& share : f) share /= static_cast<float>(shape.positions * shape.per_token);
  return f;
}

/// Adds the gradient of factor * sum_i f_i p_i for one token, where p is the token's scores over their sum.
void add_balance_gradient(float* gradient, const float* scores, const std::vector<float>& f, float factor,
                          const RouterShape& shape) {
  const auto e = static_cast<std::size_t>(shape.experts);
  const float sum = shape.sigmoid ? std::accumulate(scores, scores + e, smallest_sum) : 1.0f;
  float mean = 0;
  if (shape.sigmoid)
    for (std::size_t i = 0; i < e; ++i) mean += f[i] * scores[i] / sum;
  for (std::size_t i = 0; i < e; ++i) gradient[i] += factor * (f[i] - mean) / sum;
}

/// Adds the gradient of a token's chosen scores.
void add_choice_gradient(float* gradient, const float* weight_gradient, const float* choices, const float* scores,
                         const RouterShape& shape) {
  float sum = smallest_sum, projection = 0;
  for (std::int64_t j = 0; j < shape.per_token; ++j) {
    const float score = scores[expert_of(choices[j])];
    sum += score;
    projection += weight_gradient[j] * score;
  }
  for (std::int64_t j = 0; j < shape.per_token; ++j)
    gradient[expert_of(choices[j])] +=
        shape.scale * (shape.normalised ? (weight_gradient[j] - projection / sum) / sum : weight_gradient[j]);
}

/// Puts the `count` indices of the highest scores first. Ties go to the lower index.
void put_best_first(std::vector<std::int64_t>& order, std::int64_t count, const std::vector<float>& scores) {
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](std::int64_t a, std::int64_t b) {
    const float x = scores[static_cast<std::size_t>(a)], y = scores[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  });
}

/// A choice of groups of experts for one token after the other.
class GroupChoice {
 public:
  explicit GroupChoice(const RouterShape& shape)
      : shape_(shape), scores_(static_cast<std::size_t>(shape.groups)), order_(scores_.size()) {}

  /// Sets the scores of experts in groups that are not chosen below all others.
  void exclude(std::vector<float>& scores) {
    if (shape_.groups_per_token == shape_.groups) return;
    const std::int64_t size = shape_.experts / shape_.groups;
    for (std::int64_t group = 0; group < shape_.groups; ++group)
      scores_[static_cast<std::size_t>(group)] = score_of(scores.begin() + group * size, size);
    put_best_first(order_, shape_.groups_per_token, scores_);
    for (std::size_t i = static_cast<std::size_t>(shape_.groups_per_token); i < order_.size(); ++i)
      std::fill_n(scores.begin() + order_[i] * size, size, -std::numeric_limits<float>::infinity());
  }

 private:
  float score_of(std::vector<float>::const_iterator first, std::int64_t size) const {
    if (shape_.bias_rate == 0) return *std::max_element(first, first + size);
    float best = -std::numeric_limits<float>::infinity(), second = best;
    for (auto score = first; score != first + size; ++score)
      if (*score > best)
        second = std::exchange(best, *score);
      else
        second = std::max(second, *score);
    return best + second;
  }

  const RouterShape& shape_;
  std::vector<float> scores_;
  std::vector<std::int64_t> order_;
};

template <class Work>
void for_each_expert(ExpertEnds first, const Work& work) {
  for (std::size_t expert = 0; expert + 1 < first.size(); ++expert)
    if (const std::int64_t count = first[expert + 1] - first[expert]; count > 0)
      work(static_cast<std::int64_t>(expert), first[expert], count);
}

}  // namespace

void score_experts(tensor::Tensor& logits, const RouterShape& shape) {
  if (shape.sigmoid) return logistic_in_place(logits.data(), logits.size());
  for (std::int64_t first = 0; first < logits.size(); first += shape.experts)
    softmax_row(logits.data() + first, shape.experts, shape.experts);
}

void add_load_excess(float* excess, const tensor::Tensor& choices, const RouterShape& shape) {
  const auto all = static_cast<float>(choices.size());
  for (std::int64_t i = 0; i < choices.size(); ++i)
    excess[expert_of(choices.data()[i])] += static_cast<float>(shape.experts);
  for (std::int64_t expert = 0; expert < shape.experts; ++expert) excess[expert] -= all;
}

void choose_experts(tensor::Tensor& choices, tensor::Tensor& weights, const tensor::Tensor& scores,
                    const RouterShape& shape, const float* biases) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(shape.experts));
  std::vector<float> biased(order.size());
  GroupChoice groups(shape);
  for (std::int64_t row = 0; row < scores.size() / shape.experts; ++row) {
    const float* score = scores.data() + row * shape.experts;
    float *choice = choices.data() + row * shape.per_token, *weight = weights.data() + row * shape.per_token;
    std::copy_n(score, shape.experts, biased.begin());
    if (biases) add(biased.data(), biases, shape.experts);
    groups.exclude(biased);
    put_best_first(order, shape.per_token, biased);
    float sum = smallest_sum;
    for (std::int64_t j = 0; j < shape.per_token; ++j) {
      const std::int64_t expert = order[static_cast<std::size_t>(j)];
      choice[j] = static_cast<float>(expert);
      weight[j] = score[expert];
      sum += score[expert];
    }
    scale(weight, shape.normalised ? shape.scale / sum : shape.scale, shape.per_token);
  }
}

tensor::Tensor count_choices(const tensor::Tensor& choices, const RouterShape& shape, std::int64_t split) {
  tensor::Tensor counts = tensor::Tensor::zeros(choices.memory(), choices.samples(), 2 * shape.experts);
  for (int sample = 0; sample < choices.samples(); ++sample)
    for (std::int64_t i = 0; i < choices.width(); ++i) {
      const std::int64_t range = i < split * shape.per_token ? 0 : 1;
      counts.data()[(2 * sample + range) * shape.experts + expert_of(choices.data()[sample * choices.width() + i])] +=
          1;
    }
  return counts;
}

void drop_beyond_capacity(tensor::Tensor& choices, const tensor::Tensor& before, const RouterShape& shape,
                          std::int64_t split) {
  const std::int64_t even = shape.positions * shape.per_token * shape.capacity_percent,
                     capacity = (even + 100 * shape.experts - 1) / (100 * shape.experts);
  for (int sample = 0; sample < choices.samples(); ++sample) {
    float* const own = choices.data() + sample * choices.width();
    for (std::int64_t range = 0; range < 2; ++range) {
      const float* const first = before.data() + (2 * sample + range) * shape.experts;
      std::vector<float> taken(first, first + shape.experts);
      const std::int64_t end = range == 0 ? split * shape.per_token : choices.width();
      for (std::int64_t i = range == 0 ? 0 : split * shape.per_token; i < end; ++i)
        if (++taken[static_cast<std::size_t>(own[i])] > static_cast<float>(capacity)) own[i] = -1 - own[i];
    }
  }
}

tensor::Tensor router_backward(const tensor::Tensor& weight_gradient, const tensor::Tensor& choices,
                               const tensor::Tensor& scores, const tensor::Tensor& loads, const RouterShape& shape,
                               float sample_scale) {
  const std::int64_t e = shape.experts, k = shape.per_token;
  tensor::Tensor gradient = tensor::Tensor::zeros(scores.memory(), scores.samples(), scores.width());
  const float factor = shape.auxiliary * sample_scale * static_cast<float>(e) / static_cast<float>(shape.positions);
  std::vector<float> share;
  for (std::int64_t row = 0; row < scores.size() / e; ++row) {
    float* to = gradient.data() + row * e;
    const float *score = scores.data() + row * e, *choice = choices.data() + row * k;
    if (factor != 0) {
      if (row % shape.sequence == 0) share = fractions(loads.data() + row / shape.sequence * e, shape);
      add_balance_gradient(to, score, share, factor, shape);
    }
    add_choice_gradient(to, weight_gradient.data() + row * k, choice, score, shape);
    if (!shape.sigmoid) softmax_row_backward(to, score, e, 1);
  }
  if (shape.sigmoid) logistic_backward(gradient.data(), scores.data(), scores.size());
  return gradient;
}

ExpertRows rows_by_expert(const tensor::Tensor& choices, const RouterShape& shape, TokenShare share) {
  ExpertRows rows{{}, std::vector<std::int64_t>(static_cast<std::size_t>(shape.experts) + 1), shape.per_token};
  const auto for_each_choice = [&](const auto& work) {
    for (std::int64_t token = share.rank; token < choices.size() / shape.per_token; token += share.ranks)
      for (std::int64_t i = token * shape.per_token; i < (token + 1) * shape.per_token; ++i)
        if (const float choice = choices.data()[i]; choice >= 0) work(static_cast<std::size_t>(choice), i);
  };
  for_each_choice([&](std::size_t expert, std::int64_t) { ++rows.first[expert + 1]; });
  std::partial_sum(rows.first.begin(), rows.first.end(), rows.first.begin());
  rows.choices.resize(static_cast<std::size_t>(rows.count()));
  std::vector<std::int64_t> next(rows.first.begin(), rows.first.end() - 1);
  for_each_choice(
      [&](std::size_t expert, std::int64_t i) { rows.choices[static_cast<std::size_t>(next[expert]++)] = i; });
  return rows;
}

tensor::Tensor permute(const tensor::Tensor& tokens, std::int64_t width, const ExpertRows& rows) {
  tensor::Tensor permuted = rows_like(tokens, width, rows.per_token * width);
  for (std::int64_t row = 0; row < rows.count(); ++row)
    std::copy_n(tokens.data() + rows.token(row) * width, width, permuted.data() + row * width);
  return permuted;
}

void add_unpermuted(tensor::Tensor& tokens, const tensor::Tensor& permuted, std::int64_t width, const ExpertRows& rows,
                    const float* weights) {
  for (std::int64_t row = 0; row < rows.count(); ++row)
    add_scaled(tokens.data() + rows.token(row) * width, permuted.data() + row * width,
               weights ? weights[rows.choices[static_cast<std::size_t>(row)]] : 1.0f, width);
}

tensor::Tensor row_weights(const tensor::Tensor& weights, const ExpertRows& rows) {
  tensor::Tensor of_rows = weights.empty_like();
  for (std::int64_t row = 0; row < rows.count(); ++row)
    of_rows.data()[row] = weights.data()[rows.choices[static_cast<std::size_t>(row)]];
  return of_rows;
}

void weigh(tensor::Tensor& permuted, std::int64_t width, const tensor::Tensor& weights, std::int64_t count) {
  for (std::int64_t row = 0; row < count; ++row) scale(permuted.data() + row * width, weights.data()[row], width);
}

tensor::Tensor expert_products(const tensor::Tensor& in, std::int64_t from, std::int64_t to, const float* weights,
                               ExpertEnds first) {
  tensor::Tensor out = rows_like(in, from, to);
  for_each_expert(first, [&](std::int64_t expert, std::int64_t row, std::int64_t count) {
    multiply(count, to, from, {in.data() + row * from, from}, {weights + expert * from * to, to}, out.data() + row * to,
             to);
  });
  return out;
}

tensor::Tensor expert_products_backward(const tensor::Tensor& gradient, std::int64_t from, std::int64_t to,
                                        const float* weights, ExpertEnds first) {
  tensor::Tensor out = rows_like(gradient, to, from);
  for_each_expert(first, [&](std::int64_t expert, std::int64_t row, std::int64_t count) {
    multiply(count, from, to, {gradient.data() + row * to, to}, tensor::transpose(weights + expert * from * to, to),
             out.data() + row * from, from);
  });
  return out;
}

void add_expert_gradients(float* sum, const tensor::Tensor& in, std::int64_t from, const tensor::Tensor& gradient,
                          std::int64_t to, ExpertEnds first) {
  for_each_expert(first, [&](std::int64_t expert, std::int64_t row, std::int64_t count) {
    multiply(from, to, count, tensor::transpose(in.data() + row * from, from), {gradient.data() + row * to, to},
             sum + expert * from * to, to, 1);
  });
}

}  // namespace pipedeck::runtime::cpu
