// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/inspector_content.hpp"

#include <QTest>

#include <algorithm>

#include "app/models/compare/plan_reasons.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_inspector_content {

class TestInspectorContent : public QObject {
  Q_OBJECT

 private:
  static double sum(const std::vector<models::compare::InspectorPart>& parts) {
    double total = 0;
    for (const models::compare::InspectorPart& part : parts) total += part.share;
    return total;
  }

  static bool any_contains(const std::vector<QString>& lines, const QString& words) {
    return std::ranges::any_of(lines, [&](const QString& line) { return samples::plain(line).contains(words); });
  }

 private slots:
  void the_iteration_is_accounted_for() {
    const auto content = models::compare::inspector_content(samples::rows()[1]);
    QVERIFY(std::abs(sum(content.iteration) - 1) < 1e-9);
    QCOMPARE(content.iteration[0].kind, models::compare::InspectorPartKind::arithmetic);
    QVERIFY(std::abs(content.iteration[0].share - 0.70) < 1e-6);  // 80 % busy, 2 % optimizer, 8 % all-reduces
    const auto share = [&](models::compare::InspectorPartKind kind) {
      return std::ranges::find(content.iteration, kind, &models::compare::InspectorPart::kind)->share;
    };
    QVERIFY(std::abs(share(models::compare::InspectorPartKind::optimizer_step) - 0.02) < 1e-6);
    QVERIFY(std::abs(share(models::compare::InspectorPartKind::tensor_parallel) - 0.08) < 1e-6);
    QVERIFY(std::abs(share(models::compare::InspectorPartKind::pipeline) - 0.01) < 1e-6);
    QVERIFY(std::abs(share(models::compare::InspectorPartKind::all_reduce) - 0.03) < 1e-6);
    QCOMPARE(samples::plain(content.iteration.back().text), QStringLiteral("95.5 ms"));  // 13 % of 735 ms
  }

  void each_dimension_is_a_part_of_its_own() {
    models::compare::PlanRow row = samples::rows()[1];
    auto simulation = std::make_shared<Simulation>(*row.simulation);
    const Nanoseconds moved(simulation->parts[TimePart::tensor_parallel].count / 4);
    for (const TimePart part : {TimePart::context_parallel, TimePart::expert_parallel})
      simulation->parts[part] = moved, simulation->parts[TimePart::tensor_parallel] -= moved;
    row.simulation = simulation;
    const auto content = models::compare::inspector_content(row);
    QVERIFY(std::abs(sum(content.iteration) - 1) < 1e-9);
    const auto share = [&](models::compare::InspectorPartKind kind) {
      const auto part = std::ranges::find(content.iteration, kind, &models::compare::InspectorPart::kind);
      return part == content.iteration.end() ? 0 : part->share;
    };
    QVERIFY(std::abs(share(models::compare::InspectorPartKind::tensor_parallel) - 0.04) < 1e-6);
    QVERIFY(std::abs(share(models::compare::InspectorPartKind::context_parallel) - 0.02) < 1e-6);
    QVERIFY(std::abs(share(models::compare::InspectorPartKind::expert_parallel) - 0.02) < 1e-6);
  }

  void memory_is_itemised_to_the_peak() {
    const auto content = models::compare::inspector_content(samples::rows()[1]);
    QVERIFY(content.fits);
    QCOMPARE(content.capacity_share, 1.0);
    QVERIFY(std::abs(sum(content.memory) - 11.2 / 16) < 1e-6);
    QVERIFY(samples::plain(content.memory_text).contains("11.2 GiB of 16 GiB on G0 (stage 0)"));
  }

  void too_much_says_by_how_much() {
    const auto content = models::compare::inspector_content(samples::rows()[3]);
    QVERIFY(!content.fits);
    QVERIFY(std::abs(content.capacity_share - 16 / 17.4) < 1e-6);
    QVERIFY(std::abs(sum(content.memory) - 1) < 1e-6);
    QVERIFY(samples::plain(content.memory_text).contains("1.40 GiB more"));
  }

  void certificate_and_conventions() {
    const auto content = models::compare::inspector_content(samples::rows()[1]);
    QVERIFY(samples::plain(content.certificate[0]).contains("5.9 %"));
    QVERIFY(samples::plain(content.certificate[1]).contains("DAPPLE L_max"));
    QVERIFY(samples::plain(content.certificate[1]).contains("0.5"));
    const auto has = [&](const QString& value) {
      return std::ranges::any_of(content.conventions,
                                 [&](const models::compare::InspectorFact& f) { return f.second.contains(value); });
    };
    QVERIFY(has("16 bytes per parameter"));
    QVERIFY(has("warm-up A"));
    QVERIFY(has("ideal"));
  }

  void what_was_edited_takes_the_planners_words_along() {
    models::compare::PlanRow row = samples::rows()[1];
    row.plan.rationale = {"The planner's own sentence."};
    row.plan.certificate = Certificate{Seconds(), milliseconds(700), 0, "all plans of one stage"};
    const auto before = models::compare::inspector_content(row);
    QVERIFY(any_contains(before.why, "own sentence"));
    QVERIFY(any_contains(before.certificate, "Proven: all plans of one stage"));
    row.outdated = true;
    const auto after = models::compare::inspector_content(row);
    QVERIFY(!any_contains(after.why, "own sentence"));
    QVERIFY(any_contains(after.why, "equally busy"));  // the simulation's own reasons are of what is there now
    QVERIFY(!any_contains(after.certificate, "Proven"));
    QVERIFY(!any_contains(after.certificate, "DAPPLE L_max"));
    QVERIFY(any_contains(after.certificate, "changed after it ended"));
  }

