// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/operation_table.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/models/gantt/operation_search.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/widgets/table_style.hpp"

namespace pipedeck::views::gantt {

OperationTable::OperationTable(QWidget* parent)
    : QWidget(parent), model_(new models::gantt::OperationTableModel(this)), background_(this) {
  setObjectName(QStringLiteral("operation_table"));
  build();
  connect(field_, &QLineEdit::textChanged, this, &OperationTable::filter);
  connect(model_, &models::gantt::OperationTableModel::sorted, this, [this] {
    follow_chart();
    tell();
  });
  connect(model_, &models::gantt::OperationTableModel::sort_refused, this, [this](const QString& why) {
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    tell(why);
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &OperationTable::row_chosen);
  tell();
}

QToolButton* OperationTable::page_button(const QString& text, const QString& name, const char* object, int step) {
  auto* made = new QToolButton(this);
  made->setText(text);
  made->setAutoRaise(true);
  made->setAccessibleName(name);
  made->setToolTip(name);
  made->setObjectName(QLatin1String(object));
  connect(made, &QToolButton::clicked, this, [this, step] {
    if (step < 0 && model_->page() == 0) return;
    model_->set_page(step < 0 ? model_->page() - 1 : model_->page() + 1);
    tell();
  });
  return made;
}

void OperationTable::build() {
  field_ = new QLineEdit(this);
  field_->setObjectName(QStringLiteral("operation_filter"));
  field_->setPlaceholderText(tr("Filter: B 12 s3"));
  field_->setAccessibleName(tr("Filter operations"));
  field_->setToolTip(models::gantt::query_help());
  field_->setClearButtonEnabled(true);
  field_->setMaximumWidth(260);
  told_ = new QLabel(this);
  told_->setObjectName(QStringLiteral("operation_count"));
  back_ = page_button(QStringLiteral("‹"), tr("Rows before these"), "operation_page_back", -1);
  forth_ = page_button(QStringLiteral("›"), tr("Rows after these"), "operation_page_forth", 1);
  table_ = new QTableView(this);
  table_->setObjectName(QStringLiteral("operations"));
  table_->setAccessibleName(tr("Operations of the chart"));
  table_->setModel(model_);
  widgets::make_flat(*table_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setWordWrap(false);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setSortIndicatorClearable(true);
  table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  table_->setSortingEnabled(true);
  table_->installEventFilter(this);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(widgets::ThemeSizes::grid, 4, widgets::ThemeSizes::grid, 0);
  bar->addWidget(field_, 1);
  bar->addWidget(told_);
  bar->addWidget(back_);
  bar->addWidget(forth_);
  bar->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addLayout(bar);
  column->addWidget(table_, 1);
}

void OperationTable::set_chart(View* chart) {
  if (chart == chart_) return;
  if (chart_) {
    chart_->disconnect(this);
    chart_->link().disconnect(this);
  }
  chart_ = chart;
  if (chart) {
    connect(chart, &View::content_changed, this, &OperationTable::reload);
    connect(&chart->link(), &TimeAxisController::selection_changed, this, &OperationTable::follow_chart);
  }
  reload();
}

void OperationTable::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  reload();
}

/// Loads the operations; does nothing while hidden.
void OperationTable::reload() {
  const auto content = chart_ && isVisible() ? chart_->content() : nullptr;
  if (content != model_->content()) {
    QStringList kinds;
    for (int kind = 0; kind < op_kind_count; ++kind) kinds << widgets::kind_text(static_cast<OpKind>(kind));
    model_->set_content(content, kinds, chart_ ? chart_->device_names() : QStringList());
    constexpr int widths[] = {110, 120, 90, 60, 100, 100, 100, 110};
    for (int column = 0; column < static_cast<int>(std::size(widths)); ++column)
      table_->setColumnWidth(column, widths[column]);
    filter();
  }
  follow_chart();
  tell();
}

void OperationTable::set_filter_text(const QString& text) { field_->setText(text); }

void OperationTable::filter() {
  background_.cancel();
  problem_.clear();
  const auto& content = model_->content();
  if (!content) return;
  models::gantt::QueryWords words;
  for (int kind = 0; kind < op_kind_count; ++kind) words.kinds << widgets::kind_text(static_cast<OpKind>(kind));
  words.devices = chart_ ? chart_->device_names() : QStringList();
  const models::gantt::ParsedQuery parsed = models::gantt::parse_gantt_query(field_->text(), words);
  problem_ = parsed.problem;
  if (!problem_.isEmpty()) return tell();
  if (parsed.query.empty()) {
    model_->set_filter(nullptr);
    follow_chart();
    return tell();
  }
  background_.start(
      [this, content, query = parsed.query](const std::stop_token& stop) -> models::BackgroundTask::OnFinished {
        auto found = models::gantt::find_operations(*content->timeline, query, stop);
        if (!found) return {};
        const auto shared = std::make_shared<const models::gantt::OperationSet>(std::move(*found));
        return [this, shared] {
          model_->set_filter(shared);
          follow_chart();
          tell();
        };
      });
}

void OperationTable::row_chosen() {
  const QModelIndex current = table_->currentIndex();
  if (following_ || !current.isValid() || !chart_) return;
  chart_->show_operation(model_->operation(current.row()));
}

void OperationTable::follow_chart() {
  if (!chart_ || !model_->content() || model_->content() != chart_->content()) return;
  const auto& selection = chart_->link().selection();
  if (!selection || selection->chart != chart_->chart_id()) return;
  const QModelIndex current = table_->currentIndex();
  if (current.isValid() && model_->operation(current.row()) == selection->position) return;
  const auto row = model_->row_of(selection->position);
  if (!row) return;
  following_ = true;
  model_->set_page(*row / models::gantt::OperationTableModel::page_size);
  const QModelIndex index = model_->index(static_cast<int>(*row % models::gantt::OperationTableModel::page_size), 0);
  table_->setCurrentIndex(index);
  table_->selectRow(index.row());
  table_->scrollTo(index);
  following_ = false;
  tell();
}

void OperationTable::tell(const QString& note) {
  const std::size_t all = model_->total(), pages = model_->pages();
  back_->setVisible(pages > 1);
  forth_->setVisible(pages > 1);
  back_->setEnabled(model_->page() > 0);
  forth_->setEnabled(model_->page() + 1 < pages);
  const std::size_t first = model_->page() * models::gantt::OperationTableModel::page_size;
  QString text = !problem_.isEmpty()  ? problem_
                 : !note.isEmpty()    ? note
                 : !model_->content() ? tr("Select a plan to see its operations.")
                 : pages > 1          ? tr("%L1 – %L2 of %L3 operations")
                                   .arg(first + 1)
                                   .arg(first + static_cast<std::size_t>(model_->rowCount()))
                                   .arg(all)
                 : all == 1 ? tr("1 operation")
                            : tr("%L1 operations").arg(all);
  told_->setText(text);
}

QString OperationTable::selected_text() const {
  QStringList lines, header;
  for (int column = 0; column < models::gantt::OperationTableModel::column_count; ++column)
    header << model_->headerData(column, Qt::Horizontal).toString();
  lines << header.join(QLatin1Char('\t'));
  QList<QModelIndex> rows = table_->selectionModel()->selectedRows();
  std::ranges::sort(rows, {}, &QModelIndex::row);
  for (const QModelIndex& row : rows) {
    QStringList cells;
    for (int column = 0; column < models::gantt::OperationTableModel::column_count; ++column)
      cells << row.siblingAtColumn(column).data().toString();
    lines << cells.join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n'));
}

void OperationTable::copy() const { QGuiApplication::clipboard()->setText(selected_text()); }

bool OperationTable::eventFilter(QObject* watched, QEvent* event) {
  const bool overriding = event->type() == QEvent::ShortcutOverride;
  if (watched != table_ || (!overriding && event->type() != QEvent::KeyPress) ||
      !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy))
    return QWidget::eventFilter(watched, event);
  event->accept();  // overrides the window's own copy action
  if (!overriding) copy();
  return true;
}

}  // namespace pipedeck::views::gantt
