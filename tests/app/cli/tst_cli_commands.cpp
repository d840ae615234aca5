// SPDX-License-Identifier: Apache-2.0
// The output of each command, through the real program.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSysInfo>
#include <QTest>

#include <csignal>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_commands {

using pipedeck::test::Answer;
using pipedeck::test::inputs;
using pipedeck::test::object_of;
using pipedeck::test::send_signal;
using pipedeck::test::small_profile;
using pipedeck::test::SmallProblem;

/// A list item at a JSON pointer of keys and positions.
QJsonValue at(QJsonValue value, const QStringList& path) {
  for (const QString& step : path) {
    bool is_index = false;
    const int index = step.toInt(&is_index);
    value = is_index ? value.toArray().at(index) : value.toObject().value(step);
  }
  return value;
}

QStringList question(const QString& planner) {
  return QStringList{"plan", "--planner", planner, "--global-batch", "8"} + pipedeck::test::inputs();
}

class TestCliCommands : public QObject {
  Q_OBJECT
 private slots:
  void a_plan_carries_prediction_and_checksums();
  void standard_output_is_json_alone();
  void output_file_and_standard_output_agree();
  void several_plans_are_a_list_best_first();
  void the_same_question_gives_the_same_bytes_data();
  void the_same_question_gives_the_same_bytes();
  void simulate_agrees_with_the_plan();
  void simulate_adds_up();
  void simulate_with_jitter();
  void compare_with_jitter();
  void simulate_warns_of_another_profile();
  void simulate_takes_state_options();
  void a_trace_lists_every_operation();
  void compare_shows_both_warmups();
  void compare_as_json();
  void compare_shows_differences_to_a_baseline();
  void compare_folds_equal_plans();
  void compare_within_a_budget();
  void interrupted_comparison_prints_its_answers();
  void diff_names_what_differs();
  void diff_of_simulations_compares_operations();
  void diff_of_unlike_files_is_refused();
  void convert_there_and_back();
  void convert_a_table();
  void validate_reports_each_file();
  void a_planner_without_an_answer_leaves_the_others_theirs();
  void pipes_are_read_once();
  void file_names_that_are_no_text();
  void a_run_log_keeps_unknown_keys();
  void doctor_describes_the_installation_alone();
  void lists_data();
  void lists();
  void listed_presets_open();
  void output_to_a_full_device_fails();
  void a_folder_that_is_not_there();

 private:
  SmallProblem problem_;
};

void TestCliCommands::a_plan_carries_prediction_and_checksums() {
  const Answer answer = problem_.run(question("dapple") + QStringList{"-o", "-"});
  VERIFY_STATUS(answer, 0);
  const QJsonObject plan = object_of(answer.out);
  QCOMPARE(plan["format"].toString(), "pipedeck.plan");
  QCOMPARE(plan["planner"].toString(), "dapple");
  QCOMPARE(plan["profile"].toString(), "six");
  QCOMPARE(plan["cluster"].toString(), "two by two");
  QCOMPARE(plan["profile_sha256"].toString().size(), 64);
  QCOMPARE(plan["cluster_sha256"].toString().size(), 64);
  const QJsonObject predicted = plan["predicted"].toObject();
  QVERIFY(predicted["lower_bound_ms"].toDouble() > 0);
  QVERIFY(predicted["iteration_ms"].toDouble() >= predicted["lower_bound_ms"].toDouble());
  QVERIFY(predicted["fits"].toBool());
  QVERIFY(at(plan, {"objective", "value_ms"}).toDouble() > 0);
}

void TestCliCommands::standard_output_is_json_alone() {
  const QList<QStringList> commands{
      question("gpipe") + QStringList{"--json"},
      question("gpipe") + QStringList{"-o", "-"},
      question("gpipe") + QStringList{"-o", "-", "--json"},
      QStringList{"simulate", "--plan", "plan.json", "--json", "--intervals"} + pipedeck::test::inputs(),
      QStringList{"compare", "--global-batch", "8", "--json"} + pipedeck::test::inputs(),
      {"diff", "plan.json", "plan.json", "--json"},
      {"list", "planners", "--json"},
      {"validate", "p.json", "--json"},
      {"convert", "plan.json", "-"},
  };
  for (const QStringList& command : commands) {
    const Answer answer = problem_.run(command);
    VERIFY_STATUS(answer, 0);
    QJsonParseError error;
    QJsonDocument::fromJson(answer.out, &error);
    QVERIFY2(error.error == QJsonParseError::NoError, qPrintable(command.join(' ') + ": " + error.errorString()));
    QVERIFY(answer.out.endsWith('\n'));
    // No terminal: no progress. The profile has one micro-batch size.
    QVERIFY2(answer.err.isEmpty() || (answer.err.contains("guessed in proportion") && answer.err.count('\n') == 1),
             answer.err);
  }
}

