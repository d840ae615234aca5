// SPDX-License-Identifier: Apache-2.0
// "One device is quicker than two" is an answer only where it is so.
#include <QtTest/QTest>

#include "core/cost/all_reduce.hpp"
#include "core/presets/presets.hpp"
#include "core/study/one_device.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_one_device {

struct Compared {
  Problem problem;
  study::Comparison comparison;
};

/// Six layers of 3 ms, each with 100 MB of weights, whose outputs have `output` bytes.
Profile layers_of(Bytes output) {
  Profile profile = test::uniform_profile(6, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.parameters = Bytes(100'000'000), layer.output = output;
  profile.device = "RTX-4090";
  return profile;
}

Compared compared(Bytes output, const char* cluster, int batch) {
  Problem problem;
  problem.cluster = std::make_shared<const Cluster>(*presets::cluster_preset(cluster));
  problem.profile = std::make_shared<const Profile>(layers_of(output));
  problem.workload.global_batch = batch;
  std::vector<study::PlannerRequest> planners;
  for (const char* name : {"single", "data-parallel", "straight"})
    planners.push_back({*planner::find_planner(name), {}});
  study::PlanSimulator simulator;
  auto comparison = study::compare(problem, planners, simulator, {}, {}, {});
  return {std::move(problem), *std::move(comparison)};
}

constexpr Bytes large(200'000'000), small(1'000'000);

class TestOneDevice : public QObject {
  Q_OBJECT

 private slots:
  /// Outputs of 200 MB, and gradients of 600 MB, take longer through the host than two samples take to compute.
  void quicker_on_one() {
    const auto [problem, comparison] = compared(large, "2-rtx-4090", 2);
    const auto reason = study::one_device_is_quicker(problem, comparison.plans);
    QVERIFY(reason.has_value());
    QCOMPARE(reason->type, std::string("RTX-4090"));
    QVERIFY(reason->one < reason->several);
    const auto iteration = [&](std::size_t planner) {
      return to_seconds(comparison.plans[planner].simulated_plan->simulation->iteration).count;
    };
    QCOMPARE(reason->one.count, iteration(0));
    QCOMPARE(reason->several.count, std::min(iteration(1), iteration(2)));
    QCOMPARE(reason->devices, 2);
    QCOMPARE(reason->gradients.count, std::int64_t{600'000'000});
    // A ring of two sends half of the gradients twice, over half of PCI Express 4.0 x16.
    QVERIFY(std::abs(reason->rate.count - 15.754e9) < 1e6);
    const double least = static_cast<double>(reason->gradients.count) / reason->rate.count;
    QVERIFY(reason->all_reduce.count >= least && reason->all_reduce.count < 1.01 * least);
    const QString text = QString::fromStdString(study::one_device_text(*reason));
    QVERIFY2(text.startsWith("One RTX-4090 is quicker than two: "), qPrintable(text));
    QVERIFY2(text.contains("0.6 GB of gradients at 15.8 GB/s, which takes 38.1 ms."), qPrintable(text));
  }

  /// With small outputs two stages are quicker.
  void quicker_on_two() {
    const auto [problem, comparison] = compared(small, "2-rtx-4090", 2);
    QVERIFY(!study::one_device_is_quicker(problem, comparison.plans));
  }

  void nothing_to_compare() {
    const auto [problem, comparison] = compared(large, "1-rtx-4090", 2);
    QVERIFY(!study::one_device_is_quicker(problem, comparison.plans));
  }
};

PIPEDECK_TEST(TestOneDevice)

}  // namespace pipedeck::tst_one_device

#include "tst_one_device.moc"
