// SPDX-License-Identifier: GPL-3.0-or-later
// The log of a long run, with the lines of the command line.
#pragma once

#include <cmath>

#include <QByteArray>
#include <QString>

namespace pipedeck::test {

/// An hour with ten samples per second and a step every half second.
struct LongRun {
  int devices = 16;
  int samples = 36'000;
  int samples_a_step = 5;

  int steps() const { return samples / samples_a_step; }
  QByteArray start() const {
    return QStringLiteral(R"({"event":"started","version":1,"plan":"p","model":"m","backend":"cpu","steps":%1,)"
                          R"("devices":%2})")
        .arg(steps())
        .arg(devices)
        .toUtf8();
  }
  /// Returns sample `i`, from 1.
  QByteArray sample(int i) const {
    return QStringLiteral(R"({"event":"sample","time_ms":%1,"busy_fraction":[%2],"memory_bytes":[%3]})")
        .arg(i * 100)
        .arg(list([i](int d) { return QString::number(0.6 + 0.3 * std::sin(i * 0.37 + d), 'f', 4); }),
             list([i](int d) { return QString::number(400'000'000 + 1'000'000 * ((i * 7 + d) % 23)); }))
        .toUtf8();
  }
  bool ends_step(int i) const { return i % samples_a_step == 0; }
  QByteArray step(int i) const {
    const int number = i / samples_a_step;
    return QStringLiteral(R"({"event":"step","step":%1,"loss":%2,"duration_ms":500,"samples_per_s":%3,)"
                          R"("busy_fraction":[%4],"memory_bytes":[%5]})")
        .arg(number)
        .arg(1 + 3 * std::exp(-number / 900.0), 0, 'f', 5)
        .arg(170 + 5 * std::sin(number * 0.9), 0, 'f', 3)
        .arg(list([](int) { return QStringLiteral("0.6"); }), list([](int) { return QStringLiteral("420000000"); }))
        .toUtf8();
  }

 private:
  template <class Text>
  QString list(const Text& text) const {
    QStringList parts;
    for (int d = 0; d < devices; ++d) parts << text(d);
    return parts.join(QLatin1Char(','));
  }
};

}  // namespace pipedeck::test
