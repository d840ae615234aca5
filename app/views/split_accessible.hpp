// SPDX-License-Identifier: GPL-3.0-or-later
// The split editor for assistive technology: a child for each cut, stage and device chip, in the order of Tab.
#pragma once

namespace pipedeck::app {

/// Once in a program; more do no harm.
void install_split_accessible();

}  // namespace pipedeck::app
