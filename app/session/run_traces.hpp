// SPDX-License-Identifier: GPL-3.0-or-later
// What a run measured, as it lies in a project: events as lines, timelines beside them as columns.
#pragma once

#include "app/session/project_state.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::app {

RunTraces traces_of(const RunRecord& run);
/// About how many bytes that are, without making them.
std::size_t bytes_of_traces(const RunRecord& run);

/// `error`, told of this part of this file.
Error in_document(Error error, const std::string& file, const std::string& document);

}  // namespace pipedeck::app
