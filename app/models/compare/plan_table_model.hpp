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
    pin,
    name,
    iteration,
    measured,
    samples,
    tokens,
    mfu,
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
    rank_role,                     ///< rows with a smaller one come first in both directions
    id_role,                       ///< PlanRow::id
    share_role,                    ///< peak memory over capacity, of the most loaded device
    share_upper_role,              ///< as share_role, of the upper bound
    verdict_role,                  ///< Verdict as int
    steady_role,                   ///< true: asynchronous, figures of the steady state
    remarks_role,                  ///< the user's notes on the plan
    alarm_role,                    ///< true: a figure that cannot be true
    difference_role,               ///< text of the difference to the baseline; empty: none
    better_role,                   ///< 1: the difference is an improvement; -1: the opposite
  };
  enum Verdict { pending, good, bad, unsure };  ///< unsure: the estimate fits, the upper bound does not

  explicit PlanTableModel(QObject* parent = nullptr);

  /// Replaces all rows. Rows are inserted and removed one by one if the others keep their order, so that selections
  /// persist; else the model is reset.
  void set_rows(std::vector<PlanRow> rows);
  /// Replaces the row with the same id, or appends it.
  void update_row(const PlanRow& row);
  void remove_row(int id);

  const std::vector<PlanRow>& rows() const { return rows_; }
  const PlanRow* find(int id) const;
  /// Returns the row to which the others show their difference; null: none.
  const PlanRow* baseline() const;
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
  void baseline_chosen(int id);               ///< requested by the user; 0: none

 private:
  static QString name_of(const PlanRow& row);
  static QString text(const PlanRow& row, Column column);
  static QVariant sort_value(const PlanRow& row, Column column);
  static QString tool_tip(const PlanRow& row, Column column);
  static QString name_tip(const PlanRow& row);
  static QString accessible_text(const PlanRow& row, Column column);
  QVariant difference(const PlanRow& row, Column column, int role) const;
  void add_and_remove(std::vector<PlanRow>& rows);

  std::vector<PlanRow> rows_;
};

/// Returns the device with the highest peak relative to its capacity; null without a simulation.
const SimulatedDevice* most_loaded_device(const PlanRow& row);

}  // namespace pipedeck::models::compare
