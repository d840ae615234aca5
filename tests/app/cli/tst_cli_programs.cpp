// SPDX-License-Identifier: Apache-2.0
// Planners that are programs, on the command line: next to ours in every form of an answer.
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_programs {

using pipedeck::test::Answer;
using pipedeck::test::inputs;
using pipedeck::test::object_of;

constexpr const char* even_plan = R"({"format": "pipedeck.plan", "version": 1, "name": "even", "global_batch": 8,
  "micro_batch": 2, "schedule": "1f1b", "warmup": "A", "optimizer": "adam", "precision": "fp32", "zero": 0,
  "stages": [{"layers": [0, 3], "devices": [0]}, {"layers": [3, 6], "devices": [1]}]})";

class TestCliPrograms : public QObject {
  Q_OBJECT

  pipedeck::test::SmallProblem problem_;

  void script(const QString& name, const QByteArray& body) {
    problem_.write(name, "#!/bin/sh\n" + body + "\n");
    QFile(problem_.path(name)).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }
  Answer compare(const QStringList& rest) const {
    return problem_.run(QStringList{"compare", "--global-batch", "8"} + rest + inputs());
  }

 private slots:
  void initTestCase() {
    script("even", QByteArray("cat <<'END'\n") + even_plan + "\nEND");
    script("broken", "echo 'no licence found' >&2; exit 3");
    script("hangs", "sleep 60");
  }

  void a_plan_of_a_program() {
    const Answer answer = problem_.run(
        QStringList{"plan", "--planner", "exec:even", "--global-batch", "8", "-o", "even.json"} + inputs());
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.out.contains("even"), answer.out);
    const QJsonObject plan = object_of(problem_.read("even.json"));
    QCOMPARE(plan["planner"].toString(), "exec:" + problem_.path("even"));
    QVERIFY(plan["predicted"]["iteration_ms"].toDouble() > 0);
    QVERIFY(plan["certificate"]["lower_bound_ms"].toDouble() > 0);
    VERIFY_STATUS(problem_.run(QStringList{"simulate", "--plan", "even.json"} + inputs()), 0);
  }

  void failures_have_their_status_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("ended") << QStringList{"exec:broken"} << 2 << QByteArray("ended with status 3: no licence found");
    QTest::newRow("absent") << QStringList{"exec:nothing"} << 1 << QByteArray("can't be started: No such file");
    QTest::newRow("no name") << QStringList{"exec:"} << 2 << QByteArray("expected exec:PROGRAM");
    QTest::newRow("unknown") << QStringList{"even"} << 2 << QByteArray("or exec:PROGRAM expected");
    QTest::newRow("time") << QStringList{"exec:hangs", "--time-budget", "0.2"} << 3 << QByteArray("time budget");
    QTest::newRow("limit") << QStringList{"exec:hangs", "--limit", "0"} << 2 << QByteArray("no plan after 0 s");
  }
  void failures_have_their_status() {
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    QFETCH(QByteArray, words);
    const Answer answer = problem_.run(QStringList{"plan", "--global-batch", "8", "--planner"} + arguments + inputs());
    VERIFY_STATUS(answer, status);
    QVERIFY2(answer.err.contains(words), answer.err);
  }

  /// A program that fails is a row with its message, and the others are compared.
  void programs_are_compared() {
    const QStringList planners{"--planner", "gpipe,exec:even,exec:broken,exec:hangs", "--budget", "1"};
    const Answer answer = compare(planners + QStringList{"--csv", "all.csv", "--baseline", "exec:even"});
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.out.contains("\neven "), answer.out);
    QVERIFY2(answer.out.contains("\nbroken: ") && answer.out.contains("no licence found"), answer.out);
    QVERIFY2(answer.out.contains("\nhangs: no plan"), answer.out);
    const QByteArray csv = problem_.read("all.csv");
    QCOMPARE(csv.trimmed().count('\n'), 4);
    QVERIFY2(csv.contains("no licence found"), csv);

    const QJsonArray answers = object_of(compare(planners + QStringList{"--json"}).out)["answers"].toArray();
    QCOMPARE(answers.size(), 4);
    QCOMPARE(answers[1]["title"].toString(), QString("even"));
    QVERIFY(answers[1]["plan"].isObject() && answers[1]["iteration_ms"].toDouble() > 0);
    QVERIFY(answers[2]["error"].toString().contains("no licence found"));
    QVERIFY(answers[3]["out_of_time"].toBool());
  }

  void none_with_a_plan_is_an_error() {
    const Answer answer = compare({"--planner", "exec:broken"});
    VERIFY_STATUS(answer, 3);
    QVERIFY2(answer.err.contains("no licence found"), answer.err);
  }

  void studies_ask_programs_too() {
    const Answer answer = problem_.run(
        QStringList{"what-if", "--global-batch", "8", "--planner", "exec:even", "--nodes", "4"} + inputs());
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.out.contains("even"), answer.out);
  }
};

PIPEDECK_TEST(TestCliPrograms)

}  // namespace pipedeck::tst_cli_programs

#include "tst_cli_programs.moc"
