// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/plan_delegate.hpp"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "app/models/compare/plan_table_model.hpp"
#include "app/models/format.hpp"
#include "app/views/compare/plan_table.hpp"

namespace pipedeck::views::compare {

namespace {

using Model = models::compare::PlanTableModel;

constexpr int pill_gap = 6;  // pixels around a badge or button

int pill_width(const QFont& font, const QString& text) {
  return QFontMetrics(widgets::caption_font(font)).horizontalAdvance(text) + 12;
}

/// Draws a text in a rounded box: a badge, or with `button` something to click.
void paint_pill(QPainter* painter, const QRect& rect, const QString& text, const QFont& font, bool button,
                const widgets::Theme& theme) {
  painter->setPen(QPen(theme.border, 1));
  painter->setBrush(button ? theme.panel : theme.raised);
  painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), widgets::ThemeSizes::radius,
                           widgets::ThemeSizes::radius);
  painter->setFont(widgets::caption_font(font));
  painter->setPen(button ? theme.accent : theme.muted);
  painter->drawText(rect, Qt::AlignCenter, text);
}

/// Returns a box for a pill whose right end is at `right`, or whose left end is at `left`.
QRect pill_rect(const QStyleOptionViewItem& option, int left, const QString& text) {
  const int height = QFontMetrics(widgets::caption_font(option.font)).height() + 4;
  return {left, option.rect.center().y() - height / 2, pill_width(option.font, text), height};
}

