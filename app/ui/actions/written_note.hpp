// SPDX-License-Identifier: GPL-3.0-or-later
// A note in the status bar about the file that was written last, with buttons to open it and to show its folder.
#pragma once

#include <QWidget>

class QLabel;
class QTimer;
class QToolButton;

namespace pipedeck::ui::actions {

class WrittenNote : public QWidget {
  Q_OBJECT

 public:
  explicit WrittenNote(QWidget* parent = nullptr);
  /// Shows the note until another one, or for a minute.
  void show_file(const QString& file);

 private:
  QToolButton* add_button(const QString& text, const char* name, const QString& tool_tip);

  QString file_;
  QLabel* text_;
  QTimer* until_;
};

}  // namespace pipedeck::ui::actions