void TestCliCommands::output_file_and_standard_output_agree() {
  const Answer streamed = problem_.run(question("dapple") + QStringList{"-o", "-"});
  const Answer filed = problem_.run(question("dapple") + QStringList{"-o", "dapple.plan.json"});
  VERIFY_STATUS(filed, 0);
  QVERIFY2(filed.out.contains("iteration ms"), filed.out);
  QCOMPARE(problem_.read("dapple.plan.json"), streamed.out);
}

/// DAPPLE orders pipelines by what they take without overlap.
void TestCliCommands::several_plans_are_a_list_best_first() {
  const Answer answer = problem_.run(question("dapple") + QStringList{"--top", "4", "--overlap", "none", "--json"});
  VERIFY_STATUS(answer, 0);
  const QJsonArray plans = QJsonDocument::fromJson(answer.out).array();
  QVERIFY(plans.size() >= 2 && plans.size() <= 4);
  const auto iteration = [&](int i) { return at(plans.at(i), {"predicted", "iteration_ms"}).toDouble(); };
  for (int i = 1; i < plans.size(); ++i) QVERIFY(iteration(i - 1) <= iteration(i));
  const QJsonObject best = object_of(problem_.run(question("dapple") + QStringList{"--overlap", "none", "--json"}).out);
  QCOMPARE(plans.at(0).toObject(), best);
}

void TestCliCommands::the_same_question_gives_the_same_bytes_data() {
  QTest::addColumn<QStringList>("command");
  for (const char* planner : {"dapple", "pipedream", "capture", "gpipe", "data-parallel", "single"})
    QTest::newRow(planner) << question(planner) + QStringList{"--top", "3", "--json"};
  QTest::newRow("compare") << QStringList{"compare", "--global-batch", "8", "--json"} + pipedeck::test::inputs();
}

void TestCliCommands::the_same_question_gives_the_same_bytes() {
  QFETCH(QStringList, command);
  const Answer first = problem_.run(command);
  VERIFY_STATUS(first, 0);
  QCOMPARE(problem_.run(command).out, first.out);
  QCOMPARE(problem_.run(command + QStringList{"--threads", "2"}).out, first.out);
  QCOMPARE(problem_.run(command, {"PIPEDECK_THREADS=2"}).out, first.out);
}

void TestCliCommands::simulate_agrees_with_the_plan() {
  for (const char* planner : {"dapple", "pipedream", "capture", "gpipe", "data-parallel", "single"}) {
    VERIFY_STATUS((problem_.run(question(planner) + QStringList{"-o", "made.json"})), 0);
    const Answer answer =
        problem_.run(QStringList{"simulate", "--plan", "made.json", "--json"} + pipedeck::test::inputs());
    VERIFY_STATUS(answer, 0);
    QCOMPARE(answer.err, QByteArray());
    const QJsonObject predicted = object_of(problem_.read("made.json"))["predicted"].toObject();
    const QJsonObject simulation = object_of(answer.out);
    for (const char* key : {"iteration_ms", "samples_per_s", "bubble_fraction"})
      QCOMPARE(simulation[key].toDouble(), predicted[key].toDouble());
    for (const char* key : {"fits", "network", "overlap"}) QCOMPARE(simulation[key], predicted[key]);
  }
}

void TestCliCommands::simulate_adds_up() {
  const Answer answer =
      problem_.run(QStringList{"simulate", "--plan", "plan.json", "--json", "--intervals"} + pipedeck::test::inputs());
  VERIFY_STATUS(answer, 0);
  const QJsonObject simulation = object_of(answer.out);
  const double iteration = simulation["iteration_ms"].toDouble();
  QVERIFY(qAbs(simulation["samples_per_s"].toDouble() - 8 / iteration * 1e3) < 1e-6);
  double busy = 0;
  for (const QJsonValue& device : simulation["devices"].toArray()) busy += device["busy_ms"].toDouble();
  QVERIFY(qAbs(simulation["bubble_fraction"].toDouble() - (1 - busy / (4 * iteration))) < 1e-9);

  // Every device does a forward and a backward of each of the four micro-batches, within the iteration.
  int forwards = 0, backwards = 0;
  for (const QJsonValue& interval : simulation["intervals"].toArray()) {
    forwards += interval["kind"] == "forward";
    backwards += interval["kind"] == "backward";
    QVERIFY(interval["start_ms"].toDouble() >= 0 && interval["end_ms"].toDouble() <= iteration + 1e-9);
  }
  QCOMPARE(forwards, 16);
  QCOMPARE(backwards, 16);
}

