// SPDX-License-Identifier: GPL-3.0-or-later
// Strong and weak scaling as the capacity pane shows it.
#pragma once

#include <QString>

#include "app/models/whatif/scaling_content.hpp"
#include "app/session/whatif/scaling_study.hpp"

namespace pipedeck::ui::pages {

/// Returns a row for each size that is known.
models::whatif::ScalingContent scaling_content(const session::whatif::ScalingStudy& study,
                                               session::whatif::ScalingKind kind);

/// Returns sentences about the state of the search, and why an efficiency is above 100 %.
QString scaling_words(const session::whatif::ScalingStudy& study, session::whatif::ScalingKind kind);

}  // namespace pipedeck::ui::pages
