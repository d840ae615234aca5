// SPDX-License-Identifier: Apache-2.0
// The memory of a stage's passes, against layers with explicit tensors: some grow with the samples, some do not.
#include <QTest>

#include <vector>

#include "core/cost/pass_memory.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_pass_memory {

/// A normalisation layer. It saves its input. The input gradient leaves the sums for gain and shift, whose size does
/// not depend on the samples.
struct Normalisation {
  std::int64_t sample, sums;  // bytes

  Layer measured(int samples) const {
    Layer layer;
    layer.output = layer.saved = Bytes(samples * sample);
    LayerMemory memory;
    memory.input = layer.saved;
    memory.backward = Bytes(sums + samples * sample);  // the sums, and the outgoing gradient
    memory.backward_fixed = Bytes(sums);
    memory.weight_saved = Bytes(sums);
    layer.memory = memory;
    return layer;
  }
};

class TestPassMemory : public QObject {
  Q_OBJECT
 private slots:
  void what_is_left_for_weight_gradients_is_never_too_low_data();
  void what_is_left_for_weight_gradients_is_never_too_low();
  void a_size_that_was_measured_takes_what_it_took();
};

void TestPassMemory::what_is_left_for_weight_gradients_is_never_too_low_data() {
  QTest::addColumn<int>("measured");
  QTest::addColumn<int>("samples");
  for (const int measured : {1, 2, 3, 8})
    for (const int samples : {1, 2, 5, 8, 16}) QTest::addRow("%d of %d", samples, measured) << measured << samples;
}

void TestPassMemory::what_is_left_for_weight_gradients_is_never_too_low() {
  QFETCH(int, measured);
  QFETCH(int, samples);
  const Normalisation norm{100, 384};
  Profile profile;
  profile.micro_batch = measured;
  profile.layers = {norm.measured(measured), norm.measured(measured)};
  Plan plan = test::pipeline_plan({1}, samples, 1, ScheduleKind::zb_h1);
  plan.stages.front().last = 2;
  const std::vector<LayerId> order{LayerId(0), LayerId(1)};
  const std::vector<Bytes> cuts{Bytes(), Bytes(measured * norm.sample), Bytes()};
  const cost::PassMemory passes = cost::pass_memory(plan, profile, order, cuts, StageId(0), samples);
  // Between the two halves of the backward: both layers' sums instead of what both saved.
  const std::int64_t truth = 2 * norm.sums - 2 * samples * norm.sample;
  QVERIFY2(passes.split_backward_bytes.count >= truth,
           qPrintable(QString("%1 < %2").arg(passes.split_backward_bytes.count).arg(truth)));
  if (samples <= measured) QCOMPARE(passes.split_backward_bytes.count, truth);
}

/// A convolution that repacks 1000 bytes of weights after freeing 100 bytes per sample: 900 besides the saved bytes of
/// one sample, 600 for four, 200 for eight. Sizes between must not fall below the figure of one sample.
void TestPassMemory::a_size_that_was_measured_takes_what_it_took() {
  Layer convolution;
  LayerMemory memory;
  memory.backward = memory.backward_fixed = Bytes(900);
  convolution.memory = memory;
  for (const auto& [samples, workspace] : {std::pair{4, 600}, {8, 200}}) {
    LayerPoint point{samples, Seconds(1), Seconds(1)};
    point.details.workspace = Bytes(workspace);
    convolution.at.push_back(point);
  }
  Profile profile;
  profile.micro_batch = 8;
  profile.layers = {convolution};
  for (const auto& [samples, expected] : {std::pair{2, 900}, {4, 600}, {8, 200}, {16, 1800}}) {
    Plan plan = test::pipeline_plan({1}, samples, 1, ScheduleKind::gpipe);
    const cost::PassMemory passes =
        cost::pass_memory(plan, profile, std::vector{LayerId(0)}, std::vector<Bytes>(2), StageId(0), samples);
    QCOMPARE(passes.backward.count, std::int64_t{expected});
  }
}

PIPEDECK_TEST(TestPassMemory)

}  // namespace pipedeck::tst_pass_memory

#include "tst_pass_memory.moc"
