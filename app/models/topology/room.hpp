// SPDX-License-Identifier: GPL-3.0-or-later
// Room for a box that has grown, and for a new one. A rack opened in a drawing arranged by hand pushes away the boxes
// it would cover, and these push their neighbours.
#pragma once

#include <string>

#include "app/models/topology/geometry.hpp"

namespace pipedeck::models::topology {

/// Returns all places after making room for this rack, which stays in place. Racks move as a whole, and only if
/// necessary.
Places with_room_for(const Layout& layout, const std::string& rack);
/// Does so for a rack or group by its position.
Places with_room_for(const Layout& layout, std::size_t rack);

/// Returns the place nearest to `wanted` at which a box of this size covers no other.
ClusterLayout::Place free_place(const Layout& layout, const QSizeF& size, const ClusterLayout::Place& wanted);

}  // namespace pipedeck::models::topology
