// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility of a Gantt chart. Its children are lanes, and their children are operations. Children are created on
// request, and only the latest are cached.
#pragma once

#include "app/models/gantt/geometry.hpp"

namespace pipedeck::views::gantt {

class View;

/// Installs the factory. Every chart's constructor calls it; further calls have no effect.
void install_accessible_gantt();

/// Reports that the focus has moved to this operation.
void report_focus(View& view, const models::gantt::Hit& hit);

}  // namespace pipedeck::views::gantt
