// SPDX-License-Identifier: Apache-2.0
#include "core/study/engines/transformer_blocks.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pipedeck::study::engines {
namespace {

bool begins_block(const Profile& profile, std::size_t p) {
  const std::string& kind = profile.layers[p].kind;
  // Analytic profiles have a block with experts in two layers: its attention, its experts.
  return kind == "transformer" || kind == "attention";
}

}  // namespace

int Blocks::in(const Stage& stage) const {
  return static_cast<int>(std::ranges::count_if(begins, [&](int at) { return at >= stage.first && at < stage.last; }));
}

Blocks blocks_of(const Profile& profile) {
  Blocks blocks;
  const int count = static_cast<int>(profile.layers.size());
  int p = 0;
  while (p < count && profile.layers[static_cast<std::size_t>(p)].kind == "embedding") blocks.last_embedding = p++;
  blocks.first = p;
  while (p < count) {
    const auto at = static_cast<std::size_t>(p);
    const bool rest = profile.layers[at].kind == "experts" && !blocks.begins.empty() && at > 0 &&
                      profile.layers[at - 1].kind == "attention";
    if (begins_block(profile, at)) {
      blocks.begins.push_back(p);
    } else if (!rest) {
      break;
    }
    ++p;
  }
  blocks.behind = p;
  for (; p < count; ++p) {
    const std::string& kind = profile.layers[static_cast<std::size_t>(p)].kind;
    if (kind != "layer_norm" && kind != "linear" && kind != "softmax_cross_entropy") {
      blocks.stranger = p;
      break;
    }
  }
  return blocks;
}

bool may_cut_blocks(const Profile& profile, int position) {
  const Blocks blocks = blocks_of(profile);
  return position == blocks.behind || std::ranges::binary_search(blocks.begins, position);
}

std::string block_limitation(const Profile& profile, std::string_view engine) {
  const Blocks blocks = blocks_of(profile);
  const int stranger = blocks.last_embedding < 0 ? 0 : blocks.begins.empty() ? blocks.first : blocks.stranger;
  if (stranger < 0) return {};
  const Layer& layer = profile.layers[std::min(static_cast<std::size_t>(stranger), profile.layers.size() - 1)];
  return fmt::format("model: found layer '{}' of kind '{}', {} trains an embedding, transformer blocks and a head",
                     layer.name, layer.kind, engine);
}

const TransformerOrigin* origin_of_blocks(const EngineRequest& question, const Blocks& blocks) {
  const TransformerOrigin* origin = question.origin;
  const bool same = origin && origin->config.decoder_layers == 0 &&
                    static_cast<std::size_t>(origin->config.layers) == blocks.begins.size();
  return same ? origin : nullptr;
}

}  // namespace pipedeck::study::engines
