// SPDX-License-Identifier: Apache-2.0
// The critical path decides the iteration: it fills it without gaps. A plainer program finds that nothing changes if
// all operations off the path take less time, or none.
#include <QtTest/QTest>

#include <optional>
#include <set>

#include "core/sim/explain/critical_path.hpp"
#include "tests/core/sim/every_schedule.hpp"
#include "tests/core/sim/second_opinion.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_critical_path {

using test::Drawn;
using test::Networks;

constexpr int usual = 400;

/// The operations on a path, as keys of the second opinion. Operations that began before the window count as on it.
struct OnPath {
  std::set<std::pair<DeviceId, std::size_t>> operations;
  std::set<std::size_t> transfers;
  std::set<std::pair<std::size_t, std::size_t>> reductions;
};

OnPath on_path(const Drawn& drawn, const CriticalPath& path, const Timeline& timeline, const test::Opinion& opinion) {
  OnPath on;
  const std::vector<PipelineRank> ranks = pipeline_ranks(drawn.plan);
  for (const CriticalSegment& link : path.links) {
    const std::int64_t start = timeline.start[link.row];
    if (link.role == LaneRole::link)
      for (std::size_t i = 0; i < opinion.transfers.size(); ++i)
        if (const test::Sent& sent = opinion.transfers[i]; sent.stage == link.operation.stage.value &&
                                                           sent.micro_batch == link.operation.micro_batch &&
                                                           sent.start == start)
          on.transfers.insert(i);
    if (link.role == LaneRole::collective) {
      std::size_t which = 0;
      for (std::size_t row = timeline.lanes[link.lane].begin; row < link.row; ++row)
        if (timeline.stage[row] == timeline.stage[link.row]) ++which;
      on.reductions.emplace(link.operation.stage.index(), drawn.plan.synchronous() ? which : 0);
    }
    if (link.role != LaneRole::compute || !opinion.compute.contains(link.device)) continue;
    const std::vector<TimelineRow>& rows = opinion.compute.at(link.device);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].start.count == start && rows[i].operation.kind == link.operation.kind &&
          rows[i].operation.stage == link.operation.stage &&
          rows[i].operation.micro_batch == link.operation.micro_batch)
        on.operations.emplace(link.device, i);
  }
  for (const auto& [device, rows] : opinion.compute)
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].start < path.begin) on.operations.emplace(device, i);
  for (std::size_t i = 0; i < opinion.transfers.size(); ++i)
    if (opinion.transfers[i].start < path.begin.count) on.transfers.insert(i);
  return on;
}

/// Shortens all operations off the path: to zero, by a random part, or only now and then.
test::Durations hurried(test::Random& random, const Drawn& drawn, const OnPath& on, int one_in) {
  const auto less = [&random, one_in](bool stays, std::int64_t own) {
    if (stays || random.integer(1, one_in) > 1) return own;
    return random.integer(0, 2) == 0 ? 0 : static_cast<std::int64_t>(static_cast<double>(own) * random.uniform(0, 1));
  };
  test::Durations durations;
  durations.operation = [less, &on](DeviceId lead, std::size_t place, std::int64_t own) {
    return less(on.operations.contains({lead, place}), own);
  };
  durations.transfer = [less, &on](std::size_t transfer, std::int64_t own) {
    return less(on.transfers.contains(transfer), own);
  };
  const bool rounds = !drawn.plan.synchronous();  // all of a stage's at once, also those before the window
  durations.reduction = [less, &on, rounds](std::size_t stage, std::size_t which, std::int64_t own) {
    return less(rounds || on.reductions.contains({stage, which}), own);
  };
  return durations;
}

/// Returns when the path's last pass ends, or the iteration.
std::int64_t path_end(const Drawn& drawn, const CriticalPath& path, const Timeline& timeline,
                      const test::Opinion& before, const test::Opinion& opinion) {
  if (drawn.plan.synchronous()) return opinion.iteration;
  const CriticalSegment& last = path.links.back();
  const std::vector<TimelineRow>& rows = before.compute.at(last.device);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].start.count == timeline.start[last.row] && rows[i].operation.micro_batch == last.operation.micro_batch)
      return opinion.compute.at(last.device)[i].end().count;
  return -1;
}

