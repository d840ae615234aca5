// SPDX-License-Identifier: Apache-2.0
// Usage errors: exit status 2 (or 3), a message that names the cause, nothing on standard output, no file.
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_usage {

using pipedeck::test::Answer;
using pipedeck::test::inputs;
using pipedeck::test::SmallProblem;

class TestCliUsage : public QObject {
  Q_OBJECT
 private slots:
  void bad_usage_data();
  void bad_usage();
  void bad_input_data();
  void bad_input();
  void a_file_that_is_not_there();
  void help();
  void version();
  void an_infeasible_problem_exits_3();
  void one_infeasible_planner_does_not_fail_a_comparison();
  void threads_of_the_environment_are_checked();

 private:
  SmallProblem problem_;
};

void TestCliUsage::bad_usage_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("said");  // in the message
  const auto plan = [](QStringList more) {
    return QStringList{"plan"} + pipedeck::test::inputs() + QStringList{"--global-batch", "8"} + more;
  };
  const auto row = [](const char* name, QStringList arguments, const char* said) {
    QTest::newRow(name) << arguments << QString(said);
  };
  row("no command", {}, "command");
  row("unknown command", {"plam"}, "plam");
  row("no profile", {"plan", "--cluster", "c.json", "--planner", "dapple", "--global-batch", "8"}, "--profile");
  row("no cluster", {"plan", "--profile", "p.json", "--planner", "dapple", "--global-batch", "8"}, "--cluster");
  row("no batch", QStringList{"plan", "--planner", "dapple"} + pipedeck::test::inputs(), "--global-batch");
  row("no planner", plan({}), "--planner");
  row("unknown planner", plan({"--planner", "daple"}), "daple");
  row("batch is no number",
      {"plan", "--profile", "p.json", "--cluster", "c.json", "--planner", "dapple", "--global-batch", "many"}, "many");
  row("batch 0", QStringList{"compare", "--global-batch", "0"} + pipedeck::test::inputs(), "--global-batch");
  row("batch -8", QStringList{"compare", "--global-batch", "-8"} + pipedeck::test::inputs(), "global-batch");
  row("batch 1.5", QStringList{"compare", "--global-batch", "1.5"} + pipedeck::test::inputs(), "1.5");
  row("micro-batch does not divide", plan({"--planner", "dapple", "--micro-batch", "3"}), "--micro-batch 3");
  row("micro-batch 0", plan({"--planner", "dapple", "--micro-batch", "0"}), "--micro-batch");
  row("option twice", plan({"--planner", "dapple", "--global-batch", "4"}), "--global-batch");
  row("unknown option", plan({"--planner", "dapple", "--colour", "red"}), "--colour");
  row("option of another planner", plan({"--planner", "gpipe", "--rank-by", "objective"}), "--rank-by");
  row("stray word", plan({"--planner", "dapple", "stray"}), "stray");
  row("choice that is none", plan({"--planner", "dapple", "--rank-by", "beauty"}), "beauty");
  row("option without its value", plan({"--planner", "dapple", "--rank-by"}), "--rank-by");
  row("time budget", plan({"--planner", "dapple", "--time-budget", "0"}), "--time-budget");
  row("top 0", plan({"--planner", "dapple", "--top", "0"}), "--top");
  row("threads 0", plan({"--planner", "dapple", "--threads", "0"}), "--threads");
  row("optimizer", plan({"--planner", "dapple", "--optimizer", "lion"}), "lion");
  row("precision", plan({"--planner", "dapple", "--precision", "fp8"}), "fp8");
  row("zero", plan({"--planner", "dapple", "--zero", "4"}), "--zero");
  row("network", plan({"--planner", "dapple", "--network", "carrier-pigeon"}), "carrier-pigeon");
  row("overlap", plan({"--planner", "dapple", "--overlap", "some"}), "some");
  row("reserve", plan({"--planner", "dapple", "--reserve-bytes", "-1"}), "reserve-bytes");
  row("output without a name", plan({"--planner", "dapple", "-o"}), "output");
  row("unknown preset",
      {"plan", "--profile", "preset:BERT-49", "--cluster", "c.json", "--planner", "dapple", "--global-batch", "8"},
      "BERT-49");
  row("simulate without a plan", QStringList{"simulate"} + pipedeck::test::inputs(), "--plan");
  row("trace to standard output",
      QStringList{"simulate", "--plan", "plan.json", "--trace", "-"} + pipedeck::test::inputs(), "--trace");
  const auto jitter = [&](const QStringList& rest) {
    return QStringList{"simulate", "--plan", "plan.json"} + pipedeck::test::inputs() + rest;
  };
  row("jitter below 0", jitter({"--jitter", "-0.1"}), "-0.1, expected");
  row("jitter that is none", jitter({"--jitter", "nan"}), "nan, expected");
  row("jitter in per cent", jitter({"--jitter", "5"}), "0.05 is 5 %");
  row("jitter in words", jitter({"--jitter", "some"}), "some");
  row("jitter without runs", jitter({"--jitter", "0.1", "--jitter-runs", "0"}), "0 runs, expected 1 to");
  row("runs without jitter", jitter({"--jitter-runs", "10"}), "--jitter");
  row("seed without jitter", jitter({"--seed", "10"}), "--jitter");
  row("compare with jitter below 0",
      QStringList{"compare", "--global-batch", "8", "--jitter", "-1"} + pipedeck::test::inputs(), "-1, expected");
  row("compare with unknown planner",
      QStringList{"compare", "--global-batch", "8", "--planner", "x"} + pipedeck::test::inputs(), "x");
  row("compare with planner option",
      QStringList{"compare", "--global-batch", "8", "--rank-by", "objective"} + pipedeck::test::inputs(), "--rank-by");
  row("diff of one", {"diff", "plan.json"}, "B");
  row("empty second file", {"validate", "c.json", ""}, "found nothing");
  row("empty output", plan({"--planner", "dapple", "-o", ""}), "--output: found nothing");
  row("empty jitter", {"compare", "--profile", "p.json", "--cluster", "c.json", "--global-batch", "8", "--jitter", ""},
      "--jitter: found nothing");
  row("empty profile", {"compare", "--profile", "", "--cluster", "c.json", "--global-batch", "8"},
      "--profile: found nothing");
  row("list of nothing", {"list"}, "WHAT");
  row("list of planets", {"list", "planets"}, "planets");
  row("validate nothing", {"validate"}, "FILE");
  row("convert one", {"convert", "p.json"}, "OUT");
  row("convert to an unknown format", {"convert", "p.json", "x", "--to", "docx"}, "docx");
  row("convert a cluster to graph text", {"convert", "c.json", "x.txt"}, "graph-text");
  row("run without steps", {"run", "--plan", "plan.json", "--model", "preset:mlp-small", "--backend", "cpu"},
      "--steps");
  row("run for 0 steps",
      {"run", "--plan", "plan.json", "--model", "preset:mlp-small", "--backend", "cpu", "--steps", "0"}, "--steps");
  row("run on an unknown backend",
      {"run", "--plan", "plan.json", "--model", "preset:mlp-small", "--backend", "tpu", "--steps", "1"}, "tpu");
  row("run without CUDA",
      {"run", "--plan", "plan.json", "--model", "preset:mlp-small", "--backend", "cuda", "--steps", "1"},
      "--backend cpu");
  row("run with half a prediction",
      {"run", "--plan", "plan.json", "--model", "preset:mlp-small", "--backend", "cpu", "--steps", "1", "--profile",
       "p.json"},
      "--cluster");
  row("run with checkpoints never",
      {"run", "--plan", "plan.json", "--model", "preset:mlp-small", "--backend", "cpu", "--steps", "1", "--checkpoint",
       "x", "--checkpoint-every", "0"},
      "--checkpoint-every");
  row("profile without a model", {"profile", "--backend", "cpu"}, "--model");
  row("profile of falling sizes",
      {"profile", "--model", "preset:mlp-small", "--backend", "cpu", "--micro-batch", "4,2"}, "4,2");
}

