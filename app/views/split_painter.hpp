// SPDX-License-Identifier: GPL-3.0-or-later
// Painter of the split editor; it takes plain values.
#pragma once

#include <optional>
#include <vector>

#include <QFont>
#include <QPainter>
#include <QString>

#include "app/models/split_figures.hpp"
#include "app/models/split_layout.hpp"
#include "app/models/split_window.hpp"
#include "app/views/theme.hpp"

namespace pipedeck::app {

SplitMetrics split_metrics(const QFont& font);
ChipStyle chip_style(const QFont& font);
/// Returns the width of the tray's heading in its row.
double tray_label_width(const QFont& font);

struct SplitStagePicture {
  QString caption;
  bool over = false;
  int rank = 0;               ///< stages on the same devices have the same colour...
  int chunk = 0, chunks = 1;  ///< ...in other shades
};

struct SplitPicture {
  const SplitLayout* layout = nullptr;
  QString empty_text;
  bool has_plan = false;
  std::vector<LayerBox> boxes;
  Firsts old_cuts;
  std::vector<SplitStagePicture> stages;
  QString message;
  bool warns = false;
  std::optional<SplitFeedback> feedback;
  bool pending = false;  ///< an edit is pending
  int selected = 0;
  SplitItem hovered{};
  std::optional<SplitItem> focused{}, dragged{};
  bool refused = false;  ///< the dragged item is not allowed there
  QPointF pointer{};
  QRectF ghost_chip{};  ///< where the dragged chip was
  QString ghost_text{};
  std::vector<DeviceId> moved_devices{};
  std::optional<ChipDrop> drop{};
};

void paint_split(QPainter& painter, const SplitPicture& picture, const Theme& theme, const QFont& font);

}  // namespace pipedeck::app
