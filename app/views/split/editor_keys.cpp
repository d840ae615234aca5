// SPDX-License-Identifier: GPL-3.0-or-later
// Keyboard control of the split editor. Tab and Up/Down go from item to item; arrows move the focused item. Enter
// commits the change, Escape cancels it.
#include <algorithm>

#include <QKeyEvent>

#include "app/views/split/editor.hpp"

namespace pipedeck::views::split {

namespace {

constexpr int long_step = 5;  ///< layers, with Shift

bool plain(const QKeyEvent& event) {
  return !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
}

bool is_plus(int key) { return key == Qt::Key_Plus || key == Qt::Key_Equal; }
bool is_minus(int key) { return key == Qt::Key_Minus || key == Qt::Key_Underscore; }
bool is_sideways(int key) { return key == Qt::Key_Left || key == Qt::Key_Right; }
bool is_delete(int key) { return key == Qt::Key_Delete || key == Qt::Key_Backspace; }
bool is_enter(int key) { return key == Qt::Key_Return || key == Qt::Key_Enter; }

/// Returns true for the same item, regardless of the layer and of the device that names a chip.
bool same_item(const models::split::Layout& layout, const models::split::Item& a, const models::split::Item& b) {
  if (a.part != b.part || a.stage != b.stage) return false;
  return a.part != models::split::Part::chip || models::split::chip_of(layout, a) == models::split::chip_of(layout, b);
}

}  // namespace

std::vector<models::split::Item> Editor::items() const {
  std::vector<models::split::Item> items;
  if (draft_.empty()) return items;
  for (int s = 1; s < stages(); ++s) items.push_back({models::split::Part::cut, s, 0, {}});
  for (int s = 0; s < stages(); ++s) items.push_back({models::split::Part::stage, s, stage_at(s).first, {}});
  for (const models::split::Chip& chip : layout_.chips)
    if (!chip.copy) items.push_back({models::split::Part::chip, chip.stage.value_or(-1), 0, chip.devices.front()});
  return items;
}

void Editor::set_focused(const models::split::Item& item) {
  if (draft_.empty()) return focus_.reset();
  models::split::Item wanted = item;
  if (wanted.part == models::split::Part::chip && !models::split::chip_of(layout_, wanted)) {
    // The device has moved to another stage, or to the tray.
    for (const models::split::Item& other : items())
      if (const models::split::Chip* chip = models::split::chip_of(layout_, other);
          chip && std::ranges::count(chip->devices, item.device) > 0) {
        wanted.stage = other.stage;
        break;
      }
    if (!models::split::chip_of(layout_, wanted)) wanted = {models::split::Part::stage, std::max(0, item.stage), 0, {}};
  }
  if (wanted.part == models::split::Part::cut && stages() < 2) wanted.part = models::split::Part::stage;
  if (wanted.part != models::split::Part::chip)
    wanted.stage = std::clamp(wanted.stage, wanted.part == models::split::Part::cut ? 1 : 0, stages() - 1);
  if (wanted.part == models::split::Part::stage)
    wanted.layer = std::clamp(wanted.layer, stage_at(wanted.stage).first, stage_at(wanted.stage).last - 1);
  focus_ = wanted;
  if (wanted.stage >= 0) select_stage(wanted.stage);
  reveal_focus();
  update_accessible_text();
  update();
}

bool Editor::takes_key(const QKeyEvent& event) const {
  if (draft_.empty()) return false;
  const int key = event.key();
  if (key == Qt::Key_Escape || is_enter(key)) return draft_.pending() || drag_;
  if (!focus_ || key == Qt::Key_Tab || key == Qt::Key_Backtab) return false;
  const Qt::KeyboardModifiers modifiers = event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier);
  if (is_sideways(key)) return true;
  if (modifiers == Qt::ControlModifier) return is_plus(key) || is_minus(key);
  if (!plain(event)) return false;
  constexpr Qt::Key keys[] = {Qt::Key_Up, Qt::Key_Down, Qt::Key_Home, Qt::Key_End,
                              Qt::Key_R,  Qt::Key_S,    Qt::Key_T,    Qt::Key_F};
  return std::ranges::count(keys, key) > 0 || is_delete(key) || is_plus(key) || is_minus(key);
}

