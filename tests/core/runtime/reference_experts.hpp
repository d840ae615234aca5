// SPDX-License-Identifier: Apache-2.0
// A mixture of experts in double precision, token by token, expert by expert.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/core/runtime/reference_decoder.hpp"

namespace pipedeck::test {

/// Returns the experts that a token may choose: those of the groups of the highest scores. A group's score is that of
/// its best expert, or the sum of its two best (`of_two`).
inline std::vector<bool> experts_of_best_groups(const ModelLayer& layer, const Vector& scores, bool of_two) {
  const auto size = [&](const char* key) { return static_cast<std::size_t>(layer.size(key)); };
  const std::size_t groups = size("groups"), members = scores.size() / groups,
                    chosen = size("groups_per_token") == 0 ? groups : size("groups_per_token");
  Vector of_groups;
  for (std::size_t group = 0; group < groups; ++group) {
    Vector own(scores.begin() + static_cast<std::ptrdiff_t>(group * members),
               scores.begin() + static_cast<std::ptrdiff_t>((group + 1) * members));
    std::ranges::sort(own, std::greater());
    of_groups.push_back(own[0] + (of_two ? own[1] : 0));
  }
  std::vector<bool> open(scores.size());
  for (std::size_t expert = 0; expert < open.size(); ++expert) {
    std::size_t better = 0;
    for (std::size_t group = 0; group < groups; ++group)
      if (of_groups[group] > of_groups[expert / members]) ++better;
    open[expert] = better < chosen;
  }
  return open;
}

struct ExpertsResult {
  Vector output;
  double auxiliary = 0;  ///< the layer's own loss, summed over samples
};

inline ExpertsResult reference_experts(const ModelLayer& layer, const Vector& x, const Vector& p) {
  const auto size = [&](const char* key) { return static_cast<std::size_t>(layer.size(key)); };
  const std::size_t h = size("hidden"), f = size("feed_forward"), e = size("experts"), k = size("per_token"),
                    s = size("sequence"), shared = size("shared_feed_forward");
  const Vector normal = DecoderReference(layer, p).norm(x, h, 0);
  const std::size_t router = h, in = router + h * e, out = in + e * h * 2 * f, shared_in = out + e * f * h,
                    shared_out = shared_in + 2 * h * shared;
  /// Adds weight * a gated feed-forward of a row, whose two products begin at these parameters.
  const auto add = [&](Vector& y, std::size_t row, std::size_t first, std::size_t last, std::size_t width,
                       double weight) {
    for (std::size_t c = 0; c < width; ++c) {
      double gate = 0, up = 0;
      for (std::size_t i = 0; i < h; ++i) {
        gate += normal[row * h + i] * p[first + i * 2 * width + c];
        up += normal[row * h + i] * p[first + i * 2 * width + width + c];
      }
      const double active = gate / (1 + std::exp(-gate)) * up;
      for (std::size_t i = 0; i < h; ++i) y[row * h + i] += weight * active * p[last + c * h + i];
    }
  };
  ExpertsResult result{x, 0};
  Vector chosen_share(e), mean_share(e);
  std::vector<std::size_t> taken(e);
  for (std::size_t row = 0; row < x.size() / h; ++row) {
    if (row % s == 0) chosen_share.assign(e, 0), mean_share.assign(e, 0), taken.assign(e, 0);
    Vector score(e);
    double sum = 0;
    for (std::size_t i = 0; i < e; ++i) {
      double logit = 0;
      for (std::size_t c = 0; c < h; ++c) logit += normal[row * h + c] * p[router + c * e + i];
      score[i] = size("sigmoid") == 1 ? 1 / (1 + std::exp(-logit)) : std::exp(logit);
      sum += score[i];
    }
    for (std::size_t i = 0; i < e; ++i) mean_share[i] += score[i] / sum / static_cast<double>(s);
    if (size("sigmoid") == 0)
      for (double& one : score) one /= sum;
    std::vector<std::size_t> order(e);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<bool> open = experts_of_best_groups(layer, score, false);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return open[a] == open[b] ? score[a] > score[b] : static_cast<bool>(open[a]);
    });
    double chosen = 0;
    for (std::size_t j = 0; j < k; ++j) chosen += score[order[j]];
    const double capacity =
        std::ceil(static_cast<double>(s * k * size("capacity_percent")) / static_cast<double>(100 * e));
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t expert = order[j];
      chosen_share[expert] += 1 / static_cast<double>(s * k);
      if (size("capacity_percent") > 0 && static_cast<double>(++taken[expert]) > capacity) continue;
      const double weight =
          1e-3 * static_cast<double>(size("scale_permille")) * score[expert] / (size("normalised") == 1 ? chosen : 1);
      add(result.output, row, in + expert * h * 2 * f, out + expert * f * h, f, weight);
    }
    add(result.output, row, shared_in, shared_out, shared, 1);
    if (row % s + 1 < s) continue;
    for (std::size_t i = 0; i < e; ++i)
      result.auxiliary += 1e-3 * static_cast<double>(size("auxiliary_loss_permille")) * static_cast<double>(e) *
                          chosen_share[i] * mean_share[i];
  }
  return result;
}

}  // namespace pipedeck::test
