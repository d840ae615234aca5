// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/recomputed_parts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::runtime::layers {
namespace {

/// Megatron-LM's names (transformer_config.py, recompute_modules).
constexpr std::array<std::pair<std::string_view, RecomputedPart>, 7> names{{
    {"core_attn", RecomputedPart::core_attention},
    {"layernorm", RecomputedPart::norm},
    {"mla_up_proj", RecomputedPart::latent_up},
    {"mlp", RecomputedPart::feed_forward},
    {"moe", RecomputedPart::experts},
    {"moe_act", RecomputedPart::expert_activation},
    {"shared_experts", RecomputedPart::shared_experts},
}};

std::string known_names() {
  std::string known;
  for (const auto& [name, part] : names) known += (known.empty() ? "" : ", ") + std::string(name);
  return known;
}

}  // namespace

Result<RecomputedParts> parts_of_modules(std::span<const std::string> modules) {
  RecomputedParts parts;
  for (const std::string& module : modules) {
    const auto found = std::ranges::find(names, module, &std::pair<std::string_view, RecomputedPart>::first);
    if (found == names.end())
      return fail(ErrorCode::bad_input, fmt::format("found module '{}', expected one of {}", module, known_names()));
    parts.insert(found->second);
  }
  return parts;
}

}  // namespace pipedeck::runtime::layers