void Editor::keyPressEvent(QKeyEvent* event) {
  if (draft_.empty() || !takes_key(*event)) return QWidget::keyPressEvent(event);
  const int key = event->key();
  if (key == Qt::Key_Escape) return restore();
  if (is_enter(key)) return finish();
  if (drag_) return;
  if (event->modifiers() & Qt::ControlModifier && (is_plus(key) || is_minus(key))) {
    models::split::Window window = window_;
    const QPoint centre = item_rect(*focus_).center().toPoint();
    window.zoom(is_plus(key) ? 1.5 : 1 / 1.5, std::clamp(window.at(centre.x(), layout_.areas.strip), 0.0, 1.0),
                models::split::min_span(layout_.strip.layers()));
    return set_window(window);
  }
  if (key == Qt::Key_F) return set_window({});
  const bool taken = focus_->part == models::split::Part::cut    ? cut_key(*event)
                     : focus_->part == models::split::Part::chip ? chip_key(*event)
                                                                 : stage_key(*event);
  if (!taken && !row_key(*event)) QWidget::keyPressEvent(event);
}

bool Editor::cut_key(const QKeyEvent& event) {
  const int stage = focus_->stage;
  const models::split::StageStarts firsts = models::split::stage_starts(draft_.original());
  const auto s = static_cast<std::size_t>(stage);
  if (s >= firsts.size()) return false;
  if (is_delete(event.key())) {
    took(draft_.propose(plan::MergeStages{stage - 1}));
    set_focused({models::split::Part::stage, stage - 1, 0, {}});
    return true;
  }
  const auto* move = draft_.edit() ? std::get_if<plan::MoveBoundary>(&*draft_.edit()) : nullptr;
  const int now = move && move->stage == stage ? move->layer : firsts[s];
  const int low = firsts[s - 1] + 1, high = (s + 1 < firsts.size() ? firsts[s + 1] : layout_.strip.layers()) - 1;
  const int step = event.modifiers() & Qt::ShiftModifier ? long_step : 1;
  int cut = now;
  switch (event.key()) {
    case Qt::Key_Left:
      cut -= step;
      break;
    case Qt::Key_Right:
      cut += step;
      break;
    case Qt::Key_Home:
      cut = low;
      break;
    case Qt::Key_End:
      cut = high;
      break;
    default:
      return false;
  }
  cut = std::clamp(cut, low, high);
  if (cut == now) return true;
  if (draft_.pending() && (!move || move->stage != stage)) finish();
  took(draft_.propose(plan::MoveBoundary{stage, cut}));
  reveal_focus();
  return true;
}

void Editor::move_layer_cursor(int layer) {
  const int to = std::clamp(layer, 0, layout_.strip.layers() - 1);
  set_focused({models::split::Part::stage, stage_of(to), to, {}});
}

void Editor::cycle_recompute(int stage) {
  took(draft_.propose(plan::SetStageRecompute{stage, {!stage_at(stage).recompute.all, {}}}));
}

