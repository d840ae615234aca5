// SPDX-License-Identifier: Apache-2.0
// simulate with plans of format version 2.
#include <QJsonArray>
#include <QTest>

#include <cmath>
#include <string>

#include "tests/app/cli/cli_process.hpp"
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
    for (const QJsonValue& part : json["step_parts_ms"].toObject()) {
      QVERIFY(part.toDouble() >= 0);
      parts += part.toDouble();
    }
    QVERIFY2(std::abs(parts - iteration) < 1e-3, qPrintable(QString("%1 of %2 ms").arg(parts).arg(iteration)));
    QVERIFY(json["step_parts_ms"]["tensor"].toDouble() > 0 && json["step_parts_ms"]["expert"].toDouble() == 0);
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
    QVERIFY2(answer.out.startsWith("70B  tensor 4 with sequence, data 4 at sharding level 1, pipeline 4 of 5 stages "
                                   "each  interleaved, 32 micro-batches of 4\n"),
             answer.out);
    const double iteration = json["iteration_ms"].toDouble(), tokens = json["tokens_per_s_per_device"].toDouble();
    QVERIFY(std::abs(number_in(answer.out, "iteration", " ms") - iteration) < 0.01);
    QVERIFY(std::abs(number_in(answer.out, QByteArray::number(std::llround(tokens * devices)), " tokens/s/device") -
                     tokens) < 0.06);
    for (const QString& part : json["step_parts_ms"].toObject().keys()) {
      const double share = 100 * json["step_parts_ms"][part].toDouble() / iteration;
      QVERIFY2(std::abs(number_in(answer.out, part.toLatin1() + ' ', " %") - share) < 0.06, qPrintable(part));
    }
    QVERIFY2(answer.out.contains("48 to 63"), answer.out);
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

  void refusals() {
    const auto refused = [&](const Answer& answer, const char* words) {
      VERIFY_STATUS(answer, 2);
      QVERIFY2(answer.err.contains(words), answer.err);
    };
    refused(simulate(with_stage(3, "sequence_parallel", false)),
            "m.json: /stages/7/devices: found a device of stage 3");
    refused(simulate(with_stage(2, "layers", QJsonArray{9, 14})), "m.json: /stages/");
    refused(simulate(with_stage(19, "layers", QJsonArray{77, 83})), "m.json: /stages/19/layers: found layers up to 83");
    refused(simulate(with_stage(1, "recompute", true)), "m.json: /stages/1/recompute: found another choice");
    QJsonObject gpipe = plan_70b();
    gpipe["schedule"] = "zb-h1";
    refused(simulate(gpipe), "m.json: /");
    refused(simulate(plan_70b(), {}, "p.json"), "m.json: /version: found times of");
    refused(simulate(plan_70b(), {}, "preset:llama-3-70b", "preset:4x8-h100-sxm"), "found a cluster of 32 devices");
    for (const QStringList& more :
         {QStringList{"--explain"}, QStringList{"--sensitivity"}, QStringList{"--jitter", "0.05"},
          QStringList{"--schedule", "gpipe"}, QStringList{"--schedule-csv", "s.csv"},
          QStringList{"--export-schedule", "-"}, QStringList{"--network", "shared"}, QStringList{"--overlap", "none"},
          QStringList{"--collectives", "tree"}, QStringList{"--reserve-bytes", "1"}, QStringList{"--zero", "2"},
          QStringList{"--iteration-only"}, QStringList{"--csv", "parts", "-"},
          QStringList{"--csv", "sensitivity", "-"}})
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
