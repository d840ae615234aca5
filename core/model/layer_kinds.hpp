// SPDX-License-Identifier: Apache-2.0
// The kinds of layers in a model file, one row each: the sizes that a kind takes, and its cost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/model/model.hpp"

namespace pipedeck {

struct SizeRule {
  std::string_view name;
  std::optional<std::int64_t> otherwise = {};  ///< value of an absent size; none: the size is required
  std::int64_t least = 1;
  std::int64_t most = std::int64_t{1} << 31;
};

/// A cost of a layer for one sample.
struct LayerCount {
  double forward = 0;  ///< operations, a multiply-add as two
  double weight = 0;   ///< operations of the weight gradient; the input gradient takes as many as forward
  double in = 0, out = 0, saved = 0, parameters = 0;  ///< elements
};

struct LayerKind {
  std::string_view name;
  std::span<const SizeRule> sizes;
  LayerCount (*count)(const ModelLayer& layer);       ///< for a layer with these sizes
  const SizeRule* rule(std::string_view size) const;  ///< null if the kind has no such size
};

/// Returns a size of the layer, or its kind's default; empty if there is neither.
std::optional<std::int64_t> find_size(const ModelLayer& layer, const std::string& key);

// Sizes of a layer with grouped heads (kinds decoder and attention), with their defaults.
std::int64_t key_value_heads(const ModelLayer& layer);
std::int64_t head_width(const ModelLayer& layer);

/// Returns true if the layer is an end of a model whose head has the table of its embedding for weights.
bool is_tied(const ModelLayer& layer);
bool has_tied_ends(const ModelSpec& model);

struct SizeProblem {
  std::string key, text;  ///< "heads", "found 3 heads, expected a divisor of hidden, 8"
};
/// Checks that the heads of attention divide what they share. Fine for layers without heads.
std::optional<SizeProblem> check_heads(const ModelLayer& layer);

std::span<const LayerKind> layer_kinds();
const LayerKind* parse_layer_kind(std::string_view name);

}  // namespace pipedeck
