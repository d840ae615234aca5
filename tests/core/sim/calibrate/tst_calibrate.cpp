// SPDX-License-Identifier: Apache-2.0
// The fit against runs with known parameters: simulated ones, exact and with noise. Parameters that runs do not
// determine stay at their default. Held-out runs are predicted and change nothing; events of other plans are refused.
#include <QtTest/QTest>

#include <algorithm>

#include "core/sim/calibrate/calibrate.hpp"
#include "core/sim/calibrate/run_observations.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_calibrate {

using test::Random;

constexpr int layers = 8;

/// Returns passes of some milliseconds, activations of 1 MB, gradients of 4 MB per layer; links of 2 GB/s.
Problem ground(double noise = 0, std::uint64_t seed = 0) {
  Random random(seed);
  const auto shaken = [&](double value) { return value * (1 + random.uniform(-noise, noise)); };
  Profile profile = test::uniform_profile(layers, {}, {});
  for (int i = 0; i < layers; ++i) {
    Layer& layer = profile.layers[static_cast<std::size_t>(i)];
    layer.forward = milliseconds(shaken(1.0 + 0.25 * (i % 3)));
    layer.backward = milliseconds(shaken(2.0 + 0.5 * (i % 2)));
    layer.backward_weight = layer.backward * 0.5;
    layer.output = Bytes(1'000'000);
    layer.saved = Bytes(1'500'000);
    layer.parameters = Bytes(4'000'000);
  }
  Problem problem;
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  problem.cluster =
      std::make_shared<const Cluster>(test::flat_cluster(4, gigabytes_per_second(shaken(2)), microseconds(20)));
  return problem;
}

Plan plan_of(const std::string& name, std::vector<int> replicas, int micro_batches,
             ScheduleKind schedule = ScheduleKind::one_f_one_b) {
  Plan plan;
  plan.name = name;
  plan.schedule = schedule;
  plan.optimizer = Optimizer::none;
  plan.micro_batch = *std::ranges::max_element(replicas);
  plan.micro_batches = micro_batches;
  plan.global_batch = plan.micro_batch * micro_batches;
  int device = 0;
  const int stages = static_cast<int>(replicas.size());
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = layers * s / stages;
    stage.last = layers * (s + 1) / stages;
    for (int r = 0; r < replicas[static_cast<std::size_t>(s)]; ++r) stage.devices.push_back(DeviceId(device++));
    plan.stages.push_back(std::move(stage));
  }
  return plan;
}

std::vector<Plan> several_plans() {
  return {plan_of("two stages", {1, 1}, 6),        plan_of("two stages, gpipe", {1, 1}, 4, ScheduleKind::gpipe),
          plan_of("four stages", {1, 1, 1, 1}, 8), plan_of("three stages", {1, 1, 1}, 5),
          plan_of("two by two", {2, 2}, 6),        plan_of("data parallel", {4}, 3),
          plan_of("one device", {1}, 4),           plan_of("zero bubble", {1, 1, 1}, 7, ScheduleKind::zb_h1)};
}

Simulation simulated(Problem problem, const Plan& plan, const Calibration& truth) {
  problem.workload.conventions.calibration = truth;
  return sim::simulate(problem, plan).value();
}

/// A run on a machine of which `truth` is true. The first step is slow, as first steps are; every further one has noise
/// of its own.
sim::calibrate::MeasuredRun run_of(const Plan& plan, const Calibration& truth, bool held_out = false, double noise = 0,
                                   std::uint64_t seed = 0) {
  sim::calibrate::MeasuredRun run{plan.name, ground(), plan, {}, held_out};
  const int steps = noise > 0 ? 6 : 2;
  run.events.push_back(RunStarted{plan.name, "model", "cpu", steps, static_cast<int>(devices_used(plan).size())});
  run.events.push_back(StepDone{1, 1, Seconds(1), 1, {}, {Bytes(100)}});
  for (int step = 2; step <= steps; ++step) {
    const Simulation simulation = simulated(ground(noise, seed + static_cast<std::uint64_t>(step)), plan, truth);
    run.events.push_back(StepDone{step, 1, to_seconds(simulation.iteration), 1, {}, {Bytes(200)}});
    run.events.push_back(MeasuredTimeline{step, simulation.timeline});
  }
  run.events.push_back(RunFinished{steps, 1, Seconds(1), Seconds(1), false});
  return run;
}

