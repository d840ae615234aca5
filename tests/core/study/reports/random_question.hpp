// SPDX-License-Identifier: Apache-2.0
// Questions for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/simulate.hpp"
#include "core/study/reports/report.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/random_problem.hpp"

namespace pipedeck::test {

struct Asked {
  study::reports::Request question;
  std::vector<Simulation> simulations;  ///< of each plan, by the simulator asked again
};

/// Three plans of a random problem, all their names `name`.
inline Asked random_question(std::uint64_t seed, const std::string& name) {
  Random random(seed);
  Asked asked;
  Problem problem = random_rich_problem(random);
  Profile profile = *problem.profile;
  Cluster cluster = *problem.cluster;
  if (!name.empty()) {
    profile.name = cluster.name = profile.source = name;
    for (Layer& layer : profile.layers) layer.name += name;
  }
  problem.profile = std::make_shared<const Profile>(profile);
  problem.cluster = std::make_shared<const Cluster>(cluster);
  for (const ScheduleKind kind : {ScheduleKind::one_f_one_b, ScheduleKind::gpipe, ScheduleKind::zb_h1}) {
    Problem own = problem;
    Plan plan = random_plan(random, own, kind);
    const auto simulation = sim::simulate(own, plan);
    if (!simulation) continue;
    plan.name = name.empty() ? std::string(name_of(kind)) : name;
    plan.rationale = {name + "a reason"};
    asked.question.plans.push_back({std::make_shared<const Plan>(plan), {}, name, true, {"simulate " + name}});
    asked.simulations.push_back(*simulation);
  }
  asked.question.problem = problem;
  asked.question.title = name.empty() ? "a title" : name;
  asked.question.program = "tests";
  asked.question.date = "2026-01-02";
  return asked;
}

}  // namespace pipedeck::test
