// SPDX-License-Identifier: GPL-3.0-or-later
// The table of plans to compare: one row per plan. Figures are text, and numbers under sort_role.
#pragma once

#include <optional>
#include <vector>

#include <QAbstractTableModel>

#include "app/models/compare/plan_row.hpp"

namespace pipedeck::models::compare {

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
    sort_role = Qt::UserRole + 1,  ///< number or name; rows without a number sort last in both directions
    id_role,                       ///< PlanRow::id
    share_role,                    ///< peak memory over capacity, of the most loaded device
    share_upper_role,              ///< as share_role, of the upper bound
    verdict_role,                  ///< Verdict as int
    steady_role,                   ///< true: asynchronous, figures of the steady state
    remarks_role,                  ///< the user's notes on the plan
  };
  enum Verdict { pending, good, bad, unsure };  ///< unsure: the estimate fits, the upper bound does not

  explicit PlanTableModel(QObject* parent = nullptr);

  /// Replaces all rows. Rows whose ids stay in place change without a reset, so that selections persist.
  void set_rows(std::vector<PlanRow> rows);
  /// Replaces the row with the same id, or appends it.
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
  void renamed(int id, const QString& name);  ///< requested by the user; the project sets the name

 private:
  QString text(const PlanRow& row, Column column) const;
  QVariant number(const PlanRow& row, Column column) const;
  QString tool_tip(const PlanRow& row, Column column) const;
  static QString name_tip(const PlanRow& row);

  std::vector<PlanRow> rows_;
};

/// Returns the device with the highest peak relative to its capacity; null without a simulation.
const SimulatedDevice* most_loaded_device(const PlanRow& row);

}  // namespace pipedeck::models::compare
