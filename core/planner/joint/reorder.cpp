// SPDX-License-Identifier: Apache-2.0
// Orders of a layer graph inside the stages of joint's best plans. They change no pass, but where all-reduces overlap
// the backward, they change which gradients are ready first: those of the layers at the stage's end.
#include <algorithm>
#include <functional>
#include <set>

#include "core/planner/joint/run.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::joint {
namespace {

constexpr std::size_t num_orders = 24;                 // tried in each stage
constexpr std::size_t max_layers = 200;                // every order needs sums over all layers
constexpr std::size_t few_layers = 24, few_plans = 8;  // plans looked at in larger graphs
constexpr int num_rounds = 3;
constexpr std::size_t num_plans = 40;  // in graphs of few layers

/// Returns other topological orders of the stage's layers: those first that begin with small weights.
std::vector<std::vector<LayerId>> orders_within(const Profile& profile, const std::vector<LayerId>& own) {
  std::set<std::pair<LayerId, LayerId>> edges;
  for (const Edge& edge : edges_of(profile)) edges.insert({edge.from, edge.to});
  std::vector<LayerId> left = own, order;
  std::stable_sort(left.begin(), left.end(), [&](LayerId a, LayerId b) {
    return profile.layers[a.index()].parameters < profile.layers[b.index()].parameters;
  });
  std::vector<std::vector<LayerId>> found;
  const std::function<void()> extend = [&] {
    if (order.size() == own.size() && order != own) found.push_back(order);
    for (std::size_t i = 0; i < left.size() && found.size() < num_orders; ++i) {
      const LayerId next = left[i];
      if (std::ranges::any_of(left, [&](LayerId other) { return edges.contains({other, next}); })) continue;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      order.push_back(next);
      extend();
      order.pop_back();
      left.insert(left.begin() + static_cast<std::ptrdiff_t>(i), next);
    }
  };
  extend();
  return found;
}

/// Returns the plan with other orders of one stage's layers each.
std::vector<Plan> reordered(const Plan& plan, const Profile& profile) {
  const std::vector<LayerId> whole = order_of(plan, profile);
  std::vector<Plan> plans;
  for (const Stage& stage : plan.stages) {
    if (stage.replicas() < 2 || !stage.recompute.layers.empty()) continue;
    const std::vector<LayerId> own(whole.begin() + stage.first, whole.begin() + stage.last);
    for (const std::vector<LayerId>& order : orders_within(profile, own)) {
      Plan& other = plans.emplace_back(plan);
      other.order = whole;
      std::ranges::copy(order, other.order->begin() + stage.first);
    }
  }
  return plans;
}

}  // namespace

Result<void> reorder_joint_stages(Run& run) {
  const Profile& profile = *run.problem.profile;
  if (profile.is_chain() || profile.layers.size() > max_layers ||
      run.problem.workload.conventions.overlap == Overlap::none)
    return {};
  const std::size_t most = profile.layers.size() <= few_layers ? num_plans : few_plans;
  std::set<std::vector<int>> seen;
  // Each round changes one more stage of a plan.
  for (int round = 0; round < num_rounds && !run.enough(); ++round) {
    std::vector<Plan> plans;
    for (const Pool::Entry& entry : run.pool.entries())
      if (plans.size() < most && entry.plan.synchronous() && seen.insert(joint_key(entry.plan)).second)
        plans.push_back(entry.plan);
    for (const Plan& plan : plans) {
      TRY_VOID(check_stop(run.context));
      TRY_VOID(run.pool.add_exact(reordered(plan, profile)));
    }
  }
  return {};
}

}  // namespace pipedeck::planner::joint
