// SPDX-License-Identifier: Apache-2.0
// Measuring on the command line: profiles with their spread and progress, cut layers, links; the best plans tried for
// real; a plan of a model that is only a profile, replayed.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_measure {

using pipedeck::test::Answer;
using pipedeck::test::SmallProblem;

QList<QJsonObject> lines_of(const QByteArray& text) {
  QList<QJsonObject> lines;
  for (const QByteArray& line : text.split('\n'))
    if (!line.isEmpty()) lines << QJsonDocument::fromJson(line).object();
  return lines;
}

class TestCliMeasure : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void a_profile_says_how_sure_it_is();
  void progress_is_told_line_by_line();
  void layers_are_measured_cut();
  void links_are_shown();
  void bad_questions_are_refused_data();
  void bad_questions_are_refused();
  void the_best_plans_are_tried();
  void a_plan_that_can_not_be_tried_says_why();
  void a_profile_alone_is_replayed();
  void a_graph_is_replayed_as_its_chain();
  void what_can_not_be_replayed_is_refused_data();
  void what_can_not_be_replayed_is_refused();

 private:
  QStringList profile_command(const QStringList& more) const {
    return QStringList{"profile",       "--model", "preset:mlp-small", "--backend", "cpu",
                       "--micro-batch", "2,4",     "--repetitions",    "8"} +
           more;
  }
  QStringList plan_command(const QStringList& more) const {
    return QStringList{"plan",      "--profile", "mlp.profile.json", "--cluster", "cpu.cluster.json",
                       "--planner", "joint",     "--global-batch",   "16"} +
           more;
  }
  SmallProblem problem_;
};

void TestCliMeasure::initTestCase() {
  VERIFY_STATUS((problem_.run(profile_command({"-o", "mlp.profile.json", "--cluster-out", "cpu.cluster.json"}))), 0);
  VERIFY_STATUS((problem_.run({"validate", "mlp.profile.json", "cpu.cluster.json"})), 0);
}

void TestCliMeasure::a_profile_says_how_sure_it_is() {
  const QJsonArray layers = QJsonDocument::fromJson(problem_.read("mlp.profile.json"))["layers"].toArray();
  QVERIFY(!layers.isEmpty());
  for (const auto& value : layers) {
    const QJsonObject layer = value.toObject();
    const QJsonObject spread = layer["spread"].toObject();
    QVERIFY(spread["repetitions"].toInt() >= 4 && spread["repetitions"].toInt() <= 8);  // outliers are left out
    const QJsonArray quartiles = spread["forward_ms"].toArray();
    QVERIFY(quartiles[0].toDouble() <= layer["forward_ms"].toDouble());
    QVERIFY(quartiles[1].toDouble() >= layer["forward_ms"].toDouble());
    for (const auto& measured : layer["at"].toArray()) {
      const QJsonObject point = measured.toObject();
      QVERIFY(point["saved_bytes"].toInt() > 0);
      QVERIFY(point["backward_weight_ms"].toDouble() <= point["backward_ms"].toDouble());
    }
  }
}

void TestCliMeasure::progress_is_told_line_by_line() {
  const Answer answer = problem_.run(profile_command({"--progress", "-", "-o", "again.profile.json"}));
  VERIFY_STATUS(answer, 0);
  const auto lines = lines_of(answer.out);
  QVERIFY2(lines.size() > 4, answer.out);
  double done = -1;
  for (const QJsonObject& line : lines) {
    QCOMPARE(line["event"].toString(), QStringLiteral("progress"));
    QVERIFY(line["done"].toDouble() >= done && !line["what"].toString().isEmpty());
    done = line["done"].toDouble();
  }
  QCOMPARE(done, 1.0);
}

