// SPDX-License-Identifier: Apache-2.0
// Explanations through the real program: simulate --explain, --sensitivity and --trace, and the waterfall of diff.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <cmath>

#include "core/io/documents/formats.hpp"
#include "tests/app/cli/cli_process.hpp"
#include "tests/core/io/traces/trace_checker.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_explain {

using pipedeck::test::Answer;
using pipedeck::test::inputs;
using pipedeck::test::object_of;
using pipedeck::test::SmallProblem;

qint64 ns(const QJsonValue& milliseconds) { return std::llround(milliseconds.toDouble() * 1e6); }

/// "1240.126437" or "+0.100000" as nanoseconds.
qint64 ns(const QString& text) { return std::llround(text.toDouble() * 1e6); }

/// The cells of the line that begins with this word.
QStringList line_of(const QByteArray& text, const QString& word) {
  for (const QString& line : QString::fromUtf8(text).split('\n'))
    if (line.startsWith(word)) return line.split(QRegularExpression("\\s{2,}"));
  return {};
}

const QStringList parts{"compute",   "imbalance",       "bubble",         "recompute",
                        "optimizer", "tensor_parallel", "point_to_point", "all_reduce"};

class TestCliExplain : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void explain_as_text();
  void explain_as_json_data();
  void explain_as_json();
  void sensitivity_as_text_folds_what_is_alike();
  void sensitivity_as_json_has_every_entry();
  void levers_come_first_in_text_and_json();
  void exposed_communication_is_one_figure_everywhere();
  void rates_and_provenance();
  void traces_hold_what_was_simulated();
  void waterfall_of_two_plans();
  void waterfall_is_what_simulate_says();
  void diff_without_inputs_is_as_it_was();
  void what_cannot_be_is_refused_data();
  void what_cannot_be_is_refused();

 private:
  Answer simulate(const QStringList& more, const QString& plan = "plan.json") const {
    return problem_.run(QStringList{"simulate", "--plan", plan} + test::inputs() + more);
  }
  Answer diff(const QStringList& more) const { return problem_.run(QStringList{"diff"} + more + test::inputs()); }

  SmallProblem problem_;
};

void TestCliExplain::initTestCase() {
  problem_.write("moved.json", pipedeck::test::small_plan()
                                   .replace("[0, 3]", "[0, 4]")
                                   .replace("[3, 6]", "[4, 6]")
                                   .replace("\"schedule\": \"1f1b\"", "\"schedule\": \"gpipe\""));
}

void TestCliExplain::explain_as_text() {
  const Answer answer = simulate({"--explain"});
  VERIFY_STATUS(answer, 0);
  for (const QString& part : parts) QVERIFY2(line_of(answer.out, part).size() == 3, qPrintable(part));
  const QByteArray iteration = answer.out.mid(answer.out.indexOf("iteration ") + 10).split(' ').front();
  QCOMPARE(line_of(answer.out, "in all").value(1).toUtf8(), iteration);
  QVERIFY2(QRegularExpression("critical path: \\d+ links, " + QRegularExpression::escape(iteration) + " ms")
               .match(QString::fromUtf8(answer.out))
               .hasMatch(),
           answer.out);
  QVERIFY(!line_of(answer.out, "forward").isEmpty() && !line_of(answer.out, "stage 1").isEmpty());
  QVERIFY2(answer.out.contains("idle ms of device"), answer.out);
  QVERIFY(!simulate({}).out.contains("critical path"));
}

void TestCliExplain::explain_as_json_data() {
  QTest::addColumn<QStringList>("options");
  for (const char* network : {"ideal", "shared"})
    for (const char* schedule : {"1f1b", "zb-v", "interleaved", "pipedream"})
      QTest::addRow("%s %s", network, schedule) << QStringList{"--network", network, "--schedule", schedule};
}

