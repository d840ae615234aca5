// SPDX-License-Identifier: Apache-2.0
// Rotary positions (RoFormer, arXiv 2104.09864): pair i of a head's `width` values turns by position *
// base^(-2i/width). The pairs are (i, i + width / 2), as in Hugging Face's Llama.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/runtime/cpu/kernels.hpp"

namespace pipedeck::runtime::cpu {

/// The angles' base, and the scaling of Llama 3.1 that makes a model trained on `original` positions take `factor`
/// times as many. Pairs that turn fewer than `low` times in the original positions turn 1 / factor as fast, those of
/// more than `high` times as before, and the others in between.
struct RotaryAngles {
  double base, factor = 1, low = 1, high = 4, original = 8192;
  /// Returns the angle from one position to the next of pair i.
  double step(std::int64_t pair, std::int64_t width) const;
};

/// A table of the angles at a sample's positions.
class RotaryTable {
 public:
  RotaryTable(std::span<const std::int64_t> positions, std::int64_t width, const RotaryAngles& angles);

  /// Rotates heads of rows; the rows of a sample are at the table's positions.
  void rotate(float* data, const RotatedHeads& heads) const { turn(data, heads, 1); }
  /// Rotates back, which makes the input's gradient from the output's.
  void rotate_back(float* data, const RotatedHeads& heads) const { turn(data, heads, -1); }

 private:
  void turn(float* data, const RotatedHeads& heads, float direction) const {
    rotate_heads(data, heads, cosine_.data(), sine_.data(), positions_, half_, direction);
  }

  std::int64_t positions_, half_;
  std::vector<float> cosine_, sine_;
};

}  // namespace pipedeck::runtime::cpu