/// The band does not depend on the number of threads and contains the iteration; no jitter gives the iteration itself.
void TestCliCommands::simulate_with_jitter() {
  const auto simulate = [&](const QStringList& more) {
    const Answer answer =
        problem_.run(QStringList{"simulate", "--plan", "plan.json", "--json"} + pipedeck::test::inputs() + more);
    return QJsonDocument::fromJson(answer.out).object();
  };
  const QStringList jitter{"--jitter", "0.1", "--jitter-runs", "50", "--seed"};
  const QJsonObject plain = simulate({}), one = simulate(jitter + QStringList{"3"});
  QVERIFY(!plain.contains("jitter"));
  const QJsonObject band = one["jitter"].toObject();
  QCOMPARE(band["variation"].toDouble(), 0.1);
  QCOMPARE(band["runs"].toInt(), 50);
  QCOMPARE(band["seed"].toInt(), 3);
  QVERIFY(band["p5_ms"].toDouble() > 0 && band["p5_ms"].toDouble() <= band["p50_ms"].toDouble());
  QVERIFY(band["p50_ms"].toDouble() <= band["p95_ms"].toDouble());
  QCOMPARE(simulate(jitter + QStringList{"3", "--threads", "2"}), one);
  QVERIFY(simulate(jitter + QStringList{"4"})["jitter"] != one["jitter"]);
  const QJsonObject none = simulate({"--jitter", "0"})["jitter"].toObject();
  for (const char* figure : {"mean_ms", "p5_ms", "p50_ms", "p95_ms"})
    QCOMPARE(none[QLatin1String(figure)], plain["iteration_ms"]);
  const Answer text =
      problem_.run(QStringList{"simulate", "--plan", "plan.json", "--jitter", "0.1"} + pipedeck::test::inputs());
  QVERIFY2(text.out.contains("jitter 10 % of every pass, 200 runs, seed 1: iteration p5 "), text.out);
}

/// Every plan has the band of `simulate`.
void TestCliCommands::compare_with_jitter() {
  const QStringList jitter{"--jitter", "0.1", "--jitter-runs", "20"};
  const QStringList compare =
      QStringList{"compare", "--global-batch", "8", "--planner", "dapple,gpipe"} + pipedeck::test::inputs();
  const QJsonObject answers = object_of(problem_.run(compare + jitter + QStringList{"--json"}).out);
  int bands = 0;
  for (const QJsonValue& answer : answers["answers"].toArray()) {
    if (!answer.toObject().contains("plan")) continue;
    problem_.write("one.json", QJsonDocument(answer["plan"].toObject()).toJson());
    const Answer one =
        problem_.run(QStringList{"simulate", "--plan", "one.json", "--json"} + pipedeck::test::inputs() + jitter);
    QCOMPARE(answer["jitter"], object_of(one.out)["jitter"]);
    ++bands;
  }
  QVERIFY(bands > 0);
  QVERIFY(problem_.run(compare + jitter).out.contains("iteration with jitter 10 % of every pass, 20 runs, seed 1:"));
  QVERIFY(!problem_.run(compare).out.contains("jitter"));
}

void TestCliCommands::simulate_warns_of_another_profile() {
  VERIFY_STATUS((problem_.run(question("gpipe") + QStringList{"-o", "gpipe.json"})), 0);
  problem_.write("p2.json", pipedeck::test::small_profile().replace("\"forward_ms\": 6", "\"forward_ms\": 7"));
  const Answer answer =
      problem_.run({"simulate", "--plan", "gpipe.json", "--json", "--profile", "p2.json", "--cluster", "c.json"});
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.err.contains("warning") && answer.err.contains("profile_sha256"), answer.err);
  QVERIFY(!answer.err.contains("cluster_sha256"));
}

void TestCliCommands::simulate_takes_state_options() {
  const auto peak = [&](const QStringList& more) {
    const Answer answer =
        problem_.run(QStringList{"simulate", "--plan", "plan.json", "--json"} + pipedeck::test::inputs() + more);
    return at(object_of(answer.out), {"devices", "0", "peak_memory_bytes"}).toDouble();
  };
  const double adam = peak({}), none = peak({"--optimizer", "none"}), reserved = peak({"--reserve-bytes", "1000"});
  QCOMPARE(adam - none, 2.0 * 3 * 40e6);  // two moments of three layers' weights
  QCOMPARE(reserved - adam, 1000.0);
}

void TestCliCommands::a_trace_lists_every_operation() {
  const Answer answer =
      problem_.run(QStringList{"simulate", "--plan", "plan.json", "--trace", "t.json"} + pipedeck::test::inputs());
  VERIFY_STATUS(answer, 0);
  const QByteArray trace = problem_.read("t.json");
  const QJsonDocument document = QJsonDocument::fromJson(trace);
  QVERIFY(!document.isNull());
  QVERIFY(trace.count("forward") >= 16);
}

