// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace pipedeck::session::work {

/// Returns "1 plan", "5 plans". (Qt's %n needs a translation file even for English.)
inline QString format_count(qint64 count, const QString& one, const QString& many) {
  return QStringLiteral("%1 %2").arg(count).arg(count == 1 ? one : many);
}

}  // namespace pipedeck::session::work
