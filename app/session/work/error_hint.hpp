// SPDX-License-Identifier: GPL-3.0-or-later
// Remedies for errors, shown after the core's message, which states the problem and its place.
#pragma once

#include <QString>

#include "core/base/result.hpp"

namespace pipedeck::session::work {

/// Returns a sentence; empty if the message suffices.
QString error_hint(const Error& error);
/// Returns the message with the remedy on a separate line.
QString text_with_next_step(const Error& error);

}  // namespace pipedeck::session::work
