// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <cmath>
#include <random>

#include "app/models/format.hpp"
#include "app/models/gantt/time_axis.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_time_axis {

class TestTimeAxis : public QObject {
  Q_OBJECT

 private slots:
  void pixel_and_time_are_inverse() {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < 1000; ++i) {
      const double begin = unit(random) * 1e12, span = std::pow(10, 1 + 10 * unit(random));
      const models::gantt::TimeAxis axis{begin, begin + span, 1e13};
      const double time = begin + unit(random) * span;
      QVERIFY(std::abs(axis.to_time(axis.to_pixel(time, 1920), 1920) - time) < 1e-3 * span / 1920 + 1e-3);
    }
  }

  void zoom_keeps_the_anchor_in_place() {
    models::gantt::TimeAxis axis{0, 1e9, 1e9};
    const double anchor = 0.37e9;
    for (int i = 0; i < 60; ++i) {
      const double before = axis.to_pixel(anchor, 1000);
      axis = axis.zoomed(1.3, anchor);
      QVERIFY(std::abs(axis.to_pixel(anchor, 1000) - before) < 1e-3);
    }
    QVERIFY(axis.span() >= 10 - 1e-6);  // never deeper than 10 ns
    for (int i = 0; i < 80; ++i) axis = axis.zoomed(1 / 1.3, anchor);
    QCOMPARE(axis, axis.fitted());
  }

  void stays_within_the_full_span() {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> unit(-1, 1);
    models::gantt::TimeAxis axis{0, 1e6, 1e6};
    for (int i = 0; i < 10'000; ++i) {
      axis = i % 2 == 0 ? axis.zoomed(std::exp(unit(random)), axis.begin + axis.span() * unit(random))
                        : axis.panned(axis.span() * unit(random));
      QVERIFY(axis.begin >= 0 && axis.end <= axis.full * (1 + 1e-12) && axis.span() > 0);
    }
  }

  void a_span_below_the_least_stays_whole() {
    const models::gantt::TimeAxis tiny{0, 4, 4};
    QCOMPARE(tiny.zoomed(2, 1), tiny);
  }

  void ticks_are_one_two_five() {
    for (double span = 20; span < 1e12; span *= 1.7) {
      const models::gantt::TimeAxis axis{0, span, span};
      const double step = axis.tick_step(1000, 90);
      const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
      QVERIFY(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 || std::abs(digit - 5) < 1e-6);
      const double pixels = step / span * 1000;
      QVERIFY(pixels >= 90 * (1 - 1e-6) && pixels <= 90 * 2.5 * (1 + 1e-6));
    }
  }

  void figures_data() {
    QTest::addColumn<QString>("is");
    QTest::addColumn<QString>("expected");
    const auto ms = [](double value) { return models::format_time(milliseconds(value)); };
    QTest::newRow("seconds") << ms(735) << "0.735 s";
    QTest::newRow("over a second") << ms(1240.1) << "1.24 s";
    QTest::newRow("milliseconds") << ms(412) << "412 ms";
    QTest::newRow("one decimal") << ms(88.5) << "88.5 ms";
    QTest::newRow("microseconds") << ms(0.0885) << "88.5 µs";
    QTest::newRow("nanoseconds") << ms(12e-6) << "12.0 ns";
    QTest::newRow("negative") << ms(-14.1) << "−14.1 ms";
    QTest::newRow("rounds up a digit") << models::format_number(9.996) << "10.0";
    QTest::newRow("large") << models::format_number(1234.5) << "1235";
    QTest::newRow("span") << models::format_span(Nanoseconds(354'200'000), Nanoseconds(442'700'000))
                          << "354.2 – 442.7 ms";
    QTest::newRow("bytes") << models::format_bytes(Bytes(11'453'246'123)) << "10.7 GiB";
    QTest::newRow("whole bytes") << models::format_bytes(Bytes(std::int64_t{16} << 30)) << "16 GiB";
    QTest::newRow("few bytes") << models::format_bytes(Bytes(12)) << "12 B";
    QTest::newRow("no bytes") << models::format_bytes(Bytes(0)) << "0 B";
    QTest::newRow("almost a GiB") << models::format_bytes(Bytes((std::int64_t{1} << 30) - 1000)) << "1.00 GiB";
    QTest::newRow("price") << models::format_price(24.5) << "24.50 USD";
    QTest::newRow("high price") << models::format_price(7045.12) << "7045 USD";
    QTest::newRow("rate") << models::format_rate(gigabytes_per_second(130)) << "130 GB/s";
    QTest::newRow("percent") << models::format_percent(0.13) << "13 %";
    QTest::newRow("small percent") << models::format_percent(0.026) << "2.6 %";
    QTest::newRow("change") << models::format_change(0.004) << "+0.4 %";
    QTest::newRow("less") << models::format_change(-0.112) << "−11 %";
    QTest::newRow("factor") << models::format_factor(14.4) << "14.4 ×";
    QTest::newRow("tick") << models::format_tick(100e6, 100e6, 900e6) << "100 ms";
    QTest::newRow("fine tick") << models::format_tick(412.5e6, 0.5e6, 900e6) << "412.5 ms";
    QTest::newRow("tick in seconds") << models::format_tick(1.2e9, 0.2e9, 3e9) << "1.2 s";
    QTest::newRow("not a number") << models::format_percent(std::nan("")) << "–";
  }

  void figures() {
    QFETCH(QString, is);
    QFETCH(QString, expected);
    QCOMPARE(is.replace(QChar(0xa0), u' '), expected);
  }

  void device_lists() {
    const auto text = [](std::vector<int> numbers) {
      std::vector<DeviceId> devices;
      for (const int number : numbers) devices.emplace_back(number);
      return models::devices_text(devices);
    };
    QCOMPARE(text({3}), "G3");
    QCOMPARE(text({0, 8}), "G0, G8");
    QCOMPARE(text({0, 1}), "G0, G1");
    QCOMPARE(text({0, 1, 2, 3, 4, 5, 6, 7}), "G0–G7");
    QCOMPARE(text({0, 1, 2, 3, 8, 9, 10, 12}), "G0–G3, G8–G10, G12");
    QCOMPARE(models::devices_text(std::vector{DeviceId(0), DeviceId(1)}, {"cpu:0", "cpu:1"}), "cpu:0, cpu:1");
  }
};

PIPEDECK_TEST(TestTimeAxis)

}  // namespace pipedeck::tst_time_axis

#include "tst_time_axis.moc"
