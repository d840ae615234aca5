// SPDX-License-Identifier: Apache-2.0
// A valid text of every format, each with nearly every key, and random values of every document.
#pragma once

#include <string>

#include "core/model/calibration_record.hpp"
#include "core/model/cluster.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/run.hpp"
#include "core/model/simulation.hpp"
#include "tests/support/random_problem.hpp"

namespace pipedeck::test {

std::string sample_profile();
std::string sample_cluster();
std::string sample_plan();
std::string sample_model();
std::string sample_simulation();
std::string sample_event();
std::string sample_calibration();
std::string sample_graph();

Profile random_profile(Random& random);
Cluster random_cluster(Random& random);
Plan random_plan(Random& random);
Simulation random_simulation(Random& random);
RunEvent random_event(Random& random);
CalibrationRecord random_calibration(Random& random);

/// A finite double of any size: random sign-free bits between the limits.
double random_double(Random& random, double most);

}  // namespace pipedeck::test
