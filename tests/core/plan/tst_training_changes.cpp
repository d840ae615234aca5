// SPDX-License-Identifier: Apache-2.0
// Changes in training by plans: none of synchronous ones, else each kind with its amount.
#include <QTest>

#include <algorithm>
#include <vector>

#include "core/plan/training_changes.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_training_changes {

using plan::training_effects;
using plan::training_text;
using plan::TrainingChange;

/// One layer a stage, with these numbers of replicas.
Plan pipeline(const std::vector<int>& replicas, ScheduleKind schedule) {
  Plan plan;
  plan.global_batch = 64, plan.micro_batch = 16, plan.micro_batches = 4;
  plan.schedule = schedule;
  int device = 0;
  for (const int count : replicas) {
    Stage& stage = plan.stages.emplace_back();
    stage.first = static_cast<int>(plan.stages.size()) - 1, stage.last = stage.first + 1;
    for (int i = 0; i < count; ++i) stage.devices.emplace_back(device++);
  }
  return plan;
}

/// Counts updates between the forward of a mini-batch and its own update in PipeDream's steady state with one replica
/// per stage: the first stage runs n mini-batches ahead.
int updates_between(int stages) {
  std::vector<int> version_at_forward;
  int updates = 0, oldest = 0;
  for (int entered = 0, left = 0; left < 50;) {
    if (entered - left < stages) {
      version_at_forward.push_back(updates), ++entered;
      continue;
    }
    oldest = std::max(oldest, updates - version_at_forward[static_cast<std::size_t>(left)]);
    ++updates, ++left;
  }
  return oldest;
}

class TestTrainingChanges : public QObject {
  Q_OBJECT

 private slots:
  void synchronous_plans_change_nothing() {
    for (const ScheduleKind schedule : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b, ScheduleKind::zb_h1}) {
      Plan plan = pipeline({2, 2}, schedule);
      plan.sharding.level = 3;
      plan.choices.emplace();
      QCOMPARE(training_text(training_effects(plan, {"linear", "linear"}, 1024)), std::string("nothing"));
    }
  }

  void stale_weights_are_as_old_as_pipedream_makes_them() {
    for (int stages = 1; stages <= 5; ++stages) {
      const Plan plan = pipeline(std::vector<int>(static_cast<std::size_t>(stages), 1), ScheduleKind::pipedream);
      const auto effects = training_effects(plan, {}, 0);
      const int old = updates_between(stages);
      QCOMPARE(old, stages - 1);
      const auto stale = std::ranges::find(effects, TrainingChange::stale_weights, &plan::TrainingEffect::change);
      QCOMPARE(stale != effects.end(), old > 0);
      if (old > 1)
        QVERIFY2(stale->text.find(" " + std::to_string(old) + " updates") != std::string::npos, stale->text.c_str());
      QCOMPARE(effects.front().change, TrainingChange::batch);
      QVERIFY(effects.front().text.starts_with("weights change every 16 samples"));
    }
    const auto batches = training_effects(pipeline({1, 1, 1}, ScheduleKind::pipedream_2bw), {}, 0);
    QCOMPARE(training_text(batches), std::string("stale weights: gradients are of weights up to 1 update old"));
  }

  void batch_norms_see_a_part_of_the_batch() {
    const Plan plan = pipeline({1, 3}, ScheduleKind::one_f_one_b);
    QVERIFY(training_effects(plan, {"linear", "linear"}, 0).empty());
    const auto effects = training_effects(plan, {"linear", "batch_norm"}, 0);
    QCOMPARE(effects.size(), std::size_t{1});
    QCOMPARE(effects.front().change, TrainingChange::batch);
    QCOMPARE(effects.front().text, std::string("batch norms see at most 6 samples at a time, the batch has 64"));
    Plan turned = plan;
    turned.order = std::vector<LayerId>{LayerId(1), LayerId(0)};
    QVERIFY(training_effects(turned, {"linear", "batch_norm"}, 0).front().text.find("16 samples") != std::string::npos);
  }

  void padding_and_dropped_tokens_have_their_amounts() {
    Plan plan = pipeline({1, 1}, ScheduleKind::one_f_one_b);
    LayerChoices& layers = plan.choices.emplace().layers;
    layers.vocabulary_multiple = 128;
    for (Stage& stage : plan.stages) stage.tensor_parallel = 2;
    QVERIFY(training_effects(plan, {}, 0).empty());
    QVERIFY(training_effects(plan, {}, 1024).empty());
    QCOMPARE(training_text(training_effects(plan, {}, 1000)), std::string("padding: 1000 words become 1024"));
    layers.capacity = 1.25;
    const auto effects = training_effects(plan, {}, 1024);
    QCOMPARE(effects.size(), std::size_t{2});
    QCOMPARE(effects.front().change, TrainingChange::padding);
    QCOMPARE(effects.back().change, TrainingChange::dropped_tokens);
    QVERIFY(effects.back().text.find("1.25 times") != std::string::npos);
  }
};

PIPEDECK_TEST(TestTrainingChanges)

}  // namespace pipedeck::tst_training_changes

#include "tst_training_changes.moc"
