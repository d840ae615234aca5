// SPDX-License-Identifier: GPL-3.0-or-later
// Files in which machines describe themselves, on their way into the project: what is understood of them is shown
// first.
#pragma once

#include <functional>
#include <vector>

#include <QStringList>

#include "app/session/project_state.hpp"
#include "core/presets/machine_import.hpp"

namespace pipedeck::app {

/// Told by the first bytes; what can be read only once is none.
bool is_machine_file(const QString& path);

/// What all of them tell together. Errors name the file.
Result<FoundMachines> machines_in(const QStringList& files);

/// A cluster about to be added: made anew for each answer to what is open.
struct MachinePreview {
  QString title;
  std::function<Result<ImportedCluster>(const MachineImport& how)> make;
  bool questions = true;   ///< false: only the name is open
  bool types = true;       ///< whether GPUs may be of another type than they are described as
  bool countable = true;   ///< whether there may be several of each machine, and how pairs are kept is open
  bool network = true;     ///< whether what joins machines is open
  bool uplinks = false;    ///< whether what joins switches is open
  bool unit = false;       ///< whether the unit of a table of bandwidths is open
  QStringList partitions;  ///< to choose from; fewer than two are no choice
  int machines = 1;
};
MachinePreview preview_of(FoundMachines found);

/// Of what the command line made of this machine: its cluster, and its notes a line each.
Result<MachinePreview> preview_of_this_machine(const QByteArray& cluster, const QStringList& notes);

/// Names of the catalogue, to choose from.
QStringList device_type_list();

/// Added and chosen.
ProjectState with_imported_cluster(ProjectState state, Cluster cluster);

}  // namespace pipedeck::app
