// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/split/layout.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::models::split {

namespace {

constexpr double margin = 14;
constexpr double handle_room = 14;
constexpr double strip_height = 54;
constexpr double spacing = 4;
constexpr double scroll_height = 8;
constexpr double column_padding = 3;

constexpr double dot_width = 12;  // chip without text
constexpr double min_dot = 4;

/// A row of chips with `group` devices each. They are folded into one chip if they don't fit.
class ChipRow {
 public:
  ChipRow(const QRectF& row, const ChipStyle& style, const TextWidth& width_of)
      : row_(row), style_(style), width_of_(width_of) {}

  std::vector<Chip> chips(const std::vector<DeviceId>& devices, int group) const {
    std::vector<Chip> units;
    for (std::size_t i = 0; i < devices.size(); i += static_cast<std::size_t>(group)) {
      const std::size_t end = std::min(devices.size(), i + static_cast<std::size_t>(group));
      Chip unit;
      unit.devices.assign(devices.begin() + static_cast<std::ptrdiff_t>(i),
                          devices.begin() + static_cast<std::ptrdiff_t>(end));
      unit.text = short_devices_text(unit.devices, 2);
      unit.place = static_cast<int>(i);
      units.push_back(std::move(unit));
      if (units.size() > max_units) break;  // too many to fit
    }
    const ChipStyle narrow{style_.height, style_.padding / 2, style_.gap / 2};
    if (units.size() <= max_units)
      for (const ChipStyle& style : {style_, narrow})
        if (place(units, style)) return units;
    return folded(devices, narrow);
  }

 private:
  static constexpr std::size_t max_units = 256;

  double width(const Chip& chip, const ChipStyle& style) const { return width_of_(chip.text) + 2 * style.padding; }

  bool place(std::vector<Chip>& chips, const ChipStyle& style) const {
    double total = -style.gap;
    for (const Chip& chip : chips) total += width(chip, style) + style.gap;
    if (total > row_.width()) return false;
    double x = row_.center().x() - total / 2;
    for (Chip& chip : chips) {
      chip.rect = QRectF(x, row_.center().y() - style.height / 2, width(chip, style), style.height);
      x += chip.rect.width() + style.gap;
    }
    return true;
  }

  std::vector<Chip> folded(const std::vector<DeviceId>& devices, const ChipStyle& style) const {
    std::vector<Chip> one(1);
    one.front().devices = devices;
    one.front().folded = true;
    for (const int limit : {4, 2, 1}) {
      one.front().text = short_devices_text(devices, limit);
      if (place(one, style)) return one;
    }
    one.front().text.clear();
    const double width = std::min(dot_width, row_.width());
    if (width < min_dot) return {};
    const double height = std::min(width, style.height);
    one.front().rect = QRectF(row_.center().x() - width / 2, row_.center().y() - height / 2, width, height);
    return one;
  }

  QRectF row_;
  const ChipStyle& style_;
  const TextWidth& width_of_;
};

/// Returns the visible part of a stage's column.
QRectF column_of(const Areas& areas, const Strip& strip, int first, int last) {
  const double left = std::max(strip.x_of(first), areas.strip.left());
  const double right = std::min(strip.x_of(last), areas.strip.right());
  return right > left ? QRectF(left, areas.columns.top(), right - left, areas.columns.height()) : QRectF();
}

void add_stage_chips(Layout& layout, int stage, const Stage& own, const StagePlace& place, const ChipStyle& style,
                     const TextWidth& width_of) {
  const QRectF& column = layout.columns[static_cast<std::size_t>(stage)];
  QRectF row(column.left() + column_padding, layout.areas.chips.top(), column.width() - 2 * column_padding,
             layout.areas.chips.height());
  if (column.isEmpty() || row.width() <= 0) return;
  // The devices of the stage's second copy are shown next to its own if there is room for both.
  const QString copies = short_devices_text(place.copies, 2);
  const double beside = place.copies.empty() ? 0 : width_of(copies) + style.padding + style.gap;
  const bool both = beside > 0 && beside < row.width() / 2;
  if (both) row.setWidth(row.width() - beside);
  for (Chip& chip : ChipRow(row, style, width_of).chips(own.devices, own.tensor_parallel)) {
    chip.stage = stage;
    layout.chips.push_back(std::move(chip));
  }
  if (!both) return;
  Chip copy;
  copy.copy = true;
  copy.stage = stage;
  copy.devices = place.copies;
  copy.text = copies;
  copy.rect = QRectF(row.right() + style.gap, row.center().y() - style.height / 2, beside - style.gap, style.height);
  layout.chips.push_back(std::move(copy));
}

/// Adds the chips of unused devices to the right of the tray's label.
void add_spare_chips(Layout& layout, const std::vector<DeviceId>& spare, double label, const ChipStyle& style,
                     const TextWidth& width_of) {
  if (spare.empty()) return;
  QRectF row = layout.areas.tray;
  row.setLeft(row.left() + label);
  std::vector<Chip> chips = ChipRow(row, style, width_of).chips(spare, 1);
  const double shift = chips.empty() ? 0 : row.left() - chips.front().rect.left();
  for (Chip& chip : chips) {
    chip.rect.translate(shift, 0);
    layout.chips.push_back(std::move(chip));
  }
}

bool has(const std::vector<DeviceId>& devices, DeviceId device) { return std::ranges::count(devices, device) > 0; }

}  // namespace