void TestCliExplain::explain_as_json() {
  QFETCH(QStringList, options);
  const Answer answer = simulate(options + QStringList{"--explain", "--json"});
  VERIFY_STATUS(answer, 0);
  const QJsonObject simulation = object_of(answer.out);
  qint64 sum = 0;
  for (const QString& part : parts) {
    QVERIFY(simulation["parts"].toObject().contains(part + "_ms"));
    sum += ns(simulation["parts"][part + "_ms"]);
  }
  QCOMPARE(sum, ns(simulation["iteration_ms"]));
  const QJsonObject path = simulation["critical_path"].toObject();
  qint64 at = ns(path["begin_ms"]);
  for (const QJsonValue& link : path["links"].toArray()) {
    QCOMPARE(ns(link["begin_ms"]), at);
    at = ns(link["end_ms"]);
    for (const char* key : {"device", "kind", "stage", "micro_batch", "waited_for"})
      QVERIFY2(link.toObject().contains(key), key);
  }
  QCOMPARE(at, ns(path["end_ms"]));
  QCOMPARE(path["links"][0]["waited_for"].toString(), "start");
  // It reads back as a simulation, these members and all.
  problem_.write("explained.json", answer.out);
  VERIFY_STATUS((problem_.run({"validate", "explained.json"})), 0);
}

void TestCliExplain::sensitivity_as_text_folds_what_is_alike() {
  QString equal = QString::fromUtf8(pipedeck::test::small_profile());
  equal.replace(QRegularExpression("forward_ms\": \\d+"), "forward_ms\": 5");
  equal.replace(QRegularExpression("backward_ms\": \\d+"), "backward_ms\": 10");
  problem_.write("equal.json", equal.toUtf8());
  problem_.write(
      "pair.json",
      pipedeck::test::small_plan().replace("[0, 1]", "[0]").replace("[2, 3]", "[2]").replace("1f1b", "gpipe"));
  const Answer answer = problem_.run({"simulate", "--plan", "pair.json", "--profile", "equal.json", "--cluster",
                                      "c.json", "--optimizer", "none", "--sensitivity"});
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.out.contains("1.1 times as much"), answer.out);
  QCOMPARE(line_of(answer.out, "device_speed").value(1), "devices 0, 2, each");
  QCOMPARE(answer.out.count("device_speed"), 1);
  QCOMPARE(line_of(answer.out, "link_bandwidth").value(1), "n0 to n1");
  QVERIFY2(answer.out.contains("all other links and devices: nothing"), answer.out);
}

void TestCliExplain::sensitivity_as_json_has_every_entry() {
  const Answer answer = simulate({"--sensitivity", "--json", "--explain"});
  VERIFY_STATUS(answer, 0);
  const QJsonObject simulation = object_of(answer.out);
  QVERIFY(simulation.contains("critical_path"));
  const QJsonArray entries = simulation["sensitivity"]["entries"].toArray();
  QCOMPARE(simulation["sensitivity"]["factor"].toDouble(), 1.1);
  QCOMPARE(entries.size(), 3 + 4 + 4);  // two nodes and the link between them, four devices twice
  double before = 1e300;
  for (const QJsonValue& entry : entries) {
    QVERIFY(entry["gain_ms"].toDouble() <= before);
    before = entry["gain_ms"].toDouble();
    QCOMPARE(ns(simulation["iteration_ms"]) - ns(entry["gain_ms"]), ns(entry["iteration_ms"]));
    QVERIFY(entry.toObject().contains(entry["of"].toString() == "link_bandwidth" ? "from" : "device"));
  }
  QCOMPARE(simulate({"--sensitivity", "--json", "--explain", "--threads", "3"}).out, answer.out);
}

void TestCliExplain::levers_come_first_in_text_and_json() {
  const Answer text = simulate({"--sensitivity"});
  VERIFY_STATUS(text, 0);
  const auto levers = text.out.indexOf("largest levers"), single = text.out.indexOf("1.1 times as much");
  QVERIFY2(levers >= 0 && levers < single, text.out);
  QVERIFY2(text.out.contains("all devices 1.1 times as fast"), text.out);
  const QJsonObject simulation = object_of(simulate({"--sensitivity", "--json"}).out);
  double before = 1e300;
  QStringList kinds;
  for (const QJsonValue& lever : simulation["sensitivity"]["levers"].toArray()) {
    QVERIFY(lever["gain_ms"].toDouble() <= before);
    before = lever["gain_ms"].toDouble();
    kinds << lever["of"].toString();
    QCOMPARE(ns(simulation["iteration_ms"]) - ns(lever["gain_ms"]), ns(lever["iteration_ms"]));
  }
  for (const char* kind : {"all_devices", "device_memory", "links_inside", "links_between", "micro_batches"})
    QCOMPARE(kinds.count(kind), 1);
}

