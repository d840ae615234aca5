// SPDX-License-Identifier: Apache-2.0
// Events of runs in pieces of text (formats.hpp has them whole).
#pragma once

#include <string>

#include "core/io/text/pieces.hpp"
#include "core/model/run.hpp"

namespace pipedeck::io::documents {

/// Returns whether a text is JSON lines of events, by its first line.
bool is_run_log(const std::string& content);

/// Writes event_to_json in pieces: a timeline of millions of operations need not be in memory as text. Returns false if
/// the sink refuses more.
bool write_event(const RunEvent& event, const text::ChunkSink& sink);

}  // namespace pipedeck::io::documents
