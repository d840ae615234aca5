// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of the program, as opposed to those of a project. Each choice takes effect at once.
#pragma once

#include <QDialog>

#include "app/ui/layout/appearance.hpp"

namespace pipedeck::ui::dialogs {

struct Preferences {
  layout::Appearance appearance = layout::Appearance::system;
  int zoom = 100;      ///< percent
  double budget = 10;  ///< seconds per planner in new projects; 0: unlimited
  bool start_page = true;
  bool operator==(const Preferences&) const = default;
};

class PreferencesDialog : public QDialog {
  Q_OBJECT

 public:
  explicit PreferencesDialog(const Preferences& now, QWidget* parent = nullptr);

 signals:
  void changed(const dialogs::Preferences& preferences);
  void export_requested();
  void import_requested();
  void reset_requested();

 private:
  Preferences preferences_;
};

}  // namespace pipedeck::ui::dialogs
