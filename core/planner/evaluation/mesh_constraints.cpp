// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/mesh/kinds.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/planner/evaluation/evaluation.hpp"

namespace pipedeck::planner::evaluation {
namespace {

/// Returns true if every kind of device is used whole or not at all.
bool uses_whole_kinds(const Cluster& cluster, const pipedeck::mesh::Question& question) {
  const std::vector<int> kinds = pipedeck::mesh::kinds_of(cluster);
  std::map<int, int> left;
  for (const int kind : kinds) ++left[kind];
  const std::map<int, int> all = left;
  for (int rank = 0; rank < question.devices(); ++rank) --left[kinds[question.device(rank).index()]];
  return std::ranges::all_of(left,
                             [&](const auto& kind) { return kind.second == 0 || kind.second == all.at(kind.first); });
}

/// Returns true if that many devices are those of the cluster's first nodes.
bool fill_nodes(const Cluster& cluster, int devices) {
  int filled = 0;
  for (const Node& node : cluster.nodes)
    if ((filled += device_count(node)) >= devices) break;
  return filled == devices;
}

}  // namespace

Result<void> check_mesh_constraints(const Evaluation& e) {
  const auto wrong = [&](std::string found) {
    return fail(ErrorCode::internal, e.plan.planner + ": " + std::move(found));
  };
  const auto asked = pipedeck::mesh::question_of(e.plan, e.profile(), e.problem.cluster);
  if (!asked) return wrong(asked.error().text());
  // Only the cheapest plan of a short list leaves nodes of a kind idle.
  const bool is_cheapest = std::ranges::find(e.plan.merits, Merit::cheapest) != e.plan.merits.end();
  if (!uses_whole_kinds(*e.problem.cluster, *asked) &&
      !(is_cheapest && fill_nodes(*e.problem.cluster, asked->devices())))
    return wrong("found idle devices");
  plan::MeshQuestion rules;
  rules.model = &asked->config, rules.shard = asked->shard(), rules.sharding = asked->sharding;
  rules.devices = asked->devices(), rules.pipeline = asked->pipeline, rules.virtual_stages = asked->virtual_stages;
  rules.sequence = asked->layer.count.sequence, rules.micro_batch = asked->layer.count.micro_batch;
  rules.micro_batches = asked->micro_batches, rules.global_batch = e.problem.workload.global_batch;
  if (auto kept = plan::check_mesh(rules); !kept) return wrong(kept.error().message);
  if (e.options.ignore_memory || !e.options.fits) return {};
  TRY(const bool fits, e.options.fits(e.plan, e.options.stop));
  if (!fits) return wrong("found a plan that does not fit by simulation");
  return {};
}

}  // namespace pipedeck::planner::evaluation
