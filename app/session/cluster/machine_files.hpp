// SPDX-License-Identifier: GPL-3.0-or-later
// Import of files that describe machines. The recognised contents are shown first.
#pragma once

#include <functional>
#include <vector>

#include <QStringList>

#include "app/session/project/state.hpp"
#include "core/presets/machine_import.hpp"

namespace pipedeck::session::cluster {

/// Detects the format by the first bytes. Returns false for files that can be read only once.
bool is_machine_file(const QString& path);

/// Returns the combined machines of all files. Errors name the file.
Result<FoundMachines> machines_in(const QStringList& files);

/// A cluster to be imported; it is built again for each answer to an open question.
struct MachinePreview {
  QString title;
  std::function<Result<presets::ImportedCluster>(const presets::MachineImport& how)> make;
  bool questions = true;   ///< false: only the name can be chosen
  bool types = true;       ///< the type of the GPUs can be changed
  bool countable = true;   ///< the number of each machine and the connection of pairs can be chosen
  bool network = true;     ///< the links between machines can be chosen
  bool uplinks = false;    ///< the links between switches can be chosen
  bool unit = false;       ///< the unit of a bandwidth table can be chosen
  QStringList partitions;  ///< selectable ones; fewer than two: no choice
  int machines = 1;
};
MachinePreview preview_of(FoundMachines found);

/// Returns a preview of the command line's result for this machine: its cluster, and one note per line.
Result<MachinePreview> preview_of_this_machine(const QByteArray& cluster, const QStringList& notes);

/// Returns the selectable names of the catalogue.
QStringList device_type_list();

/// Adds and chooses the cluster.
project::State with_imported_cluster(project::State state, Cluster cluster);

}  // namespace pipedeck::session::cluster
