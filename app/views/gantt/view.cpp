// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/view.hpp"

#include <algorithm>
#include <cmath>

#include <QFontMetrics>
#include <QKeyEvent>
#include <QPainter>

#include "app/models/format.hpp"
#include "app/models/gantt/measure.hpp"
#include "app/models/gantt/preview.hpp"
#include "app/views/gantt/accessible.hpp"
#include "app/views/gantt/marks.hpp"
#include "app/views/widgets/hover_card.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr int opened_indent = 10;
constexpr int badge_padding = 4, badge_gap = 6;  // of a stage before the name of its lane
constexpr int empty_height = 64;
constexpr int arrow_width = 16;  // of the arrow to a lane's parts, at the right end of its name
constexpr int part_swatch = 7;   // of a part's colour before its name

/// Draws the small triangle that marks a lane of several devices.
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

/// Draws a pin seen from the side.
void draw_pin(QPainter& painter, const QPointF& centre, const QColor& color) {
  painter.setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap));
  painter.drawLine(centre + QPointF(-3, 0), centre + QPointF(3, 0));
  painter.drawLine(centre, centre + QPointF(0, 4.5));
  painter.drawLine(centre + QPointF(-1.5, -4), centre + QPointF(1.5, -4));
  painter.fillRect(QRectF(centre + QPointF(-1.5, -4), QSizeF(3, 4)), color);
}

}  // namespace

View::View(TimeAxisController* link, QWidget* parent)
    : TimeView(link, parent), empty_text_(tr("Nothing to show yet")), card_(new widgets::HoverCard(this)) {
  install_accessible_gantt();  // before any interface is requested
  setObjectName(QStringLiteral("gantt_view"));
  setAccessibleName(tr("Gantt chart"));
  setAccessibleDescription(tr("Operations of every device over time. Arrow keys move between operations."));
  connect(link, &TimeAxisController::selection_changed, this, &View::selection_moved);
}

void View::set_content(std::shared_ptr<const models::gantt::Content> content) {
  making_.cancel();
  if (content == content_) return;
  content_ = std::move(content);
  if (matches_ && matches_->content != content_) matches_.reset();
  hover_.reset();
  card_->hide();
  lay_out_again();
  emit content_changed();
}

void View::set_timeline(std::shared_ptr<const Timeline> timeline) {
  const Timeline* const shown = timeline.get();
  make_content(shown, [timeline = std::move(timeline)] { return models::gantt::make_gantt_content(timeline); });
}

void View::set_simulation(const std::shared_ptr<const Simulation>& simulation) {
  const Timeline* const shown = simulation ? &simulation->timeline : nullptr;
  make_content(shown, [simulation] { return models::gantt::make_gantt_content(simulation); });
}

void View::make_content(const Timeline* timeline, MakeContent make) {
  if (!timeline || timeline->size() <= models::gantt::max_made_at_once) return set_content(make());
  set_content(models::gantt::make_gantt_preview(*timeline));
  making_.start([this, make = std::move(make)](const std::stop_token&) {
    return [this, content = make()] {
      set_content(content);
      emit lanes_changed();
    };
  });
}

void View::set_critical(std::shared_ptr<const CriticalPath> path) {
  if (path == critical_path_) return;
  critical_path_ = std::move(path);
  find_critical();
  emit highlights_changed();
  refresh();
}

void View::find_critical() {
  critical_.clear();
  if (content_ && !content_->preview && critical_path_)
    critical_ = models::gantt::critical_boxes(*critical_path_, *content_, geometry_);
}

void View::set_matches(std::shared_ptr<const models::gantt::Matches> matches) {
  if (matches && matches->content != content_) matches.reset();
  if (matches == matches_) return;
  matches_ = std::move(matches);
  emit highlights_changed();
  refresh();
}

void View::set_pale(std::shared_ptr<const models::gantt::Content> content) {
  secondary_ = std::move(content);
  lay_out_again();
}

void View::set_ghost(std::shared_ptr<const models::gantt::Content> content) {
  if (content == reference_overlay_) return;
  reference_overlay_ = std::move(content);
  emit highlights_changed();
  refresh();
}

void View::set_device_names(const QStringList& names) {
  device_names_ = names;
  emit highlights_changed();
  refresh();
}

