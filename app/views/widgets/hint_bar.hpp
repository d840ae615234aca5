// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace pipedeck::views::widgets {

/// A line above a view: a hint, and a button that follows it.
class HintBar : public QWidget {
  Q_OBJECT

 public:
  explicit HintBar(QWidget* parent = nullptr);
  void set_texts(const QString& hint, const QString& button);
  /// Adds a second button, which hides the line.
  void set_dismissible(const QString& button);

 signals:
  void accepted();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void update_colours();

  QLabel* hint_;
  QPushButton* button_;
};

}  // namespace pipedeck::views::widgets
