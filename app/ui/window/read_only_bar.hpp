// SPDX-License-Identifier: GPL-3.0-or-later
// A bar over the pages of a read-only project that offers to save a copy.
#pragma once

#include <QFrame>

class QLabel;

namespace pipedeck::ui::window {

class ReadOnlyBar : public QFrame {
  Q_OBJECT

 public:
  explicit ReadOnlyBar(QWidget* parent = nullptr);
  /// Shows why the file cannot be written; empty: it can, and the bar hides.
  void show_reason(const QString& why);

 signals:
  void save_copy_requested();

 private:
  QLabel* text_ = nullptr;
};

}  // namespace pipedeck::ui::window
