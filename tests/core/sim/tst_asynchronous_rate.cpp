// SPDX-License-Identifier: Apache-2.0
// The rate of asynchronous plans against a long run by a recurrence: every operation starts at the latest end of its
// inputs. It takes PipeDream's order from the paper, and shares nothing with the simulator.
#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/sim/simulate.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_asynchronous_rate {

using Times = std::vector<std::int64_t>;

/// A pipeline with one layer a stage, all in ns.
struct Pipeline {
  std::vector<int> replicas;
  Times forward, backward;
  Times there, back;  ///< transfers of each boundary
  Times reduce;       ///< all-reduce of each stage's gradients
  bool overlapped = true;
};

/// PipeDream's 1F1B-RR: mini-batch m runs on replica m mod r of each stage. A stage starts with K_s forwards, then
/// alternates. Devices of neighbouring stages have a link for each pair and direction, and so one order of transfers.
class LongRun {
 public:
  LongRun(const Pipeline& pipeline, int mini_batches) : own_(pipeline), count_(mini_batches) {
    const std::size_t stages = own_.replicas.size();
    const Times unknown(static_cast<std::size_t>(count_), -1);
    forward_.assign(stages, unknown);
    backward_.assign(stages, unknown);
    arrived_.assign(stages, unknown);
    returned_.assign(stages, unknown);
    reduced_.assign(stages, unknown);  // by round
    arrived_.front().assign(unknown.size(), 0);
    int behind = 0;
    for (std::size_t s = stages; s-- > 0;) {
      behind += own_.replicas[s];
      for (int r = 0; r < own_.replicas[s]; ++r)
        lanes_.push_back({s, r, (behind + own_.replicas[s] - 1) / own_.replicas[s]});
    }
    in_flight_ = lanes_.back().warmup * own_.replicas.front();
    for (bool moved = true; moved;) {
      moved = false;
      for (Lane& lane : lanes_)
        while (step(lane)) moved = true;
    }
  }

  /// ns between two mini-batches: from the mean end in the third quarter to that in the fourth, before the drain.
  double pace() const {
    const int end = count_ - in_flight_, half = (end - count_ / 2) / 2;
    double sum = 0;
    for (int m = end - half; m < end; ++m)
      sum += static_cast<double>(backward_[0][index(m)] - backward_[0][index(m - half)]);
    return sum / half / half;
  }

 private:
  struct Lane {
    std::size_t stage = 0;
    int replica = 0, warmup = 1;
    int forwards = 0, backwards = 0;  // done
    std::int64_t free = 0;
  };
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  int replicas(const Lane& lane) const { return own_.replicas[lane.stage]; }

  bool step(Lane& lane) {
    const int own = (count_ - lane.replica + replicas(lane) - 1) / replicas(lane);
    if (lane.backwards == own) return false;
    const bool forward = lane.forwards < own && lane.forwards < lane.warmup + lane.backwards;
    const int nth = forward ? lane.forwards : lane.backwards;
    const std::size_t m = index(lane.replica + nth * replicas(lane));
    const std::int64_t input = (forward ? arrived_ : returned_)[lane.stage][m];
    if (input < 0) return false;
    std::int64_t start = std::max(lane.free, input);
    // Overlapped, the all-reduce of a round is due before the backward after the next.
    int due = lane.backwards;
    if (own_.overlapped && replicas(lane) > 1) due = forward ? 0 : lane.backwards - 1;
    if (due > 0 && index(due * replicas(lane)) <= reduced_[lane.stage].size()) {
      const std::int64_t done = reduced_[lane.stage][index(due - 1)];
      if (done < 0) return false;
      start = std::max(start, done);
    }
    if (forward) {
      lane.free = forward_[lane.stage][m] = start + own_.forward[lane.stage];
      ++lane.forwards;
      if (lane.stage + 1 < own_.replicas.size())
        pass(m, lane.stage, lane.stage + 1, forward_[lane.stage], arrived_[lane.stage + 1], own_.there[lane.stage]);
      else
        returned_[lane.stage][m] = lane.free;
    } else {
      lane.free = backward_[lane.stage][m] = start + own_.backward[lane.stage];
      ++lane.backwards;
      if (lane.stage > 0)
        pass(m, lane.stage, lane.stage - 1, backward_[lane.stage], returned_[lane.stage - 1],
             own_.back[lane.stage - 1]);
      end_round(lane, m);
    }
    return true;
  }

  /// The previous transfer between the same two replicas comes first.
  void pass(std::size_t m, std::size_t from, std::size_t to, const Times& sent, Times& got, std::int64_t time) {
    const std::size_t pair = static_cast<std::size_t>(std::lcm(own_.replicas[from], own_.replicas[to]));
    got[m] = std::max(sent[m], m >= pair ? got[m - pair] : 0) + time;
  }

  void end_round(const Lane& lane, std::size_t m) {
    const std::size_t size = index(replicas(lane)), round = m / size;
    std::int64_t ready = 0;
    for (std::size_t i = round * size; i < (round + 1) * size; ++i) {
      if (i >= index(count_) || backward_[lane.stage][i] < 0) return;
      ready = std::max(ready, backward_[lane.stage][i]);
    }
    const std::int64_t before = round > 0 ? reduced_[lane.stage][round - 1] : 0;
    reduced_[lane.stage][round] = std::max(ready, before) + own_.reduce[lane.stage];
  }

