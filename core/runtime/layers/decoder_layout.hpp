// SPDX-License-Identifier: Apache-2.0
// The order of the parameters of a decoder block's halves, for every backend, so that checkpoints fit all of them.
#pragma once

#include <cstdint>
#include <optional>

namespace pipedeck::runtime::layers {

/// The offsets, in floats, of attention's parameters: the norm's gain, three products into the heads with their biases
/// (none: of no length), the gains of the heads' norms, and the product out. `h` is the model's width, `q` that of the
/// query heads and `k` that of the key-value heads: whole, or a rank's shard.
struct AttentionLayout {
  std::int64_t gain, query, key, value, query_bias, key_bias, value_bias, query_gain, key_gain, out, end;
  AttentionLayout(std::int64_t h, std::int64_t q, std::int64_t k, std::int64_t head_width, bool bias, bool norm_heads) {
    std::int64_t next = 0;
    const auto place = [&](std::int64_t floats) { return next += floats, next - floats; };
    gain = place(h);
    query = place(h * q), key = place(h * k), value = place(h * k);
    query_bias = place(bias ? q : 0), key_bias = place(bias ? k : 0), value_bias = place(bias ? k : 0);
    query_gain = place(norm_heads ? head_width : 0), key_gain = place(norm_heads ? head_width : 0);
    out = place(q * h);
    end = next;
  }
};

/// The offsets of a latent attention's parameters: the norm's gain, the products into the narrow query and out of it
/// with its norm's gain (without one: a product into the queries), the product down into the narrow vector of keys and
/// values and the shared rotary key, that vector's gain, the product up into plain keys and values, and the product
/// out.
struct LatentLayout {
  std::int64_t gain, query_down, query_gain, query, down, latent_gain, up, out, end;
  LatentLayout(std::int64_t h, std::int64_t query_rank, std::int64_t queries, std::int64_t rank, std::int64_t rotary,
               std::int64_t both, std::int64_t values) {
    std::int64_t next = 0;
    const auto place = [&](std::int64_t floats) { return next += floats, next - floats; };
    gain = place(h);
    query_down = place(h * query_rank), query_gain = place(query_rank);
    query = place((query_rank > 0 ? query_rank : h) * queries);
    down = place(h * (rank + rotary)), latent_gain = place(rank);
    up = place(rank * both);
    out = place(values * h);
    end = next;
  }
};

/// The offsets of a gated feed-forward's parameters: the norm's gain, a product into gates and ups (each row: all
/// gates, then all ups), and the product out.
struct FeedForwardLayout {
  std::int64_t gain, in, out, end;
  FeedForwardLayout(std::int64_t h, std::int64_t f) : gain(0), in(h), out(in + h * 2 * f), end(out + f * h) {}
};

/// The offsets of a mixture of experts' parameters: the norm's gain, the router, `biases` of the choice, each expert's
/// product into gates and ups, each expert's product out, and the two products of the part that every token passes. On
/// a rank that holds `held` of the experts, their products come last: fewer ranks have the same ones.
struct ExpertLayout {
  std::int64_t gain, router, bias, in, out, shared_in, shared_out, end;
  ExpertLayout(std::int64_t h, std::int64_t experts, std::int64_t f, std::int64_t shared_f,
               std::optional<std::int64_t> held = {}, std::int64_t biases = 0) {
    std::int64_t next = 0;
    const auto place = [&](std::int64_t floats) { return next += floats, next - floats; };
    const auto place_experts = [&](std::int64_t count) { in = place(count * h * 2 * f), out = place(count * f * h); };
    gain = place(h), router = place(h * experts), bias = place(biases);
    if (!held) place_experts(experts);
    shared_in = place(h * 2 * shared_f), shared_out = place(shared_f * h);
    if (held) place_experts(*held);
    end = next;
  }
};

}  // namespace pipedeck::runtime::layers
