// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/shards/shard_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pipedeck::analytic::transformer::shards {
namespace {

/// Returns the key-value heads of a tensor-parallel rank. Each has one at least: with T > g, ranks hold copies
/// (section 2). Ranks that exchange heads need a multiple of their number, and repeat heads to get it (section 3).
int key_value_heads(const TransformerConfig& config, const Shard& shard) {
  const int own = config.latent ? config.heads / shard.tensor : std::max(1, config.key_value_heads / shard.tensor);
  return std::lcm(own, shard.heads_ranks());
}

}  // namespace

ShardSizes sizes_of(const TransformerConfig& config, const ShardOptions& options) {
  const Shard& shard = options.shard;
  const double tokens = static_cast<double>(options.count.micro_batch) * options.count.sequence;
  ShardSizes sizes;
  sizes.element = options.count.element;
  sizes.tokens = tokens / shard.context;                                                  // section 3: n = b s / C
  sizes.own_share = 1.0 / (shard.context * (shard.divides_tokens() ? shard.tensor : 1));  // section 4: r = n / T
  sizes.own_tokens = tokens * sizes.own_share;
  // Section 4: rho = iota k r x rows; with a capacity factor c k r x.
  sizes.rows = (options.capacity > 0 ? options.capacity : options.imbalance) * shard.expert_tensor * sizes.own_share;
  sizes.heads = static_cast<double>(config.heads) / shard.tensor;
  sizes.key_value_heads = key_value_heads(config, shard);
  sizes.key_value_share = sizes.key_value_heads / (config.latent ? config.heads : config.key_value_heads);
  return sizes;
}

double domains_of_token(int domains, int per_token, int most_domains) {
  const double reached = domains * (1 - std::pow(1 - 1.0 / domains, per_token));  // section 4, `flex`
  return most_domains > 0 ? std::min<double>(most_domains, reached) : reached;
}

}  // namespace pipedeck::analytic::transformer::shards
