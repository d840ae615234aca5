// SPDX-License-Identifier: GPL-3.0-or-later
// On what the project's plans are trained here, processor or GPUs: how a change of it is called, how a file has it, and
// what can be done when GPUs fail.
#pragma once

#include <string>

#include <QJsonObject>
#include <QString>

#include "app/session/project_state.hpp"

namespace pipedeck::app {

/// Of the step of undo from one to the other.
QString name_of_change(const RunBackend& from, const RunBackend& to);

QJsonObject backend_to_json(const RunBackend& backend);
/// What is missing or unknown is as it is at first.
RunBackend backend_from_json(const QJsonObject& json);

/// What a person can do about a run on GPUs that failed with these words of the core; empty: nobody knows.
QString step_after_gpus(const std::string& failure);

}  // namespace pipedeck::app
