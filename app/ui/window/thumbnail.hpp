// SPDX-License-Identifier: GPL-3.0-or-later
// A project's thumbnail for the desktop (`pipedeck --thumbnail`, packaging/pipedeck.thumbnailer).
#pragma once

#include <QString>

#include "core/base/result.hpp"

namespace pipedeck::ui::window {

inline constexpr int least_thumbnail = 16, most_thumbnail = 1024;  ///< pixels

/// Limits this process, since the file may be hostile: 10 s of processor time, 20 s in all, 1 GiB of memory, and an
/// output of 16 MiB. The system ends a process that takes longer.
void limit_for_thumbnail();

/// Draws the beginning of the iteration of a project's selected plan into a PNG, `size` pixels wide and three quarters
/// as high. Needs no display and no application. Nothing is written on an error.
Result<void> write_thumbnail(const QString& project, int size, const QString& picture);

}  // namespace pipedeck::ui::window
