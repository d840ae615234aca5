// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/difference_view.hpp"

#include <algorithm>

#include <QFontMetrics>
#include <QKeyEvent>

#include "app/models/format.hpp"
#include "app/views/gantt/legend_view.hpp"
#include "app/views/widgets/hover_card.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr int head = 26, foot = 26;  // the headline above the lanes, the legend below them
constexpr int key_swatch = 11;

/// Returns the charts' theme with the colours of a difference in place of those of kinds.
widgets::Theme difference_theme(const widgets::Theme& theme) {
  widgets::Theme changed = theme;
  const QColor gained = theme.of(OpKind::forward), lost = theme.of(OpKind::backward);
  const auto set = [&](models::gantt::Difference what, const QColor& color) {
    changed.operation[static_cast<std::size_t>(what)] = color;
  };
  set(models::gantt::Difference::other, widgets::blended(theme.muted, theme.panel, 0.35));
  set(models::gantt::Difference::gained, gained);
  set(models::gantt::Difference::lost, lost);
  // These two are hatched like the kinds with the same numbers.
  set(models::gantt::Difference::earlier, widgets::blended(gained, theme.panel, 0.45));
  set(models::gantt::Difference::later, widgets::blended(lost, theme.panel, 0.45));
  return changed;
}

models::gantt::Metrics metrics_of(const models::gantt::GanttDifference& difference) {
  models::gantt::Metrics metrics = models::gantt::metrics_for(models::gantt::lane_count(*difference.busy, {}));
  metrics.lane = std::max(8, metrics.lane * 2 / 3);
  metrics.secondary = std::max(4, metrics.lane / 2);
  metrics.link = 0;
  return metrics;
}

Nanoseconds whole(std::int64_t time) { return Nanoseconds(time); }

}  // namespace

DifferenceView::DifferenceView(TimeAxisController* link, QWidget* parent)
    : TimeView(link, parent), card_(new widgets::HoverCard(this)) {
  setObjectName(QStringLiteral("difference_view"));
  widgets::install_accessible_items();  // before any interface is requested
  setAccessibleName(tr("Difference between two plans"));
}

void DifferenceView::set_difference(std::shared_ptr<const models::gantt::GanttDifference> difference,
                                    const QString& from, const QString& to) {
  difference_ = std::move(difference);
  from_ = from;
  to_ = to;
  geometry_ = {};
  if (difference_) {
    geometry_ = models::gantt::lay_out(*difference_->busy, {}, metrics_of(*difference_));
    for (models::gantt::Row& row : geometry_.rows) {
      row.top += head;
      row.pale_top += head;
    }
    geometry_.height += head;
  }
  span_ends_.clear();
  for (const models::gantt::Row& row : geometry_.rows) {
    const auto lane = models::gantt::main_lane(*difference_->busy, row);
    const auto spans = lane ? difference_->busy->timeline->lanes[*lane].size() : 0;
    span_ends_.push_back(static_cast<int>(spans) + item_count());
  }
  card_->hide();
  setAccessibleDescription(headline());
  updateGeometry();
  refresh();
}

DifferenceView::Span DifferenceView::span(int index) const {
  const auto lane = std::ranges::upper_bound(span_ends_, index) - span_ends_.begin();
  const models::gantt::Row& row = geometry_.rows[static_cast<std::size_t>(lane)];
  const int before = lane > 0 ? span_ends_[static_cast<std::size_t>(lane - 1)] : 0;
  const Timeline& timeline = *difference_->busy->timeline;
  return {&row, timeline.row(timeline.lanes[*models::gantt::main_lane(*difference_->busy, row)].begin +
                             static_cast<std::size_t>(index - before))};
}

QString DifferenceView::item_text(int index) const {
  const Span one = span(index);
  return tr("%1, %2: %3")
      .arg(models::gantt::row_name(*difference_->busy, *one.lane, device_names_),
           models::format_span(one.what.start, one.what.end()),
           difference_text(static_cast<models::gantt::Difference>(one.what.operation.kind)));
}

QRect DifferenceView::item_rect(int index) const {
  const Span one = span(index);
  const double left = x_of(static_cast<double>(one.what.start.count)),
               right = x_of(static_cast<double>(one.what.end().count));
  const QRectF room(plot());
  const QRectF box(QPointF(left, one.lane->top), QPointF(std::max(right, left + 1), one.lane->bottom()));
  return box.right() < room.left() || box.left() > room.right() ? QRect() : box.toAlignedRect();
}

QString DifferenceView::difference_text(models::gantt::Difference what) const {
  switch (what) {
    case models::gantt::Difference::gained:
      return tr("only %1 is busy: gained").arg(from_);
    case models::gantt::Difference::lost:
      return tr("only %1 is busy: lost").arg(to_);
    default:
      return tr("different operations");
  }
}

void DifferenceView::set_device_names(const QStringList& names) {
  device_names_ = names;
  refresh();
}

QString DifferenceView::headline() const {
  if (!difference_) return tr("Difference to %1: being computed…").arg(from_);
  return tr("Difference to %1: %2 of device time gained, %3 lost")
      .arg(from_, models::format_time(whole(difference_->gained)), models::format_time(whole(difference_->lost)));
}

QSize DifferenceView::sizeHint() const { return {640, geometry_.rows.empty() ? head : geometry_.height + foot}; }

int DifferenceView::wanted_label_width() const {
  const QFontMetrics metrics(widgets::caption_font(font()));
  int widest = 0;
  if (difference_)
    for (const models::gantt::Row& row : geometry_.rows)
      widest =
          std::max(widest, metrics.horizontalAdvance(models::gantt::row_name(*difference_->busy, row, device_names_)));
  return widest + widgets::ThemeSizes::margin + widgets::ThemeSizes::grid + 4;
}

