// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/accuracy/run_panel.hpp"

#include <cmath>

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/accuracy/error_figures.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "app/views/widgets/figure_row.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"

namespace pipedeck::views::accuracy {

namespace {

constexpr std::size_t max_largest = 14;

/// Returns the text with a place to break lines behind each underscore: names of recipes are wider than the panel.
QString breakable(QString text) { return text.replace(QLatin1Char('_'), QStringLiteral("_\u200b")); }

QLabel* wrapped_label(const char* name) {
  auto* label = new QLabel;
  label->setObjectName(QLatin1String(name));
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

/// Adds a table without header that the panel scrolls.
widgets::BarTable* make_bars(const char* name, const QString& text, QVBoxLayout& column) {
  auto* table = new widgets::BarTable({QString(), QString(), QString()});
  table->setObjectName(QLatin1String(name));
  table->setAccessibleName(text);
  table->horizontalHeader()->hide();
  table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* bars = new QVBoxLayout;  // the cells have a margin of their own
  bars->setContentsMargins(-widgets::ThemeSizes::grid, 0, -widgets::ThemeSizes::grid, 0);
  bars->addWidget(table);
  column.addLayout(bars);
  return table;
}

}  // namespace

RunPanel::RunPanel(QWidget* parent) : QScrollArea(parent) {
  setObjectName(QStringLiteral("accuracy_run"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(widgets::ThemeSizes::margin, widgets::ThemeSizes::margin, widgets::ThemeSizes::margin,
                             widgets::ThemeSizes::margin);
  column->addWidget(make_largest());
  column->addWidget(make_run());
  column->addStretch(1);
  setWidget(content);
  show_largest({}, {});
}

QWidget* RunPanel::make_largest() {
  no_run_ = new QWidget;
  auto* column = new QVBoxLayout(no_run_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(widgets::ThemeSizes::grid);
  hint_ = wrapped_label("accuracy_run_hint");
  hint_->setText(tr("Select a point to see the run: its mapping, and the parts of the predicted iteration."));
  column->addWidget(hint_);
  column->addSpacing(widgets::ThemeSizes::grid);
  largest_title_ = new QLabel(tr("Largest errors"));
  column->addWidget(largest_title_);
  largest_ = make_bars("accuracy_largest", tr("Runs with the largest errors"), *column);
  const auto request = [this](const QModelIndex& at) {
    emit run_requested(static_cast<int>(largest_rows_[static_cast<std::size_t>(at.row())]));
  };
  connect(largest_, &QTableWidget::clicked, this, request);
  connect(largest_, &QTableWidget::activated, this, request);
  return no_run_;
}

QWidget* RunPanel::make_head() {
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(0, 0, 0, 0);
  title_ = wrapped_label("accuracy_run_title");
  close_ = new QToolButton;
  close_->setObjectName(QStringLiteral("accuracy_run_close"));
  close_->setAutoRaise(true);
  close_->setText(QStringLiteral("×"));
  close_->setToolTip(tr("Clear the selected run"));
  close_->setAccessibleName(tr("Clear the selected run"));
  close_->setFocusPolicy(Qt::StrongFocus);
  connect(close_, &QToolButton::clicked, this, &RunPanel::closed);
  row->addWidget(title_, 1);
  row->addWidget(close_, 0, Qt::AlignTop);
  return head;
}

QWidget* RunPanel::make_run() {
  run_ = new QWidget;
  auto* column = new QVBoxLayout(run_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(widgets::ThemeSizes::grid);
  column->addWidget(make_head());
  origin_ = wrapped_label("accuracy_run_origin");
  column->addWidget(origin_);
  figures_ = new widgets::FigureRow;
  figures_->setObjectName(QStringLiteral("accuracy_run_figures"));
  column->addWidget(figures_);
  facts_ = new QFormLayout;
  facts_->setContentsMargins(0, widgets::ThemeSizes::grid, 0, widgets::ThemeSizes::grid);
  facts_->setHorizontalSpacing(widgets::ThemeSizes::margin);
  facts_->setVerticalSpacing(widgets::ThemeSizes::grid / 2);
  facts_->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
  facts_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  column->addLayout(facts_);
  parts_title_ = new QLabel(tr("Predicted iteration"));
  column->addWidget(parts_title_);
  parts_ = make_bars("accuracy_parts", tr("Parts of the predicted iteration"), *column);
  parts_->setToolTip(tr("The vertical line is the measured iteration"));
  notes_title_ = new QLabel(tr("Notes"));
  column->addWidget(notes_title_);
  notes_ = wrapped_label("accuracy_run_notes");
  column->addWidget(notes_);
  copy_ = new QPushButton(tr("Copy the run"));
  copy_->setObjectName(QStringLiteral("accuracy_copy"));
  connect(copy_, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(models::accuracy::copied_text(row_)); });
  column->addWidget(copy_, 0, Qt::AlignLeft);
  return run_;
}

void RunPanel::show_largest(std::span<const models::accuracy::RunRow> rows, std::span<const std::size_t> shown) {
  largest_rows_ = models::accuracy::largest_errors(rows, shown, max_largest);
  largest_->set_rows(models::accuracy::error_rows(rows, largest_rows_));
  largest_title_->setVisible(!largest_rows_.empty());
  no_run_->show();
  run_->hide();
  apply_theme();
}

void RunPanel::show_run(const models::accuracy::RunRow& row) {
  row_ = row;
  title_->setText(row.model);
  QStringList origin{row.id};
  if (!row.software.isEmpty()) origin << row.software;
  origin_->setText(origin.join(QStringLiteral(" · ")));
  figures_->set_figures({{models::accuracy::tokens_text(row.predicted), tr("predicted")},
                         {models::accuracy::tokens_text(row.measured), tr("measured")},
                         {models::accuracy::error_text(row.error()), tr("tokens/s/GPU"),
                          tr("Predicted over measured, less 1"), std::abs(row.error()) > models::accuracy::wide_band}});
  show_facts(row);
  const std::vector<models::whatif::BarRow> parts = models::accuracy::part_rows(row);
  parts_->set_rows(parts);
  parts_title_->setVisible(!parts.empty());
  parts_->setVisible(!parts.empty());
  QStringList notes;
  for (const QString& note : row.notes) notes << QStringLiteral("• ") + breakable(note);
  notes_->setText(notes.join(QLatin1Char('\n')));
  notes_title_->setVisible(!row.notes.isEmpty());
  notes_->setVisible(!row.notes.isEmpty());
  no_run_->hide();
  run_->show();
  verticalScrollBar()->setValue(0);
  apply_theme();
}

void RunPanel::show_facts(const models::accuracy::RunRow& row) {
  while (facts_->rowCount() > 0) facts_->removeRow(0);
  for (const models::accuracy::Fact& fact : models::accuracy::facts_of(row)) {
    auto* name = new QLabel(fact.name);
    name->setObjectName(QStringLiteral("accuracy_fact"));
    QLabel* text = wrapped_label("accuracy_fact_text");
    text->setText(fact.text);
    facts_->addRow(name, text);
  }
}

/// All rows are shown: the panel scrolls, not the tables in it.
void RunPanel::fit_tables() {
  const int height = widgets::dense_row_height(font());
  for (widgets::BarTable* table : {parts_, largest_}) {
    table->verticalHeader()->setDefaultSectionSize(height);
    table->setFixedHeight(table->rowCount() * height + 2 * table->frameWidth());
  }
}

void RunPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) apply_theme();
  QScrollArea::changeEvent(event);
}

void RunPanel::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  widgets::set_ground(*widget(), theme.panel);
  QFont large = widgets::title_font(font());
  large.setPointSizeF(font().pointSizeF() * 1.2);
  title_->setFont(large);
  for (QLabel* heading : {parts_title_, notes_title_, largest_title_}) heading->setFont(widgets::title_font(font()));
  origin_->setFont(widgets::caption_font(font()));
  for (QLabel* muted : {origin_, hint_}) widgets::set_text_colour(*muted, theme.muted);
  for (int i = 0; i < facts_->rowCount(); ++i)
    if (auto* name = qobject_cast<QLabel*>(facts_->itemAt(i, QFormLayout::LabelRole)->widget()))
      widgets::set_text_colour(*name, theme.muted);
  fit_tables();
}

}  // namespace pipedeck::views::accuracy
