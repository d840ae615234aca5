// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <QString>

namespace pipedeck::app {

/// The core's texts are UTF-8.
inline QString in_qt(const std::string& text) { return QString::fromStdString(text); }

}  // namespace pipedeck::app
