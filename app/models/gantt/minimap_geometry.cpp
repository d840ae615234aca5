// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/minimap_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::models::gantt {

namespace {

constexpr double min_span = 10;  // ns

}  // namespace

MinimapFrame minimap_frame(const TimeAxis& axis, double width, double least) {
  const double left = axis.begin / axis.full * width, right = axis.end / axis.full * width;
  if (right - left >= least) return {left, right};
  const double begin = std::clamp((left + right - least) / 2, 0.0, std::max(0.0, width - least));
  return {begin, begin + least};
}

MinimapGrip minimap_grip(const MinimapFrame& frame, double x, double reach) {
  if (std::abs(x - frame.left) <= reach && x <= (frame.left + frame.right) / 2) return MinimapGrip::left;
  if (std::abs(x - frame.right) <= reach) return MinimapGrip::right;
  return x > frame.left && x < frame.right ? MinimapGrip::inside : MinimapGrip::none;
}

TimeAxis minimap_dragged(const TimeAxis& axis, MinimapGrip grip, double pixels, double width) {
  const double time = pixels / width * axis.full;
  TimeAxis moved = axis;
  switch (grip) {
    case MinimapGrip::inside:
      return axis.panned(time);
    case MinimapGrip::left:
      moved.begin = std::clamp(axis.begin + time, 0.0, axis.end - min_span);
      return moved;
    case MinimapGrip::right:
      moved.end = std::clamp(axis.end + time, axis.begin + min_span, axis.full);
      return moved;
    case MinimapGrip::none:
      break;
  }
  return axis;
}

TimeAxis minimap_centred(const TimeAxis& axis, double x, double width) {
  return axis.panned(x / width * axis.full - (axis.begin + axis.end) / 2);
}

}  // namespace pipedeck::models::gantt
