// SPDX-License-Identifier: Apache-2.0
// Checkpoints on the command line: kept, listed, checked, resumed; and what is refused before anything is trained.
#include <signal.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_checkpoint {

using pipedeck::test::Answer;
using pipedeck::test::send_signal;
using pipedeck::test::SmallProblem;

// moc loses the namespace behind literals whose braces are not balanced.

/// Four layers, whose third is so wide.
QByteArray model_of(int width, const QByteArray& data_seed = "1") {
  return QByteArray(R"({"format": "pipedeck.model", "version": 1, "name": "small", "layers": [
    {"name": "a", "kind": "linear", "in": 6, "out": 16, "sequence": 1, "activation": 1},
    {"name": "b", "kind": "linear", "in": 16, "out": WIDTH, "sequence": 1, "activation": 1},
    {"name": "c", "kind": "linear", "in": WIDTH, "out": 16, "sequence": 1, "activation": 1},
    {"name": "d", "kind": "linear", "in": 16, "out": 4, "sequence": 1, "activation": 1},
    {"name": "loss", "kind": "softmax_cross_entropy", "classes": 4, "sequence": 1}],
    "data": {"kind": "synthetic", "seed": SEED}, "learning_rate": 0.01, "seed": 3})")
      .replace("WIDTH", QByteArray::number(width))
      .replace("SEED", data_seed);
}

QByteArray plan_of(const QByteArray& stages, const QByteArray& optimizer = "adam") {
  return QByteArray(R"({"format": "pipedeck.plan", "version": 1, "name": "by hand", "planner": "hand", "profile": "p",
    "cluster": "c", "global_batch": 8, "micro_batch": 4, "micro_batches": 2, "schedule": "1f1b", "warmup": "A",
    "optimizer": "OPTIMIZER", "precision": "fp32", "zero": 0, "stages": [STAGES]})")
      .replace("OPTIMIZER", optimizer)
      .replace("STAGES", stages);
}

QByteArray stage(int first, int last, const QByteArray& devices) {
  return QString(R"({"layers": [%1, %2], "devices": [%3], "tensor_parallel": 1, "recompute": false})")
      .arg(first)
      .arg(last)
      .arg(QString::fromUtf8(devices))
      .toUtf8();
}

QJsonArray json_of(const Answer& answer) { return QJsonDocument::fromJson(answer.out).array(); }

class TestCliCheckpoint : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void a_run_goes_on_where_it_was();
  void another_plan_goes_on();
  void a_folder_says_what_is_in_it();
  void damage_is_named_and_passed_over();
  void a_stopped_run_says_how_to_go_on();
  void a_run_that_diverges_keeps_its_last_numbers();
  void a_device_without_memory_is_named();
  void a_model_larger_than_the_machine_is_named();
  void what_is_wrong_is_said_before_anything_is_written_data();
  void what_is_wrong_is_said_before_anything_is_written();
  void what_another_run_writes_into_is_refused();

 private:
  QStringList run_command(int steps, const QString& plan = "two.plan.json", const QString& model = "m.model.json") {
    return {"run", "--plan", plan, "--model", model, "--backend", "cpu", "--steps", QString::number(steps)};
  }
  /// Returns the content of the files of the last step in a folder, without their headers.
  QList<QByteArray> values_in(const QString& folder);
  void copy_folder(const QString& from, const QString& to);
  SmallProblem problem_;
};

void TestCliCheckpoint::initTestCase() {
  problem_.write("m.model.json", model_of(12));
  problem_.write("two.plan.json", plan_of(stage(0, 2, "0") + "," + stage(2, 4, "1")));
  problem_.write("three.plan.json", plan_of(stage(0, 1, "0, 1") + "," + stage(1, 4, "2")));
  problem_.write("sgd.plan.json", plan_of(stage(0, 2, "0") + "," + stage(2, 4, "1"), "sgd"));
  VERIFY_STATUS(problem_.run(run_command(6) + QStringList{"--checkpoint", "kept", "--checkpoint-every", "2"}), 0);
}

