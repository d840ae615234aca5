// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/painter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <QFontMetricsF>

namespace pipedeck::views::gantt {

namespace {

constexpr double box_from = 3;            // physical pixels: a narrower operation becomes part of a column
constexpr double operations_a_pixel = 3;  // above this density in view, the level of detail is used
constexpr double label_room = 4;          // pixels to the left and right of a number, in sum

bool numbered(OpKind kind) {
  return kind == OpKind::forward || kind == OpKind::backward || kind == OpKind::backward_input ||
         kind == OpKind::backward_weight || kind == OpKind::recompute;
}

DeviceId row_device(const models::gantt::Content& content, const models::gantt::Row& row) {
  if (row.kind == models::gantt::Row::Kind::link) return DeviceId(-1);
  return content.groups[row.group].devices[row.device];
}

/// Returns a font whose digits fit a box of this height.
QFont font_for(const QFont& base, int height) {
  QFont font = widgets::section_font(base);
  font.setPixelSize(std::clamp(height - 6, 8, std::max(8, QFontInfo(font).pixelSize())));
  return font;
}

using Inks = std::array<widgets::PixelCanvas::BoxColors, op_kind_count>;

/// Returns the colours of all kinds; `strength` below 1 pales them as in the second timeline.
Inks box_colors(const widgets::Theme& theme, double strength, int chunk = 0, int chunks = 1) {
  Inks inks;
  const auto shade = [&](OpKind kind) {
    return widgets::blended(widgets::shade_of_chunk(theme.of(kind), chunk, chunks, theme), theme.panel, strength).rgb();
  };
  for (int kind = 0; kind < op_kind_count; ++kind) {
    const auto op = static_cast<OpKind>(kind);
    const QRgb color = shade(op);
    inks[static_cast<std::size_t>(kind)] = {color, color};
    if (!widgets::Theme::hatched(op)) continue;
    inks[static_cast<std::size_t>(kind)].hatch = shade(op == OpKind::recompute ? OpKind::forward : OpKind::backward);
  }
  return inks;
}

/// Returns one set of colours per chunk.
std::vector<Inks> inks_of_chunks(const widgets::Theme& theme, int chunks) {
  std::vector<Inks> all;
  for (int chunk = 0; chunk < chunks; ++chunk) all.push_back(box_colors(theme, 1, chunk, chunks));
  return all;
}

}  // namespace

QColor colour_of(models::gantt::LanePart part, const widgets::Theme& theme) {
  switch (part) {
    case models::gantt::LanePart::compute:
      return theme.of(OpKind::forward);
    case models::gantt::LanePart::tensor:
      return theme.tensor_parallel;
    case models::gantt::LanePart::context:
      return theme.context_parallel;
    case models::gantt::LanePart::expert:
      return theme.expert_parallel;
    case models::gantt::LanePart::states:
    case models::gantt::LanePart::data:
      return theme.data_parallel;
    case models::gantt::LanePart::pipeline:
      return theme.pipeline_parallel;
  }
  return theme.muted;
}

struct Painter::Frame {
  QPainter& painter;
  const Scene& scene;
  const widgets::Theme& theme;
  widgets::PixelCanvas pixels;
  std::vector<Inks> strong;  ///< by chunk
  Inks secondary, faint;
  QFont label_font;
  qreal ratio;
  int left, right;  ///< of the plot, physical pixels
  double to_pixel(double time) const { return left + scene.axis.to_pixel(time, right - left); }
  double pixel_span() const { return scene.axis.span() / (right - left); }
};

struct Painter::Band {
  const models::gantt::Content* content;
  std::size_t lane;
  int top, bottom;  ///< physical pixels
  const Inks* inks;
  bool labels;
  bool plain;                                    ///< only the empty track is below
  bool first_line = false;                       ///< if all lines are equal, draw only the first
  const models::gantt::Group* chunks = nullptr;  ///< their chunks have consecutive `inks`; null: all have the same