/// In the table and JSON of compare, in text and JSON of simulate, in CSV and in a report.
void TestCliExplain::exposed_communication_is_one_figure_everywhere() {
  const Answer compared = problem_.run(
      QStringList{"compare", "--planner", "gpipe,data-parallel", "--global-batch", "8", "--json", "--csv", "rows.csv"} +
      test::inputs());
  VERIFY_STATUS(compared, 0);
  const Answer table =
      problem_.run(QStringList{"compare", "--planner", "gpipe,data-parallel", "--global-batch", "8"} + test::inputs());
  const QString csv = QString::fromUtf8(problem_.read("rows.csv"));
  int checked = 0;
  for (const QJsonValue& answer : object_of(compared.out)["answers"].toArray()) {
    if (!answer["plan"].isObject()) continue;
    problem_.write("one.json", QJsonDocument(answer["plan"].toObject()).toJson());
    const QJsonObject simulation = object_of(simulate({"--json"}, "one.json").out);
    QCOMPARE(answer["parts"], simulation["parts"]);
    QCOMPARE(answer["exposed_communication_ms"], simulation["exposed_communication_ms"]);
    QCOMPARE(answer["exposed_communication_fraction"], simulation["exposed_communication_fraction"]);
    const QJsonObject parts = simulation["parts"].toObject();
    const auto part = [&](const char* name) { return parts[QString(name) + "_ms"].toDouble(); };
    const double whole = simulation["iteration_ms"].toDouble();
    QCOMPARE(ns(simulation["exposed_communication_ms"]),
             ns(parts["tensor_parallel_ms"]) + ns(parts["point_to_point_ms"]) + ns(parts["all_reduce_ms"]));
    const QString all = QString::number(100 * simulation["exposed_communication_fraction"].toDouble(), 'f', 1) + " %";
    const QString split = QStringLiteral("%1 / %2 / %3")
                              .arg(100 * part("tensor_parallel") / whole, 0, 'f', 1)
                              .arg(100 * part("point_to_point") / whole, 0, 'f', 1)
                              .arg(100 * part("all_reduce") / whole, 0, 'f', 1);
    const QString text = QString::fromUtf8(simulate({}, "one.json").out);
    QVERIFY2(text.contains("exposed communication " + all + " (TP / PP / DP " + split + " %)"), qPrintable(text));
    QVERIFY2(QString::fromUtf8(table.out).contains(all + "  " + split) || table.out.contains(split.toUtf8()),
             table.out);
    VERIFY_STATUS(problem_.run(QStringList{"export", "one.json", "report", "-o", "r.md"} + test::inputs()), 0);
    const QString report = QString::fromUtf8(problem_.read("r.md"));
    QVERIFY2(report.contains("exposed communication " + all) && report.contains(split), qPrintable(report));
    ++checked;
  }
  QCOMPARE(checked, 2);
  QVERIFY(csv.startsWith("plan,") && csv.contains("exposed_pipeline_ms"));
}

