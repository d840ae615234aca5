// SPDX-License-Identifier: Apache-2.0
// Random plans of all schedules in turn, with their simulators and orders of operations.
#pragma once

#include <QtTest/QTest>

#include <cstdlib>
#include <optional>
#include <string>

#include "core/plan/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/repetitions.hpp"

namespace pipedeck::test {

struct Drawn {
  Problem problem;
  Plan plan;
  sim::Simulator simulator;
  Schedule schedule;
  std::string where;  ///< "trial 17, zb-h1, shared"
};

enum class Networks { ideal, shared, either };

/// Returns a random plan; nothing if the draw is no valid plan.
inline std::optional<Drawn> draw_plan(Random& random, ScheduleKind kind, Networks networks) {
  Problem problem = random_rich_problem(random);
  const bool shared = networks == Networks::either ? random.integer(0, 2) == 0 : networks == Networks::shared;
  if (shared) problem.workload.conventions.network = NetworkModel::shared;
  const Plan plan = random_plan(random, problem, kind);
  if (!plan::validate(plan, *problem.profile, *problem.cluster)) return std::nullopt;
  const sim::Simulator simulator =
      sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions).value();
  const Result<Schedule> schedule = simulator.schedule(plan);
  if (!schedule) return std::nullopt;
  return Drawn{problem, plan, simulator, *schedule, std::string(name_of(kind)) + (shared ? ", shared" : ", ideal")};
}

/// Calls `check(random, drawn)` until one fails.
template <class Check>
void for_random_plans(std::uint64_t seed, int wanted, Networks networks, Check check) {
  Random random(seed);
  int checked = 0;
  for (int trial = 0; checked < wanted; ++trial) {
    QVERIFY2(trial < 3 * wanted + 60, "most draws must be plans that can be built");
    const auto& offered = all_schedules;
    const ScheduleKind kind = offered[static_cast<std::size_t>(trial) % offered.size()].kind;
    if (kind == ScheduleKind::explicit_order) continue;
    auto drawn = draw_plan(random, kind, networks);
    if (!drawn) continue;
    drawn->where = "trial " + std::to_string(trial) + ", " + drawn->where;
    check(random, *drawn);
    if (QTest::currentTestFailed()) {
      qWarning("at %s", drawn->where.c_str());
      return;
    }
    ++checked;
  }
}

}  // namespace pipedeck::test
