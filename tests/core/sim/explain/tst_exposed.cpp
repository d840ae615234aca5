// SPDX-License-Identifier: Apache-2.0
// Parts of device time: they add up to the iteration, and exposed communication is what a plain reading of the timeline
// and of the plan finds. No code is shared with core/sim.
#include <QtTest/QTest>

#include <map>
#include <set>

#include "core/cost/all_reduce.hpp"
#include "core/cost/compute.hpp"
#include "tests/core/sim/every_schedule.hpp"
#include "tests/core/sim/explain/plain_parts.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_exposed {

using test::Drawn;
using test::Networks;
using test::Time;

constexpr int usual = 300;

bool takes_gradient(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }

class PlainExposed : test::PlainParts {
 public:
  PlainExposed(const Drawn& drawn, const Simulation& simulation)
      : PlainParts(drawn.problem, drawn.plan, drawn.schedule),
        collectives_(drawn.problem.workload.conventions.collectives),
        ideal_(drawn.problem.workload.conventions.network == NetworkModel::ideal),
        timeline_(simulation.timeline) {
    for (const TimelineLane& lane : timeline_.lanes)
      if (lane.role == LaneRole::compute) find_ends(lane);
  }

  Time tensor_parallel(const TimelineLane& lane) const {
    Time sum = 0;
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const TimelineRow row = timeline_.row(i);
      if (row.operation.kind == OpKind::optimizer) continue;
      sum += std::min(row.duration.count, reduced(part_on(lane.device, row.operation), row.operation.kind));
    }
    return sum;
  }

  /// Idle time after all inputs were computed.
  Time pipeline(const TimelineLane& lane) const {
    Time sum = 0, free = 0;
    const LaneOrder& order = order_on(lane.device);
    for (int i = 0; i < operation_count(order); ++i) {
      const TimelineRow row = timeline_.row(lane.begin + static_cast<std::size_t>(i));
      Time computed = computed_at(lane.device, row.operation);
      if (operation_at(order, i).overlapped_with_next)
        computed = std::max(computed, computed_at(lane.device, operation_at(order, i + 1)));
      if (row.start.count > free && computed >= 0) sum += row.start.count - std::max(free, computed);
      free = row.end().count;
    }
    return sum;
  }

  /// Idle nanoseconds after the last pass in which an all-reduce of the device runs, counted between all their ends.
  Time gradients(const TimelineLane& lane) const {
    std::vector<std::pair<Time, Time>> reductions, idle;
    Time last = 0;
    for (const TimelineLane& other : timeline_.lanes)
      if (other.role == LaneRole::collective && other.device == lane.device)
        for (std::size_t i = other.begin; i < other.end; ++i) {
          reductions.emplace_back(timeline_.row(i).start.count, timeline_.row(i).end().count);
          last = std::max(last, timeline_.row(i).end().count);
        }
    Time free = 0;
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const TimelineRow row = timeline_.row(i);
      if (row.operation.kind == OpKind::optimizer && row.start.count > free) idle.emplace_back(free, row.start.count);
      free = row.end().count;
    }
    if (last > free) idle.emplace_back(free, last);
    std::set<Time> edges;
    for (const auto* list : {&reductions, &idle})
      for (const auto& [begin, end] : *list) edges.insert(begin), edges.insert(end);
    Time sum = 0;
    const auto covers = [](const auto& list, Time begin, Time end) {
      return std::ranges::any_of(list, [&](const auto& one) { return one.first <= begin && end <= one.second; });
    };
    for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
      const auto next = std::next(edge);
      if (next == edges.end()) break;
      if (covers(reductions, *edge, *next) && covers(idle, *edge, *next)) sum += *next - *edge;
    }
    return sum;
  }

 private:
  const test::Part& part_on(DeviceId device, const Operation& operation) const {
    const int copy = schedule_.copy_of(operation.micro_batch);
    for (const test::Part& part : parts_)
      if (part.stage == operation.stage.value && part.copy == copy &&
          std::ranges::find(part.devices, device) != part.devices.end())
        return part;
    qFatal("an operation of no part");
  }

  /// The list of the device, or of the first device of its replica.
  const LaneOrder& order_on(DeviceId device) const {
    for (const DeviceLane& lane : schedule_.lanes)
      for (const test::Part& part : parts_)
        if (part.devices.front() == lane.device && std::ranges::find(part.devices, device) != part.devices.end())
          return lane.order;
    qFatal("a device without a list");
  }

  void find_ends(const TimelineLane& lane) {
    const LaneOrder& order = order_on(lane.device);
    for (int i = 0; i < operation_count(order); ++i) {
      const Operation operation = operation_at(order, i);
      if (operation.kind != OpKind::forward && !takes_gradient(operation.kind)) continue;
      const std::size_t row = lane.begin + static_cast<std::size_t>(i) + (operation.overlapped_with_next ? 1 : 0);
      ends_[{lane.device.value, operation.stage.value, takes_gradient(operation.kind), operation.micro_batch}] =
          timeline_.row(row).end().count;
    }
  }

  Time computed_at(DeviceId device, const Operation& operation) const {
    const bool gradient = takes_gradient(operation.kind);
    if (!gradient && operation.kind != OpKind::forward) return -1;
    const test::Part& own = part_on(device, operation);
    Time last = -1;
    for (const test::Part& part : parts_) {
      if (part.stage != own.stage + (gradient ? 1 : -1) || part.copy != own.copy || !feeds(part, own)) continue;
      last = std::max(last, ends_.at({part.devices.front().value, part.stage, gradient, operation.micro_batch}));
    }
    return last;
  }

  static bool overlap(const test::Part& a, const test::Part& b) {
    return std::ranges::any_of(a.samples, [&](int sample) { return std::ranges::count(b.samples, sample) > 0; });
  }

  /// True if samples of `from` go to `to`, or with them: of nodes without cards, `ideal` sends one transfer.
  bool feeds(const test::Part& from, const test::Part& to) const {
    if (overlap(from, to)) return true;
    const auto node = [&](const test::Part& part) { return network_.node_of(part.devices.front()); };
    if (!ideal_ || node(from) == node(to) || network_.has_own_ports(node(from), node(to))) return false;
    const auto beside = [&](const test::Part& a, const test::Part& b) {
      return a.stage == b.stage && a.copy == b.copy && node(a) == node(b);
    };
    const bool sends = std::ranges::any_of(
        parts_, [&](const test::Part& target) { return beside(target, to) && overlap(from, target); });
    const bool receives = std::ranges::any_of(
        parts_, [&](const test::Part& source) { return beside(source, from) && overlap(source, to); });
    return sends && receives;
  }

  /// Seconds of all-reduces in a pass, summed and rounded once.
  Time reduced(const test::Part& part, OpKind kind) const {
    const Stage& own = stage(part.stage);
    if (own.tensor_parallel == 1 || kind == OpKind::backward_weight) return 0;
    const cost::AllReduce all(network_, part.devices, collectives_);
    double seconds = 0;
    for (int p = own.last - 1; p >= own.first; --p) {
      const Layer& layer = profile_.layers[order_[static_cast<std::size_t>(p)].index()];
      const auto& some = own.recompute.layers;
      const bool again = own.recompute.all || std::ranges::find(some, LayerId(std::int32_t{p})) != some.end();
      if (kind == OpKind::recompute && !again) continue;
      for (const TensorParallelPoint& point : layer.tensor_parallel)
        if (point.degree == own.tensor_parallel)
          seconds +=
              all.time(cost::scale_bytes(takes_gradient(kind) ? point.backward_allreduce : point.forward_allreduce,
                                         part.count(), profile_.micro_batch))
                  .count;
    }
    return test::rounded(seconds);
  }

  Collectives collectives_;
  bool ideal_;
  const Timeline& timeline_;
  std::map<std::tuple<int, int, bool, int>, Time> ends_;  // by device, stage, gradient, micro-batch
};

