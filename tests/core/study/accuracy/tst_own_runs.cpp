// SPDX-License-Identifier: Apache-2.0
// Efficiencies scaled to a user's own runs: scales that are known are found again.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/io/documents/efficiency.hpp"
#include "core/io/files.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/study/accuracy/own_runs.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_own_runs {

using namespace study::accuracy;

/// Returns runs on H100, with these times in the place of the measured ones.
std::vector<PublishedRun> runs_with(const SpeedScales& scales, std::size_t most) {
  const auto all = runs_from_csv(io::read_file(test::source_dir() + "/tests/fixtures/published-runs.csv").value());
  EfficiencyTable table = presets::efficiency();
  for (DeviceEfficiency& row : table.devices) row = scaled(row, scales);
  std::vector<PublishedRun> runs;
  for (Outcome& one : outcomes_of(*all, presets::device_catalogue(), table, sim::step::predict_step, 2)) {
    if (one.device != "H100-SXM" || !one.judged || !one.prediction || runs.size() == most) continue;
    one.run.iteration_seconds = one.prediction->iteration.count;
    runs.push_back(std::move(one.run));
  }
  return runs;
}

Result<OwnRunsTable> fit(const std::vector<PublishedRun>& runs) {
  return fit_to_own_runs(runs, presets::device_catalogue(), presets::efficiency(), sim::step::predict_step, "own.csv",
                         2);
}

class TestOwnRuns : public QObject {
  Q_OBJECT

 private slots:
  void known_compute_is_found() {
    for (const double compute : {0.8, 1.15}) {
      const auto table = fit(runs_with({.compute = compute}, 5));
      QVERIFY2(table, table ? "" : table.error().text().c_str());
      QCOMPARE(table->fits.size(), std::size_t{1});
      const OwnRunsFit& one = table->fits.front();
      QCOMPARE(one.device, std::string("H100-SXM"));
      QCOMPARE(one.after.rows, 5);
      QVERIFY2(std::abs(one.scales.compute / compute - 1) < 0.01, std::to_string(one.scales.compute).c_str());
      QCOMPARE(one.scales.link, 1.0);
      QVERIFY(one.before.mean_absolute > 0.1);
      QVERIFY2(one.after.mean_absolute < 0.01, std::to_string(one.after.mean_absolute).c_str());
      QCOMPARE(one.held_out.rows, 0);
      const DeviceEfficiency& row = *find_efficiency(table->rates, "H100-SXM");
      QVERIFY(row.source.ends_with("; scaled to 5 own runs of own.csv"));
      QCOMPARE(*find_efficiency(table->rates, "B200"), *find_efficiency(presets::efficiency(), "B200"));
      QCOMPARE(io::documents::efficiency_from_json(io::documents::efficiency_to_json(table->rates)).value(),
               table->rates);
    }
  }

  /// Nothing is to be learned from runs as predicted.
  void exact_runs_change_nothing() {
    const auto table = fit(runs_with({}, 6));
    QVERIFY(table);
    QCOMPARE(table->fits.front().scales, SpeedScales{});
    QCOMPARE(table->fits.front().held_out.rows, 6);
    QVERIFY(table->fits.front().held_out.largest < 1e-9);
  }

  /// Times that no scale explains: scales stay within their bounds, and the error does not grow.
  void bounded() {
    std::vector<PublishedRun> runs = runs_with({}, 4);
    for (PublishedRun& run : runs) *run.iteration_seconds *= 50;
    const auto table = fit(runs);
    QVERIFY(table);
    const OwnRunsFit& one = table->fits.front();
    QVERIFY(one.scales.compute >= 1 / most_scale && one.scales.compute < 0.6);
    QVERIFY(one.after.mean_absolute < one.before.mean_absolute);
  }

  void too_few() {
    const auto table = fit(runs_with({}, 2));
    QVERIFY(!table);
    QCOMPARE(table.error().message, std::string("found 2 of H100-SXM predicted runs with a time and a full shape, "
                                                "expected at least 3 of one device type"));
  }

  void scaled_speeds() {
    const DeviceEfficiency& row = *find_efficiency(presets::efficiency(), "A100-80GB");
    QCOMPARE(scaled(row, {}), row);
    const DeviceEfficiency slow = scaled(row, {.compute = 0.5, .link = 0.8, .network = 2});
    QCOMPARE(slow.products.at("bf16").plain.share, row.products.at("bf16").plain.share / 2);
    QCOMPARE(slow.attention.at("default").backward, row.attention.at("default").backward / 2);
    QCOMPARE(slow.layer, row.layer * 2);
    QCOMPARE(slow.link, row.link * 0.8);
    QCOMPARE(slow.network, std::min(1.0, row.network * 2));
    QCOMPARE(slow.network_call, row.network_call / 2);
  }
};

PIPEDECK_TEST(TestOwnRuns)

}  // namespace pipedeck::tst_own_runs

#include "tst_own_runs.moc"