std::vector<sim::calibrate::MeasuredRun> runs_of(const Calibration& truth, std::size_t held_out, double noise = 0) {
  std::vector<sim::calibrate::MeasuredRun> runs;
  for (const Plan& plan : several_plans())
    runs.push_back(run_of(plan, truth, runs.size() + held_out >= several_plans().size(), noise, 100 * runs.size() + 7));
  return runs;
}

double largest_error(const CalibrationRecord& record, bool held_out) {
  double largest = 0;
  for (const CalibratedRun& run : record.runs)
    if ((run.use != RunUse::fit) == held_out) largest = std::max(largest, std::abs(run.error_after()));
  return largest;
}

void expect_near(double found, double expected, double relative) {
  QVERIFY2(std::abs(found - expected) <= relative * expected,
           (std::to_string(found) + ", expected " + std::to_string(expected)).c_str());
}

QString refused(const std::vector<sim::calibrate::MeasuredRun>& runs) {
  const auto record = sim::calibrate::calibrate(runs);
  if (record) return "it was taken";
  return QString::fromStdString(record.error().text());
}

const Calibration truth{microseconds(40), 1.2, 0.7};

class TestCalibrate : public QObject {
  Q_OBJECT

 private slots:
  void known_figures_are_found_again() {
    const auto record = sim::calibrate::calibrate(runs_of(truth, 3)).value();
    expect_near(record.values.operation_overhead.count, truth.operation_overhead.count, 0.01);
    expect_near(record.values.overlap_slowdown, truth.overlap_slowdown, 0.01);
    expect_near(record.values.link_efficiency, truth.link_efficiency, 0.01);
    for (const FittedParameter* figure : {&record.overhead, &record.slowdown, &record.efficiency}) {
      QVERIFY(figure->determined);
      QVERIFY(figure->operations >= 20);
      QVERIFY(figure->lower <= figure->upper);
    }
    QCOMPARE(record.runs.size(), std::size_t{8});
    QCOMPARE(record.runs[4].use, RunUse::fit);
    QCOMPARE(record.runs[5].use, RunUse::held_out);
    QVERIFY(largest_error(record, false) < 1e-3);
    QVERIFY(largest_error(record, true) < 1e-3);
    QVERIFY(mean_errors(record, true)->before > 0.02);
    QVERIFY(mean_errors(record, true)->after < 1e-3);
    QCOMPARE(record.runs[0].steps, 1);
    QCOMPARE(record.runs[0].measured_peak, Bytes(200));
  }

  void other_figures_are_found_again() {
    for (const Calibration other : {Calibration{microseconds(250), 1, 1}, Calibration{{}, 1.5, 1},
                                    Calibration{{}, 1, 0.3}, Calibration{microseconds(5), 1.05, 2.5}}) {
      const auto record = sim::calibrate::calibrate(runs_of(other, 2)).value();
      QVERIFY(std::abs((record.values.operation_overhead - other.operation_overhead).count) < 1e-6);
      expect_near(record.values.overlap_slowdown, other.overlap_slowdown, 0.02);
      expect_near(record.values.link_efficiency, other.link_efficiency, 0.02);
      QVERIFY(largest_error(record, true) < 2e-3);
    }
  }

  // Layers' times vary by up to 0.3 %, some 15 us per pass, and bandwidths by up to 3 %, in every step.
  void noise_moves_figures_little() {
    const auto record = sim::calibrate::calibrate(runs_of(truth, 3, 0.003)).value();
    QVERIFY2(std::abs(record.values.operation_overhead.count - 40e-6) < 6e-6,
             std::to_string(record.values.operation_overhead.count).c_str());
    expect_near(record.values.overlap_slowdown, truth.overlap_slowdown, 0.05);
    expect_near(record.values.link_efficiency, truth.link_efficiency, 0.03);
    QVERIFY(largest_error(record, true) < 0.01);
    QVERIFY(record.overhead.lower < 40e-6 && record.overhead.upper > 40e-6);
  }

  void one_device_says_nothing_of_links() {
    const auto record =
        sim::calibrate::calibrate({run_of(plan_of("one", {1}, 8), truth), run_of(plan_of("another", {1}, 3), truth)})
            .value();
    expect_near(record.values.operation_overhead.count, 40e-6, 0.01);
    QVERIFY(record.overhead.determined);
    QVERIFY(!record.efficiency.determined && !record.slowdown.determined);
    QVERIFY(!record.efficiency.note.empty() && !record.slowdown.note.empty());
    QCOMPARE(record.values.link_efficiency, 1.0);
    QCOMPARE(record.values.overlap_slowdown, 1.0);
  }

