// SPDX-License-Identifier: GPL-3.0-or-later
// Painter of the split editor; it takes plain values.
#pragma once

#include <optional>
#include <vector>

#include <QFont>
#include <QPainter>
#include <QString>

#include "app/models/split/figures.hpp"
#include "app/models/split/layout.hpp"
#include "app/models/split/window.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::split {

models::split::Metrics split_metrics(const QFont& font);
models::split::ChipStyle chip_style(const QFont& font);
/// Returns the width of the tray's heading in its row.
double tray_label_width(const QFont& font);

struct StagePicture {
  QString caption;
  bool over = false;
  int rank = 0;               ///< stages on the same devices have the same colour...
  int chunk = 0, chunks = 1;  ///< ...in other shades
};

struct Picture {
  const models::split::Layout* layout = nullptr;
  QString empty_text;
  bool has_plan = false;
  std::vector<models::split::LayerBox> boxes;
  models::split::StageStarts old_cuts;
  std::vector<StagePicture> stages;
  QString message;
  bool warns = false;
  std::optional<models::split::Feedback> feedback;
  bool pending = false;  ///< an edit is pending
  int selected = 0;
  models::split::Item hovered{};
  std::optional<models::split::Item> focused{}, dragged{};
  bool refused = false;  ///< the dragged item is not allowed there
  QPointF pointer{};
  QRectF ghost_chip{};  ///< where the dragged chip was
  QString ghost_text{};
  std::vector<DeviceId> moved_devices{};
  std::optional<models::split::ChipDrop> drop{};
};

void paint_split(QPainter& painter, const Picture& picture, const widgets::Theme& theme, const QFont& font);

}  // namespace pipedeck::views::split
