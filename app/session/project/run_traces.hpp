// SPDX-License-Identifier: GPL-3.0-or-later
// The measurements of a run as stored in a project: events as lines, their timelines separately as columns.
#pragma once

#include "app/session/project/state.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::session::project {

store::RunTraces traces_of(const RunRecord& run);
/// Estimates their bytes without building them.
std::size_t bytes_of_traces(const RunRecord& run);

/// Returns `error` with this file and this part of it as its place.
Error in_document(Error error, const std::string& file, const std::string& document);

}  // namespace pipedeck::session::project