/// A segment matches the timeline, and the next one begins where it ends.
void check_link(const Simulation& simulation, const CriticalPath& path, const CriticalSegment& link,
                const CriticalSegment* next) {
  const Timeline& timeline = simulation.timeline;
  const TimelineRow row = timeline.row(link.row);
  QVERIFY(link.row >= timeline.lanes[link.lane].begin && link.row < timeline.lanes[link.lane].end);
  QVERIFY(timeline.lanes[link.lane].role == link.role && timeline.lanes[link.lane].device == link.device);
  QVERIFY(row.operation.kind == link.operation.kind && row.operation.stage == link.operation.stage);
  QVERIFY(link.begin == std::max(row.start, path.begin) && link.begin <= link.end && link.end <= row.end());
  QVERIFY(link.slowed.count >= 0 && link.slowed <= link.end - link.begin);
  const bool can_be_slowed = simulation.network == NetworkModel::shared && link.role != LaneRole::compute;
  QVERIFY(link.slowed.count == 0 || can_be_slowed);
  if (!next) return;
  QVERIFY(link.end == next->begin);
  QVERIFY(link.end == row.end() || next->operation.kind == OpKind::all_reduce);
  // Devices of one lane have one list, and their own optimizer steps.
  const bool passes = link.role == LaneRole::compute && next->role == LaneRole::compute;
  QVERIFY(passes || next->cause != WaitCause::device);
  QVERIFY(!passes || link.device != next->device || next->cause == WaitCause::device ||
          next->cause == WaitCause::all_reduce || next->cause == WaitCause::overlapped_operation);
}

bool sends_gradient(OpKind kind) { return kind == OpKind::backward || kind == OpKind::backward_input; }

/// Returns true if `from` is the pass or transfer that brings `to` its activation, or its gradient.
bool brings(const CriticalSegment& from, const CriticalSegment& to, bool gradient) {
  const bool own_result = to.role != LaneRole::compute;  // of a transfer or an all-reduce: its own stage's result
  const int stage = to.operation.stage.value + (own_result ? 0 : gradient ? 1 : -1);
  if (from.operation.stage.value != stage) return false;
  const bool of_another = to.operation.kind == OpKind::optimizer || to.operation.kind == OpKind::all_reduce;
  if (!of_another && from.operation.micro_batch != to.operation.micro_batch) return false;
  if (from.role == LaneRole::link) return !own_result;
  if (from.role != LaneRole::compute) return false;
  if (to.role == LaneRole::collective)
    return sends_gradient(from.operation.kind) || from.operation.kind == OpKind::backward_weight;
  return gradient ? sends_gradient(from.operation.kind) : from.operation.kind == OpKind::forward;
}

/// Returns the fault of the cause that `link` gives for its wait for `before`; empty if it is right.
std::string cause_fault(const Drawn& drawn, const CriticalSegment& before, const CriticalSegment& link) {
  const bool asynchronous = !drawn.plan.synchronous(), update = link.operation.kind == OpKind::optimizer;
  const bool joins = std::any_of(drawn.schedule.lanes.begin(), drawn.schedule.lanes.end(), [](const DeviceLane& lane) {
    for (int i = 0; i < operation_count(lane.order); ++i)
      if (operation_at(lane.order, i).overlapped_with_next) return true;
    return false;
  });
  const auto holds = [&] {
    switch (link.cause) {
      case WaitCause::start:
        return false;
      case WaitCause::device:
        return before.role == LaneRole::compute && link.role == LaneRole::compute;
      case WaitCause::activation:
        return (link.operation.kind == OpKind::forward || link.role == LaneRole::link || update) &&
               (brings(before, link, false) || (asynchronous && update));
      case WaitCause::gradient:
        return (sends_gradient(link.operation.kind) || link.role != LaneRole::compute || update) &&
               (brings(before, link, true) || (asynchronous && update));
      case WaitCause::channel:
        return link.role == LaneRole::link && before.role == LaneRole::link && before.lane == link.lane;
      case WaitCause::all_reduce:
        return before.operation.stage == link.operation.stage &&
               (before.role == LaneRole::collective || (asynchronous && sends_gradient(before.operation.kind)));
      case WaitCause::overlapped_operation:
        return joins;
    }
    return false;
  };
  if (holds()) return {};
  const auto text = [](const CriticalSegment& one) {
    return std::string(name_of(one.operation.kind)) + " of stage " + std::to_string(one.operation.stage.value) + ", " +
           std::to_string(one.operation.micro_batch);
  };
  return text(link) + " did not wait for " + std::string(name_of(link.cause)) + " with " + text(before);
}