Plan straight(int stages, int micro_batches) { return test::straight_plan(stages, micro_batches); }

Problem problem_of(const Profile& profile, int devices) {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(profile);
  problem.cluster = std::make_shared<const Cluster>(test::flat_cluster(devices, gigabytes_per_second(10)));
  return problem;
}

Simulation simulated(const Problem& problem, const Plan& plan) {
  return sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions)->run(plan).value();
}

class TestExposed : public QObject {
  Q_OBJECT
 private slots:
  void partsOfEveryDeviceAddUp() {
    test::for_random_plans(11, test::random_problems(usual), Networks::either, [](test::Random&, const Drawn& drawn) {
      const Simulation simulation = drawn.simulator.run(drawn.plan).value();
      TimeBreakdown sum;
      std::int64_t most = 0, all = 0;
      for (const SimulatedDevice& device : simulation.devices) {
        const TimeBreakdown& parts = device.parts;
        QVERIFY(parts.total() == simulation.iteration);
        for (const Nanoseconds part : parts.times) QVERIFY(part.count >= 0 || !drawn.plan.synchronous());
        QCOMPARE(parts[TimePart::imbalance].count, 0);
        const Nanoseconds busy = parts[TimePart::compute] + parts[TimePart::recompute] + parts[TimePart::optimizer] +
                                 parts[TimePart::tensor_parallel];
        QVERIFY(std::abs((busy - device.busy).count) <= (drawn.plan.synchronous() ? 0 : 8));
        for (std::size_t i = 0; i < sum.times.size(); ++i) sum.times[i] += parts.times[i];
        most = std::max(most, device.busy.count);
        all += device.busy.count;
      }
      const auto count = static_cast<std::int64_t>(simulation.devices.size());
      QVERIFY(simulation.parts.total() == simulation.iteration);
      for (const TimePart part : {TimePart::compute, TimePart::recompute, TimePart::optimizer,
                                  TimePart::tensor_parallel, TimePart::point_to_point, TimePart::all_reduce})
        QCOMPARE(simulation.parts[part].count, sum[part].count / count);
      QVERIFY(simulation.parts[TimePart::imbalance].count <= most - all / count);
      QVERIFY(simulation.parts[TimePart::bubble].count >= 0 || !drawn.plan.synchronous());
    });
  }

