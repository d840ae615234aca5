// SPDX-License-Identifier: Apache-2.0
// Published runs next to a step: distances, bands by counting, waterfalls by their sums, the table of the program.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "core/io/files.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/published_runs.hpp"
#include "core/study/accuracy/nearest_runs.hpp"
#include "core/study/accuracy/question_of.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_nearest_runs {

using namespace study::accuracy;

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

std::vector<PublishedRun> runs_of_file(const std::string& path) {
  return runs_from_csv(io::read_file(path).value()).value();
}
const std::vector<PublishedRun>& samples() {
  static const auto runs = runs_of_file(test::source_dir() + "/tests/fixtures/published-runs.csv");
  return runs;
}
const std::vector<PublishedRun>& shipped() {
  static const auto runs = runs_from_csv(presets::published_runs()).value();
  return runs;
}

Expressed expressed(const std::vector<PublishedRun>& runs, const std::string& row) {
  const auto found = std::ranges::find(runs, row, &PublishedRun::row);
  return question_of(found == runs.end() ? PublishedRun{} : *found, presets::device_catalogue());
}

/// A step takes 2 s, whatever it is.
Result<mesh::Prediction> two_seconds(const mesh::Question&, const mesh::Rates&) {
  mesh::Prediction prediction;
  prediction.iteration = Seconds(2);
  prediction.parts[0] = Seconds(1.5), prediction.parts[2] = Seconds(0.5);
  return prediction;
}

EfficiencyTable any_efficiency() {
  EfficiencyTable table;
  table.devices.emplace_back().device = default_efficiency;
  return table;
}

class TestNearestRuns : public QObject {
  Q_OBJECT

 private slots:
  void distances_are_a_metric() {
    std::vector<Traits> traits;
    for (const PublishedRun& run : samples())
      if (const Expressed one = question_of(run, presets::device_catalogue()); one.question)
        traits.push_back(traits_of(*one.question, one.type));
    QVERIFY(traits.size() > 25);
    for (const Traits& a : traits)
      for (const Traits& b : traits) {
        QVERIFY(close(distance_of(a, b), distance_of(b, a)));
        double sum = 0;
        for (const Difference& one : differences_of(a, b)) sum += one.value;
        QVERIFY(close(distance_of(a, b), sum));
        for (const Traits& c : traits) QVERIFY(distance_of(a, c) <= distance_of(a, b) + distance_of(b, c) + 1e-9);
      }
    for (const Traits& a : traits) QCOMPARE(distance_of(a, a), 0.0);
  }

  void distances_by_trait() {
    const Expressed base = expressed(shipped(), "megatron-bridge-080");
    QVERIFY(base.question);
    const auto changed = [&](const auto& change) {
      mesh::Question other = *base.question;
      change(other);
      return distance_of(traits_of(*base.question, base.type), traits_of(other, base.type));
    };
    QVERIFY(close(changed([](mesh::Question& q) { q.micro_batches *= 2; }), 0));
    QVERIFY(close(changed([](mesh::Question& q) { q.data *= 4; }), 0.15 * 2));
    QVERIFY(close(changed([](mesh::Question& q) { q.layer.shard.tensor *= 2, q.data /= 2; }), 0.25));
    QVERIFY(close(changed([](mesh::Question& q) { q.layer.count.sequence *= 2; }), 0.2 + 0.1));
    QVERIFY(close(changed([](mesh::Question& q) { q.training.adapters.rank = 8; }), 2));
    QVERIFY(close(changed([](mesh::Question& q) { q.layer.recomputed.blocks = true; }), 0.4));
    QVERIFY(close(changed([](mesh::Question& q) { q.training.products = "bf16", q.training.recipe = ""; }), 1.3));
  }

  /// Ratios 1 to n in any order: a tenth of n + 1 values are outside on each side, at least one value is the end.
  void bands_by_counting() {
    std::mt19937 random(3);
    for (int n = 0; n < 60; ++n) {
      std::vector<double> ratios(static_cast<std::size_t>(n));
      std::iota(ratios.begin(), ratios.end(), 1.0);
      std::ranges::shuffle(ratios, random);
      const auto band = band_of(ratios);
      QCOMPARE(band.has_value(), n >= least_band_runs);
      if (!band) continue;
      QCOMPARE(band->runs, n);
      QVERIFY(close(band->median, (n + 1) / 2.0));
      const auto inside = std::ranges::count_if(ratios, [&](double r) { return r >= band->low && r <= band->high; });
      QVERIFY(double(inside) >= 0.8 * n);
      QVERIFY(close(band->low - 1, n - band->high));
      QVERIFY(n < 19 ? band->low == 1 : band->low == std::floor((n + 1) / 10));
    }
  }

  void waterfalls_add_up() {
    mesh::Prediction from, to;
    from.parts[0] = Seconds(3), from.parts[5] = Seconds(1), from.iteration = Seconds(4);
    to.parts[0] = Seconds(5), to.parts[3] = Seconds(2), to.iteration = Seconds(7);
    const StepWaterfall fall = waterfall_of(4.4, from, 100, to, 200);
    QVERIFY(close(fall.from, 0.044));
    QVERIFY(close(fall.error, -0.004));
    QVERIFY(close(fall.parts[0], 0.025 - 0.03));
    QVERIFY(close(fall.parts[3], 0.01));
    QVERIFY(close(fall.parts[5], -0.01));
    QVERIFY(close(fall.to, 0.035));
    QVERIFY(close(fall.from + fall.error + std::accumulate(fall.parts.begin(), fall.parts.end(), 0.0), fall.to));
  }