bool Editor::stage_key(const QKeyEvent& event) {
  const int stage = focus_->stage, layer = focus_->layer;
  const bool shift = event.modifiers() & Qt::ShiftModifier, control = event.modifiers() & Qt::ControlModifier;
  const int key = event.key();
  if (is_plus(key) || is_minus(key)) {
    const auto* count = draft_.edit() ? std::get_if<plan::SetReplicas>(&*draft_.edit()) : nullptr;
    const int now = count && count->stage == stage ? count->replicas : stage_at(stage).replicas();
    took(draft_.propose(plan::SetReplicas{stage, std::max(0, now + (is_plus(key) ? 1 : -1))}));
    return true;
  }
  if (is_delete(key)) {
    took(draft_.propose(plan::MergeStages{std::max(0, stage - 1)}));
    set_focused({models::split::Part::stage, std::max(0, stage - 1), layer, {}});
    return true;
  }
  if (is_sideways(key)) {
    const int step = key == Qt::Key_Left ? -1 : 1;
    if (control) {
      set_focused(
          {models::split::Part::stage, stage + step, stage_at(std::clamp(stage + step, 0, stages() - 1)).first, {}});
    } else {
      move_layer_cursor(layer + step * (shift ? long_step : 1));
    }
    return true;
  }
  switch (key) {
    case Qt::Key_Home:
      move_layer_cursor(stage_at(stage).first);
      return true;
    case Qt::Key_End:
      move_layer_cursor(stage_at(stage).last - 1);
      return true;
    case Qt::Key_R:
      if (shift) {
        const bool on = !models::split::recomputed_layers(draft_.shown())[static_cast<std::size_t>(layer)];
        if (draft_.pending()) finish();  // layer by layer: earlier marks stay
        took(draft_.propose(plan::SetLayerRecompute{layer, on}));
      } else {
        cycle_recompute(stage);
      }
      return true;
    case Qt::Key_S:
      took(draft_.propose(plan::SplitStage{stage, layer}));
      return true;
    case Qt::Key_T: {
      const std::vector<int> degrees = plan::tensor_parallel_degrees(draft_.original(), draft_.profile(), stage);
      const auto now = std::ranges::find(degrees, stage_at(stage).tensor_parallel) - degrees.begin();
      const auto next =
          std::clamp<std::ptrdiff_t>(now + (shift ? -1 : 1), 0, static_cast<std::ptrdiff_t>(degrees.size()) - 1);
      if (degrees.size() < 2)
        show_refusal(tr("The profile has no tensor-parallel times for the layers of stage %1.").arg(stage));
      else
        took(draft_.propose(plan::SetTensorParallel{stage, degrees[static_cast<std::size_t>(next)]}));
      return true;
    }
    default:
      return false;
  }
}

void Editor::move_chip_by(int steps) {
  const auto* move = draft_.edit() ? std::get_if<plan::MoveDevices>(&*draft_.edit()) : nullptr;
  const models::split::Chip* chip = models::split::chip_of(layout_, *focus_);
  if (!move && !chip) return;
  const std::vector<DeviceId> devices = move ? move->devices : models::split::grabbed(layout_, *chip);
  const std::vector<models::split::StagePlace> places = models::split::stage_places(draft_.original());
  int from = -1, place = 0;
  for (int s = 0; s < stages(); ++s) {
    const std::vector<DeviceId>& own = places[static_cast<std::size_t>(s)].devices;
    const auto at = std::ranges::find(own, devices.front());
    if (at == own.end() || (from >= 0 && s != focus_->stage)) continue;
    from = s;
    place = static_cast<int>(at - own.begin());
  }
  const int tray = stages(), start = from < 0 ? tray : from;
  const int now = move ? move->stage.value_or(tray) : start;
  const int target = std::clamp(now + steps, 0, tray);
  if (target == now) return;
  if (target == start) {
    draft_.restore();
    took(true);
  } else {
    const models::split::ChipDrop drop{target == tray ? std::nullopt : std::optional(target),
                                       target == from ? place : 1 << 20};
    took(draft_.propose(
        models::split::device_move(layout_, drop, devices, from < 0 ? std::nullopt : std::optional(from))));
  }
  const bool there = draft_.refusal().isEmpty();
  set_focused({models::split::Part::chip, !there ? from : target == tray ? -1 : target, 0, devices.front()});
}

void Editor::reorder_chip_by(int steps) {
  const models::split::Chip* chip = models::split::chip_of(layout_, *focus_);
  if (!chip || !chip->stage) return;
  const std::vector<DeviceId> devices = models::split::grabbed(layout_, *chip);
  const int group = static_cast<int>(devices.size()), count = static_cast<int>(stage_at(*chip->stage).devices.size());
  const int now = chip->place + (chip->folded ? count - group : 0);
  const int place = std::clamp(now + steps * group, 0, count - group);
  if (place == now) return;
  const int stage = *chip->stage;
  took(draft_.propose(plan::MoveDevices{devices, stage, place}));
  set_focused({models::split::Part::chip, stage, 0, devices.front()});
}