void TestCliCommands::compare_shows_both_warmups() {
  const Answer answer = problem_.run(
      QStringList{"compare", "--global-batch", "16", "--micro-batch", "1", "--planner", "capture", "gpipe"} +
      pipedeck::test::inputs());
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.out.contains("warm-up A / B"), answer.out);
  QVERIFY2(answer.out.contains("lower bound"), answer.out);
  for (const QByteArray& line : answer.out.split('\n')) QVERIFY(!line.endsWith(' '));
}

void TestCliCommands::compare_shows_differences_to_a_baseline() {
  const QStringList question =
      QStringList{"compare", "--global-batch", "8", "--planner", "dapple,gpipe,single"} + pipedeck::test::inputs();
  const QJsonObject comparison = object_of(problem_.run(question + QStringList{"--json", "--baseline", "gpipe"}).out);
  QCOMPARE(comparison["baseline"].toString(), "gpipe");
  const QJsonArray answers = comparison["answers"].toArray();
  const QJsonObject from = answers[1].toObject();
  for (const QJsonValue& row : answers) {
    const double change = row["iteration_ms"].toDouble() - from["iteration_ms"].toDouble();
    QVERIFY(qAbs(at(row, {"difference", "iteration_ms"}).toDouble() - change) < 1e-9);
    QCOMPARE(at(row, {"difference", "worst_peak_bytes"}).toDouble(),
             at(row, {"worst_peak", "peak_memory_bytes"}).toDouble() -
                 at(from, {"worst_peak", "peak_memory_bytes"}).toDouble());
  }
  const Answer table = problem_.run(question + QStringList{"--baseline", "gpipe"});
  QVERIFY2(table.out.contains("d time") && table.out.contains("baseline"), table.out);
  QVERIFY(!problem_.run(question).out.contains("d time"));
  VERIFY_STATUS(problem_.run(question + QStringList{"--baseline", "nothing"}), 2);
  const Answer absent = problem_.run(question + QStringList{"--baseline", "whale"});
  VERIFY_STATUS(absent, 2);
  QVERIFY2(absent.err.contains("--baseline whale is not among"), absent.err);
}

void TestCliCommands::compare_folds_equal_plans() {
  QByteArray profile = pipedeck::test::small_profile();  // with equal layers, even and balanced cuts are the same
  for (int i = 1; i < 6; ++i) {
    profile.replace("\"forward_ms\": " + QByteArray::number(4 + i) + ",", "\"forward_ms\": 4,");
    profile.replace("\"backward_ms\": " + QByteArray::number(9 + i) + ",", "\"backward_ms\": 9,");
  }
  problem_.write("even.json", profile);
  const QStringList question{
      "compare", "--profile", "even.json", "--cluster",           "c.json", "--global-batch", "8",
      "--pp",    "2",         "--planner", "gpipe,gpipe-balanced"};
  const QJsonArray answers = object_of(problem_.run(question + QStringList{"--json"}).out)["answers"].toArray();
  QCOMPARE(answers.size(), 2);
  QVERIFY(!answers[0].toObject().contains("same_plan_as"));
  QCOMPARE(answers[1]["same_plan_as"].toString(), "gpipe");
  QCOMPARE(answers[1]["iteration_ms"].toDouble(), answers[0]["iteration_ms"].toDouble());
  const Answer table = problem_.run(question);
  QVERIFY2(table.out.contains(" agree"), table.out);
}

void TestCliCommands::compare_within_a_budget() {
  const QStringList question = QStringList{"compare", "--global-batch", "8"} + pipedeck::test::inputs();
  const Answer usual = problem_.run(question), unlimited = problem_.run(question + QStringList{"--budget", "0"});
  VERIFY_STATUS(unlimited, 0);
  QCOMPARE(usual.out, unlimited.out);  // nothing is cut short
  QVERIFY2(usual.out.contains("Pipedeck"), usual.out);
  for (const char* wrong : {"-1", "soon"}) VERIFY_STATUS(problem_.run(question + QStringList{"--budget", wrong}), 2);
}

