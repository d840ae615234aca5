// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a project as a tree: sections with entries set from outside.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QAbstractItemModel>
#include <QString>

namespace pipedeck::models::compare {

enum class ProjectSection { profiles, clusters, plans, runs };
inline constexpr int project_section_count = 4;

struct ProjectEntry {
  int id = 0;
  QString name;
  QString tool_tip;
  bool failed = false;  ///< shown in the error colour
  QString own_name{};   ///< the part of `name` that renaming changes; empty: all of it
  bool operator==(const ProjectEntry&) const = default;
};

class ProjectTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role { id_role = Qt::UserRole + 1, section_role, failed_role };

  explicit ProjectTreeModel(QObject* parent = nullptr);

  void set_entries(ProjectSection section, std::vector<ProjectEntry> entries);
  const std::vector<ProjectEntry>& entries(ProjectSection section) const;

  QModelIndex section_index(ProjectSection section) const;
  /// Returns an invalid index if there is no such entry.
  QModelIndex entry_index(ProjectSection section, int id) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  /// Requests a new name but does not store it, since names come from the project.
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 signals:
  void renamed(compare::ProjectSection section, int id, const QString& name);

 private:
  std::array<std::vector<ProjectEntry>, project_section_count> entries_;
};

}  // namespace pipedeck::models::compare
