// SPDX-License-Identifier: Apache-2.0
// Problems of different devices for the tests of Whale.
#pragma once

#include "core/planner/planner.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"

namespace pipedeck::test::whale {

/// `fast` devices of type X, then `slow` of type Y with that part of the speed, in a node each.
Problem unlike(const Problem& like, int fast, int slow, double speed, pipedeck::Bytes fast_memory,
               pipedeck::Bytes slow_memory);
pipedeck::Bytes all_bytes(const Profile& profile);
Problem random_unlike(test::Random& random, int max_layers, int max_devices);
/// Makes every layer shardable, at a cost.
Problem splittable(test::Random& random, const Problem& like, bool measured = false);
Result<planner::Ranking> answer(const Problem& problem, const planner::PlannerOptions& options, int top = 1);
Seconds simulated(const Problem& problem, const Plan& plan);

}  // namespace pipedeck::test::whale
