// SPDX-License-Identifier: Apache-2.0
// The simulated step of one published run of each kind against its prediction.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/io/files.hpp"
#include "core/mesh/memory.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/simulate.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/study/accuracy/accuracy.hpp"
#include "core/study/accuracy/question_of.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_published_steps {

using namespace study::accuracy;

class TestPublishedSteps : public QObject {
  Q_OBJECT

 private slots:
  void simulations_agree_with_predictions() {
    const auto runs =
        runs_from_csv(io::read_file(test::source_dir() + "/tests/fixtures/published-runs.csv").value()).value();
    int compared = 0;
    for (const PublishedRun& run : runs) {
      Expressed expressed = question_of(run, presets::device_catalogue());
      if (!expressed.question) continue;
      mesh::Question& question = *expressed.question;
      const mesh::Rates rates{expressed.type, *find_efficiency(presets::efficiency(), expressed.type.name)};
      question.states.step = question.training.bucket = 0;  // simulations leave them out
      const auto predicted = sim::step::predict_step(question, rates);
      const auto simulated = sim::simulate(question, rates);
      QVERIFY2(predicted && simulated, run.row.c_str());
      QVERIFY2(std::abs(predicted->iteration.count - to_seconds(simulated->iteration).count) < 1e-8, run.row.c_str());
      double peak = 0;
      for (const SimulatedDevice& device : simulated->devices)
        peak = std::max(peak, static_cast<double>(device.peak.count));
      const double expected = static_cast<double>(predicted->needed.count) +
                              (1 - mesh::usable_share) * static_cast<double>(predicted->capacity.count);
      QVERIFY2(std::abs(peak / expected - 1) < 0.03,
               (run.row + ": " + std::to_string(peak / 0x1p30) + " of " + std::to_string(expected / 0x1p30) + " GiB")
                   .c_str());
      ++compared;
    }
    QVERIFY(compared > 25);
  }

  /// All figures of memory in the table of published runs: nine in ten are at most 2 % under and 8 % over.
  void memory_is_as_published() {
    if (test::shared_data().empty()) QSKIP("no ../shared/data");
    std::vector<PublishedRun> runs =
        runs_from_csv(io::read_file(test::shared_data() + "/published-runs/train.csv").value()).value();
    std::erase_if(runs, [](const PublishedRun& run) { return !run.memory_gib; });
    int compared = 0, good = 0, left_out = 0;
    for (const Outcome& one :
         outcomes_of(runs, presets::device_catalogue(), presets::efficiency(), sim::step::predict_step, 2)) {
      QVERIFY2(one.prediction && one.prediction->fits, one.run.row.c_str());
      left_out += one.memory_left_out().empty() ? 0 : 1;
      const auto error = one.memory_error();
      if (!error) continue;
      ++compared;
      good += *error >= -0.02 && *error <= 0.08 ? 1 : 0;
      // The one run that prints more for 2 samples than its twin does for 4.
      if (one.run.row != "bigscience-176b-037") QVERIFY2(std::abs(*error) < 0.12, one.run.row.c_str());
    }
    QCOMPARE(left_out, 2);
    QCOMPARE(compared + left_out, static_cast<int>(runs.size()));
    QVERIFY2(good >= 0.9 * compared, qPrintable(QStringLiteral("%1 of %2").arg(good).arg(compared)));
  }
};

PIPEDECK_TEST(TestPublishedSteps)

}  // namespace pipedeck::tst_published_steps

#include "tst_published_steps.moc"
