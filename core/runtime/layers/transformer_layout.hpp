// SPDX-License-Identifier: Apache-2.0
// The order of a transformer block's parameters, alike on CPU and GPU, so that checkpoints fit both.
#pragma once

#include <cstdint>

namespace pipedeck::runtime::layers {

/// The offsets, in floats, of the parameters and their gradients. `h` is the model's width, `c` that of the heads and
/// `f` that of the feed-forward: whole, or a rank's shard.
struct TransformerLayout {
  std::int64_t gain1, shift1, qkv, qkv_bias, out, out_bias, gain2, shift2, up, up_bias, down, down_bias, end;
  TransformerLayout(std::int64_t h, std::int64_t c, std::int64_t f) {
    std::int64_t next = 0;
    const auto place = [&](std::int64_t floats) { return next += floats, next - floats; };
    gain1 = place(h), shift1 = place(h);
    qkv = place(h * 3 * c), qkv_bias = place(3 * c);
    out = place(c * h), out_bias = place(h);
    gain2 = place(h), shift2 = place(h);
    up = place(h * f), up_bias = place(f);
    down = place(f * h), down_bias = place(h);
    end = next;
  }
};

}  // namespace pipedeck::runtime::layers