  const Pipeline& own_;
  int count_, in_flight_ = 0;
  std::vector<Lane> lanes_;
  std::vector<Times> forward_, backward_;  // ends, by stage and mini-batch
  std::vector<Times> arrived_, returned_;  // inputs
  std::vector<Times> reduced_;             // by stage and round
};

constexpr double bandwidth = 1e9;  // a byte a nanosecond

/// Times are whole microseconds, sometimes milliseconds; transfers take up to twice a stage's time, or none.
Pipeline random_pipeline(test::Random& random) {
  Pipeline pipeline;
  const int unit = random.integer(0, 1) ? 1'000'000 : 1'000, most = random.integer(0, 1) ? 2 : 20;
  const auto time = [&](int least, int largest) {
    return static_cast<std::int64_t>(random.integer(least * 1'000'000 / unit, largest * 1'000'000 / unit)) * unit;
  };
  const int stages = random.integer(1, 5);
  for (int s = 0; s < stages; ++s) {
    pipeline.replicas.push_back(random.integer(0, 1) ? 1 : random.integer(1, 4));
    pipeline.forward.push_back(time(1, 20));
    pipeline.backward.push_back(time(1, 40));
    const int replicas = pipeline.replicas.back();
    pipeline.reduce.push_back(replicas > 1 && random.integer(0, 1) ? time(1, 60) / replicas * replicas : 0);
    if (s == 0) continue;
    pipeline.there.push_back(random.integer(0, 3) ? time(0, most) : 0);
    pipeline.back.push_back(pipeline.there.back());
  }
  pipeline.overlapped = random.integer(0, 2) > 0;
  return pipeline;
}

/// Returns the simulator's time of a mini-batch, in ns.
double simulated_pace(const Pipeline& pipeline, int mini_batches) {
  const int stages = static_cast<int>(pipeline.replicas.size());
  Plan plan = test::pipeline_plan(pipeline.replicas, 1, mini_batches, ScheduleKind::pipedream);
  plan.optimizer = Optimizer::none;
  Problem problem;
  Profile profile = test::uniform_profile(stages, {}, {});
  for (std::size_t s = 0; s < pipeline.replicas.size(); ++s) {
    Layer& layer = profile.layers[s];
    layer.forward = Seconds(static_cast<double>(pipeline.forward[s]) * 1e-9);
    layer.backward = Seconds(static_cast<double>(pipeline.backward[s]) * 1e-9);
    // A ring of n moves 2 (n - 1) / n of the bytes over each link.
    const int n = pipeline.replicas[s];
    if (n > 1) layer.parameters = Bytes(pipeline.reduce[s] * n / (2 * (n - 1)));
    if (s < pipeline.there.size()) layer.output = Bytes(pipeline.there[s]);
  }
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  problem.cluster = std::make_shared<const Cluster>(
      test::flat_cluster(static_cast<int>(devices_used(plan).size()), BytesPerSecond(bandwidth)));
  problem.workload.conventions.overlap = pipeline.overlapped ? Overlap::layer : Overlap::none;
  const Result<Simulation> simulation = sim::simulate(problem, plan);
  if (!simulation) qFatal("%s", simulation.error().text().c_str());
  return static_cast<double>(simulation->iteration.count) / mini_batches;
}

class TestAsynchronousRate : public QObject {
  Q_OBJECT
 private slots:
  /// Two stages whose mini-batches go around in pairs: K_0 = 2, 70 ms there and back.
  void aRoundTripSetsThePace() {
    const auto ms = [](int time) { return std::int64_t{time} * 1'000'000; };
    const Pipeline pipeline{{1, 1}, {ms(8), ms(6)}, {ms(14), ms(10)}, {ms(16)}, {ms(16)}, {0, 0}};
    for (const int mini_batches : {1, 2, 3, 16, 64, 1000}) QCOMPARE(simulated_pace(pipeline, mini_batches), 35e6);
  }

  void randomPipelinesKeepTheirLongRunsPace() {
    test::Random random(28);
    double worst = 0;
    const int problems = test::random_problems(test::nightly() ? 2000 : 500);
    for (int trial = 0; trial < problems; ++trial) {
      const Pipeline pipeline = random_pipeline(random);
      const double expected = LongRun(pipeline, 4000).pace();
      const double found = simulated_pace(pipeline, random.integer(1, 40));
      const double error = std::abs(found / expected - 1);
      QVERIFY2(error <= 1e-3, qPrintable(QStringLiteral("trial %1: %2 ms a mini-batch, %3 ms in the long run")
                                             .arg(trial)
                                             .arg(found * 1e-6)
                                             .arg(expected * 1e-6)));
      worst = std::max(worst, error);
    }
    qInfo("at most %.2g off in %d pipelines", worst, problems);
  }
};

PIPEDECK_TEST(TestAsynchronousRate)

}  // namespace pipedeck::tst_asynchronous_rate

#include "tst_asynchronous_rate.moc"
