// SPDX-License-Identifier: Apache-2.0
// Many steps of a model: each as it is predicted alone, to the nanosecond and byte.
#include <QTest>

#include <array>
#include <memory>

#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/presets/presets.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/sim/step/step_series.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_step_series {

using mesh::Question;

/// A small model: blocks with a window among others, with experts or without.
TransformerConfig model_of(test::Random& random) {
  TransformerConfig config = test::llama(1024, random.integer(4, 26), 16, 8, 4096, 32000);
  if (random.integer(0, 2) == 0) {
    config.experts.emplace();
    config.experts->count = 8, config.experts->per_token = 2, config.experts->feed_forward = 1024;
    config.experts->dense = {0};
  }
  return config;
}

Question question_of(test::Random& random, const std::shared_ptr<const Cluster>& cluster) {
  Question question;
  question.config = model_of(random);
  question.cluster = cluster;
  question.layer.count.sequence = 1024;
  const auto power = [&](int most) { return 1 << random.integer(0, most); };
  question.layer.shard.tensor = power(2);
  question.layer.shard.sequence = question.shard().tensor > 1;
  question.layer.shard.context = power(1);
  question.data = power(1);
  question.pipeline = std::min(4, power(3));
  question.virtual_stages = question.pipeline > 1 ? std::min(random.integer(1, 3), question.config.layers / 4) : 1;
  question.micro_batches = question.pipeline * random.integer(1, 24);
  if (question.virtual_stages == 1) question.micro_batches += random.integer(0, 3);
  question.sharding.level = random.integer(0, 3);
  question.training.hidden.pipeline = random.integer(0, 1) == 1;
  if (random.integer(0, 3) == 0) question.training.sample_lengths = {{256, 0.5}, {1024, 0.5}};
  question.layer.recomputed.blocks = random.integer(0, 3) == 0;
  if (question.layer.recomputed.blocks && random.integer(0, 1) == 0) question.layer.recomputed.count = 1;
  if (random.integer(0, 4) == 0) question.training.multi_token_blocks = 1;
  const bool stages_have_blocks = question.config.layers >= 2 * question.pipeline;
  if (question.pipeline > 1 && stages_have_blocks && !question.layer.recomputed.blocks && random.integer(0, 1) == 0) {
    constexpr std::array orders{ScheduleKind::zb_h1, ScheduleKind::zb_h2, ScheduleKind::zb_v, ScheduleKind::dualpipe_v};
    question.order = orders[static_cast<std::size_t>(random.integer(0, 3))];
    question.virtual_stages = question.is_v_shaped() ? 2 : 1;
    if (question.order == ScheduleKind::dualpipe_v) question.micro_batches += 2 * question.pipeline;
  }
  return question;
}

class TestStepSeries : public QObject {
  Q_OBJECT
 private slots:
  void random_steps_are_as_predicted_alone() {
    test::Random random(2029);
    const auto cluster = std::make_shared<const Cluster>(presets::open_cluster("preset:8x8-h100-sxm").value());
    const DeviceType& type = cluster->device_types.front();
    const mesh::Rates rates{type, *find_efficiency(presets::efficiency(), type.name)};
    const auto series = sim::step::StepSeries::of(*cluster, rates);
    QVERIFY2(series, series ? "" : series.error().text().c_str());
    for (int i = 0; i < 120; ++i) {
      const Question question = question_of(random, cluster);
      const auto alone = sim::step::predict_step(question, rates);
      const auto found = series->predict(question);
      QVERIFY2(alone, alone ? "" : alone.error().text().c_str());
      QVERIFY2(found, found ? "" : found.error().text().c_str());
      const QByteArray which = QStringLiteral("question %1: P %2, v %3, M %4")
                                   .arg(i)
                                   .arg(question.pipeline)
                                   .arg(question.virtual_stages)
                                   .arg(question.micro_batches)
                                   .toUtf8();
      QVERIFY2(to_seconds(round_to_nanoseconds(found->iteration)) == alone->iteration,
               (which + ": " + QByteArray::number(found->iteration.count, 'g', 17) + " against " +
                QByteArray::number(alone->iteration.count, 'g', 17))
                   .constData());
      QVERIFY2(found->needed == alone->needed && found->peak == alone->peak && found->fits == alone->fits,
               which.constData());
      QCOMPARE(found->host, alone->host);
    }
  }
};

PIPEDECK_TEST(TestStepSeries)

}  // namespace pipedeck::tst_step_series

#include "tst_step_series.moc"
