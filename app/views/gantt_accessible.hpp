// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility of the painted charts. The children of a Gantt chart are its lanes, and their children are operations;
// the children of a memory chart are its devices. Children are created on request, and only the latest are cached.
#pragma once

#include "app/models/gantt_geometry.hpp"

namespace pipedeck::app {

class GanttView;

/// Installs the factory. Every chart's constructor calls it; further calls have no effect.
void install_accessible_charts();

/// Reports that the focus has moved to this operation.
void tell_focus(GanttView& view, const GanttHit& hit);

}  // namespace pipedeck::app