void TestCliCommands::interrupted_comparison_prints_its_answers() {
  QProcess process;
  process.setWorkingDirectory(problem_.folder());
  // Whale answers at once; DAPPLE searches for longer than the test waits.
  process.start(PIPEDECK_CLI,
                QStringList{"compare", "--json", "--planner", "whale,dapple", "--budget", "0", "--profile",
                            "preset:llama-3-70b", "--cluster", "preset:16x8-h100-sxm", "--global-batch", "8192"});
  QByteArray notes;
  QTRY_VERIFY_WITH_TIMEOUT((notes += process.readAllStandardError()).contains("answered with"), 60000);
  QVERIFY(send_signal(process, SIGINT));
  QVERIFY(process.waitForFinished(30000));
  QCOMPARE(process.exitStatus(), QProcess::NormalExit);
  QCOMPARE(process.exitCode(), 130);
  const QJsonObject comparison = object_of(process.readAllStandardOutput());
  QVERIFY(comparison["cancelled"].toBool());
  const QJsonArray answers = comparison["answers"].toArray();
  QVERIFY(answers[0]["iteration_ms"].toDouble() > 0);
  QVERIFY(answers[1]["cancelled"].toBool());
  notes += process.readAllStandardError();
  QVERIFY2(notes.contains("cancelled: 1 of 2 planners had answered"), notes);
}

void TestCliCommands::compare_as_json() {
  const Answer answer =
      problem_.run(QStringList{"compare", "--global-batch", "8", "--json"} + pipedeck::test::inputs());
  VERIFY_STATUS(answer, 0);
  const QJsonObject comparison = object_of(answer.out);
  QCOMPARE(comparison["format"].toString(), "pipedeck.comparison");
  const double bound = comparison["lower_bound_ms"].toDouble(), alone = comparison["one_device_ms"].toDouble();
  QCOMPARE(alone, 8 * 108.0);  // six layers of 13, 15, ... 23 ms a sample
  QSet<QString> planners;
  for (const QJsonValue& row : comparison["answers"].toArray()) {
    planners.insert(row["planner"].toString());
    const double iteration = row["iteration_ms"].toDouble();
    QVERIFY(qAbs(row["speed_up"].toDouble() - alone / iteration) < 1e-9);
    const double own = at(row, {"plan", "predicted", "lower_bound_ms"}).toDouble();  // asynchronous plans' is lower
    QVERIFY(own > 0 && own <= bound && own <= iteration);
    QVERIFY(qAbs(row["over_lower_bound"].toDouble() - (iteration / own - 1)) < 1e-9);
    QCOMPARE(at(row, {"plan", "predicted", "iteration_ms"}).toDouble(), iteration);
    if (row.toObject().contains("warmup_ms")) {
      const QJsonObject times = row["warmup_ms"].toObject();
      QCOMPARE(times[at(row, {"plan", "warmup"}).toString()].toDouble(), iteration);
    }
  }
  for (const char* planner : {"dapple", "pipedream", "capture", "gpipe", "data-parallel"})
    QVERIFY2(planners.contains(planner), planner);
}

void TestCliCommands::diff_names_what_differs() {
  problem_.write("moved.json", pipedeck::test::small_plan().replace("[0, 3]", "[0, 4]").replace("[3, 6]", "[4, 6]"));
  const Answer same = problem_.run({"diff", "plan.json", "plan.json"});
  VERIFY_STATUS(same, 0);
  QVERIFY2(same.out.startsWith("no difference"), same.out);

  const Answer moved = problem_.run({"diff", "plan.json", "moved.json", "--json"});
  VERIFY_STATUS(moved, 0);
  const QJsonArray found = object_of(moved.out)["differences"].toArray();
  QCOMPARE(found.size(), 2);
  QCOMPARE(found[0]["place"].toString(), "/stages/0/layers/1");
  QCOMPARE(found[0]["difference"].toDouble(), 1.0);
  QCOMPARE(found[1]["place"].toString(), "/stages/1/layers/0");
  QVERIFY(problem_.run({"diff", "plan.json", "moved.json"}).out.contains("+33.33 %"));

  problem_.write("named.json", pipedeck::test::small_plan().replace("by hand", QByteArray("µ").repeated(300)));
  const QString named = QString::fromUtf8(problem_.run({"diff", "plan.json", "named.json"}).out);
  QVERIFY2(named.contains(QString("\"%1…\n").arg(QString("µ").repeated(38))), qPrintable(named));
}

void TestCliCommands::diff_of_simulations_compares_operations() {
  const auto simulate = [&](const char* overlap) {
    return problem_
        .run(QStringList{"simulate", "--plan", "plan.json", "--json", "--intervals", "--overlap", overlap} +
             pipedeck::test::inputs())
        .out;
  };
  problem_.write("layer.json", simulate("layer"));
  problem_.write("none.json", simulate("none"));
  const Answer answer = problem_.run({"diff", "layer.json", "none.json"});
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.out.contains("/overlap"), answer.out);
  QVERIFY2(answer.out.contains("all_reduce"), answer.out);
}

