// SPDX-License-Identifier: Apache-2.0
// The whole way on the command line: measure, plan, simulate, run; and a run that is stopped.
#include <signal.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/core/io/traces/trace_checker.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_run {

using pipedeck::test::Answer;
using pipedeck::test::send_signal;
using pipedeck::test::SmallProblem;

const QStringList measured_inputs{"--profile", "mlp.profile.json", "--cluster", "cpu.cluster.json"};

QList<QJsonObject> events_of(const QByteArray& lines) {
  QList<QJsonObject> events;
  for (const QByteArray& line : lines.split('\n'))
    if (!line.isEmpty()) events << QJsonDocument::fromJson(line).object();
  return events;
}

/// Returns the loss of each step.
QList<double> losses_in(const QByteArray& events) {
  QList<double> losses;
  for (const QJsonObject& event : events_of(events))
    if (event["event"] == "step") losses << event["loss"].toDouble();
  return losses;
}

QStringList names_of(const QList<QJsonObject>& events) {
  QStringList names;
  for (const QJsonObject& event : events) names << event["event"].toString();
  return names;
}

class TestCliRun : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void a_planned_pipeline_simulates_and_trains();
  void events_go_to_standard_output_alone();
  void events_go_to_a_file_that_validates();
  void predicted_stands_beside_measured();
  void the_same_run_gives_the_same_losses();
  void a_signal_stops_the_run();
  void control_lines_pause_and_stop_the_run();
  void whoever_paused_and_went_does_not_hold_the_run();
  void the_last_word_of_a_control_needs_no_line_end();
  void samples_come_at_an_even_rate();
  void a_check_trains_nothing();
  void a_mesh_of_a_transformer_trains();
  void a_mesh_is_predicted_by_measured_layers();
  void a_plan_of_another_model_is_refused();
  void a_plan_for_another_profile_is_used_with_a_warning();
  void a_model_that_does_not_fit_together_is_named();
  void a_configuration_trains();
  void a_configuration_that_no_layer_computes_is_named();
  void weights_are_written_and_read();
  void tied_weights_are_written_once();
  void weights_that_do_not_fit_are_named();
  void data_comes_from_files();
  void data_that_does_not_fit_is_refused_before_training_data();
  void data_that_does_not_fit_is_refused_before_training();
  void a_full_disk_fails_the_run();
  void a_log_that_cannot_grow_keeps_whole_lines();
  void a_cut_log_is_read_up_to_its_last_line();

 private:
  QStringList run_command(const QString& steps) const {
    return {"run", "--plan", "two.plan.json", "--model", "preset:mlp-small", "--backend", "cpu", "--steps", steps};
  }
  /// Returns the losses of three steps on the processor.
  QList<double> losses_of(const QString& model, const QString& plan, const QStringList& more) {
    const Answer run = problem_.run(
        QStringList{"run", "--plan", plan, "--model", model, "--backend", "cpu", "--steps", "3", "--events", "-"} +
        more);
    if (run.status != 0) qWarning("%s", run.err.constData());
    return losses_in(run.out);
  }

  SmallProblem problem_;
};

void TestCliRun::initTestCase() {
  const Answer profile =
      problem_.run({"profile", "--model", "preset:mlp-small", "--backend", "cpu", "--micro-batch", "2,4,8", "-o",
                    "mlp.profile.json", "--cluster-out", "cpu.cluster.json", "--devices", "2"});
  VERIFY_STATUS(profile, 0);
  VERIFY_STATUS((problem_.run({"validate", "mlp.profile.json", "cpu.cluster.json"})), 0);
  const Answer plan = problem_.run(
      QStringList{"plan", "--planner", "gpipe", "--global-batch", "16", "--micro-batch", "4", "-o", "two.plan.json"} +
      measured_inputs);
  VERIFY_STATUS(plan, 0);
}

void TestCliRun::a_planned_pipeline_simulates_and_trains() {
  VERIFY_STATUS((problem_.run(QStringList{"simulate", "--plan", "two.plan.json", "--json"} + measured_inputs)), 0);
  const Answer run = problem_.run(run_command("5"));
  VERIFY_STATUS(run, 0);
  QVERIFY2(run.out.contains("finished after 5 steps"), run.out);
}

