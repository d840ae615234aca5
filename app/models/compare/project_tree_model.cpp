// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/project_tree_model.hpp"

#include <algorithm>

namespace pipedeck::models::compare {

namespace {

// Internal ids: 0 for a section; 1 + its section for an entry or a question; above for the plans of a question.
constexpr quintptr of_sections = 0;
constexpr quintptr of_plans = project_section_count + 1;
quintptr of_entries(int section) { return static_cast<quintptr>(section) + 1; }
constexpr int plans_section = static_cast<int>(ProjectSection::plans);

QString title_of(ProjectSection section) {
  switch (section) {
    case ProjectSection::profiles:
      return ProjectTreeModel::tr("Profiles");
    case ProjectSection::clusters:
      return ProjectTreeModel::tr("Clusters");
    case ProjectSection::plans:
      return ProjectTreeModel::tr("Questions");
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
      return ProjectTreeModel::tr("A model, a cluster and a batch, with the plans for them");
    case ProjectSection::runs:
      return ProjectTreeModel::tr("Trainings launched from here");
  }
  return {};
}

/// Returns the ids of all plans with the sizes of their groups: the structure of the section.
std::vector<int> structure_of(const std::vector<ProjectQuestion>& questions) {
  std::vector<int> structure;
  for (const ProjectQuestion& question : questions) {
    structure.push_back(-static_cast<int>(question.plans.size()));
    for (const ProjectEntry& plan : question.plans) structure.push_back(plan.id);
  }
  return structure;
}

}  // namespace

ProjectTreeModel::ProjectTreeModel(QObject* parent) : QAbstractItemModel(parent) {}

void ProjectTreeModel::set_questions(std::vector<ProjectQuestion> questions) {
  if (questions == questions_) return;
  if (structure_of(questions) != structure_of(questions_)) {
    beginResetModel();
    questions_ = std::move(questions);
    endResetModel();
    return;
  }
  questions_ = std::move(questions);
  const QModelIndex above = section_index(ProjectSection::plans);
  emit dataChanged(index(0, 0, above), index(rowCount(above) - 1, 0, above));
  for (int i = 0; i < rowCount(above); ++i) {
    const QModelIndex question = question_index(i);
    emit dataChanged(index(0, 0, question), index(rowCount(question) - 1, 0, question));
  }
}

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
  if (held == entries) return;
  held = std::move(entries);
  emit dataChanged(index(0, 0, above), index(after - 1, 0, above));
}

std::vector<int> ProjectTreeModel::ids(ProjectSection section) const {
  std::vector<int> ids;
  if (section == ProjectSection::plans)
    for (const ProjectQuestion& question : questions_)
      for (const ProjectEntry& plan : question.plans) ids.push_back(plan.id);
  for (const ProjectEntry& entry : entries_[static_cast<std::size_t>(section)]) ids.push_back(entry.id);
  return ids;
}

QModelIndex ProjectTreeModel::section_index(ProjectSection section) const {
  return createIndex(static_cast<int>(section), 0, of_sections);
}

QModelIndex ProjectTreeModel::question_index(int question) const {
  return createIndex(question, 0, of_entries(plans_section));
}

QModelIndex ProjectTreeModel::entry_index(ProjectSection section, int id) const {
  const auto place = [id](const std::vector<ProjectEntry>& held) {
    const auto found = std::ranges::find(held, id, &ProjectEntry::id);
    return found == held.end() ? -1 : static_cast<int>(found - held.begin());
  };
  if (section == ProjectSection::plans) {
    for (std::size_t i = 0; i < questions_.size(); ++i)
      if (const int at = place(questions_[i].plans); at >= 0) return createIndex(at, 0, of_plans + i);
    return {};
  }
  const int at = place(entries_[static_cast<std::size_t>(section)]);
  return at < 0 ? QModelIndex() : createIndex(at, 0, of_entries(static_cast<int>(section)));
}

bool ProjectTreeModel::is_question(const QModelIndex& index) {
  return index.isValid() && index.internalId() == of_entries(plans_section);
}

