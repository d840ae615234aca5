// SPDX-License-Identifier: GPL-3.0-or-later
// Import of any supported file into a project. The format is detected from the content.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include <QString>
#include <QStringList>

#include "app/session/project/state.hpp"
#include "core/base/result.hpp"

namespace pipedeck::session::project {

/// Returns the samples of a micro-batch for graph text, which does not contain them. Nullopt: the user cancelled.
using AskMicroBatch = std::function<std::optional<int>(const QString& file)>;

struct Imported {
  State state;
  QString kind;     ///< detected format: "graph text"
  QString name;     ///< of the added entry
  int run = 0;      ///< id of an added run, to be shown
  QString warning;  ///< "the plan was made for another profile of this name"
  QString share{};  ///< how much of the file was understood; empty for Pipedeck's own documents
};

/// Adds and chooses the file's content. A simulation or a run log becomes a run, to be compared with others. Plans need
/// their profile and cluster, from the project or else from a preset of that name. Project files are bad_usage, since
/// they are opened instead. Returns `cancelled` if the user cancels.
Result<Imported> import_file(const State& state, const std::string& path, const AskMicroBatch& ask);

/// Returns a record with the name and the time, which files of runs, simulations and traces do not contain.
RunRecord run_from_file_name(const std::string& path);

/// Returns the names of the presets in their fixed order.
QStringList profile_preset_list();
QStringList cluster_preset_list();
/// Returns the heading under which a list shows each preset: the kind of a model, the device type of a cluster.
std::map<QString, QString> profile_preset_groups();
std::map<QString, QString> cluster_preset_groups();

/// Adds and chooses the preset with a name of these lists.
Result<State> with_profile_preset(const State& state, const std::string& name);
Result<State> with_cluster_preset(const State& state, const std::string& name);

}  // namespace pipedeck::session::project
