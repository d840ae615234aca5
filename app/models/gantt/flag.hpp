// SPDX-License-Identifier: GPL-3.0-or-later
// A flag on the time scale: a moment or a span, with the user's note.
#pragma once

#include <QString>

namespace pipedeck::models::gantt {

struct Flag {
  double begin = 0;  ///< ns
  double end = 0;    ///< ns; equal to `begin`: a moment
  QString note{};
  bool operator==(const Flag&) const = default;
  bool is_span() const { return end > begin; }
};

}  // namespace pipedeck::models::gantt
