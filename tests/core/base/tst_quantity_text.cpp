// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/base/quantity_text.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;

class TestQuantityText : public QObject {
  Q_OBJECT

 private slots:
  void reads_data() {
    QTest::addColumn<int>("measure");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("unit");
    QTest::addColumn<double>("value");
    const auto row = [](Measure measure, const char* text, double value, const char* unit = "") {
      QTest::newRow(text) << static_cast<int>(measure) << QByteArray(text) << QByteArray(unit) << value;
    };
    row(Measure::rate, "25 Gbit/s", 25e9 / 8);
    row(Measure::rate, "25Gbps", 25e9 / 8);
    row(Measure::rate, "25 Gb/s", 25e9 / 8);
    row(Measure::rate, "25 gbit/s", 25e9 / 8);
    row(Measure::rate, "3.1 GB/s", 3.1e9);
    row(Measure::rate, "3,1 GB/s", 3.1e9);
    row(Measure::rate, "3.1 GBps", 3.1e9);
    row(Measure::rate, "2 GiB/s", 2.0 * 1024 * 1024 * 1024);
    row(Measure::rate, "7", 7e9, "GB/s");
    row(Measure::rate, "1e3 MB/s", 1e9);
    row(Measure::bytes, "16 GiB", 17179869184.0);
    row(Measure::bytes, "16gib", 17179869184.0);
    row(Measure::bytes, "16\u00a0GiB", 17179869184.0);
    row(Measure::bytes, "1.5 kB", 1500);
    row(Measure::bytes, "12 B", 12);
    row(Measure::bytes, "80", 80e9, "GB");
    row(Measure::time, "5 us", 5e-6);
    row(Measure::time, "5 µs", 5e-6);
    row(Measure::time, "1.2ms", 1.2e-3);
    row(Measure::time, "2 h", 7200);
    row(Measure::number, "−1.5", -1.5);
    row(Measure::number, "+3", 3);
    row(Measure::percent, "5 %", 0.05);
    row(Measure::percent, "5", 0.05);
  }
  void reads() {
    QFETCH(int, measure);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, unit);
    QFETCH(double, value);
    const auto read = parse_quantity(static_cast<Measure>(measure), text.toStdString(), unit.toStdString());
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QVERIFY2(std::abs(*read - value) <= 1e-12 * std::abs(value), QByteArray::number(*read, 'g', 17));
  }

  void refuses_data() {
    QTest::addColumn<int>("measure");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](Measure measure, const char* text) {
      QTest::addRow("%d '%s'", static_cast<int>(measure), text) << static_cast<int>(measure) << QByteArray(text);
    };
    for (const Measure measure : {Measure::bytes, Measure::rate, Measure::time, Measure::number, Measure::percent}) {
      for (const char* text : {"", " ", "x", "nan", "inf", "1e999", "1 2 3 x", "1.000,5", "--1", "5 furlongs", "\xff"})
        row(measure, text);
    }
    row(Measure::bytes, "5 GB/s");
    row(Measure::bytes, "5 ms");
    row(Measure::rate, "5 GB");
    row(Measure::rate, "5 Gbit");
    row(Measure::time, "5 GB");
    row(Measure::number, "5 GB");
  }
  void refuses() {
    QFETCH(int, measure);
    QFETCH(QByteArray, text);
    const auto read = parse_quantity(static_cast<Measure>(measure), text.toStdString());
    QVERIFY(!read && read.error().code == ErrorCode::bad_input);
    QVERIFY(read.error().message.find("expected") != std::string::npos);
  }

  void keepsWithinItsRange() {
    QVERIFY(!parse_bytes("-1 B") && !parse_bytes("1e30 B"));
    QCOMPARE(parse_bytes("0").value().count, 0);
    QVERIFY(!parse_bandwidth("0 GB/s") && !parse_bandwidth("-1 GB/s"));
    QVERIFY(!parse_time("-1 s"));
    QCOMPARE(parse_time("0 s").value().count, 0.0);
  }
};

PIPEDECK_TEST(TestQuantityText)
#include "tst_quantity_text.moc"
