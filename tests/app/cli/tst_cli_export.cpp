// SPDX-License-Identifier: Apache-2.0
// export, and the tables of simulate and compare, by the real program.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_export {

using namespace pipedeck::test;

/// Lines of a table without quoted fields.
QList<QByteArrayList> rows_of(const QByteArray& csv) {
  QList<QByteArrayList> rows;
  for (const QByteArray& line : csv.split('\n'))
    if (!line.isEmpty()) rows << QByteArray(line).replace('\r', "").split(',');
  return rows;
}

class TestCliExport : public QObject {
  Q_OBJECT

 private slots:
  void tables_of_files_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QByteArray>("column");
    QTest::addColumn<int>("rows");
    QTest::newRow("layers") << "p.json"
                            << "layers" << QByteArray("forward_ms") << 6;
    QTest::newRow("devices") << "c.json"
                             << "devices" << QByteArray("memory_bytes") << 4;
    QTest::newRow("stages") << "plan.json"
                            << "stages" << QByteArray("tensor_parallel") << 2;
  }
  void tables_of_files() {
    QFETCH(QString, file);
    QFETCH(QString, what);
    QFETCH(QByteArray, column);
    QFETCH(int, rows);
    const Answer answer = problem_.run({"export", file, what});
    VERIFY_STATUS(answer, 0);
    const auto table = rows_of(answer.out);
    QVERIFY2(table[0].contains(column), answer.out);
    QCOMPARE(table.size(), rows + 1);
  }

  void tables_of_a_simulation() {
    QStringList arguments{"simulate", "--plan", "plan.json", "-o", "s.json", "--intervals"};
    for (const char* name :
         {"devices", "memory", "memory-curve", "operations", "parts", "critical-path", "sensitivity"})
      arguments << "--csv" << name << QString("%1.csv").arg(name);
    VERIFY_STATUS(problem_.run(arguments + inputs()), 0);
    for (const char* name : {"devices", "memory", "memory-curve", "operations"}) {
      const Answer answer = problem_.run({"export", "s.json", name});
      VERIFY_STATUS(answer, 0);
      QCOMPARE(answer.out, problem_.read(QString("%1.csv").arg(name)));
      QVERIFY(rows_of(answer.out).size() > 1);
    }
    const auto parts = rows_of(problem_.read("parts.csv"));
    double sum = 0;
    for (const auto& row : parts.mid(1, parts.size() - 2)) sum += row[1].toDouble();
    QCOMPARE(parts.back()[0], QByteArray("iteration"));
    QVERIFY(qAbs(sum - parts.back()[1].toDouble()) < 1e-9);
    QVERIFY(rows_of(problem_.read("critical-path.csv")).size() > 1);
    QVERIFY(rows_of(problem_.read("sensitivity.csv")).size() > 1);
  }

  void a_comparison_as_a_table() {
    const Answer answer = problem_.run(
        QStringList{"compare", "--global-batch", "8", "--planner", "dapple,gpipe", "--csv", "-"} + inputs());
    VERIFY_STATUS(answer, 0);
    const auto table = rows_of(answer.out);
    QCOMPARE(table.size(), 3);
    QVERIFY(table[0].contains("iteration_ms") && table[0].contains("worst_peak_bytes"));
  }

  void a_job_runs() {
    problem_.write("model.json", R"({"format": "pipedeck.model", "version": 1, "name": "m", "seed": 1,
      "learning_rate": 0.001, "data": {"kind": "synthetic", "seed": 1},
      "layers": [{"name": "a", "kind": "linear", "in": 8, "out": 8}, {"name": "b", "kind": "linear", "in": 8, "out": 4},
                 {"name": "loss", "kind": "softmax_cross_entropy", "classes": 4}]})");
    VERIFY_STATUS(problem_.run({"profile", "--model", "model.json", "--backend", "cpu", "--micro-batch", "2", "-o",
                                "mp.json", "--cluster-out", "mc.json", "--devices", "2"}),
                  0);
    VERIFY_STATUS(problem_.run({"plan", "--profile", "mp.json", "--cluster", "mc.json", "--planner", "dapple",
                                "--global-batch", "4", "--pp", "2", "-o", "mplan.json"}),
                  0);
    for (const char* launcher : {"slurm", "mpirun"}) {
      const QString script = problem_.path(QString("%1.sh").arg(launcher));
      VERIFY_STATUS(problem_.run({"export", "mplan.json", QString("job-%1").arg(launcher), "--model", "model.json",
                                  "--steps", "3", "-o", script}),
                    0);
      // Without a cluster: the launcher is a program that runs what follows its options.
      problem_.write("srun",
                     "#!/bin/bash\nwhile [[ $1 == -* ]]; do [[ $1 == -np || $1 == --bind-to ]] && shift; shift; "
                     "done\nexec \"$@\"\n");
      problem_.write("mpirun", problem_.read("srun"));
      for (const char* name : {"srun", "mpirun"})
        QFile::setPermissions(problem_.path(name), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
      QProcess job;
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.insert("PATH", problem_.folder() + ":" + environment.value("PATH"));
      environment.insert("PIPEDECK_CLI", PIPEDECK_CLI);
      environment.insert("PIPEDECK_DIR", problem_.path(QString("results-%1").arg(launcher)));
      job.setProcessEnvironment(environment);
      job.start("bash", {script});
      QVERIFY(job.waitForFinished(60000));
      QVERIFY2(job.exitCode() == 0, job.readAllStandardError());
      const QDir results(environment.value("PIPEDECK_DIR"));
      QCOMPARE(results.entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1);
      const QString folder = results.filePath(results.entryList(QDir::Dirs | QDir::NoDotAndDotDot)[0]);
      const Answer steps = problem_.run({"export", folder + "/events.jsonl", "steps"});
      VERIFY_STATUS(steps, 0);
      QCOMPARE(rows_of(steps.out).size(), 4);
    }
  }

  /// In folders with spaces and quotes, on data next to the model, by the installed mpirun.
  void a_job_of_several_processes_runs() {
    const Answer devices = problem_.run({"list", "devices"});
    if (QStandardPaths::findExecutable("mpirun").isEmpty() || !devices.out.contains("transport mpi"))
      QSKIP("no mpirun, or no module for it, here");
    QVERIFY(QDir(problem_.folder()).mkpath("models/texts"));
    problem_.write("models/texts/words.txt", QByteArray("all the words that there are. ").repeated(40));
    const QByteArray model = R"({"format": "pipedeck.model", "version": 1, "name": "NAME",
      "seed": 1, "learning_rate": 0.001, "data": {"kind": "text", "path": "texts/words.txt"},
      "layers": [{"name": "e", "kind": "embedding", "vocabulary": 256, "hidden": 8, "sequence": 8},
                 {"name": "l", "kind": "linear", "in": 8, "out": 256, "sequence": 8},
                 {"name": "loss", "kind": "softmax_cross_entropy", "classes": 256, "sequence": 8}]})";
    problem_.write("models/words.model.json", QByteArray(model).replace("NAME", "it's \\\"words\\\""));
    VERIFY_STATUS(problem_.run({"profile", "--model", "models/words.model.json", "--backend", "cpu", "--micro-batch",
                                "2", "-o", "wp.json", "--cluster-out", "wc.json", "--devices", "2"}),
                  0);
    VERIFY_STATUS(problem_.run({"plan", "--profile", "wp.json", "--cluster", "wc.json", "--planner", "dapple",
                                "--global-batch", "4", "--pp", "2", "-o", "wplan.json"}),
                  0);
    for (const char* launcher : {"slurm", "mpirun"}) {
      const QString script = problem_.path(QString("several %1.sh").arg(launcher));
      VERIFY_STATUS(problem_.run({"export", "wplan.json", QString("job-%1").arg(launcher), "--model",
                                  "models/words.model.json", "--steps", "3", "--processes", "2", "-o", script}),
                    0);
      if (!QStandardPaths::findExecutable("shellcheck").isEmpty()) {
        QProcess check;
        check.start("shellcheck", {script});
        QVERIFY(check.waitForFinished(60000));
        QVERIFY2(check.exitCode() == 0, check.readAllStandardOutput());
      }
    }
    QVERIFY(problem_.read("several slurm.sh").contains("\n#SBATCH --ntasks=2\n#SBATCH --cpus-per-task=1\n"));
    QVERIFY(problem_.read("several slurm.sh").contains("\nsrun --mpi=pmix --ntasks=2 --cpu-bind=none "));

    const QString elsewhere = problem_.path("a 'folder' of \"$HOME\"");
    QVERIFY(QDir().mkpath(elsewhere));
    QProcess job;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PIPEDECK_CLI", PIPEDECK_CLI);
    for (const char* allowed :
         {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"})
      environment.insert(allowed, "1");
    job.setProcessEnvironment(environment);
    job.setWorkingDirectory(elsewhere);
    job.start("bash", {problem_.path("several mpirun.sh")});
    QVERIFY(job.waitForFinished(120000));
    QVERIFY2(job.exitCode() == 0, job.readAllStandardError());
    const QStringList folders = QDir(elsewhere).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    QCOMPARE(folders.size(), 1);
    const Answer steps = problem_.run({"export", elsewhere + "/" + folders[0] + "/events.jsonl", "steps"});
    VERIFY_STATUS(steps, 0);
    QCOMPARE(rows_of(steps.out).size(), 4);
  }

  void a_job_for_gpus_asks_for_them() {
    const QStringList job{"export", "mplan.json", "job-slurm", "--model", "model.json", "--steps", "3"};
    VERIFY_STATUS(problem_.run(job + QStringList{"--precision", "bf16"}), 2);
    const Answer rounded = problem_.run(job + QStringList{"--backend", "cuda", "--precision", "bf16"});
    QVERIFY2(rounded.out.contains("  --backend cuda --precision bf16 --steps 3 --events"), rounded.out);
    const Answer one = problem_.run(job + QStringList{"--backend", "cuda"});
    VERIFY_STATUS(one, 0);
    QVERIFY2(one.out.contains("\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=2\n"
                              "#SBATCH --gpus-per-task=2\n") &&
                 one.out.contains("  --backend cuda --steps 3 --events"),
             one.out);
    const Answer crowd = problem_.run(job + QStringList{"--processes", "3"});
    QCOMPARE(crowd.status, 2);
    QVERIFY2(crowd.err.contains("found 3 processes, expected at most 2"), crowd.err);
    const Answer stages = problem_.run({"export", "mplan.json", "stages", "--processes", "2"});
    QCOMPARE(stages.status, 2);
    QVERIFY2(stages.err.contains("options of jobs"), stages.err);
  }

  void mistakes_are_told_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("words");
    QTest::newRow("no such table") << QStringList{"export", "plan.json", "layers"} << "possible: stages, job-slurm";
    QTest::newRow("no such file") << QStringList{"export", "none.json", "layers"} << "none.json";
    QTest::newRow("no model") << QStringList{"export", "plan.json", "job-slurm"} << "--model";
    QTest::newRow("another model") << QStringList{"export",          "plan.json", "job-slurm", "--model",
                                                  "preset:gpt-tiny", "--steps",   "1"}
                                   << "layers";
    QTest::newRow("a report without its question") << QStringList{"export", "plan.json", "report"} << "--profile";
    QTest::newRow("a report of a cluster") << QStringList{"export", "c.json", "report"} << "possible: devices";
    QTest::newRow("options of a report") << QStringList{"export", "plan.json", "stages", "--network", "shared"}
                                         << "found options of a report";
    QTest::newRow("a plan that is none") << QStringList{"export", "plan.json", "report", "--plan", "p.json"} + inputs()
                                         << "p.json";
    QTest::newRow("no such table of a simulation")
        << QStringList{"simulate", "--plan", "plan.json", "--csv", "sky", "x.csv"} + inputs() << "\"sky\"";
  }
  void mistakes_are_told() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, words);
    const Answer answer = problem_.run(arguments);
    VERIFY_STATUS(answer, 2);
    QVERIFY2(QString::fromUtf8(answer.err).contains(words), answer.err);
  }

  void a_projects_documents() {
    QVERIFY(QFile::copy(QStringLiteral(PIPEDECK_FIXTURES "/version1.pipedeck"), problem_.path("p.pipedeck")));
    const Answer plans = problem_.run({"export", "p.pipedeck", "plans"});
    VERIFY_STATUS(plans, 0);
    QCOMPARE(rows_of(plans.out).size(), 2);
    const Answer plan = problem_.run({"export", "p.pipedeck", "plan", "-o", "out.plan.json"});
    VERIFY_STATUS(plan, 0);
    VERIFY_STATUS(problem_.run({"validate", "out.plan.json"}), 0);
    const Answer unclear = problem_.run({"export", "p.pipedeck", "profile"});
    VERIFY_STATUS(unclear, 2);
    QVERIFY2(unclear.err.contains("small mlp (measured here)"), unclear.err);
    VERIFY_STATUS(problem_.run({"export", "p.pipedeck", "profile", "--name", "small mlp"}), 0);
  }

  /// The commands that a report ends with give the figures that it has.
  void a_report_tells_how_to_get_its_figures() {
    problem_.write("second plan.json", problem_.read("plan.json")
                                           .replace("\"name\": \"", "\"name\": \"second ")
                                           .replace("\"1f1b\"", "\"gpipe\""));  // equal plans share a row
    VERIFY_STATUS(problem_.run(QStringList{"export", "plan.json", "report", "--plan", "second plan.json", "--network",
                                           "shared", "-o", "report.md"} +
                               inputs()),
                  0);
    compare_with_commands(problem_.read("report.md"), 2);
    if (QTest::currentTestFailed()) return;
    QCOMPARE(QDir(problem_.path("report-pictures")).entryList(QDir::Files).size(), 4);
    const Answer page = problem_.run(QStringList{"export", "plan.json", "report"} + inputs());
    VERIFY_STATUS(page, 0);
    QVERIFY(page.out.startsWith("<!DOCTYPE html>") && page.out.endsWith("</html>\n"));
    const Answer refused = problem_.run(QStringList{"export", "plan.json", "report", "-o", "no/report.md"} + inputs());
    VERIFY_STATUS(refused, 1);
    QVERIFY2(refused.err.contains("no/report-pictures"), refused.err);
  }

  void a_projects_report() {
    QVERIFY(QFile::copy(QStringLiteral(PIPEDECK_FIXTURES "/version2.pipedeck"), problem_.path("a project.pipedeck")));
    VERIFY_STATUS(problem_.run({"export", "a project.pipedeck", "report", "-o", "project.md"}), 0);
    compare_with_commands(problem_.read("project.md"), 1);
    if (QTest::currentTestFailed()) return;
    const Answer unknown = problem_.run({"export", "a project.pipedeck", "report", "--name", "no such plan"});
    VERIFY_STATUS(unknown, 2);
    QVERIFY2(unknown.err.contains("expected one of"), unknown.err);
    VERIFY_STATUS(problem_.run({"export", "a project.pipedeck", "report", "--profile", "p.json"}), 2);
  }

  void an_engine_gets_the_nearest_plan() {
    const QStringList inputs{"--profile", "preset:bert-48", "--cluster", "preset:dapple-a"};
    QStringList plan{"plan", "--planner", "dapple", "--global-batch", "64", "-o", "dapple.plan.json"};
    VERIFY_STATUS(problem_.run(plan + inputs), 0);  // with warm-up B, which no engine has
    const Answer refused = problem_.run(QStringList{"export", "dapple.plan.json", "megatron", "-o", "no.sh"} + inputs);
    VERIFY_STATUS(refused, 2);
    QVERIFY2(refused.err.contains("warm-up: found policy B") && refused.err.contains("instead of"), refused.err);
    QVERIFY(!QFile::exists(problem_.path("no.sh")));
    const Answer written = problem_.run(QStringList{"export", "dapple.plan.json", "megatron", "--nearest",
                                                    "--nearest-plan", "near.plan.json", "-o", "near.sh"} +
                                        inputs);
    VERIFY_STATUS(written, 0);
    QVERIFY(problem_.read("near.sh").contains("--pipeline-model-parallel-size 2"));
    // The saved plan is exported without changes, and has the stated cost.
    VERIFY_STATUS(problem_.run(QStringList{"export", "near.plan.json", "megatron"} + inputs), 0);
    const Answer simulated = problem_.run(QStringList{"simulate", "--plan", "near.plan.json"} + inputs);
    VERIFY_STATUS(simulated, 0);
    static const QRegularExpression iteration("iteration ([0-9.]+) ms");
    const QString cost = iteration.match(QString::fromUtf8(simulated.out)).captured(1);
    QVERIFY2(!cost.isEmpty() && written.err.contains((cost + " ms per iteration").toUtf8()), written.err);
    VERIFY_STATUS(problem_.run({"export", "dapple.plan.json", "pytorch"}), 2);
    // Options that would do nothing are refused; a plan that fits is kept as well.
    VERIFY_STATUS(problem_.run({"export", "dapple.plan.json", "stages", "--nearest"}), 2);
    const QStringList keep{"--nearest-plan", "kept.plan.json"};
    VERIFY_STATUS(problem_.run(QStringList{"export", "near.plan.json", "megatron"} + keep + inputs), 2);
    VERIFY_STATUS(problem_.run(QStringList{"export", "near.plan.json", "megatron", "--nearest"} + keep + inputs), 0);
    VERIFY_STATUS(problem_.run({"validate", "kept.plan.json"}), 0);
  }

 private:
  /// Runs what stands in the last block of a report; iteration times are those of the comparison, in its order.
  void compare_with_commands(const QByteArray& report, int least) {
    const QByteArray commands = report.mid(report.indexOf("```sh") + 5).replace("```", "");
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", QFileInfo(PIPEDECK_CLI).path() + ":" + environment.value("PATH"));
    shell.setProcessEnvironment(environment);
    shell.setWorkingDirectory(problem_.folder());
    shell.start("bash", {"-euc", commands});
    QVERIFY(shell.waitForFinished(60000));
    QVERIFY2(shell.exitCode() == 0, shell.readAllStandardError() + commands);
    QStringList simulated, told;
    static const QRegularExpression iteration("\niteration ([0-9.]+) ms");
    for (auto found = iteration.globalMatch(QString::fromUtf8(shell.readAllStandardOutput())); found.hasNext();)
      simulated << found.next().captured(1);
    const QString table = QString::fromUtf8(report).section("| Plan |", 1).section("\n\n", 0, 0);
    for (const QString& row : table.split('\n').mid(2))
      if (const QString time = row.section('|', 6, 6).trimmed(); time != "-" && !time.isEmpty()) told << time;
    QVERIFY(told.size() >= least);
    QCOMPARE(simulated, told);
  }

  SmallProblem problem_;
};

PIPEDECK_TEST(TestCliExport)

}  // namespace pipedeck::tst_cli_export

#include "tst_cli_export.moc"