void TestCliMeasure::layers_are_measured_cut() {
  VERIFY_STATUS((problem_.run(profile_command({"--tensor-parallel", "1,2", "-o", "cut.profile.json"}))), 0);
  VERIFY_STATUS((problem_.run({"validate", "cut.profile.json"})), 0);
  double all_reduced = 0;
  for (const auto& layer : QJsonDocument::fromJson(problem_.read("cut.profile.json"))["layers"].toArray()) {
    const QJsonArray points = layer.toObject()["tensor_parallel"].toArray();
    QCOMPARE(points.size(), 1);
    const QJsonObject point = points.at(0).toObject();
    QCOMPARE(point["degree"].toInt(), 2);
    QVERIFY(point["forward_ms"].toDouble() > 0 && point["saved_bytes"].toInt() > 0);
    all_reduced += point["forward_allreduce_bytes"].toDouble() + point["backward_allreduce_bytes"].toDouble();
  }
  QVERIFY(all_reduced > 0);
}

void TestCliMeasure::links_are_shown() {
  const Answer answer = problem_.run(profile_command({"--links"}));
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.out.contains("Transfers between two devices: ") && answer.out.contains("4194304"), answer.out);
}

void TestCliMeasure::bad_questions_are_refused_data() {
  QTest::addColumn<QStringList>("command");
  QTest::addColumn<QByteArray>("words");
  const QStringList profile{"profile", "--model", "preset:mlp-small", "--backend", "cpu"};
  QTest::newRow("degrees falling") << profile + QStringList{"--tensor-parallel", "4,2"} << QByteArray("ascending");
  QTest::newRow("more devices than columns")
      << profile + QStringList{"--tensor-parallel", "1000"} << QByteArray("can't be cut over 1000 devices");
  QTest::newRow("no repetitions") << profile + QStringList{"--repetitions", "0"} << QByteArray("--repetitions");
  QTest::newRow("no time") << profile + QStringList{"--time-limit", "0"} << QByteArray("--time-limit");
  QTest::newRow("two on standard output")
      << profile + QStringList{"--progress", "-", "--json"} << QByteArray("exclude");
  const QStringList on_gpu{"profile", "--model", "preset:mlp-small", "--backend", "cuda"};
  QTest::newRow("a precision on the processor")
      << profile + QStringList{"--precision", "bf16"} << QByteArray("--precision needs --backend cuda");
  QTest::newRow("graphs on the processor")
      << profile + QStringList{"--no-graphs"} << QByteArray("--no-graphs needs --backend cuda");
  QTest::newRow("busy cores on a GPU") << on_gpu + QStringList{"--busy-cores", "2"}
                                       << QByteArray("--busy-cores needs --backend cpu");
  QTest::newRow("trials of nothing") << plan_command({"--trials", "2"}) << QByteArray("--trials needs --model");
  QTest::newRow("a model and no trials") << plan_command({"--model", "preset:mlp-small"}) << QByteArray("--trials");
  const QStringList trials{"--trials", "1", "--backend", "cpu", "--model"};
  QTest::newRow("trials of another model")
      << plan_command(trials + QStringList{"preset:gpt-tiny"}) << QByteArray("layers, expected");
  QTest::newRow("trials of no model") << plan_command(trials + QStringList{"none.json"}) << QByteArray("none.json");
  QTest::newRow("no trials") << plan_command({"--trials", "0"}) << QByteArray("--trials");
}

void TestCliMeasure::bad_questions_are_refused() {
  QFETCH(QStringList, command);
  QFETCH(QByteArray, words);
  const Answer answer = problem_.run(command);
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.contains(words), answer.err);
}