void DifferenceView::draw_content(QPainter& painter, QImage& canvas) {
  draw_headline(painter);
  if (!difference_) return;
  const Scene scene{
      difference_->busy.get(), difference_->lag.get(), nullptr, &geometry_, link().axis(), plot(), wanted(), 0};
  painter_.draw(painter, canvas, scene, difference_theme(theme()), font());
  draw_labels(painter);
  draw_legend(painter);
}

void DifferenceView::draw_headline(QPainter& painter) const {
  painter.setFont(font());
  painter.setPen(theme().text);
  const QRect room(widgets::ThemeSizes::margin, 4, width() - 2 * widgets::ThemeSizes::margin, head - 6);
  painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetrics(font()).elidedText(headline(), Qt::ElideRight, room.width()));
}

void DifferenceView::draw_labels(QPainter& painter) const {
  painter.setFont(widgets::caption_font(font()));
  painter.setPen(theme().muted);
  const int room = link().label_width() - widgets::ThemeSizes::margin - widgets::ThemeSizes::grid;
  const QFontMetrics metrics(painter.font());
  for (const models::gantt::Row& row : geometry_.rows)
    painter.drawText(
        QRect(widgets::ThemeSizes::margin, row.top - 4, room, row.height + row.pale_height + 10),
        Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(models::gantt::row_name(*difference_->busy, row, device_names_), Qt::ElideRight, room));
}

void DifferenceView::draw_legend(QPainter& painter) const {
  const widgets::Theme colours = difference_theme(theme());
  painter.setFont(widgets::caption_font(font()));
  const QFontMetrics metrics(painter.font());
  int x = link().label_width();
  const int middle = geometry_.height + foot / 2;
  const std::pair<std::optional<models::gantt::Difference>, QString> entries[] = {
      {models::gantt::Difference::gained, difference_text(models::gantt::Difference::gained)},
      {models::gantt::Difference::lost, difference_text(models::gantt::Difference::lost)},
      {models::gantt::Difference::other, difference_text(models::gantt::Difference::other)},
      {models::gantt::Difference::earlier, tr("below: the operation starts earlier (hatched: slightly)")},
      {models::gantt::Difference::later, tr("later")}};
  for (const auto& [what, text] : entries) {
    const int width = metrics.horizontalAdvance(text);
    if (x + key_swatch + 6 + width > this->width()) return;
    draw_swatch(painter, QRectF(x, middle - key_swatch / 2.0, key_swatch, key_swatch), static_cast<OpKind>(*what),
                colours);
    x += key_swatch + 6;
    painter.setPen(theme().muted);
    painter.drawText(QRect(x, middle - metrics.height() / 2, width + 2, metrics.height()), Qt::AlignVCenter, text);
    x += width + 20;
  }
}

QString DifferenceView::doing(const models::gantt::Content& content, DeviceId device, double time,
                              std::optional<Operation>* found) const {
  const auto group = content.group_of(device);
  if (group && content.groups[*group].compute) {
    const TimelineLane& lane = content.timeline->lanes[*content.groups[*group].compute];
    const std::size_t at = models::gantt::first_ending_after(*content.timeline, lane, time);
    if (at < lane.end && static_cast<double>(content.timeline->start[at]) <= time) {
      const TimelineRow row = content.timeline->row(at);
      *found = row.operation;
      const bool numbered = row.operation.kind != OpKind::optimizer;
      return numbered
                 ? tr("%1 %2, stage %3, %4")
                       .arg(widgets::kind_text(row.operation.kind))
                       .arg(row.operation.micro_batch)
                       .arg(row.operation.stage.value)
                       .arg(models::format_span(row.start, row.end()))
                 : tr("%1, %2").arg(widgets::kind_text(row.operation.kind), models::format_span(row.start, row.end()));
    }
  }
  return tr("idle");
}

QStringList DifferenceView::describe(const QPointF& position) const {
  const auto row_index = difference_ ? geometry_.row_at(position.y()) : std::nullopt;
  if (!row_index || position.x() < plot().left() || position.x() > plot().right()) return {};
  const models::gantt::Row& row = geometry_.rows[*row_index];
  const double time = time_at(position.x());
  const DeviceId device = difference_->busy->groups[row.group].devices[row.device];
  std::optional<Operation> before, now;
  QStringList lines{tr("%1 at %2")
                        .arg(models::gantt::row_name(*difference_->busy, row, device_names_),
                             models::format_time(Nanoseconds(static_cast<std::int64_t>(time))))};
  lines << tr("%1: %2").arg(from_, doing(*difference_->from, device, time, &before));
  lines << tr("%1: %2").arg(to_, doing(*difference_->to, device, time, &now));
  const auto start = now ? difference_->start_in_first(*now) : std::nullopt;
  if (!start) return lines;
  const auto group = difference_->to->group_of(device);
  const TimelineLane& lane = difference_->to->timeline->lanes[*difference_->to->groups[*group].compute];
  const std::int64_t lag =
      difference_->to->timeline->start[models::gantt::first_ending_after(*difference_->to->timeline, lane, time)] -
      *start;
  if (lag == 0) return lines << tr("starts at the same time as in %1").arg(from_);
  return lines << (lag < 0 ? tr("starts %1 earlier than in %2") : tr("starts %1 later than in %2"))
                      .arg(models::format_time(whole(std::abs(lag))), from_);
}

void DifferenceView::hovered(const QPointF& position) {
  const QStringList lines = describe(position);
  lines.isEmpty() ? card_->hide() : card_->show_at(position, lines);
}

void DifferenceView::unhovered() { card_->hide(); }

bool DifferenceView::key(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape) return false;
  emit close_requested();
  return true;
}

}  // namespace pipedeck::views::gantt
