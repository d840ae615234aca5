// SPDX-License-Identifier: GPL-3.0-or-later
// Preview of a table of layers before it becomes a profile. It shows the first rows, a meaning and a unit above each
// column, and below them the errors, assumptions and results.
#pragma once

#include <optional>

#include <QDialog>

#include "app/session/profile/layer_tables.hpp"

class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QSpinBox;
class QTableWidget;

namespace pipedeck::ui::dialogs {

class LayerTableDialog : public QDialog {
  Q_OBJECT

 public:
  explicit LayerTableDialog(session::profile::TablePreview preview, QWidget* parent = nullptr);

  /// Returns the profile to add; nothing while there are errors.
  const std::optional<Profile>& profile() const { return reading_.profile; }

  /// Returns the box above a column.
  QComboBox& meaning_box(int column) const;
  QComboBox& unit_box(int column) const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_questions();
  QWidget* make_table();
  QWidget* make_findings();
  void add_boxes(int column);
  void fill_units(int column, const std::string& unit);
  void choose_meaning(int column);
  std::vector<session::profile::ColumnMeaning> chosen() const;
  void refresh();
  void show_findings();
  void mark_cells();
  void go_to(const QListWidgetItem* item);

  session::profile::TablePreview preview_;
  session::profile::TableReading reading_;
  QLineEdit* name_;
  QSpinBox* micro_batch_;
  QLabel* summary_;
  QTableWidget* table_;
  QListWidget* findings_;
  QDialogButtonBox* buttons_;
};

}  // namespace pipedeck::ui::dialogs
