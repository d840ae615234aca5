// SPDX-License-Identifier: Apache-2.0
#include "core/study/capacity/resized.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::study::capacity {
namespace {

constexpr std::array<std::pair<SizeKind, std::string_view>, 5> kinds{{{SizeKind::layers, "layers"},
                                                                      {SizeKind::hidden, "hidden"},
                                                                      {SizeKind::sequence, "sequence"},
                                                                      {SizeKind::micro_batch, "micro-batch"},
                                                                      {SizeKind::global_batch, "global-batch"}}};

int in_proportion(int size, double factor) { return std::max(1, static_cast<int>(std::lround(size * factor))); }

/// "block_11" -> "block_11 (2)", the first that no layer has.
std::string next_name(const std::string& name, std::set<std::string>& taken) {
  for (int number = 2;; ++number)
    if (std::string next = fmt::format("{} ({})", name, number); taken.insert(next).second) return next;
}

}  // namespace

std::string_view name_of(SizeKind kind) {
  return std::ranges::find(kinds, kind, &std::pair<SizeKind, std::string_view>::first)->second;
}

std::optional<SizeKind> parse_size_kind(std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &std::pair<SizeKind, std::string_view>::second);
  return found == kinds.end() ? std::nullopt : std::optional(found->first);
}

std::int64_t hidden_step(const TransformerConfig& config) {
  return std::max(1, config.hidden / config.key_value_heads);
}

TransformerConfig with_layers(TransformerConfig config, int layers) {
  config.layers = layers;
  if (config.decoder_layers > 0) config.decoder_layers = layers;
  if (const std::size_t known = config.kind_of.size(); known > 0) {  // the pattern repeats
    config.kind_of.resize(static_cast<std::size_t>(layers));
    for (std::size_t i = known; i < config.kind_of.size(); ++i) config.kind_of[i] = config.kind_of[i - known];
  }
  if (config.experts) std::erase_if(config.experts->dense, [&](int block) { return block >= layers; });
  return config;
}

TransformerConfig with_hidden(TransformerConfig config, int hidden) {
  const double factor = static_cast<double>(hidden) / config.hidden;
  config.heads = in_proportion(config.heads, factor);
  config.key_value_heads = in_proportion(config.key_value_heads, factor);
  if (config.feed_forward > 0) config.feed_forward = in_proportion(config.feed_forward, factor);
  for (BlockKind& kind : config.kinds) {
    kind.heads = in_proportion(kind.heads, factor);
    kind.key_value_heads = in_proportion(kind.key_value_heads, factor);
    if (kind.feed_forward > 0) kind.feed_forward = in_proportion(kind.feed_forward, factor);
  }
  if (StateSpace* space = config.state_space ? &*config.state_space : nullptr) {
    space->inner = in_proportion(space->inner, factor);
    if (space->heads > 0) space->heads = in_proportion(space->heads, factor);
    if (space->step_rank > 0) space->step_rank = in_proportion(space->step_rank, factor);
  }
  if (config.linear_attention) {
    config.linear_attention->key_heads = in_proportion(config.linear_attention->key_heads, factor);
    config.linear_attention->value_heads = in_proportion(config.linear_attention->value_heads, factor);
  }
  if (config.experts) {
    config.experts->feed_forward = in_proportion(config.experts->feed_forward, factor);
    if (config.experts->shared_feed_forward > 0)
      config.experts->shared_feed_forward = in_proportion(config.experts->shared_feed_forward, factor);
  }
  config.hidden = hidden;
  return config;
}

TransformerConfig with_sequence(TransformerConfig config, int sequence) {
  if (config.positions > 0) config.positions = std::max(config.positions, sequence);
  return config;
}

LayerRun longest_run(const Profile& profile) {
  LayerRun longest, run;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const bool goes_on = i > 0 && profile.layers[i].kind == profile.layers[i - 1].kind;
    run = goes_on ? LayerRun{run.first, run.count + 1} : LayerRun{i, 1};
    if (run.count > longest.count) longest = run;
  }
  return longest;
}

Result<Profile> with_layers(const Profile& profile, int count) {
  const LayerRun run = longest_run(profile);
  if (!profile.is_chain() || run.count < 2)
    return fail(ErrorCode::bad_usage,
                fmt::format("found a profile ('{}') that is {}, expected a chain in which layers of one kind follow "
                            "one another, of which there can be more or fewer",
                            profile.name, profile.is_chain() ? "of a different kind in every layer" : "no chain"));
  Profile resized = profile;
  const auto begin = resized.layers.begin() + static_cast<std::ptrdiff_t>(run.first);
  const auto wanted = static_cast<std::size_t>(count);
  if (wanted <= run.count) {
    resized.layers.erase(begin + count, begin + static_cast<std::ptrdiff_t>(run.count));
    return resized;
  }
  std::set<std::string> taken;
  for (const Layer& layer : profile.layers) taken.insert(layer.name);
  const Layer last = profile.layers[run.first + run.count - 1];
  std::vector<Layer> more(wanted - run.count, last);
  for (Layer& layer : more) layer.name = next_name(last.name, taken);
  resized.layers.insert(begin + static_cast<std::ptrdiff_t>(run.count), more.begin(), more.end());
  return resized;
}

}  // namespace pipedeck::study::capacity