class TestCriticalPath : public QObject {
  Q_OBJECT
 private slots:
  void fillsTheIteration() {
    test::for_random_plans(
        1, test::random_problems(2 * usual), Networks::either, [](test::Random&, const Drawn& drawn) {
          const Simulation simulation = drawn.simulator.run(drawn.plan).value();
          const auto path = sim::explain::critical_path(drawn.simulator, drawn.plan);
          QVERIFY2(path, path ? "" : path.error().message.c_str());
          if (drawn.plan.synchronous()) {
            QCOMPARE(path->begin.count, 0);
            QCOMPARE(path->end.count, simulation.iteration.count);
          }
          QVERIFY(!path->links.empty());
          QVERIFY(path->links.front().begin == path->begin && path->links.back().end == path->end);
          for (std::size_t i = 0; i < path->links.size(); ++i) {
            const CriticalSegment* next = i + 1 < path->links.size() ? &path->links[i + 1] : nullptr;
            check_link(simulation, *path, path->links[i], next);
            QCOMPARE(path->links[i].cause == WaitCause::start, i == 0);
            if (i == 0) continue;
            const std::string fault = cause_fault(drawn, path->links[i - 1], path->links[i]);
            QVERIFY2(fault.empty(), fault.c_str());
          }
          const CriticalShares shares = shares_of(*path, drawn.plan.stages.size());
          Nanoseconds by_kind, by_stage, slowed;
          for (const Nanoseconds time : shares.by_kind) by_kind += time;
          for (const Nanoseconds time : shares.by_stage) by_stage += time;
          for (const CriticalSegment& link : path->links) slowed += link.slowed;
          QVERIFY(by_kind == path->end - path->begin && by_stage == by_kind && shares.slowed == slowed);
        });
  }

  /// Alone on its links everything takes its own time; `shared` slows some segments of paths.
  void onlySharingSlows() {
    int slowed = 0;
    test::for_random_plans(4, test::random_problems(usual), Networks::shared, [&](test::Random&, const Drawn& drawn) {
      const CriticalPath path = sim::explain::critical_path(drawn.simulator, drawn.plan).value();
      for (const CriticalSegment& link : path.links) slowed += link.slowed.count > 0;
    });
    QVERIFY(slowed > 0);
  }

  /// Unless transfers, or optimizer steps of a device, change their order: a faster one can go first.
  void nothingOffThePathMatters() {
    int same_turns = 0, all = 0;
    test::for_random_plans(
        2, test::random_problems(usual), Networks::ideal, [&](test::Random& random, const Drawn& drawn) {
          const Simulation simulation = drawn.simulator.run(drawn.plan).value();
          const CriticalPath path = sim::explain::critical_path(drawn.simulator, drawn.plan).value();
          const test::Opinion before = test::second_opinion(drawn.problem, drawn.plan, drawn.schedule);
          const OnPath on = on_path(drawn, path, simulation.timeline, before);
          for (const int one_in : {1, 4, 40}) {
            const test::Durations durations = hurried(random, drawn, on, one_in);
            const test::Opinion after = test::second_opinion(drawn.problem, drawn.plan, drawn.schedule, &durations);
            ++all;
            if (!after.settled || after.turns != before.turns) continue;
            ++same_turns;
            const std::int64_t end = path_end(drawn, path, simulation.timeline, before, after);
            QVERIFY2(end == path.end.count,
                     (drawn.where + ": " + std::to_string(end) + " ns instead of " + std::to_string(path.end.count))
                         .c_str());
          }
        });
    qInfo("%d of %d with transfers in the same order", same_turns, all);
    QVERIFY(2 * same_turns > all);
  }
};

PIPEDECK_TEST(TestCriticalPath)

}  // namespace pipedeck::tst_critical_path

#include "tst_critical_path.moc"
