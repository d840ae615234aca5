// SPDX-License-Identifier: Apache-2.0
// An event of a run in pieces of text (json_formats.hpp has it whole).
#pragma once

#include "core/io/text/pieces.hpp"
#include "core/model/run.hpp"

namespace pipedeck::io::documents {

/// Writes event_to_json in pieces: a timeline of millions of operations need not be in memory as text. Returns false if
/// the sink refuses more.
bool write_event(const RunEvent& event, const text::TextSink& sink);

}  // namespace pipedeck::io::documents
