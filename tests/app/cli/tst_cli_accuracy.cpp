// SPDX-License-Identifier: Apache-2.0
// accuracy: a table of measured runs, as text and as JSON, and tables with faults.
#include <QFile>
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

/// Returns the header and the runs of the fixture, whose fields have no line ends.
QByteArrayList test_lines() {
  QFile file(table);
  if (!file.open(QIODevice::ReadOnly)) return {};
  QByteArrayList lines;
  for (const QByteArray& line : file.readAll().split('\n'))
    if (!line.isEmpty() && !line.startsWith('#')) lines << line;
  return lines;
}

class TestCliAccuracy : public QObject {
  Q_OBJECT

 private slots:
  /// A log with its job becomes a row next to its prediction, is kept, and is fitted as other rows.
  void logs() {
    const QString log = QString::fromStdString(test::source_dir()) + "/tests/fixtures/jobs/llama3-8b.megatron.log";
    const QString kept = problem_.path("kept.csv");
    Answer answer = problem_.run({"accuracy", log});
    VERIFY_STATUS(answer, 2);
    QVERIFY2(answer.err.contains("expected --device TYPE"), qPrintable(answer.err));
    answer = problem_.run({"accuracy", log, "--device", "H100-SXM", "--keep", kept, "--json"});
    VERIFY_STATUS(answer, 0);
    const QJsonObject row = object_of(answer.out)["rows"].toArray().at(0).toObject();
    QCOMPARE(row["measured_s"].toDouble(), 2.14985);
    answer = problem_.run({"accuracy", kept, "--json"});
    VERIFY_STATUS(answer, 0);
    QCOMPARE(object_of(answer.out)["rows"].toArray().at(0)["predicted_s"], row["predicted_s"]);
    answer = problem_.run({"accuracy", log, "--device", "H100-SXM", "--keep", kept});
    VERIFY_STATUS(answer, 2);
    QVERIFY2(answer.err.contains("kept.csv: found a row 'llama3-8b.megatron'"), qPrintable(answer.err));
    VERIFY_STATUS(problem_.run({"accuracy", table, "--device", "H100-SXM"}), 2);
    answer = problem_.run({"convert", log, "--to", "plan", "-o", "-"});
    VERIFY_STATUS(answer, 0);
    QCOMPARE(object_of(answer.out)["stages"].toArray().size(), 8);
  }

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

  /// Without a table, the runs that come with the program.
  void published_runs() {
    const Answer answer = problem_.run({"accuracy", "--by", "engine"});
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.out.contains("engine=LLM Foundry") && answer.out.contains("bands of runs like them"), answer.out);
  }

  /// Own runs: the fixture's runs on H100, each 1.2 times as long as predicted. The fitted table predicts them better.
  void fit_to_own_runs() {
    const QByteArrayList lines = test_lines();
    QByteArrayList own{"row,iteration_s," +
                       QByteArray(lines[0].mid(lines[0].indexOf(',') + 1)).replace("iteration_s", "x")};
    const QJsonArray rows = object_of(problem_.run({"accuracy", table, "--json"}).out)["rows"].toArray();
    for (qsizetype i = 0; i < rows.size(); ++i) {
      if (rows[i]["device"].toString() != "H100-SXM" || !rows[i]["error"].isDouble()) continue;
      const QByteArray line = lines[i + 1];
      const double seconds = 1.2 * rows[i]["predicted_s"].toDouble();
      own << line.left(line.indexOf(',') + 1) + QByteArray::number(seconds, 'g', 12) + line.mid(line.indexOf(','));
    }
    QVERIFY(own.size() > 8);
    problem_.write("own.csv", own.join('\n') + '\n');
    const Answer answer = problem_.run({"accuracy", "own.csv", "--json", "--fit", "own.efficiency.json"});
    VERIFY_STATUS(answer, 0);
    const QJsonObject fit = object_of(answer.out)["fits"][0].toObject();
    QCOMPARE(fit["device"].toString(), QString("H100-SXM"));
    QVERIFY(std::abs(fit["before"]["mean_absolute"].toDouble() - 0.2) < 1e-6);
    QVERIFY(fit["after"]["mean_absolute"].toDouble() < 0.06);
    QVERIFY(fit["held_out"]["mean_absolute"].toDouble() < 0.1);
    QVERIFY(fit["scales"]["compute"].toDouble() < 0.95);
    const Answer after = problem_.run({"accuracy", "own.csv", "--json", "--efficiency", "own.efficiency.json"});
    VERIFY_STATUS(after, 0);
    QVERIFY(std::abs(object_of(after.out)["summary"]["time"]["mean_absolute"].toDouble() -
                     fit["after"]["mean_absolute"].toDouble()) < 1e-6);
    const Answer text = problem_.run({"accuracy", "own.csv", "--fit", "own.efficiency.json"});
    QVERIFY2(text.out.contains("fitted to") && text.out.contains("H100-SXM"), text.out);

    problem_.write("few.csv", own.mid(0, 3).join('\n') + '\n');
    const Answer few = problem_.run({"accuracy", "few.csv", "--fit", "few.json"});
    VERIFY_STATUS(few, 2);
    QVERIFY2(few.err.contains("few.csv") && few.err.contains("expected at least 3 of one device type"), few.err);
    VERIFY_STATUS(problem_.run({"accuracy", "--fit", "few.json"}), 2);
    VERIFY_STATUS(problem_.run({"accuracy", "own.csv", "--fit", "-"}), 2);
  }

  void faults() {
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
