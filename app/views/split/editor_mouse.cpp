// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse control of the split editor: cuts and chips are grabbed, dragged and released; the strip zooms and pans.
#include "app/views/split/editor.hpp"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>

namespace pipedeck::views::split {

namespace {

constexpr double merge_reach = 5;  ///< pixels around a neighbouring cut within which a dragged cut merges with it
constexpr double drag_start = 4;   ///< pixels that a chip moves before a drag begins
constexpr double edge = 24;        ///< pixels at the ends of a zoomed strip in which a drag pans it

}  // namespace

void Editor::mousePressEvent(QMouseEvent* event) {
  if (draft_.empty() || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  if (draft_.pending()) finish();
  const QPointF at = event->position();
  models::split::Item item = models::split::hit(layout_, at, reach);
  const bool by_layer = event->modifiers() & Qt::ControlModifier && layout_.areas.strip.contains(at);
  if (by_layer && item.part == models::split::Part::cut)
    if (const auto layer = layout_.strip.layer_at(at.x()))
      item = {models::split::Part::stage, stage_of(*layer), *layer, {}};
  if (item.part == models::split::Part::none || item.part == models::split::Part::tray) return;
  refusal_.clear();
  set_focused(item);
  if (item.part == models::split::Part::stage) {
    if (by_layer) {
      const bool on = !models::split::recomputed_layers(draft_.shown())[static_cast<std::size_t>(item.layer)];
      apply(plan::SetLayerRecompute{item.layer, on});
    }
    return;
  }
  Drag drag;
  drag.item = item;
  drag.press = drag.at = at;
  if (item.part == models::split::Part::cut) {
    drag.grab_offset = at.x() - layout_.strip.x_of(layout_.firsts[static_cast<std::size_t>(item.stage)]);
    drag.moved = true;
  } else if (const models::split::Chip* chip = models::split::chip_of(layout_, item)) {
    drag.devices = models::split::grabbed(layout_, *chip);
    drag.ghost = chip->rect;
    drag.text = chip->folded ? models::split::short_devices_text(drag.devices) : chip->text;
  }
  drag_ = std::move(drag);
  update_cursor();
  update();
}

void Editor::mouseMoveEvent(QMouseEvent* event) {
  if (draft_.empty()) return;
  const QPointF at = event->position();
  if (!drag_) {
    const models::split::Item over = models::split::hit(layout_, at, reach);
    if (over == hovered_) return;
    hovered_ = over;
    update_cursor();
    return update();
  }
  drag_->at = at;
  if (!window_.whole()) {
    const QRectF& strip = layout_.areas.strip;
    const double beyond = std::max(0.0, at.x() - strip.right() + edge) - std::max(0.0, strip.left() + edge - at.x());
    if (beyond != 0) {
      models::split::Window window = window_;
      window.pan(beyond / strip.width() * window.span() * 0.5);
      set_window(window);
    }
  }
  if (drag_->item.part == models::split::Part::cut) return drag_cut(at.x() - drag_->grab_offset);
  if (!drag_->moved && (at - drag_->press).manhattanLength() < drag_start) return;
  drag_->moved = true;
  drag_chip(at, event->modifiers() & Qt::ControlModifier);
  update_cursor();
}

void Editor::drag_cut(double x) {
  const models::split::StageStarts firsts = models::split::stage_starts(draft_.original());
  const int stage = drag_->item.stage;
  const models::split::CutTarget target = models::split::cut_target(layout_.strip, firsts, stage, x, merge_reach);
  const int old = firsts[static_cast<std::size_t>(stage)];
  if (!draft_.pending() && !target.merges && target.cut == old) return update();
  took(target.merges ? draft_.propose(plan::MergeStages{stage - 1})
                     : draft_.propose(plan::MoveBoundary{stage, target.cut}));
  update();
}

void Editor::drag_chip(const QPointF& at, bool exchange) {
  const models::split::Item under = models::split::hit(layout_, at, reach);
  const models::split::Chip* chip = exchange ? models::split::chip_of(layout_, under) : nullptr;
  const std::optional<int> from = drag_->item.stage < 0 ? std::nullopt : std::optional(drag_->item.stage);
  drag_->drop = models::split::drop_at(layout_, at, drag_->devices);
  if (!drag_->drop || (!from && !drag_->drop->stage)) {
    if (draft_.pending()) {
      draft_.restore();
      took(true);
    }
    return update();
  }
  if (chip && std::ranges::count(drag_->devices, chip->devices.front()) == 0)
    took(draft_.propose(plan::SwapDevices{drag_->devices.front(), chip->devices.front()}));
  else if (!exchange || !draft_.pending())
    took(draft_.propose(models::split::device_move(layout_, *drag_->drop, drag_->devices, from)));
  update();
}

void Editor::mouseReleaseEvent(QMouseEvent* event) {
  if (!drag_ || event->button() != Qt::LeftButton) return QWidget::mouseReleaseEvent(event);
  finish();
  update_cursor();
}

void Editor::mouseDoubleClickEvent(QMouseEvent* event) {
  if (draft_.empty() || event->button() != Qt::LeftButton) return;
  const QPointF at = event->position();
  const models::split::Item item = models::split::hit(layout_, at, reach);
  if (item.part != models::split::Part::stage || !layout_.areas.strip.contains(at)) return mousePressEvent(event);
  const Stage& stage = stage_at(item.stage);
  const int low = std::min(stage.first + 1, stage.last), high = std::max(stage.last - 1, low);
  apply(plan::SplitStage{item.stage, layout_.strip.nearest_cut(at.x(), low, high)});
}

void Editor::wheelEvent(QWheelEvent* event) {
  if (draft_.empty()) return QWidget::wheelEvent(event);
  const QPointF turn = event->angleDelta();
  models::split::Window window = window_;
  if (event->modifiers() & Qt::ControlModifier) {
    window.zoom(std::pow(1.0015, turn.y()), window.at(event->position().x(), layout_.areas.strip),
                models::split::min_span(layout_.strip.layers()));
  } else if (!window.whole()) {
    window.pan(-(turn.y() + turn.x()) / 1200 * window.span());
  } else {
    return QWidget::wheelEvent(event);
  }
  set_window(window);
  event->accept();
}

void Editor::update_cursor() {
  const models::split::Part part = drag_ ? drag_->item.part : hovered_.part;
  if (part == models::split::Part::cut) {
    setCursor(Qt::SplitHCursor);
  } else if (part == models::split::Part::chip) {
    setCursor(drag_ ? Qt::ClosedHandCursor : Qt::OpenHandCursor);
  } else {
    unsetCursor();
  }
}

void Editor::leaveEvent(QEvent*) {
  hovered_ = {};
  update();
}

}  // namespace pipedeck::views::split
