// SPDX-License-Identifier: Apache-2.0
// The sizes of a rank's part that its compute, its communication and its memory have in common.
#pragma once

#include "core/analytic/transformer/shards/layer_shard.hpp"

namespace pipedeck::analytic::transformer::shards {

struct ShardSizes {
  double element = 2;          ///< w
  double tokens = 0;           ///< n
  double own_tokens = 0;       ///< r
  double own_share = 1;        ///< r / (b s)
  double rows = 1;             ///< of a rank's experts over k b s: iota x r / (b s)
  double heads = 1;            ///< of a tensor-parallel rank: a / T
  double key_value_heads = 1;  ///< of a tensor-parallel rank, as many as attention there needs
  double key_value_share = 1;  ///< those over g
};
ShardSizes sizes_of(const TransformerConfig& config, const ShardOptions& options);

/// Returns the domains to which a token with `per_token` experts goes, if each domain is as likely for each of them
/// (a domain may be chosen more than once).
double domains_of_token(int domains, int per_token, int most_domains = 0);

}  // namespace pipedeck::analytic::transformer::shards
