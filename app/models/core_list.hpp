// SPDX-License-Identifier: GPL-3.0-or-later
// Processor cores as people write them: "0-3,4-7", one a device in the devices' order.
#pragma once

#include <optional>

#include <QList>
#include <QString>

namespace pipedeck::app {

/// Commas and ranges, which may count down ("3-0"); empty text: no cores. Nothing: it is no such list, or has more than
/// `most` cores.
std::optional<QList<int>> cores_from_text(const QString& text, qsizetype most);

/// Shortest text that gives the list again.
QString cores_to_text(const QList<int>& cores);

}  // namespace pipedeck::app