void TestCliRun::events_go_to_standard_output_alone() {
  const Answer run = problem_.run(run_command("4") + QStringList{"--events", "-", "--timeline-every", "2"});
  VERIFY_STATUS(run, 0);
  const QList<QJsonObject> events = events_of(run.out);
  const QStringList names = names_of(events);
  QCOMPARE(names.first(), "started");
  QCOMPARE(names.last(), "finished");
  QCOMPARE(names.count("step"), 4);
  QCOMPARE(names.count("timeline"), 2);
  QCOMPARE(names.count(QString()), 0);
}

void TestCliRun::events_go_to_a_file_that_validates() {
  const Answer run = problem_.run(run_command("3") + QStringList{"--events", "run.jsonl", "--timeline-every", "3"});
  VERIFY_STATUS(run, 0);
  QVERIFY(run.out.contains("finished"));
  const Answer valid = problem_.run({"validate", "run.jsonl"});
  VERIFY_STATUS(valid, 0);
  QVERIFY2(valid.out.contains("run-log"), valid.out);
  VERIFY_STATUS((problem_.run({"convert", "run.jsonl", "run.trace.json"})), 0);
  const QByteArray trace = problem_.read("run.trace.json");
  QVERIFY(trace.contains("backward"));
  const std::string fault = pipedeck::test::trace_fault(trace.toStdString());
  QVERIFY2(fault.empty(), fault.c_str());
  VERIFY_STATUS((problem_.run({"diff", "run.jsonl", "run.jsonl"})), 0);
}

void TestCliRun::predicted_stands_beside_measured() {
  const Answer run = problem_.run(run_command("6") + measured_inputs);
  VERIFY_STATUS(run, 0);
  for (const char* word : {"predicted ms", "measured ms", "forward", "backward", "idle", "iteration"})
    QVERIFY2(run.out.contains(word), run.out);
}

void TestCliRun::the_same_run_gives_the_same_losses() {
  const auto losses = [&] { return losses_in(problem_.run(run_command("5") + QStringList{"--events", "-"}).out); };
  const QList<double> first = losses();
  QCOMPARE(first.size(), 5);
  QCOMPARE(losses(), first);
}

/// A plan of version 2 is predicted by layers that were measured, and by the layers of its own stages.
void TestCliRun::a_mesh_is_predicted_by_measured_layers() {
  problem_.write("llama.config.json",
                 R"({"model_type": "llama", "hidden_size": 128, "intermediate_size": 344, "num_hidden_layers": 4,
                     "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 128,
                     "max_position_embeddings": 32, "rms_norm_eps": 1e-5})");
  VERIFY_STATUS((problem_.run({"convert", "llama.config.json", "-o", "llama.profile.json", "--sequence", "32"})), 0);
  VERIFY_STATUS((problem_.run({"profile", "--model", "preset:llama-tiny", "--backend", "cpu", "--micro-batch", "2",
                               "--tensor-parallel", "2", "-o", "here.profile.json", "--cluster-out",
                               "here.cluster.json", "--devices", "4"})),
                0);
  const auto plan = [&](const QStringList& pins) {
    return problem_.run(QStringList{"plan", "--planner", "mesh", "--profile", "llama.profile.json", "--cluster",
                                    "preset:4-rtx-4090", "--global-batch", "8", "--pp", "1", "-o", "llama.plan.json"} +
                        pins);
  };
  const QStringList run{"run",       "--plan", "llama.plan.json", "--model", "preset:llama-tiny",
                        "--backend", "cpu",    "--steps",         "4"};
  VERIFY_STATUS(plan({"--dp", "2", "--tmp", "2", "--zero", "2"}), 0);
  const Answer there =
      problem_.run(run + QStringList{"--profile", "here.profile.json", "--cluster", "here.cluster.json"});
  VERIFY_STATUS(there, 0);
  for (const char* word : {"predicted ms", "measured ms", "forward", "backward", "iteration"})
    QVERIFY2(there.out.contains(word), there.out);
  const Answer computed =
      problem_.run(run + QStringList{"--profile", "llama.profile.json", "--cluster", "preset:4-rtx-4090"});
  VERIFY_STATUS(computed, 0);
  QVERIFY2(computed.err.contains("by measured layers alone"), computed.err);
  VERIFY_STATUS(plan({"--dp", "2", "--tmp", "1", "--cp", "2"}), 0);
  const Answer context =
      problem_.run(run + QStringList{"--profile", "here.profile.json", "--cluster", "here.cluster.json"});
  VERIFY_STATUS(context, 0);
  QVERIFY2(context.err.contains("a run over context ranks is not compared with a prediction"), context.err);
  QVERIFY(!context.out.contains("predicted ms"));
  // The layers of one of its ranks predict it, and no plan with other ranks.
  const QStringList measure{"profile",
                            "--model",
                            "preset:llama-tiny",
                            "--backend",
                            "cpu",
                            "--plan",
                            "llama.plan.json",
                            "--repetitions",
                            "3",
                            "-o",
                            "rank.profile.json",
                            "--cluster-out",
                            "here.cluster.json",
                            "--devices",
                            "4"};
  VERIFY_STATUS(problem_.run(measure), 0);
  const QStringList by_rank = run + QStringList{"--profile", "rank.profile.json", "--cluster", "here.cluster.json"};
  const Answer ranks = problem_.run(by_rank);
  VERIFY_STATUS(ranks, 0);
  QVERIFY2(ranks.out.contains("predicted ms"), ranks.out);
  VERIFY_STATUS(problem_.run(measure + QStringList{"--micro-batch", "2"}), 2);
  VERIFY_STATUS(plan({"--dp", "4", "--tmp", "1", "--cp", "1"}), 0);
  const Answer other = problem_.run(by_rank);
  VERIFY_STATUS(other, 2);
  QVERIFY2(other.err.contains("expected the ranks of the profile: T 1"), other.err);
}

