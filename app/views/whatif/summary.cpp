// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/summary.hpp"

#include <algorithm>

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/views/gantt/preview.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::whatif {

namespace {

constexpr int min_rows_shown = 8;
constexpr int min_table = 400;    ///< pixels at which both number columns are readable
constexpr int min_preview = 150;  ///< pixels of height, if the charts are below

/// Marks a row by a sign as well as by colour.
QString marked(const models::whatif::Row& row) {
  if (row.effect == models::whatif::Row::Effect::better) return QStringLiteral("✓ %1").arg(row.change);
  if (row.effect == models::whatif::Row::Effect::worse) return QStringLiteral("✗ %1").arg(row.change);
  return row.change;
}

}  // namespace

Summary::Summary(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("what_if_summary"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(widgets::ThemeSizes::grid);
  auto* head = new QHBoxLayout;
  words_ = new QLabel;
  words_->setObjectName(QStringLiteral("what_if_words"));
  words_->setFont(widgets::title_font(font()));
  words_->setWordWrap(true);
  busy_ = new QLabel(tr("planning…"));
  busy_->setObjectName(QStringLiteral("what_if_busy"));
  save_cluster_ = new QPushButton(tr("Add as cl&uster"));
  save_cluster_->setObjectName(QStringLiteral("what_if_keep_cluster"));
  save_cluster_->setToolTip(tr("Add the changed cluster to the project"));
  save_plan_ = new QPushButton(tr("&Keep the plan"));
  save_plan_->setObjectName(QStringLiteral("what_if_keep_plan"));
  save_plan_->setToolTip(tr("Add the plan and its cluster to the project"));
  connect(save_cluster_, &QPushButton::clicked, this, &Summary::cluster_wanted);
  connect(save_plan_, &QPushButton::clicked, this, &Summary::plan_requested);
  head->addWidget(words_, 1);
  head->addWidget(busy_);
  head->addWidget(save_cluster_);
  head->addWidget(save_plan_);
  column->addLayout(head);
  row_ = new QHBoxLayout;
  row_->setSpacing(widgets::ThemeSizes::margin);
  table_ = new QTableWidget(0, 4);
  table_->setObjectName(QStringLiteral("what_if_table"));
  table_->setAccessibleName(tr("Best plan today and with the changes"));
  table_->setItemDelegate(new widgets::FlatDelegate(table_));
  widgets::make_flat(*table_);
  table_->setHorizontalHeaderLabels({QString(), tr("Today"), tr("Then"), tr("Change")});
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
  table_->horizontalHeader()->setSectionResizeMode(2, QHeaderView::Stretch);
  table_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  preview_ = new gantt::Preview;
  row_->addWidget(table_, 2);
  row_->addWidget(preview_, 1);
  column->addLayout(row_);
  apply_theme();
}

void Summary::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && save_plan_) apply_theme();
  QWidget::changeEvent(event);
}

void Summary::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  for (QPushButton* button : {save_cluster_, save_plan_}) button->setStyleSheet(widgets::plain_button_style(theme));
  widgets::set_text_colour(*busy_, theme.muted);
  widgets::set_text_colour(*words_, bad_ ? theme.bad : theme.text);
  fill();
}

QString Summary::words() const { return words_->text(); }

void Summary::set_text(const QString& words, bool bad, bool busy) {
  words_->setText(words);
  bad_ = bad;
  busy_->setVisible(busy);
  widgets::set_text_colour(*words_, bad ? widgets::Theme::of(palette()).bad : widgets::Theme::of(palette()).text);
}

void Summary::set_can_keep(bool cluster, bool plan) {
  save_cluster_->setEnabled(cluster);
  save_plan_->setEnabled(plan);
}

void Summary::set_narrow(bool narrow) {
  row_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  table_->setMinimumWidth(min_table);
  preview_->setMinimumHeight(narrow ? min_preview : 0);
}

void Summary::set_rows(const std::vector<models::whatif::Row>& rows) {
  if (rows == rows_) return;
  rows_ = rows;
  fill();
}

void Summary::fill() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  table_->setRowCount(static_cast<int>(rows_.size()));
  const int shown = std::max(min_rows_shown, table_->rowCount());
  table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + shown * widgets::table_row_height(font()) +
                         2);
  for (int i = 0; i < table_->rowCount(); ++i) {
    const models::whatif::Row& row = rows_[static_cast<std::size_t>(i)];
    const QString texts[] = {row.label, row.current, row.now, marked(row)};
    for (int column = 0; column < 4; ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      item->setToolTip(row.tool_tip.isEmpty() ? texts[column] : row.tool_tip);
      if (column == 3) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      if (column == 0) item->setForeground(theme.muted);
      if (column == 3 && row.effect == models::whatif::Row::Effect::better) item->setForeground(theme.good);
      if (column == 3 && row.effect == models::whatif::Row::Effect::worse) item->setForeground(theme.bad);
      table_->setItem(i, column, item);
    }
  }
}

}  // namespace pipedeck::views::whatif