void TestCliUsage::bad_usage() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, said);
  const QStringList before = problem_.files();
  const Answer answer = problem_.run(arguments);
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.startsWith("pipedeck-cli: "), answer.err);
  QVERIFY2(answer.err.contains(said.toUtf8()), answer.err);
  QCOMPARE(answer.out, QByteArray());
  QCOMPARE(problem_.files(), before);
}

void TestCliUsage::bad_input_data() {
  QTest::addColumn<QString>("file");  // replaced by `content`
  QTest::addColumn<QByteArray>("content");
  QTest::addColumn<QString>("place");
  const auto row = [](const char* name, const char* file, QByteArray content, const char* place) {
    QTest::newRow(name) << QString(file) << content << QString(place);
  };
  using namespace pipedeck::test;
  row("graph text without a micro-batch", "p.json",
      "node1 -- Linear -- forward_compute_time=1, backward_compute_time=1, activation_size=1, parameter_size=1\n",
      "p.json: ");
  row("profile is no JSON", "p.json", "{", "p.json: ");
  row("profile is empty", "p.json", "", "p.json: ");
  row("negative time", "p.json", pipedeck::test::small_profile().replace("\"forward_ms\": 6", "\"forward_ms\": -6"),
      "p.json: /layers/2/forward_ms: ");
  row("time is text", "p.json", pipedeck::test::small_profile().replace("\"backward_ms\": 9", "\"backward_ms\": \"9\""),
      "p.json: /layers/0/backward_ms: ");
  row("two layers of one name", "p.json", pipedeck::test::small_profile().replace("\"l3\"", "\"l2\""),
      "p.json: /layers/3/name: ");
  row("profile of version 2", "p.json", pipedeck::test::small_profile().replace("\"version\": 1", "\"version\": 2"),
      "p.json: /version: ");
  row("cluster instead of profile", "p.json", pipedeck::test::small_cluster(), "p.json: ");
  row("cluster without nodes", "c.json", pipedeck::test::small_cluster().replace("\"nodes\"", "\"knots\""), "c.json: ");
  row("unknown device type", "c.json", pipedeck::test::small_cluster().replace(R"([{"type": "X")", R"([{"type": "Y")"),
      "c.json: /nodes/0/");
  row("unconnected nodes", "c.json",
      pipedeck::test::small_cluster().replace(R"("from": "n0", "to": "n1")", R"("from": "n0", "to": "n0")"),
      "c.json: ");
  row("plan of 3 stages' layers", "plan.json", pipedeck::test::small_plan().replace("[3, 6]", "[3, 7]"),
      "plan.json: /stages/1/");
  row("device that is not there", "plan.json", pipedeck::test::small_plan().replace("[2, 3]", "[2, 4]"),
      "plan.json: /stages/1/devices");
  row("device used twice", "plan.json", pipedeck::test::small_plan().replace("[2, 3]", "[1, 3]"),
      "plan.json: /stages/1/devices");
  row("unknown schedule", "plan.json", pipedeck::test::small_plan().replace("1f1b", "2f2b"), "plan.json: /schedule: ");
  row("micro-batches do not add up", "plan.json",
      pipedeck::test::small_plan().replace("\"micro_batches\": 4", "\"micro_batches\": 5"),
      "plan.json: /micro_batches: ");
}

