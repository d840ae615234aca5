// SPDX-License-Identifier: GPL-3.0-or-later
// Over a page that has nothing to show yet: what is missing, and buttons that get it.
#pragma once

#include <functional>
#include <vector>

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace pipedeck::app {

struct EmptyText {
  QString title;
  QString text;
  struct Button {
    QString text;
    std::function<void()> run;
  };
  std::vector<Button> buttons;  ///< the first is the one to press
};

class EmptyState : public QWidget {
  Q_OBJECT

 public:
  /// Covers `page` from its edges while it has something to say.
  explicit EmptyState(QWidget* page);

  /// Without a title: the page is not empty.
  void say(const EmptyText& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void apply_theme();

  QLabel* title_;
  QLabel* text_;
  QHBoxLayout* buttons_;
};

}  // namespace pipedeck::app