  void one_run_can_not_be_held_out() {
    const auto record = sim::calibrate::calibrate({run_of(several_plans()[0], truth)}).value();
    QCOMPARE(record.runs[0].use, RunUse::fit);
    QVERIFY(!mean_errors(record, true));
    QVERIFY(refused({run_of(several_plans()[0], truth, true)}).contains("needs a run to be fitted from"));
  }

  // With leave-one-out, each run is predicted by a fit without it: a wrong run changes all errors but its own.
  void left_out_in_turn() {
    auto runs = runs_of(truth, 0);
    const auto honest = sim::calibrate::calibrate(runs).value();
    for (const CalibratedRun& run : honest.runs) QCOMPARE(run.use, RunUse::cross_validation);
    QVERIFY(largest_error(honest, true) < 1e-3);
    runs.resize(3);
    const auto three = sim::calibrate::calibrate(runs).value();
    const auto without = sim::calibrate::calibrate({runs[0], runs[1]}).value();
    runs[2].held_out = true;
    const auto held = sim::calibrate::calibrate(runs).value();
    QCOMPARE(held.values, without.values);
    QCOMPARE(held.runs[2].after, three.runs[2].after);
  }

  void held_out_runs_never_touch_the_fit() {
    auto runs = runs_of(truth, 3);
    const auto record = sim::calibrate::calibrate(runs).value();
    runs.back() = run_of(several_plans().back(), {microseconds(900), 2, 0.1}, true);
    const auto other = sim::calibrate::calibrate(runs).value();
    QCOMPARE(other.values, record.values);
    QCOMPARE(other.overhead, record.overhead);
    QVERIFY(other.runs.back().error_after() < -0.05);
  }

  void the_order_of_runs_does_not_matter() {
    auto runs = runs_of(truth, 2, 0.003);
    const auto record = sim::calibrate::calibrate(runs).value();
    std::ranges::reverse(runs);
    auto other = sim::calibrate::calibrate(runs).value();
    std::ranges::reverse(other.runs);
    QCOMPARE(other, record);
  }

  // A machine faster than its profile would need a negative overhead, which is not allowed.
  void no_overhead_below_zero() {
    sim::calibrate::MeasuredRun run = run_of(plan_of("quick", {1}, 8), {});
    Profile slower = *run.problem.profile;
    for (Layer& layer : slower.layers) layer.forward = layer.forward * 1.1, layer.backward = layer.backward * 1.1;
    run.problem.profile = std::make_shared<const Profile>(std::move(slower));
    const auto record = sim::calibrate::calibrate({run}).value();
    QCOMPARE(record.values.operation_overhead, Seconds());
    QVERIFY(record.overhead.lower < 0);
    QVERIFY(!record.overhead.note.empty());
  }

  void wrong_events_are_refused() {
    const Plan plan = several_plans()[0];
    const sim::calibrate::MeasuredRun good = run_of(plan, truth);
    const auto with = [&](const auto& change) {
      sim::calibrate::MeasuredRun run = good;
      change(run);
      return refused({run});
    };
    QVERIFY(with([](sim::calibrate::MeasuredRun& run) {
              run.plan.name = "other";
            }).startsWith("two stages: found a run of the plan"));
    QVERIFY(with([](sim::calibrate::MeasuredRun& run) {
              run.plan = plan_of(run.plan.name, {1, 1, 1}, 6);
            }).contains("on 2 devices, expected 3"));
    QVERIFY(with([](sim::calibrate::MeasuredRun& run) {
              run.events.push_back(RunFailed{"device 1: out of memory"});
            }).contains("failed (device 1: out of memory)"));
    QVERIFY(with([](sim::calibrate::MeasuredRun& run) {
              std::erase_if(run.events,
                            [](const RunEvent& event) { return std::holds_alternative<MeasuredTimeline>(event); });
            }).contains("--timeline-every"));
    QVERIFY(
        with([](sim::calibrate::MeasuredRun& run) { run.events.clear(); }).contains("found no step after the first"));
    QVERIFY(with([](sim::calibrate::MeasuredRun& run) {
              run.plan = plan_of(run.plan.name, {1, 1}, 5);
            }).contains("the events are of another plan"));
    QVERIFY(with([](sim::calibrate::MeasuredRun& run) { run.plan.stages.back().last = 7; }).contains("/stages"));
    QVERIFY(with([](sim::calibrate::MeasuredRun& run) {
              run.plan.schedule = ScheduleKind::pipedream;
            }).contains("asynchronous"));
    QVERIFY(with([](sim::calibrate::MeasuredRun& run) {
              std::get<MeasuredTimeline>(run.events[3]).timeline.lanes.pop_back();
            }).contains("it was taken"));  // transfers alone
  }

