// SPDX-License-Identifier: GPL-3.0-or-later
// Large figures with small captions below them, in a row that wraps.
#pragma once

#include <vector>

#include "app/views/widgets/wrapping_row.hpp"

class QLabel;

namespace pipedeck::views::widgets {

struct Figure {
  QString value, caption;
  QString tool_tip{};
  bool bad = false;
};

class FigureRow : public WrappingRow {
  Q_OBJECT

 public:
  explicit FigureRow(QWidget* parent = nullptr);

  void set_figures(const std::vector<Figure>& figures);
  const std::vector<Figure>& figures() const { return figures_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Labels {
    QWidget* box;
    QLabel *value, *caption;
  };
  void apply_theme();

  std::vector<Figure> figures_;
  std::vector<Labels> labels_;
};

}  // namespace pipedeck::views::widgets
