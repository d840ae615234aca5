// SPDX-License-Identifier: Apache-2.0
// parallelism.md, section 3: context parallelism by ring, gather, heads, or heads and a ring.
#include <utility>

#include "core/analytic/transformer/shards/collectives.hpp"

namespace pipedeck::analytic::transformer::shards {
namespace {

class ContextCollectives {
 public:
  ContextCollectives(const ShardOptions& options, const ShardSizes& sizes, double key_width, double value_width)
      : options_(options),
        keys_values_(key_value_bytes(sizes, key_width, value_width)),
        queries_(sizes.element * sizes.tokens * sizes.heads * key_width),
        output_(sizes.element * sizes.tokens * sizes.heads * value_width) {}

  void add_to(std::vector<LayerCollective>& found) {
    const int exchange = options_.shard.heads_ranks(), others = options_.shard.sequence_ranks();
    if (exchange > 1) by_heads(found, exchange);
    if (others > 1) options_.shard.context_kind == ContextKind::gather ? gather(found, others) : ring(found, others);
  }

 private:
  static void add(std::vector<LayerCollective>& found, plan::GroupFamily group, int ranks, Pass pass,
                  CollectiveKind kind, std::string name, double whole, Behind behind = Behind::nothing) {
    found.push_back({std::move(name),
                     group,
                     kind,
                     pass,
                     ranks,
                     pipedeck::bytes_sent(kind, ranks, whole),
                     0,
                     behind,
                     {},
                     times::Part::attention_core});
  }

  /// Adds (C-1)/C w n d (2a + 2g)/T each way (arXiv 2309.14509).
  void by_heads(std::vector<LayerCollective>& found, int ranks) const {
    const auto send = [&](Pass pass, const char* name, double bytes) {
      add(found, plan::GroupFamily::context_heads, ranks, pass, CollectiveKind::all_to_all, name, bytes);
    };
    send(Pass::forward, "queries, keys, values by heads", queries_ + keys_values_);
    send(Pass::forward, "attention output by tokens", output_);
    if (options_.sends_output_back) send(Pass::backward, "attention output by heads", output_);
    send(Pass::backward, "gradient of attention output by heads", output_);
    send(Pass::backward, "gradients of queries, keys, values by tokens", queries_ + keys_values_);
  }

  /// Adds (C-1) U forward, twice as much backward: keys and values again, and their gradients (arXiv 2310.01889).
  void ring(std::vector<LayerCollective>& found, int ranks) const {
    const auto send = [&](Pass pass, const char* name) {
      add(found, plan::GroupFamily::context_sequence, ranks, pass, CollectiveKind::ring_exchange, name, keys_values_,
          Behind::attention_pieces);
    };
    send(Pass::forward, "keys and values");
    send(Pass::backward, "keys and values, again");
    send(Pass::backward, "gradients of keys and values");
  }

  /// Adds as many bytes as the ring's, exposed (arXiv 2407.21783, section 3.3.2).
  void gather(std::vector<LayerCollective>& found, int ranks) const {
    const auto send = [&](Pass pass, CollectiveKind kind, const char* name) {
      add(found, plan::GroupFamily::context_sequence, ranks, pass, kind, name, ranks * keys_values_);
    };
    send(Pass::forward, CollectiveKind::all_gather, "keys and values");
    send(Pass::backward, CollectiveKind::all_gather, "keys and values, again");
    send(Pass::backward, CollectiveKind::reduce_scatter, "gradients of keys and values");
  }

  const ShardOptions& options_;
  double keys_values_, queries_, output_;  ///< bytes of a rank
};

}  // namespace

double key_value_bytes(const ShardSizes& sizes, double key_width, double value_width) {
  // U = 2 w n max(g/T, 1) d; a latent attention exchanges its uprojected heads.
  return sizes.element * sizes.tokens * sizes.key_value_heads * (key_width + value_width);
}

std::vector<LayerCollective> context_collectives(const times::LayerCount& layer, const ShardOptions& options,
                                                 const ShardSizes& sizes) {
  std::vector<LayerCollective> found;
  if (options.shard.context == 1) return found;
  double key_width = 0;
  for (const times::GemmCount& product : layer.gemms) {
    if (product.name == "scores") key_width = product.k;
    if (product.name == "weighted values") ContextCollectives(options, sizes, key_width, product.n).add_to(found);
  }
  return found;
}

}  // namespace pipedeck::analytic::transformer::shards
