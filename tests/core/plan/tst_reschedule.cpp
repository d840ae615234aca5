// SPDX-License-Identifier: Apache-2.0
// Plans under other schedules: cuts against all cuts, what is kept, what can't be.
#include <QtTest/QTest>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/plan/balance_chunks.hpp"
#include "core/plan/reschedule.hpp"
#include "core/plan/validate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_reschedule {

Plan straight(int stages, int layers, int micro_batches = 8) {
  Plan plan;
  plan.micro_batch = 2;
  plan.micro_batches = micro_batches;
  plan.global_batch = 2 * micro_batches;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = layers * s / stages;
    stage.last = layers * (s + 1) / stages;
    stage.devices = {DeviceId(std::int32_t{s})};
    plan.stages.push_back(stage);
  }
  return plan;
}

double slowest(const std::vector<std::vector<double>>& cost, const std::vector<std::size_t>& rank_of,
               const std::vector<int>& cuts) {
  std::vector<double> load(cost.size(), 0.0);
  for (std::size_t k = 0; k < rank_of.size(); ++k) {
    const int first = k == 0 ? 0 : cuts[k - 1];
    const int last = k < cuts.size() ? cuts[k] : static_cast<int>(cost.front().size());
    for (int p = first; p < last; ++p) load[rank_of[k]] += cost[rank_of[k]][static_cast<std::size_t>(p)];
  }
  return *std::max_element(load.begin(), load.end());
}

/// Over all cuts.
double least(const std::vector<std::vector<double>>& cost, const std::vector<std::size_t>& rank_of) {
  double best = 1e300;
  std::vector<int> cuts;
  const int layers = static_cast<int>(cost.front().size());
  const std::function<void(int)> go = [&](int from) {
    if (cuts.size() + 1 == rank_of.size()) {
      best = std::min(best, slowest(cost, rank_of, cuts));
      return;
    }
    for (int at = from; at < layers; ++at) {
      cuts.push_back(at);
      go(at + 1);
      cuts.pop_back();
    }
  };
  go(1);
  return best;
}

std::vector<std::int32_t> places(const Plan& plan) {
  std::vector<std::int32_t> devices;
  for (const Stage& stage : plan.stages) devices.push_back(stage.devices.front().value);
  return devices;
}

Profile profile_of(int layers) { return test::uniform_profile(layers, milliseconds(1), milliseconds(2)); }

std::string error_of(const Result<Plan>& plan) { return plan ? std::string() : plan.error().text(); }

class TestReschedule : public QObject {
  Q_OBJECT
 private slots:
  void cutsEqualEnumeration() {
    test::Random random(9);
    for (int trial = 0; trial < 120; ++trial) {
      const int ranks = random.integer(1, 4), chunks = random.integer(1, 3),
                layers = ranks * chunks + random.integer(0, 6);
      std::vector<std::size_t> rank_of;
      const bool v = chunks == 2 && random.integer(0, 1);
      for (int k = 0; k < ranks * chunks; ++k)
        rank_of.push_back(static_cast<std::size_t>(v && k >= ranks ? 2 * ranks - 1 - k : k % ranks));
      std::vector<std::vector<double>> cost(static_cast<std::size_t>(ranks));
      for (auto& own : cost)
        for (int p = 0; p < layers; ++p) own.push_back(random.integer(1, 50));
      const std::vector<int> cuts = plan::balanced_boundaries(cost, rank_of);
      QCOMPARE(cuts.size() + 1, rank_of.size());
      for (std::size_t c = 0; c < cuts.size(); ++c) QVERIFY(cuts[c] > (c == 0 ? 0 : cuts[c - 1]) && cuts[c] < layers);
      QCOMPARE(slowest(cost, rank_of, cuts), least(cost, rank_of));
      QCOMPARE(plan::balanced_boundaries(cost, rank_of), cuts);
      const std::vector<int> equal = plan::equal_boundaries(cost, rank_of);
      QCOMPARE(equal.size(), cuts.size());
      for (std::size_t c = 0; c < equal.size(); ++c)
        QVERIFY(equal[c] > (c == 0 ? 0 : equal[c - 1]) && equal[c] < layers);
      QVERIFY(slowest(cost, rank_of, equal) >= slowest(cost, rank_of, cuts));
    }
  }

  void equalLayersMakeEqualChunks() {
    for (const int layers : {12, 13, 50, 51}) {
      const Plan v = plan::with_schedule(straight(2, layers), profile_of(layers), ScheduleKind::zb_v).value();
      for (const Stage& stage : v.stages)
        QVERIFY(stage.last - stage.first >= layers / 4 - 1 && stage.last - stage.first <= (layers + 3) / 4);
    }
    const Plan many = plan::with_schedule(straight(16, 96), profile_of(96), ScheduleKind::interleaved, 3).value();
    for (const Stage& stage : many.stages) QCOMPARE(stage.last - stage.first, 2);
  }