void TestCliRun::a_signal_stops_the_run() {
  QProcess process;
  process.setWorkingDirectory(problem_.folder());
  process.start(PIPEDECK_CLI, run_command("1000000") + QStringList{"--events", "-"});
  QByteArray lines;
  while (lines.count("\"step\"") < 2) {
    QVERIFY(process.waitForReadyRead(60000));
    lines += process.readAllStandardOutput();
  }
  QVERIFY(send_signal(process, SIGINT));
  QVERIFY(process.waitForFinished(30000));
  lines += process.readAllStandardOutput();
  QCOMPARE(process.exitStatus(), QProcess::NormalExit);
  QCOMPARE(process.exitCode(), 130);
  const QList<QJsonObject> events = events_of(lines);
  QCOMPARE(events.last()["event"].toString(), "finished");
  QVERIFY(events.last()["stopped"].toBool());
}

void TestCliRun::control_lines_pause_and_stop_the_run() {
  QProcess process;
  process.setWorkingDirectory(problem_.folder());
  process.start(PIPEDECK_CLI, run_command("100000000") + QStringList{"--events", "-", "--control", "-"});
  QByteArray lines;
  const auto wait_for = [&](const QByteArray& event) {
    while (!lines.contains("\"event\":\"" + event)) {
      if (!process.waitForReadyRead(60000)) return false;
      lines += process.readAllStandardOutput();
    }
    return true;
  };
  QVERIFY(wait_for("step"));
  process.write("pause\n");
  QVERIFY(wait_for("paused"));
  lines.clear();
  QVERIFY(!process.waitForReadyRead(500));  // it waits: not a step more
  process.write("resume\npau");
  QVERIFY(wait_for("resumed"));
  QVERIFY(wait_for("step"));
  process.write("se\nnonsense\nstop\n");  // words in pieces, and one that is none
  QVERIFY(process.waitForFinished(60000));
  QCOMPARE(process.exitCode(), 130);
  lines += process.readAllStandardOutput();
  QVERIFY(events_of(lines).last()["stopped"].toBool());
  const QByteArray said = process.readAllStandardError();
  QVERIFY2(said.contains("found nonsense, expected pause, resume or stop"), said);
}

void TestCliRun::whoever_paused_and_went_does_not_hold_the_run() {
  QProcess process;
  process.setWorkingDirectory(problem_.folder());
  process.start(PIPEDECK_CLI, run_command("30") + QStringList{"--events", "-", "--control", "-"});
  process.write("pause\n");
  process.closeWriteChannel();
  QVERIFY(process.waitForFinished(60000));
  QCOMPARE(process.exitCode(), 0);
  const Answer file = problem_.run(run_command("3") + QStringList{"--control", "two.plan.json"});
  VERIFY_STATUS(file, 2);
  QVERIFY2(file.err.contains("named pipe"), file.err);
}