  int chunk(std::size_t operation) const { return chunks ? chunks->chunk_of(content->timeline->stage[operation]) : 0; }
  const widgets::PixelCanvas::BoxColors& ink(std::size_t operation) const {
    return inks[chunk(operation)][static_cast<std::size_t>(content->timeline->kind[operation])];
  }
};

void Painter::draw(QPainter& painter, QImage& canvas, const Scene& scene, const widgets::Theme& theme,
                   const QFont& font) {
  const qreal ratio = canvas.devicePixelRatio();
  const int left = qRound(scene.plot.left() * ratio), right = qRound((scene.plot.left() + scene.plot.width()) * ratio);
  // A partial repaint restores only that part's background. Lines of a lane outside it must not be copied.
  const int top = qRound(scene.visible_rect.top() * ratio), bottom = qRound((scene.visible_rect.bottom() + 1) * ratio);
  const QRect area(left, top, right - left, bottom - top);
  const int lane = scene.geometry->rows.empty() ? 24 : scene.geometry->rows.front().height;
  Frame frame{painter,
              scene,
              theme,
              widgets::PixelCanvas::of(painter, canvas, area),
              inks_of_chunks(theme, scene.content->max_chunks()),
              box_colors(theme, 0.45),
              box_colors(theme, 0.22),
              font_for(font, lane),
              ratio,
              left,
              right};
  if (label_font_ != frame.label_font || label_ratio_ != ratio) labels_.clear();
  label_font_ = frame.label_font;
  label_ratio_ = ratio;
  for (std::size_t i = 0; i < scene.geometry->rows.size(); ++i) {
    const models::gantt::Row& row = scene.geometry->rows[i];
    if (row.top > scene.visible_rect.bottom() + 1 || row.pale_top + row.pale_height < scene.visible_rect.top() - 1)
      continue;
    draw_marked_row(frame, i);
  }
  draw_transfers(frame);
}

/// Draws a row with its marks. If all lines of the lane are equal, dims only one of them and copies it.
void Painter::draw_marked_row(Frame& frame, std::size_t index) {
  const models::gantt::Row& row = frame.scene.geometry->rows[index];
  const std::vector<RowMark>& marks = frame.scene.marks;
  const int top = qRound(row.top * frame.ratio), bottom = qRound(row.bottom() * frame.ratio);
  if (draw_row(frame, row, marks.size() == 1 && frame.pixels.repeats(top))) {
    marks.front().dim(index, true);
    frame.pixels.repeat_row(frame.left, frame.right, top, bottom);
    return marks.front().lines(index);
  }
  for (const RowMark& mark : marks) {
    mark.dim(index, false);
    mark.lines(index);
  }
}

bool Painter::draw_row(Frame& frame, const models::gantt::Row& row, bool first_line) {
  const auto physical = [&](int y) { return qRound(y * frame.ratio); };
  const Scene& scene = frame.scene;
  const auto track = [&](int top, int height) {
    frame.painter.setRenderHint(QPainter::Antialiasing, false);
    frame.painter.fillRect(QRect(scene.plot.left() - 1, top - 1, scene.plot.width() + 2, height + 2),
                           frame.theme.border);
    frame.painter.fillRect(QRect(scene.plot.left(), top, scene.plot.width(), height), frame.theme.panel);
  };
  track(row.top, row.height);
  if (row.pale_height > 0) track(row.pale_top, row.pale_height);
  const int top = physical(row.top), bottom = physical(row.bottom());
  if (row.kind == models::gantt::Row::Kind::part) {
    draw_part(frame, row, top, bottom);
    return false;
  }
  const DeviceId device = row_device(*scene.content, row);
  if (scene.reference_overlay) draw_ghost(frame, device, top, bottom);
  const bool plain = !scene.reference_overlay;
  const auto collective = models::gantt::collective_lane(*scene.content, row);
  const bool reduces = collective && scene.content->timeline->lanes[*collective].size() > 0;
  // An all-reduce alone fills the lane. Below a computation it keeps only its strip, which is drawn afterwards.
  if (reduces) draw_lane(frame, {scene.content, *collective, top, bottom, frame.strong.data(), false, plain});
  const bool computes = row.kind != models::gantt::Row::Kind::link;
  const models::gantt::Group* group = computes ? &scene.content->groups[row.group] : nullptr;
  bool drawn_once = false;
  if (const auto lane = models::gantt::main_lane(*scene.content, row))
    drawn_once =
        draw_lane(frame, {scene.content, *lane, top, bottom, frame.strong.data(), computes, plain && !reduces,
                          first_line && plain && !reduces, group && group->stages.size() > 1 ? group : nullptr});
  if (reduces)
    draw_lane(frame, {scene.content, *collective, physical(row.bottom() - scene.strip), bottom, frame.strong.data(),
                      false, false});
  if (!scene.secondary || row.pale_height == 0) return drawn_once;
  if (const auto behind = scene.secondary->group_of(device))
    if (const auto lane = scene.secondary->groups[*behind].compute)
      draw_lane(frame, {scene.secondary, *lane, physical(row.pale_top), physical(row.pale_top + row.pale_height),
                        &frame.secondary, false, true});
  return drawn_once;
}

/// Draws one part of a divided lane, compute as in the lane itself.
void Painter::draw_part(Frame& frame, const models::gantt::Row& row, int top, int bottom) {
  const auto found = frame.scene.divided->find(models::gantt::lane_key(*frame.scene.content, row));
  if (found == frame.scene.divided->end() || row.part >= found->second->lanes.size()) return;
  const models::gantt::PartLanes& parts = *found->second;
  const models::gantt::LanePart part = parts.lanes[row.part].part;
  const bool computes = part == models::gantt::LanePart::compute;
  const models::gantt::Group& group = frame.scene.content->groups[row.group];
  const QRgb color = colour_of(part, frame.theme).rgb();
  Inks inks;
  inks.fill({color, color});
  draw_lane(frame, {parts.content.get(), row.part, top, bottom, computes ? frame.strong.data() : &inks, computes, true,
                    false, computes && group.stages.size() > 1 ? &group : nullptr});
}

bool Painter::draw_lane(Frame& frame, const Band& band) {
  const Timeline& timeline = *band.content->timeline;
  const TimelineLane& lane = timeline.lanes[band.lane];
  const std::size_t in_view = models::gantt::first_starting_from(timeline, lane, frame.scene.axis.end) -
                              models::gantt::first_ending_after(timeline, lane, frame.scene.axis.begin);
  const bool crowded = static_cast<double>(in_view) > operations_a_pixel * (frame.right - frame.left);
  if (crowded && band.content->pyramids[band.lane].level_for(frame.pixel_span()) >= 0) return draw_detail(frame, band);
  return draw_boxes(frame, band);
}

bool Painter::draw_detail(Frame& frame, const Band& band) {
  const models::gantt::LanePyramid& pyramid = band.content->pyramids[band.lane];
  const double span = frame.pixel_span();
  colors_.clear();
  for (const std::uint8_t kind : pyramid.kinds) colors_.push_back(band.inks[0][kind].color);
  parts_.resize(static_cast<std::size_t>(frame.right - frame.left) * colors_.size());
  pyramid.sample_columns(pyramid.level_for(span), frame.scene.axis.begin, span, parts_);
  const bool once = band.first_line && colors_.size() == 1;
  draw_columns(frame, band, once);
  return once;
}

void Painter::draw_columns(Frame& frame, const Band& band, bool first_line) {
  if (colors_.size() > 1) return frame.pixels.stacked_columns(frame.left, band.top, band.bottom, colors_, parts_);
  columns_.resize(parts_.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) columns_[i] = {colors_.front(), parts_[i]};
  frame.pixels.columns(frame.left, band.top, first_line ? band.top + 1 : band.bottom, columns_, band.plain);
}

bool Painter::draw_boxes(Frame& frame, const Band& band) {
  const Timeline& timeline = *band.content->timeline;
  const TimelineLane& lane = timeline.lanes[band.lane];
  const models::gantt::TimeAxis& axis = frame.scene.axis;
  const double scale = 1 / frame.pixel_span();
  boxes_.clear();
  colors_.clear();
  for (std::size_t i = models::gantt::first_ending_after(timeline, lane, axis.begin); i < lane.end; ++i) {
    const auto start = static_cast<double>(timeline.start[i]);
    if (start >= axis.end) break;
    const double left = frame.left + (start - axis.begin) * scale;
    const double right = left + static_cast<double>(timeline.duration[i]) * scale;
    if (right - left >= box_from) {
      boxes_.push_back({left, right, i});
      continue;
    }
    touch_columns(frame, left, right, color_index(band.ink(i).color));
  }
  const bool once = band.first_line && boxes_.empty() && colors_.size() <= 1;
  if (!colors_.empty()) draw_narrow(frame, band, once);
  const int gap = std::max(1, qRound(frame.ratio));
  const int radius = qRound(widgets::ThemeSizes::box_radius * frame.ratio);
  // Boxes much longer than the plot are clipped out of view, because pixels are ints.
  const double lowest = frame.left - 100.0, highest = frame.right + 100.0;
  for (const Box& box : boxes_) {
    const int left = qRound(std::max(box.left, lowest)), right = qRound(std::min(box.right, highest)) - gap;
    frame.pixels.box(left, right, band.top, band.bottom, band.ink(box.operation),
                     right - left >= 8 * frame.ratio ? radius : 0);
    if (!band.labels) continue;
    // All-reduces inside a pass come after each of its layers: their share is hatched at its end.
    const double reduced = band.content->reduced_share(band.lane, box.operation) * (box.right - box.left);
    if (const int from = std::max(left, qRound(box.right - reduced)); reduced >= 1 && from < right)
      frame.pixels.box(from, right, band.top, band.bottom,
                       {band.ink(box.operation).color, frame.theme.tensor_parallel.rgb()}, 0);
    draw_label(frame, band, box);
  }
  return once;
}

/// Returns the position of a colour in `colors_`. A lane has few.
std::size_t Painter::color_index(QRgb color) {
  const auto found = std::ranges::find(colors_, color);
  const auto index = static_cast<std::size_t>(found - colors_.begin());
  if (found != colors_.end()) return index;
  colors_.push_back(color);
  if (touched_.size() < colors_.size()) touched_.emplace_back();
  touched_[index].clear();
  return index;
}

void Painter::touch_columns(const Frame& frame, double left, double right, std::size_t color) {
  std::vector<float>& touched = touched_[color];
  if (touched.empty()) touched.assign(static_cast<std::size_t>(frame.right - frame.left), 0.0f);
  constexpr double instant = 1e-3;  // pixels: an operation without duration is there, too
  const int first = std::max(frame.left, static_cast<int>(left));
  for (int x = first; x < frame.right && (x < right || x == first); ++x)
    touched[static_cast<std::size_t>(x - frame.left)] +=
        static_cast<float>(std::max(instant, std::min<double>(right, x + 1) - std::max<double>(left, x)));
}

void Painter::draw_narrow(Frame& frame, const Band& band, bool first_line) {
  constexpr float least = 40;  // in 255ths: the shortest operation stays visible
  const auto width = static_cast<std::size_t>(frame.right - frame.left);
  const std::size_t colors = colors_.size();
  parts_.assign(width * colors, 0);
  for (std::size_t color = 0; color < colors; ++color)
    if (touched_[color].empty()) touched_[color].assign(width, 0.0f);
  for (std::size_t x = 0; x < width; ++x) {
    float covered = 0;
    for (std::size_t color = 0; color < colors; ++color) covered += touched_[color][x];
    if (covered <= 0) continue;
    const float scale = std::max(least, std::min(255.0f, 255 * covered)) / covered;
    for (std::size_t color = 0; color < colors; ++color)
      parts_[x * colors + color] = static_cast<std::uint8_t>(touched_[color][x] * scale + 0.5f);
  }
  draw_columns(frame, band, first_line);
}

void Painter::draw_label(Frame& frame, const Band& band, const Box& box) {
  const Timeline& timeline = *band.content->timeline;
  const OpKind kind = timeline.kind[box.operation];
  // The number stays in view while any wide part of its box does.
  const double from = std::max<double>(box.left, frame.left), to = std::min<double>(box.right, frame.right);
  if (!numbered(kind) || timeline.micro_batch[box.operation] < 0 || to - from < 9 * frame.ratio) return;
  const QRgb ground = band.ink(box.operation).color;
  const QRgb color = frame.theme.on(QColor::fromRgb(ground)).rgb();
  const auto written = [&](int chunk) {
    const QImage* made = &label(timeline.micro_batch[box.operation], chunk, frame.label_font, color, frame.ratio);
    return made->width() + label_room * frame.ratio > to - from ? nullptr : made;
  };
  const QImage* fitting = written(band.chunks ? band.chunk(box.operation) : -1);
  const bool lettered = fitting && band.chunks;
  if (!fitting && band.chunks) fitting = written(-1);  // only the shade shows the chunk
  if (!fitting) return;
  const QImage& picture = *fitting;
  const double x = std::round((from + to - frame.ratio - picture.width()) / 2);
  const double y = std::floor((band.top + band.bottom - picture.height()) / 2.0);
  if (widgets::Theme::hatched(kind)) {  // no hatch behind the number
    const int pad = qRound(2 * frame.ratio), left = static_cast<int>(x);
    frame.pixels.box(left - pad, left + picture.width() + pad, band.top + pad, band.bottom - pad, {ground, ground},
                     pad);
  }
  if (!frame.pixels.on_page()) return frame.painter.drawImage(QPointF(x / frame.ratio, y / frame.ratio), picture);
  const QSizeF size = QSizeF(picture.size()) / frame.ratio;
  const QString number = QString::number(timeline.micro_batch[box.operation]);
  frame.painter.setFont(frame.label_font);
  frame.painter.setPen(QColor::fromRgb(color));
  frame.painter.drawText(QRectF(QPointF(x, y) / frame.ratio, size), Qt::AlignCenter | Qt::TextDontClip,
                         lettered ? number + models::gantt::chunk_letter(band.chunk(box.operation)) : number);
}

const QImage& Painter::label(int number, int chunk, const QFont& font, QRgb color, qreal ratio) {
  const auto key = std::tuple(number, chunk, color);
  if (const auto found = labels_.find(key); found != labels_.end()) return found->second;
  if (labels_.size() > 20'000) labels_.clear();
  const QString digits = QString::number(number), letter = chunk < 0 ? QString() : models::gantt::chunk_letter(chunk);
  const QString text = digits + letter;
  const QFontMetricsF metrics(font);
  // As wide as any number with that many digits, so that neighbours are either all numbered or none is.
  const double width = metrics.horizontalAdvance(QString(digits.size(), u'0') + (letter.isEmpty() ? letter : "b"));
  const QSize size(qCeil(width * ratio), qCeil(metrics.height() * ratio));
  QImage picture(size, QImage::Format_ARGB32_Premultiplied);
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setFont(font);
  painter.setPen(QColor::fromRgb(color));
  painter.drawText(QPointF((width - metrics.horizontalAdvance(text)) / 2, metrics.ascent()), text);
  return labels_[key] = picture;
}

void Painter::draw_ghost(Frame& frame, DeviceId device, int top, int bottom) {
  const models::gantt::Content& ghost = *frame.scene.reference_overlay;
  const auto group = ghost.group_of(device);
  if (!group || !ghost.groups[*group].compute) return;
  draw_lane(frame, {&ghost, *ghost.groups[*group].compute, top, bottom, &frame.faint, false, true});
  // The end of the old plan, visible at every zoom.
  const double end = frame.to_pixel(static_cast<double>(ghost.end));
  const QRgb color = frame.theme.muted.rgb();
  if (end > frame.left && end < frame.right)
    frame.pixels.box(qRound(end), qRound(end) + qRound(2 * frame.ratio), top, bottom, {color, color}, 0);
}

void Painter::draw_transfers(Frame& frame) {
  const Scene& scene = frame.scene;
  constexpr int room = 4;  // minimum gap between lanes in which a slanted line is visible
  const std::vector<models::gantt::Row>& rows = scene.geometry->rows;
  if (rows.size() < 2 || rows[1].top - rows[0].bottom() < room || rows[0].pale_height > 0) return;
  const Timeline& timeline = *scene.content->timeline;
  const auto row_of = [&](std::size_t group) -> const models::gantt::Row* {
    for (const models::gantt::Row& row : scene.geometry->rows)
      if ((row.kind == models::gantt::Row::Kind::group || row.kind == models::gantt::Row::Kind::stage) &&
          row.group == group)
        return &row;
    return nullptr;
  };
  frame.painter.setRenderHint(QPainter::Antialiasing);
  frame.painter.setPen(QPen(frame.theme.of(OpKind::send), 1.6));
  frame.painter.setClipRect(scene.plot);
  for (const models::gantt::TransferLane& link : scene.content->links) {
    const models::gantt::Row *from = row_of(link.from), *to = row_of(link.to);
    // Lines connect only adjacent lanes: across others they would hide what they cross.
    if (!from || !to || std::abs(to - from) != 1) continue;
    const bool down = from->top < to->top;
    const double from_y = down ? from->bottom() + 0.5 : from->top - 0.5;
    const double to_y = down ? to->top - 0.5 : to->bottom() + 0.5;
    const TimelineLane& lane = timeline.lanes[link.lane];
    const std::size_t first = models::gantt::first_ending_after(timeline, lane, scene.axis.begin);
    const std::size_t last = models::gantt::first_starting_from(timeline, lane, scene.axis.end);
    if (static_cast<int>(last - first) > scene.plot.width() / 8) continue;
    for (std::size_t i = first; i < last; ++i) {
      const auto start = static_cast<double>(timeline.start[i]);
      const auto x = [&](double time) { return scene.plot.left() + scene.axis.to_pixel(time, scene.plot.width()); };
      frame.painter.drawLine(QPointF(x(start), from_y),
                             QPointF(x(start + static_cast<double>(timeline.duration[i])), to_y));
    }
  }
  frame.painter.setClipping(false);
}

}  // namespace pipedeck::views::gantt
