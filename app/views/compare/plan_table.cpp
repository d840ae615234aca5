// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/plan_table.hpp"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QSortFilterProxyModel>

#include "app/models/compare/plan_table_model.hpp"
#include "app/views/widgets/table_style.hpp"

namespace pipedeck::views::compare {

namespace {

/// A proxy that sorts rows without a value last, in either direction.
class FiguresFirst : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
    const QVariant a = left.data(models::compare::PlanTableModel::sort_role),
                   b = right.data(models::compare::PlanTableModel::sort_role);
    if (a.isValid() != b.isValid()) return a.isValid() == (sortOrder() == Qt::AscendingOrder);
    if (a.typeId() == QMetaType::QString) return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    return a.toDouble() < b.toDouble();
  }
};

class PlanDelegate : public widgets::FlatDelegate {
 public:
  using widgets::FlatDelegate::FlatDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const widgets::Theme& theme = widgets::Theme::of(option.palette);
    painter->save();
    paint_background(painter, option, theme);
    painter->setRenderHint(QPainter::Antialiasing);
    switch (index.column()) {
      case models::compare::PlanTableModel::tick:
        paint_tick(painter, option, index, theme);
        break;
      case models::compare::PlanTableModel::name:
        paint_name(painter, option, index, theme);
        break;
      case models::compare::PlanTableModel::peak:
        paint_peak(painter, option, index, theme);
        break;
      case models::compare::PlanTableModel::fits:
        paint_verdict(painter, option, index, theme);
        break;
      default:
        paint_figure(painter, option, index, theme);
    }
    painter->restore();
  }

  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem&,
                   const QModelIndex& index) override {
    if (event->type() != QEvent::MouseButtonRelease || index.column() != models::compare::PlanTableModel::tick)
      return false;
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, static_cast<int>(on ? Qt::Unchecked : Qt::Checked), Qt::CheckStateRole);
  }

 private:
  static bool pending(const QModelIndex& index) {
    return index.data(models::compare::PlanTableModel::verdict_role).toInt() ==
           models::compare::PlanTableModel::pending;
  }

  static void check_mark(QPainter* painter, const QPointF& centre, double size, const QColor& colour) {
    painter->setPen(QPen(colour, size / 4.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    QPainterPath path(centre + QPointF(-size * 0.45, size * 0.02));
    path.lineTo(centre + QPointF(-size * 0.12, size * 0.36));
    path.lineTo(centre + QPointF(size * 0.46, -size * 0.36));
    painter->drawPath(path);
  }

  static void paint_tick(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                         const widgets::Theme& theme) {
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    QRectF box(0, 0, 14, 14);
    box.moveCenter(QRectF(option.rect).center());
    painter->setPen(QPen(on ? theme.accent : theme.border, 1.2));
    painter->setBrush(on ? theme.accent : theme.panel);
    painter->drawRoundedRect(box, 3, 3);
    if (on) check_mark(painter, box.center(), 9, theme.on(theme.accent));
  }

  static void paint_name(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                         const widgets::Theme& theme) {
    QRect rect = content_rect(option);
    const bool selected = option.state & QStyle::State_Selected;
    if (index.data(models::compare::PlanTableModel::steady_role).toBool()) {
      const int name_width = QFontMetrics(option.font).horizontalAdvance(index.data().toString());
      painter->setFont(widgets::caption_font(option.font));
      QString mark = PlanTable::tr("steady state");
      if (name_width + painter->fontMetrics().horizontalAdvance(mark) + 24 > rect.width())
        mark = PlanTable::tr("steady");
      const int width = painter->fontMetrics().horizontalAdvance(mark) + 12;
      QRectF pill(rect.right() - width, 0, width, painter->fontMetrics().height() + 2);
      pill.moveTop(option.rect.center().y() - pill.height() / 2);
      painter->setPen(QPen(theme.border, 1));
      painter->setBrush(Qt::NoBrush);
      painter->drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
      painter->setPen(theme.muted);
      painter->drawText(pill, Qt::AlignCenter, mark);
      rect.setRight(static_cast<int>(pill.left()) - 6);
    }
    painter->setFont(selected ? widgets::title_font(option.font) : option.font);
    if (!index.data(models::compare::PlanTableModel::remarks_role).toString().isEmpty()) {
      const int name_end = rect.left() + painter->fontMetrics().horizontalAdvance(index.data().toString()) + 8;
      const QPointF at(std::min(name_end, rect.right() - note_width), option.rect.center().y());
      paint_note_mark(painter, at, theme);
      rect.setRight(static_cast<int>(at.x()) - 6);
    }
    painter->setPen(theme.text);
    paint_text(painter, rect, index.data().toString(), Qt::AlignVCenter | Qt::AlignLeft);
  }

  static constexpr int note_width = 9;

  /// Draws a note: the plan has notes.
  static void paint_note_mark(QPainter* painter, const QPointF& left_centre, const widgets::Theme& theme) {
    const QRectF sheet(left_centre - QPointF(0, 5.5), QSizeF(note_width, 11));
    painter->setPen(QPen(theme.muted, 1.1));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(sheet, 1.5, 1.5);
    for (const double y : {3.0, 5.5, 8.0})
      painter->drawLine(sheet.topLeft() + QPointF(2, y), sheet.topLeft() + QPointF(y < 8 ? 7 : 5, y));
  }

  static void paint_peak(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                         const widgets::Theme& theme) {
    const QVariant share = index.data(models::compare::PlanTableModel::share_role);
    if (!share.isValid()) return paint_figure(painter, option, index, theme);
    const bool over =
        index.data(models::compare::PlanTableModel::verdict_role).toInt() == models::compare::PlanTableModel::bad;
    QRect rect = content_rect(option);
    const int width =
        std::clamp(rect.width() - option.fontMetrics.horizontalAdvance(QStringLiteral("888.8 GiB")) - 10, 20, 66);
    QRectF bar(rect.left(), 0, width, 9);
    bar.moveTop(option.rect.center().y() - 4);
    widgets::paint_bar(painter, bar, share.toDouble(), over ? theme.bad : theme.accent, theme);
    paint_whisker(painter, bar, share.toDouble(),
                  index.data(models::compare::PlanTableModel::share_upper_role).toDouble(), theme);
    rect.setLeft(rect.left() + width + 9);
    painter->setFont(option.font);
    painter->setPen(over ? theme.bad : theme.text);
    paint_text(painter, rect, index.data().toString(), Qt::AlignVCenter | Qt::AlignLeft);
  }

  /// Draws a whisker from the peak to its upper bound, or to the bar's end if that exceeds the capacity.
  static void paint_whisker(QPainter* painter, const QRectF& bar, double share, double upper,
                            const widgets::Theme& theme) {
    const double from = bar.left() + bar.width() * std::min(share, 1.0);
    const double to = bar.left() + bar.width() * std::min(upper, 1.0);
    if (to - from < 1.5) return;
    painter->setPen(QPen(upper > 1 ? theme.warning : theme.muted, 1.2));
    painter->drawLine(QPointF(from, bar.center().y()), QPointF(to, bar.center().y()));
    painter->drawLine(QPointF(to, bar.top() + 1), QPointF(to, bar.bottom() - 1));
  }

  /// Draws a triangle with a stroke in it, recognisable by shape for colour-blind readers.
  static void warning_mark(QPainter* painter, const QPointF& centre, const widgets::Theme& theme) {
    painter->setPen(QPen(theme.warning, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    painter->drawPolygon(QPolygonF{centre + QPointF(0, -5.5), centre + QPointF(6, 4.8), centre + QPointF(-6, 4.8)});
    painter->drawLine(centre + QPointF(0, -1.8), centre + QPointF(0, 1.2));
    painter->drawPoint(centre + QPointF(0, 3.2));
  }

  static void paint_verdict(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                            const widgets::Theme& theme) {
    const QPointF centre = QRectF(option.rect).center();
    switch (index.data(models::compare::PlanTableModel::verdict_role).toInt()) {
      case models::compare::PlanTableModel::good:
        check_mark(painter, centre, 10, theme.good);
        break;
      case models::compare::PlanTableModel::unsure:
        warning_mark(painter, centre, theme);
        break;
      case models::compare::PlanTableModel::bad:
        painter->setPen(QPen(theme.bad, 2.2, Qt::SolidLine, Qt::RoundCap));
        painter->drawLine(centre + QPointF(-3.6, -3.6), centre + QPointF(3.6, 3.6));
        painter->drawLine(centre + QPointF(-3.6, 3.6), centre + QPointF(3.6, -3.6));
        break;
      default:
        painter->setPen(theme.muted);
        painter->drawText(option.rect, Qt::AlignCenter, QStringLiteral("…"));
    }
  }

  static void paint_figure(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                           const widgets::Theme& theme) {
    painter->setFont(option.font);
    painter->setPen(pending(index) ? theme.muted : theme.text);
    paint_text(painter, content_rect(option), index.data().toString(), Qt::AlignVCenter | Qt::AlignLeft);
  }
};

}  // namespace

PlanTable::PlanTable(models::compare::PlanTableModel* model, QWidget* parent)
    : QTableView(parent), model_(model), sorted_(new FiguresFirst(this)) {
  setObjectName(QStringLiteral("plan_table"));
  setAccessibleName(tr("Plans"));
  sorted_->setSourceModel(model);
  sorted_->setSortRole(models::compare::PlanTableModel::sort_role);
  widgets::make_flat(*this);
  setModel(sorted_);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setItemDelegate(new PlanDelegate(this));
  horizontalHeader()->setMinimumSectionSize(30);
  setColumnHidden(models::compare::PlanTableModel::measured, true);
  setSortingEnabled(true);
  sortByColumn(-1, Qt::AscendingOrder);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &PlanTable::report_current);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &PlanTable::selection_changed);
  connect(model, &models::compare::PlanTableModel::ticked, this, &PlanTable::tick_changed);
  connect(model, &models::compare::PlanTableModel::renamed, this, &PlanTable::plan_renamed);
  connect(sorted_, &QAbstractItemModel::modelReset, this, [this] { select_plan(reported_); });
  connect(model, &QAbstractItemModel::modelReset, this, &PlanTable::show_measured);
  connect(model, &QAbstractItemModel::dataChanged, this, &PlanTable::show_measured);
  connect(this, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
    if (index.column() != models::compare::PlanTableModel::tick)
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
    if (selectionModel()->isRowSelected(row))
      ids.push_back(sorted_->index(row, 0).data(models::compare::PlanTableModel::id_role).toInt());
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
  const auto position = model_->position_of(id);
  if (!position) {
    const QSignalBlocker quiet(selectionModel());
    selectionModel()->clear();
    viewport()->update();
    return;
  }
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

int PlanTable::full_height() const {
  return horizontalHeader()->sizeHint().height() + sorted_->rowCount() * verticalHeader()->defaultSectionSize() + 2;
}

void PlanTable::report_current() {
  const int id = selected_plan();
  if (id < 0 || id == reported_) return;
  reported_ = id;
  emit plan_selected(id);
}

void PlanTable::keyPressEvent(QKeyEvent* event) {
  const QModelIndex current = currentIndex();
  if (current.isValid() && event->key() == Qt::Key_Space) {
    const QModelIndex tick = current.siblingAtColumn(models::compare::PlanTableModel::tick);
    const bool on = tick.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    if (const auto several = selected_plans(); several.size() > 1) return emit ticks_changed(several, !on);
    sorted_->setData(tick, static_cast<int>(on ? Qt::Unchecked : Qt::Checked), Qt::CheckStateRole);
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

/// Shows the column of measured times if there are any.
void PlanTable::show_measured() {
  const bool any =
      std::ranges::any_of(model_->rows(), [](const models::compare::PlanRow& row) { return row.measured.has_value(); });
  if (any != isColumnHidden(models::compare::PlanTableModel::measured)) return;
  setColumnHidden(models::compare::PlanTableModel::measured, !any);
  share_out_columns();
}

/// Gives each number column the width of its widest text and the name the rest.
void PlanTable::share_out_columns() {
  if (horizontalHeader()->property(columns_by_hand).toBool()) return;
  const QFontMetrics plain(font()), head(widgets::title_font(font()));
  const bool tight = viewport()->width() < plain.horizontalAdvance(QLatin1Char('8')) * 130;
  const int arrow = tight ? 0 : 12;
  const auto needs = [&](models::compare::PlanTableModel::Column column, const QString& widest) {
    const QString title = model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    return std::max(plain.horizontalAdvance(widest), head.horizontalAdvance(title) + arrow) + 17;
  };
  const int widths[] = {
      36,
      0,
      needs(models::compare::PlanTableModel::iteration, QStringLiteral("0.888 s")),
      needs(models::compare::PlanTableModel::measured,
            models::compare::PlanTableModel::tr("%1 fastest", "a measured time").arg(QStringLiteral("0.888 s"))),
      needs(models::compare::PlanTableModel::samples, QStringLiteral("88.88")),
      needs(models::compare::PlanTableModel::speed_up, QStringLiteral("88.8 ×")),
      needs(models::compare::PlanTableModel::bubble, QStringLiteral("88 %")),
      needs(models::compare::PlanTableModel::communication, QStringLiteral("8.8 %")),
      plain.horizontalAdvance(QStringLiteral("888.8 GiB")) + (tight ? 50 : 92),
      needs(models::compare::PlanTableModel::over_bound, QStringLiteral("888 %")),
      needs(models::compare::PlanTableModel::fits, QStringLiteral("Fits"))};
  const bool any_run = !isColumnHidden(models::compare::PlanTableModel::measured);
  int taken = any_run ? 0 : -widths[models::compare::PlanTableModel::measured];
  for (int width : widths) taken += width;
  // Throughput repeats the information of the iteration time; a name must stay readable.
  const bool crowded = viewport()->width() - taken < plain.horizontalAdvance(QLatin1Char('8')) * 22;
  setColumnHidden(models::compare::PlanTableModel::samples, crowded);
  if (crowded) taken -= widths[models::compare::PlanTableModel::samples];
  const int spare = viewport()->width() - taken - plain.horizontalAdvance(QStringLiteral("8")) * 22;
  const int extra = std::clamp(spare / 12, 0, 40);  // spreads the numbers in a wide window
  taken += extra * (any_run ? 8 : 7);
  for (int column = 0; column < models::compare::PlanTableModel::column_count; ++column) {
    const bool figure =
        column >= models::compare::PlanTableModel::iteration && column <= models::compare::PlanTableModel::over_bound;
    const int width = column == models::compare::PlanTableModel::name ? std::max(104, viewport()->width() - taken)
                                                                      : widths[column] + (figure ? extra : 0);
    setColumnWidth(column, width);
  }
}

void PlanTable::resizeEvent(QResizeEvent* event) {
  share_out_columns();
  QTableView::resizeEvent(event);
}

void PlanTable::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange && model()) {
    verticalHeader()->setDefaultSectionSize(widgets::table_row_height(font()));
    share_out_columns();
  }
  QTableView::changeEvent(event);
}

}  // namespace pipedeck::views::compare
