// SPDX-License-Identifier: Apache-2.0
// Texts that are too long to stand in memory as one: made piece by piece, each handed on as it is done.
#pragma once

#include <functional>
#include <string_view>

namespace pipedeck::io::text {

/// Takes the next piece. False: it can't be written, and nothing more need come.
using ChunkSink = std::function<bool(std::string_view)>;

/// Passes all pieces of a text to the sink, in order. Returns false if the sink did.
using TextChunks = std::function<bool(const ChunkSink&)>;

}  // namespace pipedeck::io::text
