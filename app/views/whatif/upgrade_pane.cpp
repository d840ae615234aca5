// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/upgrade_pane.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/views/widgets/bar_table.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::whatif {

UpgradePane::UpgradePane(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("buy_pane"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(widgets::ThemeSizes::grid / 2);
  auto* row = new QHBoxLayout;
  auto* title = new QLabel(tr("Buy first"));
  title->setFont(widgets::title_font(font()));
  row->addWidget(title, 1);
  csv_ = new QToolButton;
  csv_->setObjectName(QStringLiteral("buy_csv"));
  csv_->setText(tr("CSV…"));
  csv_->setToolTip(tr("Write the purchases as a table for other programs"));
  connect(csv_, &QToolButton::clicked, this, &UpgradePane::csv_requested);
  find_ = new QPushButton;
  find_->setObjectName(QStringLiteral("buy_find"));
  connect(find_, &QPushButton::clicked, this, [this] { running_ ? emit cancel_requested() : emit search_requested(); });
  find_->setMinimumWidth(96);
  row->addWidget(csv_);
  row->addWidget(find_);
  column->addLayout(row);
  table_ = new widgets::BarTable({tr("Purchase"), QString(), tr("Gain · per price")});
  table_->setObjectName(QStringLiteral("buy_table"));
  table_->setAccessibleName(tr("Purchases by their gain, one per row"));
  table_->horizontalHeaderItem(2)->setToolTip(
      tr("Additional samples per second · the same per USD per hour, if prices are known"));
  connect(table_, &QTableWidget::cellClicked, this, [this](int at, int) { emit chosen(at); });
  connect(table_, &QTableWidget::activated, this, [this](const QModelIndex& at) { emit chosen(at.row()); });
  column->addWidget(table_, 1);
  hint_ = new QLabel;
  hint_->setObjectName(QStringLiteral("buy_hint"));
  hint_->setWordWrap(true);
  hint_->setAlignment(Qt::AlignCenter);
  column->addWidget(hint_);
  set_rows({});
  set_state({}, false);
  apply_theme();
}

void UpgradePane::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && find_) apply_theme();
  QWidget::changeEvent(event);
}

void UpgradePane::apply_theme() {
  find_->setStyleSheet(widgets::plain_button_style(widgets::Theme::of(palette())));
  widgets::set_text_colour(*hint_, widgets::Theme::of(palette()).muted);
}

void UpgradePane::set_rows(const std::vector<models::whatif::BarRow>& rows) {
  const int current = table_->currentRow();
  table_->set_rows(rows);
  if (current >= 0 && current < table_->rowCount()) table_->setCurrentCell(current, 0);
  table_->setVisible(!rows.empty());
  csv_->setEnabled(!rows.empty());
}

void UpgradePane::set_state(const QString& hint, bool running) {
  running_ = running;
  find_->setText(running ? tr("Cancel") : tr("Find &out"));
  hint_->setText(hint);
  hint_->setVisible(!hint.isEmpty());
  hint_->setSizePolicy(QSizePolicy::Preferred, table_->isHidden() ? QSizePolicy::Expanding : QSizePolicy::Preferred);
}

}  // namespace pipedeck::views::whatif
