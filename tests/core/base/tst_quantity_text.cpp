// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/base/quantity_text.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_quantity_text {

class TestQuantityText : public QObject {
  Q_OBJECT

 private slots:
  void reads_data() {
    QTest::addColumn<int>("measure");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("unit");
    QTest::addColumn<double>("value");
    const auto row = [](QuantityKind measure, const char* text, double value, const char* unit = "") {
      QTest::newRow(text) << static_cast<int>(measure) << QByteArray(text) << QByteArray(unit) << value;
    };
    row(QuantityKind::rate, "25 Gbit/s", 25e9 / 8);
    row(QuantityKind::rate, "25Gbps", 25e9 / 8);
    row(QuantityKind::rate, "25 Gb/s", 25e9 / 8);
    row(QuantityKind::rate, "25 gbit/s", 25e9 / 8);
    row(QuantityKind::rate, "3.1 GB/s", 3.1e9);
    row(QuantityKind::rate, "3,1 GB/s", 3.1e9);
    row(QuantityKind::rate, "3.1 GBps", 3.1e9);
    row(QuantityKind::rate, "2 GiB/s", 2.0 * 1024 * 1024 * 1024);
    row(QuantityKind::rate, "7", 7e9, "GB/s");
    row(QuantityKind::rate, "1e3 MB/s", 1e9);
    row(QuantityKind::bytes, "16 GiB", 17179869184.0);
    row(QuantityKind::bytes, "16gib", 17179869184.0);
    row(QuantityKind::bytes, "16\u00a0GiB", 17179869184.0);
    row(QuantityKind::bytes, "1.5 kB", 1500);
    row(QuantityKind::bytes, "12 B", 12);
    row(QuantityKind::bytes, "80", 80e9, "GB");
    row(QuantityKind::time, "5 us", 5e-6);
    row(QuantityKind::time, "5 µs", 5e-6);
    row(QuantityKind::time, "1.2ms", 1.2e-3);
    row(QuantityKind::time, "2 h", 7200);
    row(QuantityKind::number, "−1.5", -1.5);
    row(QuantityKind::number, "+3", 3);
    row(QuantityKind::percent, "5 %", 0.05);
    row(QuantityKind::percent, "5", 0.05);
  }
  void reads() {
    QFETCH(int, measure);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, unit);
    QFETCH(double, value);
    const auto read = parse_quantity(static_cast<QuantityKind>(measure), text.toStdString(), unit.toStdString());
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QVERIFY2(std::abs(*read - value) <= 1e-12 * std::abs(value), QByteArray::number(*read, 'g', 17));
  }

  void refuses_data() {
    QTest::addColumn<int>("measure");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](QuantityKind measure, const char* text) {
      QTest::addRow("%d '%s'", static_cast<int>(measure), text) << static_cast<int>(measure) << QByteArray(text);
    };
    for (const QuantityKind measure :
         {QuantityKind::bytes, QuantityKind::rate, QuantityKind::time, QuantityKind::number, QuantityKind::percent}) {
      for (const char* text : {"", " ", "x", "nan", "inf", "1e999", "1 2 3 x", "1.000,5", "--1", "5 furlongs", "\xff"})
        row(measure, text);
    }
    row(QuantityKind::bytes, "5 GB/s");
    row(QuantityKind::bytes, "5 ms");
    row(QuantityKind::rate, "5 GB");
    row(QuantityKind::rate, "5 Gbit");
    row(QuantityKind::time, "5 GB");
    row(QuantityKind::number, "5 GB");
  }
  void refuses() {
    QFETCH(int, measure);
    QFETCH(QByteArray, text);
    const auto read = parse_quantity(static_cast<QuantityKind>(measure), text.toStdString());
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

}  // namespace pipedeck::tst_quantity_text

#include "tst_quantity_text.moc"
