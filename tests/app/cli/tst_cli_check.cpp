// SPDX-License-Identifier: Apache-2.0
// check, and convert of jobs of other engines, by the real program.
#include <QJsonArray>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_check {

using namespace pipedeck::test;

QString fixture(const char* name) { return QString::fromStdString(source_dir()) + "/tests/fixtures/jobs/" + name; }

class TestCliCheck : public QObject {
  Q_OBJECT

 private slots:
  void a_job_that_keeps_the_rules() {
    const Answer answer = problem_.run({"check", fixture("llama-70b.sh"), "--cluster", "preset:8x8-h100-sxm"});
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.out.contains("0 of 17 rules broken\n64 GPUs needed\nprediction: "), answer.out);
    QVERIFY2(answer.out.contains("left out, may change time or memory: --moe-router-padding-for-fp8"), answer.out);
    QVERIFY2(answer.out.contains("understood 29 of 41 options"), answer.out);
  }

  /// The nearest values have a price each, and status and JSON have the rule.
  void a_job_that_breaks_one() {
    QByteArray list =
        "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --bf16 --seq-length 4096 "
        "--micro-batch-size 1 --global-batch-size 96 --tensor-model-parallel-size 3";
    problem_.write("job.txt", list);
    const Answer answer = problem_.run({"check", "job.txt", "--cluster", "preset:8-h100-sxm", "--gpus", "6", "--json"});
    VERIFY_STATUS(answer, 1);
    const QJsonObject report = object_of(answer.out);
    const QJsonArray broken = report["broken"].toArray(), nearest = report["nearest"].toArray();
    QCOMPARE(broken.size(), 2);
    QCOMPARE(broken[0]["rule"].toString(), QString("heads"));
    QVERIFY(broken[0]["source"].toString().contains("attention.py"));
    QVERIFY(!nearest.isEmpty());
    QCOMPARE(nearest[0]["change"].toString(), QString("tensor parallelism 2 instead of 3"));
    QVERIFY(nearest[0]["price"]["iteration_ms"].toDouble() > 0);
    QVERIFY(nearest[0]["price"]["needed_bytes"].toDouble() > 1e9);
    QVERIFY(!report.contains("prediction"));
  }

  void gpus_that_contradict_the_file() {
    problem_.write("node.sh",
                   "torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
                   "--num-attention-heads 32 --seq-length 4096 --micro-batch-size 1 --global-batch-size 64");
    for (const QStringList& command :
         {QStringList{"check", "node.sh"}, QStringList{"convert", "node.sh", "-o", "n.plan.json"}}) {
      const Answer answer = problem_.run(command + QStringList{"--gpus", "64"});
      VERIFY_STATUS(answer, 2);
      QVERIFY2(answer.err.contains("--gpus: found 64, expected 16"), answer.err);
    }
    VERIFY_STATUS(problem_.run({"check", "node.sh", "--gpus", "16"}), 0);
  }

  void files_that_are_no_jobs_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("plan") << "plan.json" << QByteArray("found a plan");
    QTest::newRow("none") << "none.sh" << QByteArray("none.sh");
    QTest::newRow("broken") << "broken.sh" << QByteArray("broken.sh: --micro-batch-size: found \"x\"");
  }
  void files_that_are_no_jobs() {
    QFETCH(QString, file);
    QFETCH(QByteArray, message);
    problem_.write("broken.sh", "--micro-batch-size x");
    const Answer answer = problem_.run({"check", file});
    VERIFY_STATUS(answer, 2);
    QVERIFY2(answer.err.contains(message), answer.err);
  }

  /// A job becomes a plan and its model's profile, which simulate takes; check predicts as much.
  void a_job_as_a_plan() {
    const QString job = fixture("mixtral.args.txt"), cluster = "preset:8x8-h100-sxm";
    const Answer written = problem_.run({"convert", job, "-o", "job.plan.json", "--gpus", "64"});
    VERIFY_STATUS(written, 0);
    QVERIFY2(written.err.trimmed().endsWith("assumed 1 value, left out nothing"), written.err);
    VERIFY_STATUS(problem_.run({"convert", job, "-o", "job.profile.json", "--device", "H100-SXM"}), 0);
    const Answer simulated = problem_.run(
        {"simulate", "--plan", "job.plan.json", "--profile", "job.profile.json", "--cluster", cluster, "--json"});
    VERIFY_STATUS(simulated, 0);
    const Answer checked = problem_.run({"check", job, "--cluster", cluster, "--json"});
    VERIFY_STATUS(checked, 0);
    const double iteration = object_of(simulated.out)["iteration_ms"].toDouble();
    QVERIFY(iteration > 0);
    QVERIFY(qAbs(object_of(checked.out)["prediction"]["iteration_ms"].toDouble() - iteration) < 1e-3 * iteration);
  }

  void what_the_file_lacks_is_asked_for() {
    const QString job = fixture("zero3.ds_config.json");
    const Answer answer = problem_.run({"convert", job, "-o", "job.plan.json"});
    VERIFY_STATUS(answer, 2);
    QVERIFY2(answer.err.contains("expected --profile P"), answer.err);
    VERIFY_STATUS(problem_.run({"convert", job, "-o", "job.plan.json", "--profile", "preset:llama-3-8b"}), 0);
    VERIFY_STATUS(problem_.run({"convert", job, "-o", "job.plan.json", "--set", "TP"}), 2);
    VERIFY_STATUS(problem_.run({"convert", "p.json", "-o", "q.json", "--gpus", "8"}), 2);
  }

 private:
  SmallProblem problem_;
};

PIPEDECK_TEST(TestCliCheck)

}  // namespace pipedeck::tst_cli_check

#include "tst_cli_check.moc"
