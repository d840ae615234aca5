// SPDX-License-Identifier: Apache-2.0
// The papers' tables: every one answers on presets alone, has as many rows as in its paper, and what is met stays met.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_reproduce {

using pipedeck::test::Answer;
using pipedeck::test::run_cli;

struct Expected {
  const char* table;
  int rows;
  int met, met_with_data;  ///< at least
};
constexpr Expected tables[] = {
    {"dapple-2", 6, 3, 3},  {"dapple-3", 3, 3, 3}, {"dapple-4", 4, 3, 3}, {"dapple-5", 18, 10, 11},
    {"dapple-6", 11, 6, 6}, {"dapple-7", 4, 1, 1}, {"dapple-8", 4, 4, 4}, {"pipedream-1", 14, 9, 8},
    {"amp-3", 2, 1, 1},     {"amp-4", 2, 0, 0},    {"amp-5", 2, 0, 0},    {"amp-6", 5, 5, 5},
    {"amp-7", 5, 5, 5},     {"amp-8", 5, 1, 1},    {"amp-9", 5, 5, 5},    {"amp-10", 2, 2, 2},
    {"amp-11", 5, 4, 4},    {"whale-17", 3, 2, 2}, {"whale-18", 2, 2, 2},
};

const QString here = QString::fromStdString(pipedeck::test::source_dir());

QJsonObject table_in(const Answer& answer) { return QJsonDocument::fromJson(answer.out).array().first().toObject(); }

void compare(const Answer& answer, int rows, int met) {
  VERIFY_STATUS(answer, 0);
  const QJsonObject table = table_in(answer);
  QCOMPARE(table["rows"].toArray().size(), rows);
  QVERIFY2(table["met"].toInt() >= met, qPrintable(QString("%1 rows met").arg(table["met"].toInt())));
  for (const QJsonValue& row : table["rows"].toArray()) {  // what is not met is explained
    const bool explained = row["met"].toBool() || !row["note"].toString().isEmpty();
    QVERIFY2(explained, qPrintable(row["subject"].toString()));
  }
}

class TestReproduce : public QObject {
  Q_OBJECT

 private slots:
  void every_table_is_tested() {
    const Answer names = pipedeck::test::run_cli({"reproduce", "--json"}, here);
    VERIFY_STATUS(names, 0);
    const QJsonArray known = QJsonDocument::fromJson(names.out).array();
    QCOMPARE(known.size(), static_cast<int>(std::size(tables)));
    for (int i = 0; i < known.size(); ++i) QCOMPARE(known[i]["name"].toString(), QString(tables[i].table));
  }

  void on_presets_data() { add_rows(); }
  void on_presets() {
    QFETCH(QString, table);
    QFETCH(int, rows);
    QFETCH(int, met);
    const Answer answer = pipedeck::test::run_cli({"reproduce", table, "--json", "--data", "/nowhere"}, here);
    compare(answer, rows, met);
    QCOMPARE(pipedeck::test::run_cli({"reproduce", table, "--json", "--data", "/nowhere"}, here).out, answer.out);
  }

  void on_measured_profiles_data() { add_rows(); }
  void on_measured_profiles() {
    const QString data = QString::fromStdString(pipedeck::test::shared_data());
    if (data.isEmpty()) QSKIP("the measured profiles are not here");
    QFETCH(QString, table);
    QFETCH(int, rows);
    QFETCH(int, met_with_data);
    compare(pipedeck::test::run_cli({"reproduce", table, "--json", "--data", data}, here), rows, met_with_data);
  }

  void unknown_tables_are_refused() {
    const Answer answer = pipedeck::test::run_cli({"reproduce", "dapple-1"}, here);
    VERIFY_STATUS(answer, 2);
    QVERIFY(answer.err.contains("dapple-2") && answer.err.contains("whale-18"));
    VERIFY_STATUS(pipedeck::test::run_cli({"reproduce", "dapple-3", "--json", "--markdown"}, here), 2);
  }

  void a_page_of_markdown() {
    const Answer answer = pipedeck::test::run_cli({"reproduce", "dapple-3", "--markdown"}, here);
    VERIFY_STATUS(answer, 0);
    QVERIFY(answer.out.contains("**3 of 3 rows are met** (100 %)"));
    QVERIFY(answer.out.contains("| config C | 1 x V100 |"));
    QVERIFY(pipedeck::test::run_cli({"reproduce", "dapple-3"}, here).out.contains("3 of 3 rows met"));
  }

 private:
  static void add_rows() {
    QTest::addColumn<QString>("table");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("met");
    QTest::addColumn<int>("met_with_data");
    for (const Expected& one : tables)
      QTest::newRow(one.table) << QString(one.table) << one.rows << one.met << one.met_with_data;
  }
};

PIPEDECK_TEST(TestReproduce)

}  // namespace pipedeck::tst_reproduce

#include "tst_reproduce.moc"