void View::set_empty_text(const QString& text) {
  empty_text_ = text;
  refresh();
}

void View::set_links_visible(bool visible) {
  if (visible == links_visible_) return;
  links_visible_ = visible;
  lay_out_again();
}

void View::set_opened(DeviceId first_device, bool opened) {
  if (opened)
    opened_.insert(first_device);
  else
    opened_.erase(first_device);
  hover_.reset();
  card_->hide();
  lay_out_again();
}

void View::set_all_opened(bool opened) {
  if (!content_) return;
  for (const models::gantt::Row& row : geometry_.rows) {
    if (!models::gantt::folds(*content_, row)) continue;
    const DeviceId key = models::gantt::fold_key(*content_, row);
    opened ? void(opened_.insert(key)) : void(opened_.erase(key));
  }
  hover_.reset();
  card_->hide();
  lay_out_again();
  emit lanes_changed();
}

void View::set_divided(DeviceId lane, bool divided) {
  if (wanted_divided_.contains(lane) == divided) return;
  divided ? void(wanted_divided_.insert(lane)) : void(wanted_divided_.erase(lane));
  hover_.reset();
  card_->hide();
  lay_out_again();
  emit lanes_changed();
}

/// Divides the lanes that the user wants divided, those of a new content again.
void View::divide_lanes() {
  if (divided_content_ != content_.get()) divided_.clear();
  divided_content_ = content_.get();
  std::erase_if(divided_, [&](const auto& lane) { return !wanted_divided_.contains(lane.first); });
  if (!content_ || content_->preview) return divided_.clear();
  for (const DeviceId lane : wanted_divided_) {
    const auto group = divided_.contains(lane) ? std::nullopt : content_->group_of(lane);
    if (group) divided_[lane] = models::gantt::make_part_lanes(*content_, *group);
  }
}

const models::gantt::PartLane* View::part_of(const models::gantt::Row& row) const {
  if (row.kind != models::gantt::Row::Kind::part) return nullptr;
  const auto parts = divided_.find(models::gantt::lane_key(*content_, row));
  return parts == divided_.end() || row.part >= parts->second->lanes.size() ? nullptr : &parts->second->lanes[row.part];
}

std::optional<std::size_t> View::arrow_at(const QPointF& position) const {
  if (!content_ || position.x() >= plot().left() || position.x() < link().label_width() - arrow_width - 6) return {};
  const auto row = geometry_.row_at(position.y());
  return row && models::gantt::divides(*content_, geometry_.rows[*row]) ? row : std::nullopt;
}

bool View::divide_at_pointer(bool divided) {
  if (!content_ || !pointer_ || pointer_->x() >= plot().left()) return false;
  const auto row = geometry_.row_at(pointer_->y());
  if (!row || geometry_.rows[*row].kind == models::gantt::Row::Kind::link) return false;
  const bool part = geometry_.rows[*row].kind == models::gantt::Row::Kind::part;
  if (!part && !models::gantt::divides(*content_, geometry_.rows[*row])) return false;
  set_divided(models::gantt::lane_key(*content_, geometry_.rows[*row]), divided);
  return true;
}

void View::lay_out_again() {
  const int before = geometry_.height;
  geometry_ = {};
  divide_lanes();
  if (content_) {
    metrics_ = models::gantt::metrics_for(models::gantt::lane_count(*content_, opened_));
    if (secondary_) metrics_.secondary = metrics_.lane / 2;
    if (!links_visible_) metrics_.link = 0;
    geometry_ = models::gantt::lay_out(*content_, opened_, metrics_, choice_, divided_);
  }
  find_critical();
  selected_ = find_selected();
  if (geometry_.height != before) updateGeometry();
  refresh();
}

QSize View::sizeHint() const { return {640, geometry_.rows.empty() ? empty_height : geometry_.height}; }

QSize View::minimumSizeHint() const { return {200, sizeHint().height()}; }

int View::badge_width(const models::gantt::Row& row) const {
  const QString badge = models::gantt::stage_badge(*content_, row);
  return badge.isEmpty() ? 0 : QFontMetrics(widgets::caption_font(font())).horizontalAdvance(badge) + 2 * badge_padding;
}

