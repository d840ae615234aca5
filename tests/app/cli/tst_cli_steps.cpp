// SPDX-License-Identifier: Apache-2.0
// simulate with plans of format version 2.
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <cmath>
#include <string>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_steps {

using pipedeck::test::Answer;
using pipedeck::test::object_of;
using pipedeck::test::SmallProblem;

constexpr int blocks = 80, ranks = 4, devices = 64;

/// Llama 3 70B with T 4, D 4, P 4, v 5 and sharded optimizer states.
QJsonObject plan_70b() {
  QJsonArray stages;
  constexpr int count = 20, of_stage = blocks / count, of_rank = devices / ranks;
  for (int s = 0; s < count; ++s) {
    const int first = s == 0 ? 0 : 1 + s * of_stage, last = 1 + (s + 1) * of_stage + (s + 1 == count ? 3 : 0);
    const int device = s % ranks * of_rank;
    stages.append(QJsonObject{{"layers", QJsonArray{first, last}},
                              {"devices", QString("%1-%2").arg(device).arg(device + of_rank - 1)},
                              {"tensor_parallel", 4},
                              {"sequence_parallel", true}});
  }
  return {{"format", "pipedeck.plan"},
          {"version", 2},
          {"name", "70B"},
          {"planner", "hand"},
          {"global_batch", 128},
          {"micro_batch", 4},
          {"schedule", "interleaved"},
          {"optimizer", "adam"},
          {"precision", "mixed-18"},
          {"sharding", QJsonObject{{"level", 1}}},
          {"stages", stages}};
}

/// Returns the number in front of `unit` in the first line with it that begins with `word`.
double number_in(const QByteArray& text, const QByteArray& word, const QByteArray& unit) {
  for (const QByteArray& line : text.split('\n')) {
    if (!line.startsWith(word) || !line.contains(unit)) continue;
    const QByteArray before = line.left(line.indexOf(unit)).trimmed();
    return before.mid(before.lastIndexOf(' ') + 1).toDouble();
  }
  return NAN;
}

class TestCliSteps : public QObject {
  Q_OBJECT

 private:
  Answer simulate(const QJsonObject& plan, const QStringList& more = {}, const QString& profile = "preset:llama-3-70b",
                  const QString& cluster = "preset:8x8-h100-sxm") const {
    problem_.write("m.json", QJsonDocument(plan).toJson());
    return problem_.run(QStringList{"simulate", "--profile", profile, "--cluster", cluster, "--plan", "m.json"} + more);
  }
  static QJsonObject with_stage(int stage, const QString& key, const QJsonValue& value) {
    QJsonObject plan = plan_70b();
    QJsonArray stages = plan["stages"].toArray();
    QJsonObject one = stages[stage].toObject();
    one[key] = value, stages[stage] = one, plan["stages"] = stages;
    return plan;
  }

 private slots:
  void json_is_consistent() {
    const Answer answer = simulate(plan_70b(), {"--json"});
    VERIFY_STATUS(answer, 0);
    const QJsonObject json = object_of(answer.out);
    const double iteration = json["iteration_ms"].toDouble();
    double parts = 0;
    for (const QJsonValue& part : json["parts"].toObject()) {
      QVERIFY(part.toDouble() >= 0);
      parts += part.toDouble();
    }
    QVERIFY2(std::abs(parts - iteration) < 1e-3, qPrintable(QString("%1 of %2 ms").arg(parts).arg(iteration)));
    QVERIFY(json["parts"]["tensor_parallel_ms"].toDouble() > 0 &&
            !json["parts"].toObject().contains("expert_parallel_ms"));
    const double tokens = 128 * 4096 / (iteration / 1000) / devices;
    QVERIFY(std::abs(json["tokens_per_s_per_device"].toDouble() / tokens - 1) < 1e-6);
    // 6 x 70.6e9 operations per token: neither quicker than the data sheet nor ten times slower.
    const double share = tokens * 6 * 70.6e9 / 989e12;
    QVERIFY2(share > 0.1 && share < 1, qPrintable(QString::number(share)));

    QCOMPARE(json["devices"].toArray().size(), ranks);
    double peak = 0;
    for (int r = 0; r < ranks; ++r) {
      QCOMPARE(json["devices"][r]["device"].toInt(), r * devices / ranks);
      peak = std::max(peak, json["devices"][r]["peak_memory_bytes"].toDouble());
    }
    const QJsonObject memory = json["memory"].toObject();
    QCOMPARE(memory["fits"].toBool(), json["fits"].toBool());
    QVERIFY(memory["allocated_bytes"].toDouble() < memory["needed_bytes"].toDouble());
    // Curves have the 1.5 % of the capacity that the driver takes.
    const double needed = memory["needed_bytes"].toDouble() + 0.015 * memory["capacity_bytes"].toDouble();
    QVERIFY2(std::abs(peak / needed - 1) < 0.02, qPrintable(QString("%1 of %2").arg(peak).arg(needed)));
    // 18 bytes a weight, of which 12 over 4 data ranks, of 70.6e9 / 16 weights: at least that.
    QVERIFY(memory["allocated_bytes"].toDouble() > 70.6e9 / 16 * (6 + 12 / 4.));
  }

