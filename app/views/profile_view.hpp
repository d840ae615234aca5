// SPDX-License-Identifier: GPL-3.0-or-later
// A model by its layers: bars over a table, totals, and what is missing.
#pragma once

#include <memory>
#include <vector>

#include <QWidget>

#include "core/domain/profile.hpp"

class QAction;
class QHBoxLayout;
class QLabel;
class QTableView;

namespace pipedeck::app {

class ProfileBars;
class ProfileTableModel;

class ProfileView : public QWidget {
  Q_OBJECT

 public:
  explicit ProfileView(QWidget* parent = nullptr);

  void set_profile(std::shared_ptr<const Profile> profile);
  void clear();
  const Profile* profile() const;
  int selected_layer() const;  ///< position in the profile; -1: none
  void select_layer(int position);
  std::vector<int> selected_layers() const;  ///< positions, ascending
  void select_layers(const std::vector<int>& positions);
  int current_column() const;  ///< ProfileTableModel::Column; -1: none
  /// The cell that is current, opened for typing.
  void edit_current();
  QTableView* table() const { return table_; }
  /// A button beside the title.
  void offer(QAction* action);

 signals:
  void layer_selected(int position);
  void selection_changed();
  /// A text, or a figure in seconds or bytes, that somebody typed.
  void edited(int layer, int column, const QVariant& value);
  /// What ProfileGap::offer says, for one of its kinds.
  void remedy_requested(int kind);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void make_table();
  void show_totals();
  void show_gaps();
  void follow_link(const QString& link);
  void apply_theme();

  ProfileTableModel* model_;
  QHBoxLayout* head_;
  QLabel* title_;
  QLabel* totals_;
  QLabel* gaps_;
  ProfileBars* bars_;
  QTableView* table_;
};

}  // namespace pipedeck::app
