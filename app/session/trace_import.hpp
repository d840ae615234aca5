// SPDX-License-Identifier: GPL-3.0-or-later
// A trace that somebody recorded, as a run of the project.
#pragma once

#include <memory>

#include "app/session/import.hpp"
#include "core/domain/simulation.hpp"
#include "core/io/trace_reader.hpp"

namespace pipedeck::app {

/// The run, named after the file. `predicted` is drawn under it where both are of the same devices.
RunRecord record_of_trace(ReadTrace trace, const std::string& path, std::shared_ptr<const Simulation> predicted);

}  // namespace pipedeck::app
