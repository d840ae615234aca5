// SPDX-License-Identifier: Apache-2.0
// Passes of random durations: the band matches a plainer program's runs, and sums where these are known.
#include <QtTest/QTest>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "core/plan/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/explain/jitter.hpp"
#include "tests/core/sim/every_schedule.hpp"
#include "tests/core/sim/second_opinion.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_jitter {

/// Forward 1 ms, backward 2 ms.
sim::Simulator equal_stages(int stages) {
  return sim::Simulator::of(
             std::make_shared<const Profile>(test::uniform_profile(stages, milliseconds(1), milliseconds(2))),
             std::make_shared<const Cluster>(test::flat_cluster(stages)), {})
      .value();
}

/// Calls `check` with random plans of every schedule in turn, in one network, half of them on calibrated machines.
template <class Check>
void for_random_plans(std::uint64_t seed, NetworkModel network, Check check) {
  test::Random random(seed);
  int checked = 0;
  for (int trial = 0; checked < test::random_problems(200); ++trial) {
    QVERIFY2(trial < 3 * test::random_problems(200), "most draws must be plans that can be built");
    const auto& offered = all_schedules;
    const ScheduleKind kind = offered[static_cast<std::size_t>(trial) % offered.size()].kind;
    if (kind == ScheduleKind::explicit_order) continue;
    Problem problem = test::random_rich_problem(random);
    SimulationOptions& conventions = problem.workload.conventions;
    conventions.network = network;
    const Plan plan = test::random_plan(random, problem, kind);
    if (random.integer(0, 1))
      conventions.calibration = {Seconds(random.uniform(0, 1e-3)), random.uniform(1, 2), random.uniform(0.3, 1.5)};
    if (!plan::validate(plan, *problem.profile, *problem.cluster)) continue;
    const sim::Simulator simulator = sim::Simulator::of(problem.profile, problem.cluster, conventions).value();
    const Result<Schedule> schedule = simulator.schedule(plan);
    if (!schedule) continue;
    check(problem, plan, simulator, *schedule, "trial " + std::to_string(trial) + ", " + std::string(name_of(kind)));
    if (QTest::currentTestFailed()) return;
    ++checked;
  }
}

struct Moments {
  double mean = 0, deviation = 0;
};
Moments moments_of(const std::vector<double>& values) {
  Moments found;
  for (const double value : values) found.mean += value / static_cast<double>(values.size());
  for (const double value : values) found.deviation += (value - found.mean) * (value - found.mean);
  found.deviation = std::sqrt(found.deviation / static_cast<double>(values.size()));
  return found;
}

class TestJitter : public QObject {
  Q_OBJECT
 private slots:
  void factorsAreLogNormal() {
    constexpr std::size_t count = 200'000;
    for (const double variation : {0.05, 0.3, 1.0}) {
      const sim::explain::Jitter jitter(variation, 7, 3);
      std::vector<double> factors, logarithms, products;
      for (std::size_t i = 0; i < count; ++i) {
        factors.push_back(jitter.factor(DeviceId(i / 1000), i % 1000));
        logarithms.push_back(std::log(factors.back()));
        if (i > 0) products.push_back((factors[i] - 1) * (factors[i - 1] - 1));
      }
      const double sigma = std::sqrt(std::log(1 + variation * variation)), root = std::sqrt(double(count));
      const Moments own = moments_of(factors), logs = moments_of(logarithms);
      QVERIFY(std::abs(own.mean - 1) < 4 * variation / root);
      QVERIFY(std::abs(own.deviation / variation - 1) < 0.05);
      QVERIFY(std::abs(logs.mean + sigma * sigma / 2) < 4 * sigma / root);
      QVERIFY(std::abs(logs.deviation - sigma) < 4 * sigma / root);
      QVERIFY(std::abs(moments_of(products).mean) < 4 * variation * variation / root);  // neighbours
      const double skew = moments_of([&] {
                            std::vector<double> cubes;
                            for (const double l : logarithms) cubes.push_back(std::pow((l - logs.mean) / sigma, 3));
                            return cubes;
                          }())
                              .mean;
      QVERIFY(std::abs(skew) < 4 * std::sqrt(15.0) / root);
    }
  }

  void otherRunsSeedsAndPlacesAreOthers() {
    const double own = sim::explain::Jitter(0.1, 1, 0).factor(DeviceId(0), 0);
    QCOMPARE(sim::explain::Jitter(0.1, 1, 0).factor(DeviceId(0), 0), own);
    QVERIFY(sim::explain::Jitter(0.1, 1, 1).factor(DeviceId(0), 0) != own);
    QVERIFY(sim::explain::Jitter(0.1, 2, 0).factor(DeviceId(0), 0) != own);
    QVERIFY(sim::explain::Jitter(0.1, 1, 0).factor(DeviceId(1), 0) != own);
    QVERIFY(sim::explain::Jitter(0.1, 1, 0).factor(DeviceId(0), 1) != own);
  }

