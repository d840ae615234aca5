// SPDX-License-Identifier: Apache-2.0
// Plans, schedules and clusters drawn at random over everything that the simulator has rules for.
#pragma once

#include "core/model/plan.hpp"
#include "tests/support/random_problem.hpp"

namespace pipedeck::test {

/// Chains and graphs, layers measured at several sizes, cut over two devices and on several types; nodes joined by a
/// switch, one after another, or by a matrix; up to 8 devices of up to three types, memory to spare.
Problem random_rich_problem(Random& random);

/// Returns stages on any devices of `problem`, with replicas, shares, tensor parallelism and recomputation, placed as
/// `schedule` needs it; few micro-batches. Sets the problem's batch. Some draws have no schedule (by dualpipe's
/// numbers, for example).
Plan random_plan(Random& random, Problem& problem, ScheduleKind schedule);

}  // namespace pipedeck::test