  // The runtime records a transfer when its receiver checks for it: such a row has no information on the link.
  void rows_of_late_receivers() {
    const Plan plan = plan_of("late", {1, 1}, 2, ScheduleKind::gpipe);
    const auto ns = [](std::int64_t value) { return Nanoseconds(value); };
    const auto row = [&](std::int64_t start, std::int64_t duration, OpKind kind, int stage, int batch) {
      return TimelineRow{ns(start), ns(duration), {kind, StageId(std::int32_t{stage}), batch}};
    };
    Timeline timeline;
    const std::vector<TimelineRow> first{row(0, 10, OpKind::forward, 0, 0), row(12, 10, OpKind::forward, 0, 1),
                                         row(120, 20, OpKind::backward, 0, 0), row(150, 20, OpKind::backward, 0, 1)};
    const std::vector<TimelineRow> second{row(13, 40, OpKind::forward, 1, 0), row(57, 40, OpKind::forward, 1, 1),
                                          row(98, 20, OpKind::backward, 1, 0), row(118, 20, OpKind::backward, 1, 1)};
    timeline.append_lane({LaneRole::compute, DeviceId(0), DeviceId(0), 0, 0}, first);
    timeline.append_lane({LaneRole::compute, DeviceId(1), DeviceId(1), 0, 0}, second);
    const std::vector<TimelineRow> there{row(10, 3, OpKind::send, 0, 0), row(55, 1, OpKind::send, 0, 1)};
    const std::vector<TimelineRow> back{row(118, 2, OpKind::send, 1, 0), row(141, 1, OpKind::send, 1, 1)};
    timeline.append_lane({LaneRole::link, DeviceId(0), DeviceId(1), 0, 0}, there);
    timeline.append_lane({LaneRole::link, DeviceId(1), DeviceId(0), 0, 0}, back);
    const std::vector<RunEvent> events{StepDone{1, 0, Seconds(1), 1, {}, {}}, StepDone{2, 0, Seconds(1), 1, {}, {}},
                                       MeasuredTimeline{2, timeline}};
    const sim::calibrate::RunObservations seen = sim::calibrate::collect_measurements(plan, events).value();
    std::map<sim::calibrate::OperationKey, sim::calibrate::OperationMeasurement> by_key;
    for (const sim::calibrate::OperationMeasurement& one : seen.operations) by_key[one.key] = one;
    const auto pass = [&](OpKind kind, int device, int batch) {
      return by_key.at({kind, device, batch, DeviceId(device), DeviceId(device), false, 0});
    };
    QVERIFY(!pass(OpKind::forward, 1, 0).gap);                          // it waited
    QCOMPARE(pass(OpKind::forward, 1, 1).gap, std::optional(ns(4)));    // its input had arrived
    QCOMPARE(pass(OpKind::forward, 0, 1).gap, std::optional(ns(2)));    // needs nothing
    QCOMPARE(pass(OpKind::backward, 0, 1).gap, std::optional(ns(10)));  // 138 before 140
    QVERIFY(!pass(OpKind::backward, 0, 0).gap);
    QVERIFY(by_key.contains({OpKind::send, 0, 0, DeviceId(0), DeviceId(1), false, 0}));
    QVERIFY(!by_key.contains({OpKind::send, 0, 1, DeviceId(0), DeviceId(1), false, 0}));  // late
    QVERIFY(by_key.contains({OpKind::send, 1, 0, DeviceId(1), DeviceId(0), true, 0}));
    QVERIFY(!by_key.contains({OpKind::send, 1, 1, DeviceId(1), DeviceId(0), true, 0}));  // late
  }

  void it_stops_when_asked_to() {
    std::stop_source stop;
    stop.request_stop();
    const auto record = sim::calibrate::calibrate(runs_of(truth, 0), {}, stop.get_token());
    QVERIFY(!record);
    QCOMPARE(record.error().code, ErrorCode::cancelled);
  }
};

PIPEDECK_TEST(TestCalibrate)

}  // namespace pipedeck::tst_calibrate

#include "tst_calibrate.moc"
