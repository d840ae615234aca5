// SPDX-License-Identifier: Apache-2.0
// A model made larger or smaller in one respect, everything else in proportion.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/analytic/analytic_profile.hpp"
#include "core/base/result.hpp"
#include "core/model/profile.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::study::capacity {

enum class SizeKind { layers, hidden, sequence, micro_batch, global_batch };
std::string_view name_of(SizeKind kind);  // "micro-batch"
std::optional<SizeKind> parse_size_kind(std::string_view name);

/// Sizes that a profile alone does not know how to change.
constexpr bool requires_transformer(SizeKind kind) { return kind == SizeKind::hidden || kind == SizeKind::sequence; }

/// Hidden sizes that a transformer can have go up in steps of this: one more head of keys, with the heads of queries
/// that share it, each as wide as now.
std::int64_t hidden_step(const TransformerConfig& config);

/// With `layers` blocks (as many in a decoder, if there is one).
TransformerConfig with_layers(TransformerConfig config, int layers);
/// `hidden` a multiple of hidden_step(); heads and feed-forward sizes grow with it.
TransformerConfig with_hidden(TransformerConfig config, int hidden);
/// A table of positions becomes as long as the sequence where it is shorter.
TransformerConfig with_sequence(TransformerConfig config, int sequence);

/// The longest run of layers of one kind one behind the other.
struct LayerRun {
  std::size_t first = 0, count = 0;
  bool operator==(const LayerRun&) const = default;
};
LayerRun longest_run(const Profile& profile);

/// The longest run cut to its first `count` layers, or its last one repeated as often as is missing. bad_usage for a
/// profile that is no chain or where no two layers of a kind follow one another.
Result<Profile> with_layers(const Profile& profile, int count);

}  // namespace pipedeck::study::capacity
