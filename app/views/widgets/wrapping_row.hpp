// SPDX-License-Identifier: GPL-3.0-or-later
// A row of fields that wraps to the available width: in a narrow window fields continue on the next line instead of
// displacing their neighbours. The row is as high as its lines.
#pragma once

#include <vector>

#include <QWidget>

namespace pipedeck::views::widgets {

class WrappingRow : public QWidget {
  Q_OBJECT

 public:
  explicit WrappingRow(QWidget* parent = nullptr);

  /// Keeps `field` and its caption on one line; the caption's buddy is the field.
  void add_field(const QString& caption, QWidget* field);
  void add(QWidget* item);
  /// Aligns all further items to the right end of their line.
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
  std::size_t at_end_;  ///< index of the first item that is aligned to the right
};

}  // namespace pipedeck::views::widgets
