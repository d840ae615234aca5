// SPDX-License-Identifier: GPL-3.0-or-later
// What the core says, in the window's language. The core writes finished English sentences; here they are recognised by
// their patterns ("found %1, expected %2") and said again, parts of sentences in parts. What is not recognised (names,
// figures, the output of other programs) stays as it is.
#pragma once

#include <string>

#include <QString>

#include "core/domain/result.hpp"

namespace pipedeck::app {

QString core_text(const QString& english);
inline QString core_text(const std::string& english) { return core_text(QString::fromStdString(english)); }
/// As Error::text(); where no file is named, without a pointer into its JSON, which nobody could follow.
QString core_text(const Error& error);

}  // namespace pipedeck::app
