// SPDX-License-Identifier: GPL-3.0-or-later
// Room for a box that has become larger: a rack that is opened in a drawing arranged by hand pushes away what would lie
// under it, and that its own neighbours.
#pragma once

#include <string>

#include "app/models/topology_geometry.hpp"

namespace pipedeck::app {

/// Places of everything with room for this rack, which stays where it is; racks move as a whole, and only what has to.
TopologyPlaces with_room_for(const TopologyLayout& layout, const std::string& rack);

}  // namespace pipedeck::app
