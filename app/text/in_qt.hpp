// SPDX-License-Identifier: GPL-3.0-or-later
// The core's texts, which are UTF-8, for the window.
#pragma once

#include <string>

#include <QString>

#include "core/base/result.hpp"

namespace pipedeck::text {

inline QString to_qstring(const std::string& text) { return QString::fromStdString(text); }
/// Returns Error::text(); where no file is named, without a pointer into its JSON, which a reader could not follow.
QString to_qstring(const Error& error);

}  // namespace pipedeck::text