  void text_is_as_json() {
    const QJsonObject json = object_of(simulate(plan_70b(), {"--json"}).out);
    const Answer answer = simulate(plan_70b());
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.out.startsWith(
                 "70B  TP 4 \u00b7 PP 4 \u00d7 5 \u00b7 DP 4 \u00b7 ZeRO-1  interleaved, 32 micro-batches of 4\n"),
             answer.out);
    const double iteration = json["iteration_ms"].toDouble(), tokens = json["tokens_per_s_per_device"].toDouble();
    QVERIFY(std::abs(number_in(answer.out, "iteration", " ms") - iteration) < 0.01);
    QVERIFY(std::abs(number_in(answer.out, QByteArray::number(std::llround(tokens * devices)), " tokens/s/device") -
                     tokens) < 0.06);
    for (const QString& part : json["parts"].toObject().keys()) {
      const double share = 100 * json["parts"][part].toDouble() / iteration;
      QVERIFY2(std::abs(number_in(answer.out, part.chopped(3).toLatin1() + ' ', " %") - share) < 0.06,
               qPrintable(part));
    }
    QVERIFY2(answer.out.contains("48 to 63"), answer.out);
  }

  /// The first pipeline rank is on later devices, of a slow kind: rows are in the order of the pipeline.
  void ranks_are_in_the_order_of_the_pipeline() {
    problem_.write("two.cluster.json", R"({"format": "pipedeck.cluster", "version": 1, "name": "two kinds",
      "device_types": [{"name": "H100-SXM", "memory_bytes": 85899345920, "relative_speed": 1},
                       {"name": "A100-40GB", "memory_bytes": 42949672960, "relative_speed": 0.4}],
      "nodes": [{"name": "n0", "devices": [{"type": "H100-SXM", "count": 8}], "link": {"gb_per_s": 450, "latency_us": 5}},
                {"name": "n1", "devices": [{"type": "A100-40GB", "count": 8}], "link": {"gb_per_s": 300, "latency_us": 5}}],
      "switches": [{"name": "s"}],
      "links": [{"from": "n0", "to": "s", "gb_per_s": 50, "latency_us": 10},
                {"from": "n1", "to": "s", "gb_per_s": 50, "latency_us": 10}]})");
    QJsonObject plan = plan_70b();
    plan["schedule"] = "1f1b", plan["micro_batch"] = 1, plan["global_batch"] = 8;
    const auto stage = [](int first, int last, const char* on) {
      return QJsonObject{{"layers", QJsonArray{first, last}}, {"devices", on}, {"tensor_parallel", 8}};
    };
    plan["stages"] = QJsonArray{stage(0, 17, "8-15"), stage(17, 36, "0-7")};
    const Answer answer = simulate(plan, {}, "preset:llama-3-8b", "two.cluster.json");
    VERIFY_STATUS(answer, 0);
    QList<QByteArray> rows;
    for (const QByteArray& line : answer.out.split('\n'))
      if (line.contains(" to ") && line.simplified().endsWith(" yes")) rows.push_back(line.simplified());
    QVERIFY2(rows.size() == 2, answer.out);
    QVERIFY2(rows[0].startsWith("0 8 to 15 ") && rows[0].contains("40.00 GiB"), answer.out);
    QVERIFY2(rows[1].startsWith("1 0 to 7 ") && rows[1].contains("80.00 GiB"), answer.out);
  }

  void published_runs_like_it() {
    const Answer answer = simulate(plan_70b(), {"--json", "--nearest", "3"});
    VERIFY_STATUS(answer, 0);
    const QJsonObject json = object_of(answer.out), like = json["published_runs"].toObject();
    const QJsonObject band = like["measured_over_predicted"].toObject();
    QVERIFY(band["runs"].toInt() >= 5 && like["like"].toInt() >= band["runs"].toInt());
    QVERIFY(band["low"].toDouble() > 0.5 && band["low"].toDouble() < band["median"].toDouble());
    QVERIFY(band["median"].toDouble() < band["high"].toDouble() && band["high"].toDouble() < 2);
    QCOMPARE(like["nearest"].toArray().size(), 3);
    const double per_token = 1e6 / json["tokens_per_s_per_device"].toDouble();
    double before = 0;
    for (const QJsonValue& run : like["nearest"].toArray()) {
      double sum = 0, differences = 0;
      for (const QString& key : run["waterfall_us_per_token"].toObject().keys())
        if (key != "predicted") sum += run["waterfall_us_per_token"][key].toDouble();
      QVERIFY(std::abs(sum / per_token - 1) < 1e-6);
      QVERIFY(std::abs(run["waterfall_us_per_token"]["predicted"].toDouble() / per_token - 1) < 1e-6);
      for (const QJsonValue& part : run["differences"].toObject()) differences += part.toDouble();
      QVERIFY(std::abs(differences - run["distance"].toDouble()) < 1e-9);
      QVERIFY(run["distance"].toDouble() >= before);
      before = run["distance"].toDouble();
      QCOMPARE(run["model"].toString(), QString("llama3-70b"));
    }
    const Answer text = simulate(plan_70b(), {"--nearest", "2"});
    for (const char* const part : {"published runs most like it: measured 0.", "nearest runs", "predicted here"})
      QVERIFY2(text.out.contains(part), text.out);
    QVERIFY(!simulate(plan_70b()).out.contains("nearest runs"));
    VERIFY_STATUS(simulate(plan_70b(), {"--nearest", "-1"}), 2);
  }

  /// Compute at half the speed takes twice the time.
  void another_efficiency() {
    problem_.write("no.json", "{}");
    VERIFY_STATUS(simulate(plan_70b(), {"--efficiency", "no.json"}), 2);
    QFile file(QString::fromStdString(pipedeck::test::source_dir()) + "/presets/efficiency.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject table = QJsonDocument::fromJson(file.readAll()).object();
    QJsonArray rows = table["rows"].toArray();
    for (QJsonValueRef row : rows) {
      QJsonObject one = row.toObject(), products = one["products"].toObject();
      for (const QString& key : products.keys()) {
        QJsonObject precision = products[key].toObject(), plain = precision["plain"].toObject();
        plain["share"] = plain["share"].toDouble() / 2, precision["plain"] = plain, products[key] = precision;
      }
      one["products"] = products, row = one;
    }
    table["rows"] = rows;
    problem_.write("half.json", QJsonDocument(table).toJson());
    const double before = object_of(simulate(plan_70b(), {"--json"}).out)["parts"]["compute_ms"].toDouble();
    const Answer answer = simulate(plan_70b(), {"--json", "--efficiency", "half.json"});
    VERIFY_STATUS(answer, 0);
    const double after = object_of(answer.out)["parts"]["compute_ms"].toDouble();
    QVERIFY2(after / before > 1.6 && after / before < 2, qPrintable(QString::number(after / before)));
  }

  void files() {
    const Answer answer = simulate(plan_70b(), {"--trace", "t.json", "--csv", "devices", "d.csv", "--csv", "operations",
                                                "o.csv", "--csv", "memory", "m.csv", "--csv", "memory-curve", "c.csv",
                                                "--intervals", "--memory-items", "-o", "s.json"});
    VERIFY_STATUS(answer, 0);
    QVERIFY(object_of(problem_.read("t.json"))["traceEvents"].toArray().size() > 2 * 20 * 32);
    QCOMPARE(problem_.read("d.csv").trimmed().split('\n').size(), 1 + ranks);
    QCOMPARE(problem_.read("m.csv").trimmed().split('\n').size(), 1 + ranks);
    QVERIFY(problem_.read("o.csv").split('\n').size() > 2 * 20 * 32);
    QVERIFY(problem_.read("c.csv").split('\n').size() > 2 * 20 * 32);
    const QJsonObject json = object_of(problem_.read("s.json"));
    QVERIFY(json["intervals"].isArray() && json["devices"][0]["memory_item_curve"].isObject());
    QVERIFY(answer.out.contains("backward") && answer.out.contains("reserve"));
  }

  /// The critical path covers the iteration; without jitter there is no band.
  void explanations() {
    const Answer answer = simulate(plan_70b(), {"--explain", "--json"});
    VERIFY_STATUS(answer, 0);
    const QJsonObject json = object_of(answer.out);
    double end = 0;
    for (const QJsonValue& link : json["critical_path"]["links"].toArray()) {
      QCOMPARE(link["begin_ms"].toDouble(), end);
      end = link["end_ms"].toDouble();
    }
    QCOMPARE(end, json["iteration_ms"].toDouble());
    const Answer only = simulate(plan_70b(), {"--iteration-only", "--jitter", "0.05"});
    VERIFY_STATUS(only, 0);
    QVERIFY(std::abs(number_in(only.out, "iteration", " ms") - end) < 0.01);
    const Answer parts = simulate(plan_70b(), {"--csv", "parts", "-", "--csv", "critical-path", "c.csv"});
    VERIFY_STATUS(parts, 0);
    QVERIFY2(parts.out.startsWith("part,time_ms") && parts.out.contains("\ncompute,"), parts.out);
    QVERIFY(problem_.read("c.csv").split('\n').size() > 20);
  }

  /// Less work for one rank is less time: of micro-batches, and of states where more is sharded.
  void changes_act() {
    const auto of = [&](const QJsonObject& plan) -> const QJsonObject {
      return object_of(simulate(plan, {"--json"}).out);
    };
    const QJsonObject whole = of(plan_70b());
    QJsonObject plan = plan_70b();
    plan["global_batch"] = 64;
    QVERIFY(of(plan)["iteration_ms"].toDouble() < 0.7 * whole["iteration_ms"].toDouble());
    plan = plan_70b();
    plan.remove("sharding");
    const double more =
        of(plan)["memory"]["allocated_bytes"].toDouble() - whole["memory"]["allocated_bytes"].toDouble();
    QVERIFY2(more > 70e9 / 16 * 8, qPrintable(QString::number(more)));  // 12 bytes a weight, not a quarter of them
    const Answer mixed = simulate(plan_70b(), {"--precision", "mixed-16", "--json"});
    QVERIFY(object_of(mixed.out)["memory"]["allocated_bytes"].toDouble() <
            whole["memory"]["allocated_bytes"].toDouble());
  }

  /// Memory of other programs counts in the verdict, as bytes or as a share of the 80 GiB.
  void other_programs_keep_a_part() {
    const auto fits = [&](const QStringList& more) {
      return object_of(simulate(plan_70b(), QStringList{"--json"} + more).out)["memory"].toObject();
    };
    const QJsonObject alone = fits({});
    QVERIFY(alone["fits"].toBool());
    const double left = alone["capacity_bytes"].toDouble() * 0.985 - alone["needed_bytes"].toDouble();
    QVERIFY(fits({"--reserve-bytes", QString::number(left - 2, 'f', 0)})["fits"].toBool());
    QVERIFY(!fits({"--reserve-bytes", QString::number(left + 2, 'f', 0)})["fits"].toBool());
    const double share = left / alone["capacity_bytes"].toDouble();
    QVERIFY(fits({"--reserve-share", QString::number(share - 1e-6, 'f', 9)})["fits"].toBool());
    QVERIFY(!fits({"--reserve-share", QString::number(share + 1e-6, 'f', 9)})["fits"].toBool());
    VERIFY_STATUS(simulate(plan_70b(), {"--reserve-share", "1.5"}), 2);
  }

  void adapters_and_offload() {
    QJsonObject plan = plan_70b();
    const auto memory = [&] { return object_of(simulate(plan, {"--json"}).out)["memory"].toObject(); };
    const double whole = memory()["allocated_bytes"].toDouble();
    plan["training"] = QJsonObject{{"adapters", QJsonObject{{"rank", 16}, {"frozen", "nf4"}}}};
    QVERIFY(memory()["allocated_bytes"].toDouble() < whole / 2);
    plan["training"] = QJsonObject{{"offload", QJsonObject{{"pages_optimizer", true}, {"blocks", 1}}}};
    const Answer answer = simulate(plan, {"--json"});
    const QJsonObject json = object_of(answer.out);
    const QJsonObject host = json["host_memory"].toObject();
    // 8 devices of a node hold 12 bytes of a 16th of 70.6 G weights, a 4th each.
    QVERIFY(std::abs(host["states_bytes"].toDouble() / (8 * 12 * 70.6e9 / 16 / 4) - 1) < 0.1);
    QVERIFY(host["activations_bytes"].toDouble() > 0);
    QCOMPARE(host["capacity_bytes"].toDouble(), 0x1p41);  // of DGX H100
    QVERIFY(host["fits"].toBool());
    QVERIFY(simulate(plan).out.contains("the fullest node's host has "));
    const double paged = json["parts"].toObject()["optimizer_ms"].toDouble();
    plan["training"] = QJsonObject{{"offload", QJsonObject{{"optimizer", true}}}};
    const QJsonObject there = object_of(simulate(plan, {"--json"}).out);
    QVERIFY(there["host_memory"].toObject()["copies_bytes"].toDouble() > 0);
    QVERIFY(there["parts"].toObject()["optimizer_ms"].toDouble() != paged);
  }

  void experts_have_a_band() {
    QJsonArray stages{QJsonObject{
        {"layers", QJsonArray{0, 68}}, {"devices", "0-31"}, {"tensor_parallel", 1}, {"expert_parallel", 8}}};
    QJsonObject plan = plan_70b();
    plan["stages"] = stages, plan["schedule"] = "1f1b", plan["micro_batch"] = 32, plan["global_batch"] = 64;
    const QString profile = "preset:mixtral-8x7b", cluster = "preset:4x8-h100-sxm";
    const Answer answer = simulate(plan, {"--json"}, profile, cluster);
    VERIFY_STATUS(answer, 0);
    const QJsonObject band = object_of(answer.out)["imbalance"].toObject();
    QCOMPARE(band["most"].toDouble(), 4.0);  // 8 experts, 2 of them a token
    const QJsonArray points = band["points"].toArray();
    QCOMPARE(points.size(), 6);
    for (int i = 1; i < points.size(); ++i)
      for (const char* key : {"iteration_ms", "needed_bytes"})
        QVERIFY(points[i].toObject()[key].toDouble() > points[i - 1].toObject()[key].toDouble());
    for (const QJsonValue& point : points)
      QCOMPARE(point["fits"].toBool(), point["imbalance"].toDouble() <= band["fits_up_to"].toDouble());
    QVERIFY(simulate(plan, {}, profile, cluster).out.contains("imbalance of experts"));
  }

  void refusals() {
    const auto refused = [&](const Answer& answer, const char* words) {
      VERIFY_STATUS(answer, 2);
      QVERIFY2(answer.err.contains(words), answer.err);
    };
    refused(simulate(with_stage(3, "sequence_parallel", false)),
            "m.json: /stages/7/devices: found a device of stage 3");
    refused(simulate(with_stage(2, "layers", QJsonArray{9, 14})), "m.json: /stages/");
    refused(simulate(with_stage(19, "layers", QJsonArray{77, 83})),
            "m.json: /stages/19/layers: found the last range to end at 83");
    refused(simulate(with_stage(1, "recompute", true)), "m.json: /stages/1/recompute: found another choice");
    QJsonObject gpipe = plan_70b();
    gpipe["schedule"] = "zb-h1";
    refused(simulate(gpipe), "m.json: /");
    refused(simulate(plan_70b(), {}, "preset:llama-3-70b", "preset:4x8-h100-sxm"), "found device 32, expected 0 to 31");
    for (const QStringList& more :
         {QStringList{"--sensitivity"}, QStringList{"--schedule", "gpipe"}, QStringList{"--schedule-csv", "s.csv"},
          QStringList{"--export-schedule", "-"}, QStringList{"--network", "shared"}, QStringList{"--overlap", "none"},
          QStringList{"--collectives", "tree"}, QStringList{"--zero", "2"}, QStringList{"--csv", "sensitivity", "-"}})
      refused(
          simulate(plan_70b(), more),
          ("simulate: " + more.first() + (more.size() > 2 || more.first() == "--network" ? " " + more[1] : QString()) +
           " does not cover plans of format version 2 yet")
              .toLatin1());
  }

 private:
  SmallProblem problem_;
};

PIPEDECK_TEST(TestCliSteps)

}  // namespace pipedeck::tst_cli_steps

#include "tst_cli_steps.moc"
