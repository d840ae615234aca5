// SPDX-License-Identifier: GPL-3.0-or-later
// The examples of the start page: questions about well-known models and clusters, and a plan of each, simulated.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <QString>

#include "app/session/project/state.hpp"
#include "core/base/result.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::session {

struct Example {
  const char* title;    ///< English, in the context "Examples"
  const char* about;    ///< likewise: the cluster, and where the question comes from
  const char* profile;  ///< a preset
  const char* cluster;  ///< a preset, else `cloud`
  const char* cloud;    ///< a cloud's machine, taken if there is no such preset; null: the preset is always there
  int machines;         ///< of the cloud's
  int global_batch;
  const char* planner;  ///< finds the plan of the picture
};

/// Returns the examples in their order on the page.
const std::vector<Example>& examples();
QString example_title(const Example& example);
QString example_about(const Example& example);

/// Returns a project that asks the example's question.
Result<project::State> example_project(const Example& example);

/// A plan of an example, for its picture.
struct ExamplePlan {
  Plan plan;
  std::shared_ptr<const Simulation> simulation;
};
/// Plans and simulates with the example's planner. Takes less than a second for each example. Returns an error if the
/// planner finds no plan.
Result<ExamplePlan> example_plan(const Example& example, std::stop_token stop);

}  // namespace pipedeck::session
