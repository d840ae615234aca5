// SPDX-License-Identifier: Apache-2.0
// The angles of rotary positions (RoFormer, arXiv 2104.09864): pair i of a head's `width` values turns by position *
// base^(-2i/width). The pairs are (i, i + width / 2), as in Hugging Face's Llama.
#pragma once

namespace pipedeck::runtime::layers {

/// The angles' base, and the scaling of Llama 3.1 that makes a model trained on `original` positions take `factor`
/// times as many. Pairs that turn fewer than `low` times in the original positions turn 1 / factor as fast, those of
/// more than `high` times as before, and the others in between.
struct RotaryAngles {
  double base, factor = 1, low = 1, high = 4, original = 8192;
};

}  // namespace pipedeck::runtime::layers