  void chunksGoRoundOrAlongAV() {
    const Profile profile = profile_of(12);
    const Plan plan = straight(3, 12);
    const Plan interleaved = plan::with_schedule(plan, profile, ScheduleKind::interleaved, 2).value();
    QCOMPARE(places(interleaved), (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}));
    QVERIFY(plan::validate(interleaved));
    for (const Stage& stage : interleaved.stages) QCOMPARE(stage.last - stage.first, 2);
    for (const ScheduleKind kind :
         {ScheduleKind::zb_v, ScheduleKind::v_half, ScheduleKind::v_min, ScheduleKind::dualpipe_v}) {
      const Plan v = plan::with_schedule(plan, profile, kind).value();
      QCOMPARE(places(v), (std::vector<std::int32_t>{0, 1, 2, 2, 1, 0}));
      QCOMPARE(v.schedule, kind);
      QVERIFY(plan::validate(v));
    }
    const Plan four = plan::with_schedule(interleaved, profile, ScheduleKind::interleaved, 4).value();
    QCOMPARE(four.stages.size(), std::size_t{12});
  }

  void thereAndBackAgain() {
    const Profile profile = profile_of(12);
    const Plan plan = straight(3, 12);
    for (const ScheduleKind kind : {ScheduleKind::interleaved, ScheduleKind::zb_v}) {
      const Plan there = plan::with_schedule(plan, profile, kind).value();
      QCOMPARE(plan::with_schedule(there, profile, plan.schedule).value(), plan);
    }
    // One chunk to one chunk leaves the cuts alone, however uneven.
    Plan uneven = plan;
    uneven.stages[0].last = uneven.stages[1].first = 1;
    const Plan h1 = plan::with_schedule(uneven, profile, ScheduleKind::zb_h1).value();
    QCOMPARE(h1.stages, uneven.stages);
    const Plan half = plan::with_schedule(plan::with_schedule(uneven, profile, ScheduleKind::zb_v).value(), profile,
                                          ScheduleKind::v_half)
                          .value();
    QCOMPARE(half.stages, plan::with_schedule(uneven, profile, ScheduleKind::zb_v).value().stages);
  }

  void ranksKeepTheirOwn() {
    const Profile profile = profile_of(9);
    Plan plan = straight(2, 9);
    plan.stages[0].devices = {DeviceId(0), DeviceId(2)};
    plan.stages[0].samples_per_replica = std::vector<int>{1, 1};
    plan.stages[0].recompute.all = true;
    plan.stages[1].recompute.layers = {LayerId(5), LayerId(7)};
    plan.objective = Objective{"x", milliseconds(1), {}};
    plan.warmup_counts = std::vector<int>{2, 1};
    const Plan v = plan::with_schedule(plan, profile, ScheduleKind::zb_v).value();
    for (const std::size_t s : {std::size_t{0}, std::size_t{3}}) {
      QCOMPARE(v.stages[s].devices, plan.stages[0].devices);
      QVERIFY(v.stages[s].samples_per_replica && v.stages[s].recompute.all);
    }
    // The first rank has two devices and gets two thirds of the layers.
    QCOMPARE(v.stages[0].last - v.stages[0].first + v.stages[3].last - v.stages[3].first, 6);
    QVERIFY(!v.objective && !v.warmup_counts);
    std::vector<LayerId> chosen;
    for (const std::size_t s : {std::size_t{1}, std::size_t{2}})
      chosen.insert(chosen.end(), v.stages[s].recompute.layers.begin(), v.stages[s].recompute.layers.end());
    for (const LayerId layer : chosen) QVERIFY(layer == LayerId(5) || layer == LayerId(7));
  }

  void directionsHaveStagesOpposite() {
    const Profile profile = profile_of(12);
    const Plan both = plan::with_schedule(straight(4, 12), profile, ScheduleKind::chimera).value();
    QCOMPARE(both.stages.size(), std::size_t{4});
    QCOMPARE(plan::with_schedule(both, profile, ScheduleKind::one_f_one_b).value(), straight(4, 12));
    QCOMPARE(places(plan::with_schedule(both, profile, ScheduleKind::zb_v).value()),
             (std::vector<std::int32_t>{0, 1, 2, 3, 3, 2, 1, 0}));
  }

  void microBatchesOfReplicas() {
    const Profile profile = profile_of(4);
    Plan plan = straight(2, 4, 8);
    plan.stages[0].devices = {DeviceId(0), DeviceId(2)};
    plan.stages[0].samples_per_replica = std::vector<int>{1, 1};
    const Plan rounds = plan::with_schedule(plan, profile, ScheduleKind::pipedream).value();
    QCOMPARE(rounds.micro_batch, 1);
    QCOMPARE(rounds.micro_batches, 16);
    QVERIFY(!rounds.stages[0].samples_per_replica);
    const Plan back = plan::with_schedule(rounds, profile, ScheduleKind::one_f_one_b).value();
    QCOMPARE(back.micro_batch, 2);
    QCOMPARE(back.micro_batches, 8);
    Plan odd = rounds;
    odd.global_batch = odd.micro_batches = 1;
    QVERIFY(error_of(plan::with_schedule(odd, profile, ScheduleKind::gpipe)).find("/micro_batch") != std::string::npos);
  }

  void whatCannotBe() {
    const Profile profile = profile_of(5);
    const Plan plan = straight(3, 5);
    QVERIFY(
        error_of(plan::with_schedule(plan, profile, ScheduleKind::zb_v)).find("found 5 layers, expected at least 6") !=
        std::string::npos);
    QVERIFY(error_of(plan::with_schedule(plan, profile, ScheduleKind::interleaved, 0)).find("0 chunks") !=
            std::string::npos);
    QVERIFY(error_of(plan::with_schedule(plan, profile, ScheduleKind::dualpipe)).find("an even number") !=
            std::string::npos);
    QVERIFY(error_of(plan::with_schedule(plan, profile, ScheduleKind::explicit_order)).find("'explicit'") !=
            std::string::npos);
    QVERIFY(error_of(plan::with_schedule(plan, profile_of(6), ScheduleKind::gpipe)).find("layers of profile") !=
            std::string::npos);
    QVERIFY(error_of(plan::with_schedule(straight(2, 5, 7), profile, ScheduleKind::chimera)).find("/micro_batches") !=
            std::string::npos);
  }
};

PIPEDECK_TEST(TestReschedule)

}  // namespace pipedeck::tst_reschedule

#include "tst_reschedule.moc"
