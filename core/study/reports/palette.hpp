// SPDX-License-Identifier: Apache-2.0
// The colours of pictures and pages, those of the window (app/views/widgets/theme), light and dark.
#pragma once

#include <string>
#include <string_view>

#include "core/model/schedule.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::study::reports {

/// A colour by its role: the class that elements carry, and both values as "#3d7fc6".
struct ColorRole {
  std::string_view name;
  std::string_view light, dark;
};

namespace inks {
inline constexpr ColorRole text{"text", "#1d2026", "#eceef2"}, muted{"muted", "#686d79", "#9ba1ad"},
    panel{"panel", "#ffffff", "#1b1d21"}, window{"window", "#f3f4f6", "#23262c"},
    raised{"raised", "#ecedf1", "#2b2f37"}, border{"border", "#dddfe4", "#3a3e47"}, grid{"grid", "#edeef1", "#2e3239"},
    accent{"accent", "#2b6cb8", "#5b9ddd"}, warning{"warning", "#a86b00", "#e0b050"}, bad{"bad", "#c93636", "#e46a6a"},
    on_dark{"on-dark", "#ffffff", "#ffffff"}, on_pale{"on-pale", "#1d2026", "#1d2026"};
}  // namespace inks

const ColorRole& color_of(OpKind kind);
const ColorRole& color_of(MemoryItem item);
/// Returns the colour of text on a box of this kind.
const ColorRole& ink_on(OpKind kind);
/// Returns true for kinds with a hatch, for eyes that see their colours as equal.
bool hatched(OpKind kind);

/// Rules of a style sheet that turn pictures dark where the reader's screen is.
std::string dark_rules();
/// Custom properties of a page, "--text:#1d2026;...".
std::string properties(bool dark);

}  // namespace pipedeck::study::reports
