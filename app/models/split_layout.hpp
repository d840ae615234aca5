// SPDX-License-Identifier: GPL-3.0-or-later
// Where everything of the split editor lies: handles, strip, captions, device chips, the tray of spare devices; what is
// under the pointer, and where a chip that is let go there falls. Plain values, no window.
#pragma once

#include <optional>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>

#include "app/models/split_geometry.hpp"
#include "core/domain/plan_edits.hpp"

namespace pipedeck::app {

struct SplitAreas {
  QRectF whole, heading, strip, captions, chips, scroll, tray;
  QRectF grip;     ///< where a cut can be taken hold of: handles and strip
  QRectF columns;  ///< of the stages: strip, captions and chips
};

/// Heights of a line of text and of a chip.
struct SplitMetrics {
  double line = 16, chip = 20;
};

SplitAreas split_areas(const QRectF& widget, const SplitMetrics& metrics);
int split_height(const SplitMetrics& metrics);

/// One device, the devices of one replica, or all of a stage folded into one.
struct SplitChip {
  QRectF rect;
  QString text;  ///< "G3", "G0–G7"; empty where there is no room for it
  std::vector<DeviceId> devices;
  std::optional<int> stage;  ///< absent: spare
  int place = 0;             ///< of the first device in the stage's list, or among the spare ones
  bool folded = false;
  bool copy = false;  ///< the stage's second copy, on another stage's devices: shown, not moved
};

struct SplitLayout {
  SplitAreas areas;
  SplitStrip strip;
  Firsts firsts;
  std::vector<QRectF> columns;  ///< what is seen of each stage; empty where nothing is
  std::vector<SplitChip> chips;
  std::vector<int> tensor_parallel;  ///< a stage

  std::optional<int> stage_at(double x) const;
};

/// `label`: what the tray's heading takes of its row.
SplitLayout split_layout(const SplitAreas& areas, const SplitStrip& strip, const Plan& plan,
                         const std::vector<StagePlace>& places, const std::vector<DeviceId>& spare, double label,
                         const ChipStyle& style, const TextWidth& width_of);

enum class SplitPart { none, cut, stage, chip, tray };
/// Something of the editor that the pointer or the keyboard is at.
struct SplitItem {
  SplitPart part = SplitPart::none;
  int stage = 0;      ///< of cut, stage and chip (-1: spare)
  int layer = 0;      ///< of a stage: the layer that is meant
  DeviceId device{};  ///< of a chip: its first
  bool operator==(const SplitItem&) const = default;
};

SplitItem split_hit(const SplitLayout& layout, const QPointF& at, double reach);
/// The chip that holds the item's device in its stage; null where there is none.
const SplitChip* chip_of(const SplitLayout& layout, const SplitItem& item);

/// What is taken along when a chip is dragged: the devices of one replica of its stage. Of a folded chip the last
/// one's, of spare devices the first.
std::vector<DeviceId> grabbed(const SplitLayout& layout, const SplitChip& chip);

struct ChipDrop {
  std::optional<int> stage;  ///< absent: onto the tray
  int place = 0;             ///< in the stage's list without what is dragged
  bool operator==(const ChipDrop&) const = default;
};
/// Nothing beside stages and tray.
std::optional<ChipDrop> drop_at(const SplitLayout& layout, const QPointF& at, const std::vector<DeviceId>& dragged);

/// What letting `dragged`, taken from stage `from` (absent: the tray), go there means. A stage whose replicas are
/// several devices takes as many from the tray.
DevicesMove device_move(const SplitLayout& layout, const ChipDrop& drop, std::vector<DeviceId> dragged,
                        std::optional<int> from);

}  // namespace pipedeck::app