QModelIndex ProjectTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  if (!parent.isValid()) return createIndex(row, column, of_sections);
  if (is_question(parent)) return createIndex(row, column, of_plans + static_cast<quintptr>(parent.row()));
  return createIndex(row, column, of_entries(parent.row()));
}

QModelIndex ProjectTreeModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == of_sections) return {};
  if (child.internalId() >= of_plans) return question_index(static_cast<int>(child.internalId() - of_plans));
  return createIndex(static_cast<int>(child.internalId()) - 1, 0, of_sections);
}

int ProjectTreeModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return project_section_count;
  if (parent.column() > 0) return 0;
  if (is_question(parent)) return static_cast<int>(questions_[static_cast<std::size_t>(parent.row())].plans.size());
  if (parent.internalId() != of_sections) return 0;
  if (parent.row() == plans_section) return static_cast<int>(questions_.size());
  return static_cast<int>(entries_[static_cast<std::size_t>(parent.row())].size());
}

int ProjectTreeModel::columnCount(const QModelIndex&) const { return 1; }

const ProjectEntry* ProjectTreeModel::entry_at(const QModelIndex& index) const {
  const auto row = static_cast<std::size_t>(index.row());
  if (index.internalId() >= of_plans) return &questions_[index.internalId() - of_plans].plans[row];
  return &entries_[index.internalId() - 1][row];
}

QVariant ProjectTreeModel::section_data(int section, int role) const {
  if (role == Qt::DisplayRole) return title_of(static_cast<ProjectSection>(section));
  if (role == Qt::ToolTipRole) return purpose_of(static_cast<ProjectSection>(section));
  return role == section_role ? QVariant(section) : QVariant();
}

QVariant ProjectTreeModel::question_data(const ProjectQuestion& question, int role) const {
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      return question.name;
    case Qt::ToolTipRole:
      return question.name + QLatin1Char('\n') + question.detail;
    case Qt::AccessibleTextRole:
      return QStringList{question.name, question.detail, question.figure}.join(QStringLiteral(", "));
    case id_role:
      return question.best;
    case section_role:
      return plans_section;
    case question_role:
      return true;
    case detail_role:
      return question.detail;
    case figure_role:
      return question.figure;
    default:
      return {};
  }
}

QVariant ProjectTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (index.internalId() == of_sections) return section_data(index.row(), role);
  if (is_question(index)) return question_data(questions_[static_cast<std::size_t>(index.row())], role);
  const ProjectEntry& entry = *entry_at(index);
  switch (role) {
    case Qt::DisplayRole:
      return entry.name;
    case Qt::EditRole:
      return entry.own_name.isEmpty() ? entry.name : entry.own_name;
    case Qt::ToolTipRole:  // names are elided if there is little room
      return entry.tool_tip.isEmpty() ? entry.name : entry.name + QLatin1Char('\n') + entry.tool_tip;
    case Qt::AccessibleTextRole:
      return entry.figure.isEmpty() ? entry.name : entry.name + QStringLiteral(", ") + entry.figure;
    case id_role:
      return entry.id;
    case section_role:
      return index.internalId() >= of_plans ? plans_section : static_cast<int>(index.internalId()) - 1;
    case failed_role:
      return entry.failed;
    case detail_role:
      return entry.detail;
    case figure_role:
      return entry.figure;
    default:
      return {};
  }
}

Qt::ItemFlags ProjectTreeModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const Qt::ItemFlags common = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  if (index.internalId() == of_sections) return common;
  return is_question(index) ? common | Qt::ItemIsEditable : common | Qt::ItemNeverHasChildren | Qt::ItemIsEditable;
}

bool ProjectTreeModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid() || index.internalId() == of_sections) return false;
  const QString name = value.toString().trimmed();
  if (is_question(index)) {
    const auto& plans = questions_[static_cast<std::size_t>(index.row())].plans;
    if (name != index.data(Qt::EditRole).toString() && !plans.empty()) emit question_renamed(plans.front().id, name);
    return true;
  }
  if (name.isEmpty()) return false;
  if (name != index.data(Qt::EditRole).toString())
    emit renamed(static_cast<ProjectSection>(index.data(section_role).toInt()), index.data(id_role).toInt(), name);
  return true;
}

}  // namespace pipedeck::models::compare
