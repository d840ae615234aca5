// SPDX-License-Identifier: Apache-2.0
// Traces that the processes of one run wrote, one of each rank, as one timeline of all devices: PyTorch's profiler
// writes a file a process, and a pipeline is seen in all of them together.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/io/traces/reader.hpp"

namespace pipedeck::io::traces {

/// Two or more traces, each with a rank of its own.
bool are_ranks_of_one_run(std::span<const ParsedTrace> traces);

/// Returns the steps that all ranks have, each on the clock that the machines share. If clocks differ by more than a
/// step's duration, each rank starts at its own begin, with a note. Errors: missing or repeated ranks, devices of
/// several ranks, no common step. `files` are those of the traces, for errors.
Result<ParsedTrace> join_ranks(std::vector<ParsedTrace> traces, const std::vector<std::string>& files);

/// All of them, in order.
Result<std::vector<ParsedTrace>> read_each_trace(const std::vector<std::string>& files,
                                                 const std::stop_token& stop = {}, const Progress& progress = {});

/// One trace as it is, several joined. Errors as of read_trace and join_ranks.
Result<ParsedTrace> read_traces(const std::vector<std::string>& files, const std::stop_token& stop = {},
                                const Progress& progress = {});

}  // namespace pipedeck::io::traces
