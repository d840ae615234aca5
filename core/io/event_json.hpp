// SPDX-License-Identifier: Apache-2.0
// An event of a run in pieces of text (json_formats.hpp has it whole).
#pragma once

#include "core/domain/run.hpp"
#include "core/io/text_pieces.hpp"

namespace pipedeck {

/// What event_to_json gives, piece by piece: a timeline of millions of operations need not stand in memory as a text.
/// False where the sink takes no more.
bool write_event(const RunEvent& event, const TextSink& sink);

}  // namespace pipedeck
