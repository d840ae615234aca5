// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/project_tree_model.hpp"

#include <algorithm>

namespace pipedeck::models::compare {

namespace {

// Internal ids: 0 for a section, 1 + its section for an entry.
constexpr quintptr of_sections = 0;
quintptr of_entries(int section) { return static_cast<quintptr>(section) + 1; }

QString title_of(ProjectSection section) {
  switch (section) {
    case ProjectSection::profiles:
      return ProjectTreeModel::tr("Profiles");
    case ProjectSection::clusters:
      return ProjectTreeModel::tr("Clusters");
    case ProjectSection::plans:
      return ProjectTreeModel::tr("Plans");
    case ProjectSection::runs:
      return ProjectTreeModel::tr("Runs");
  }
  return {};
}

QString purpose_of(ProjectSection section) {
  switch (section) {
    case ProjectSection::profiles:
      return ProjectTreeModel::tr("Models: times and bytes of each layer");
    case ProjectSection::clusters:
      return ProjectTreeModel::tr("Devices and their links");
    case ProjectSection::plans:
      return ProjectTreeModel::tr("How a model is cut over a cluster");
    case ProjectSection::runs:
      return ProjectTreeModel::tr("Trainings launched from here");
  }
  return {};
}

}  // namespace

ProjectTreeModel::ProjectTreeModel(QObject* parent) : QAbstractItemModel(parent) {}

void ProjectTreeModel::set_entries(ProjectSection section, std::vector<ProjectEntry> entries) {
  auto& held = entries_[static_cast<std::size_t>(section)];
  const QModelIndex above = section_index(section);
  const int before = static_cast<int>(held.size());
  const int after = static_cast<int>(entries.size());
  // Existing rows are changed in place; rows are added or removed at the end. Views keep their expanded and selected
  // items.
  if (after < before) {
    beginRemoveRows(above, after, before - 1);
    held.resize(entries.size());
    endRemoveRows();
  } else if (after > before) {
    beginInsertRows(above, before, after - 1);
    held.insert(held.end(), entries.begin() + before, entries.end());
    endInsertRows();
  }
  if (held != entries) held = std::move(entries);
  if (after > 0) emit dataChanged(index(0, 0, above), index(after - 1, 0, above));
}

const std::vector<ProjectEntry>& ProjectTreeModel::entries(ProjectSection section) const {
  return entries_[static_cast<std::size_t>(section)];
}

QModelIndex ProjectTreeModel::section_index(ProjectSection section) const {
  return createIndex(static_cast<int>(section), 0, of_sections);
}

QModelIndex ProjectTreeModel::entry_index(ProjectSection section, int id) const {
  const auto& held = entries(section);
  const auto found = std::find_if(held.begin(), held.end(), [id](const ProjectEntry& e) { return e.id == id; });
  if (found == held.end()) return {};
  return createIndex(static_cast<int>(found - held.begin()), 0, of_entries(static_cast<int>(section)));
}

QModelIndex ProjectTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? of_entries(parent.row()) : of_sections);
}

QModelIndex ProjectTreeModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == of_sections) return {};
  return createIndex(static_cast<int>(child.internalId()) - 1, 0, of_sections);
}

int ProjectTreeModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return project_section_count;
  if (parent.internalId() != of_sections || parent.column() > 0) return 0;
  return static_cast<int>(entries_[static_cast<std::size_t>(parent.row())].size());
}

int ProjectTreeModel::columnCount(const QModelIndex&) const { return 1; }

QVariant ProjectTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (index.internalId() == of_sections) {
    const auto section = static_cast<ProjectSection>(index.row());
    if (role == Qt::DisplayRole) return title_of(section);
    if (role == Qt::ToolTipRole) return purpose_of(section);
    if (role == section_role) return index.row();
    return {};
  }
  const auto section = index.internalId() - 1;
  const ProjectEntry& entry = entries_[section][static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return entry.name;
    case Qt::EditRole:
      return entry.own_name.isEmpty() ? entry.name : entry.own_name;
    case Qt::ToolTipRole:  // names are elided if there is little room
      return entry.tool_tip.isEmpty() ? entry.name : entry.name + QLatin1Char('\n') + entry.tool_tip;
    case id_role:
      return entry.id;
    case section_role:
      return static_cast<int>(section);
    case failed_role:
      return entry.failed;
    default:
      return {};
  }
}

Qt::ItemFlags ProjectTreeModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const Qt::ItemFlags common = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  return index.internalId() == of_sections ? common : common | Qt::ItemNeverHasChildren | Qt::ItemIsEditable;
}

bool ProjectTreeModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid() || index.internalId() == of_sections) return false;
  const QString name = value.toString().trimmed();
  if (name.isEmpty()) return false;
  if (name != index.data(Qt::EditRole).toString())
    emit renamed(static_cast<ProjectSection>(index.data(section_role).toInt()), index.data(id_role).toInt(), name);
  return true;
}

}  // namespace pipedeck::models::compare