/// The figures of a row.
class Cells : public widgets::FlatDelegate {
 public:
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
    rect.setLeft(rect.left() + option.fontMetrics.horizontalAdvance(index.data().toString()));
    paint_difference(painter, rect, option, index, theme);
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
    const QString text = index.data().toString();  // the memory left
    QPointF centre = QRectF(option.rect).center();
    const int verdict = index.data(models::compare::PlanTableModel::verdict_role).toInt();
    if (!text.isEmpty() && verdict != models::compare::PlanTableModel::pending) {
      QRect rect = content_rect(option);
      centre.setX(rect.left() + 7);
      rect.setLeft(rect.left() + 19);
      painter->setFont(option.font);
      painter->setPen(verdict == models::compare::PlanTableModel::unsure ? theme.text : theme.muted);
      paint_text(painter, rect, text, Qt::AlignVCenter | Qt::AlignLeft);
    }
    switch (verdict) {
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

  static void paint_pin(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                        const widgets::Theme& theme) {
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    const QPointF centre = QRectF(option.rect).center();
    const QColor colour = on ? theme.accent : option.state & QStyle::State_MouseOver ? theme.muted : theme.border;
    painter->setPen(QPen(colour, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(on ? QBrush(colour) : QBrush(Qt::NoBrush));
    painter->drawPolygon(QPolygonF{centre + QPointF(-2.5, -6), centre + QPointF(2.5, -6), centre + QPointF(2, -1),
                                   centre + QPointF(4.5, 2), centre + QPointF(-4.5, 2), centre + QPointF(-2, -1)});
    painter->drawLine(centre + QPointF(0, 2), centre + QPointF(0, 6.5));
  }

  static void paint_figure(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                           const widgets::Theme& theme) {
    const bool pending = index.data(Model::verdict_role).toInt() == Model::pending;
    const QString text = index.data().toString();
    QRect rect = content_rect(option);
    painter->setFont(option.font);
    painter->setPen(index.data(Model::alarm_role).toBool() ? theme.bad : pending ? theme.muted : theme.text);
    paint_text(painter, rect, text, Qt::AlignVCenter | Qt::AlignLeft);
    rect.setLeft(rect.left() + option.fontMetrics.horizontalAdvance(text));
    paint_difference(painter, rect, option, index, theme);
  }

  /// Draws the difference to the baseline at the right end, if there is room.
  static void paint_difference(QPainter* painter, const QRect& rect, const QStyleOptionViewItem& option,
                               const QModelIndex& index, const widgets::Theme& theme) {
    const QString text = index.data(Model::difference_role).toString();
    const QFont font = widgets::caption_font(option.font);
    if (text.isEmpty() || QFontMetrics(font).horizontalAdvance(text) + 4 > rect.width()) return;
    const int better = index.data(Model::better_role).toInt();
    painter->setFont(font);
    painter->setPen(better > 0 ? theme.good : better < 0 ? theme.bad : theme.muted);
    painter->drawText(rect, Qt::AlignVCenter | Qt::AlignRight, text);
  }

  static QRect inner(const QStyleOptionViewItem& option) { return content_rect(option); }
  static void text(QPainter* painter, const QRect& rect, const QString& text) {
    paint_text(painter, rect, text, Qt::AlignVCenter | Qt::AlignLeft);
  }
};

/// Returns the width that a title needs: rounded up, since a fraction of a pixel would cut it off.
int title_width(const QFont& font, const QString& title) {
  return static_cast<int>(std::ceil(QFontMetricsF(widgets::title_font(font)).horizontalAdvance(title))) + 1;
}

QString agree_text(const models::compare::PlanRow& row) {
  return PlanTable::tr("%n agree", nullptr, static_cast<int>(row.agreeing.size()));
}

/// Returns the parts of the row's name. Equal plans have the names of all planners, if the degrees fit behind them.
std::pair<QString, QString> row_name(const models::compare::PlanRow& row, const QFont& font, int width) {
  auto parts = models::compare::name_parts(row);
  if (row.agreeing.size() < 2) return parts;
  const QString all = row.agreeing.join(QStringLiteral(", "));
  const int needed = title_width(font, all) + pill_gap + pill_width(font, agree_text(row)) + pill_gap +
                     QFontMetrics(font).horizontalAdvance(parts.second);
  if (needed <= width) parts.first = all;
  return parts;
}

}  // namespace

QString search_text(const models::compare::PlanSearch& search) {
  if (!search.running) return PlanTable::tr("waiting");
  const QString elapsed = models::decimal(search.elapsed.count, 1);
  QString text = search.budget ? PlanTable::tr("%1 of %2 s").arg(elapsed, models::decimal(search.budget->count, 0))
                               : PlanTable::tr("%1 s").arg(elapsed);
  if (!search.best.isEmpty()) text += PlanTable::tr("   best so far %1").arg(search.best);
  return text;
}

PlanDelegate::PlanDelegate(const Model& model, Requested requested, QObject* parent)
    : FlatDelegate(parent), model_(model), requested_(std::move(requested)) {}

const models::compare::PlanRow* PlanDelegate::row_of(const QModelIndex& index) const {
  return model_.find(index.data(Model::id_role).toInt());
}

std::vector<PlanDelegate::Button> PlanDelegate::buttons(const QStyleOptionViewItem& option,
                                                        const QModelIndex& index) const {
  const models::compare::PlanRow* row = row_of(index);
  if (!row) return {};
  std::vector<std::pair<RowRequest, QString>> wanted;
  const bool name = index.column() == Model::name;
  if (name == row->has_plan() && (name || index.column() == Model::iteration)) {
    if (row->search && row->search->running) wanted.emplace_back(RowRequest::keep_best, PlanTable::tr("Keep best"));
    const bool short_budget =
        row->search && row->search->running && row->search->budget && row->search->budget->count < 60;
    if (short_budget || (row->can_continue && !row->search))
      wanted.emplace_back(RowRequest::more_time, PlanTable::tr("Give it 60 s"));
  }
  std::vector<Button> made;
  int right = Cells::inner(option).right() + 1;
  for (auto button = wanted.rbegin(); button != wanted.rend(); ++button) {
    right -= pill_width(option.font, button->second);
    made.insert(made.begin(), {button->first, button->second, pill_rect(option, right, button->second)});
    right -= pill_gap;
  }
  if (name && row->agreeing.size() > 1) {
    const int begin = Cells::inner(option).left();
    const QString title = row_name(*row, option.font, right - begin).first, text = agree_text(*row);
    const int left = begin + title_width(option.font, title) + pill_gap;
    made.insert(made.begin(), {RowRequest::fold, text,
                               pill_rect(option, std::min(left, right - pill_width(option.font, text)), text)});
  }
  return made;
}

void PlanDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const widgets::Theme& theme = widgets::Theme::of(option.palette);
  const models::compare::PlanRow* row = row_of(index);
  painter->save();
  paint_background(painter, option, theme);
  painter->setRenderHint(QPainter::Antialiasing);
  if (!row || (!row->has_plan() && index.column() != Model::name)) {
    if (row && index.column() == Model::iteration) paint_search(painter, option, index, theme);
  } else if (index.column() == Model::tick) {
    Cells::paint_tick(painter, option, index, theme);
  } else if (index.column() == Model::pin) {
    Cells::paint_pin(painter, option, index, theme);
  } else if (index.column() == Model::name) {
    paint_name(painter, option, index, theme);
  } else if (index.column() == Model::peak) {
    Cells::paint_peak(painter, option, index, theme);
  } else if (index.column() == Model::fits) {
    Cells::paint_verdict(painter, option, index, theme);
  } else {
    Cells::paint_figure(painter, option, index, theme);
  }
  painter->restore();
}

/// Draws "DAPPLE, Whale [2 agree] PP 16 · DP 4", with the buttons at the right end.
void PlanDelegate::paint_name(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                              const widgets::Theme& theme) const {
  const models::compare::PlanRow& row = *row_of(index);
  QRect rect = Cells::inner(option);
  int badge_right = 0;
  for (const Button& button : buttons(option, index)) {
    paint_pill(painter, button.rect, button.text, option.font, button.request != RowRequest::fold, theme);
    if (button.request == RowRequest::fold)
      badge_right = button.rect.right();
    else
      rect.setRight(std::min(rect.right(), button.rect.left() - pill_gap));
  }
  const auto [title, detail] = row_name(row, option.font, rect.width());
  QRect title_rect = rect;
  if (badge_right > 0) title_rect.setRight(badge_right - pill_width(option.font, agree_text(row)) - pill_gap);
  painter->setFont(row.has_plan() ? widgets::title_font(option.font) : option.font);
  painter->setPen(row.has_plan() ? theme.text : theme.muted);
  Cells::text(painter, title_rect, title);
  int left = badge_right > 0 ? badge_right + pill_gap
                             : rect.left() + painter->fontMetrics().horizontalAdvance(title) + pill_gap;
  if (row.has_plan() && !row.plan.synchronous()) {
    const QString mark = PlanTable::tr("changes training");
    left = std::min(left, rect.right() - pill_width(option.font, mark));
    paint_pill(painter, pill_rect(option, left, mark), mark, option.font, false, theme);
    left += pill_width(option.font, mark) + pill_gap;
  }
  if (!row.remarks.isEmpty()) {
    Cells::paint_note_mark(painter, QPointF(std::min(left, rect.right() - Cells::note_width), option.rect.center().y()),
                           theme);
    left += Cells::note_width + pill_gap;
  }
  if (left >= rect.right()) return;
  painter->setFont(option.font);
  painter->setPen(theme.muted);
  Cells::text(painter, QRect(QPoint(left, rect.top()), rect.bottomRight()), detail);
}

/// Draws the search of a planner without a plan, or the first clause of the reason why there is none.
void PlanDelegate::paint_search(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                                const widgets::Theme& theme) const {
  const models::compare::PlanRow& row = *row_of(index);
  QRect rect = Cells::inner(option);
  for (const Button& button : buttons(option, index)) {
    paint_pill(painter, button.rect, button.text, option.font, true, theme);
    rect.setRight(std::min(rect.right(), button.rect.left() - pill_gap));
  }
  painter->setPen(theme.muted);
  if (row.search && row.search->running && row.search->budget) {
    QRectF bar(rect.left(), 0, std::min(120, rect.width() / 4), 4);
    bar.moveTop(option.rect.center().y() - 2);
    const double share = row.search->budget->count > 0 ? row.search->elapsed.count / row.search->budget->count : 1;
    widgets::paint_bar(painter, bar, share, theme.accent, theme);
    rect.setLeft(static_cast<int>(bar.right()) + 10);
    painter->setPen(theme.muted);
  }
  painter->setFont(option.font);
  Cells::text(painter, rect, row.search ? search_text(*row.search) : models::compare::first_clause(row.note));
}

bool PlanDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                               const QModelIndex& index) {
  if (event->type() != QEvent::MouseButtonRelease) return false;
  const QPoint at = static_cast<QMouseEvent*>(event)->pos();
  for (const Button& button : buttons(option, index)) {
    if (!button.rect.adjusted(-2, -3, 2, 3).contains(at)) continue;
    requested_(index.data(Model::id_role).toInt(), button.request);
    return true;
  }
  if (index.column() != Model::tick && index.column() != Model::pin) return false;
  const models::compare::PlanRow* row = row_of(index);
  if (!row || !row->has_plan()) return false;
  const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  return model->setData(index, static_cast<int>(on ? Qt::Unchecked : Qt::Checked), Qt::CheckStateRole);
}

}  // namespace pipedeck::views::compare