void TestCliCommands::diff_of_unlike_files_is_refused() {
  const Answer answer = problem_.run({"diff", "plan.json", "c.json"});
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.contains("c.json: found a cluster, expected a plan"), answer.err);
}

void TestCliCommands::convert_a_table() {
  problem_.write("named.csv", "name,forward_ms,backward_ms,output_bytes,parameter_bytes\na,1,2,100,10\nb,2,4,100,10\n");
  VERIFY_STATUS((problem_.run({"convert", "named.csv", "named.profile.json", "--profile-micro-batch", "4"})), 0);
  problem_.write("own.csv", "Layer;Fwd;Bwd (us);Act (kB);W\na;1000;2000;0,1;10\nb;2000;4000;0,1;10\n");
  const QString columns = "name=Layer,forward_ms=Fwd:us,backward_ms=Bwd (us),output_bytes=Act (kB),parameter_bytes=W";
  VERIFY_STATUS(
      (problem_.run({"convert", "own.csv", "own.profile.json", "--profile-micro-batch", "4", "--columns", columns})),
      0);
  const QJsonArray named = object_of(problem_.read("named.profile.json"))["layers"].toArray();
  QCOMPARE(named.size(), 2);
  QCOMPARE(object_of(problem_.read("own.profile.json"))["layers"].toArray(), named);
  VERIFY_STATUS((problem_.run({"validate", "own.profile.json"})), 0);
  VERIFY_STATUS((problem_.run({"convert", "named.csv", "no-batch.profile.json"})), 2);
  VERIFY_STATUS((problem_.run({"convert", "own.csv", "x.json", "--columns", columns})), 2);
  const Answer unknown =
      problem_.run({"convert", "own.csv", "x.json", "--profile-micro-batch", "4", "--columns", "speed=Fwd"});
  VERIFY_STATUS(unknown, 2);
  QVERIFY2(unknown.err.contains("name, kind, forward_ms"), unknown.err);
  const Answer missing =
      problem_.run({"convert", "own.csv", "x.json", "--profile-micro-batch", "4", "--columns", "name=Layers"});
  VERIFY_STATUS(missing, 2);
  QVERIFY2(missing.err.contains("own.csv: line 1: found no column \"Layers\""), missing.err);
}

void TestCliCommands::convert_there_and_back() {
  VERIFY_STATUS((problem_.run({"convert", "p.json", "p.txt"})), 0);
  QVERIFY(problem_.read("p.txt").contains("forward_compute_time=4"));
  VERIFY_STATUS((problem_.run({"convert", "p.txt", "no-batch.profile.json"})), 2);  // graph text has no micro-batch
  VERIFY_STATUS((problem_.run({"convert", "p.txt", "again.profile.json", "--profile-micro-batch", "1"})), 0);
  const QJsonArray before = object_of(problem_.read("p.json"))["layers"].toArray();
  const QJsonArray after = object_of(problem_.read("again.profile.json"))["layers"].toArray();
  QCOMPARE(after.size(), before.size());
  for (int i = 0; i < before.size(); ++i)
    for (const char* key : {"forward_ms", "backward_ms", "output_bytes", "parameter_bytes"})
      QCOMPARE(after[i][key], before[i][key]);

  for (const char* file : {"plan.json", "c.json"}) {  // canonical text is a fixed point
    VERIFY_STATUS((problem_.run({"convert", file, "once.json"})), 0);
    VERIFY_STATUS((problem_.run({"convert", "once.json", "twice.json"})), 0);
    QCOMPARE(problem_.read("twice.json"), problem_.read("once.json"));
  }
}

void TestCliCommands::validate_reports_each_file() {
  problem_.write("broken.json", "{\"format\": \"pipedeck.plan\", \"version\": 7}");
  const Answer good = problem_.run({"validate", "p.json", "c.json", "plan.json"});
  VERIFY_STATUS(good, 0);
  QCOMPARE(good.out.count('\n'), 3);
  const Answer mixed = problem_.run({"validate", "p.json", "broken.json", "missing.json", "c.json"});
  VERIFY_STATUS(mixed, 2);
  QCOMPARE(mixed.out.count('\n'), 2);
  QVERIFY2(mixed.err.contains("broken.json: /version"), mixed.err);
  QVERIFY2(mixed.err.contains("missing.json"), mixed.err);
}

