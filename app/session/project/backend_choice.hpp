// SPDX-License-Identifier: GPL-3.0-or-later
// The backend on which the project's plans are trained, CPU or GPUs: names of its changes, its JSON, and remedies for
// failures on GPUs.
#pragma once

#include <string>

#include <QJsonObject>
#include <QString>

#include "app/session/project/state.hpp"

namespace pipedeck::session::project {

/// Returns the name of the undo step from one to the other.
QString name_of_change(const RunBackend& from, const RunBackend& to);

QJsonObject backend_to_json(const RunBackend& backend);
/// Reads the backend; missing and unknown values become the defaults.
RunBackend backend_from_json(const QJsonObject& json);

/// Returns a remedy for a run on GPUs that failed with this message of the core; empty if none is known.
QString gpu_error_hint(const std::string& failure);

}  // namespace pipedeck::session::project
