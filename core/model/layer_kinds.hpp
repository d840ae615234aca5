// SPDX-License-Identifier: Apache-2.0
// The kinds of layers in a model file, one row each: the sizes that a kind takes, and its cost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
  LayerCount (*count)(const ModelLayer& layer);  ///< for a layer with all these sizes
};

std::span<const LayerKind> layer_kinds();
const LayerKind* parse_layer_kind(std::string_view name);

}  // namespace pipedeck
