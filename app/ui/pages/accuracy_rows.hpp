// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/accuracy/run_row.hpp"
#include "app/session/accuracy/run_study.hpp"

namespace pipedeck::ui::pages {

QString part_name(mesh::StepPart part);  ///< "TP, exposed"

/// Returns the outcome as the accuracy page shows it.
models::accuracy::RunRow run_row(const study::accuracy::Outcome& outcome);

}  // namespace pipedeck::ui::pages
