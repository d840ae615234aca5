// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility of the cluster drawing: every node, switch, collapsed rack and link is a child that can be selected.
#pragma once

namespace pipedeck::views::topology {

class Canvas;

void install_topology_accessibility();
/// Reports which child is selected now.
void report_topology_selection(Canvas& canvas);

}  // namespace pipedeck::views::topology