void TestCliExplain::rates_and_provenance() {
  VERIFY_STATUS((problem_.run({"convert", "--cloud", "p5.48xlarge", "-o", "h100.json"})), 0);
  const QStringList inputs{"--profile", "preset:llama-3-8b", "--cluster", "h100.json"};
  const Answer answer =
      problem_.run(QStringList{"compare", "--planner", "megatron", "--global-batch", "64", "--json"} + inputs);
  VERIFY_STATUS(answer, 0);
  QVERIFY2(answer.err.contains("what their shapes do on H100-SXM"), answer.err);
  const QJsonObject comparison = object_of(answer.out);
  QCOMPARE(comparison["provenance"]["layer_times"].toString(), "computed");
  QVERIFY(comparison["provenance"].toObject()["assumptions"].toArray().first().toString().contains("H100-SXM") ||
          comparison["provenance"].toObject()["assumptions"].toArray().first().toString().contains(
              "matrix products reach"));
  const QJsonValue best = comparison["answers"][0], rates = best["utilization"];
  QCOMPARE(rates["tokens_per_s"].toDouble(), best["samples_per_s"].toDouble() * 4096);
  QVERIFY(rates["mfu"].toDouble() > 0.2 && rates["mfu"].toDouble() < 0.77);
  QVERIFY(rates["mfu_all_pairs"].toDouble() > rates["mfu"].toDouble());
  QVERIFY(!rates["above_peak"].toBool());
  const QByteArray text =
      problem_.run(QStringList{"compare", "--planner", "megatron", "--global-batch", "64"} + inputs).out;
  for (const char* words : {"tokens/s/device", "MFU counts matrix products",
                            "Simulated from computed layer times. "
                            "Assumed: "})
    QVERIFY2(text.contains(words), text);
  // A type under another name without peaks is refused, with them it is as fast as they are.
  QByteArray renamed = problem_.read("h100.json");
  renamed.replace("\"H100-SXM\"", "\"X800\"");
  problem_.write("h800.json", renamed);
  const auto ask = [&](const char* cluster) {
    return problem_.run({"compare", "--planner", "megatron", "--global-batch", "64", "--json", "--profile",
                         "h100-profile.json", "--cluster", cluster});
  };
  problem_.write("h100-profile.json", pipedeck::test::small_profile().replace("\"X\"", "\"H100-SXM\""));
  VERIFY_STATUS(ask("h100.json"), 0);
  const auto time = [&](const Answer& of) { return object_of(of.out)["answers"][0]["iteration_ms"].toDouble(); };
  QCOMPARE(time(ask("h800.json")), time(ask("h100.json")));
  QJsonObject bare = object_of(renamed);
  QJsonArray types = bare["device_types"].toArray();
  QJsonObject type = types[0].toObject();
  type.remove("peak_tflops");
  bare["device_types"] = QJsonArray{type};
  problem_.write("bare.json", QJsonDocument(bare).toJson());
  const Answer refused = ask("bare.json");
  VERIFY_STATUS(refused, 2);
  QVERIFY2(refused.err.contains("bare.json") && refused.err.contains("peak_tflops of X800"), refused.err);
}

void TestCliExplain::traces_hold_what_was_simulated() {
  for (const char* schedule : {"1f1b", "zb-v", "pipedream"}) {
    const Answer answer =
        simulate({"--schedule", schedule, "--network", "shared", "--intervals", "--json", "--trace", "t.json"});
    VERIFY_STATUS(answer, 0);
    const Result<Simulation> simulation = io::documents::simulation_from_json(answer.out.toStdString());
    QVERIFY(simulation.has_value());
    const QByteArray trace = problem_.read("t.json");
    const std::string fault =
        pipedeck::test::trace_fault(trace.toStdString(), &simulation->timeline, &simulation->devices);
    QVERIFY2(fault.empty(), fault.c_str());
    QCOMPARE(object_of(trace)["otherData"].toObject()["title"].toString(), "by hand");
    QCOMPARE(object_of(trace)["otherData"].toObject()["schedule"].toString(), schedule);
    problem_.write("s.json", answer.out);
    VERIFY_STATUS((problem_.run({"convert", "s.json", "again.trace.json"})), 0);
    const std::string converted = pipedeck::test::trace_fault(problem_.read("again.trace.json").toStdString(),
                                                              &simulation->timeline, &simulation->devices);
    QVERIFY2(converted.empty(), converted.c_str());
  }
}

void TestCliExplain::waterfall_of_two_plans() {
  const Answer text = diff({"plan.json", "moved.json"});
  VERIFY_STATUS(text, 0);
  QVERIFY2(text.out.contains("/stages/0/layers/1"), text.out);
  qint64 sums[3] = {0, 0, 0};
  for (const QString& part : parts) {
    const QStringList cells = line_of(text.out, part);
    QVERIFY2(cells.size() == 5, qPrintable(part));
    for (int i = 0; i < 3; ++i) sums[i] += ns(cells[i + 1]);
    QCOMPARE(ns(cells[2]) - ns(cells[1]), ns(cells[3]));
  }
  const QStringList whole = line_of(text.out, "in all");
  for (int i = 0; i < 3; ++i) QCOMPARE(sums[i], ns(whole.value(i + 1)));
  QVERIFY2(text.out.contains("network ideal, overlap layer"), text.out);

  const Answer json = diff({"plan.json", "moved.json", "--json"});
  VERIFY_STATUS(json, 0);
  const QJsonObject steps = object_of(json.out)["waterfall"].toObject();
  QCOMPARE(steps["parts"].toArray().size(), parts.size());
  qint64 change = 0;
  for (int i = 0; i < parts.size(); ++i) {
    QCOMPARE(steps["parts"][i]["part"].toString(), parts[i]);
    change += ns(steps["parts"][i]["change_ms"]);
  }
  QCOMPARE(change, ns(steps["b_ms"]) - ns(steps["a_ms"]));
  QCOMPARE(change, ns(steps["change_ms"]));
  QCOMPARE(ns(whole[1]), ns(steps["a_ms"]));
}

