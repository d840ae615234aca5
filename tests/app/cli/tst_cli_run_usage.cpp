// SPDX-License-Identifier: Apache-2.0
// Options of `run` that would do nothing are refused before anything starts, with what they lack.
#include <QProcess>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_run_usage {

using pipedeck::test::Answer;
using pipedeck::test::SmallProblem;

// moc loses the namespace behind literals whose braces are not balanced.
QByteArray plan_of(const QByteArray& schedule) {
  return QByteArray(R"({"format": "pipedeck.plan", "version": 1, "name": "two stages", "planner": "hand",
    "profile": "mlp", "cluster": "here", "global_batch": 16, "micro_batch": 4, "micro_batches": 4,
    "schedule": "SCHEDULE", "optimizer": "sgd", "precision": "fp32", "zero": 0, "stages": [
    {"layers": [0, 4], "devices": [0], "tensor_parallel": 1, "recompute": false},
    {"layers": [4, 8], "devices": [1], "tensor_parallel": 1, "recompute": false}]})")
      .replace("SCHEDULE", schedule);
}

class TestCliRunUsage : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    problem_.write("sync.plan.json", plan_of("gpipe"));
    problem_.write("async.plan.json", plan_of("pipedream"));
    problem_.write("head.model.json", R"({"format": "pipedeck.model", "version": 1, "name": "one head", "layers": [
      {"name": "tokens", "kind": "embedding", "vocabulary": 16, "hidden": 8, "sequence": 4},
      {"name": "block", "kind": "transformer", "hidden": 8, "heads": 1, "feed_forward": 16, "sequence": 4},
      {"name": "loss", "kind": "softmax_cross_entropy", "classes": 8, "sequence": 4}]})");
    problem_.write("cut.plan.json", R"({"format": "pipedeck.plan", "version": 1, "name": "cut", "planner": "hand",
      "profile": "one head", "cluster": "here", "global_batch": 4, "micro_batch": 4, "micro_batches": 1,
      "schedule": "gpipe", "optimizer": "sgd", "precision": "fp32", "zero": 0,
      "stages": [{"layers": [0, 2], "devices": [0, 1], "tensor_parallel": 2, "recompute": false}]})");
    files_ = problem_.files();
  }
  void what_would_do_nothing_is_refused_data();
  void what_would_do_nothing_is_refused();
  void what_does_not_fit_is_named_data();
  void what_does_not_fit_is_named();
  void a_replay_takes_what_it_can_apply();
  void a_run_that_is_stopped_says_that_it_does_not_evaluate();

 private:
  void verify_refused();
  SmallProblem problem_;
  QStringList files_;
};

void TestCliRunUsage::what_would_do_nothing_is_refused_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QByteArray>("words");
  const QStringList model{"--plan", "sync.plan.json", "--model", "preset:mlp-small"};
  const QStringList replay{"--plan", "plan.json", "--replay", "--profile", "p.json", "--cluster", "c.json"};
  for (const char* option :
       {"--checkpoint=kept", "--resume=kept", "--keep=2", "--checkpoint-every=1", "--data=synthetic",
        "--evaluate=synthetic", "--weights=w", "--save-weights=w", "--sequence=4", "--adapter-alpha=4"})
    QTest::addRow("replay %s", option) << replay + QStringList{option}
                                       << "a replay computes nothing: " + QByteArray(option).split('=')[0];
  QTest::newRow("replay cores") << replay + QStringList{"--cores", "0"} << QByteArray("--cores: found 1 cores");
  for (const char* option : {"--network=shared", "--collectives=ring", "--reserve-bytes=1", "--communication-bytes=1",
                             "--fragmentation=0.1", "--profile-micro-batch=2", "--calibration=none.json"})
    QTest::addRow("no prediction %s", option)
        << model + QStringList{option} << QByteArray(option).split('=')[0] + " needs --profile";
  for (const char* option : {"--precision=bf16", "--oversubscribe", "--no-graphs"})
    QTest::addRow("on the processor %s", option)
        << model + QStringList{option} << QByteArray(option).split('=')[0] + " needs --backend cuda";
  QTest::newRow("samples for nobody") << model + QStringList{"--sample-every=10"}
                                      << QByteArray("--sample-every needs --events");
  QTest::newRow("timelines for nobody") << model + QStringList{"--timeline-every=1"}
                                        << QByteArray("--timeline-every needs --events or --profile");
  QTest::newRow("no buckets") << model + QStringList{"--overlap=layer", "--bucket-bytes=1000"}
                              << QByteArray("--bucket-bytes needs --overlap bucket");
  QTest::newRow("no step") << model + QStringList{"--checkpoint-every=1"} << QByteArray("needs --checkpoint DIR");
  const QStringList stale{"--plan", "async.plan.json", "--model", "preset:mlp-small"};
  for (const char* overlap : {"layer", "bucket"})
    QTest::addRow("asynchronous %s", overlap)
        << stale + QStringList{"--overlap", overlap}
        << "--overlap " + QByteArray(overlap) + ": found a plan with the schedule pipedream, expected a synchronous";
}

