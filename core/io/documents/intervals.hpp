// SPDX-License-Identifier: Apache-2.0
// A timeline as the list of intervals of formats.md ("Simulation"), shared by simulations and run events.
#pragma once

#include "core/io/json/reader.hpp"
#include "core/io/text/pieces.hpp"
#include "core/model/timeline.hpp"

namespace pipedeck::io::documents {

/// Lane by lane, in the timeline's order.
json::Value intervals_to_json(const Timeline& timeline);

/// The compact text of intervals_to_json, in pieces: nothing grows with the timeline.
bool write_intervals(const Timeline& timeline, const text::ChunkSink& sink);

/// Intervals of one device, or of one directed pair for transfers, make a lane; lanes in order of first appearance.
Timeline read_intervals(json::ObjectReader& in, std::string_view key);

}  // namespace pipedeck::io::documents
