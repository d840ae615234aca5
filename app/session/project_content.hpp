// SPDX-License-Identifier: GPL-3.0-or-later
// A project as the value that the window works on, and as the documents that a project file holds.
#pragma once

#include <string>

#include "app/session/project_state.hpp"
#include "core/domain/result.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::app {

ProjectContent content_of(const ProjectState& state);

/// Errors name `file` and the document in it: "plan 'DAPPLE 8:8': /stages/0/layers".
Result<ProjectState> state_of(const ProjectContent& content, const std::string& file);

/// The run with its prediction and events, read from the project's file where they were left there.
Result<std::shared_ptr<const RunRecord>> with_traces(const std::shared_ptr<const RunRecord>& run);

/// The setting that says how the project was looked at.
inline const std::string view_setting = "window";

/// Nothing differs but what is looked at.
bool same_project(const ProjectContent& a, const ProjectContent& b);

}  // namespace pipedeck::app
