// SPDX-License-Identifier: Apache-2.0
// The memory in plan, compare and simulate: the peak, its upper estimate, and the items over time.
#include <algorithm>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_memory {

using pipedeck::test::Answer;
using pipedeck::test::inputs;
using pipedeck::test::object_of;
using pipedeck::test::SmallProblem;

class TestCliMemory : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    const Answer answer =
        problem_.run(QStringList{"simulate", "--plan", "plan.json", "--json"} + pipedeck::test::inputs());
    VERIFY_STATUS(answer, 0);
    double peak = 0, capacity = 0;
    for (const QJsonValue& device : object_of(answer.out)["devices"].toArray()) {
      peak = std::max(peak, device.toObject()["peak_memory_bytes"].toDouble());
      capacity = device.toObject()["capacity_bytes"].toDouble();
    }
    QVERIFY2(5 * peak < capacity, "the small problem should fit");
    tight_ = {"--fragmentation", "0.9", "--reserve-bytes", QString::number(capacity - 3 * peak, 'f', 0)};
  }

  /// With so little room, and so much of it lost between blocks, that the estimate fits and the upper one does not.
  void tables_tell_fits_from_fits_at_most() {
    for (const QStringList& question : {QStringList{"plan", "--planner", "gpipe", "--global-batch", "8"},
                                        QStringList{"compare", "--planner", "gpipe", "--global-batch", "8"},
                                        QStringList{"simulate", "--plan", "plan.json"}}) {
      const Answer plain = problem_.run(question + pipedeck::test::inputs());
      VERIFY_STATUS(plain, 0);
      QVERIFY2(plain.out.contains("at most"), plain.out);
      QVERIFY2(!plain.out.contains("at most: no"), plain.out);
      const Answer lost = problem_.run(question + pipedeck::test::inputs() + tight_);
      VERIFY_STATUS(lost, 0);
      QVERIFY2(lost.out.contains("yes (at most: no)"), lost.out);
    }
  }

  /// CAPTURE's plan holds some hundred MiB, and data parallelism some GiB.
  void a_column_has_one_unit() {
    const Answer answer = problem_.run({"compare", "--planner", "capture,data-parallel", "--profile", "preset:gnmt-16",
                                        "--cluster", "preset:dapple-a", "--global-batch", "1024"});
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.out.contains(" 0.57 GiB (4 %)") && !answer.out.contains("MiB"), answer.out);
  }

  void comparison_has_both_as_json() {
    const QStringList question =
        QStringList{"compare", "--planner", "gpipe", "--global-batch", "8", "--json"} + pipedeck::test::inputs();
    const auto answer_of = [&](const QStringList& more) {
      return object_of(problem_.run(question + more).out)["answers"].toArray()[0].toObject();
    };
    const QJsonObject plain = answer_of({});
    QVERIFY(plain["fits"].toBool() && plain["fits_upper"].toBool());
    const QJsonObject upper = plain["worst_peak_upper"].toObject();
    QVERIFY(upper["peak_memory_upper_bytes"].toDouble() >=
            plain["worst_peak"].toObject()["peak_memory_bytes"].toDouble());
    QVERIFY(upper["memory_bytes"].toDouble() > 0 && upper.contains("device"));
    const QJsonObject lost = answer_of(tight_);
    QVERIFY(lost["fits"].toBool() && !lost["fits_upper"].toBool());
  }

  /// At every point the items add up to the curve, and the highest of them to the peak with its items.
  void items_over_time_add_up() {
    const QStringList question = QStringList{"simulate", "--plan", "plan.json", "--json"} + pipedeck::test::inputs();
    const Answer plain = problem_.run(question), answer = problem_.run(question + QStringList{"--memory-items"});
    VERIFY_STATUS(answer, 0);
    QVERIFY(!plain.out.contains("memory_item_curve"));
    int points = 0;
    for (const QJsonValue& value : object_of(answer.out)["devices"].toArray()) {
      const QJsonObject device = value.toObject(), items = device["memory_item_curve"].toObject();
      const QJsonArray curve = device["memory_curve"].toArray();
      double highest = 0;
      for (qsizetype i = 0; i < curve.size(); ++i, ++points) {
        double sum = 0;
        for (const QString& item : items.keys()) sum += items[item].toArray()[i].toDouble();
        QCOMPARE(sum, curve[i].toArray()[1].toDouble());
        if (sum <= highest) continue;
        highest = sum;
        if (sum == device["peak_memory_bytes"].toDouble())
          for (const QString& item : items.keys())
            QCOMPARE(items[item].toArray()[i].toDouble(), device["memory_parts"].toObject()[item].toDouble());
      }
      QCOMPARE(highest, device["peak_memory_bytes"].toDouble());
    }
    QVERIFY(points > 10);
    problem_.write("items.json", answer.out);
    VERIFY_STATUS(problem_.run({"validate", "items.json"}), 0);
  }

  void items_at_the_peak_as_a_table() {
    const Answer answer =
        problem_.run(QStringList{"simulate", "--plan", "plan.json", "--memory-items"} + pipedeck::test::inputs() +
                     QStringList{"--communication-bytes", "1000000", "--reserve-bytes", "2000000"});
    VERIFY_STATUS(answer, 0);
    for (const char* item : {"weights", "gradients", "optimizer", "activations", "communication", "reserve"})
      QVERIFY2(answer.out.contains(item), answer.out);
    QVERIFY2(!answer.out.contains("stashed_weights"), answer.out);
  }

  void items_need_a_timeline() {
    const Answer answer =
        problem_.run(QStringList{"simulate", "--plan", "plan.json", "--memory-items", "--iteration-only"} +
                     pipedeck::test::inputs());
    VERIFY_STATUS(answer, 2);
    QVERIFY2(answer.err.contains("--memory-items"), answer.err);
  }

 private:
  SmallProblem problem_;
  QStringList tight_;
};

PIPEDECK_TEST(TestCliMemory)

}  // namespace pipedeck::tst_cli_memory

#include "tst_cli_memory.moc"
