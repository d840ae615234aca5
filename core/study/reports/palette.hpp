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
inline constexpr ColorRole text{"text", "#1b1f27", "#e9ebef"}, muted{"muted", "#5a6170", "#a4aab7"},
    panel{"panel", "#ffffff", "#1c1f25"}, window{"window", "#f4f5f7", "#16181d"},
    raised{"raised", "#eceef2", "#24282f"}, border{"border", "#dadde3", "#363b45"}, grid{"grid", "#eceef1", "#282c34"},
    accent{"accent", "#4a48cc", "#a5a3fa"}, warning{"warning", "#8f5b00", "#e0ae4e"}, bad{"bad", "#bf2f2a", "#f2857e"},
    on_deep{"on-deep", "#ffffff", "#1b1f27"}, on_pale{"on-pale", "#1b1f27", "#1b1f27"},
    on_shaded{"on-shaded", "#1b1f27", "#ffffff"};
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