void TestCliRunUsage::what_would_do_nothing_is_refused() { verify_refused(); }

/// Checks the current row: refused with its message, and no new file.
void TestCliRunUsage::verify_refused() {
  QFETCH(QStringList, arguments);
  QFETCH(QByteArray, words);
  const Answer answer = problem_.run(QStringList{"run", "--backend", "cpu", "--steps", "1"} + arguments);
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.contains(words), answer.err);
  QCOMPARE(problem_.files(), files_);
}

void TestCliRunUsage::what_does_not_fit_is_named_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QByteArray>("words");
  const QStringList model{"--plan", "sync.plan.json", "--model", "preset:mlp-small"};
  QTest::newRow("layers") << QStringList{"--plan", "sync.plan.json", "--model", "preset:gpt-tiny"}
                          << QByteArray("sync.plan.json: /stages/1/layers/1: found 8 layers, expected 11");
  QTest::newRow("heads") << QStringList{"--plan", "cut.plan.json", "--model", "head.model.json"}
                         << QByteArray(
                                "cut.plan.json: /stages/0/tensor_parallel: layer 'block' (transformer) has 1 heads");
  QTest::newRow("no data") << model + QStringList{"--data", "text:none.txt"} << QByteArray("none.txt");
  QTest::newRow("no pipe") << model + QStringList{"--control", "none"} << QByteArray("none: --control: No such file");
  QTest::newRow("no folder of events") << model + QStringList{"--events", "none/run.jsonl"}
                                       << QByteArray("none/run.jsonl: cannot be opened for writing");
  QTest::newRow("cores") << model + QStringList{"--cores", "0,100000"} << QByteArray("found core 100000, expected one");
}

void TestCliRunUsage::what_does_not_fit_is_named() { verify_refused(); }

void TestCliRunUsage::a_replay_takes_what_it_can_apply() {
  const QStringList replay{"run",       "--replay", "--plan",  "plan.json", "--profile", "p.json",
                           "--cluster", "c.json",   "--steps", "1",         "--backend", "cpu"};
  const Answer ready = problem_.run(replay + QStringList{"--check"});
  VERIFY_STATUS(ready, 0);
  QVERIFY2(ready.out.startsWith("ready: "), ready.out);
  const Answer small = problem_.run(replay + QStringList{"--memory-limit", "1000"});
  VERIFY_STATUS(small, 4);
  QVERIFY2(small.err.contains("out of memory"), small.err);
}

void TestCliRunUsage::a_run_that_is_stopped_says_that_it_does_not_evaluate() {
  QProcess process;
  process.setWorkingDirectory(problem_.folder());
  process.start(PIPEDECK_CLI, {"run", "--plan", "sync.plan.json", "--model", "preset:mlp-small", "--backend", "cpu",
                               "--steps", "100000000", "--evaluate", "synthetic:3", "--control", "-"});
  process.write("stop\n");
  QVERIFY(process.waitForFinished(60000));
  QCOMPARE(process.exitCode(), 130);
  const QByteArray said = process.readAllStandardError();
  QVERIFY2(said.contains("the run was stopped: synthetic:3 was not evaluated"), said);
}

PIPEDECK_TEST(TestCliRunUsage)

}  // namespace pipedeck::tst_cli_run_usage

#include "tst_cli_run_usage.moc"
