// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/base/count_text.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_count_text {

class TestCountText : public QObject {
  Q_OBJECT

 private slots:
  void one_is_singular() {
    QCOMPARE(counted(1, "micro-batch"), std::string("1 micro-batch"));
    QCOMPARE(counted(4, "micro-batch"), std::string("4 micro-batches"));
    QCOMPARE(counted(2, "stage"), std::string("2 stages"));
  }

  void counts_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<double>("count");
    const auto row = [](const char* text, double count) { QTest::newRow(text) << QByteArray(text) << count; };
    row("300B", 3e11);
    row("300 B tokens", 3e11);
    row("1.5T", 1.5e12);
    row("1,5 t tokens", 1.5e12);
    row("20000", 20000);
    row("2e6", 2e6);
    row("7k", 7000);
    row("4G", 4e9);
    row("12 tokens", 12);
  }
  void counts() {
    QFETCH(QByteArray, text);
    QFETCH(double, count);
    const auto parsed = parse_count(text.toStdString(), "tokens");
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QCOMPARE(*parsed, count);
  }

  void no_counts_data() {
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", "many", "0", "-3B", "3Q", "tokens", "inf", "1e308T", "3 B B", "B"})
      QTest::newRow(text) << QByteArray(text);
  }
  void no_counts() {
    QFETCH(QByteArray, text);
    const auto parsed = parse_count(text.toStdString(), "tokens");
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().code, ErrorCode::bad_input);
    QVERIFY(parsed.error().message.find("'" + text.toStdString() + "'") != std::string::npos);
    QVERIFY(parsed.error().message.find("expected") != std::string::npos);
  }

  void money() {
    for (const char* text : {"$50000", "50000 USD", "USD 50k", "50000", "$ 50 k", "0.05M usd"})
      QCOMPARE(parse_money(text, "USD").value_or(0), 50000.0);
    QCOMPARE(parse_money("20 EUR", "EUR").value_or(0), 20.0);
    for (const char* text : {"50 EUR", "", "$", "-1", "0", "$50$"}) QVERIFY2(!parse_money(text, "USD"), text);
    QVERIFY(!parse_money("$20", "EUR"));
  }

  void written_as_typed() {
    for (const double count : {3e11, 1.5e12, 2e6, 20000.0, 7.0})
      QCOMPARE(parse_count(format_count(count)).value_or(0), count);
    QCOMPARE(format_count(3e11), std::string("300B"));
    QCOMPARE(format_count(12500), std::string("12500"));
  }
};

PIPEDECK_TEST(TestCountText)

}  // namespace pipedeck::tst_count_text

#include "tst_count_text.moc"
