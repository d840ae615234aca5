// SPDX-License-Identifier: Apache-2.0
// what-if through the real program.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_what_if {

using pipedeck::test::Answer;
using pipedeck::test::inputs;
using pipedeck::test::object_of;
using pipedeck::test::SmallProblem;

QStringList question() { return QStringList{"what-if", "--global-batch", "8"} + pipedeck::test::inputs(); }

double speed(const QJsonObject& answer, const char* when) {
  return answer[when].toObject()["samples_per_s"].toDouble();
}

class TestCliWhatIf : public QObject {
  Q_OBJECT
 private slots:
  void today_alone();
  void a_change_is_planned();
  void units_are_read_data();
  void units_are_read();
  void bad_options_are_refused_data();
  void bad_options_are_refused();
  void infeasible_by_memory();
  void the_front_and_purchases_as_json();
  void tables_as_csv();
  void cluster_and_plan_go_on();
  void prices_are_the_users();
  void the_same_bytes_again();
};

void TestCliWhatIf::today_alone() {
  const SmallProblem problem;
  const Answer answer = problem.run(question());
  VERIFY_STATUS(answer, 0);
  QVERIFY(answer.out.contains("today"));
  QVERIFY(!answer.out.contains("then"));
  const QJsonObject json = object_of(problem.run(question() + QStringList{"--json"}).out);
  QCOMPARE(json["format"].toString(), "pipedeck.what-if");
  QCOMPARE(json["today"], json["then"]);
}

void TestCliWhatIf::a_change_is_planned() {
  const SmallProblem problem;
  const QJsonObject json = object_of(problem.run(question() + QStringList{"--nodes", "4", "--json"}).out);
  QVERIFY(speed(json, "then") > speed(json, "today"));
  QCOMPARE(json["cluster"].toObject()["nodes"].toArray().size(), 4);
  QVERIFY(!json["changes"].toArray().isEmpty());
}

void TestCliWhatIf::units_are_read_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("change");
  QTest::newRow("Gbit/s") << QStringList{"--bandwidth-between", "100Gbit/s"} << "12.5 GB/s";
  QTest::newRow("GB/s") << QStringList{"--bandwidth-inside", "300 GB/s"} << "300 GB/s";
  QTest::newRow("GiB") << QStringList{"--memory", "80 GiB"} << "80.00 GiB";
  QTest::newRow("type") << QStringList{"--device-type", "A100-80GB"} << "A100-80GB";
  QTest::newRow("micro-batch") << QStringList{"--new-micro-batch", "2"} << "micro-batch any -> 2";
  QTest::newRow("batch") << QStringList{"--new-global-batch", "16"} << "global batch 8 -> 16";
}

void TestCliWhatIf::units_are_read() {
  QFETCH(QStringList, options);
  QFETCH(QString, change);
  const SmallProblem problem;
  const Answer answer = problem.run(question() + options);
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.out.contains(change.toUtf8()), answer.out.constData());
}

void TestCliWhatIf::bad_options_are_refused_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("named");
  QTest::newRow("rate") << QStringList{"--bandwidth-between", "quick"} << "--bandwidth-between";
  QTest::newRow("bytes") << QStringList{"--memory", "16 Gbit/s"} << "--memory";
  QTest::newRow("type") << QStringList{"--device-type", "A1000"} << "--device-type";
  QTest::newRow("nodes") << QStringList{"--nodes", "0"} << "--nodes";
  QTest::newRow("price") << QStringList{"--price", "V100"} << "--price";
  QTest::newRow("negative price") << QStringList{"--price", "V100=-1"} << "--price";
  QTest::newRow("micro-batch") << QStringList{"--new-micro-batch", "3"} << "does not divide";
  QTest::newRow("planner") << QStringList{"--planner", "nobody"} << "nobody";
  QTest::newRow("schedule") << QStringList{"--schedule", "gpipe"} << "--schedule";
}

void TestCliWhatIf::bad_options_are_refused() {
  QFETCH(QStringList, options);
  QFETCH(QString, named);
  const SmallProblem problem;
  const Answer answer = problem.run(question() + options);
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.contains(named.toUtf8()), answer.err.constData());
  QVERIFY(answer.out.isEmpty());
}

void TestCliWhatIf::infeasible_by_memory() {
  const SmallProblem problem;
  const Answer answer = problem.run(question() + QStringList{"--memory", "1 kB", "--json"});
  VERIFY_STATUS(answer, 3);
  QVERIFY(answer.err.contains("no plan fits"));
  QVERIFY(object_of(answer.out)["then"].isNull());
}

void TestCliWhatIf::the_front_and_purchases_as_json() {
  const SmallProblem problem;
  const QJsonObject json =
      object_of(problem.run(question() + QStringList{"--front", "--buy-first", "--json", "--threads", "2"}).out);
  const QJsonArray plans = json["plans"].toArray();
  QVERIFY(plans.size() > 5);
  int front = 0;
  for (const QJsonValue& plan : plans) {
    front += plan["front"].toBool() ? 1 : 0;
    QCOMPARE(plan["plan"]["format"].toString(), "pipedeck.plan");
  }
  QVERIFY(front > 0 && front <= plans.size());
  const QJsonArray purchases = json["buy_first"].toArray();
  QVERIFY(purchases.size() >= 5);
  double before = 1e300;
  for (const QJsonValue& one : purchases) {
    QVERIFY(one["gain_samples_per_s"].toDouble() <= before);
    before = one["gain_samples_per_s"].toDouble();
  }
}

void TestCliWhatIf::tables_as_csv() {
  const SmallProblem problem;
  const auto table = [&](const QStringList& options) {
    return problem.run(question() + options + QStringList{"--csv", "-"}).out;
  };
  QVERIFY(table({"--nodes", "3"}).startsWith("when,plan,"));
  QCOMPARE(table({"--nodes", "3"}).count("\r\n"), 3);
  QVERIFY(table({"--front"}).startsWith("front,plan,"));
  QVERIFY(table({"--front", "--buy-first"}).startsWith("purchase,kind,"));
}

/// The other commands accept its files, with equal predictions.
void TestCliWhatIf::cluster_and_plan_go_on() {
  const SmallProblem problem;
  const Answer answer = problem.run(
      question() + QStringList{"--nodes", "3", "--cluster-out", "big.json", "--plan-out", "best.json", "--json"});
  VERIFY_STATUS(answer, 0);
  const Answer again =
      problem.run({"simulate", "--profile", "p.json", "--cluster", "big.json", "--plan", "best.json", "--json"});
  VERIFY_STATUS(again, 0);
  QCOMPARE(object_of(again.out)["samples_per_s"].toDouble(), speed(object_of(answer.out), "then"));
}

void TestCliWhatIf::prices_are_the_users() {
  const SmallProblem problem;
  const QJsonObject before = object_of(problem.run(question() + QStringList{"--json"}).out);
  const QString type = before["cluster"]["device_types"][0]["name"].toString();
  const QJsonObject json =
      object_of(problem.run(question() + QStringList{"--price", type + "=2.5", "--json"}).out)["today"].toObject();
  QCOMPARE(json["price_per_hour"].toDouble(), 2.5 * 2 * json["nodes"].toInt());
}

void TestCliWhatIf::the_same_bytes_again() {
  const SmallProblem problem;
  const auto answer = [&](const char* threads) {
    return problem.run(question() + QStringList{"--front", "--buy-first", "--json", "--threads", threads}).out;
  };
  QCOMPARE(answer("1"), answer("3"));
}

PIPEDECK_TEST(TestCliWhatIf)

}  // namespace pipedeck::tst_cli_what_if

#include "tst_cli_what_if.moc"
