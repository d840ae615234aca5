// SPDX-License-Identifier: Apache-2.0
// accuracy: a table of measured runs, as text and as JSON, and tables with faults.
#include <QJsonArray>
#include <QTest>

#include <cmath>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_accuracy {

using pipedeck::test::Answer;
using pipedeck::test::object_of;
using pipedeck::test::SmallProblem;

const QString table = QString::fromStdString(pipedeck::test::source_dir()) + "/tests/fixtures/published-runs.csv";

class TestCliAccuracy : public QObject {
  Q_OBJECT

 private slots:
  void json() {
    const Answer answer = problem_.run({"accuracy", table, "--json", "--by", "gpu,precision"});
    VERIFY_STATUS(answer, 0);
    const QJsonArray rows = object_of(answer.out)["rows"].toArray();
    const QJsonObject summary = object_of(answer.out)["summary"].toObject();
    QCOMPARE(rows.size(), summary["rows"].toInt());
    QVERIFY(rows.size() > 25);
    double sum = 0;
    int judged = 0, predicted = 0;
    for (const QJsonValue& row : rows) {
      QCOMPARE(row["predicted_s"].isDouble(), row["skipped"].isNull());
      judged += row["judged"].toBool();
      if (!row["predicted_s"].isDouble()) continue;
      double parts = 0;
      for (const QJsonValue& part : row["parts_s"].toObject()) parts += part.toDouble();
      QVERIFY2(std::abs(parts / row["predicted_s"].toDouble() - 1) < 1e-6, qPrintable(row["row"].toString()));
      if (!row["judged"].toBool()) continue;
      ++predicted;
      sum += std::abs(row["measured_s"].toDouble() / row["predicted_s"].toDouble() - 1);
    }
    QCOMPARE(summary["judged"].toInt(), judged);
    QCOMPARE(summary["predicted"].toInt(), predicted);
    QVERIFY(predicted > 20);
    QVERIFY(std::abs(summary["time"]["mean_absolute"].toDouble() - sum / predicted) < 1e-9);
    QVERIFY(summary["time"]["mean_absolute"].toDouble() < 0.35);
    QVERIFY(summary["memory"]["mean_absolute"].toDouble() < 0.35);
    int grouped = 0;
    for (const QJsonValue& group : summary["groups"].toArray()) grouped += group["rows"].toInt();
    QCOMPARE(grouped, predicted);
    QCOMPARE(problem_.run({"accuracy", table, "--json", "--by", "gpu,precision"}).out, answer.out);
  }

  void text() {
    const Answer worst = problem_.run({"accuracy", table});
    VERIFY_STATUS(worst, 0);
    for (const char* const part : {"tokens/s/GPU: mean", "source=torchtitan", "worst runs"})
      QVERIFY2(worst.out.contains(part), part);
    const Answer all = problem_.run({"accuracy", table, "--rows"});
    VERIFY_STATUS(all, 0);
    QVERIFY(all.out.contains("the model is a hybrid whose shape is left open"));
  }

  void faults() {
    VERIFY_STATUS(problem_.run({"accuracy"}), 2);
    const Answer missing = problem_.run({"accuracy", "none.csv"});
    VERIFY_STATUS(missing, 2);
    QVERIFY(missing.err.contains("none.csv"));
    problem_.write("runs.csv", "row,model\na,m\n");
    const Answer bad = problem_.run({"accuracy", "runs.csv"});
    VERIFY_STATUS(bad, 2);
    QVERIFY2(bad.err.contains("runs.csv: line 1: found no column layers"), bad.err);
    const Answer key = problem_.run({"accuracy", table, "--by", "colour"});
    VERIFY_STATUS(key, 2);
    QVERIFY2(key.err.contains("found 'colour', expected one of source"), key.err);
  }

 private:
  SmallProblem problem_;
};

PIPEDECK_TEST(TestCliAccuracy)

}  // namespace pipedeck::tst_cli_accuracy

#include "tst_cli_accuracy.moc"
