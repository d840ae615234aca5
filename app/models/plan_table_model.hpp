// SPDX-License-Identifier: GPL-3.0-or-later
// The table of plans to compare: one row a plan, figures as text and, under sort_role, as the numbers they are.
#pragma once

#include <optional>
#include <vector>

#include <QAbstractTableModel>

#include "app/models/plan_row.hpp"

namespace pipedeck::app {

class PlanTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    tick,
    name,
    iteration,
    measured,
    samples,
    speed_up,
    bubble,
    communication,
    peak,
    over_bound,
    fits,
    column_count,
  };
  enum Role {
    sort_role = Qt::UserRole + 1,  ///< raw number, or the name; rows without figures sort last in either direction
    id_role,                       ///< PlanRow::id
    share_role,                    ///< peak memory: fullest device's peak over its capacity
    share_upper_role,              ///< the same of the upper estimate
    verdict_role,                  ///< Verdict as int
    steady_role,                   ///< true: asynchronous, figures are of the steady state
    remarks_role,                  ///< what was noted about the plan
  };
  enum Verdict { pending, good, bad, unsure };  ///< unsure: the estimate fits, the upper one does not

  explicit PlanTableModel(QObject* parent = nullptr);

  /// Replaces all rows; rows whose ids stay in place change without a reset, so that selections live on.
  void set_rows(std::vector<PlanRow> rows);
  /// Replaces the row of the same id, or appends it.
  void update_row(const PlanRow& row);
  void remove_row(int id);

  const std::vector<PlanRow>& rows() const { return rows_; }
  const PlanRow* find(int id) const;
  std::optional<int> position_of(int id) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 signals:
  void ticked(int id, bool on);
  void renamed(int id, const QString& name);  ///< asked for; the name comes from the project

 private:
  QString text(const PlanRow& row, Column column) const;
  QVariant number(const PlanRow& row, Column column) const;
  QString tool_tip(const PlanRow& row, Column column) const;
  static QString name_tip(const PlanRow& row);

  std::vector<PlanRow> rows_;
};

/// Peak of the device that is fullest against its capacity; null where nothing is simulated.
const DeviceVerdict* fullest_device(const PlanRow& row);

}  // namespace pipedeck::app
