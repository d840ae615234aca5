// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/plan_figures.hpp"

#include <set>

#include "core/cost/lower_bound.hpp"
#include "core/plan/validate.hpp"
#include "core/sim/explain/critical_path.hpp"
#include "core/study/utilization.hpp"

namespace pipedeck::study::reports {
namespace {

/// Devices of all nodes in which the plan has one: half a node can't be rented.
std::optional<double> price_of(const Plan& plan, const Cluster& cluster, const std::map<std::string, double>& prices) {
  const std::vector<Device> devices = devices_of(cluster);
  std::set<NodeId> nodes;
  for (const DeviceId device : devices_used(plan)) nodes.insert(devices[device.index()].node);
  double price = 0;
  for (const NodeId node : nodes)
    for (const DeviceGroup& group : cluster.nodes[node.index()].devices) {
      const auto known = prices.find(group.type);
      if (known == prices.end()) return {};
      price += known->second * group.count;
    }
  return price;
}

Workload workload_of(const Plan& plan, const SimulationOptions& conventions) {
  Workload workload;
  workload.global_batch = plan.global_batch;
  workload.micro_batch = plan.micro_batch;
  workload.optimizer = plan.optimizer;
  workload.precision = plan.precision;
  workload.zero = plan.zero;
  workload.adapters = adapters_of(plan);
  workload.conventions = conventions;
  return workload;
}

}  // namespace

std::optional<double> PlanFigures::price_per_million_samples() const {
  if (!price_per_hour || simulation.samples_per_second <= 0) return {};
  return *price_per_hour / 3600 / simulation.samples_per_second * 1e6;
}

Result<PlanFigures> plan_figures(const FiguresRequest& question, const Plan& plan, std::stop_token stop) {
  const Problem& problem = question.problem;
  TRY_VOID(plan::validate(plan, *problem.profile, *problem.cluster));
  TRY(auto simulation, question.simulator.run(plan, stop));
  Problem asked = problem;
  asked.workload = workload_of(plan, problem.workload.conventions);
  TRY(const auto bound, cost::lower_bound_of(asked, plan));
  TRY(auto path, sim::explain::critical_path(question.simulator, plan, stop));
  PlanFigures figures{std::move(simulation), bound, price_of(plan, *problem.cluster, question.prices), std::move(path)};
  if (question.work)
    figures.utilization =
        utilization_of(*question.work, problem, plan, figures.simulation.samples_per_second, question.catalogue);
  return figures;
}

}  // namespace pipedeck::study::reports
