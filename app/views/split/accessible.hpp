// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility of the split editor: one child per cut, stage and device chip, in tab order.
#pragma once

namespace pipedeck::views::split {

/// Installs the factory. Further calls have no effect.
void install_split_accessible();

}  // namespace pipedeck::views::split
