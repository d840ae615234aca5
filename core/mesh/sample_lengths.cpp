// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/sample_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace pipedeck::mesh {
namespace {

/// Returns twice the pairs of a causal sample: each token with itself and up to `window` tokens before it.
double pairs_of(double tokens, int window) {
  const double seen = window > 0 ? std::min<double>(window, tokens) : tokens;
  return 2 * tokens * seen - seen * seen;
}

double normal_below(double value) { return std::erfc(-value / std::numbers::sqrt2) / 2; }

}  // namespace

Result<PackedWork> packed_work(std::span<const LengthShare> lengths, int sequence, int window) {
  if (lengths.empty()) return PackedWork{};
  double tokens = 0, pairs = 0;
  for (const LengthShare& one : lengths) {
    if (one.tokens > sequence)
      return fail(ErrorCode::bad_input,
                  fmt::format("found samples of {} tokens, expected at most the sequence's {}", one.tokens, sequence),
                  "/training/sample_lengths");
    tokens += one.share * one.tokens;
    pairs += one.share * pairs_of(one.tokens, window);
  }
  const double samples = sequence / tokens, rate = pairs / tokens;
  double variance = 0;  // of a sample's pairs beyond those that its tokens have on average
  for (const LengthShare& one : lengths)
    variance += one.share * std::pow(pairs_of(one.tokens, window) - rate * one.tokens, 2);
  return PackedWork{samples * pairs / pairs_of(sequence, window), std::sqrt(variance / samples) / pairs};
}

Result<PackedWork> packed_work(const Question& question) {
  if (question.layer.count.attention != AttentionMemory::fused) return packed_work({}, 1);
  return packed_work(question.training.sample_lengths, question.layer.count.sequence, question.config.window);
}

double expected_maximum(int count) {
  // The integral of 1 - F^n above 0 less that of F^n below 0, F the normal distribution.
  constexpr double end = 9, step = 1.0 / 256;
  double sum = 0;
  for (double at = step / 2; at < end; at += step)
    sum += (1 - std::pow(normal_below(at), count) - std::pow(normal_below(-at), count)) * step;
  return sum;
}

double waiting_of(const Question& question, const PackedWork& work) {
  if (question.data == 1 || work.deviation <= 0) return 0;
  const Sharding& sharding = question.sharding;
  const bool each = question.shard().expert > 1 ||
                    (sharding.level >= 2 && !(sharding.level == 3 && sharding.reshard == Reshard::after_step));
  const double micro_batches = question.micro_batches;
  const double of_micro_batch = work.deviation / std::sqrt(double(question.layer.count.micro_batch));
  return expected_maximum(question.data) * of_micro_batch * (each ? micro_batches : std::sqrt(micro_batches));
}

}  // namespace pipedeck::mesh
