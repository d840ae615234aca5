// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/plan_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSortFilterProxyModel>

#include "app/models/compare/plan_columns.hpp"
#include "app/models/compare/plan_table_model.hpp"
#include "app/views/widgets/table_style.hpp"

namespace pipedeck::views::compare {

namespace {

using Model = models::compare::PlanTableModel;

}  // namespace

/// A proxy that shows the rows of opened groups, and equal plans as one row. Groups and rows without figures keep their
/// place at the end, in either direction of sorting.
class PlanTable::Shown : public QSortFilterProxyModel {
 public:
  Shown(const Model& model, QObject* parent) : QSortFilterProxyModel(parent), model_(model) {}

  bool open(models::compare::PlanGroup group) const { return open_.contains(group); }
  void set_open(models::compare::PlanGroup group, bool on) {
    if (open(group) == on) return;
    on ? (void)open_.insert(group) : (void)open_.erase(group);
    invalidateFilter();
  }
  /// Shows equal plans one by one, or as one row again.
  void toggle_fold(int id) {
    if (unfolded_.erase(id) == 0) unfolded_.insert(id);
    invalidateFilter();
  }
  bool unfolded(int id) const { return unfolded_.contains(id); }

 protected:
  bool filterAcceptsRow(int at, const QModelIndex&) const override {
    const models::compare::PlanRow& row = model_.rows()[static_cast<std::size_t>(at)];
    if (row.agrees_with != 0 && !unfolded(row.agrees_with)) return false;
    return row.group() == models::compare::PlanGroup::plans || open(row.group());
  }

  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
    const bool up = sortOrder() == Qt::AscendingOrder;
    const int first = left.data(Model::rank_role).toInt(), second = right.data(Model::rank_role).toInt();
    if (first != second) return (first < second) == up;
    const QVariant a = left.data(Model::sort_role), b = right.data(Model::sort_role);
    if (a.isValid() != b.isValid()) return a.isValid() == up;
    if (!a.isValid()) return (left.row() < right.row()) == up;  // in the order of the planners
    if (a.typeId() == QMetaType::QString) return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    return a.toDouble() < b.toDouble();
  }

 private:
  const Model& model_;
  std::set<models::compare::PlanGroup> open_;
  std::set<int> unfolded_;  ///< ids of the rows that stand for equal plans
};

PlanTable::PlanTable(models::compare::PlanTableModel* model, QWidget* parent)
    : QTableView(parent), model_(model), sorted_(new Shown(*model, this)) {
  setObjectName(QStringLiteral("plan_table"));
  setAccessibleName(tr("Plans"));
  sorted_->setSourceModel(model);
  sorted_->setSortRole(models::compare::PlanTableModel::sort_role);
  widgets::make_flat(*this);
  setModel(sorted_);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setItemDelegate(new PlanDelegate(
      *model, [this](int id, RowRequest request) { receive(id, request); }, this));
  horizontalHeader()->setMinimumSectionSize(30);
  for (const int column : {Model::measured, Model::tokens, Model::mfu}) setColumnHidden(column, true);
  setSortingEnabled(true);
  sortByColumn(Model::iteration, Qt::AscendingOrder);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &PlanTable::report_current);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &PlanTable::selection_changed);
  connect(model, &models::compare::PlanTableModel::ticked, this, &PlanTable::tick_changed);
  connect(model, &models::compare::PlanTableModel::renamed, this, &PlanTable::plan_renamed);
  connect(model, &models::compare::PlanTableModel::baseline_chosen, this, &PlanTable::baseline_chosen);
  connect(sorted_, &QAbstractItemModel::modelReset, this, [this] { select_plan(reported_); });
  connect(model, &QAbstractItemModel::modelReset, this, &PlanTable::arrange);
  connect(model, &QAbstractItemModel::dataChanged, this, &PlanTable::arrange);
  for (const auto change : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(sorted_, change, this, &PlanTable::arrange);
  connect(sorted_, &QAbstractItemModel::layoutChanged, this, &PlanTable::arrange);
  connect(this, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
    if (index.column() > models::compare::PlanTableModel::pin)
      emit plan_activated(index.data(models::compare::PlanTableModel::id_role).toInt());
  });
}

int PlanTable::selected_plan() const {
  const QModelIndex current = currentIndex();
  if (current.isValid() && selectionModel()->isRowSelected(current.row()))
    return current.data(models::compare::PlanTableModel::id_role).toInt();
  const std::vector<int> selected = selected_plans();
  return selected.empty() ? -1 : selected.front();
}

std::vector<int> PlanTable::selected_plans() const {
  std::vector<int> ids;
  for (int row = 0; row < sorted_->rowCount(); ++row) {
    const int id = sorted_->index(row, 0).data(models::compare::PlanTableModel::id_role).toInt();
    if (id > 0 && selectionModel()->isRowSelected(row)) ids.push_back(id);
  }
  return ids;
}