  /// The nearest run of a published run's own question is that run.
  void own_run_is_nearest() {
    const KnownRuns known(shipped(), presets::device_catalogue(), 2);
    QVERIFY(known.size() > 500);
    for (const char* const row : {"torchtitan-001", "megatron-bridge-080", "bigscience-176b-082"}) {
      const Expressed one = expressed(shipped(), row);
      QVERIFY2(one.question, row);
      mesh::Prediction prediction = *two_seconds({}, {});
      const mesh::Rates rates{one.type, {}};
      const LikeRuns like = like_runs(known, {*one.question, rates, prediction}, 200, presets::device_catalogue(),
                                      any_efficiency(), two_seconds, 2);
      QVERIFY(like.nearest.size() > 3 && like.like >= static_cast<int>(like.nearest.size()));
      const auto own =
          std::ranges::find_if(like.nearest, [&](const NearestRun& r) { return r.outcome.run.row == row; });
      QVERIFY(own != like.nearest.end());
      QCOMPARE(own->distance, 0.0);
      QVERIFY(own->differences.empty());
      QVERIFY(std::ranges::all_of(own->waterfall.parts, [](double part) { return part == 0; }));
      QVERIFY(std::ranges::is_sorted(like.nearest, {}, &NearestRun::distance));
      QVERIFY(like.nearest.back().distance <= like_distance);

      // The band again, from the sorted list of all runs that are like it.
      std::map<std::pair<std::string, std::string>, int> taken;
      std::vector<double> ratios;
      for (const std::size_t position : known.near(traits_of(*one.question, one.type))) {
        const PublishedRun& run = known.run(position);
        if (ratios.size() < 20 && ++taken[{run.source, run.model}] <= 3) ratios.push_back(2 / *run.measured_seconds());
      }
      std::ranges::sort(ratios);
      QVERIFY(like.band);
      QCOMPARE(like.band->runs, static_cast<int>(ratios.size()));
      const std::size_t outside = std::max<std::size_t>(1, (ratios.size() + 1) / 10);
      QVERIFY(close(like.band->low, ratios[outside - 1]));
      QVERIFY(close(like.band->high, ratios[ratios.size() - outside]));
      QVERIFY(like.band->nearest == 0 && like.band->farthest <= like_distance);
    }
  }

  void nothing_is_like_it() {
    Expressed one = expressed(shipped(), "torchtitan-001");
    one.question->config.layers *= 4096;
    const mesh::Rates rates{one.type, {}};
    const mesh::Prediction prediction = *two_seconds({}, {});
    const LikeRuns like =
        like_runs(KnownRuns(shipped(), presets::device_catalogue(), 1), {*one.question, rates, prediction}, 5,
                  presets::device_catalogue(), any_efficiency(), two_seconds, 1);
    QVERIFY(!like.band && like.nearest.empty());
    QCOMPARE(like.like, 0);
  }

  /// Equal errors everywhere are held by every band; a run of its own kind alone has none.
  void coverage() {
    std::vector<Outcome> outcomes =
        outcomes_of(shipped(), presets::device_catalogue(), any_efficiency(), two_seconds, 1);
    for (Outcome& one : outcomes) one.measured_seconds = 2.2;
    const auto equal = coverage_of(outcomes);
    QVERIFY(equal && equal->runs > 400);
    QCOMPARE(equal->held, 1.0);
    QVERIFY(close(equal->width + 1, 1));
    for (Outcome& one : outcomes) one.run.model = "m", one.run.gpu = "g";
    QVERIFY(!coverage_of(outcomes));
  }

  /// presets/published-runs.csv has the judged runs of the table that it was made from.
  void table_is_current() {
    std::set<std::string> rows;
    for (const PublishedRun& run : shipped()) {
      QVERIFY2(run.newest && run.measured_seconds() && run.has_shape(), run.row.c_str());
      QVERIFY2(rows.insert(run.row).second, run.row.c_str());
    }
    const std::string shared = test::shared_data();
    if (shared.empty()) QSKIP("no ../shared/data");
    std::size_t judged = 0;
    for (const PublishedRun& run : runs_of_file(shared + "/published-runs/train.csv")) {
      if (!run.newest || !run.measured_seconds() || !run.has_shape()) continue;
      QVERIFY2(judged < shipped().size(), run.row.c_str());
      const PublishedRun& own = shipped()[judged++];
      QCOMPARE(own.row, run.row);
      QCOMPARE(own.measured_seconds(), run.measured_seconds());
      QCOMPARE(own.memory_gib, run.memory_gib);
      for (const auto member :
           {&PublishedRun::model, &PublishedRun::gpu, &PublishedRun::precision, &PublishedRun::sharding,
            &PublishedRun::recompute, &PublishedRun::overlap, &PublishedRun::software, &PublishedRun::notes})
        QCOMPARE(own.*member, run.*member);
    }
    QCOMPARE(judged, shipped().size());
  }
};

PIPEDECK_TEST(TestNearestRuns)

}  // namespace pipedeck::tst_nearest_runs

#include "tst_nearest_runs.moc"
