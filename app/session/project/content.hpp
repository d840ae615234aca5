// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion of a project between the window's value and the documents of a project file.
#pragma once

#include <string>

#include "app/session/project/state.hpp"
#include "core/base/result.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::session::project {

store::ProjectContent content_of(const State& state);

/// Errors name `file` and its document: "plan 'DAPPLE 8:8': /stages/0/layers".
Result<State> state_of(const store::ProjectContent& content, const std::string& file);

/// Returns the run with prediction and events, loaded from the project file if they are stored there.
Result<std::shared_ptr<const RunRecord>> with_traces(const std::shared_ptr<const RunRecord>& run);

/// The name of the setting that stores the view of the project.
inline const std::string view_setting = "window";

/// Returns true if the contents differ at most in the view.
bool same_project(const store::ProjectContent& a, const store::ProjectContent& b);

}  // namespace pipedeck::session::project
