// SPDX-License-Identifier: GPL-3.0-or-later
// A first picture of a huge timeline while its content is being made: what each lane does at some hundred moments.
#pragma once

#include <memory>

#include "app/models/gantt_content.hpp"

namespace pipedeck::app {

/// Timelines of more operations get their content off the window's thread, after a preview.
inline constexpr std::size_t most_made_at_once = 400'000;

/// A content over samples of the lanes: to be looked at, not to be asked (GanttContent::preview).
std::shared_ptr<const GanttContent> make_gantt_preview(const Timeline& timeline, int samples = 512);

}  // namespace pipedeck::app
