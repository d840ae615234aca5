// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/palette.hpp"

#include <array>

#include <fmt/format.h>

namespace pipedeck::study::reports {
namespace {

constexpr std::array<ColorRole, op_kind_count> operation_inks{{{"forward", "#3d7fc6", "#589bdb"},
                                                               {"backward", "#dd8a2b", "#e69b47"},
                                                               {"backward-input", "#a65410", "#b5661c"},
                                                               {"backward-weight", "#eebe78", "#f1c98d"},
                                                               {"recompute", "#9cbfe6", "#a9c8ea"},
                                                               {"send", "#6b479c", "#7f5fb5"},
                                                               {"receive", "#6b479c", "#7f5fb5"},
                                                               {"all-reduce", "#2f9d89", "#5cc4b0"},
                                                               {"optimizer-step", "#585d6a", "#757b88"}}};

constexpr std::array<ColorRole, memory_item_count> memory_inks{{{"weights", "#2f9d89", "#4db5a2"},
                                                                {"gradients", "#dd8a2b", "#e69b47"},
                                                                {"optimizer-state", "#767b88", "#8e94a0"},
                                                                {"stashed", "#eebe78", "#f1c98d"},
                                                                {"activations", "#3d7fc6", "#589bdb"},
                                                                {"boundary", "#4f9fbf", "#74bdd8"},
                                                                {"workspace", "#9cbfe6", "#a9c8ea"},
                                                                {"communication", "#8d6ebb", "#9f85ca"},
                                                                {"reserve", "#c4c8d0", "#555a64"}}};

constexpr std::array plain_inks{inks::text,   inks::muted, inks::panel,  inks::window,  inks::raised,
                                inks::border, inks::grid,  inks::accent, inks::warning, inks::bad};

}  // namespace

const ColorRole& color_of(OpKind kind) { return operation_inks[static_cast<std::size_t>(kind)]; }
const ColorRole& color_of(MemoryItem item) { return memory_inks[static_cast<std::size_t>(item)]; }

const ColorRole& ink_on(OpKind kind) {
  return kind == OpKind::backward_weight || kind == OpKind::recompute ? inks::on_pale : inks::on_dark;
}

bool hatched(OpKind kind) { return kind == OpKind::backward_weight || kind == OpKind::recompute; }

std::string dark_rules() {
  std::string rules;
  const auto add = [&](const ColorRole& ink) {
    rules += fmt::format(".f-{}{{fill:{}}}.s-{}{{stroke:{}}}", ink.name, ink.dark, ink.name, ink.dark);
  };
  for (const ColorRole& ink : plain_inks) add(ink);
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