QList<QByteArray> TestCliCheckpoint::values_in(const QString& folder) {
  const QDir last(problem_.path(folder) + "/" + QDir(problem_.path(folder)).entryList({"step-*"}).last());
  QList<QByteArray> values;
  for (const QString& name : last.entryList({"*.pdck"})) {
    QFile file(last.filePath(name));
    if (!file.open(QIODevice::ReadOnly)) continue;
    const QByteArray content = file.readAll();
    quint64 header = 0;
    std::memcpy(&header, content.constData() + 12, sizeof header);
    values << content.mid(static_cast<qsizetype>(24 + header));
  }
  return values;
}

void TestCliCheckpoint::copy_folder(const QString& from, const QString& to) {
  for (const QString& step : QDir(problem_.path(from)).entryList({"step-*"})) {
    QVERIFY(QDir().mkpath(problem_.path(to) + "/" + step));
    for (const QString& name : QDir(problem_.path(from) + "/" + step).entryList(QDir::Files))
      QVERIFY(QFile::copy(problem_.path(from) + "/" + step + "/" + name, problem_.path(to) + "/" + step + "/" + name));
  }
}

void TestCliCheckpoint::a_run_goes_on_where_it_was() {
  VERIFY_STATUS(problem_.run(run_command(4) + QStringList{"--checkpoint", "four"}), 0);
  const Answer on =
      problem_.run(run_command(6) + QStringList{"--resume", "four", "--checkpoint-every", "1", "--events", "on.jsonl"});
  VERIFY_STATUS(on, 0);
  QVERIFY2(on.err.contains("resuming from step 4"), on.err);
  QCOMPARE(values_in("four"), values_in("kept"));
  QVERIFY(problem_.read("on.jsonl").contains("\"event\":\"checkpoint\",\"step\":6"));
  VERIFY_STATUS((problem_.run({"validate", "on.jsonl"})), 0);
}

void TestCliCheckpoint::another_plan_goes_on() {
  const Answer on =
      problem_.run(run_command(9, "three.plan.json") + QStringList{"--resume", "kept", "--checkpoint", "other"});
  VERIFY_STATUS(on, 0);
  QVERIFY(on.out.contains("finished after 9 steps"));
  QCOMPARE(QDir(problem_.path("other")).entryList({"step-*"}), QStringList{"step-0000000009"});
}

void TestCliCheckpoint::a_folder_says_what_is_in_it() {
  const Answer text = problem_.run({"list", "checkpoints", "kept"});
  VERIFY_STATUS(text, 0);
  for (const char* word : {"small", "by hand", "adam", "complete", "48"}) QVERIFY2(text.out.contains(word), text.out);
  const Answer list = problem_.run({"list", "checkpoints", "kept", "--json"});
  QCOMPARE(json_of(list).size(), 3);
  QCOMPARE(json_of(list)[0].toObject()["step"].toInt(), 6);
  QVERIFY(json_of(list)[0].toObject()["complete"].toBool());
  QCOMPARE(json_of(list)[0].toObject()["files"].toInt(), 2);
  const Answer valid = problem_.run({"validate", "kept", "kept/step-0000000006/worker-1.pdck"});
  VERIFY_STATUS(valid, 0);
  QVERIFY2(valid.out.contains("device 1, layers 'c', 'd'"), valid.out);
  VERIFY_STATUS((problem_.run({"list", "checkpoints"})), 2);
  VERIFY_STATUS((problem_.run({"list", "planners", "kept"})), 2);
  VERIFY_STATUS((problem_.run({"list", "checkpoints", "nowhere"})), 2);
}

void TestCliCheckpoint::damage_is_named_and_passed_over() {
  copy_folder("kept", "hurt");
  QFile part(problem_.path("hurt/step-0000000006/worker-0.pdck"));
  QVERIFY(part.resize(part.size() / 2));
  const Answer valid = problem_.run({"validate", "hurt"});
  VERIFY_STATUS(valid, 2);
  QVERIFY2(valid.err.contains("worker-0.pdck: truncated"), valid.err);
  QVERIFY2(valid.err.contains("layers 0 to 1 ('a' to 'b') missing"), valid.err);
  QVERIFY2(valid.out.contains("step 4: complete"), valid.out);
  const Answer list = problem_.run({"list", "checkpoints", "hurt", "--json"});
  QVERIFY(!json_of(list)[0].toObject()["complete"].toBool());
  const Answer on = problem_.run(run_command(6) + QStringList{"--resume", "hurt", "--checkpoint-every", "2"});
  VERIFY_STATUS(on, 0);
  QVERIFY2(on.err.contains("warning: step 6: ") && on.err.contains("resuming from step 4"), on.err);
  QCOMPARE(values_in("hurt"), values_in("kept"));
}