bool Editor::chip_key(const QKeyEvent& event) {
  if (is_sideways(event.key())) {
    const int step = event.key() == Qt::Key_Left ? -1 : 1;
    if (event.modifiers() & Qt::AltModifier)
      reorder_chip_by(step);
    else
      move_chip_by(step);
    return true;
  }
  if (is_delete(event.key())) {
    move_chip_by(stages());
    return true;
  }
  const int stage = focus_->stage;
  if (stage < 0 || !(is_plus(event.key()) || is_minus(event.key()) || event.key() == Qt::Key_R)) return false;
  focus_ = models::split::Item{models::split::Part::stage, stage, stage_at(stage).first, {}};
  return stage_key(event);
}

/// Moves the focus up and down: handles, stages, their devices, the tray.
bool Editor::row_key(const QKeyEvent& event) {
  if (event.key() != Qt::Key_Up && event.key() != Qt::Key_Down) return false;
  if (draft_.pending()) finish();
  const bool down = event.key() == Qt::Key_Down;
  const models::split::Item from = *focus_;
  const auto first_chip = [&](int stage) {
    const auto chip = std::ranges::find_if(
        layout_.chips, [&](const models::split::Chip& one) { return !one.copy && one.stage.value_or(-1) == stage; });
    return chip == layout_.chips.end()
               ? std::nullopt
               : std::optional(models::split::Item{models::split::Part::chip, stage, 0, chip->devices.front()});
  };
  std::optional<models::split::Item> to;
  if (from.part == models::split::Part::cut && down)
    to = models::split::Item{models::split::Part::stage, from.stage, stage_at(from.stage).first, {}};
  if (from.part == models::split::Part::stage) {
    if (down) to = first_chip(from.stage);
    if (!down && from.stage > 0) to = models::split::Item{models::split::Part::cut, from.stage, 0, {}};
  }
  if (from.part == models::split::Part::chip) {
    if (down && from.stage >= 0) to = first_chip(-1);
    if (!down)
      to = from.stage >= 0 ? models::split::Item{models::split::Part::stage, from.stage, stage_at(from.stage).first, {}}
                           : first_chip(selected_);
  }
  if (to) set_focused(*to);
  return true;
}

void Editor::focusInEvent(QFocusEvent* event) {
  const bool by_tab = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  if (!draft_.empty() && (!focus_ || by_tab)) {
    const std::vector<models::split::Item> all = items();
    if (event->reason() == Qt::MouseFocusReason)
      focus_ = all.front();  // the pressed item gets the focus next; the strip must not move under the pointer
    else
      set_focused(event->reason() == Qt::BacktabFocusReason ? all.back() : all.front());
  }
  update();
  QWidget::focusInEvent(event);
}

void Editor::focusOutEvent(QFocusEvent* event) {
  // Another window in front, or a menu, does not end the edit. Moving on to another widget commits it, as in input
  // fields.
  const bool left = event->reason() != Qt::ActiveWindowFocusReason && event->reason() != Qt::PopupFocusReason &&
                    event->reason() != Qt::MenuBarFocusReason;
  if (left && !drag_ && draft_.pending()) finish();
  update();
  QWidget::focusOutEvent(event);
}

bool Editor::focusNextPrevChild(bool next) {
  if (draft_.empty() || !focus_ || drag_) return QWidget::focusNextPrevChild(next);
  if (draft_.pending()) finish();
  if (!focus_) return QWidget::focusNextPrevChild(next);
  const std::vector<models::split::Item> all = items();
  const auto now =
      std::ranges::find_if(all, [&](const models::split::Item& item) { return same_item(layout_, item, *focus_); });
  const auto index = now - all.begin() + (next ? 1 : -1);
  if (now == all.end() || index < 0 || index >= static_cast<std::ptrdiff_t>(all.size()))
    return QWidget::focusNextPrevChild(next);
  set_focused(all[static_cast<std::size_t>(index)]);
  return true;
}

}  // namespace pipedeck::views::split
