// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the split editor from plain values.
#pragma once

#include <optional>
#include <vector>

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <QString>

#include "app/models/split_geometry.hpp"
#include "app/views/theme.hpp"

namespace pipedeck::app {

/// The split under the pointer against the plan as it was.
struct SplitFeedback {
  double change = 0;  ///< of the iteration time, relative: 0.004 is +0.4 %
  Seconds iteration;
  Bytes peak;
  bool fits = true;
  bool operator==(const SplitFeedback&) const = default;
};

struct SplitAreas {
  QRectF whole, heading, strip, captions, chips;
  QRectF grip;  ///< where a cut can be taken hold of: handles and strip
};

SplitAreas split_areas(const QRectF& widget, const QFont& font);
int split_height(const QFont& font);

struct SplitStagePicture {
  QString caption;
  std::vector<DeviceId> devices;
  bool over = false;
  int rank = 0;               ///< stages on the same devices have the same colour...
  int chunk = 0, chunks = 1;  ///< ...in other shades
};

struct SplitPicture {
  SplitAreas areas;
  QString empty_text;
  SplitStrip strip;
  const SplitLayers* layers = nullptr;  ///< null: empty
  Firsts firsts, ghosts;
  std::vector<SplitStagePicture> stages;
  std::optional<SplitFeedback> feedback;
  std::optional<int> hot, focused;
  bool dragged = false;
};

void paint_split(QPainter& painter, const SplitPicture& picture, const Theme& theme, const QFont& font);

}  // namespace pipedeck::app
