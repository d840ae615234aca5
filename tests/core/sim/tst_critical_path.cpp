// SPDX-License-Identifier: Apache-2.0
// The critical path decides the iteration: it fills it without gaps, and a plainer program finds that nothing changes
// when all that is not on it takes less time, or none.
#include <QtTest/QTest>

#include <cstdlib>
#include <optional>
#include <set>

#include "core/domain/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/critical_path.hpp"
#include "tests/core/sim/second_opinion.hpp"
#include "tests/support/random_plan.hpp"

using namespace pipedeck;

namespace {

int problems_wanted() {
  const char* wanted = std::getenv("PIPEDECK_RANDOM_PROBLEMS");
  return wanted ? std::atoi(wanted) : 400;
}

struct Drawn {
  Problem problem;
  Plan plan;
  Simulator simulator;
  Schedule schedule;
};

std::optional<Drawn> draw(test::Random& random, ScheduleKind kind) {
  Problem problem = test::random_rich_problem(random);
  const Plan plan = test::random_plan(random, problem, kind);
  if (!validate(plan, *problem.profile, *problem.cluster)) return std::nullopt;
  const Simulator simulator = Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
  const Result<Schedule> schedule = simulator.schedule(plan);
  if (!schedule) return std::nullopt;
  return Drawn{problem, plan, simulator, *schedule};
}

/// Random plans of every schedule in turn.
template <class Check>
void for_random_plans(std::uint64_t seed, Check check) {
  test::Random random(seed);
  int checked = 0;
  for (int trial = 0; checked < problems_wanted(); ++trial) {
    QVERIFY2(trial < 3 * problems_wanted(), "most draws must be plans that can be built");
    const auto& offered = schedules();
    const ScheduleKind kind = offered[static_cast<std::size_t>(trial) % offered.size()].kind;
    if (kind == ScheduleKind::explicit_order) continue;
    const auto drawn = draw(random, kind);
    if (!drawn) continue;
    check(random, *drawn, "trial " + std::to_string(trial) + ", " + std::string(name_of(kind)));
    if (QTest::currentTestFailed()) return;
    ++checked;
  }
}

/// What is on a path, as the second opinion counts it. What began before the window is taken for on it.
struct OnPath {
  std::set<std::pair<DeviceId, std::size_t>> operations;
  std::set<std::size_t> transfers;
  std::set<std::pair<std::size_t, std::size_t>> reductions;
};

OnPath on_path(const Drawn& drawn, const CriticalPath& path, const Timeline& timeline, const test::Opinion& opinion) {
  OnPath on;
  const std::vector<PipelineRank> ranks = pipeline_ranks(drawn.plan);
  for (const CriticalLink& link : path.links) {
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

/// All that is not on the path takes less time: nothing, or a random part of it, or only now and then.
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
  const bool rounds = !drawn.plan.synchronous();  // all of a stage's at once, those before the window too
  durations.reduction = [less, &on, rounds](std::size_t stage, std::size_t which, std::int64_t own) {
    return less(rounds || on.reductions.contains({stage, which}), own);
  };
  return durations;
}

/// When the path's last pass ends, or the iteration.
std::int64_t path_end(const Drawn& drawn, const CriticalPath& path, const Timeline& timeline,
                      const test::Opinion& before, const test::Opinion& opinion) {
  if (drawn.plan.synchronous()) return opinion.iteration;
  const CriticalLink& last = path.links.back();
  const std::vector<TimelineRow>& rows = before.compute.at(last.device);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].start.count == timeline.start[last.row] && rows[i].operation.micro_batch == last.operation.micro_batch)
      return opinion.compute.at(last.device)[i].end().count;
  return -1;
}

}  // namespace

class TestCriticalPath : public QObject {
  Q_OBJECT
 private slots:
  void fillsTheIteration() {
    for_random_plans(1, [](test::Random&, const Drawn& drawn, const std::string& where) {
      const Simulation simulation = drawn.simulator.run(drawn.plan).value();
      const Timeline& timeline = simulation.timeline;
      const auto path = critical_path(drawn.simulator, drawn.plan);
      QVERIFY2(path, (where + ": " + (path ? "" : path.error().message)).c_str());
      if (drawn.plan.synchronous()) {
        QCOMPARE(path->begin.count, 0);
        QCOMPARE(path->end.count, simulation.iteration.count);
      }
      QVERIFY(!path->links.empty());
      QVERIFY(path->links.front().begin == path->begin && path->links.back().end == path->end);
      for (std::size_t i = 0; i < path->links.size(); ++i) {
        const CriticalLink& link = path->links[i];
        const TimelineRow row = timeline.row(link.row);
        QVERIFY(link.row >= timeline.lanes[link.lane].begin && link.row < timeline.lanes[link.lane].end);
        QVERIFY(timeline.lanes[link.lane].role == link.role && timeline.lanes[link.lane].device == link.device);
        QVERIFY(row.operation.kind == link.operation.kind && row.operation.stage == link.operation.stage);
        QVERIFY(link.begin == std::max(row.start, path->begin) && link.begin <= link.end && link.end <= row.end());
        QVERIFY(link.slowed.count == 0);
        QCOMPARE(link.cause == WaitCause::start, i == 0);
        if (i + 1 == path->links.size()) continue;
        const CriticalLink& next = path->links[i + 1];
        QVERIFY(link.end == next.begin);
        QVERIFY(link.end == row.end() || next.operation.kind == OpKind::all_reduce);
        // Devices that work as one have one list, and optimizer steps of their own.
        const bool passes = link.role == LaneRole::compute && next.role == LaneRole::compute;
        QVERIFY(passes || next.cause != WaitCause::device);
        QVERIFY(!passes || link.device != next.device || next.cause == WaitCause::device);
      }
      const CriticalShares shares = shares_of(*path, drawn.plan.stages.size());
      Nanoseconds by_kind, by_stage;
      for (const Nanoseconds time : shares.by_kind) by_kind += time;
      for (const Nanoseconds time : shares.by_stage) by_stage += time;
      QVERIFY(by_kind == path->end - path->begin && by_stage == by_kind);
    });
  }

  /// Unless transfers, or optimizer steps of a device, take turns in another order: what is quicker can push in.
  void nothingOffThePathMatters() {
    int same_turns = 0, all = 0;
    for_random_plans(2, [&](test::Random& random, const Drawn& drawn, const std::string& where) {
      const Simulation simulation = drawn.simulator.run(drawn.plan).value();
      const CriticalPath path = critical_path(drawn.simulator, drawn.plan).value();
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
                 (where + ": " + std::to_string(end) + " ns instead of " + std::to_string(path.end.count)).c_str());
      }
    });
    qInfo("%d of %d with transfers in the same order", same_turns, all);
    QVERIFY(2 * same_turns > all);
  }
};

QTEST_APPLESS_MAIN(TestCriticalPath)
#include "tst_critical_path.moc"
