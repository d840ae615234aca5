// SPDX-License-Identifier: Apache-2.0
// edit: plans changed by hand through the real program.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_edit {

using pipedeck::test::Answer;
using pipedeck::test::inputs;
using pipedeck::test::object_of;
using pipedeck::test::SmallProblem;

QJsonObject stage_of(const QByteArray& plan, int stage) {
  return object_of(plan)["stages"].toArray()[stage].toObject();
}

class TestCliEdit : public QObject {
  Q_OBJECT

 private:
  SmallProblem problem_;

  Answer edit(const QStringList& edits) {
    return problem_.run(QStringList{"edit", "plan.json"} + pipedeck::test::inputs() + edits);
  }

 private slots:
  void edits_are_made_in_their_order() {
    const Answer answer = edit({"--micro-batch", "4", "--move-device", "G1=1", "--move-cut", "1=l2", "--recompute",
                                "1=2,4-5", "--swap-devices", "0=3", "--move-device", "3=1", "-o", "edited.json"});
    VERIFY_STATUS(answer, 2);  // the last leaves stage 0 without a device
    QVERIFY2(answer.err.contains("--move-device 3=1: stage 0 would be left without a device"), answer.err.constData());
    QVERIFY(!problem_.files().contains("edited.json"));

    const Answer again = edit({"--micro-batch", "4", "--move-device", "G1=1", "--move-cut", "1=l2", "--recompute",
                               "1=2,4-5", "--swap-devices", "0=3", "-o", "edited.json"});
    VERIFY_STATUS(again, 0);
    QVERIFY(again.out.contains("before") && again.out.contains("after") && again.out.contains("1:3"));
    const QByteArray plan = problem_.read("edited.json");
    QCOMPARE(stage_of(plan, 0)["devices"].toArray(), (QJsonArray{3}));
    QCOMPARE(stage_of(plan, 1)["devices"].toArray(), (QJsonArray{2, 0, 1}));
    QCOMPARE(stage_of(plan, 1)["layers"].toArray(), (QJsonArray{2, 6}));
    QCOMPARE(stage_of(plan, 1)["recompute"].toArray(), (QJsonArray{2, 4, 5}));
    QCOMPARE(object_of(plan)["micro_batches"].toInt(), 2);

    const Answer simulated =
        problem_.run(QStringList{"simulate", "--plan", "edited.json", "--json"} + pipedeck::test::inputs());
    VERIFY_STATUS(simulated, 0);
    QCOMPARE(object_of(simulated.out)["iteration_ms"], object_of(plan)["predicted"].toObject()["iteration_ms"]);
  }

  void stages_come_and_go() {
    const Answer answer = edit({"--split-stage", "1=5", "--merge-stages", "0", "--json"});
    VERIFY_STATUS(answer, 0);
    QCOMPARE(object_of(answer.out)["stages"].toArray().size(), 2);
    QCOMPARE(stage_of(answer.out, 1)["layers"].toArray(), (QJsonArray{5, 6}));
    const Answer spare = edit({"--replicas", "0=1", "--shares", "1=even"});
    VERIFY_STATUS(spare, 0);
    QVERIFY(spare.out.contains("unused devices: 1"));
  }

  void without_an_edit_the_plan_is_predicted() {
    const Answer answer = edit({"--name", "mine", "--schedule", "gpipe", "--json"});
    VERIFY_STATUS(answer, 0);
    QCOMPARE(object_of(answer.out)["name"].toString(), QString("mine"));
    QCOMPARE(object_of(answer.out)["schedule"].toString(), QString("gpipe"));
  }

  void what_can_not_be_is_said() {
    const auto says = [&](const QStringList& edits, const char* words) {
      const Answer answer = edit(edits);
      const bool said = answer.status == 2 && answer.err.contains(words) && answer.out.isEmpty();
      if (!said) qWarning("%d: %s", answer.status, answer.err.constData());
      return said;
    };
    QVERIFY(says({"--move-cut", "1"}, "expected STAGE=LAYER"));
    QVERIFY(says({"--move-cut", "1=nowhere"}, "expected STAGE=LAYER"));
    QVERIFY(says({"--move-device", "x=1"}, "expected DEVICE,...=STAGE"));
    QVERIFY(says({"--recompute", "0=9"}, "expected STAGE=all"));
    QVERIFY(says({"--micro-batch", "3"}, "the nearest that do: 2 and 4"));
    QVERIFY(says({"--tensor-parallel", "0=2"}, "no times for the layers of stage 0"));
    QVERIFY(says({"--shares", "0=1,x"}, "expected STAGE=N,N"));
    QVERIFY(says({"--merge-stages", "1"}, "there is no stage 2"));
  }
};

PIPEDECK_TEST(TestCliEdit)

}  // namespace pipedeck::tst_cli_edit

#include "tst_cli_edit.moc"