void TestCliCommands::a_planner_without_an_answer_leaves_the_others_theirs() {
  QByteArray profile = pipedeck::test::small_profile();
  profile.replace("\"micro_batch\": 1", "\"micro_batch\": 2");
  QVERIFY(profile != pipedeck::test::small_profile());
  problem_.write("by-twos.json", profile);
  const QStringList rest{"--profile", "by-twos.json", "--cluster", "c.json", "--global-batch", "7"};
  VERIFY_STATUS((problem_.run(QStringList{"plan", "--planner", "pipedream"} + rest)), 3);
  VERIFY_STATUS((problem_.run(QStringList{"plan", "--planner", "pipedream", "--micro-batch", "2"} + rest)), 2);
  const Answer compared =
      problem_.run(QStringList{"compare", "--planner", "pipedream", "--planner", "single", "--json"} + rest);
  VERIFY_STATUS(compared, 0);
  const QJsonArray answers = object_of(compared.out)["answers"].toArray();
  QVERIFY(at(answers, {"0", "infeasible", "relaxation"}).toString().contains("--micro-batch"));
  QCOMPARE(at(answers, {"1", "plan", "micro_batch"}).toInt(), 7);
}

void TestCliCommands::pipes_are_read_once() {
  const QString pipe = problem_.path("pipe");
  for (const char* command : {"validate pipe", "convert pipe -", "diff pipe p.json"}) {
    QProcess::execute("mkfifo", {pipe});
    QProcess feeder;
    feeder.setWorkingDirectory(problem_.folder());
    feeder.start("sh", {"-c", "cat p.json > pipe"});
    const Answer answer = problem_.run(QString(command).split(' '));
    feeder.kill();
    feeder.waitForFinished();
    QFile::remove(pipe);
    VERIFY_STATUS(answer, 0);
  }
}

void TestCliCommands::file_names_that_are_no_text() {
  VERIFY_STATUS((problem_.run({"convert", "p.json", "p.txt"})), 0);
  // Through the shell: this name can't be an argument of QProcess.
  const QByteArray program = PIPEDECK_CLI;
  for (const char* arguments :
       {"validate --json", "convert --to profile", "compare --cluster c.json --global-batch 8 --json --profile"}) {
    QProcess shell;
    shell.setWorkingDirectory(problem_.folder());
    const QByteArray converts = QByteArray(arguments).startsWith("convert") ? " -" : "";
    shell.start("sh", {"-c", "n=$(printf 'n\\351t-pbs-1.txt'); cp p.txt \"$n\"; " + program + " " + arguments +
                                 " \"$n\"" + converts + "; s=$?; rm \"$n\"; exit $s"});
    QVERIFY(shell.waitForFinished());
    const QByteArray out = shell.readAllStandardOutput();
    QVERIFY2(shell.exitStatus() == QProcess::NormalExit && shell.exitCode() == 0, shell.readAllStandardError());
    QVERIFY2(!QJsonDocument::fromJson(out).isNull(), out);
  }
}

void TestCliCommands::a_run_log_keeps_unknown_keys() {
  const QByteArray log =
      "{\"event\":\"warning\",\"message\":\"m\",\"host_load\":0.5}\n"
      "{\"event\":\"finished\",\"steps\":1,\"loss\":1.5,\"duration_ms\":2.0,\"median_step_ms\":2.0}\n";
  problem_.write("r.jsonl", log);
  VERIFY_STATUS((problem_.run({"convert", "r.jsonl", "again.jsonl"})), 0);
  QCOMPARE(problem_.read("again.jsonl"), log);
}

void TestCliCommands::lists_data() {
  QTest::addColumn<QString>("what");
  QTest::addColumn<QStringList>("expected");
  QTest::newRow("planners") << "planners" << QStringList{"dapple", "pipedream",      "capture",  "data-parallel",
                                                         "gpipe",  "gpipe-balanced", "straight", "single"};
  QTest::newRow("schedules") << "schedules" << QStringList{"gpipe", "1f1b", "pipedream"};
  QTest::newRow("models") << "models" << QStringList{"BERT-48", "VGG-19", "ResNet-50", "mlp-small"};
  QTest::newRow("clusters") << "clusters" << QStringList{"DAPPLE config A", "V100"};
  QTest::newRow("devices") << "devices" << QStringList{"cpu"};
  QTest::newRow("device-types") << "device-types"
                                << QStringList{"V100-16GB", "T4", "H100-SXM", "MI300X", "USD per hour"};
  QTest::newRow("formats") << "formats" << QStringList{"profile",    "graph-text", "cluster",     "plan",
                                                       "simulation", "model",      "calibration", "run-log",
                                                       "project",    "trace",      "nvidia-smi",  "nccl-topology",
                                                       "lstopo",     "slurm",      "gpu-copies",  "bandwidths"};
  QTest::newRow("cloud-shapes") << "cloud-shapes" << QStringList{"p4d.24xlarge", "ND96asr_v4", "a3-highgpu-8g"};
}

