// SPDX-License-Identifier: GPL-3.0-or-later
// A model by its layers: bars over a table, totals, and what is missing.
#pragma once

#include <memory>

#include <QWidget>

#include "core/domain/profile.hpp"

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

 signals:
  void layer_selected(int position);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void make_table();
  void show_totals();
  void apply_theme();

  ProfileTableModel* model_;
  QLabel* title_;
  QLabel* totals_;
  QLabel* gaps_;
  ProfileBars* bars_;
  QTableView* table_;
};

}  // namespace pipedeck::app
