// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of the split editor: handles, strip, captions, device chips, and the tray of unused devices; hit tests and
// drop targets. Plain values without a window.
#pragma once

#include <optional>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>

#include "app/models/split/geometry.hpp"
#include "core/plan/edits.hpp"

namespace pipedeck::models::split {

struct Areas {
  QRectF whole, heading, strip, captions, chips, scroll, tray;
  QRectF grip;     ///< where a cut can be grabbed: handles and strip
  QRectF columns;  ///< of the stages: strip, captions and chips
};

/// A set of heights: of a text line and of a chip.
struct Metrics {
  double line = 16, chip = 20;
};

Areas split_areas(const QRectF& widget, const Metrics& metrics);
int split_height(const Metrics& metrics);

/// A chip with one device, with the devices of one replica, or with all devices of a stage (folded).
struct Chip {
  QRectF rect;
  QString text;  ///< "G3", "G0–G7"; empty if there is no room
  std::vector<DeviceId> devices;
  std::optional<int> stage;  ///< absent: unused devices
  int place = 0;             ///< index of the first device in the stage's list, or among the unused ones
  bool folded = false;
  bool copy = false;  ///< second copy of the stage, on another stage's devices: shown, not movable
};

struct Layout {
  Areas areas;
  Strip strip;
  StageStarts firsts;
  std::vector<QRectF> columns;  ///< visible part of each stage; may be empty
  std::vector<Chip> chips;
  std::vector<int> tensor_parallel;  ///< degree per stage

  std::optional<int> stage_at(double x) const;
};

/// Computes the layout. `label` is the width of the tray's heading in its row.
Layout split_layout(const Areas& areas, const Strip& strip, const Plan& plan, const std::vector<StagePlace>& places,
                    const std::vector<DeviceId>& spare, double label, const ChipStyle& style,
                    const TextWidth& width_of);

enum class Part { none, cut, stage, chip, tray };
/// An element of the editor under the pointer or with the keyboard focus.
struct Item {
  Part part = Part::none;
  int stage = 0;      ///< of cut, stage and chip (-1: unused devices)
  int layer = 0;      ///< of a stage: the layer under the pointer
  DeviceId device{};  ///< of a chip: its first device
  bool operator==(const Item&) const = default;
};

Item hit(const Layout& layout, const QPointF& at, double reach);
/// Returns the chip with the item's device in its stage; null if there is none.
const Chip* chip_of(const Layout& layout, const Item& item);

/// Returns the devices that are dragged with a chip: one replica of its stage, of a folded chip the last one. From the
/// tray, this is the first device.
std::vector<DeviceId> grabbed(const Layout& layout, const Chip& chip);

struct ChipDrop {
  std::optional<int> stage;  ///< absent: the tray
  int place = 0;             ///< index in the stage's list without the dragged devices
  bool operator==(const ChipDrop&) const = default;
};
/// Returns nullopt outside of stages and tray.
std::optional<ChipDrop> drop_at(const Layout& layout, const QPointF& at, const std::vector<DeviceId>& dragged);

/// Returns the move for dropping `dragged`, taken from stage `from` (absent: the tray). A move from the tray takes as
/// many devices as a replica of the stage has.
plan::MoveDevices device_move(const Layout& layout, const ChipDrop& drop, std::vector<DeviceId> dragged,
                              std::optional<int> from);

}  // namespace pipedeck::models::split
