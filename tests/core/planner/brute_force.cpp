// SPDX-License-Identifier: Apache-2.0
#include "tests/core/planner/brute_force.hpp"

#include <algorithm>
#include <functional>

#include "core/planner/pipedream/evaluate.hpp"
#include "core/planner/search/chain.hpp"

namespace pipedeck {

namespace {

/// Calls `each` with every list of `parts` positive numbers of sum `total`.
void compositions(int total, int parts, std::vector<int>& list, const std::function<void()>& each) {
  if (parts == 0) {
    if (total == 0) each();
    return;
  }
  for (int first = 1; first <= total - (parts - 1); ++first) {
    list.push_back(first);
    compositions(total - first, parts - 1, list, each);
    list.pop_back();
  }
}

class BruteForcer {
 public:
  BruteForcer(planner::search::Chain& chain, int micro_batch, const BruteForceOptions& options)
      : chain_(chain), options_(options), plan_(chain.plan_of("", micro_batch)) {
    for (const LayerId layer : chain.order()) order_.push_back(layer);
  }

  std::optional<Plan> pipedream(bool nested) {
    plan_.planner = "pipedream";
    plan_.schedule = ScheduleKind::pipedream;
    const int devices = chain_.devices(), nodes = nested ? chain_.network().node_count() : 1;
    for (int groups = 1; groups <= std::min(nodes, chain_.layers()); ++groups) {
      std::vector<int> shares, layers;
      compositions(nodes, groups, shares, [&] {
        compositions(chain_.layers(), groups, layers, [&] { inside(shares, layers, 0, 0, 0, devices / nodes); });
      });
    }
    return best_;
  }

 private:
  /// Keeps the current plan if it fits and is better.
  void take(const std::function<Objective(const planner::evaluation::Evaluation&)>& objective_of) {
    const planner::evaluation::Evaluation e{chain_.problem(), plan_, chain_.network(), options_.evaluate, order_};
    if (!planner::evaluation::check_constraints(e)) return;
    plan_.objective = objective_of(e);
    const auto better = [](const Objective& a, const Objective& b) {
      return a.time ? *a.time < *b.time : *a.bytes < *b.bytes;
    };
    if (!best_ || better(*plan_.objective, *best_->objective)) best_ = plan_;
  }

  /// Adds every pipeline inside each of the groups of components, from `group` on.
  void inside(const std::vector<int>& shares, const std::vector<int>& layers, std::size_t group, int first, int node,
              int devices) {
    if (group == 0) plan_.stages.clear();
    if (group == shares.size()) {
      take([](const planner::evaluation::Evaluation& e) {
        return Objective{"", *planner::pipedream::pipedream_objective(e), {}};
      });
      return;
    }
    const std::size_t before = plan_.stages.size();
    for (int stages = 1; stages <= std::min(devices, layers[group]); ++stages) {
      std::vector<int> replicas, cuts;
      compositions(devices, stages, replicas, [&] {
        compositions(layers[group], stages, cuts, [&] {
          plan_.stages.resize(before);
          append_group(replicas, cuts, first, node, shares[group], devices);
          inside(shares, layers, group + 1, first + layers[group], node + shares[group], devices);
        });
      });
    }
  }

  /// Adds one pipeline of these stages, replicated over `copies` components from `node` on.
  void append_group(const std::vector<int>& replicas, const std::vector<int>& cuts, int first, int node, int copies,
                    int devices) {
    int offset = 0;
    for (std::size_t s = 0; s < replicas.size(); ++s) {
      Stage stage = planner::search::stage_on(first, first + cuts[s], {});
      for (int c = node; c < node + copies; ++c)
        for (int d = 0; d < replicas[s]; ++d) stage.devices.push_back(DeviceId(c * devices + offset + d));
      plan_.stages.push_back(std::move(stage));
      offset += replicas[s];
      first += cuts[s];
    }
  }

  planner::search::Chain& chain_;
  BruteForceOptions options_;
  Plan plan_;
  std::vector<LayerId> order_;
  std::optional<Plan> best_;
};

/// Returns true if there are several nodes, of one size above 1.
bool has_levels(const Cluster& cluster) {
  std::vector<int> sizes(cluster.nodes.size(), 0);
  for (const Device& device : devices_of(cluster)) ++sizes[device.node.index()];
  return sizes.size() > 1 && sizes.front() > 1 &&
         std::all_of(sizes.begin(), sizes.end(), [&](int n) { return n == sizes.front(); });
}

}  // namespace

std::optional<Plan> brute_force_pipedream(const Problem& problem, int micro_batch, const BruteForceOptions& options) {
  auto chain = planner::search::Chain::of(problem);
  const bool nested = !options.evaluate.flat_levels && has_levels(*problem.cluster);
  return chain ? BruteForcer(*chain, micro_batch, options).pipedream(nested) : std::nullopt;
}

}  // namespace pipedeck
