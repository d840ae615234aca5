// SPDX-License-Identifier: GPL-3.0-or-later
// Says over the pages that the project's file is not written from this window, and leads out of it.
#pragma once

#include <QFrame>

class QLabel;

namespace pipedeck::app {

class ReadOnlyBar : public QFrame {
  Q_OBJECT

 public:
  explicit ReadOnlyBar(QWidget* parent = nullptr);
  /// Empty: the file may be written, there is nothing to say.
  void show_reason(const QString& why);

 signals:
  void save_copy_requested();

 private:
  QLabel* text_ = nullptr;
};

}  // namespace pipedeck::app