  void rates_and_the_alarm_above_the_peak() {
    models::compare::PlanRow row = samples::rows()[1];
    Utilization rates;
    rates.devices = 16;
    rates.tokens_per_second = 71432;
    rates.tokens_per_second_per_device = 4464.5;
    rates.precision = "bf16";
    rates.peak_per_device = 989.4e12;
    rates.operations_per_device = 500e12;
    rates.mfu = rates.hfu = 0.505;
    rates.mfu_all_pairs = 0.547;
    row.utilization = rates;
    const auto figure = [](const models::compare::InspectorContent& content, const char* name) {
      for (const auto& [label, value] : content.figures)
        if (label == QLatin1String(name)) return samples::plain(value);
      return QString();
    };
    const auto content = models::compare::inspector_content(row);
    QCOMPARE(figure(content, "MFU"), QStringLiteral("50.5 %"));
    QCOMPARE(figure(content, "MFU, all pairs of tokens"), QStringLiteral("54.7 %"));
    QCOMPARE(figure(content, "Exposed communication"), QStringLiteral("12.0 % · TP 8.0, PP 1.0, DP 3.0"));
    QVERIFY(content.alarm.isEmpty());
    rates.mfu = rates.hfu = 1.3;
    rates.operations_per_device = 1286e12;
    row.utilization = rates;
    QVERIFY(models::compare::inspector_content(row).alarm.contains("1286 TFLOP/s"));
  }

  void a_mini_batch_is_not_compared_with_an_iteration() {
    const auto content = models::compare::inspector_content(samples::rows()[3]);
    QVERIFY(content.certificate[1].contains("per mini-batch"));
    QVERIFY(!content.certificate[1].contains("over it"));
  }

  void reasons_come_from_the_figures() {
    const auto why = models::compare::inspector_content(samples::rows()[1]).why;
    QVERIFY(any_contains(why, "each within one node"));
    // 2 x 15/16 x 2,346 MiB over 3.125 GB/s.
    const double least = 2.0 * 15 / 16 * 2346 * samples::mebibyte / 3.125e9;
    QVERIFY2(any_contains(why, QString::number(least, 'f', 2)),
             qPrintable(QStringList(why.begin(), why.end()).join('\n')));
    QVERIFY(any_contains(why, "20 %"));  // (2 - 1) / (4 + 2 - 1)
    QVERIFY(any_contains(why, "16 MiB"));
  }

  void a_plan_under_way_has_no_figures() {
    const auto content = models::compare::inspector_content(samples::rows()[5]);
    QVERIFY(content.iteration.empty());
    QVERIFY(content.memory.empty());
    QCOMPARE(content.why.size(), std::size_t{1});
  }

  void every_reason_has_its_sentence() {
    models::compare::PlanRow row = samples::rows()[1];
    const auto why = [&](const PlanReasons& reasons) {
      row.reasons = std::make_shared<const PlanReasons>(reasons);
      return models::compare::reason_sentences(row);
    };
    QVERIFY(why({}).empty());
    QVERIFY(any_contains(why({.replicas = ReplicaPlace::across_nodes}), "cross the network"));
    QVERIFY(any_contains(why({.widest_cut = Bytes(samples::mebibyte)}), "before layer 24 sends 1 MiB"));
    QVERIFY(any_contains(why({.balance = BalanceReason{1, 0, 0}}), "equally busy"));
    QVERIFY(any_contains(why({.balance = BalanceReason{1, 0, 0.25}}), "Stage 1 is the busiest; stage 0 has 25 % less"));
    QVERIFY(any_contains(why({.recomputed = {1}}), "recompute their forward, to save memory: 1."));
    QVERIFY(any_contains(why({.recomputed = {0, 1}}), "Each block recomputes its forward, to save memory."));
    const auto replicated = why({.replication = ReplicationReason{Bytes(samples::gibibyte), 16, Seconds(0.5),
                                                                  gigabytes_per_second(3), Seconds(0.25)}});
    QVERIFY2(any_contains(replicated, "which takes 0.500 s on a free network at 3.00 GB/s. This plan waits 250 ms"),
             qPrintable(replicated.front()));
    // Without replicas the plan has no gradients to wait for.
    for (Stage& stage : row.plan.stages) stage.devices.resize(1), stage.tensor_parallel = 1;
    const auto alone = why({.replication = ReplicationReason{Bytes(samples::gibibyte), 16, Seconds(0.5),
                                                             gigabytes_per_second(3), Seconds(0)}});
    QVERIFY2(any_contains(alone, "at 3.00 GB/s.") && !any_contains(alone, "waits"), qPrintable(alone.front()));
    row.plan.rationale = {"The planner's own sentence."};
    QVERIFY(why({.balance = BalanceReason{1, 0, 0.25}}).empty());
    row.reasons = nullptr;
    QVERIFY(models::compare::reason_sentences(row).empty());
  }
};

PIPEDECK_TEST(TestInspectorContent)

}  // namespace pipedeck::tst_inspector_content

#include "tst_inspector_content.moc"