/// Words without a line end, and noise without any.
void TestCliRun::the_last_word_of_a_control_needs_no_line_end() {
  QProcess process;
  process.setWorkingDirectory(problem_.folder());
  process.start(PIPEDECK_CLI, run_command("100000000") + QStringList{"--control", "-"});
  process.write(QByteArray(100000, 'x') + QByteArray("\x1b[2J\n").repeated(1000) + "stop");
  process.closeWriteChannel();
  QVERIFY(process.waitForFinished(60000));
  QCOMPARE(process.exitCode(), 130);
  const QByteArray said = process.readAllStandardError();
  QCOMPARE(said.count("--control: found "), 10);
  QVERIFY2(said.size() < 2000 && !said.contains('\x1b'), said);
}

void TestCliRun::samples_come_at_an_even_rate() {
  const Answer run = problem_.run(run_command("3000") + QStringList{"--events", "-", "--sample-every", "10"});
  VERIFY_STATUS(run, 0);
  double last = 0, seconds = 0;
  int samples = 0, steps = 0;
  for (const QJsonObject& event : events_of(run.out)) {
    if (event["event"] == "finished") seconds = event["duration_ms"].toDouble() / 1000;
    steps += event["event"] == "step";
    if (event["event"] != "sample") continue;
    ++samples;
    QVERIFY(event["time_ms"].toDouble() > last);
    last = event["time_ms"].toDouble();
    QCOMPARE(event["busy_fraction"].toArray().size(), 2);
    QVERIFY(event["memory_bytes"].toArray()[0].toDouble() > 0);
  }
  QCOMPARE(steps, 3000);
  QVERIFY2(samples >= 2 && samples > seconds * 20, qPrintable(QString("%1 in %2 s").arg(samples).arg(seconds)));
}

void TestCliRun::a_check_trains_nothing() {
  const Answer ready = problem_.run(run_command("1000000") + QStringList{"--check", "--cores", "0,0"});
  VERIFY_STATUS(ready, 0);
  QVERIFY2(ready.out.startsWith("ready: mlp-small with "), ready.out);
  const Answer data = problem_.run(run_command("1") + QStringList{"--check", "--data", "text:absent.txt"});
  VERIFY_STATUS(data, 2);
  QVERIFY2(data.err.contains("absent.txt"), data.err);
  const Answer few = problem_.run(run_command("1") + QStringList{"--check", "--cores", "0"});
  VERIFY_STATUS(few, 2);
  QVERIFY2(few.err.contains("--cores: found 1 cores, expected 2"), few.err);
}

/// A configuration of gpt-tiny's sizes: its layers, and so the plan for them, are the preset's and end in the loss.
void TestCliRun::a_mesh_of_a_transformer_trains() {
  problem_.write("tiny.json", R"({"model_type": "gpt2", "n_embd": 128, "n_layer": 8, "n_head": 4, "n_positions": 32,
                                  "vocab_size": 128, "n_inner": 512, "activation_function": "gelu_new"})");
  VERIFY_STATUS((problem_.run({"convert", "tiny.json", "-o", "tiny.profile.json", "--sequence", "32"})), 0);
  VERIFY_STATUS((problem_.run({"plan", "--planner", "mesh", "--profile", "tiny.profile.json", "--cluster",
                               "preset:8-h100-sxm", "--global-batch", "16", "--pp", "2", "--dp", "4", "--tmp", "1",
                               "--zero", "3", "-o", "mesh.plan.json"})),
                0);
  const QStringList command{"run",       "--plan", "mesh.plan.json", "--model", "preset:gpt-tiny",
                            "--backend", "cpu",    "--steps",        "2"};
  const Answer check = problem_.run(command + QStringList{"--check"});
  VERIFY_STATUS(check, 0);
  QVERIFY(check.err.contains("the plan's products are in bf16: this run computes them in fp32"));
  QVERIFY2(check.err.contains("not in this run, without effect on the weights: padding of the vocabulary"), check.err);
  QVERIFY2(check.out.contains("changes in training: nothing"), check.out);
  const Answer simulated = problem_.run({"simulate", "--plan", "mesh.plan.json", "--profile", "tiny.profile.json",
                                         "--cluster", "preset:8-h100-sxm", "--json"});
  VERIFY_STATUS(simulated, 0);
  const QJsonObject answer = QJsonDocument::fromJson(simulated.out).object();
  QVERIFY(answer.contains("changes_in_training") && answer["changes_in_training"].toArray().isEmpty());
  const Answer run = problem_.run(command + QStringList{"--events", "mesh.events"});
  VERIFY_STATUS(run, 0);
  QVERIFY(run.err.contains("the plan's products are in bf16"));
  QVERIFY(run.out.contains("finished after 2 steps"));

  VERIFY_STATUS((problem_.run({"plan", "--planner", "mesh", "--profile", "tiny.profile.json", "--cluster",
                               "preset:8-h100-sxm", "--global-batch", "16", "--pp", "2", "--dp", "2", "--tmp", "1",
                               "--cp", "2", "-o", "context.plan.json"})),
                0);
  const Answer context = problem_.run({"run", "--plan", "context.plan.json", "--model", "preset:gpt-tiny", "--backend",
                                       "cpu", "--steps", "2", "--check"});
  VERIFY_STATUS(context, 2);
  QVERIFY2(context.err.contains("/layers/1: layer 'block_0' (transformer) needs all positions"), context.err);
}

