// SPDX-License-Identifier: Apache-2.0
#include "core/reproduce/ask.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/sim/simulate.hpp"
#include "core/study/plan_simulator.hpp"

namespace pipedeck::reproduce {

Problem table_problem(Profile profile, Cluster cluster, int global_batch, std::optional<int> micro_batch) {
  Problem problem;
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  problem.workload.global_batch = global_batch;
  problem.workload.micro_batch = micro_batch;
  return problem;
}

Result<std::vector<Plan>> answers(const std::string& planner, const Problem& problem,
                                  const planner::PlannerOptions& options, const Bench& bench, int top) {
  TRY(const auto info, planner::find_planner(planner));
  TRY(const auto simulator, sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
  planner::PlannerContext context = study::context_for(simulator, bench.stop);
  context.fits = {};  // the papers' tables leave memory aside
  context.top = top;
  context.relax = false;
  TRY(auto ranking, planner::run_planner(*info, problem, options, context));
  if (ranking.infeasible)
    return fail(ErrorCode::infeasible, fmt::format("{}: {}", planner, ranking.infeasible->reason));
  return std::move(ranking.plans);
}

Result<Plan> answer(const std::string& planner, const Problem& problem, const planner::PlannerOptions& options,
                    const Bench& bench) {
  TRY(auto plans, answers(planner, problem, options, bench));
  return std::move(plans.front());
}

Result<Simulation> judged(const Problem& problem, const Plan& plan, const Bench& bench) {
  return sim::simulate(problem, plan, bench.stop);
}

Result<Seconds> time_of(const Problem& problem, const Plan& plan) {
  TRY(const auto simulator, sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
  return simulator.iteration_time(plan);
}

Plan pipeline(const Problem& problem, const std::vector<int>& ends, const std::vector<int>& devices) {
  ensure(ends.size() == devices.size(), "a stage has an end and devices");
  const Workload& workload = problem.workload;
  Plan plan;
  plan.name = plan.planner = "hand";
  plan.global_batch = workload.global_batch;
  plan.micro_batch = workload.micro_batch.value_or(workload.global_batch);
  plan.micro_batches = plan.global_batch / plan.micro_batch;
  plan.optimizer = workload.optimizer;
  plan.precision = workload.precision;
  int first = 0, device = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    Stage stage;
    stage.first = std::exchange(first, ends[i]);
    stage.last = ends[i];
    for (int k = 0; k < devices[i]; ++k) stage.devices.push_back(DeviceId(device++));
    plan.stages.push_back(std::move(stage));
  }
  return plan;
}

Cluster first_nodes(Cluster cluster, int nodes) {
  cluster.nodes.resize(static_cast<std::size_t>(nodes));
  std::erase_if(cluster.links, [&](const NetworkLink& link) {
    const auto known = [&](const std::string& name) {
      return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [&](const Node& n) { return n.name == name; }) ||
             std::any_of(cluster.switches.begin(), cluster.switches.end(),
                         [&](const Switch& s) { return s.name == name; });
    };
    return !known(link.from) || !known(link.to);
  });
  cluster.name += fmt::format(", {} of its nodes", nodes);
  return cluster;
}

namespace {
/// The head of a language model, and the linear layer that stands for attention: the papers count neither.
bool is_head(const Layer& layer) {
  for (const char* start : {"answer_span", "classifier", "Classifier", "attention", "head", "decoder", "words"})
    if (layer.kind == "linear" && layer.name.starts_with(start)) return true;
  return false;
}
}  // namespace

bool is_counted(const Layer& layer) {
  for (const char* kind : {"transformer", "lstm", "convolution", "linear", "bottleneck", "cell"})
    if (layer.kind == kind && !is_head(layer)) return true;
  for (const char* start : {"layer_", "EmuBidirLSTM", "LSTM", "RecurrentAttention", "Conv", "FC", "Prediction"})
    if (layer.name.starts_with(start)) return true;
  return false;
}

std::vector<int> counted_layers(const Plan& plan, const Profile& profile) {
  const std::vector<LayerId> order = order_of(plan, profile);
  std::vector<int> counts;
  for (const Stage& stage : plan.stages)
    counts.push_back(static_cast<int>(std::count_if(order.begin() + stage.first, order.begin() + stage.last,
                                                    [&](LayerId l) { return is_counted(profile.layers[l.index()]); })));
  return counts;
}

int end_of_counted(const Profile& profile, int count) {
  const std::vector<LayerId> order = topological_order(profile);
  int seen = 0, end = 0;
  for (const LayerId layer : order) {
    if (is_counted(profile.layers[layer.index()]) && ++seen > count) return end;
    ++end;
  }
  return end;
}

std::string joined(const std::vector<int>& numbers) { return fmt::format("{}", fmt::join(numbers, ":")); }

std::string plan_shape(const Plan& plan) {
  std::vector<int> devices;
  for (const Stage& stage : plan.stages) devices.push_back(static_cast<int>(stage.devices.size()));
  if (devices.size() == 1) return "DP";
  const bool straight = std::all_of(devices.begin(), devices.end(), [](int count) { return count == 1; });
  return straight ? "straight" : joined(devices);
}

ReproducedCell cell(double paper, double ours, const std::string& format) {
  return {fmt::format(fmt::runtime(format), paper), fmt::format(fmt::runtime(format), ours), ours / paper - 1};
}

ReproducedCell cell(std::string paper, std::string ours) { return {std::move(paper), std::move(ours), {}}; }

double gigabytes(Bytes bytes) { return static_cast<double>(bytes.count) / 1e9; }

Bytes parameters_of(const Profile& profile) {
  Bytes bytes;
  for (const Layer& layer : profile.layers) bytes += layer.parameters;
  return bytes;
}

bool near(const ReproducedCell& cell, double share) { return cell.deviation && std::abs(*cell.deviation) <= share; }

Result<void> next_row(const Bench& bench, std::size_t done, std::size_t all, const std::string& what) {
  if (bench.stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped");
  report(bench.progress, static_cast<double>(done) / static_cast<double>(all), what);
  return {};
}

}  // namespace pipedeck::reproduce
