// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of processor cores as typed by a user: "0-3,4-7", one core per device, in device order.
#pragma once

#include <optional>

#include <QList>
#include <QString>

namespace pipedeck::models {

/// Parses a list with commas and ranges, which may count down ("3-0"). Empty text yields no cores. Returns nullopt if
/// the text is malformed or lists more than `most` cores.
std::optional<QList<int>> cores_from_text(const QString& text, qsizetype most);

/// Returns the shortest text that cores_from_text() parses back into the list.
QString cores_to_text(const QList<int>& cores);

}  // namespace pipedeck::models
