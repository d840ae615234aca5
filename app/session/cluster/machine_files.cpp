// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cluster/machine_files.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include "app/session/project/training_state.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/importers.hpp"
#include "core/io/topology/bandwidth_matrix.hpp"
#include "core/io/topology/nccl.hpp"
#include "core/io/topology/nvidia_smi.hpp"
#include "core/io/topology/slurm.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::session::cluster {

namespace {

struct MachineFilesText {
  Q_DECLARE_TR_FUNCTIONS(MachineFiles)
};

constexpr qint64 looked_at = 1 << 18, largest_json = 1 << 22;

}  // namespace

bool is_machine_file(const QString& path) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return false;
  const std::string start = file.read(looked_at).toStdString();
  if (io::topology::looks_like_nvidia_smi_topology(start) || io::topology::looks_like_xml(start) ||
      io::topology::looks_like_slurm(start) ||
      (!start.starts_with('{') && io::topology::looks_like_bandwidth_matrix(start)))
    return true;
  // JSON is judged whole.
  if (start.starts_with('{') && file.size() > largest_json) return false;
  const std::string rest = start.starts_with('{') ? file.readAll().toStdString() : std::string();
  const auto importer = io::importer_of(start + rest);
  return importer && (*importer)->kind == io::FileKind::machines;
}

Result<FoundMachines> machines_in(const QStringList& files) {
  FoundMachines all;
  for (const QString& file : files) {
    auto document = io::read_document(file.toStdString());
    if (!document) return tl::unexpected(std::move(document.error()));
    auto* found = std::get_if<FoundMachines>(&*document);
    if (!found)
      return fail(ErrorCode::bad_input, MachineFilesText::tr("The file describes no machine.").toStdString(), {},
                  file.toStdString());
    if (auto added = presets::add_found(all, std::move(*found)); !added)
      return fail(ErrorCode::bad_input, added.error().message, {}, file.toStdString());
  }
  return all;
}

MachinePreview preview_of(FoundMachines found) {
  MachinePreview preview;
  preview.title = MachineFilesText::tr("Cluster from machine descriptions");
  preview.machines = static_cast<int>(found.machines.size());
  preview.countable = found.switches.empty() && !found.matrix;
  preview.network = !found.matrix;
  preview.uplinks = !found.switches.empty();
  preview.unit = found.matrix && found.matrix->unit.empty();
  for (const DetectedMachine& machine : found.machines)
    for (const std::string& partition : machine.partitions) preview.partitions << QString::fromStdString(partition);
  preview.partitions.removeDuplicates();
  preview.make = [found = std::move(found)](const presets::MachineImport& how) {
    return presets::cluster_of(found, how);
  };
  return preview;
}

Result<MachinePreview> preview_of_this_machine(const QByteArray& cluster, const QStringList& notes) {
  auto read = io::documents::cluster_from_json(cluster.toStdString());
  if (!read) return tl::unexpected(std::move(read.error()));
  presets::ImportedCluster made{*std::move(read), {}};
  for (const QString& note : notes) made.notes.push_back(note.toStdString());
  MachinePreview preview;
  preview.title = MachineFilesText::tr("Cluster of this machine");
  preview.questions = false;
  preview.make = [made](const presets::MachineImport& how) -> Result<presets::ImportedCluster> {
    presets::ImportedCluster named = made;
    if (!how.name.empty()) named.cluster.name = how.name;
    return named;
  };
  return preview;
}

QStringList device_type_list() {
  QStringList names;
  for (const DeviceModel& model : presets::device_catalogue()) names << QString::fromStdString(model.type.name);
  return names;
}

project::State with_imported_cluster(project::State state, Cluster cluster) {
  project::Added added = project::with_cluster(std::move(state), std::move(cluster));
  return project::with_selected_cluster(std::move(added.state), added.id);
}

}  // namespace pipedeck::session::cluster
