// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/gantt/time_axis.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::models::gantt {

namespace {

constexpr double smallest_span =
    10;  // ns; the simulator has a resolution of 1 ns, so that deeper zooms show nothing more

/// Returns `axis` with `span` from `begin`, shifted into [0, full].
TimeAxis within(const TimeAxis& axis, double begin, double span) {
  span = std::min(span, axis.full);
  begin = std::clamp(begin, 0.0, axis.full - span);
  return {begin, begin + span, axis.full, axis.fit};
}

}  // namespace

TimeAxis TimeAxis::zoomed(double factor, double anchor) const {
  const double wanted = std::clamp(span() / factor, std::min(smallest_span, full), full);
  return within(*this, anchor - (anchor - begin) / span() * wanted, wanted);
}

TimeAxis TimeAxis::panned(double time) const { return within(*this, begin + time, span()); }

TimeAxis TimeAxis::showing(double from, double to) const {
  const double wanted = std::max(std::abs(to - from), std::min(smallest_span, full));
  return within(*this, std::min(from, to), wanted);
}

double TimeAxis::tick_step(double width, double pixels) const {
  const double wanted = std::max(span() / std::max(width, 1.0) * pixels, 1.0);
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= wanted * (1 - 1e-9)) return factor * decade;
  return 10 * decade;
}

}  // namespace pipedeck::models::gantt
