// SPDX-License-Identifier: GPL-3.0-or-later
// What to do about an error: said after the core's own words, which tell what was found where.
#pragma once

#include <QString>

#include "core/domain/result.hpp"

namespace pipedeck::app {

/// A sentence; empty where the error's own words say it all.
QString next_step(const Error& error);
/// in_qt with the next step on a line of its own.
QString text_with_next_step(const Error& error);

}  // namespace pipedeck::app
