// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/block_configs.hpp"

#include <algorithm>

namespace pipedeck::analytic::transformer {
namespace {

void take(TransformerConfig& config, const BlockKind& kind) {
  config.mixer = kind.mixer;
  config.heads = kind.heads, config.key_value_heads = kind.key_value_heads;
  config.head_width = kind.head_width, config.value_width = kind.value_width;
  config.window = kind.window;
  config.feed_forward = kind.feed_forward;
  config.makes_key_values = kind.makes_key_values, config.values_are_keys = kind.values_are_keys;
  config.makes_index = kind.makes_index;
  config.compression = kind.compression;
}

}  // namespace

BlockConfigs::BlockConfigs(const TransformerConfig& model) {
  TransformerConfig bare = model;
  bare.kinds.clear(), bare.kind_of.clear();
  if (bare.experts) bare.experts->dense.clear();
  const auto add = [this](TransformerConfig routed) {
    TransformerConfig& dense = configs_.emplace_back(routed);
    dense.experts.reset();
    configs_.push_back(std::move(routed));
  };
  add(bare);
  for (const BlockKind& kind : model.kinds) {
    take(bare, kind);
    add(bare);
  }
  for (int block = 0; block < model.layers; ++block) {
    const auto at = static_cast<std::size_t>(block);
    const int kind = at < model.kind_of.size() ? model.kind_of[at] + 1 : 0;
    const bool routed = model.experts && !std::ranges::binary_search(model.experts->dense, block);
    index_.push_back(2 * kind + (routed ? 1 : 0));
  }
  index_.push_back(model.experts ? 1 : 0);
}

const TransformerConfig& BlockConfigs::of(int block) const {
  const bool known = block >= 0 && static_cast<std::size_t>(block) + 1 < index_.size();
  return configs_[static_cast<std::size_t>(known ? index_[static_cast<std::size_t>(block)] : index_.back())];
}

}  // namespace pipedeck::analytic::transformer
