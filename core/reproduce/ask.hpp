// SPDX-License-Identifier: Apache-2.0
// Common steps of all tables: pose a question, ask a planner, simulate a plan, compare two values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/simulation.hpp"
#include "core/planner/planner.hpp"
#include "core/reproduce/reproduction.hpp"

namespace pipedeck::reproduce {

/// Batch 0: to be set by the caller.
Problem table_problem(Profile profile, Cluster cluster, int global_batch, std::optional<int> micro_batch = {});

/// The planner's answers, best first; error infeasible where there is none.
Result<std::vector<Plan>> answers(const std::string& planner, const Problem& problem,
                                  const planner::PlannerOptions& options, const Bench& bench, int top = 1);
Result<Plan> answer(const std::string& planner, const Problem& problem, const planner::PlannerOptions& options,
                    const Bench& bench);

Result<Simulation> judged(const Problem& problem, const Plan& plan, const Bench& bench);
/// Simulated time an iteration takes.
Result<Seconds> time_of(const Problem& problem, const Plan& plan);

/// A pipeline by hand: stage i has the layers up to `ends[i]` on the next `devices[i]` devices, under 1F1B.
Plan pipeline(const Problem& problem, const std::vector<int>& ends, const std::vector<int>& devices);

/// The cluster's first nodes and what joins them.
Cluster first_nodes(Cluster cluster, int nodes);

/// A layer that the papers count in the position of a stage boundary: transformer blocks, LSTMs, convolutions and fully
/// connected layers, cells. Not embeddings, heads of language models, pools, glue.
bool is_counted(const Layer& layer);
/// Counted layers of each stage.
std::vector<int> counted_layers(const Plan& plan, const Profile& profile);
/// The position behind the `count`-th counted layer and the uncounted ones that follow it.
int end_of_counted(const Profile& profile, int count);

/// "DP", "straight" or "8:8".
std::string plan_shape(const Plan& plan);
std::string joined(const std::vector<int>& numbers);  // "23:25"

/// The two as text and how far ours is from the paper's.
ReproducedCell cell(double paper, double ours, const std::string& format = "{:.2f}");
ReproducedCell cell(std::string paper, std::string ours);

double gigabytes(Bytes bytes);
Bytes parameters_of(const Profile& profile);
/// Within so much of the paper's figure.
bool near(const ReproducedCell& cell, double share);

/// Progress of `done` of `all` rows; cancelled when a stop was requested.
Result<void> next_row(const Bench& bench, std::size_t done, std::size_t all, const std::string& what);

}  // namespace pipedeck::reproduce