void TestCliMeasure::the_best_plans_are_tried() {
  const Answer answer = problem_.run(plan_command({"--trials", "3", "--trial-steps", "4", "--model", "preset:mlp-small",
                                                   "--backend", "cpu", "-o", "tried.plan.json"}));
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.out.contains("measured ms") && answer.out.contains("fastest"), answer.out);
  const QByteArray plan = problem_.read("tried.plan.json");
  QVERIFY2(plan.contains("plans trained for 4 steps each on this machine"), plan);
  VERIFY_STATUS((problem_.run({"run", "--plan", "tried.plan.json", "--model", "preset:mlp-small", "--backend", "cpu",
                               "--steps", "2"})),
                0);
  const Answer two = problem_.run(plan_command({"--trials", "3", "--top", "2", "--trial-steps", "3", "--model",
                                                "preset:mlp-small", "--backend", "cpu", "--json"}));
  VERIFY_STATUS(two, 0);
  QCOMPARE(QJsonDocument::fromJson(two.out).array().size(), 2);
}

/// A profile may allow one head on two devices in a plan, but the head can't be sharded over them.
void TestCliMeasure::a_plan_that_can_not_be_tried_says_why() {
  problem_.write("head.model.json", R"({"format": "pipedeck.model", "version": 1, "name": "one head", "layers": [
    {"name": "tokens", "kind": "embedding", "vocabulary": 16, "hidden": 8, "sequence": 4},
    {"name": "block", "kind": "transformer", "hidden": 8, "heads": 1, "feed_forward": 16, "sequence": 4},
    {"name": "classes", "kind": "linear", "in": 8, "out": 16, "sequence": 4},
    {"name": "loss", "kind": "softmax_cross_entropy", "classes": 16, "sequence": 4}]})");
  QByteArray layers;
  for (const char* name : {"tokens", "block", "classes"})
    layers += QByteArray(layers.isEmpty() ? "" : ",") + R"({"name": ")" + name +
              R"(", "forward_ms": 0.02, "backward_ms": 0.04, "output_bytes": 256, "parameter_bytes": 1000,
      "tensor_parallel": [{"degree": 2, "forward_ms": 0.01, "backward_ms": 0.02, "forward_allreduce_bytes": 64,
                           "backward_allreduce_bytes": 64}]})";
  problem_.write("head.profile.json", R"({"format": "pipedeck.profile", "version": 1, "name": "one head",
    "device": "CPU-core", "micro_batch": 2, "layers": [)" +
                                          layers + "]}");
  const QStringList trials{"plan",
                           "--profile",
                           "head.profile.json",
                           "--cluster",
                           "cpu.cluster.json",
                           "--global-batch",
                           "8",
                           "--micro-batch",
                           "2",
                           "--trials",
                           "3",
                           "--trial-steps",
                           "3",
                           "--model",
                           "head.model.json",
                           "--backend",
                           "cpu"};
  const QByteArray why = "layer 'block' (transformer) has 1 heads, which can't be cut over 2 devices";
  const Answer some = problem_.run(trials + QStringList{"--planner", "amp"});
  VERIFY_STATUS(some, 0);
  const QList<QByteArray> lines = some.out.split('\n');
  QVERIFY2(lines[1].startsWith("1 ") && lines[1].contains("fastest") && !lines[1].contains(why), some.out);
  QVERIFY2(lines[2].startsWith("2 ") && lines[2].trimmed().endsWith(why), some.out);
  QVERIFY2(some.out.contains("The fastest of 1 plans trained") && some.out.contains("; 1 more could not be run"),
           some.out);
  const QStringList files = problem_.files();
  const Answer none = problem_.run(trials + QStringList{"--planner", "amp", "--tmp", "2", "-o", "none.plan.json"});
  VERIFY_STATUS(none, 4);
  QVERIFY2(none.err.contains("none of the 1 plans could be run here") && none.err.contains(why), none.err);
  QCOMPARE(problem_.files(), files);
}