int View::wanted_label_width() const {
  const QFontMetrics metrics(widgets::caption_font(font()));
  int widest = 0;
  if (content_)
    for (const models::gantt::Row& row : geometry_.rows) {
      const bool part = row.kind == models::gantt::Row::Kind::part;
      const int before = part                                           ? opened_indent + part_swatch + badge_gap
                         : row.kind == models::gantt::Row::Kind::device ? opened_indent
                                                                        : badge_width(row) + badge_gap;
      const int behind = models::gantt::divides(*content_, row) ? arrow_width : 0;
      widest = std::max(widest, before + behind + metrics.horizontalAdvance(row_text(row)));
    }
  return widest + widgets::ThemeSizes::margin + widgets::ThemeSizes::grid + 4;
}

void View::draw_content(QPainter& painter, QImage& canvas) {
  if (geometry_.rows.empty()) {
    painter.setPen(theme().muted);
    painter.drawText(plot(), Qt::AlignLeft | Qt::AlignVCenter, empty_text_);
    return;
  }
  Scene scene{content_.get(), secondary_.get(), reference_overlay_.get(), &geometry_, link().axis(), plot(),
              wanted(),       metrics_.strip};
  scene.divided = &divided_;
  const Frame frame{painter, canvas, geometry_, link().axis(), plot(), theme()};
  if (matches_) scene.marks.push_back(mark_matches(frame, *matches_));
  if (!critical_.empty()) scene.marks.push_back(mark_critical_path(frame, critical_, metrics_.strip));
  painter_.draw(painter, canvas, scene, theme(), font());
  outline_critical_path(frame, critical_, metrics_.strip);
  draw_labels(painter);
}

