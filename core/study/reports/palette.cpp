// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/palette.hpp"

#include <array>

#include <fmt/format.h>

namespace pipedeck::study::reports {
namespace {

constexpr std::array<ColorRole, op_kind_count> operation_inks{{{"forward", "#3b76b8", "#6aa3e0"},
                                                               {"backward", "#e29a45", "#e8ac62"},
                                                               {"backward-input", "#a65410", "#c27a2e"},
                                                               {"backward-weight", "#f0c78d", "#f2d3a2"},
                                                               {"recompute", "#a9c4e4", "#3e5f86"},
                                                               {"send", "#8f9415", "#e0e36e"},
                                                               {"receive", "#8f9415", "#e0e36e"},
                                                               {"all-reduce", "#2aa08e", "#309c78"},
                                                               {"optimizer-step", "#565c69", "#8b92a0"}}};

constexpr std::array<ColorRole, memory_item_count> memory_inks{{{"weights", "#3e5c68", "#7fa3b1"},
                                                                {"gradients", "#6e8f9b", "#587884"},
                                                                {"optimizer-state", "#a3bbc2", "#43606b"},
                                                                {"stashed", "#587a87", "#6b91a0"},
                                                                {"activations", "#c7ae7c", "#b59b68"},
                                                                {"boundary", "#a98f5b", "#84703f"},
                                                                {"workspace", "#d6c39c", "#7a6946"},
                                                                {"communication", "#e0d4bc", "#6e6350"},
                                                                {"reserve", "#c5c9d1", "#4b515c"}}};

constexpr std::array plain_inks{inks::text,   inks::muted, inks::panel,  inks::window,  inks::raised,
                                inks::border, inks::grid,  inks::accent, inks::warning, inks::bad};

}  // namespace

const ColorRole& color_of(OpKind kind) { return operation_inks[static_cast<std::size_t>(kind)]; }
const ColorRole& color_of(MemoryItem item) { return memory_inks[static_cast<std::size_t>(item)]; }

const ColorRole& ink_on(OpKind kind) {
  switch (kind) {
    case OpKind::forward:
    case OpKind::backward_input:
    case OpKind::optimizer:
      return inks::on_deep;
    case OpKind::recompute:
      return inks::on_shaded;
    default:
      return inks::on_pale;
  }
}

bool hatched(OpKind kind) { return kind == OpKind::backward_weight || kind == OpKind::recompute; }

std::string dark_rules() {
  std::string rules;
  const auto add = [&](const ColorRole& ink) {
    rules += fmt::format(".f-{}{{fill:{}}}.s-{}{{stroke:{}}}", ink.name, ink.dark, ink.name, ink.dark);
  };
  for (const ColorRole& ink : plain_inks) add(ink);
  for (const ColorRole& ink : {inks::on_deep, inks::on_pale, inks::on_shaded}) add(ink);
  for (const ColorRole& ink : operation_inks) add(ink);
  for (const ColorRole& ink : memory_inks) add(ink);
  return rules;
}

std::string properties(bool dark) {
  std::string text;
  for (const ColorRole& ink : plain_inks) text += fmt::format("--{}:{};", ink.name, dark ? ink.dark : ink.light);
  return text;
}

}  // namespace pipedeck::study::reports
