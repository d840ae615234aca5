// SPDX-License-Identifier: GPL-3.0-or-later
// One muted line of small text, cut with an ellipsis where there is no room. The tool tip has all of it.
#pragma once

#include <QWidget>

namespace pipedeck::views::widgets {

class ElidedLine : public QWidget {
  Q_OBJECT

 public:
  explicit ElidedLine(QWidget* parent = nullptr);
  void set_text(const QString& text);
  QString text() const { return text_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {1, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString text_;
};

}  // namespace pipedeck::views::widgets