void TestCliRun::a_plan_of_another_model_is_refused() {
  const Answer run = problem_.run({"run", "--plan", "plan.json", "--model", "preset:mlp-small", "--backend", "cpu",
                                   "--steps", "1", "--events", "none.jsonl"});
  VERIFY_STATUS(run, 2);
  QVERIFY2(run.err.contains("plan.json: /stages/1/layers/1"), run.err);
  QVERIFY(!QFile::exists(problem_.path("none.jsonl")));
}

void TestCliRun::a_plan_for_another_profile_is_used_with_a_warning() {
  QByteArray plan = problem_.read("two.plan.json");
  const qsizetype at = plan.indexOf("\"profile_sha256\": \"") + 19;
  plan.replace(at, 64, QByteArray(64, '0'));
  problem_.write("other.plan.json", plan);
  const Answer run = problem_.run(QStringList{"run", "--plan", "other.plan.json", "--model", "preset:mlp-small",
                                              "--backend", "cpu", "--steps", "1"} +
                                  measured_inputs);
  VERIFY_STATUS(run, 0);
  QVERIFY2(run.err.contains("other.plan.json: the plan was made for another profile"), run.err);
  QVERIFY2(!run.err.contains("another cluster"), run.err);
}

void TestCliRun::a_model_that_does_not_fit_together_is_named() {
  const auto model = [](const char* data, int in) {
    return QByteArray(R"({"format": "pipedeck.model", "version": 1, "name": "m", "data": )") + data +
           R"(, "layers": [{"name": "a", "kind": "linear", "in": )" + QByteArray::number(in) +
           R"(, "out": 8}, {"name": "b", "kind": "linear", "in": 8, "out": 4},
               {"name": "loss", "kind": "softmax_cross_entropy", "classes": 5}]})";
  };
  problem_.write("m.plan.json", R"({"format": "pipedeck.plan", "version": 1, "global_batch": 2, "micro_batch": 2,
                                    "schedule": "1f1b", "stages": [{"layers": [0, 2], "devices": [0]}]})");
  problem_.write("m.model.json", model(R"({"kind": "synthetic"})", 4));
  const Answer run =
      problem_.run({"run", "--plan", "m.plan.json", "--model", "m.model.json", "--backend", "cpu", "--steps", "1"});
  VERIFY_STATUS(run, 2);
  QVERIFY2(run.err.contains("m.model.json: /layers/2"), run.err);
  const Answer profile = problem_.run({"profile", "--model", "m.model.json", "--backend", "cpu"});
  VERIFY_STATUS(profile, 2);
  QVERIFY2(profile.err.contains("m.model.json: /layers/2"), profile.err);
}

QByteArray configuration(const QByteArray& members) {
  return R"({"_name_or_path": "own", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
             "num_key_value_heads": 2, "intermediate_size": 48, "vocab_size": 64, "max_position_embeddings": 16,
             "tie_word_embeddings": false, )" +
         members + "}";
}

