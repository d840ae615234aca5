// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as shown to users: three significant digits, a suitable unit, one space before it.
#pragma once

#include <span>

#include <QString>
#include <QStringList>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace pipedeck::models {

/// Formats `value` with `decimals` decimals, the decimal separator of the language, and a true minus sign.
QString decimal(double value, int decimals);

QString format_time(Seconds time);                         ///< "0.735 s", "412 ms", "88.5 µs", "12 ns"
QString format_time(Nanoseconds time);                     ///< as above
QString format_span(Nanoseconds start, Nanoseconds end);   ///< "354.2 – 442.7 ms", in the unit of the end
QString format_bytes(Bytes bytes);                         ///< "11.2 GiB", "16 GiB", "640 MiB", "12 B"
QString format_rate(BytesPerSecond rate);                  ///< "130 GB/s"
QString format_price(double price);                        ///< "24.50 USD": prices are in the catalogue's currency
QString format_energy(double joules);                      ///< "840 J", "12.5 kJ", "3.2 kWh"
QString format_percent(double fraction);                   ///< 0.126 -> "13 %", 0.026 -> "2.6 %"
QString format_change(double fraction);                    ///< with its sign: "+0.4 %", "−8.1 %"
QString format_factor(double factor);                      ///< "14.4 ×"
QString format_number(double value, int significant = 3);  ///< "87.1"
/// Returns `one` for a count of 1, else `many` with the count for %1.
QString counted(qint64 count, const QString& one, const QString& many);
/// Formats a tick of a time axis with `step_ns` between ticks. All ticks of an axis that ends at `end_ns` have the same
/// unit.
QString format_tick(double time_ns, double step_ns, double end_ns);

/// Returns "G3", or the device's own name if it has one.
QString device_name(DeviceId device, const QStringList& names = {});
/// Formats ascending devices: "G0–G7", "G0, G8", "G0–G3, G8–G11".
QString devices_text(std::span<const DeviceId> devices, const QStringList& names = {});

}  // namespace pipedeck::models
