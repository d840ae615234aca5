// SPDX-License-Identifier: GPL-3.0-or-later
// Assignment of processor cores to devices: a short list such as "0-3,4-7", or on request one row per device.
#pragma once

#include <QList>
#include <QStringList>
#include <QWidget>

class QLineEdit;
class QTableWidget;
class QToolButton;

namespace pipedeck::views::widgets {

class CoreFields : public QWidget {
  Q_OBJECT

 public:
  explicit CoreFields(QWidget* parent = nullptr);

  void set_devices(const QStringList& devices, const QList<int>& here);
  void set_cores(const QList<int>& cores);
  /// Empty: the operating system chooses.
  QList<int> cores() const;
  /// Returns why the list is invalid; empty if it is valid.
  QString problem() const;

 signals:
  void edited();

 private:
  void fill_table();
  void apply_cell(int row);

  QLineEdit* text_;
  QToolButton* each_;
  QTableWidget* table_;
  QStringList devices_;
  QList<int> here_;
};

}  // namespace pipedeck::views::widgets
