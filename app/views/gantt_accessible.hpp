// SPDX-License-Identifier: GPL-3.0-or-later
// The painted charts for assistive technology: a Gantt chart has its lanes as children and they their operations, a
// memory chart its devices. Children are made when they are asked for, and only the latest of them are kept.
#pragma once

#include "app/models/gantt_geometry.hpp"

namespace pipedeck::app {

class GanttView;

/// Once is enough; every chart's constructor calls it.
void install_accessible_charts();

/// The reader is now at this operation.
void tell_focus(GanttView& view, const GanttHit& hit);

}  // namespace pipedeck::app
