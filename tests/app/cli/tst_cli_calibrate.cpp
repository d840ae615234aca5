// SPDX-License-Identifier: Apache-2.0
// Calibrating on the command line: measured runs in, a file out that every predicting command takes.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_calibrate {

using pipedeck::test::Answer;
using pipedeck::test::object_of;
using pipedeck::test::SmallProblem;

const QStringList measured_inputs{"--profile", "mlp.profile.json", "--cluster", "cpu.cluster.json"};

class TestCliCalibrate : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    VERIFY_STATUS((problem_.run({"profile", "--model", "preset:mlp-small", "--backend", "cpu", "--micro-batch", "2,4,8",
                                 "-o", "mlp.profile.json", "--cluster-out", "cpu.cluster.json", "--devices", "2"})),
                  0);
    for (const QString& name : {QStringLiteral("a"), QStringLiteral("b")}) {
      const QString micro_batch = name == "a" ? "4" : "8";
      VERIFY_STATUS((problem_.run(QStringList{"plan", "--planner", "gpipe", "--global-batch", "32", "--micro-batch",
                                              micro_batch, "-o", name + ".plan.json"} +
                                  measured_inputs)),
                    0);
      VERIFY_STATUS((problem_.run({"run", "--plan", name + ".plan.json", "--model", "preset:mlp-small", "--backend",
                                   "cpu", "--steps", "6", "--timeline-every", "1", "--events", name + ".jsonl"})),
                    0);
    }
  }

  void a_run_is_held_out() {
    const Answer answer = calibrate({"--run", "a.plan.json:a.jsonl", "--hold-out",
                                     "b.plan.json:b.jsonl:mlp.profile.json", "-o", "box.calibration.json"});
    VERIFY_STATUS(answer, 0);
    for (const char* word : {"operation overhead", "overlap slow-down", "link efficiency", "fitted", "held out",
                             "error before", "mean error of 1 run held out"})
      QVERIFY2(answer.out.contains(word), answer.out);
    const QJsonObject record = object_of(problem_.read("box.calibration.json"));
    QCOMPARE(record["format"].toString(), "pipedeck.calibration");
    QCOMPARE(record["runs"].toArray().size(), 2);
    QCOMPARE(record["runs"][1]["use"].toString(), "held-out");
    QVERIFY(record["runs"][1]["measured_ms"].toDouble() > 0);
    QVERIFY(record["machine"]["devices"].toArray().size() >= 1);
    QVERIFY(record["date"].toString().endsWith('Z'));
    const Answer valid = problem_.run({"validate", "box.calibration.json"});
    VERIFY_STATUS(valid, 0);
    QVERIFY2(valid.out.contains("calibration: overhead"), valid.out);
  }

  void a_calibration_can_be_passed_on() {
    const Answer answer = calibrate({"--run", "a.plan.json:" + problem_.path("a.jsonl"), "--host", "lab", "--json"});
    VERIFY_STATUS(answer, 0);
    QCOMPARE(object_of(answer.out)["machine"]["host"].toString(), "lab");
    QCOMPARE(object_of(answer.out)["runs"][0]["name"].toString(), "a.jsonl");
    QVERIFY2(!answer.out.contains(problem_.folder().toUtf8()), answer.out);
  }

  void one_run_says_that_none_is_held_out() {
    const Answer answer = calibrate({"--run", "a.plan.json:a.jsonl"});
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.out.contains("no run was held out"), answer.out);
    const Answer both = calibrate({"--run", "a.plan.json:a.jsonl", "b.plan.json:b.jsonl", "--json"});
    VERIFY_STATUS(both, 0);
    QCOMPARE(object_of(both.out)["runs"][0]["use"].toString(), "in-turn");
  }

  // A calibration made by hand, so that its effect is known: every pass takes 100 ms longer.
  void predictions_take_the_calibration() {
    VERIFY_STATUS(calibrate({"--run", "a.plan.json:a.jsonl", "-o", "hand.json"}), 0);
    QJsonObject record = object_of(problem_.read("hand.json"));
    record["operation_overhead_us"] = 100e3;
    problem_.write("hand.json", QJsonDocument(record).toJson());
    const QStringList simulate = QStringList{"simulate", "--plan", "a.plan.json", "--json"} + measured_inputs;
    const Answer before = problem_.run(simulate);
    const Answer after = problem_.run(simulate + QStringList{"--calibration", "hand.json"});
    VERIFY_STATUS(after, 0);
    QVERIFY2(after.err.contains("hand.json: overhead 100000.0 us"), after.err);
    QVERIFY(!after.err.contains("warning"));
    // GPipe, 8 micro-batches, 2 stages: (8 + 1) forwards and as many backwards.
    const double longer =
        object_of(after.out)["iteration_ms"].toDouble() - object_of(before.out)["iteration_ms"].toDouble();
    QVERIFY2(std::abs(longer - 1800) < 20, qPrintable(QString::number(longer)));
    for (const char* command : {"plan --planner gpipe", "compare --planner gpipe"}) {
      const Answer planned =
          problem_.run(QString(command).split(' ') + QStringList{"--global-batch", "32", "--calibration", "hand.json"} +
                       measured_inputs);
      VERIFY_STATUS(planned, 0);
      QVERIFY(planned.err.contains("overhead 100000.0 us"));
    }
    const Answer other = problem_.run({"simulate", "--plan", "two.plan.json", "--profile", "p.json", "--cluster",
                                       "c.json", "--calibration", "hand.json"});
    QVERIFY2(other.err.contains("another cluster") || other.status != 0, other.err);
    const Answer differs = problem_.run({"diff", "hand.json", "hand.json"});
    VERIFY_STATUS(differs, 0);
  }

  void wrong_input_is_named_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("words");
    const QString good = "a.plan.json:a.jsonl";
    QTest::newRow("no run") << QStringList{} << "--run is required";
    QTest::newRow("no events") << QStringList{"--run", "a.plan.json"} << "expected PLAN:EVENTS";
    QTest::newRow("no such plan") << QStringList{"--run", "z.json:a.jsonl"} << "z.json: found no such file";
    QTest::newRow("no such events") << QStringList{"--run", "a.plan.json:z.jsonl"} << "z.jsonl: found no such file";
    QTest::newRow("events of another plan")
        << QStringList{"--run", "a.plan.json:b.jsonl"} << "b.jsonl: step 2: found forwards";
    QTest::newRow("no events in it") << QStringList{"--run", "a.plan.json:b.plan.json"} << "found no events of a run";
    QTest::newRow("given twice") << QStringList{"--run", good, "--hold-out", good} << "is given twice";
    QTest::newRow("all held out") << QStringList{"--run", good, "--calibration", "hand.json"} << "expected none";
    QTest::newRow("no operations") << QStringList{"--run", "a.plan.json:bare.jsonl"} << "--timeline-every 1";
    QTest::newRow("failed") << QStringList{"--run", "a.plan.json:failed.jsonl"}
                            << "found a run that failed (no memory)";
    QTest::newRow("a broken line") << QStringList{"--run", "a.plan.json:broken.jsonl"} << "broken.jsonl: line 2";
  }
  void wrong_input_is_named() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, words);
    QByteArray bare;
    for (const QByteArray& line : problem_.read("a.jsonl").split('\n'))
      if (!line.isEmpty() && !line.contains("\"timeline\"")) bare += line + '\n';
    problem_.write("bare.jsonl", bare);
    problem_.write("failed.jsonl", bare + R"({"event": "failed", "message": "no memory"})" + '\n');
    problem_.write("broken.jsonl", bare.left(bare.indexOf('\n') + 1) + "{\"event\": \"step\"\n");
    const Answer answer = calibrate(arguments);
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains(words.toUtf8()), answer.err);
  }

  void a_broken_calibration_is_named() {
    problem_.write("broken.calibration.json", R"({"format": "pipedeck.calibration", "version": 1, "date": 3})");
    const Answer answer = problem_.run(
        QStringList{"simulate", "--plan", "a.plan.json", "--calibration", "broken.calibration.json"} + measured_inputs);
    QCOMPARE(answer.status, 2);
    QVERIFY2(answer.err.contains("broken.calibration.json: /date: found 3, expected a text"), answer.err);
    const Answer plan = problem_.run(QStringList{"simulate", "--plan", "a.plan.json", "--calibration", "a.plan.json"} +
                                     measured_inputs);
    QCOMPARE(plan.status, 2);
    QVERIFY2(plan.err.contains("found a plan, expected a calibration"), plan.err);
  }

 private:
  Answer calibrate(const QStringList& arguments) const {
    return problem_.run(QStringList{"calibrate"} + arguments + measured_inputs);
  }
  SmallProblem problem_;
};

PIPEDECK_TEST(TestCliCalibrate)

}  // namespace pipedeck::tst_cli_calibrate

#include "tst_cli_calibrate.moc"