void TestCliUsage::bad_input() {
  QFETCH(QString, file);
  QFETCH(QByteArray, content);
  QFETCH(QString, place);
  SmallProblem problem;
  problem.write(file, content);
  const QStringList before = problem.files();
  const Answer answer =
      problem.run(QStringList{"simulate", "--plan", "plan.json", "--json", "-o", "out.json", "--trace", "t.json"} +
                  pipedeck::test::inputs());
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.contains("pipedeck-cli: " + place.toUtf8()), answer.err);
  QCOMPARE(answer.out, QByteArray());
  QCOMPARE(problem.files(), before);
}

void TestCliUsage::a_file_that_is_not_there() {
  for (const char* option : {"--profile", "--cluster", "--plan"}) {
    QStringList arguments = QStringList{"simulate", "--plan", "plan.json"} + pipedeck::test::inputs();
    arguments[arguments.indexOf(option) + 1] = "missing.json";
    const Answer answer = problem_.run(arguments);
    VERIFY_STATUS(answer, 2);
    QVERIFY2(answer.err.startsWith("pipedeck-cli: missing.json: "), answer.err);
  }
}

void TestCliUsage::help() {
  const Answer overview = problem_.run({"--help"});
  VERIFY_STATUS(overview, 0);
  for (const char* command : {"plan", "simulate", "compare", "diff", "profile", "run", "convert", "validate", "list"}) {
    QVERIFY(overview.out.contains(command));
    const Answer help = problem_.run({command, "--help"});
    VERIFY_STATUS(help, 0);
    QVERIFY(help.out.contains("--help"));
    QCOMPARE(help.err, QByteArray());
  }
  QVERIFY(problem_.run({"plan", "--help"}).out.contains("--rank-by"));  // from the planner's own table
}