QByteArray plan_of_layers(int first, int last) {
  return R"({"format": "pipedeck.plan", "version": 1, "name": "two", "micro_batch": 4, "micro_batches": 2,
             "global_batch": 8, "schedule": "1f1b", "stages": [{"layers": [0, )" +
         QByteArray::number(first) + R"(], "devices": [0]}, {"layers": [)" + QByteArray::number(first) + ", " +
         QByteArray::number(last) + R"(], "devices": [1]}]})";
}

void TestCliRun::a_configuration_trains() {
  problem_.write("llama.config.json", configuration(R"("model_type": "llama")"));
  problem_.write("mixtral.config.json", configuration(R"("model_type": "mixtral", "num_local_experts": 4)"));
  problem_.write("llama.plan.json", plan_of_layers(2, 5));
  problem_.write("mixtral.plan.json", plan_of_layers(3, 7));
  for (const QString name : {"llama", "mixtral"}) {
    const QStringList command{"run",       "--plan", name + ".plan.json", "--model", name + ".config.json",
                              "--backend", "cpu",    "--steps",           "60",      "--events",
                              "-"};
    const Answer run = problem_.run(command);
    VERIFY_STATUS(run, 0);
    const QList<double> losses = losses_in(run.out);
    QCOMPARE(losses.size(), 60);
    QVERIFY(losses.last() < 0.9 * losses.first());
    const Answer shorter = problem_.run(command + QStringList{"--sequence", "8", "--check"});
    VERIFY_STATUS(shorter, 0);
  }
}

void TestCliRun::a_configuration_that_no_layer_computes_is_named() {
  problem_.write("llama.plan.json", plan_of_layers(2, 5));
  const auto refused = [&](const QByteArray& members, const QStringList& more, const QByteArray& expected) {
    problem_.write("other.config.json", configuration(members));
    const Answer run = problem_.run(QStringList{"run", "--plan", "llama.plan.json", "--model", "other.config.json",
                                                "--backend", "cpu", "--steps", "1"} +
                                    more);
    if (run.status != 2) qWarning("status %d", run.status);
    if (!run.err.contains(expected)) qWarning("%s", run.err.constData());
    return run.status == 2 && run.err.contains(expected);
  };
  QVERIFY(refused(R"("model_type": "llama", "rope_scaling": {"rope_type": "yarn"})", {},
                  "other.config.json: /rope_scaling/rope_type: found \"yarn\""));
  QVERIFY(refused(R"("model_type": "llama", "mlp_bias": true)", {},
                  "other.config.json: found a bias of the feed-forward (mlp_bias)"));
  QVERIFY(refused(R"("model_type": "gpt_neox")", {}, "other.config.json: /model_type: found \"gpt_neox\""));
  const Answer preset = problem_.run({"run", "--plan", "llama.plan.json", "--model", "preset:mlp-small", "--backend",
                                      "cpu", "--steps", "1", "--sequence", "4"});
  VERIFY_STATUS(preset, 2);
  QVERIFY2(preset.err.contains("--sequence: found the model preset:mlp-small"), preset.err);
}

void TestCliRun::weights_are_written_and_read() {
  problem_.write("mixtral.config.json", configuration(R"("model_type": "mixtral", "num_local_experts": 4)"));
  problem_.write("mixtral.plan.json", plan_of_layers(3, 7));
  problem_.write("cut.plan.json", R"({"format": "pipedeck.plan", "version": 1, "name": "cut", "micro_batch": 4,
    "micro_batches": 2, "global_batch": 8, "schedule": "1f1b", "optimizer": "sgd",
    "stages": [{"layers": [0, 7], "devices": [0, 1], "tensor_parallel": 2}]})");
  const auto losses = [&](const QString& plan, const QStringList& more) {
    return losses_of("mixtral.config.json", plan, more);
  };
  const QList<double> first = losses("mixtral.plan.json", {"--save-weights", "a.safetensors"});
  QCOMPARE(first.size(), 3);
  // Another plan continues where the first one ended: the first step's loss is that of the weights that it read.
  const QList<double> next = losses("cut.plan.json", {"--weights", "a.safetensors", "--save-weights", "b.safetensors"});
  const QList<double> same = losses("mixtral.plan.json", {"--weights", "a.safetensors"});
  QCOMPARE(next.size(), 3);
  QVERIFY(std::abs(next[0] - same[0]) < 1e-5 && next[0] < first[0]);
  QVERIFY(problem_.read("a.safetensors") != problem_.read("b.safetensors"));
  QVERIFY(problem_.read("a.safetensors").contains("model.layers.1.block_sparse_moe.experts.3.w2.weight"));
}

/// A file of a tied model has one table, and the next run begins with the same loss on another plan.
void TestCliRun::tied_weights_are_written_once() {
  problem_.write("tied.config.json", configuration(R"("model_type": "qwen2")").replace("false", "true"));
  problem_.write("tied.plan.json", plan_of_layers(2, 5));
  problem_.write("one.plan.json", R"({"format": "pipedeck.plan", "version": 1, "name": "one", "micro_batch": 4,
    "micro_batches": 2, "global_batch": 8, "schedule": "1f1b", "stages": [{"layers": [0, 5], "devices": [0]}]})");
  const auto losses = [&](const QString& plan, const QStringList& more) {
    return losses_of("tied.config.json", plan, more);
  };
  const QList<double> first = losses("tied.plan.json", {"--save-weights", "tied.safetensors"});
  QVERIFY(problem_.read("tied.safetensors").contains("model.embed_tokens.weight"));
  QVERIFY(!problem_.read("tied.safetensors").contains("lm_head.weight"));
  const QList<double> one = losses("one.plan.json", {"--weights", "tied.safetensors"}),
                      two = losses("tied.plan.json", {"--weights", "tied.safetensors"});
  QCOMPARE(one.size(), 3);
  QVERIFY(two.size() == 3 && one[0] < first[0]);
  for (int i = 0; i < 3; ++i) QVERIFY(std::abs(one[i] - two[i]) < 1e-5 * one[i]);
}

