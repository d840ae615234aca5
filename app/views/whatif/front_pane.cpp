// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/front_pane.hpp"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/whatif/front_table_model.hpp"
#include "app/views/whatif/pareto_view.hpp"
#include "app/views/widgets/key_help.hpp"
#include "app/views/widgets/table_style.hpp"
#include "app/views/widgets/theme.hpp"
#include "app/views/widgets/widget_style.hpp"
#include "app/views/widgets/wrapping_row.hpp"

namespace pipedeck::views::whatif {

FrontPane::FrontPane(QWidget* parent)
    : QWidget(parent), model_(new models::whatif::FrontTableModel(this)), sorted_(new QSortFilterProxyModel(this)) {
  setObjectName(QStringLiteral("front_pane"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(widgets::ThemeSizes::grid / 2);
  column->addWidget(make_head());
  hint_ = new QLabel;
  hint_->setObjectName(QStringLiteral("front_hint"));
  hint_->setWordWrap(true);
  column->addWidget(hint_);
  view_ = new ParetoView;
  make_table();
  empty_ = new QLabel;
  empty_->setObjectName(QStringLiteral("front_empty"));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  stack_ = new QStackedWidget;
  for (QWidget* page : std::initializer_list<QWidget*>{empty_, view_, table_}) stack_->addWidget(page);
  column->addWidget(stack_, 1);
  connect(view_, &ParetoView::plan_selected, this, &FrontPane::plan_selected);
  connect(view_, &ParetoView::plan_activated, this, &FrontPane::plan_activated);
  widgets::describe_keys(*view_, tr("In the front of plans"),
                         {{"Left, Right", tr("Along the front")},
                          {"Home, End", tr("To its ends")},
                          {"Return", tr("Add the plan to the project")},
                          {"Esc", tr("Clear the selection")}});
  apply_theme();
}

QWidget* FrontPane::make_head() {
  auto* head = new QWidget;
  auto* lines = new QVBoxLayout(head);
  lines->setContentsMargins(0, 0, 0, 0);
  lines->setSpacing(widgets::ThemeSizes::grid / 2);
  auto* top = new QHBoxLayout;
  auto* title = new QLabel(tr("Front of plans"));
  title->setFont(widgets::title_font(font()));
  find_ = new QPushButton;
  find_->setObjectName(QStringLiteral("front_find"));
  find_->setMinimumWidth(96);
  connect(find_, &QPushButton::clicked, this, [this] { running_ ? emit cancel_requested() : emit search_requested(); });
  top->addWidget(title, 1);
  top->addWidget(find_);
  lines->addLayout(top);
  auto* choices = new widgets::WrappingRow;
  x_ = add_measure(*choices, tr("&Across"), "front_x", models::whatif::FrontMeasure::memory);
  size_ = add_measure(*choices, tr("Si&ze"), "front_size", models::whatif::FrontMeasure::price);
  choices->add_stretch();
  as_table_ = new QToolButton;
  as_table_->setObjectName(QStringLiteral("front_as_table"));
  as_table_->setText(tr("Table"));
  as_table_->setCheckable(true);
  as_table_->setToolTip(tr("Plans of the front as a table"));
  connect(as_table_, &QToolButton::toggled, this, &FrontPane::show_content);
  csv_ = new QToolButton;
  csv_->setObjectName(QStringLiteral("front_csv"));
  csv_->setText(tr("CSV…"));
  csv_->setToolTip(tr("Write the plans as a table for other programs"));
  connect(csv_, &QToolButton::clicked, this, &FrontPane::csv_requested);
  choices->add(as_table_);
  choices->add(csv_);
  lines->addWidget(choices);
  return head;
}

QComboBox* FrontPane::add_measure(widgets::WrappingRow& row, const QString& caption, const char* name,
                                  models::whatif::FrontMeasure chosen) {
  auto* box = new QComboBox;
  box->setObjectName(QLatin1String(name));
  for (const models::whatif::FrontMeasure measure : models::whatif::front_measures)
    box->addItem(models::whatif::measure_title(measure), static_cast<int>(measure));
  box->setCurrentIndex(box->findData(static_cast<int>(chosen)));
  connect(box, &QComboBox::activated, this, &FrontPane::show_content);
  row.add_field(caption, box);
  return box;
}

void FrontPane::make_table() {
  table_ = new QTableView;
  table_->setObjectName(QStringLiteral("front_table"));
  table_->setAccessibleName(tr("Plans of the front"));
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(models::whatif::FrontTableModel::sort_role);
  table_->setModel(sorted_);
  table_->setItemDelegate(new widgets::FlatDelegate(table_));
  widgets::make_flat(*table_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(models::whatif::FrontTableModel::samples, Qt::DescendingOrder);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(models::whatif::FrontTableModel::name, QHeaderView::Stretch);
  table_->installEventFilter(this);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this] { emit plan_selected(current_row_plan()); });
  connect(table_, &QTableView::doubleClicked, this, [this] { emit plan_activated(current_row_plan()); });
}

int FrontPane::current_row_plan() const {
  const QModelIndex at = sorted_->mapToSource(table_->currentIndex());
  return at.isValid() ? at.row() : -1;
}

bool FrontPane::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table_ && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) return copy(), true;
    if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && current_row_plan() >= 0) {
      emit plan_activated(current_row_plan());
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void FrontPane::copy() const { QApplication::clipboard()->setText(models::whatif::copied_text(*sorted_)); }

bool FrontPane::table_shown() const { return stack_->currentWidget() == table_; }

void FrontPane::changeEvent(QEvent* event) {
  if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && find_) apply_theme();
  QWidget::changeEvent(event);
}

void FrontPane::apply_theme() {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  find_->setStyleSheet(widgets::plain_button_style(theme));
  widgets::set_text_colour(*hint_, theme.muted);
  widgets::set_text_colour(*empty_, theme.muted);
}

void FrontPane::set_plans(const std::vector<PlanCandidate>& plans) {
  plans_ = plans;
  show_content();
}

void FrontPane::show_content() {
  const models::whatif::ParetoContent content =
      models::whatif::make_front_content(plans_, static_cast<models::whatif::FrontMeasure>(x_->currentData().toInt()),
                                         static_cast<models::whatif::FrontMeasure>(size_->currentData().toInt()));
  view_->set_content(content);
  model_->set_content(content);
  for (const int column : {models::whatif::FrontTableModel::tokens, models::whatif::FrontTableModel::mfu})
    table_->setColumnHidden(column, !model_->has_rates());
  csv_->setEnabled(!plans_.empty());
  stack_->setCurrentWidget(plans_.empty()           ? static_cast<QWidget*>(empty_)
                           : as_table_->isChecked() ? static_cast<QWidget*>(table_)
                                                    : static_cast<QWidget*>(view_));
}

void FrontPane::set_state(const QString& hint, bool running) {
  running_ = running;
  find_->setText(running ? tr("Cancel") : tr("Find &plans"));
  hint_->setText(plans_.empty() ? QString() : hint);
  hint_->setVisible(!plans_.empty() && !hint.isEmpty());
  empty_->setText(hint);
}

}  // namespace pipedeck::views::whatif
