// SPDX-License-Identifier: GPL-3.0-or-later
// A label that is as high as its whole text at its width. Layouts inside scroll areas otherwise give a wrapped label
// the height of fewer lines, and clip it.
#pragma once

#include <QLabel>

namespace pipedeck::views::run {

class WrappedLabel : public QLabel {
 public:
  explicit WrappedLabel(QWidget* parent = nullptr) : QLabel(parent) { setWordWrap(true); }

 protected:
  /// Every change of text, font or width paints anew.
  void paintEvent(QPaintEvent* event) override {
    QLabel::paintEvent(event);
    if (const int needed = heightForWidth(width()); minimumHeight() != needed) setMinimumHeight(needed);
  }
};

}  // namespace pipedeck::views::run
