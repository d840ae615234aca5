// SPDX-License-Identifier: GPL-3.0-or-later
// The small pictures of what can be chosen: schedules as short Gantt charts, networks and all-reduces as sketches; and
// the choices of how plans are judged, with what they mean.
#pragma once

#include <memory>
#include <vector>

#include "app/views/choice_box.hpp"
#include "core/domain/timeline.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck::app {

/// The compute lanes of a timeline from 0 to `span`, chunks in their shades.
void paint_small_gantt(QPainter& painter, const QRectF& area, const Timeline& timeline, Nanoseconds span,
                       const Theme& theme);

/// The name in files.
template <class Enum>
QString key_of(Enum value) {
  const std::string_view name = name_of(value);
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

/// Keys are the names in files.
std::vector<Choice> network_choices();
std::vector<Choice> overlap_choices();
std::vector<Choice> collective_choices();

}  // namespace pipedeck::app