void TestCliUsage::version() {
  const Answer answer = problem_.run({"--version"});
  VERIFY_STATUS(answer, 0);
  QCOMPARE(answer.out, QByteArray("pipedeck-cli " PIPEDECK_VERSION "\nlicence: Apache-2.0\n"));
}

void TestCliUsage::an_infeasible_problem_exits_3() {
  SmallProblem problem;
  problem.write("c.json", pipedeck::test::small_cluster().replace("16000000000", "1000000"));
  const QStringList question = pipedeck::test::inputs() + QStringList{"--global-batch", "8", "-o", "out.json"};
  const QStringList before = problem.files();
  for (const char* planner : {"dapple", "pipedream", "capture", "gpipe", "data-parallel", "single"}) {
    const Answer answer = problem.run(QStringList{"plan", "--planner", planner} + question);
    VERIFY_STATUS(answer, 3);
    QVERIFY2(answer.err.contains("has no plan: "), answer.err);
    QVERIFY2(answer.err.contains("smallest relaxation"), answer.err);
    QCOMPARE(answer.out, QByteArray());
    QCOMPARE(problem.files(), before);
  }
  const Answer comparison = problem.run(QStringList{"compare", "--global-batch", "8"} + pipedeck::test::inputs());
  VERIFY_STATUS(comparison, 3);
  QVERIFY2(comparison.err.contains("has no plan: "), comparison.err);
}

void TestCliUsage::one_infeasible_planner_does_not_fail_a_comparison() {
  SmallProblem problem;  // 6 x 40 MB of weights, 16 bytes a parameter: 0.96 GB on one device, half of it on two
  problem.write("c.json", pipedeck::test::small_cluster().replace("16000000000", "900000000"));
  const Answer answer =
      problem.run(QStringList{"compare", "--global-batch", "8", "--micro-batch", "2", "--planner", "single", "dapple"} +
                  pipedeck::test::inputs());
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.out.contains("has no plan: "), answer.out);
}

void TestCliUsage::threads_of_the_environment_are_checked() {
  const QStringList question =
      QStringList{"plan", "--planner", "gpipe", "--global-batch", "8"} + pipedeck::test::inputs();
  const Answer bad = problem_.run(question, {"PIPEDECK_THREADS=lots"});
  VERIFY_STATUS(bad, 2);
  QVERIFY2(bad.err.contains("PIPEDECK_THREADS"), bad.err);
  VERIFY_STATUS((problem_.run(question, {"PIPEDECK_THREADS=2"})), 0);
}

PIPEDECK_TEST(TestCliUsage)

}  // namespace pipedeck::tst_cli_usage

#include "tst_cli_usage.moc"