void TestCliExplain::waterfall_is_what_simulate_says() {
  const QStringList simulated_plan{"--network", "shared", "--overlap", "none", "--collectives", "tree", "--json"};
  const QJsonObject steps =
      object_of(diff(QStringList{"plan.json", "moved.json"} + simulated_plan).out)["waterfall"].toObject();
  QCOMPARE(steps["network"].toString(), "shared");
  QCOMPARE(steps["overlap"].toString(), "none");
  QCOMPARE(steps["collectives"].toString(), "tree");
  QCOMPARE(steps["a_ms"], object_of(simulate(simulated_plan).out)["iteration_ms"]);
  QCOMPARE(steps["b_ms"], object_of(simulate(simulated_plan, "moved.json").out)["iteration_ms"]);
}

void TestCliExplain::diff_without_inputs_is_as_it_was() {
  const Answer text = problem_.run({"diff", "plan.json", "moved.json"});
  VERIFY_STATUS(text, 0);
  QVERIFY2(text.out.contains("--profile and --cluster add"), text.out);
  const Answer json = problem_.run({"diff", "plan.json", "moved.json", "--json"});
  QVERIFY(!object_of(json.out).contains("waterfall"));
  QVERIFY(problem_.run({"diff", "plan.json", "plan.json"}).out.startsWith("no difference"));
  QVERIFY(!problem_.run({"diff", "p.json", "p.json"}).out.contains("--profile"));
}

void TestCliExplain::what_cannot_be_is_refused_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QString>("said");
  const auto simulated = [](const QStringList& more) {
    return QStringList{"simulate", "--plan", "plan.json"} + test::inputs() + more;
  };
  QTest::newRow("iteration alone, explained") << simulated({"--iteration-only", "--explain"}) << "--iteration-only";
  QTest::newRow("iteration alone, sensitivity")
      << simulated({"--iteration-only", "--sensitivity"}) << "--iteration-only";
  QTest::newRow("iteration alone, trace") << simulated({"--iteration-only", "--trace", "x.json"}) << "--iteration-only";
  QTest::newRow("no threads") << simulated({"--sensitivity", "--threads", "0"}) << "--threads";
  QTest::newRow("explain what") << simulated({"--explain=all"}) << "explain";
  QTest::newRow("half of the inputs") << QStringList{"diff", "plan.json", "moved.json", "--profile", "p.json"}
                                      << "--cluster";
  QTest::newRow("the other half") << QStringList{"diff", "plan.json", "moved.json", "--cluster", "c.json"}
                                  << "--profile";
  QTest::newRow("judged by nothing") << QStringList{"diff", "plan.json", "moved.json", "--network", "shared"}
                                     << "--profile";
  QTest::newRow("unknown network") << QStringList{"diff", "plan.json", "moved.json", "--network", "pigeon"} +
                                          test::inputs()
                                   << "pigeon";
  QTest::newRow("profiles have no times to lead over")
      << QStringList{"diff", "p.json", "p.json"} + test::inputs() << "p.json: found a profile, expected a plan";
  QTest::newRow("no such profile") << QStringList{"diff",      "plan.json", "moved.json", "--profile",
                                                  "gone.json", "--cluster", "c.json"}
                                   << "gone.json";
}

void TestCliExplain::what_cannot_be_is_refused() {
  QFETCH(QStringList, arguments);
  QFETCH(QString, said);
  const QStringList before = problem_.files();
  const Answer answer = problem_.run(arguments);
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.startsWith("pipedeck-cli: ") && answer.err.contains(said.toUtf8()), answer.err);
  QVERIFY(answer.out.isEmpty());
  QCOMPARE(problem_.files(), before);
}

PIPEDECK_TEST(TestCliExplain)

}  // namespace pipedeck::tst_cli_explain

#include "tst_cli_explain.moc"
