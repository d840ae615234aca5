// SPDX-License-Identifier: GPL-3.0-or-later
// Bandwidth between any two devices as a map of squares: what the planners see of the network.
#pragma once

#include <vector>

#include <QFont>
#include <QPointF>
#include <QRectF>
#include <QString>

#include "app/views/theme.hpp"

class QPainter;

namespace pipedeck::app {

using BandwidthMatrix = std::vector<std::vector<double>>;

double bandwidth_map_height(std::size_t devices, const QFont& font);
void paint_bandwidth_map(QPainter& painter, const QRectF& area, const BandwidthMatrix& matrix, const Theme& theme,
                         const QFont& font);
/// "G0 – G8: 3.13 GB/s" for the square under `point`; empty beside the map.
QString bandwidth_tip(const QRectF& area, const BandwidthMatrix& matrix, const QFont& font, QPointF point);

}  // namespace pipedeck::app
