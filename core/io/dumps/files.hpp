// SPDX-License-Identifier: Apache-2.0
// Files of dumps: what each is taken for, by its content.
#pragma once

#include <stop_token>
#include <string>
#include <variant>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/io/dumps/flight_recorder.hpp"
#include "core/io/dumps/memory_snapshot.hpp"

namespace pipedeck::io::dumps {

using Dump = std::variant<MemorySnapshot, FlightDump>;

/// Returns true for a pickle, and for JSON with the first words of a flight recorder's dump. Reads a kilobyte.
bool looks_like_dump(const std::string& path);

/// Reads a snapshot or a flight recorder's dump of at most 1 GiB. Errors name the file and the byte or the place in the
/// value.
Result<Dump> read_dump(const std::string& path, const std::stop_token& stop = {}, const Progress& progress = {});

/// Returns the same for a content, which is that of `path`.
Result<Dump> dump_of(const std::string& path, const std::string& content, const std::stop_token& stop = {},
                     const Progress& progress = {});

}  // namespace pipedeck::io::dumps