void TestCliRun::weights_that_do_not_fit_are_named() {
  problem_.write("llama.config.json", configuration(R"("model_type": "llama")"));
  problem_.write("qwen.config.json", configuration(R"("model_type": "qwen2")"));
  problem_.write("deep.config.json", configuration(R"("model_type": "llama")").replace("_layers\": 2", "_layers\": 3"));
  problem_.write("wide.config.json", configuration(R"("model_type": "llama")").replace("_size\": 48", "_size\": 40"));
  problem_.write("llama.plan.json", plan_of_layers(2, 5));
  problem_.write("deep.plan.json", plan_of_layers(2, 6));
  const auto run = [&](const QString& model, const QString& plan, const QStringList& more) {
    return problem_.run(QStringList{"run", "--plan", plan, "--model", model, "--backend", "cpu", "--steps", "1"} +
                        more);
  };
  VERIFY_STATUS(run("llama.config.json", "llama.plan.json", {"--save-weights", "llama.safetensors"}), 0);
  VERIFY_STATUS(run("qwen.config.json", "llama.plan.json", {"--save-weights", "qwen.safetensors"}), 0);
  const auto refused = [&](const QString& model, const QString& plan, const QString& file, const QByteArray& expected) {
    const Answer answer = run(model, plan, {"--weights", file});
    if (!answer.err.contains(expected)) qWarning("%s", answer.err.constData());
    return answer.status == 2 && answer.err.contains(expected);
  };
  QVERIFY(refused("qwen.config.json", "llama.plan.json", "llama.safetensors",
                  "llama.safetensors: found no tensor model.layers.0.self_attn.q_proj.bias, expected one of shape [32] "
                  "for layer 'block_0'"));
  QVERIFY(refused("llama.config.json", "llama.plan.json", "qwen.safetensors",
                  "found the tensor model.layers.0.self_attn.k_proj.bias, expected only"));
  QVERIFY(refused("deep.config.json", "deep.plan.json", "llama.safetensors",
                  "found no tensor model.layers.2.input_layernorm.weight"));
  QVERIFY(refused("wide.config.json", "llama.plan.json", "llama.safetensors",
                  "tensor model.layers.0.mlp.gate_proj.weight: found the shape [48, 32], expected [40, 32]"));
  QVERIFY(refused("llama.config.json", "llama.plan.json", "none.safetensors", "none.safetensors: found no such file"));
  QByteArray cut = problem_.read("llama.safetensors");
  cut.chop(4);
  problem_.write("cut.safetensors", cut);
  QVERIFY(refused("llama.config.json", "llama.plan.json", "cut.safetensors", "cut.safetensors: found "));
  const Answer other = run("preset:mlp-small", "llama.plan.json", {"--save-weights", "x.safetensors"});
  VERIFY_STATUS(other, 2);
}

