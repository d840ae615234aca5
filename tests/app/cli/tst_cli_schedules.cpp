// SPDX-License-Identifier: Apache-2.0
// --schedule on simulate, plan and compare, and orders of operations as CSV, through the real program.
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_schedules {

using pipedeck::test::Answer;
using pipedeck::test::inputs;
using pipedeck::test::object_of;
using pipedeck::test::SmallProblem;

class TestCliSchedules : public QObject {
  Q_OBJECT
 private slots:
  void every_schedule_comes_back_from_csv() {
    for (const char* name : {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "v-half", "v-min"}) {
      const QStringList asked =
          QStringList{"simulate", "--plan", "plan.json", "--json", "--schedule", name} + pipedeck::test::inputs();
      const Answer first = problem_.run(asked + QStringList{"--export-schedule", "order.csv"});
      VERIFY_STATUS(first, 0);
      QVERIFY(object_of(first.out)["period_ms"].toDouble() <= object_of(first.out)["iteration_ms"].toDouble());
      QVERIFY(object_of(first.out)["longest_span_ms"].toDouble() > 0);
      const Answer again = problem_.run(asked + QStringList{"--schedule-csv", "order.csv"});
      VERIFY_STATUS(again, 0);
      QCOMPARE(again.out, first.out);
    }
  }

  void planned_answers_carry_the_schedule() {
    const Answer plan = problem_.run(QStringList{"plan", "--planner", "gpipe", "--global-batch", "8", "--schedule",
                                                 "interleaved", "--chunks", "3", "--pp", "2", "-o", "made.json"} +
                                     pipedeck::test::inputs());
    VERIFY_STATUS(plan, 0);
    const QJsonObject made = object_of(problem_.read("made.json"));
    QCOMPARE(made["schedule"].toString(), "interleaved");
    const Answer answer =
        problem_.run(QStringList{"simulate", "--plan", "made.json", "--json"} + pipedeck::test::inputs());
    VERIFY_STATUS(answer, 0);
    QCOMPARE(object_of(answer.out)["iteration_ms"], made["predicted"].toObject()["iteration_ms"]);
    const Answer compared =
        problem_.run(QStringList{"compare", "--planner", "gpipe,dapple", "--global-batch", "8", "--schedule", "zb-h1"} +
                     pipedeck::test::inputs());
    VERIFY_STATUS(compared, 0);
    QVERIFY(compared.out.contains("zb-h1") && !compared.out.contains("gpipe "));
  }

  void a_planner_keeps_its_own_option() {
    const Answer plan = problem_.run(QStringList{"plan", "--planner", "joint", "--global-batch", "8", "--schedule",
                                                 "gpipe", "--seeds", "none", "--evaluations", "20", "--json"} +
                                     pipedeck::test::inputs());
    VERIFY_STATUS(plan, 0);
    QVERIFY(object_of(plan.out).contains("objective"));
  }

  void what_cannot_be_is_named() {
    const auto error_of = [&](const QStringList& more) {
      const Answer answer =
          problem_.run(QStringList{"simulate", "--plan", "plan.json"} + pipedeck::test::inputs() + more);
      return answer.status == 2 ? answer.err : QByteArray("exit " + QByteArray::number(answer.status));
    };
    QVERIFY(error_of({"--schedule", "zz"}).contains("found \"zz\", expected one of gpipe"));
    QVERIFY(error_of({"--schedule", "interleaved", "--chunks", "9"}).contains("plan.json: /stages: found 6 layers"));
    problem_.write("order.csv", "0F0,0B0\n1F0,1B0,1X1\n");
    const QByteArray error = error_of({"--schedule-csv", "order.csv"});
    QVERIFY2(error.contains("order.csv: line"), error);
    QVERIFY(error_of({"--chunks", "3"}).contains("--schedule"));
  }

 private:
  SmallProblem problem_;
};

PIPEDECK_TEST(TestCliSchedules)

}  // namespace pipedeck::tst_cli_schedules

#include "tst_cli_schedules.moc"
