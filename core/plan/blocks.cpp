// SPDX-License-Identifier: Apache-2.0
#include "core/plan/blocks.hpp"

#include <algorithm>

#include "core/plan/cuts.hpp"

namespace pipedeck::plan {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool names_a_block(std::string_view part) {
  const auto digits =
      static_cast<std::size_t>(std::distance(part.rbegin(), std::find_if_not(part.rbegin(), part.rend(), is_digit)));
  return digits > 0 && (digits == part.size() || part[part.size() - digits - 1] == '_');
}

}  // namespace

std::string_view block_name(std::string_view layer) {
  for (std::size_t begin = 0; begin < layer.size();) {
    const std::size_t end = std::min(layer.find_first_of("./", begin), layer.size());
    if (names_a_block(layer.substr(begin, end - begin))) return layer.substr(0, end);
    begin = end + 1;
  }
  return {};
}

std::vector<bool> block_starts(std::span<const std::string_view> layers) {
  std::vector<bool> starts(layers.size(), true);
  for (std::size_t i = 1; i < layers.size(); ++i) {
    const std::string_view name = block_name(layers[i]);
    starts[i] = name.empty() || name != block_name(layers[i - 1]);
  }
  return starts;
}

std::vector<bool> block_starts(const Profile& profile, std::span<const LayerId> order) {
  if (!profile.is_chain()) return std::vector<bool>(order.size(), true);
  std::vector<std::string_view> names;
  for (const LayerId id : order) names.emplace_back(profile.layers[id.index()].name);
  return block_starts(names);
}

RecomputeUnit usual_recompute_unit(const Profile& profile, std::span<const LayerId> order) {
  const std::vector<bool> starts = block_starts(profile, order);
  const std::vector<Bytes> inputs = input_bytes(profile, order);
  double kept = 0, saved = 0;
  for (std::size_t p = 0; p < order.size(); ++p) {
    saved += static_cast<double>(profile.layers[order[p].index()].saved.count);
    if (starts[p]) kept += static_cast<double>(inputs[p].count);
  }
  return 2 * kept <= saved ? RecomputeUnit::block : RecomputeUnit::stage;
}

std::vector<RecomputedSegment> recomputed_segments(const Stage& stage, const std::vector<bool>& starts) {
  std::vector<bool> chosen(static_cast<std::size_t>(stage.last - stage.first), stage.recompute.all);
  for (const LayerId layer : stage.recompute.layers)
    if (layer.value >= stage.first && layer.value < stage.last)
      chosen[static_cast<std::size_t>(layer.value - stage.first)] = true;
  std::vector<RecomputedSegment> segments;
  for (int p = stage.first; p < stage.last; ++p) {
    if (!chosen[static_cast<std::size_t>(p - stage.first)]) continue;
    const bool follows = !segments.empty() && segments.back().last == p;
    const bool begins = stage.recompute.each == RecomputeUnit::block && starts[static_cast<std::size_t>(p)];
    if (follows && !begins)
      segments.back().last = p + 1;
    else
      segments.push_back({p, p + 1});
  }
  return segments;
}

}  // namespace pipedeck::plan
