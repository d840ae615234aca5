// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/whatif/jitter_rows.hpp"

#include <QCoreApplication>
#include <QLocale>

#include "app/models/format.hpp"

namespace pipedeck::models::whatif {

namespace {

struct JitterText {
  Q_DECLARE_TR_FUNCTIONS(Jitter)
};

double seconds_of(Nanoseconds time) { return to_seconds(time).count; }

/// Returns "946.0 / 960.7 / 977.8 ms": all in the unit of the largest, which has four digits.
QString three_times(const JitterBand& band) {
  const bool long_ones = band.p95.count >= 1'000'000'000, middling = band.p95.count >= 1'000'000;
  const double unit = long_ones ? 1e9 : middling ? 1e6 : 1e3;
  const double largest = static_cast<double>(band.p95.count) / unit;
  const int places = largest >= 1000 ? 0 : largest >= 100 ? 1 : largest >= 10 ? 2 : 3;
  const auto figure = [&](Nanoseconds time) { return decimal(static_cast<double>(time.count) / unit, places); };
  return QStringLiteral("%1 / %2 / %3 %4")
      .arg(figure(band.p5), figure(band.p50), figure(band.p95),
           long_ones  ? QStringLiteral("s")
           : middling ? QStringLiteral("ms")
                      : QStringLiteral("µs"));
}

}  // namespace

std::vector<BarRow> jitter_rows(const std::vector<JitterShown>& shown) {
  std::vector<BarRow> rows;
  for (const auto& [plan, band] : shown) {
    const double change = band.is_disabled.count == 0 ? 0
                                                      : static_cast<double>(band.mean.count - band.is_disabled.count) /
                                                            static_cast<double>(band.is_disabled.count);
    BarRow row;
    row.label = plan;
    row.from = seconds_of(band.p5);
    row.to = seconds_of(band.p95);
    row.text = three_times(band);
    row.mark = seconds_of(band.p50);
    row.faint_mark = seconds_of(band.is_disabled);
    row.tool_tip =
        JitterText::tr(
            "%1 iterations whose passes vary by %2 %: p5 %3, p50 %4, p95 %5, mean %6 (%7 compared with no variation)")
            .arg(band.options.runs)
            .arg(QLocale().toString(band.options.variation * 100, 'g', 3))
            .arg(format_time(band.p5), format_time(band.p50), format_time(band.p95), format_time(band.mean),
                 format_change(change));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pipedeck::models::whatif