void TestCliCommands::lists() {
  QFETCH(QString, what);
  QFETCH(QStringList, expected);
  const Answer answer = problem_.run({"list", what});
  VERIFY_STATUS(answer, 0);
  for (const QString& name : expected) QVERIFY2(answer.out.toLower().contains(name.toLower().toUtf8()), answer.out);
}

/// The output of `list` for a preset is accepted as an argument.
void TestCliCommands::listed_presets_open() {
  for (const auto& [what, option] : {std::pair{"models", "--profile"}, std::pair{"clusters", "--cluster"}}) {
    const Answer answer = problem_.run({"list", what, "--json"});
    VERIFY_STATUS(answer, 0);
    for (const QJsonValue item : QJsonDocument::fromJson(answer.out).array()) {
      const QString argument = item["argument"].toString();
      QVERIFY2(argument.startsWith("preset:"), answer.out);
      QStringList plan{"plan", "--planner", "data-parallel", "--global-batch", "64", "--ignore-memory"};
      plan << "--profile" << (what == QByteArray("models") ? argument : "preset:BERT-48");
      plan << "--cluster" << (what == QByteArray("models") ? "c.json" : argument);
      const Answer planned = problem_.run(plan + QStringList{"-o", "listed.json"});
      QVERIFY2(planned.status == 0 || planned.status == 3, argument.toUtf8() + ": " + planned.err);
      QVERIFY2(!planned.err.contains("preset"), planned.err);
    }
  }
}

void TestCliCommands::output_to_a_full_device_fails() {
  const Answer answer = problem_.run(question("gpipe") + QStringList{"-o", "/dev/full"});
  VERIFY_STATUS(answer, 1);
  QVERIFY2(answer.err.contains("/dev/full"), answer.err);
  VERIFY_STATUS((problem_.run(question("gpipe") + QStringList{"-o", "/dev/null"})), 0);
  QVERIFY(!QFileInfo("/dev/null").isFile());  // and not replaced by a file
}

void TestCliCommands::a_folder_that_is_not_there() {
  const Answer answer = problem_.run(question("gpipe") + QStringList{"-o", "nowhere/plan.json"});
  QVERIFY(answer.status == 1 || answer.status == 2);
  QVERIFY2(answer.err.contains("nowhere/plan.json"), answer.err);
  QCOMPARE(answer.out, QByteArray());
}

void TestCliCommands::doctor_describes_the_installation_alone() {
  const QString home = problem_.path("secret-home");
  QVERIFY(QDir().mkpath(home + "/.config/pipedeck"));
  problem_.write("secret-home/.config/pipedeck/pipedeck.conf", "12345");
  QVERIFY(QDir().mkpath(home + "/state/pipedeck/crashes"));
  problem_.write("secret-home/state/pipedeck/crashes/20261129-113209-pipedeck-4711.txt", "pipedeck");
  const QStringList surroundings{"HOME=" + home,
                                 "USER=secret-user",
                                 "LD_LIBRARY_PATH=/secret-folder",
                                 "XDG_CONFIG_HOME=" + home + "/.config",
                                 "XDG_STATE_HOME=" + home + "/state",
                                 "OMP_NUM_THREADS=3"};
  const Answer text = problem_.run({"doctor"}, surroundings), json = problem_.run({"doctor", "--json"}, surroundings);
  VERIFY_STATUS(text, 0);
  VERIFY_STATUS(json, 0);
  const QJsonObject object = object_of(json.out);
  for (const char* section : {"program", "system", "libraries", "devices", "environment", "settings"})
    QVERIFY2(object[QLatin1String(section)].isObject(), section);
  const QByteArray version = problem_.run({"--version"}).out.split('\n').front();
  QCOMPARE("pipedeck-cli " + object["program"].toObject()["pipedeck-cli"].toString().toUtf8(), version);
  QCOMPARE(object["environment"].toObject()["LD_LIBRARY_PATH"].toString(), QString("set"));
  QCOMPARE(object["environment"].toObject()["OMP_NUM_THREADS"].toString(), QString("3"));
  QCOMPARE(object["settings"].toObject()["window's"].toString(), QString("5 bytes"));
  QCOMPARE(object["settings"].toObject()["crash reports"].toString(),
           QString("1, the last one 20261129-113209-pipedeck-4711.txt"));
  QVERIFY(!object["program"].toObject()["commit"].toString().isEmpty());
  const QByteArray host = QSysInfo::machineHostName().toUtf8();
  for (const QByteArray& out : {text.out, json.out}) {
    QVERIFY2(!out.contains("secret"), out);
    QVERIFY2(host.size() < 4 || !out.contains(host), out);
    QVERIFY(out.count('\n') < 60);
  }
}

PIPEDECK_TEST(TestCliCommands)

}  // namespace pipedeck::tst_cli_commands

#include "tst_cli_commands.moc"
