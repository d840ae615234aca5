// SPDX-License-Identifier: Apache-2.0
// Rotary positions of heads on the processor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/runtime/cpu/kernels.hpp"
#include "core/runtime/layers/rotary_angles.hpp"

namespace pipedeck::runtime::cpu {

/// Returns the angle from one position to the next of pair i.
double rotary_step(const layers::RotaryAngles& angles, std::int64_t pair, std::int64_t width);

/// A table of the angles at a sample's positions.
class RotaryTable {
 public:
  RotaryTable(std::span<const std::int64_t> positions, std::int64_t width, const layers::RotaryAngles& angles);

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
