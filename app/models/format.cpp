// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <QLocale>

namespace pipedeck::models {

namespace {

struct Unit {
  double size;
  const char* name;
};

constexpr std::array<Unit, 4> time_units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
constexpr std::array<Unit, 5> byte_units{{{1024.0 * 1024 * 1024 * 1024, "TiB"},
                                          {1024.0 * 1024 * 1024, "GiB"},
                                          {1024.0 * 1024, "MiB"},
                                          {1024, "KiB"},
                                          {1, "B"}}};

/// Returns the largest unit in which `value` is at least 1. `slack` also allows a slightly smaller value ("0.735 s",
/// not "735 ms").
template <std::size_t N>
const Unit& unit_for(const std::array<Unit, N>& units, double value, double slack) {
  for (const Unit& unit : units)
    if (std::abs(value) >= unit.size * slack) return unit;
  return units.back();
}

const Unit& time_unit(double ns) { return std::abs(ns) >= 0.5e9 ? time_units[0] : unit_for(time_units, ns, 1.0); }

QString with_unit(const QString& figure, const char* unit) {
  return figure + QChar(u'\u00a0') + QString::fromUtf8(unit);  // no-break space: number and unit stay on one line
}

int decimals_of(double step) { return step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9)); }

}  // namespace

QString decimal(double value, int decimals) {
  QLocale locale;
  locale.setNumberOptions(QLocale::OmitGroupSeparator);
  return locale.toString(value, 'f', decimals).replace(u'-', u'−');
}

QString format_number(double value, int significant) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  if (value == 0) return QStringLiteral("0");
  int decimals = std::max(0, significant - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
  decimals = std::min(decimals, 9);
  // Rounding may add a digit: 9.996 -> "10.00" -> "10.0".
  const double rounded = std::abs(std::round(value * std::pow(10, decimals)) / std::pow(10, decimals));
  if (decimals > 0 && rounded >= std::pow(10, significant - decimals)) --decimals;
  return decimal(value, decimals);
}

QString format_time(Nanoseconds time) {
  const double ns = static_cast<double>(time.count);
  if (time.count == 0) return with_unit(QStringLiteral("0"), "ms");
  const Unit& unit = time_unit(ns);
  return with_unit(format_number(ns / unit.size), unit.name);
}

QString format_time(Seconds time) {
  if (!std::isfinite(time.count)) return QStringLiteral("–");
  return format_time(round_to_nanoseconds(time));
}

QString format_span(Nanoseconds start, Nanoseconds end) {
  const Unit& unit = time_unit(static_cast<double>(end.count));
  const auto figure = [&](Nanoseconds time) {
    const double value = static_cast<double>(time.count) / unit.size;
    return decimal(value, unit.size >= 1e9 ? 4 : unit.size > 1 ? 1 : 0);
  };
  return with_unit(figure(start) + QStringLiteral(" – ") + figure(end), unit.name);
}

QString format_bytes(Bytes bytes) {
  const double value = static_cast<double>(bytes.count);
  const Unit& unit = unit_for(byte_units, value, 0.9995);
  const double figure = value / unit.size;
  const bool whole = std::abs(figure - std::round(figure)) < 1e-9;
  return with_unit(whole ? decimal(figure, 0) : format_number(figure), unit.name);
}

QString format_rate(BytesPerSecond rate) {
  constexpr std::array<Unit, 4> units{{{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}}};
  const Unit& unit = unit_for(units, rate.count, 1.0);
  return with_unit(format_number(rate.count / unit.size), unit.name);
}

QString format_price(double price) { return with_unit(decimal(price, std::abs(price) < 1000 ? 2 : 0), "USD"); }

QString format_energy(double joules) {
  constexpr double kilowatt_hour = 3.6e6;
  if (joules >= kilowatt_hour) return QStringLiteral("%1 kWh").arg(format_number(joules / kilowatt_hour));
  if (joules >= 1000) return QStringLiteral("%1 kJ").arg(format_number(joules / 1000));
  return QStringLiteral("%1 J").arg(format_number(joules));
}

QString format_percent(double fraction) {
  if (!std::isfinite(fraction)) return QStringLiteral("–");
  const double percent = fraction * 100;
  return with_unit(decimal(percent, std::abs(percent) < 9.95 && percent != 0 ? 1 : 0), "%");
}

QString format_change(double fraction) {
  const QString text = format_percent(fraction);
  return fraction > 0 ? u'+' + text : text;
}

QString format_factor(double factor) { return with_unit(format_number(factor), "×"); }

QString counted(qint64 count, const QString& one, const QString& many) {
  return count == 1 ? one : many.arg(QLocale().toString(count));
}

QString format_tick(double time_ns, double step_ns, double end_ns) {
  const Unit& unit = unit_for(time_units, end_ns, 1.0);
  const int decimals = decimals_of(step_ns / unit.size);
  return with_unit(decimal(time_ns / unit.size, decimals), unit.name);
}

QString device_name(DeviceId device, const QStringList& names) {
  if (device.value >= 0 && device.value < names.size()) return names[device.value];
  return QStringLiteral("G%1").arg(device.value);
}

QString devices_text(std::span<const DeviceId> devices, const QStringList& names) {
  QStringList parts;
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t last = i;
    while (last + 1 < devices.size() && devices[last + 1].value == devices[last].value + 1) ++last;
    const QString first_name = device_name(devices[i], names);
    if (last == i) {
      parts << first_name;
    } else {
      parts << first_name + (last == i + 1 ? QStringLiteral(", ") : QStringLiteral("–")) +
                   device_name(devices[last], names);
    }
    i = last + 1;
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace pipedeck::models
