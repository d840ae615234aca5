// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/figure_row.hpp"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::widgets {

namespace {

constexpr double value_scale = 1.35;  ///< of the font

QFont value_font(const QFont& base) {
  QFont font = title_font(base);
  font.setPointSizeF(base.pointSizeF() * value_scale);
  return font;
}

}  // namespace

FigureRow::FigureRow(QWidget* parent) : WrappingRow(parent) {}

void FigureRow::set_figures(const std::vector<Figure>& figures) {
  figures_ = figures;
  while (labels_.size() < figures.size()) {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, ThemeSizes::grid, 0);
    column->setSpacing(0);
    Labels labels{box, new QLabel, new QLabel};
    column->addWidget(labels.value);
    column->addWidget(labels.caption);
    labels_.push_back(labels);
    add(box);
  }
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    labels_[i].box->setVisible(i < figures.size());
    if (i >= figures.size()) continue;
    labels_[i].value->setText(figures[i].value);
    labels_[i].caption->setText(figures[i].caption);
    labels_[i].box->setToolTip(figures[i].tool_tip);
    labels_[i].box->setAccessibleName(QStringLiteral("%1: %2").arg(figures[i].caption, figures[i].value));
  }
  apply_theme();
}

void FigureRow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) apply_theme();
  WrappingRow::changeEvent(event);
}

void FigureRow::apply_theme() {
  const Theme& theme = Theme::of(palette());
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    labels_[i].value->setFont(value_font(font()));
    labels_[i].caption->setFont(caption_font(font()));
    set_text_colour(*labels_[i].value, i < figures_.size() && figures_[i].bad ? theme.bad : theme.text);
    set_text_colour(*labels_[i].caption, theme.muted);
  }
  updateGeometry();
}

}  // namespace pipedeck::views::widgets
