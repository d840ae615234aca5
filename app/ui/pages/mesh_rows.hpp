// SPDX-License-Identifier: GPL-3.0-or-later
// A plan's dimensions as the mesh editor shows them.
#pragma once

#include "app/models/mesh/sheet.hpp"
#include "app/session/plans/mesh_study.hpp"

namespace pipedeck::ui::pages {

models::mesh::Sheet mesh_rows(const study::mesh_editing::Mesh& mesh, const study::mesh_editing::Sheet& sheet);

}  // namespace pipedeck::ui::pages