void TestCliRun::data_comes_from_files() {
  problem_.write("gpt.plan.json",
                 R"({"format": "pipedeck.plan", "version": 1, "name": "one", "micro_batch": 4, "micro_batches": 2,
                     "global_batch": 8, "schedule": "gpipe", "stages": [{"layers": [0, 6], "devices": [0]}]})");
  problem_.write("a.txt", QByteArray(1000, 'a'));
  const QStringList command{"run", "--plan", "gpt.plan.json", "--model",    "preset:gpt-bytes", "--backend",
                            "cpu", "--data", "text:a.txt",    "--evaluate", "text:a.txt",       "--steps"};
  const Answer run = problem_.run(command + QStringList{"40"});
  VERIFY_STATUS(run, 0);
  QVERIFY2(run.out.contains("text:a.txt: loss 0.0") && run.out.contains("accuracy 100.00 % on 1024 samples"), run.out);
  const Answer events = problem_.run(command + QStringList{"1", "--events", "-"});
  VERIFY_STATUS(events, 0);
  QVERIFY(!events.out.contains("accuracy") && events.err.contains("accuracy"));
}

void TestCliRun::data_that_does_not_fit_is_refused_before_training_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QByteArray>("words");
  QTest::newRow("no such kind") << QStringList{"--data", "film:x"} << QByteArray("--data: found the data 'film:x'");
  QTest::newRow("no file") << QStringList{"--data", "idx:no-images"} << QByteArray("no-images: can't be opened");
  QTest::newRow("text for numbers") << QStringList{"--data", "text:two.plan.json"}
                                    << QByteArray("text needs a model that begins with an embedding");
  QTest::newRow("no image file") << QStringList{"--data", "idx:two.plan.json"} << QByteArray("expected 00 00 08 03");
  QTest::newRow("evaluated on nothing") << QStringList{"--evaluate", "images:nowhere"}
                                        << QByteArray("nowhere: found no folder");
}

void TestCliRun::data_that_does_not_fit_is_refused_before_training() {
  QFETCH(QStringList, options);
  QFETCH(QByteArray, words);
  const Answer run = problem_.run(run_command("5") + options);
  VERIFY_STATUS(run, 2);
  QVERIFY2(run.err.contains(words), run.err);
  QVERIFY2(!run.out.contains("step"), run.out);
}

void TestCliRun::a_full_disk_fails_the_run() {
  const Answer run = problem_.run(run_command("1000000") + QStringList{"--events", "/dev/full"});
  VERIFY_STATUS(run, 4);
  QVERIFY2(run.err.contains("/dev/full: events can't be written: No space left"), run.err);
}

/// The line that did not fit is not left behind in part.
void TestCliRun::a_log_that_cannot_grow_keeps_whole_lines() {
  const QStringList command{"-c", "ulimit -f 16; exec \"$@\"", "sh", PIPEDECK_CLI};
  const Answer run = pipedeck::test::run_program(
      "sh", command + run_command("1000000") + QStringList{"--events", "cut.jsonl"}, problem_.folder(), {});
  VERIFY_STATUS(run, 4);
  QVERIFY2(run.err.contains("cut.jsonl: events can't be written: File too large"), run.err);
  QVERIFY(problem_.read("cut.jsonl").endsWith("}\n"));
  const Answer valid = problem_.run({"validate", "cut.jsonl"});
  VERIFY_STATUS(valid, 0);
  QVERIFY2(valid.err.isEmpty(), valid.err);
}

void TestCliRun::a_cut_log_is_read_up_to_its_last_line() {
  VERIFY_STATUS((problem_.run(run_command("3") + QStringList{"--events", "whole.jsonl"})), 0);
  const QByteArray lines = problem_.read("whole.jsonl");
  problem_.write("half.jsonl", lines.chopped(20));
  for (const QStringList& command :
       {QStringList{"validate", "half.jsonl"}, QStringList{"diff", "half.jsonl", "half.jsonl"},
        QStringList{"export", "half.jsonl", "steps", "-o", "-"},
        QStringList{"convert", "half.jsonl", "mended.jsonl"}}) {
    const Answer answer = problem_.run(command);
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.err.contains("warning: half.jsonl: line "), answer.err);
  }
  QCOMPARE(problem_.read("mended.jsonl"), lines.left(lines.lastIndexOf("\n", -2) + 1));
}

PIPEDECK_TEST(TestCliRun)

}  // namespace pipedeck::tst_cli_run

#include "tst_cli_run.moc"
