// SPDX-License-Identifier: Apache-2.0
// The kinds of layers in a model file, and the sizes that each one takes (model.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pipedeck {

struct SizeRule {
  std::string_view name;
  std::optional<std::int64_t> otherwise = {};  ///< value of an absent size; none: the size is required
  std::int64_t least = 1;
  std::int64_t most = std::int64_t{1} << 31;
};

struct LayerKind {
  std::string_view name;
  std::span<const SizeRule> sizes;
};

std::span<const LayerKind> layer_kinds();
const LayerKind* layer_kind_named(std::string_view name);

}  // namespace pipedeck
