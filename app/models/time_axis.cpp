// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/time_axis.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::app {

namespace {

constexpr double smallest_span = 10;  // ns: a deeper zoom shows nothing more, the simulator counts whole nanoseconds

/// The axis of `span` from `begin`, moved so that it lies within [0, full].
TimeAxis within(double begin, double span, double full) {
  span = std::min(span, full);
  begin = std::clamp(begin, 0.0, full - span);
  return {begin, begin + span, full};
}

}  // namespace

TimeAxis TimeAxis::zoomed(double factor, double anchor) const {
  const double wanted = std::clamp(span() / factor, std::min(smallest_span, full), full);
  return within(anchor - (anchor - begin) / span() * wanted, wanted, full);
}

TimeAxis TimeAxis::panned(double time) const { return within(begin + time, span(), full); }

double TimeAxis::tick_step(double width, double pixels) const {
  const double wanted = std::max(span() / std::max(width, 1.0) * pixels, 1.0);
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= wanted * (1 - 1e-9)) return factor * decade;
  return 10 * decade;
}

}  // namespace pipedeck::app