  void exposedTimesAreThoseOfThePlainReading() {
    std::map<TimePart, int> found;
    test::for_random_plans(12, test::random_problems(usual), Networks::either, [&](test::Random&, const Drawn& drawn) {
      if (!drawn.plan.synchronous()) return;
      const Simulation simulation = drawn.simulator.run(drawn.plan).value();
      const PlainExposed plain(drawn, simulation);
      for (std::size_t d = 0; d < simulation.devices.size(); ++d) {
        const TimeBreakdown& parts = simulation.devices[d].parts;
        const TimelineLane& lane = simulation.timeline.lanes[d];
        QCOMPARE(parts[TimePart::tensor_parallel].count, plain.tensor_parallel(lane));
        QCOMPARE(parts[TimePart::point_to_point].count, plain.pipeline(lane));
        QCOMPARE(parts[TimePart::all_reduce].count, plain.gradients(lane));
        for (const TimePart part : {TimePart::tensor_parallel, TimePart::point_to_point, TimePart::all_reduce})
          found[part] += parts[part].count > 0;
      }
    });
    QCOMPARE(found.size(), std::size_t{3});
    for (const auto& [part, devices] : found) QVERIFY2(devices > 20, std::string(name_of(part)).c_str());
  }

  /// S equal stages: every device computes M (F + B). Stage i > 0 waits for its first activation, c of it for the
  /// transfer, stages but the last for their last gradients.
  void transfersOfAStraightPipeline() {
    Profile profile = test::uniform_profile(2, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers) layer.output = Bytes(1'000'000);
    const Simulation simulation = simulated(problem_of(profile, 2), straight(2, 1));
    constexpr std::int64_t c = 100'000;
    QCOMPARE(simulation.iteration.count, 2 * 3'000'000 + 2 * c);
    for (const SimulatedDevice& device : simulation.devices) {
      QCOMPARE(device.parts[TimePart::compute].count, 3'000'000);
      QCOMPARE(device.parts[TimePart::point_to_point].count, c);
      QCOMPARE(device.parts[TimePart::bubble].count, 3'000'000 + c);  // the other's passes, and its other transfer
    }
    QCOMPARE(simulation.parts.communication().count, c);
  }

  /// An all-reduce of 2 (n - 1) / n of the bytes after the last backward.
  void tailOfGradients() {
    Profile profile = test::uniform_profile(1, milliseconds(1), milliseconds(2));
    profile.layers[0].parameters = Bytes(10'000'000);
    Plan plan = test::pipeline_plan({2}, 2, 4, ScheduleKind::one_f_one_b);
    plan.optimizer = Optimizer::none;
    const Simulation simulation = simulated(problem_of(profile, 2), plan);
    QCOMPARE(simulation.parts[TimePart::compute].count, 4 * 3'000'000);
    QCOMPARE(simulation.parts[TimePart::all_reduce].count, 1'000'000);
    QCOMPARE(simulation.parts.share(simulation.parts.communication()), 1. / 13);
  }

  /// All-reduces inside passes are no compute, whichever model of them is in force: with NCCL's, too.
  void tensorParallelTimesUnderEveryModel() {
    Profile profile = test::uniform_profile(1, milliseconds(1), milliseconds(2));
    profile.layers[0].tensor_parallel = {{2, milliseconds(1), milliseconds(2), Bytes(10'000'000), Bytes(20'000'000)}};
    Plan plan = test::pipeline_plan({2}, 1, 4, ScheduleKind::one_f_one_b);
    plan.optimizer = Optimizer::none;
    plan.stages[0].tensor_parallel = 2;
    for (const Collectives collectives :
         {Collectives::best_ring, Collectives::ring, Collectives::hierarchical, Collectives::tree, Collectives::nccl}) {
      Problem problem = problem_of(profile, 2);
      problem.workload.conventions.collectives = collectives;
      const Simulation simulation = simulated(problem, plan);
      QCOMPARE(simulation.parts[TimePart::compute].count, 4 * 3'000'000);
      QVERIFY2(simulation.parts[TimePart::tensor_parallel].count >= 4 * 3'000'000 - 8,
               std::string(name_of(collectives)).c_str());
      QVERIFY(simulation.parts.total() == simulation.iteration);
      QCOMPARE(simulation.devices[0].tensor_parallel.size(), std::size_t{1});
    }
  }
};

PIPEDECK_TEST(TestExposed)

}  // namespace pipedeck::tst_exposed

#include "tst_exposed.moc"
