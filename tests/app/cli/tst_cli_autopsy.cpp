// SPDX-License-Identifier: Apache-2.0
// autopsy: dumps of a hung job on a plan, memory next to its prediction, and files that are no dumps.
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/made_dumps.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_autopsy {

using pipedeck::test::Answer;
using pipedeck::test::object_of;

class TestCliAutopsy : public QObject {
  Q_OBJECT

 private:
  test::SmallProblem problem_;

  /// Copies the dumps of a job of 4 ranks into a folder.
  QString copied(const test::MadeDumps& made) const {
    const QString folder = problem_.path("dumps");
    QDir().mkpath(folder);
    for (const char* const name :
         {"nccl_trace_rank_0", "nccl_trace_rank_1", "nccl_trace_rank_2", "nccl_trace_rank_3.json"})
      QFile::copy(QString::fromStdString(made.file(QLatin1String(name))), folder + "/" + QLatin1String(name));
    return folder;
  }

 private slots:
  void a_folder_of_dumps_on_a_plan() {
    if (!test::has_python()) QSKIP("no python3 here");
    const test::MadeDumps made(QStringLiteral("flight"), 4);
    const QString folder = copied(made);
    const int missing = made.truth()["missing"].toInt();
    const Answer text = problem_.run({"autopsy", folder, "--plan", "plan.json"});
    VERIFY_STATUS(text, 0);
    QVERIFY2(text.out.contains(QStringLiteral("Rank %1 (stage %2").arg(missing).arg(missing / 2).toUtf8()), text.out);
    QVERIFY2(text.out.contains("holds up the job"), text.out);
    const Answer json = problem_.run({"autopsy", folder, "--json"});
    VERIFY_STATUS(json, 0);
    const QJsonObject found = object_of(json.out);
    QCOMPARE(found["format"].toString(), QStringLiteral("pipedeck.autopsy"));
    QCOMPARE(found["files"].toArray().size(), 4);
    const QJsonObject collectives = found["collectives"].toObject();
    QCOMPARE(collectives["held_up_by"].toArray(), QJsonArray{missing});
    QCOMPARE(collectives["faults"].toArray().size(), 2);
    QVERIFY(!found.contains("memory"));
  }

  void memory_next_to_its_prediction() {
    if (!test::has_python()) QSKIP("no python3 here");
    const test::MadeDumps made(QStringLiteral("snapshot"), 2);
    const QString file = QString::fromStdString(made.file(QStringLiteral("snapshot.pickle")));
    const QStringList known = QStringList{"--plan", "plan.json"} + test::inputs();
    const Answer json = problem_.run(QStringList{"autopsy", file, "--rank", "1", "--json"} + known);
    VERIFY_STATUS(json, 0);
    const QJsonObject memory = object_of(json.out)["memory"].toArray().first().toObject();
    QCOMPARE(memory["rank"].toInt(), 1);
    QCOMPARE(memory["peak_bytes"].toInteger(), made.truth()["peak"].toInteger());
    const Answer simulated = problem_.run(QStringList{"simulate", "--json", "--plan", "plan.json"} + test::inputs());
    VERIFY_STATUS(simulated, 0);
    const QJsonObject items = object_of(simulated.out)["devices"].toArray()[1].toObject()["memory_parts"].toObject();
    QVERIFY(!items.isEmpty());
    const QJsonArray rows = memory["beside_prediction"].toArray();
    QCOMPARE(rows[1].toObject()["predicted_bytes"].toInteger(), items["optimizer"].toInteger());
    QCOMPARE(rows[1].toObject()["measured_bytes"].toInteger(),
             made.truth()["uses"].toObject()["optimizer"].toInteger());
    QVERIFY(problem_.run({"autopsy", file}).out.contains("Memory of a rank, device 0"));
    QVERIFY(problem_.run({"validate", file}).out.contains("memory-snapshot"));
    const Answer explained = problem_.run({"convert", "--explain", file});
    VERIFY_STATUS(explained, 0);
    QVERIFY2(explained.err.contains("taken for memory-snapshot") || explained.out.contains("taken for memory-snapshot"),
             explained.out + explained.err);
  }

  void faults_name_file_and_place() {
    problem_.write("evil.pickle",
                   "\x80\x02"
                   "cposix\nsystem\n.");
    const Answer evil = problem_.run({"autopsy", "evil.pickle"});
    VERIFY_STATUS(evil, 2);
    QVERIFY2(evil.err.contains("evil.pickle: byte 2: found the opcode GLOBAL of posix.system, expected plain data"),
             evil.err);
    VERIFY_STATUS(problem_.run({"validate", "evil.pickle"}), 2);
    const Answer other = problem_.run({"autopsy", "plan.json"});
    VERIFY_STATUS(other, 2);
    QVERIFY2(other.err.contains("plan.json: found a dictionary of"), other.err);
    QDir().mkpath(problem_.path("nothing"));
    const Answer nothing = problem_.run({"autopsy", "nothing"});
    VERIFY_STATUS(nothing, 2);
    QVERIFY2(nothing.err.contains("nothing: found a folder without dumps or traces"), nothing.err);
    VERIFY_STATUS(problem_.run({"autopsy", "plan.json", "--profile", "p.json"}), 2);
  }
};

PIPEDECK_TEST(TestCliAutopsy)

}  // namespace pipedeck::tst_cli_autopsy

#include "tst_cli_autopsy.moc"
