// SPDX-License-Identifier: Apache-2.0
// Attention and its gradient by plain loops in double that store all scores: what kernels are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::test {

/// Attention of packed queries, keys and values; see kernels.hpp for the order of all lists.
struct PlainAttention {
  using Round = std::function<double(double)>;

  /// `round` is that of the output's type: the gradient is that of the rounded output.
  PlainAttention(const std::vector<double>& qkv, const std::vector<double>& out_gradient,
                 const runtime::cuda::AttentionShape& shape, const Round& round)
      : out(size(shape.rows() * shape.hidden())),
        logsumexp(size(shape.rows() * shape.heads)),
        qkv_gradient(qkv.size()) {
    for (std::int64_t sample = 0; sample < shape.samples; ++sample)
      for (std::int64_t head = 0; head < shape.heads; ++head) add_head(qkv, out_gradient, shape, round, sample, head);
  }

  std::vector<double> out, logsumexp, qkv_gradient;

 private:
  static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

  void add_head(const std::vector<double>& qkv, const std::vector<double>& out_gradient,
                const runtime::cuda::AttentionShape& shape, const Round& round, std::int64_t sample,
                std::int64_t head) {
    const std::int64_t n = shape.sequence, d = shape.head_size, hidden = shape.hidden();
    const double scale = 1 / std::sqrt(static_cast<double>(d));
    const auto packed = [&](std::int64_t row, std::int64_t part, std::int64_t i) {
      return size(((sample * n + row) * 3 + part) * hidden + head * d + i);
    };
    const auto plain = [&](std::int64_t row, std::int64_t i) {
      return size((sample * n + row) * hidden + head * d + i);
    };
    for (std::int64_t row = 0; row < n; ++row) {
      const std::int64_t seen = shape.causal ? row + 1 : n;
      std::vector<double> weight(size(seen)), gradient(size(seen));
      double most = -1e300, sum = 0, delta = 0;
      for (std::int64_t k = 0; k < seen; ++k) {
        for (std::int64_t i = 0; i < d; ++i) weight[size(k)] += scale * qkv[packed(row, 0, i)] * qkv[packed(k, 1, i)];
        most = std::max(most, weight[size(k)]);
      }
      for (double& value : weight) sum += value = std::exp(value - most);
      logsumexp[size((sample * shape.heads + head) * n + row)] = most + std::log(sum);
      for (std::int64_t k = 0; k < seen; ++k) {
        weight[size(k)] /= sum;
        for (std::int64_t i = 0; i < d; ++i) {
          out[plain(row, i)] += weight[size(k)] * qkv[packed(k, 2, i)];
          gradient[size(k)] += out_gradient[plain(row, i)] * qkv[packed(k, 2, i)];
        }
      }
      for (std::int64_t i = 0; i < d; ++i) delta += out_gradient[plain(row, i)] * round(out[plain(row, i)]);
      for (std::int64_t k = 0; k < seen; ++k) {
        const double of_score = weight[size(k)] * (gradient[size(k)] - delta) * scale;
        for (std::int64_t i = 0; i < d; ++i) {
          qkv_gradient[packed(row, 0, i)] += of_score * qkv[packed(k, 1, i)];
          qkv_gradient[packed(k, 1, i)] += of_score * qkv[packed(row, 0, i)];
          qkv_gradient[packed(k, 2, i)] += weight[size(k)] * out_gradient[plain(row, i)];
        }
      }
    }
  }
};

inline std::string text_of(const runtime::cuda::AttentionShape& shape) {
  return std::to_string(shape.samples) + " samples, " + std::to_string(shape.sequence) + " positions, " +
         std::to_string(shape.heads) + " heads of " + std::to_string(shape.head_size) +
         (shape.causal ? ", causal" : "");
}

}  // namespace pipedeck::test