void PlanTable::select_plans(const std::vector<int>& ids) {
  if (ids.empty()) return;
  select_plan(ids.front());
  for (const int id : ids) {
    if (const auto position = model_->position_of(id))
      selectionModel()->select(sorted_->mapFromSource(model_->index(*position, models::compare::PlanTableModel::name)),
                               QItemSelectionModel::Select | QItemSelectionModel::Rows);
  }
}

void PlanTable::edit_name(int id) {
  const auto position = model_->position_of(id);
  if (position) edit(sorted_->mapFromSource(model_->index(*position, models::compare::PlanTableModel::name)));
}

void PlanTable::select_plan(int id) {
  reported_ = id;
  const models::compare::PlanRow* wanted = model_->find(id);
  const auto position = model_->position_of(wanted && !shows(*wanted) ? wanted->agrees_with : id);
  if (!position) {
    const QSignalBlocker quiet(selectionModel());
    selectionModel()->clear();
    viewport()->update();
    return;
  }
  const models::compare::PlanRow& row = model_->rows()[static_cast<std::size_t>(*position)];
  if (row.group() != models::compare::PlanGroup::plans) open_group(row.group(), true);
  const QModelIndex index = sorted_->mapFromSource(model_->index(*position, models::compare::PlanTableModel::name));
  if (!selectionModel()->isRowSelected(index.row())) {
    selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  } else if (currentIndex().row() != index.row()) {
    selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
  } else {
    return;  // already current: keep the scroll position
  }
  scrollTo(index);
}

std::vector<int> PlanTable::shown_plans() const {
  std::vector<int> ids;
  for (int row = 0; row < sorted_->rowCount(); ++row)
    ids.push_back(sorted_->index(row, 0).data(models::compare::PlanTableModel::id_role).toInt());
  return ids;
}

void PlanTable::set_context_actions(QList<QAction*> actions) { context_actions_ = std::move(actions); }

int PlanTable::full_height() const { return height_of(sorted_->rowCount()); }

int PlanTable::height_of(int rows) const {
  const int header = dense_ ? widgets::dense_row_height(font()) : horizontalHeader()->sizeHint().height();
  return header + rows * verticalHeader()->defaultSectionSize() + 2;
}

void PlanTable::set_dense(bool dense) {
  if (dense == dense_) return;
  dense_ = dense;
  set_row_heights();
}

void PlanTable::set_row_heights() {
  const int height = dense_ ? widgets::dense_row_height(font()) : widgets::table_row_height(font());
  verticalHeader()->setMinimumSectionSize(std::min(height, verticalHeader()->minimumSectionSize()));
  verticalHeader()->setDefaultSectionSize(height);
  horizontalHeader()->setFixedHeight(height);
}

void PlanTable::report_current() {
  if (setting_rows_) return;
  const int id = selected_plan();
  if (id < 0 || id == reported_) return;
  reported_ = id;
  emit plan_selected(id);
}

/// Takes P, the pin, before the window's shortcut of the critical path.
bool PlanTable::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<const QKeyEvent*>(event);
    if (key->key() == Qt::Key_P && key->modifiers() == Qt::NoModifier) {
      event->accept();
      return true;
    }
  }
  return QTableView::event(event);
}

void PlanTable::keyPressEvent(QKeyEvent* event) {
  const QModelIndex current = currentIndex();
  if (current.isValid() && event->key() == Qt::Key_Space) {
    const QModelIndex tick = current.siblingAtColumn(models::compare::PlanTableModel::tick);
    const bool on = tick.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    if (const auto several = selected_plans(); several.size() > 1) return emit ticks_changed(several, !on);
    sorted_->setData(tick, static_cast<int>(on ? Qt::Unchecked : Qt::Checked), Qt::CheckStateRole);
  } else if (current.isValid() && event->key() == Qt::Key_P && event->modifiers() == Qt::NoModifier) {
    const QModelIndex pin = current.siblingAtColumn(Model::pin);
    const bool on = pin.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    sorted_->setData(pin, static_cast<int>(on ? Qt::Unchecked : Qt::Checked), Qt::CheckStateRole);
  } else if (current.isValid() && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
    emit plan_activated(current.data(models::compare::PlanTableModel::id_role).toInt());
  } else {
    QTableView::keyPressEvent(event);
  }
}

void PlanTable::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const QModelIndex index = by_key ? currentIndex() : indexAt(event->pos());
  if (!index.isValid() || context_actions_.isEmpty()) return;
  if (!selectionModel()->isRowSelected(index.row())) setCurrentIndex(index);
  const QPoint at = by_key ? viewport()->mapToGlobal(visualRect(index).bottomLeft()) : event->globalPos();
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addActions(context_actions_);
  menu->popup(at);
}

void PlanTable::receive(int id, RowRequest request) {
  if (request == RowRequest::fold) {
    sorted_->toggle_fold(id);
    emit groups_changed();
  } else {
    emit requested(id, request);
  }
}