void View::draw_labels(QPainter& painter) const {
  painter.setRenderHint(QPainter::Antialiasing);
  QFont font = widgets::caption_font(this->font());
  const int room = link().label_width() - widgets::ThemeSizes::margin - widgets::ThemeSizes::grid;
  for (const models::gantt::Row& row : geometry_.rows) {
    if (row.bottom() < wanted().top() || row.top > wanted().bottom()) continue;
    const bool device = row.kind == models::gantt::Row::Kind::device;
    const models::gantt::PartLane* const part = part_of(row);
    const bool divides = models::gantt::divides(*content_, row);
    int left = widgets::ThemeSizes::margin + (device || part ? opened_indent : 0);
    QFont fitting = font;
    if (QFontMetrics(font).height() > row.height + metrics_.gap)
      fitting.setPixelSize(std::max(8, row.height + metrics_.gap - 5));
    painter.setFont(fitting);
    if (const int width = badge_width(row); width > 0) {
      const int height = std::min(QFontMetrics(fitting).height() + 2, row.height + metrics_.gap);
      const QRect badge(left, row.top + (row.height - height) / 2, width, height);
      painter.setPen(theme().border);
      painter.setBrush(theme().raised);
      painter.drawRoundedRect(QRectF(badge).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
      painter.setPen(theme().text);
      painter.drawText(badge, Qt::AlignCenter, models::gantt::stage_badge(*content_, row));
      left += width + badge_gap;
    }
    if (part) {
      painter.fillRect(QRectF(left, row.top + (row.height - part_swatch) / 2.0, part_swatch, part_swatch),
                       colour_of(part->part, theme()));
      left += part_swatch + badge_gap;
    }
    painter.setPen(theme().muted);
    const int width = room - (left - widgets::ThemeSizes::margin) - (divides ? arrow_width : 0);
    painter.drawText(QRect(left, row.top - 4, width, row.height + 8), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(fitting).elidedText(row_text(row), Qt::ElideRight, width));
    if (part) continue;
    if (divides)
      draw_triangle(painter, {link().label_width() - arrow_width / 2.0 - 4, row.top + row.height / 2.0},
                    divided_.contains(models::gantt::lane_key(*content_, row)), theme().muted);
    const bool first = row.device == 0 && content_->groups[row.group].leader == row.group;
    if (pinned_.contains(models::gantt::lane_key(*content_, row)))
      draw_pin(painter, {link().label_width() - 5.0, row.top + row.height / 2.0}, theme().accent);
    if (models::gantt::folds(*content_, row) && (!device || first))
      draw_triangle(painter, {widgets::ThemeSizes::margin - 7.0, row.top + row.height / 2.0}, device,
                    widgets::blended(theme().muted, theme().window, 0.7));
  }
}

QRectF View::box_of(const models::gantt::Hit& hit) const {
  const models::gantt::Row& row = geometry_.rows[hit.row];
  const TimelineRow operation = content_->timeline->row(hit.operation);
  const double left = std::round(std::max(x_of(static_cast<double>(operation.start.count)), plot().left() - 10.0));
  const double right = std::round(std::min(x_of(static_cast<double>(operation.end().count)), plot().right() + 10.0));
  return QRectF(left, row.top, std::max(2.0, right - left - 1), row.height);
}

void View::draw_overlay(QPainter& painter) {
  painter.save();
  painter.setClipRect(plot(), Qt::IntersectClip);
  painter.setBrush(Qt::NoBrush);
  const auto ring = [&](const models::gantt::Hit& hit, double width) {
    painter.setPen(QPen(theme().text, width));
    const double inset = width / 2;
    painter.drawRoundedRect(box_of(hit).adjusted(inset, inset, -inset, -inset), widgets::ThemeSizes::box_radius,
                            widgets::ThemeSizes::box_radius);
  };
  if (hover_) ring(*hover_, 1);
  if (selected_) ring(*selected_, 2);
  painter.restore();
  draw_drop_place(painter);
}

double View::snapped(const QPointF& position) const {
  constexpr double reach = 6;  // pixels
  if (!content_ || content_->preview) return time_at(position.x());
  return models::gantt::snap_time(*content_, geometry_, link().axis(), plot().width(),
                                  position - QPointF(plot().left(), 0), reach)
      .value_or(time_at(position.x()));
}

double View::snapped_time(double time) const { return snapped({x_of(time), -1}); }

std::optional<models::gantt::Hit> View::hit(const QPointF& position) const {
  if (!content_ || content_->preview) return std::nullopt;
  return models::gantt::hit_test(*content_, geometry_, link().axis(), plot().width(),
                                 position - QPointF(plot().left(), 0), 2.0);
}

void View::hovered(const QPointF& position) {
  const std::optional<models::gantt::Hit> now = hit(position);
  const auto named = content_ && position.x() < plot().left() ? geometry_.row_at(position.y()) : std::nullopt;
  pointer_ = position;
  if (named && (arrow_at(position) || models::gantt::folds(*content_, geometry_.rows[*named])))
    setCursor(Qt::PointingHandCursor);
  else
    unsetCursor();
  if (now != hover_) {
    hover_ = now;
    update();
  }
  const auto part = content_ && !now ? geometry_.row_at(position.y()) : std::nullopt;
  if (now)
    card_->show_at(position, describe(*now));
  else if (const QStringList lines = part ? describe_part(geometry_.rows[*part], position) : QStringList();
           !lines.isEmpty())
    card_->show_at(position, lines);
  else if (named && arrow_at(position))
    card_->show_at(position, {divided_.contains(models::gantt::lane_key(*content_, geometry_.rows[*named]))
                                  ? tr("Hide the parts of this lane (Left)")
                                  : tr("Show compute and each kind of communication as a lane (Right)")});
  else if (named && geometry_.rows[*named].kind == models::gantt::Row::Kind::stage)
    card_->show_at(position, describe_fold(geometry_.rows[*named]));
  else
    card_->hide();
}

void View::unhovered() {
  card_->hide();
  pointer_.reset();
  if (!hover_) return;
  hover_.reset();
  update();
}

void View::clicked(const QPointF& position) {
  if (!content_) return;
  if (position.x() < plot().left()) {
    if (const auto arrow = arrow_at(position)) {
      const DeviceId lane = models::gantt::lane_key(*content_, geometry_.rows[*arrow]);
      return set_divided(lane, !divided_.contains(lane));
    }
    if (const auto row = geometry_.row_at(position.y())) toggle_row(geometry_.rows[*row]);
    return;
  }
  if (const auto found = hit(position))
    select(*found);
  else
    link().set_selection(std::nullopt);
}

void View::toggle_row(const models::gantt::Row& row) {
  if (!models::gantt::folds(*content_, row)) return;
  set_opened(models::gantt::fold_key(*content_, row), row.kind != models::gantt::Row::Kind::device);
  emit lanes_changed();
}

}  // namespace pipedeck::views::gantt
