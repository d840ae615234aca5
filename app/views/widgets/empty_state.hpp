// SPDX-License-Identifier: GPL-3.0-or-later
// An overlay for a page without content: what is missing, and buttons that provide it.
#pragma once

#include <functional>
#include <vector>

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace pipedeck::views::widgets {

struct EmptyText {
  QString title;
  QString text;
  struct Button {
    QString text;
    std::function<void()> run;
  };
  std::vector<Button> buttons;  ///< the first is the primary one
};

class EmptyState : public QWidget {
  Q_OBJECT

 public:
  /// Covers `page` completely while it has a text to show.
  explicit EmptyState(QWidget* page);

  /// Shows a text. An empty title hides the overlay.
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

}  // namespace pipedeck::views::widgets
