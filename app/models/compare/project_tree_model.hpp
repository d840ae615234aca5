// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a project as a tree: sections with entries set from outside. The plans are grouped by their question.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QAbstractItemModel>
#include <QString>

namespace pipedeck::models::compare {

enum class ProjectSection { plans, profiles, clusters, runs };
inline constexpr int project_section_count = 4;

struct ProjectEntry {
  int id = 0;
  QString name;
  QString tool_tip;
  bool failed = false;  ///< shown in the error colour
  QString own_name{};   ///< the part of `name` that renaming changes; empty: all of it
  QString detail{};     ///< muted, after the name
  QString figure{};     ///< at the right end: the iteration time
  bool operator==(const ProjectEntry&) const = default;
};

/// A question with its plans: a model, a cluster and a batch.
struct ProjectQuestion {
  QString name;
  QString detail;    ///< second line: what the name leaves out
  QString figure{};  ///< best time
  int best = 0;      ///< id of the plan to go to
  std::vector<ProjectEntry> plans{};
  bool operator==(const ProjectQuestion&) const = default;
};

class ProjectTreeModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role { id_role = Qt::UserRole + 1, section_role, failed_role, detail_role, figure_role, question_role };

  explicit ProjectTreeModel(QObject* parent = nullptr);

  /// Sets the plans. A change of their structure resets the model.
  void set_questions(std::vector<ProjectQuestion> questions);
  /// Sets the entries of another section.
  void set_entries(ProjectSection section, std::vector<ProjectEntry> entries);
  const std::vector<ProjectQuestion>& questions() const { return questions_; }
  /// Returns the ids of a section's entries, in order.
  std::vector<int> ids(ProjectSection section) const;

  QModelIndex section_index(ProjectSection section) const;
  QModelIndex question_index(int question) const;
  /// Returns an invalid index if there is no such entry.
  QModelIndex entry_index(ProjectSection section, int id) const;
  /// Returns true for a question, which has a second line and children.
  static bool is_question(const QModelIndex& index);

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
  void question_renamed(int plan, const QString& name);  ///< the question of this plan

 private:
  const ProjectEntry* entry_at(const QModelIndex& index) const;
  QVariant section_data(int section, int role) const;
  QVariant question_data(const ProjectQuestion& question, int role) const;

  std::vector<ProjectQuestion> questions_;
  std::array<std::vector<ProjectEntry>, project_section_count> entries_;  ///< without the plans
};

}  // namespace pipedeck::models::compare