  void noneIsTheIteration() {
    for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared})
      for_random_plans(1, network,
                       [](const Problem&, const Plan& plan, const sim::Simulator& simulator, const Schedule&,
                          const std::string& where) {
                         const JitterBand band =
                             sim::explain::jitter_band(simulator, plan, {.variation = 0, .runs = 3}).value();
                         const Nanoseconds own = round_to_nanoseconds(simulator.iteration_time(plan).value());
                         QVERIFY2(band.is_disabled == own && band.mean == own && band.p5 == own && band.p50 == own &&
                                      band.p95 == own,
                                  where.c_str());
                       });
  }

  /// One device: an iteration is the sum of its passes, whose mean and deviation are known; the sum of many passes is
  /// nearly normal.
  void oneDeviceIsASum() {
    constexpr int micro_batches = 100;
    constexpr double variation = 0.2;
    const JitterOptions options{variation, 4000, 5};
    const JitterBand band =
        sim::explain::jitter_band(equal_stages(1), test::straight_plan(1, micro_batches), options).value();
    QCOMPARE(band.options, options);
    const double mean = micro_batches * 3e6, deviation = variation * std::sqrt(micro_batches * (1e12 + 4e12));
    const double error = deviation / std::sqrt(4000.0);
    const auto off = [](Nanoseconds time, double expected) {
      return std::abs(static_cast<double>(time.count) - expected);
    };
    QVERIFY(off(band.mean, mean) < 4 * error);
    QVERIFY(off(band.p50, mean) < 6 * error);
    QVERIFY(off(band.p5, mean - 1.645 * deviation) < 0.12 * deviation);
    QVERIFY(off(band.p95, mean + 1.645 * deviation) < 0.12 * deviation);
  }

  /// With one run all four figures are that run's iteration.
  void agreesWithTheSecondOpinion() {
    for (const NetworkModel network : {NetworkModel::ideal, NetworkModel::shared})
      for_random_plans(
          2, network,
          [network](const Problem& problem, const Plan& plan, const sim::Simulator& simulator, const Schedule& schedule,
                    const std::string& where) {
            const JitterOptions options{0.3, 1, static_cast<std::uint64_t>(plan.global_batch)};
            const JitterBand band = sim::explain::jitter_band(simulator, plan, options).value();
            const sim::explain::Jitter jitter(options.variation, options.seed, 0);
            test::Durations durations;
            durations.operation = [&](DeviceId lead, std::size_t place, std::int64_t own) {
              return static_cast<std::int64_t>(std::floor(static_cast<double>(own) * jitter.factor(lead, place) + 0.5));
            };
            const test::Opinion opinion = test::second_opinion(problem, plan, schedule, &durations);
            QVERIFY2(opinion.settled, where.c_str());
            const auto off = static_cast<double>(std::abs(band.p50.count - opinion.iteration));
            const double allowed = network == NetworkModel::ideal ? 0 : 1e-6;
            QVERIFY2(off <= allowed * static_cast<double>(opinion.iteration),
                     (where + ": " + std::to_string(band.p50.count) + " ns, the other says " +
                      std::to_string(opinion.iteration))
                         .c_str());
            QVERIFY(band.mean == band.p50 && band.p5 == band.p50 && band.p95 == band.p50);
          });
  }

  void threadsChangeNothing() {
    for_random_plans(3, NetworkModel::ideal,
                     [](const Problem&, const Plan& plan, const sim::Simulator& simulator, const Schedule&,
                        const std::string& where) {
                       const JitterOptions options{0.1, 25, 9};
                       const JitterBand one = sim::explain::jitter_band(simulator, plan, options, 1).value();
                       QVERIFY2(sim::explain::jitter_band(simulator, plan, options, 2).value() == one, where.c_str());
                       QVERIFY2(sim::explain::jitter_band(simulator, plan, options, 5).value() == one, where.c_str());
                       QVERIFY2(one.p5 <= one.p50 && one.p50 <= one.p95 && one.p5 <= one.mean, where.c_str());
                     });
  }

  /// More jitter takes longer: an operation with several inputs waits for the slowest.
  void aPipelineLosesByJitter() {
    const sim::Simulator simulator = equal_stages(8);
    const Plan plan = test::straight_plan(8, 32);
    const auto mean = [&](double variation) {
      return sim::explain::jitter_band(simulator, plan, {.variation = variation, .runs = 50}).value().mean;
    };
    QVERIFY(mean(0) < mean(0.05));
    QVERIFY(mean(0.05) < mean(0.2));
  }

  void refusesWhatIsNoJitter() {
    const sim::Simulator simulator = equal_stages(1);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double variation : {-0.1, 1.5, nan, std::numeric_limits<double>::infinity()}) {
      const auto band = sim::explain::jitter_band(simulator, test::straight_plan(1, 1), {.variation = variation});
      QVERIFY(!band && band.error().code == ErrorCode::bad_usage);
      QVERIFY(band.error().message.find("expected") != std::string::npos);
    }
    for (const int runs : {0, -1, max_jitter_runs + 1})
      QVERIFY(!sim::explain::jitter_band(simulator, test::straight_plan(1, 1), {.runs = runs}));
  }

  void stops() {
    const sim::Simulator simulator = equal_stages(64);
    const Plan plan = test::straight_plan(64, 512);
    std::stop_source stop;
    std::chrono::steady_clock::time_point asked;
    std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      asked = std::chrono::steady_clock::now();
      stop.request_stop();
    });
    const auto band = sim::explain::jitter_band(simulator, plan, {.runs = max_jitter_runs}, 2, {}, stop.get_token());
    const auto took = std::chrono::steady_clock::now() - asked;
    QVERIFY(!band && band.error().code == ErrorCode::cancelled);
    QVERIFY2(took < std::chrono::milliseconds(200), "within 50 ms on a machine with nothing else to do");
  }
};

PIPEDECK_TEST(TestJitter)

}  // namespace pipedeck::tst_jitter

#include "tst_jitter.moc"
