// SPDX-License-Identifier: GPL-3.0-or-later
// Small pictures of choices: schedules as short Gantt charts, networks and all-reduces as sketches. Also the choices of
// the simulation options, with their explanations.
#pragma once

#include <memory>
#include <vector>

#include "app/views/widgets/choice_box.hpp"
#include "core/model/timeline.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::views::widgets {

/// Paints the compute lanes of a timeline from 0 to `span`; chunks have their own shades.
void paint_small_gantt(QPainter& painter, const QRectF& area, const Timeline& timeline, Nanoseconds span,
                       const Theme& theme);

/// Returns the name that files use.
template <class Enum>
QString key_of(Enum value) {
  const std::string_view name = name_of(value);
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

/// Returns the choices; their keys are the names that files use.
std::vector<Choice> network_choices();
std::vector<Choice> overlap_choices();
std::vector<Choice> collective_choices();

}  // namespace pipedeck::views::widgets
