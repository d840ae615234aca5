// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt_view.hpp"

#include <algorithm>
#include <cmath>

#include <QFontMetrics>
#include <QKeyEvent>
#include <QPainter>

#include "app/models/format.hpp"
#include "app/models/gantt_wait.hpp"
#include "app/views/hover_card.hpp"

namespace pipedeck::app {

namespace {

constexpr int opened_indent = 10;
constexpr int empty_height = 64;

/// The small triangle that says a lane stands for several devices.
void draw_triangle(QPainter& painter, const QPointF& centre, bool open, const QColor& color) {
  QPolygonF shape;
  if (open)
    shape << QPointF(-3.5, -2) << QPointF(3.5, -2) << QPointF(0, 2.5);
  else
    shape << QPointF(-2, -3.5) << QPointF(-2, 3.5) << QPointF(2.5, 0);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(shape.translated(centre));
}

}  // namespace

GanttView::GanttView(TimeLink* link, QWidget* parent)
    : TimeView(link, parent), empty_text_(tr("Nothing to show yet")), card_(new HoverCard(this)) {
  setObjectName(QStringLiteral("gantt_view"));
  setAccessibleName(tr("Gantt chart"));
  setAccessibleDescription(tr("Operations of every device over time. Arrow keys go from operation to operation."));
  connect(link, &TimeLink::selection_changed, this, &GanttView::selection_moved);
}

void GanttView::set_content(std::shared_ptr<const GanttContent> content) {
  if (content == content_) return;
  content_ = std::move(content);
  hover_.reset();
  card_->hide();
  lay_out_again();
}

void GanttView::set_timeline(std::shared_ptr<const Timeline> timeline) {
  set_content(make_gantt_content(std::move(timeline)));
}

void GanttView::set_simulation(const std::shared_ptr<const Simulation>& simulation) {
  set_content(make_gantt_content(simulation));
}

void GanttView::set_pale(std::shared_ptr<const GanttContent> content) {
  pale_ = std::move(content);
  lay_out_again();
}

void GanttView::set_ghost(std::shared_ptr<const GanttContent> content) {
  if (content == ghost_) return;
  ghost_ = std::move(content);
  refresh();
}

void GanttView::set_device_names(const QStringList& names) {
  device_names_ = names;
  refresh();
}

void GanttView::set_empty_text(const QString& text) {
  empty_text_ = text;
  refresh();
}

void GanttView::set_links_visible(bool visible) {
  links_visible_ = visible;
  lay_out_again();
}

void GanttView::set_lane_height(int height) {
  lane_height_ = height;
  lay_out_again();
}

void GanttView::set_opened(DeviceId first_device, bool opened) {
  if (opened)
    opened_.insert(first_device);
  else
    opened_.erase(first_device);
  hover_.reset();
  card_->hide();
  lay_out_again();
}

void GanttView::lay_out_again() {
  const int before = geometry_.height;
  geometry_ = {};
  if (content_) {
    metrics_ = metrics_for(lane_count(*content_, opened_));
    if (lane_height_ > 0) metrics_.lane = lane_height_;
    if (pale_) metrics_.pale = metrics_.lane / 2;
    if (!links_visible_) metrics_.link = 0;
    geometry_ = lay_out(*content_, opened_, metrics_);
  }
  find_critical();
  selected_ = find_selected();
  if (geometry_.height != before) updateGeometry();
  refresh();
}

QSize GanttView::sizeHint() const { return {640, geometry_.rows.empty() ? empty_height : geometry_.height}; }

QSize GanttView::minimumSizeHint() const { return {200, sizeHint().height()}; }

int GanttView::wanted_label_width() const {
  const QFontMetrics metrics(caption_font(font()));
  int widest = 0;
  if (content_)
    for (const GanttRow& row : geometry_.rows) {
      const int indent = row.kind == GanttRow::Kind::device ? opened_indent : 0;
      widest = std::max(widest, indent + metrics.horizontalAdvance(row_name(*content_, row, device_names_)));
    }
  return widest + ThemeSizes::margin + ThemeSizes::grid + 4;
}

void GanttView::draw_content(QPainter& painter, QImage& canvas) {
  if (geometry_.rows.empty()) {
    painter.setPen(theme().muted);
    painter.drawText(plot(), Qt::AlignLeft | Qt::AlignVCenter, empty_text_);
    return;
  }
  const GanttScene scene{content_.get(), pale_.get(), ghost_.get(), &geometry_, link().axis(), plot(), metrics_.strip};
  painter_.draw(painter, canvas, scene, theme(), font());
  draw_labels(painter);
}

void GanttView::draw_labels(QPainter& painter) const {
  painter.setRenderHint(QPainter::Antialiasing);
  QFont font = caption_font(this->font());
  const int room = link().label_width() - ThemeSizes::margin - ThemeSizes::grid;
  for (const GanttRow& row : geometry_.rows) {
    const bool device = row.kind == GanttRow::Kind::device;
    const int left = ThemeSizes::margin + (device ? opened_indent : 0);
    QFont fitting = font;
    if (QFontMetrics(font).height() > row.height + metrics_.gap)
      fitting.setPixelSize(std::max(8, row.height + metrics_.gap - 5));
    painter.setFont(fitting);
    painter.setPen(theme().muted);
    const QString name = row_name(*content_, row, device_names_);
    painter.drawText(QRect(left, row.top - 4, room - (left - ThemeSizes::margin), row.height + 8),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(fitting).elidedText(name, Qt::ElideRight, room - (left - ThemeSizes::margin)));
    const bool first = row.device == 0 && content_->groups[row.group].leader == row.group;
    if (folds(*content_, row) && (!device || first))
      draw_triangle(painter, {ThemeSizes::margin - 7.0, row.top + row.height / 2.0}, device,
                    blended(theme().muted, theme().window, 0.7));
  }
}

QRectF GanttView::box_of(const GanttHit& hit) const {
  const GanttRow& row = geometry_.rows[hit.row];
  const TimelineRow operation = content_->timeline->row(hit.operation);
  const double left = std::round(std::max(x_of(static_cast<double>(operation.start.count)), plot().left() - 10.0));
  const double right = std::round(std::min(x_of(static_cast<double>(operation.end().count)), plot().right() + 10.0));
  return QRectF(left, row.top, std::max(2.0, right - left - 1), row.height);
}

void GanttView::draw_overlay(QPainter& painter) {
  painter.save();
  painter.setClipRect(plot(), Qt::IntersectClip);
  if (!critical_.empty()) draw_critical(painter);
  painter.setBrush(Qt::NoBrush);
  const auto ring = [&](const GanttHit& hit, double width) {
    painter.setPen(QPen(theme().text, width));
    const double inset = width / 2;
    painter.drawRoundedRect(box_of(hit).adjusted(inset, inset, -inset, -inset), ThemeSizes::box_radius,
                            ThemeSizes::box_radius);
  };
  if (hover_) ring(*hover_, 1);
  if (selected_) ring(*selected_, 2);
  painter.restore();
}

std::optional<GanttHit> GanttView::hit(const QPointF& position) const {
  if (!content_) return std::nullopt;
  return hit_test(*content_, geometry_, link().axis(), plot().width(), position - QPointF(plot().left(), 0), 2.0);
}

QString GanttView::wait_text(const GanttRow& row, std::size_t operation) const {
  const auto lane = main_lane(*content_, row);
  if (!lane || row.kind == GanttRow::Kind::link) return {};
  const TimelineLane& compute = content_->timeline->lanes[*lane];
  if (operation < compute.begin || operation >= compute.end) return {};
  const GanttWait wait = wait_of(*content_, *lane, operation);
  const QString idle = format_time(wait.idle);
  const QString from = wait.group ? devices_text(content_->groups[*wait.group].devices, device_names_) : QString();
  switch (wait.cause) {
    case WaitFor::activation:
      return tr("waited %1 for the activation from %2").arg(idle, from);
    case WaitFor::gradient:
      return tr("waited %1 for the gradient from %2").arg(idle, from);
    case WaitFor::all_reduce:
      return tr("waited %1 for the all-reduce").arg(idle);
    case WaitFor::nothing:
      break;
  }
  return wait.idle.count > 0 ? tr("after %1 idle").arg(idle) : tr("started without waiting");
}

/// The row's devices, or the link's ends: its name without what else the label tells.
QString GanttView::place_text(const GanttRow& row) const {
  if (row.kind == GanttRow::Kind::link) return row_name(*content_, row, device_names_);
  const std::vector<DeviceId>& devices = content_->groups[row.group].devices;
  return row.kind == GanttRow::Kind::device ? device_name(devices[row.device], device_names_)
                                            : devices_text(devices, device_names_);
}

QStringList GanttView::describe(const GanttHit& hit) const {
  const GanttRow& row = geometry_.rows[hit.row];
  const TimelineRow operation = content_->timeline->row(hit.operation);
  const OpKind kind = operation.operation.kind;
  QStringList title{kind_text(kind)};
  if (kind != OpKind::all_reduce && kind != OpKind::optimizer)
    title << tr("micro-batch %1").arg(operation.operation.micro_batch);
  title << tr("stage %1").arg(operation.operation.stage.value) << place_text(row);
  if (row.kind != GanttRow::Kind::link) {
    const GanttGroup& group = content_->groups[row.group];
    if (group.stages.size() > 1)
      title << tr("chunk %1 of %2")
                   .arg(chunk_letter(group.chunk_of(operation.operation.stage.value)))
                   .arg(group.stages.size());
  }
  QStringList lines{title.join(QStringLiteral(" · "))};
  lines << tr("%1  (%2)").arg(format_span(operation.start, operation.end()), format_time(operation.duration));
  if (const QString wait = wait_text(row, hit.operation); !wait.isEmpty()) lines << wait;
  return lines;
}

void GanttView::hovered(const QPointF& position) {
  const std::optional<GanttHit> now = hit(position);
  const auto named = content_ && position.x() < plot().left() ? geometry_.row_at(position.y()) : std::nullopt;
  if (named && folds(*content_, geometry_.rows[*named]))
    setCursor(Qt::PointingHandCursor);
  else
    unsetCursor();
  if (now != hover_) {
    hover_ = now;
    update();
  }
  if (now)
    card_->show_at(position, describe(*now));
  else if (named && geometry_.rows[*named].kind == GanttRow::Kind::stage)
    card_->show_at(position, describe_fold(geometry_.rows[*named]));
  else
    card_->hide();
}

QStringList GanttView::describe_fold(const GanttRow& row) const {
  const GanttGroup& group = content_->groups[row.group];
  return {tr("stage %1 · %2 of %3 devices shown")
              .arg(group.stage)
              .arg(group.devices.size())
              .arg(group.devices.size() + content_->followers(row.group)),
          tr("The others take other micro-batches in turn."), tr("Click to see a lane a device.")};
}

void GanttView::unhovered() {
  card_->hide();
  if (!hover_) return;
  hover_.reset();
  update();
}

void GanttView::clicked(const QPointF& position) {
  if (!content_) return;
  if (position.x() < plot().left()) {
    if (const auto row = geometry_.row_at(position.y())) toggle_row(geometry_.rows[*row]);
    return;
  }
  if (const auto found = hit(position))
    select(*found);
  else
    link().set_selection(std::nullopt);
}

void GanttView::toggle_row(const GanttRow& row) {
  if (!folds(*content_, row)) return;
  set_opened(fold_key(*content_, row), row.kind != GanttRow::Kind::device);
  emit lanes_changed();
}

void GanttView::select(const GanttHit& hit) {
  const TimelineRow operation = content_->timeline->row(hit.operation);
  link().set_selection(OperationSelection{chart_id_, hit.operation, operation.operation});
  link().reveal(static_cast<double>(operation.start.count), static_cast<double>(operation.end().count));
}

std::optional<GanttHit> GanttView::find_selected() const {
  const auto& selection = link().selection();
  if (!selection || !content_) return std::nullopt;
  if (selection->chart != chart_id_) return find_operation(*content_, geometry_, selection->operation);
  const Timeline& timeline = *content_->timeline;
  for (std::size_t row = 0; row < geometry_.rows.size(); ++row)
    for (const auto& lane :
         {main_lane(*content_, geometry_.rows[row]), collective_lane(*content_, geometry_.rows[row])})
      if (lane && selection->position >= timeline.lanes[*lane].begin && selection->position < timeline.lanes[*lane].end)
        return GanttHit{row, selection->position};
  return std::nullopt;
}

void GanttView::selection_moved() {
  selected_ = find_selected();
  setAccessibleDescription(
      selected_ ? describe(*selected_).join(QStringLiteral(", "))
                : tr("Operations of every device over time. Arrow keys go from operation to operation."));
  update();
}

void GanttView::step(GanttStep step) {
  if (!content_ || geometry_.rows.empty()) return;
  if (selected_) return select(step_from(*content_, geometry_, *selected_, step));
  for (std::size_t row = 0; row < geometry_.rows.size(); ++row) {
    const auto lane = main_lane(*content_, geometry_.rows[row]);
    if (!lane) continue;
    const TimelineLane& operations = content_->timeline->lanes[*lane];
    const std::size_t first = first_ending_after(*content_->timeline, operations, link().axis().begin);
    if (first < operations.end) return select({row, first});
  }
}

bool GanttView::key(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      step(GanttStep::previous);
      return true;
    case Qt::Key_Right:
      step(GanttStep::next);
      return true;
    case Qt::Key_Up:
      step(GanttStep::up);
      return true;
    case Qt::Key_Down:
      step(GanttStep::down);
      return true;
    case Qt::Key_L:
      set_links_visible(!links_visible_);
      return true;
    case Qt::Key_Escape:
      if (!link().selection()) return false;
      link().set_selection(std::nullopt);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (selected_) toggle_row(geometry_.rows[selected_->row]);
      return true;
    default:
      return false;
  }
}

}  // namespace pipedeck::app
