// SPDX-License-Identifier: GPL-3.0-or-later
// Any readable file into a project: what it is, is told by its content.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <QString>
#include <QStringList>

#include "app/session/project_state.hpp"
#include "core/domain/result.hpp"
#include "core/io/files.hpp"

namespace pipedeck::app {

/// Graph text has no micro-batch in it: the samples its times are for; nothing: the user gave up.
using AskMicroBatch = std::function<std::optional<int>(const QString& file)>;

struct Imported {
  ProjectState state;
  QString kind;     ///< what the file turned out to be: "graph text"
  QString name;     ///< of what was added
  int run = 0;      ///< the run that was added, to be shown
  QString warning;  ///< "the plan was made for another profile of this name"
};

/// The project with the file's content added and chosen. A simulation and the log of a run become a run, to be looked
/// at beside others. Plans need their profile and cluster: of the project, else a preset of that name. Project files
/// are not imported but opened: bad_usage. Giving up is `cancelled`.
Result<Imported> import_file(const ProjectState& state, const std::string& path, const AskMicroBatch& ask);

/// What a file of a run, of a simulation or of a trace does not say itself: its name, when it was made.
RunRecord run_named_by(const std::string& path);

/// Names of the presets, in their fixed order.
QStringList profile_preset_list();
QStringList cluster_preset_list();

/// A preset by the names that the boxes list, added and chosen.
Result<ProjectState> with_profile_preset(const ProjectState& state, const std::string& name);
Result<ProjectState> with_cluster_preset(const ProjectState& state, const std::string& name);

}  // namespace pipedeck::app