void TestCliMeasure::a_profile_alone_is_replayed() {
  VERIFY_STATUS(
      (problem_.run({"plan", "--planner", "gpipe", "--profile", "mlp.profile.json", "--cluster", "cpu.cluster.json",
                     "--global-batch", "8", "--micro-batch", "2", "--pp", "2", "--dp", "1", "-o", "two.plan.json"})),
      0);
  const QStringList replay{"run",       "--replay",         "--plan",    "two.plan.json",    "--backend", "cpu",
                           "--profile", "mlp.profile.json", "--cluster", "cpu.cluster.json", "--steps",   "5"};
  const Answer answer = problem_.run(replay + QStringList{"--events", "replay.jsonl", "--timeline-every", "1"});
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.out.contains("(replay)") && answer.out.contains("measured"), answer.out);
  QVERIFY(problem_.run({"validate", "replay.jsonl"}).status == 0);
  int timelines = 0;
  for (const QJsonObject& event : lines_of(problem_.read("replay.jsonl")))
    if (event["event"].toString() == QStringLiteral("timeline")) ++timelines;
  QCOMPARE(timelines, 5);
}

/// a feeds b and c, c waits for both: what skips over b crosses the cut behind it too.
void TestCliMeasure::a_graph_is_replayed_as_its_chain() {
  problem_.write("graph.profile.json",
                 R"({"format": "pipedeck.profile", "version": 1, "name": "graph", "device": "CPU-core",
    "micro_batch": 2, "layers": [
    {"name": "a", "forward_ms": 0.4, "backward_ms": 0.8, "output_bytes": 4096, "parameter_bytes": 4000},
    {"name": "b", "forward_ms": 0.4, "backward_ms": 0.8, "output_bytes": 1000, "saved_bytes": 10, "parameter_bytes": 0},
    {"name": "c", "forward_ms": 0.4, "backward_ms": 0.8, "output_bytes": 16, "parameter_bytes": 400}],
    "edges": [["a", "b"], ["a", "c"], ["b", "c"]]})");
  VERIFY_STATUS(
      (problem_.run({"plan", "--planner", "gpipe", "--profile", "graph.profile.json", "--cluster", "cpu.cluster.json",
                     "--global-batch", "8", "--micro-batch", "2", "--pp", "2", "--dp", "1", "-o", "graph.plan.json"})),
      0);
  const Answer answer =
      problem_.run({"run", "--replay", "--plan", "graph.plan.json", "--backend", "cpu", "--profile",
                    "graph.profile.json", "--cluster", "cpu.cluster.json", "--steps", "3", "--events", "-"});
  VERIFY_STATUS(answer, 0);
  const auto events = lines_of(answer.out);
  QCOMPARE(events.last()["event"].toString(), QStringLiteral("finished"));
  // Four micro-batches of at least 3 x 1.2 ms of work on two devices: no quicker than half of it.
  for (const QJsonObject& event : events)
    if (event["event"].toString() == QStringLiteral("step")) QVERIFY(event["duration_ms"].toDouble() >= 7.2);
}

void TestCliMeasure::what_can_not_be_replayed_is_refused_data() {
  QTest::addColumn<QStringList>("more");
  QTest::addColumn<QByteArray>("words");
  const QStringList inputs{"--profile", "mlp.profile.json", "--cluster", "cpu.cluster.json"};
  QTest::newRow("no profile") << QStringList{"--replay"} << QByteArray("--replay needs --profile and --cluster");
  QTest::newRow("a model too") << QStringList{"--replay", "--model", "preset:mlp-small"} + inputs
                               << QByteArray("exclude each other");
  QTest::newRow("data") << QStringList{"--replay", "--data", "synthetic"} + inputs << QByteArray("computes nothing");
  QTest::newRow("neither") << inputs << QByteArray("--model is required");
}

void TestCliMeasure::what_can_not_be_replayed_is_refused() {
  QFETCH(QStringList, more);
  QFETCH(QByteArray, words);
  const Answer answer =
      problem_.run(QStringList{"run", "--plan", "two.plan.json", "--backend", "cpu", "--steps", "1"} + more);
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.contains(words), answer.err);
}

PIPEDECK_TEST(TestCliMeasure)

}  // namespace pipedeck::tst_cli_measure

#include "tst_cli_measure.moc"