void TestCliCheckpoint::a_stopped_run_says_how_to_go_on() {
  QProcess process;
  process.setWorkingDirectory(problem_.folder());
  process.start(PIPEDECK_CLI, run_command(100000000) + QStringList{"--checkpoint", "stopped", "--events", "-"});
  while (!process.readAllStandardOutput().contains("\"step\"")) QVERIFY(process.waitForReadyRead(60000));
  QVERIFY(send_signal(process, SIGTERM));
  QVERIFY(process.waitForFinished(60000));
  QCOMPARE(process.exitCode(), 130);
  const QByteArray said = process.readAllStandardError();
  QVERIFY2(said.contains("resume with --resume stopped (step "), said);
  VERIFY_STATUS((problem_.run({"validate", "stopped"})), 0);
}

void TestCliCheckpoint::a_run_that_diverges_keeps_its_last_numbers() {
  // Rectifiers could end with all outputs 0.
  problem_.write("wild.model.json", model_of(12)
                                        .replace("\"activation\": 1", "\"activation\": 0")
                                        .replace("\"learning_rate\": 0.01", "\"learning_rate\": 1000"));
  const QStringList wild = run_command(40, "sgd.plan.json", "wild.model.json");
  const QStringList kept{"--checkpoint", "wild", "--checkpoint-every", "1"};
  const Answer stopped = problem_.run(wild + kept);
  VERIFY_STATUS(stopped, 4);
  QVERIFY2(stopped.err.contains("training diverged") && stopped.err.contains("resume with --resume wild"), stopped.err);
  QVERIFY2(!stopped.out.contains("nan"), stopped.out);
  VERIFY_STATUS(
      problem_.run(run_command(3, "sgd.plan.json", "wild.model.json") + QStringList{"--resume", "wild", "--check"}), 0);
  const QByteArray before = problem_.run({"validate", "wild"}).out;
  QVERIFY(QDir(problem_.path("wild")).removeRecursively());
  const Answer warned = problem_.run(wild + kept + QStringList{"--on-divergence", "warn", "--evaluate", "synthetic:5"});
  VERIFY_STATUS(warned, 0);
  QCOMPARE(warned.err.count("training diverged"), 1);
  QVERIFY2(warned.out.contains("loss nan") && !warned.out.contains("-nan"), warned.out);
  QCOMPARE(problem_.run({"validate", "wild"}).out, before);
}