Areas split_areas(const QRectF& widget, const Metrics& metrics) {
  Areas areas;
  areas.whole = widget;
  const QRectF inner = widget.adjusted(margin, spacing, -margin, -spacing);
  const auto below = [&](const QRectF& above, double gap, double height) {
    return QRectF(inner.left(), above.bottom() + gap, inner.width(), height);
  };
  areas.heading = QRectF(inner.left(), inner.top(), inner.width(), metrics.line + spacing);
  areas.strip = below(areas.heading, handle_room, strip_height);
  areas.scroll = below(areas.strip, 1, scroll_height);
  areas.captions = below(areas.scroll, 0, metrics.line + 2);
  areas.chips = below(areas.captions, spacing, metrics.chip + 4);
  areas.tray = below(areas.chips, spacing + 2, metrics.chip + 4);
  areas.grip = areas.strip.adjusted(-margin, -handle_room, margin, 4);
  areas.columns = areas.strip.adjusted(0, -handle_room, 0, areas.chips.bottom() - areas.strip.bottom());
  return areas;
}

int split_height(const Metrics& metrics) {
  return static_cast<int>(std::ceil(split_areas(QRectF(0, 0, 100, 100), metrics).tray.bottom() + spacing + 2));
}

std::optional<int> Layout::stage_at(double x) const {
  for (std::size_t s = 0; s < columns.size(); ++s)
    if (!columns[s].isEmpty() && x >= columns[s].left() && x < columns[s].right()) return static_cast<int>(s);
  return std::nullopt;
}

Layout split_layout(const Areas& areas, const Strip& strip, const Plan& plan, const std::vector<StagePlace>& places,
                    const std::vector<DeviceId>& spare, double label, const ChipStyle& style,
                    const TextWidth& width_of) {
  Layout layout{areas, strip, stage_starts(plan), {}, {}, {}};
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    layout.columns.push_back(column_of(areas, strip, plan.stages[s].first, plan.stages[s].last));
    layout.tensor_parallel.push_back(plan.stages[s].tensor_parallel);
    add_stage_chips(layout, static_cast<int>(s), plan.stages[s], places[s], style, width_of);
  }
  add_spare_chips(layout, spare, label, style, width_of);
  return layout;
}

Item hit(const Layout& layout, const QPointF& at, double reach) {
  for (const Chip& chip : layout.chips)
    if (!chip.copy && chip.rect.adjusted(-1, -2, 1, 2).contains(at))
      return {Part::chip, chip.stage.value_or(-1), 0, chip.devices.front()};
  if (layout.areas.tray.contains(at)) return {Part::tray, -1, 0, {}};
  if (layout.areas.grip.contains(at))
    if (const auto stage = layout.strip.stage_cut_at(at.x(), layout.firsts, reach)) return {Part::cut, *stage, 0, {}};
  const auto stage = layout.areas.columns.contains(at) ? layout.stage_at(at.x()) : std::nullopt;
  const auto layer = stage ? layout.strip.layer_at(at.x()) : std::nullopt;
  return layer ? Item{Part::stage, *stage, *layer, {}} : Item{};
}

const Chip* chip_of(const Layout& layout, const Item& item) {
  if (item.part != Part::chip) return nullptr;
  for (const Chip& chip : layout.chips)
    if (!chip.copy && chip.stage.value_or(-1) == item.stage && has(chip.devices, item.device)) return &chip;
  return nullptr;
}

std::vector<DeviceId> grabbed(const Layout& layout, const Chip& chip) {
  if (!chip.stage) return {chip.devices.front()};
  const auto degree = static_cast<std::ptrdiff_t>(layout.tensor_parallel[static_cast<std::size_t>(*chip.stage)]);
  return {chip.devices.end() - degree, chip.devices.end()};
}

std::optional<ChipDrop> drop_at(const Layout& layout, const QPointF& at, const std::vector<DeviceId>& dragged) {
  if (at.y() >= layout.areas.tray.top() - spacing && layout.areas.whole.contains(at)) return ChipDrop{};
  const auto stage = layout.areas.columns.contains(at) ? layout.stage_at(at.x()) : std::nullopt;
  if (!stage) return std::nullopt;
  int place = 0;
  for (const Chip& chip : layout.chips) {
    if (chip.copy || chip.stage != stage) continue;
    // A folded chip has no insertion points: devices dropped there become the last.
    if (!chip.folded && at.x() < chip.rect.center().x()) continue;
    for (DeviceId device : chip.devices) place += !has(dragged, device);
  }
  return ChipDrop{stage, place};
}

plan::MoveDevices device_move(const Layout& layout, const ChipDrop& drop, std::vector<DeviceId> dragged,
                              std::optional<int> from) {
  if (!drop.stage) return {std::move(dragged), std::nullopt, std::nullopt};
  const auto degree = static_cast<std::size_t>(layout.tensor_parallel[static_cast<std::size_t>(*drop.stage)]);
  if (!from && degree > 1)
    for (const Chip& chip : layout.chips)
      for (DeviceId device : chip.devices)
        if (!chip.stage && dragged.size() < degree && !has(dragged, device) && device > dragged.front())
          dragged.push_back(device);
  return {std::move(dragged), drop.stage, drop.place};
}

}  // namespace pipedeck::models::split
