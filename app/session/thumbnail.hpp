// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include <QString>

#include "core/base/result.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::session {

/// Reads a project and simulates its selected plan, or its first plan that has stages if none is selected. Nothing is
/// written, locked or recovered. bad_input: the file is no project, or no plan of it can be drawn.
Result<std::shared_ptr<const Simulation>> simulate_for_thumbnail(const QString& file);

}  // namespace pipedeck::session
