// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a model: bars above a table, totals, and missing values.
#pragma once

#include <memory>
#include <vector>

#include <QWidget>

#include "core/model/profile.hpp"

class QAction;
class QHBoxLayout;
class QLabel;
class QTableView;

namespace pipedeck::models::profile {
class TableModel;
}  // namespace pipedeck::models::profile

namespace pipedeck::views::profile {

class Bars;

class View : public QWidget {
  Q_OBJECT

 public:
  explicit View(QWidget* parent = nullptr);

  void set_profile(std::shared_ptr<const Profile> profile);
  void clear();
  const Profile* profile() const;
  int selected_layer() const;  ///< index in the profile; -1: none
  void select_layer(int position);
  std::vector<int> selected_layers() const;  ///< indices, ascending
  void select_layers(const std::vector<int>& positions);
  int current_column() const;  ///< TableModel::Column; -1: none
  /// Opens the current cell for editing.
  void edit_current();
  QTableView* table() const { return table_; }
  /// Adds a button next to the title.
  void offer(QAction* action);

 signals:
  void layer_selected(int position);
  void selection_changed();
  /// The user typed a text, or a number in seconds or bytes.
  void edited(int layer, int column, const QVariant& value);
  /// The user followed the offer of a gap (Gap::offer) of this kind.
  void quick_fix_requested(int kind);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void make_table();
  void show_totals();
  void show_gaps();
  void follow_link(const QString& link);
  void apply_theme();

  models::profile::TableModel* model_;
  QHBoxLayout* head_;
  QLabel* title_;
  QLabel* totals_;
  QLabel* gaps_;
  Bars* bars_;
  QTableView* table_;
};

}  // namespace pipedeck::views::profile
