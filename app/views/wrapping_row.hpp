// SPDX-License-Identifier: GPL-3.0-or-later
// Fields beside each other, in as many lines as the width asks for: in a narrow window they go on below instead of
// pushing what stands beside them away. The row is as high as its lines.
#pragma once

#include <vector>

#include <QWidget>

namespace pipedeck::app {

class WrappingRow : public QWidget {
  Q_OBJECT

 public:
  explicit WrappingRow(QWidget* parent = nullptr);

  /// `field`, with its caption before it, stays in one line; the caption's buddy is the field.
  void add_field(const QString& caption, QWidget* field);
  void add(QWidget* item);
  /// What follows stands at the right end of its line.
  void add_stretch();

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Line {
    std::vector<QWidget*> items;
    int height = 0;
    int used = 0;
  };
  std::vector<Line> lines_in(int width) const;
  int height_of(const std::vector<Line>& lines) const;
  void arrange();

  std::vector<QWidget*> items_;
  std::size_t at_end_;  ///< items from here on stand at the right
};

}  // namespace pipedeck::app
