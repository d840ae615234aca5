// SPDX-License-Identifier: GPL-3.0-or-later
// What assistive technology sees of the drawing: every node, switch, collapsed rack and link as a child that can be
// chosen.
#pragma once

namespace pipedeck::app {

class TopologyCanvas;

void install_topology_accessibility();
/// Says which child is chosen now.
void tell_topology_selection(TopologyCanvas& canvas);

}  // namespace pipedeck::app