void PlanTable::set_rows(std::vector<models::compare::PlanRow> rows) {
  // The selected row stays where it is on the screen, whatever arrives above it.
  const int before = selectionModel()->hasSelection() ? visualRect(currentIndex()).top() : -1;
  const bool in_sight = before >= 0 && before < viewport()->height();
  setting_rows_ = true;
  model_->set_rows(std::move(rows));
  setting_rows_ = false;
  const bool any = std::ranges::any_of(
      model_->rows(), [](const auto& row) { return row.group() == models::compare::PlanGroup::plans; });
  if (!any && !model_->rows().empty()) {  // else the table would be empty
    open_group(models::compare::PlanGroup::changes_training, true);
    open_group(models::compare::PlanGroup::no_plan, true);
  }
  arrange();
  if (!in_sight || !currentIndex().isValid()) return;
  executeDelayedItemsLayout();
  updateGeometries();  // else the scroll bar has its old range
  const int moved = visualRect(currentIndex()).top() - before;
  if (moved != 0) verticalScrollBar()->setValue(verticalScrollBar()->value() + moved);
}

void PlanTable::open_group(models::compare::PlanGroup group, bool on) {
  if (sorted_->open(group) == on) return;
  sorted_->set_open(group, on);
  emit groups_changed();
}

bool PlanTable::group_open(models::compare::PlanGroup group) const { return sorted_->open(group); }

bool PlanTable::shows(const models::compare::PlanRow& row) const {
  return row.agrees_with == 0 || sorted_->unfolded(row.agrees_with);
}

/// Gives rows without a plan one wide cell, and shows the columns that have figures.
void PlanTable::arrange() {
  clearSpans();
  for (int at = 0; at < sorted_->rowCount(); ++at) {
    const models::compare::PlanRow* row = model_->find(sorted_->index(at, 0).data(Model::id_role).toInt());
    if (row && !row->has_plan()) setSpan(at, Model::iteration, 1, Model::column_count - Model::iteration);
  }
  const bool measured = std::ranges::any_of(model_->rows(), [](const auto& row) { return row.measured.has_value(); });
  const bool tokens = std::ranges::any_of(model_->rows(), [](const auto& row) { return row.utilization.has_value(); });
  const bool baseline = model_->baseline() != nullptr;
  if (measured == measured_ && tokens == tokens_ && baseline == baseline_) return;
  measured_ = measured;
  tokens_ = tokens;
  baseline_ = baseline;
  share_out_columns();
}

/// Gives each column of figures the width of its widest text and the name the rest. Columns hide where the name would
/// have too little room.
void PlanTable::share_out_columns() {
  if (horizontalHeader()->property(columns_by_hand).toBool()) return;
  const QFontMetrics plain(font()), head(widgets::title_font(font())), small(widgets::caption_font(font()));
  const int eight = plain.horizontalAdvance(QLatin1Char('8')), name_room = 22 * eight;
  const bool tight = viewport()->width() < 130 * eight;
  const int difference = baseline_ ? small.horizontalAdvance(QStringLiteral("−88.8 GiB")) + 6 : 0;
  std::array<int, Model::column_count> widths{};
  int taken = 0, figures = 0;
  for (int column = 0; column < Model::column_count; ++column) {
    const models::compare::PlanColumn& of = models::compare::plan_column(column);
    const bool figure = column >= Model::iteration && column != Model::fits;
    int& width = widths[static_cast<std::size_t>(column)];
    if (column == Model::tick || column == Model::pin) width = column == Model::tick ? 36 : 30;
    if (column >= Model::iteration)
      width = std::max(plain.horizontalAdvance(of.widest), head.horizontalAdvance(of.title) + (tight ? 0 : 12)) + 17;
    if (column == Model::peak) width = plain.horizontalAdvance(of.widest) + (tight ? 50 : 92);
    if (of.difference != models::compare::Difference::none) width += difference;
    const bool hidden =
        (column == Model::measured && !measured_) || ((column == Model::tokens || column == Model::mfu) && !tokens_);
    setColumnHidden(column, hidden);
    if (hidden) width = 0;
    taken += width;
    figures += figure && !hidden;
  }
  for (int turn = 1; viewport()->width() - taken < name_room && turn < Model::column_count; ++turn)
    for (int column = 0; column < Model::column_count; ++column) {
      if (models::compare::plan_column(column).hides != turn) continue;
      setColumnHidden(column, true);
      taken -= std::exchange(widths[static_cast<std::size_t>(column)], 0);
      --figures;
    }
  // A wide window has room for two planners that agree and their degrees; more of it spreads the figures.
  const int extra = std::clamp((viewport()->width() - taken - 34 * eight) / 12, 0, 40);
  taken += extra * figures;
  for (int column = 0; column < Model::column_count; ++column) {
    if (isColumnHidden(column)) continue;
    const bool figure = column >= Model::iteration && column != Model::fits;
    setColumnWidth(column, column == Model::name ? std::max(104, viewport()->width() - taken)
                                                 : widths[static_cast<std::size_t>(column)] + (figure ? extra : 0));
  }
}

void PlanTable::resizeEvent(QResizeEvent* event) {
  share_out_columns();
  QTableView::resizeEvent(event);
}

void PlanTable::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange && model()) {
    set_row_heights();
    share_out_columns();
  }
  QTableView::changeEvent(event);
}

}  // namespace pipedeck::views::compare
