// SPDX-License-Identifier: GPL-3.0-or-later
// A preview of a huge timeline while its content is being built: the operation of each lane at several hundred times.
#pragma once

#include <memory>

#include "app/models/gantt/content.hpp"

namespace pipedeck::models::gantt {

/// Maximum operations of a timeline without a preview. The content of larger ones is built off the GUI thread.
inline constexpr std::size_t max_made_at_once = 400'000;

/// Builds a content from samples of the lanes, for drawing only (Content::preview).
std::shared_ptr<const Content> make_gantt_preview(const Timeline& timeline, int samples = 512);

}  // namespace pipedeck::models::gantt
