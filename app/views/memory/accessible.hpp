// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility of a memory chart, whose children are its devices.
#pragma once

namespace pipedeck::views::memory {

/// Installs the factory. Every chart's constructor calls it; further calls have no effect.
void install_accessible_memory();

}  // namespace pipedeck::views::memory