void TestCliCheckpoint::a_model_larger_than_the_machine_is_named() {
  problem_.write("huge.model.json", model_of(2'000'000'000));
  for (const QStringList& more : {QStringList(), QStringList("--check")}) {
    const Answer run = problem_.run(run_command(1, "two.plan.json", "huge.model.json") + more);
    VERIFY_STATUS(run, 2);
    QVERIFY2(run.err.contains("huge.model.json: /layers/1: found a model that holds"), run.err);
  }
}

void TestCliCheckpoint::a_device_without_memory_is_named() {
  for (const char* bytes : {"100", "5200"}) {
    const Answer answer = problem_.run(run_command(3) + QStringList{"--memory-limit", bytes});
    VERIFY_STATUS(answer, 4);
    QVERIFY2(answer.err.contains("device ") && answer.err.contains("out of memory: found "), answer.err);
  }
  VERIFY_STATUS(problem_.run(run_command(3) + QStringList{"--memory-limit", "10000000"}), 0);
}

void TestCliCheckpoint::what_is_wrong_is_said_before_anything_is_written_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("expected");
  const auto row = [](const char* name, const QStringList& arguments, const QString& expected) {
    QTest::newRow(name) << arguments << expected;
  };
  row("every without folder", {"--checkpoint-every", "2"}, "--checkpoint-every needs --checkpoint DIR");
  row("keep without folder", {"--keep", "2"}, "--keep needs --checkpoint DIR");
  row("negative", {"--checkpoint", "new", "--checkpoint-every", "-3"}, "--checkpoint-every");
  row("empty name", {"--checkpoint", ""}, "found nothing, expected a value");
  row("no such folder", {"--resume", "nowhere"}, "nowhere: found no such folder");
  row("a file", {"--resume", "m.model.json"}, "m.model.json: found a file, expected a folder of checkpoints");
  row("an empty folder", {"--resume", "empty"}, "there is none at all");
  row("foreign files", {"--resume", "foreign"}, "worker-0.pdck: found a file that is no part of a checkpoint");
  row("done already", {"--resume", "kept", "--steps", "6"}, "--steps is 6, expected more than 6");
  row("another model", {"--resume", "kept", "--model", "wide.model.json"},
      "layer 1 'b' (linear): size 'out' is 12, expected 13");
  row("another optimizer", {"--resume", "kept", "--plan", "sgd.plan.json"}, "its optimizer is adam, expected sgd");
  row("another run's folder", {"--checkpoint", "kept"}, "found a checkpoint of step 6, expected none of another run");
  row("no folder can be made", {"--checkpoint", "m.model.json/kept"}, "m.model.json/kept: can't be made");
  row("a file in its place", {"--checkpoint", "m.model.json"}, "m.model.json: ");
  row("events in a folder", {"--events", "empty"}, "empty: cannot be opened for writing: Is a directory");
  row("no time", {"--timeout", "0"}, "--timeout");
  row("time that is none", {"--timeout", "nan"}, "--timeout");
  row("no memory", {"--memory-limit", "-5"}, "--memory-limit");
}

void TestCliCheckpoint::what_is_wrong_is_said_before_anything_is_written() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, expected);
  QDir(problem_.folder()).mkpath("empty");
  QDir(problem_.folder()).mkpath("foreign/step-0000000003");
  problem_.write("foreign/step-0000000003/worker-0.pdck", "something else");
  problem_.write("wide.model.json", model_of(13));
  const QStringList before = problem_.files();
  const auto kept = values_in("kept");
  QStringList command = run_command(20);
  for (const char* option : {"--steps", "--model", "--plan"}) {
    if (!arguments.contains(option)) continue;
    const auto at = command.indexOf(option);
    command.removeAt(at), command.removeAt(at);
  }
  const Answer answer = problem_.run(command + arguments);
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.contains(expected.toUtf8()), answer.err);
  QVERIFY(!answer.out.contains("step "));
  QCOMPARE(problem_.files(), before);
  QCOMPARE(values_in("kept"), kept);
}

void TestCliCheckpoint::what_another_run_writes_into_is_refused() {
  QProcess first;
  first.setWorkingDirectory(problem_.folder());
  first.start(PIPEDECK_CLI, run_command(100000000) + QStringList{"--checkpoint", "busy", "--events", "busy.jsonl"});
  while (!first.readAllStandardOutput().contains("step")) QVERIFY(first.waitForReadyRead(60000));
  problem_.write("earlier.jsonl", "of an earlier run\n");
  const Answer folder = problem_.run(run_command(3) + QStringList{"--checkpoint", "busy", "--events", "earlier.jsonl"});
  const Answer events = problem_.run(run_command(3) + QStringList{"--events", "busy.jsonl"});
  const qint64 process = first.processId();
  first.kill();
  QVERIFY(first.waitForFinished(60000));
  VERIFY_STATUS(folder, 2);
  QCOMPARE(problem_.read("earlier.jsonl"), QByteArray("of an earlier run\n"));
  QVERIFY2(folder.err.contains("under way (process " + QByteArray::number(process) + ")"), folder.err);
  VERIFY_STATUS(events, 2);
  QVERIFY2(events.err.contains("another run writes its events"), events.err);
  // A killed process leaves no lock.
  VERIFY_STATUS(problem_.run(run_command(3) + QStringList{"--checkpoint", "busy", "--events", "busy.jsonl"}), 0);
}

PIPEDECK_TEST(TestCliCheckpoint)

}  // namespace pipedeck::tst_cli_checkpoint

#include "tst_cli_checkpoint.moc"
